/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On which CPU a request completes
 */
#ifndef BLK_MQ_AFFINITY_H
#define BLK_MQ_AFFINITY_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/topology.h>

#include "blk-mq.h"

struct seq_file;

/* Does this CPU do, because it is on the node of the one that submitted? */
static inline bool blk_mq_completes_on_node(const struct request *rq, int cpu)
{
	return cpu_to_node(cpu) == cpu_to_node(rq->mq_ctx->cpu);
}

#ifdef CONFIG_BLK_DEBUG_FS
extern struct static_key_false_deferred blk_mq_completions_key;

int hctx_completions_show(void *data, struct seq_file *m);
ssize_t hctx_completions_write(void *data, const char __user *buf, size_t count,
			       loff_t *ppos);
void __blk_mq_count_completion(const struct request *rq, bool ipi);
void blk_mq_completions_free(struct blk_mq_hw_ctx *hctx);

/* The request completes here, or with @ipi on the CPU that submitted it. */
static inline void blk_mq_count_completion(const struct request *rq, bool ipi)
{
	if (static_branch_unlikely(&blk_mq_completions_key))
		__blk_mq_count_completion(rq, ipi);
}
#else
static inline void blk_mq_count_completion(const struct request *rq, bool ipi)
{
}

static inline void blk_mq_completions_free(struct blk_mq_hw_ctx *hctx)
{
}
#endif /* CONFIG_BLK_DEBUG_FS */

#endif /* BLK_MQ_AFFINITY_H */
