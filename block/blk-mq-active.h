/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where active requests are counted, see blk-mq-active.c. Included by blk-mq.h.
 */
#ifndef BLK_MQ_ACTIVE_H
#define BLK_MQ_ACTIVE_H

#include <linux/blk-mq.h>

#ifdef CONFIG_SBITMAP_SPREAD

int blk_mq_sum_active(const struct blk_mq_hw_ctx *hctx);
bool blk_mq_node_below(const struct blk_mq_hw_ctx *hctx, unsigned int depth);
void blk_mq_init_active(struct request_queue *q);

/* Do the hardware queues of a node count active requests together? */
static inline bool blk_mq_counts_by_node(const struct blk_mq_hw_ctx *hctx)
{
	return (hctx->flags & (BLK_MQ_F_TAG_HCTX_SHARED | BLK_MQ_F_TAG_SPREAD)) ==
	       (BLK_MQ_F_TAG_HCTX_SHARED | BLK_MQ_F_TAG_SPREAD);
}

static inline atomic_t *blk_mq_node_counter(struct blk_mq_hw_ctx *hctx)
{
	return &hctx->by_node.leader->nr_active;
}

#else

static inline int blk_mq_sum_active(const struct blk_mq_hw_ctx *hctx)
{
	return 0;
}

static inline bool blk_mq_node_below(const struct blk_mq_hw_ctx *hctx,
				     unsigned int depth)
{
	return true;
}

static inline void blk_mq_init_active(struct request_queue *q)
{
}

static inline bool blk_mq_counts_by_node(const struct blk_mq_hw_ctx *hctx)
{
	return false;
}

static inline atomic_t *blk_mq_node_counter(struct blk_mq_hw_ctx *hctx)
{
	return NULL;
}

#endif

/* Where a hardware queue counts its active requests. */
static inline atomic_t *blk_mq_active_counter(struct blk_mq_hw_ctx *hctx)
{
	if (!(hctx->flags & BLK_MQ_F_TAG_HCTX_SHARED))
		return &hctx->nr_active;
	if (blk_mq_counts_by_node(hctx))
		return blk_mq_node_counter(hctx);
	return &hctx->queue->nr_active_requests_shared_tags;
}

#endif /* BLK_MQ_ACTIVE_H */
