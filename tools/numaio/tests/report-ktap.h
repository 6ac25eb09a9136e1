/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP of the test programs of numaio report.
 */
#ifndef REPORT_KTAP_H
#define REPORT_KTAP_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static unsigned int ktap_cases, ktap_failed, ktap_bad;

/* A condition of the current case; what is wrong is said. */
__attribute__((format(printf, 2, 3)))
static inline void expect(int holds, const char *form, ...)
{
	va_list ap;

	if (holds)
		return;
	ktap_bad++;
	va_start(ap, form);
	printf("# ");
	vprintf(form, ap);
	putchar('\n');
	va_end(ap);
}

static inline void expect_near(double is, double shall, double tolerance, const char *what)
{
	expect(fabs(is - shall) <= tolerance, "%s: %.17g instead of %.17g", what, is, shall);
}

static inline void ktap_case(const char *name, void (*run)(void))
{
	ktap_bad = 0;
	run();
	ktap_failed += !!ktap_bad;
	printf("%sok %u %s\n", ktap_bad ? "not " : "", ++ktap_cases, name);
}

static inline int ktap_end(void)
{
	printf("1..%u\n", ktap_cases);
	return !!ktap_failed;
}

#endif
