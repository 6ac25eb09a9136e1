/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Placement of tags, and of the requests behind them, on NUMA nodes: what a
 * driver of blk-mq needs.
 */
#ifndef _LINUX_BLK_MQ_PLACEMENT_H
#define _LINUX_BLK_MQ_PLACEMENT_H

#include <linux/blk-mq.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>

/**
 * enum blk_mq_tag_placement - Where the tags of a tag set lie.
 * @BLK_MQ_TAGS_FLAT: All on the node of the hardware queue or tag set.
 * @BLK_MQ_TAGS_SPREAD: Each node owns an even share, see %BLK_MQ_F_TAG_SPREAD.
 */
enum blk_mq_tag_placement {
	BLK_MQ_TAGS_FLAT,
	BLK_MQ_TAGS_SPREAD,
};

/**
 * blk_mq_placement_flags() - Flags of a tag set for a placement.
 * @placement: What the user chose.
 *
 * Return: BLK_MQ_F_* flags to be set in &blk_mq_tag_set.flags.
 */
static inline unsigned int
blk_mq_placement_flags(enum blk_mq_tag_placement placement)
{
	return placement == BLK_MQ_TAGS_SPREAD ? BLK_MQ_F_TAG_SPREAD : 0;
}

bool blk_mq_tag_set_owners(const struct blk_mq_tag_set *set, nodemask_t *nodes);

extern const struct kernel_param_ops blk_mq_tag_placement_param_ops;

#endif /* _LINUX_BLK_MQ_PLACEMENT_H */
