/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs that requests are issued from
 */
#ifndef BLK_MQ_QUEUE_AFFINITY_H
#define BLK_MQ_QUEUE_AFFINITY_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(blk_mq_queue_affinity_used);

bool __blk_mq_issued_elsewhere(struct request_queue *q);
int __blk_mq_queue_affinity_cpu(struct blk_mq_hw_ctx *hctx);

/* The calling CPU is none of those that issue requests of the queue. */
static inline bool blk_mq_issued_elsewhere(struct request_queue *q)
{
	return static_branch_unlikely(&blk_mq_queue_affinity_used) &&
	       __blk_mq_issued_elsewhere(q);
}

/* A CPU to run the hardware queue on, or -1 if there is no preference. */
static inline int blk_mq_queue_affinity_cpu(struct blk_mq_hw_ctx *hctx)
{
	if (!static_branch_unlikely(&blk_mq_queue_affinity_used))
		return -1;
	return __blk_mq_queue_affinity_cpu(hctx);
}

ssize_t blk_mq_queue_affinity_show(struct gendisk *disk, char *page);
ssize_t blk_mq_queue_affinity_store(struct gendisk *disk, const char *page,
				    size_t count);
void blk_mq_queue_affinity_free(struct request_queue *q);

#endif /* BLK_MQ_QUEUE_AFFINITY_H */
