// SPDX-License-Identifier: GPL-2.0-only
#include <time.h>

#include "clock.h"

double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void clock_date(char text[CLOCK_DATE_MAX])
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(text, CLOCK_DATE_MAX, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}
