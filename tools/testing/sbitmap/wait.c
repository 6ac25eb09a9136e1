// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's own wait queues, with what they want of the rest of the kernel. */
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define EPOLLHUP	0
#define POLLFREE	0
#define __poll_t	unsigned int
#define ERESTARTSYS	512

/* Nobody stops, signals or times out. */
#define kthread_should_stop_or_park()		false
#define signal_pending(p)			false
#define signal_pending_state(state, p)		false
#define schedule_timeout(timeout)		((timeout) ? (schedule(), (timeout)) : 0)
#define WF_SYNC					0
#define WF_CURRENT_CPU				0

#include <kernel/sched/wait.c>
