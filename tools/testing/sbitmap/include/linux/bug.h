/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BUG_H
#define SHIM_BUG_H

#include <linux/compiler.h>

/* A warning fails the test that runs: it is counted. */
void shim_warn(const char *file, int line, const char *cond);
#define WARN_ON_ONCE(cond)					\
({								\
	bool warn_cond = (cond);				\
								\
	static bool warn_said;					\
								\
	if (unlikely(warn_cond && !warn_said)) {		\
		warn_said = true;				\
		shim_warn(__FILE__, __LINE__, #cond);		\
	}							\
	warn_cond;						\
})

#endif
