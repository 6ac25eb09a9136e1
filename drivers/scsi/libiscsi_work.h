/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On which CPU a connection's transmit and receive work is queued
 */
#ifndef _LIBISCSI_WORK_H
#define _LIBISCSI_WORK_H

#include <linux/interrupt.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include <scsi/libiscsi.h>

/**
 * enum iscsi_work_cpu - Whose CPU work is queued for.
 * @ISCSI_WORK_SUBMITTER: That of who queues it: the task that submits a command, or
 *	the softirq that received an answer or the space to send more.
 * @ISCSI_WORK_SOFTIRQ: That of the connection's network softirq.
 */
enum iscsi_work_cpu { ISCSI_WORK_SUBMITTER, ISCSI_WORK_SOFTIRQ };

extern const struct kernel_param_ops iscsi_work_cpu_ops;
extern const struct attribute_group *iscsi_work_groups[];

/**
 * iscsi_conn_note_softirq() - Remember which CPU serves a connection's softirq.
 * @conn: Connection whose socket has data.
 *
 * The same callback is called for packets that came while a task owned the socket,
 * by that task when it no longer does: that CPU isn't noted.
 *
 * Context: Any.
 */
static inline void iscsi_conn_note_softirq(struct iscsi_conn *conn)
{
	int cpu = raw_smp_processor_id();

	if (in_serving_softirq() && READ_ONCE(conn->softirq_cpu) != cpu)
		WRITE_ONCE(conn->softirq_cpu, cpu);
}

/* Queue transmit or receive work of a connection, whose host has a workqueue. */
static inline void iscsi_conn_queue_work(struct iscsi_conn *conn,
					 struct work_struct *work)
{
	struct iscsi_host *ihost = shost_priv(conn->session->host);
	int cpu = WORK_CPU_UNBOUND;

	if (READ_ONCE(ihost->work_cpu) == ISCSI_WORK_SOFTIRQ &&
	    READ_ONCE(conn->softirq_cpu) >= 0)
		cpu = READ_ONCE(conn->softirq_cpu);
	queue_work_on(cpu, ihost->workq, work);
}

#endif /* _LIBISCSI_WORK_H */
