/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BITMAP_H
#define SHIM_BITMAP_H

#include <linux/bitops.h>
#include <string.h>

#define DECLARE_BITMAP(name, bits)	unsigned long name[BITS_TO_LONGS(bits)]

unsigned int bitmap_weight(const unsigned long *map, unsigned int bits);

static inline void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, BITS_TO_LONGS(bits) * sizeof(*map));
}

static inline bool bitmap_empty(const unsigned long *map, unsigned int bits)
{
	return find_next_bit(map, bits, 0) >= bits;
}

/* Of whole words. */
static inline bool bitmap_equal(const unsigned long *a, const unsigned long *b,
				unsigned int bits)
{
	return !memcmp(a, b, BITS_TO_LONGS(bits) * sizeof(*a));
}

#endif
