// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of the CPUs on which the requests of a hardware queue complete
 */
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "blk-mq-affinity.h"

/* Deferred: queues are released where the locks of static keys can't be taken. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(blk_mq_completions_key, HZ);

/* Protects the pointers to counters, and who counts. */
static DEFINE_MUTEX(completions_mutex);

/**
 * struct blk_mq_completions - Counts of a CPU that was told of completions.
 * @cpu: Of requests that complete on the CPU that submitted them.
 * @node: On another CPU of its node.
 * @elsewhere: On another node.
 * @ipi: Of @cpu, those that an interrupt took there.
 */
struct blk_mq_completions {
	u64 cpu;
	u64 node;
	u64 elsewhere;
	u64 ipi;
};

void __blk_mq_count_completion(const struct request *rq, bool ipi)
{
	struct blk_mq_completions __percpu *c;
	int cpu = raw_smp_processor_id();

	/* Pairs with the release in hctx_completions_write(). */
	if (!smp_load_acquire(&rq->mq_hctx->count_completions))
		return;

	c = rq->mq_hctx->completions;
	if (ipi) {
		this_cpu_inc(c->ipi);
		this_cpu_inc(c->cpu);
	} else if (cpu == rq->mq_ctx->cpu) {
		this_cpu_inc(c->cpu);
	} else if (blk_mq_completes_on_node(rq, cpu)) {
		this_cpu_inc(c->node);
	} else {
		this_cpu_inc(c->elsewhere);
	}
}

int hctx_completions_show(void *data, struct seq_file *m)
{
	struct blk_mq_hw_ctx *hctx = data;
	struct blk_mq_completions sum = {};
	int cpu;

	mutex_lock(&completions_mutex);
	seq_printf(m, "counting=%d\n", hctx->count_completions);
	if (hctx->completions) {
		for_each_possible_cpu(cpu) {
			const struct blk_mq_completions *c =
				per_cpu_ptr(hctx->completions, cpu);

			sum.cpu += READ_ONCE(c->cpu);
			sum.node += READ_ONCE(c->node);
			sum.elsewhere += READ_ONCE(c->elsewhere);
			sum.ipi += READ_ONCE(c->ipi);
		}
		seq_printf(m, "cpu=%llu node=%llu elsewhere=%llu ipi=%llu\n",
			   sum.cpu, sum.node, sum.elsewhere, sum.ipi);
	}
	mutex_unlock(&completions_mutex);
	return 0;
}

static int start_counting(struct blk_mq_hw_ctx *hctx)
{
	int cpu;

	if (!hctx->completions)
		hctx->completions = alloc_percpu(struct blk_mq_completions);
	if (!hctx->completions)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(hctx->completions, cpu), 0,
		       sizeof(struct blk_mq_completions));
	if (!hctx->count_completions)
		static_branch_inc(&blk_mq_completions_key.key);
	/* Pairs with the acquire in __blk_mq_count_completion(). */
	smp_store_release(&hctx->count_completions, true);
	return 0;
}

static void stop_counting(struct blk_mq_hw_ctx *hctx)
{
	if (!hctx->count_completions)
		return;
	WRITE_ONCE(hctx->count_completions, false);
	static_branch_slow_dec_deferred(&blk_mq_completions_key);
}

/* "1" begins to count at zero, "0" stops. */
ssize_t hctx_completions_write(void *data, const char __user *buf, size_t count,
			       loff_t *ppos)
{
	struct blk_mq_hw_ctx *hctx = data;
	unsigned int on;
	int res;

	res = kstrtouint_from_user(buf, count, 0, &on);
	if (res)
		return res;
	if (on > 1)
		return -EINVAL;

	mutex_lock(&completions_mutex);
	if (on)
		res = start_counting(hctx);
	else
		stop_counting(hctx);
	mutex_unlock(&completions_mutex);
	return res ?: count;
}

/* The queue is released, nothing completes any more. */
void blk_mq_completions_free(struct blk_mq_hw_ctx *hctx)
{
	stop_counting(hctx);
	free_percpu(hctx->completions);
}
