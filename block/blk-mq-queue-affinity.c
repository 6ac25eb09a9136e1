// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUs that requests are issued from
 *
 * A queue may be given a set of CPUs, its queue affinity. Whoever would call the
 * driver from another CPU puts the request on the software queue instead, and a
 * worker of one of these CPUs takes it from there. Where the set and the CPUs of
 * the hardware queue have one in common that is online, it is one of those.
 *
 * When the last CPU of the set goes offline, all CPUs issue requests, until one
 * of the set is back. Nothing waits for it: the set is only looked at, never
 * required, so that a CPU that goes between the look and the worker does no harm.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "blk.h"
#include "blk-mq-queue-affinity.h"

/**
 * struct blk_mq_queue_affinity - the CPUs that issue requests of a queue
 * @rcu: to free it
 * @last: the CPU that was chosen last; a hint
 * @ignored: 1 while none of them is online
 * @mask: the CPUs
 */
struct blk_mq_queue_affinity {
	struct rcu_head rcu;
	int last;
	int ignored;
	unsigned long mask[];
};

DEFINE_STATIC_KEY_FALSE(blk_mq_queue_affinity_used);

static void note_use(struct request_queue *q, struct blk_mq_queue_affinity *aff,
		     int ignored)
{
	struct gendisk *disk = READ_ONCE(q->disk);

	if (READ_ONCE(aff->ignored) == ignored ||
	    cmpxchg(&aff->ignored, !ignored, ignored) != !ignored)
		return;
	pr_info("%s: queue_affinity: %s of %*pbl is online, %s issue requests\n",
		disk ? disk->disk_name : "?", ignored ? "no CPU" : "a CPU",
		cpumask_pr_args(to_cpumask(aff->mask)),
		ignored ? "all CPUs" : "these");
}

bool __blk_mq_issued_elsewhere(struct request_queue *q)
{
	struct blk_mq_queue_affinity *aff;
	bool elsewhere = false;

	rcu_read_lock();
	aff = rcu_dereference(q->queue_affinity);
	if (aff && !cpumask_test_cpu(raw_smp_processor_id(),
				     to_cpumask(aff->mask))) {
		elsewhere = cpumask_intersects(to_cpumask(aff->mask),
					       cpu_online_mask);
		note_use(q, aff, !elsewhere);
	}
	rcu_read_unlock();
	return elsewhere;
}

/* The next online CPU after the last one chosen that is in both masks, or -1. */
static int next_cpu(struct blk_mq_queue_affinity *aff, const struct cpumask *also)
{
	int cpu;

	for_each_cpu_wrap(cpu, to_cpumask(aff->mask), READ_ONCE(aff->last) + 1) {
		if (!cpumask_test_cpu(cpu, also) || !cpu_online(cpu))
			continue;
		WRITE_ONCE(aff->last, cpu);
		return cpu;
	}
	return -1;
}

int __blk_mq_queue_affinity_cpu(struct blk_mq_hw_ctx *hctx)
{
	struct blk_mq_queue_affinity *aff;
	int cpu = -1;

	rcu_read_lock();
	aff = rcu_dereference(hctx->queue->queue_affinity);
	if (aff) {
		cpu = next_cpu(aff, hctx->cpumask);
		if (cpu < 0)
			cpu = next_cpu(aff, cpu_online_mask);
		note_use(hctx->queue, aff, cpu < 0);
	}
	rcu_read_unlock();
	return cpu;
}

ssize_t blk_mq_queue_affinity_show(struct gendisk *disk, char *page)
{
	struct blk_mq_queue_affinity *aff;
	ssize_t len;

	rcu_read_lock();
	aff = rcu_dereference(disk->queue->queue_affinity);
	len = sysfs_emit(page, "%*pbl\n",
			 cpumask_pr_args(aff ? to_cpumask(aff->mask) :
					 cpu_possible_mask));
	rcu_read_unlock();
	return len;
}

/* The key is changed outside of the lock: that takes the lock of CPU hotplug. */
static void replace(struct request_queue *q, struct blk_mq_queue_affinity *aff)
{
	struct blk_mq_queue_affinity *old;

	if (aff)
		static_branch_inc(&blk_mq_queue_affinity_used);
	mutex_lock(&q->sysfs_lock);
	old = rcu_replace_pointer(q->queue_affinity, aff,
				  lockdep_is_held(&q->sysfs_lock));
	mutex_unlock(&q->sysfs_lock);
	if (old) {
		static_branch_dec(&blk_mq_queue_affinity_used);
		kfree_rcu(old, rcu);
	}
}

ssize_t blk_mq_queue_affinity_store(struct gendisk *disk, const char *page,
				    size_t count)
{
	struct blk_mq_queue_affinity *aff;
	struct cpumask *mask;

	aff = kzalloc(struct_size(aff, mask, BITS_TO_LONGS(nr_cpumask_bits)),
		      GFP_KERNEL);
	if (!aff)
		return -ENOMEM;
	aff->last = -1;
	mask = to_cpumask(aff->mask);
	if (cpulist_parse(page, mask) ||
	    !cpumask_intersects(mask, cpu_online_mask)) {
		pr_warn_ratelimited("%s: queue_affinity: invalid CPUs '%.*s', valid are lists with one of %*pbl\n",
				    disk->disk_name,
				    (int)strcspn(page, "\n"), page,
				    cpumask_pr_args(cpu_online_mask));
		kfree(aff);
		return -EINVAL;
	}
	if (cpumask_subset(cpu_possible_mask, mask)) {
		kfree(aff);
		aff = NULL;
	}
	replace(disk->queue, aff);
	return count;
}

/* When nobody can write the attribute any more. May sleep. */
void blk_mq_queue_affinity_free(struct request_queue *q)
{
	replace(q, NULL);
}
