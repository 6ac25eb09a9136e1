/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SCHED_H
#define SHIM_SCHED_H

#include <asm/current.h>
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/smp.h>

#define TASK_RUNNING		0
#define TASK_INTERRUPTIBLE	1
#define TASK_UNINTERRUPTIBLE	2
#define TASK_NORMAL		(TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)

/**
 * struct task_struct - A thread.
 * @state: TASK_RUNNING or what it waits as; a futex.
 */
struct task_struct {
	int state;
};

#define __set_current_state(s)	WRITE_ONCE(current->state, s)
#define set_current_state(s)	smp_store_mb(current->state, s)

void schedule(void);
int set_cpus_allowed_ptr(struct task_struct *p, const struct cpumask *mask);

#endif
