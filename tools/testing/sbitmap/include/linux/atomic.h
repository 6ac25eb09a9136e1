/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Atomics of the compiler, which sanitizers understand. Each read-modify-write is
 * a full barrier, as the locked instructions of x86 are.
 */
#ifndef SHIM_ATOMIC_H
#define SHIM_ATOMIC_H

#include <asm/barrier.h>
#include <linux/chaos.h>
#include <linux/types.h>

#define xchg(p, v)				\
({						\
	chaos_point();				\
	__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);	\
})

#define ATOMIC_INIT(i)		{ (i) }
#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_set(v, i)	WRITE_ONCE((v)->counter, i)
#define atomic_add(i, v)	((void)__atomic_fetch_add(&(v)->counter, i, __ATOMIC_SEQ_CST))
#define atomic_inc(v)		atomic_add(1, v)
#define atomic_dec(v)		atomic_add(-1, v)

static inline bool atomic_try_cmpxchg(atomic_t *v, int *old, int new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline int atomic_cmpxchg(atomic_t *v, int old, int new)
{
	atomic_try_cmpxchg(v, &old, new);
	return old;
}

static inline void atomic_long_andnot(long mask, atomic_long_t *v)
{
	chaos_point();
	__atomic_fetch_and(&v->counter, ~mask, __ATOMIC_SEQ_CST);
}

static inline bool atomic_long_try_cmpxchg(atomic_long_t *v, unsigned long *old,
					   long new)
{
	return __atomic_compare_exchange_n(&v->counter, (long *)old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
