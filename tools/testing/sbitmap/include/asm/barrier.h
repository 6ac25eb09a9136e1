/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_BARRIER_H
#define SHIM_BARRIER_H

#include <linux/compiler.h>

#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
/* As on x86: every read-modify-write is a full barrier, see <linux/atomic.h>. */
#define smp_mb__before_atomic()	barrier()
#define smp_mb__after_atomic()	barrier()
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_store_mb(var, v)	((void)__atomic_exchange_n(&(var), v, __ATOMIC_SEQ_CST))

#endif
