/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_RANDOM_H
#define SHIM_RANDOM_H

#include <linux/types.h>

u32 get_random_u32(void);
#define get_random_u32_below(ceil)	(get_random_u32() % (ceil))

#endif
