/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BLK_MQ_PLACEMENT_H
#define BLK_MQ_PLACEMENT_H

#include <linux/blk-mq.h>

/**
 * struct blk_mq_tag_run - Tags whose requests lie on one node.
 * @tag: The first one; blk_mq_next_tag() leads to the others.
 * @nr: Number of tags.
 * @node: Where their requests are to be allocated, or NUMA_NO_NODE.
 */
struct blk_mq_tag_run {
	unsigned int tag;
	unsigned int nr;
	int node;
};

bool blk_mq_tag_owners(const struct blk_mq_tag_set *set, unsigned int hctx_idx,
		       struct sbitmap_owners *owners);
unsigned int blk_mq_nr_tag_runs(const struct blk_mq_tags *tags);
void blk_mq_get_tag_run(const struct blk_mq_tags *tags, unsigned int nr,
			int node, struct blk_mq_tag_run *run);
unsigned int blk_mq_next_tag(const struct blk_mq_tags *tags, unsigned int tag);
bool blk_mq_is_spread(struct request_queue *q);
bool blk_mq_can_spread(const struct blk_mq_tag_set *set);
bool blk_mq_tags_shall_spread(const struct blk_mq_tag_set *set,
			      unsigned int hctx_idx);
int blk_mq_match_placement(const char *word);

#endif /* BLK_MQ_PLACEMENT_H */
