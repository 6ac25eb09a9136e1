/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SMP_H
#define SHIM_SMP_H

#include <linux/chaos.h>
#include <linux/cpumask.h>
#include <linux/errno.h>

extern __thread unsigned int shim_cpu;
extern __thread unsigned int shim_no_preempt;

#define raw_smp_processor_id()	shim_cpu
#define smp_processor_id()	shim_cpu

#ifdef SHIM_CHAOS
#define preempt_disable()	({ chaos_point(); shim_no_preempt++; })
#define preempt_enable()	((void)shim_no_preempt--)
#else
#define preempt_disable()	barrier()
#define preempt_enable()	barrier()
#endif

#define get_cpu()		({ preempt_disable(); smp_processor_id(); })
#define put_cpu()		preempt_enable()

#endif
