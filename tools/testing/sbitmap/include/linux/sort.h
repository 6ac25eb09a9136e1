/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SORT_H
#define SHIM_SORT_H

#include <stdlib.h>

#define sort_r(base, nr, size, cmp, swap, priv)	\
	qsort_r(base, nr, size, (int (*)(const void *, const void *, void *))(cmp), priv)

#endif
