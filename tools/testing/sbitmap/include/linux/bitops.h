/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BITOPS_H
#define SHIM_BITOPS_H

#include <linux/atomic.h>
#include <linux/chaos.h>

#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BIT(nr)			(1UL << (nr))
#define BIT_MASK(nr)		(1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr)		((nr) / BITS_PER_LONG)
#define BITS_TO_LONGS(nr)	DIV_ROUND_UP(nr, BITS_PER_LONG)

static __always_inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static __always_inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

#define fls_long(x)		fls64(x)

static inline void set_bit(unsigned long nr, unsigned long *addr)
{
	chaos_point();
	__atomic_fetch_or(addr + BIT_WORD(nr), BIT_MASK(nr), __ATOMIC_SEQ_CST);
}

static inline void clear_bit(unsigned long nr, unsigned long *addr)
{
	chaos_point();
	__atomic_fetch_and(addr + BIT_WORD(nr), ~BIT_MASK(nr), __ATOMIC_SEQ_CST);
}

static inline bool test_and_set_bit(unsigned long nr, unsigned long *addr)
{
	chaos_point();
	return __atomic_fetch_or(addr + BIT_WORD(nr), BIT_MASK(nr),
				 __ATOMIC_SEQ_CST) & BIT_MASK(nr);
}

#define test_and_set_bit_lock	test_and_set_bit

static inline bool test_bit(unsigned long nr, const unsigned long *addr)
{
	return READ_ONCE(addr[BIT_WORD(nr)]) & BIT_MASK(nr);
}

static inline void __set_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static inline void __clear_bit(unsigned long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

/* Of lib/find_bit.c: out of line there too; a racing word is read once. */
unsigned long find_next_bit(const unsigned long *addr, unsigned long size,
			    unsigned long offset);
unsigned long find_next_zero_bit(const unsigned long *addr, unsigned long size,
				 unsigned long offset);
#define find_first_bit(addr, size)	find_next_bit(addr, size, 0)
#define find_first_zero_bit(addr, size)	find_next_zero_bit(addr, size, 0)

#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = find_next_bit(addr, size, 0); (bit) < (size);	\
	     (bit) = find_next_bit(addr, size, (bit) + 1))

#endif
