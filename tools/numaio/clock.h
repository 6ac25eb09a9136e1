/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLOCK_H
#define CLOCK_H

#define CLOCK_DATE_MAX	32

/* Seconds since some moment in the past, whoever sets the clock. */
double clock_seconds(void);
/* Now, in UTC, as 2026-12-01T05:14:35Z */
void clock_date(char text[CLOCK_DATE_MAX]);

#endif
