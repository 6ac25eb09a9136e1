/* SPDX-License-Identifier: GPL-2.0-only */
/* KTAP for the tests of this directory: a plan, results, an exit code. */
#ifndef KTAP_H
#define KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int ktap_count, ktap_failed;

static inline void ktap_start(unsigned int plan)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", plan);
}

/* Report one result; what failed is said in "# " lines before, by ktap_note(). */
__attribute__((format(printf, 2, 3)))
static inline void ktap_result(bool ok, const char *fmt, ...)
{
	va_list ap;

	ktap_failed += !ok;
	printf("%sok %u ", ok ? "" : "not ", ++ktap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static inline void ktap_skip(const char *name, const char *why)
{
	printf("ok %u %s # SKIP %s\n", ++ktap_count, name, why);
}

__attribute__((format(printf, 1, 2)))
static inline void ktap_note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static inline int ktap_exit(void)
{
	return ktap_failed ? 1 : 0;
}

#endif /* KTAP_H */
