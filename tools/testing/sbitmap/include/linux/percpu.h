/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A per-CPU variable is an array of cache lines. The CPU of a thread is what the
 * test says; see shim_run_on().
 */
#ifndef SHIM_PERCPU_H
#define SHIM_PERCPU_H

#include <linux/cache.h>
#include <linux/slab.h>
#include <linux/smp.h>

void *shim_alloc_percpu(size_t size, gfp_t flags);
#define alloc_percpu_gfp(type, flags)	((type *)shim_alloc_percpu(sizeof(type), flags))
#define free_percpu			kfree

#define per_cpu_ptr(p, cpu)	((typeof(p))((char *)(p) + (cpu) * (size_t)SMP_CACHE_BYTES))
#define raw_cpu_ptr(p)		per_cpu_ptr(p, raw_smp_processor_id())
#define get_cpu_ptr(p)		({ preempt_disable(); raw_cpu_ptr(p); })
#define put_cpu_ptr(p)		({ (void)(p); preempt_enable(); })

#define this_cpu_read(var)				\
({							\
	typeof(var) cpu_value = READ_ONCE(*raw_cpu_ptr(&(var)));	\
							\
	chaos_point();					\
	cpu_value;					\
})
#define this_cpu_write(var, val)	WRITE_ONCE(*raw_cpu_ptr(&(var)), val)

#endif
