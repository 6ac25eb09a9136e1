// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts where the transmit and receive work of an iSCSI host runs. For tests only: it
 * stands in front of the functions of the works, and stays until the guest ends.
 *
 * Two items of a connection can tell of their order: an item that starts twice while the
 * other one waits all the time was queued behind it, and has overtaken it. That misses
 * some, and finds none where there is none: a workqueue has an item in its order only when
 * it has a pwq, not yet when it is pending.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <scsi/libiscsi.h>
#include <scsi/libiscsi_tcp.h>
#include <scsi/scsi_host.h>
#include <scsi/scsi_transport_iscsi.h>

#include "iscsi_tcp.h"

static uint host;
module_param(host, uint, 0444);
MODULE_PARM_DESC(host, "number of the SCSI host");

static bool plain;
module_param(plain, bool, 0444);
MODULE_PARM_DESC(plain, "queue on a workqueue as mainline's iscsi_q, instead of the host's own");

enum { XMIT, RECV, KINDS };

/* What an item saw when it last started; written by the item only. */
struct seen {
	bool other_waits;
	uint other_starts;
	uint starts;
};

static struct seen seen[KINDS];
static struct iscsi_conn *watched;
static work_func_t original[KINDS];
static atomic_t running;

struct counts {
	ulong items, softirq_node, no_softirq, overlaps, overtaken;
};

static DEFINE_PER_CPU(struct counts, counts);

static bool is_queued(struct work_struct *work)
{
	const ulong bits = WORK_STRUCT_PENDING | WORK_STRUCT_PWQ;

	return (READ_ONCE(*work_data_bits(work)) & bits) == bits;
}

static void check_order(struct work_struct *work, struct work_struct *other_work,
			struct seen *own, struct seen *other)
{
	uint starts = READ_ONCE(other->starts);

	WRITE_ONCE(own->starts, own->starts + 1);
	if (own->other_waits && own->other_starts == starts)
		this_cpu_inc(counts.overtaken);
	own->other_starts = starts;
	own->other_waits = is_queued(other_work);
	/* It may be queued again already, and then that may have been before the other. */
	smp_rmb();
	if (work_pending(work))
		own->other_waits = false;
}

static void count(struct iscsi_conn *conn, struct work_struct *work, int kind)
{
	struct iscsi_tcp_conn *tcp_conn = conn->dd_data;
	struct iscsi_sw_tcp_conn *sw = tcp_conn->dd_data;
	struct socket *sock = READ_ONCE(sw->sock);
	int cpu = sock ? READ_ONCE(sock->sk->sk_incoming_cpu) : -1;

	this_cpu_inc(counts.items);
	if (cpu < 0)
		this_cpu_inc(counts.no_softirq);
	else if (cpu_to_node(cpu) == numa_node_id())
		this_cpu_inc(counts.softirq_node);
	if (conn == watched)
		check_order(work, kind == XMIT ? &conn->recvwork : &conn->xmitwork,
			    &seen[kind], &seen[!kind]);
}

static void run(struct iscsi_conn *conn, struct work_struct *work, int kind)
{
	if (atomic_inc_return(&running) > 1)
		this_cpu_inc(counts.overlaps);
	count(conn, work, kind);
	original[kind](work);
	atomic_dec(&running);
}

static void run_xmit(struct work_struct *work)
{
	run(container_of(work, struct iscsi_conn, xmitwork), work, XMIT);
}

static void run_recv(struct work_struct *work)
{
	run(container_of(work, struct iscsi_conn, recvwork), work, RECV);
}

static void watch(struct iscsi_cls_session *cls_session)
{
	struct iscsi_session *session = cls_session->dd_data;
	struct iscsi_conn *conn = session->leadconn;

	if (!conn)
		return;
	original[XMIT] = conn->xmitwork.func;
	original[RECV] = conn->recvwork.func;
	watched = conn;
	WRITE_ONCE(conn->xmitwork.func, run_xmit);
	WRITE_ONCE(conn->recvwork.func, run_recv);
}

static ulong sum(size_t offset)
{
	ulong all = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		all += *(ulong *)((char *)per_cpu_ptr(&counts, cpu) + offset);
	return all;
}

static int counts_get(char *buf, const struct kernel_param *kp)
{
	int node, cpu, len;

	len = sysfs_emit(buf, "items %lu softirq_node %lu no_softirq %lu overlaps %lu overtaken %lu by_node",
			 sum(offsetof(struct counts, items)),
			 sum(offsetof(struct counts, softirq_node)),
			 sum(offsetof(struct counts, no_softirq)),
			 sum(offsetof(struct counts, overlaps)),
			 sum(offsetof(struct counts, overtaken)));
	for_each_online_node(node) {
		ulong all = 0;

		for_each_cpu(cpu, cpumask_of_node(node))
			all += per_cpu(counts.items, cpu);
		len += sysfs_emit_at(buf, len, " %d:%lu", node, all);
	}
	return len + sysfs_emit_at(buf, len, "\n");
}

/* Any write: from zero */
static int counts_set(const char *val, const struct kernel_param *kp)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&counts, cpu), 0, sizeof(counts));
	return 0;
}

static const struct kernel_param_ops counts_ops = {
	.get	= counts_get,
	.set	= counts_set,
};
module_param_cb(counts, &counts_ops, NULL, 0600);
MODULE_PARM_DESC(counts, "what ran since the last write");

static int __init iscsiwork_init(void)
{
	struct Scsi_Host *shost = scsi_host_lookup(host);
	struct workqueue_struct *wq;
	struct iscsi_host *ihost;

	if (!shost) {
		pr_err("no host %u\n", host);
		return -ENODEV;
	}
	ihost = shost_priv(shost);
	flush_workqueue(ihost->workq);
	if (plain) {
		wq = alloc_workqueue("iscsi_q_%d", WQ_SYSFS | __WQ_LEGACY | WQ_MEM_RECLAIM |
				     WQ_UNBOUND, 1, 1000 + host);
		if (!wq) {
			scsi_host_put(shost);
			return -ENOMEM;
		}
		WRITE_ONCE(ihost->workq, wq);
	}
	iscsi_host_for_each_session(shost, watch);
	scsi_host_put(shost);
	if (!watched) {
		pr_err("host %u has no session\n", host);
		return -ENODEV;
	}
	return 0;
}
module_init(iscsiwork_init);

MODULE_DESCRIPTION("Counts where iSCSI work runs");
MODULE_LICENSE("GPL");
