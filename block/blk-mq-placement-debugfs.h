/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BLK_MQ_PLACEMENT_DEBUGFS_H
#define BLK_MQ_PLACEMENT_DEBUGFS_H

#include <linux/blk-mq.h>
#include <linux/jump_label_ratelimit.h>

struct seq_file;

#ifdef CONFIG_BLK_DEBUG_FS
extern struct static_key_false_deferred blk_mq_tag_gets_key;

int hctx_tag_nodes_show(void *data, struct seq_file *m);
int hctx_rq_nodes_show(void *data, struct seq_file *m);
int hctx_tag_gets_show(void *data, struct seq_file *m);
ssize_t hctx_tag_gets_write(void *data, const char __user *buf, size_t count,
			    loff_t *ppos);
void __blk_mq_tags_got(struct blk_mq_tags *tags, unsigned int tag,
		       unsigned int nr);
void blk_mq_tag_gets_free(struct blk_mq_tags *tags);
void blk_mq_tag_gets_move(struct blk_mq_tags *to, struct blk_mq_tags *from);

/* Count @nr tags of one owner, @tag among them, that this CPU just got. */
static inline void blk_mq_tags_got(struct blk_mq_tags *tags, unsigned int tag,
				   unsigned int nr)
{
	if (static_branch_unlikely(&blk_mq_tag_gets_key.key))
		__blk_mq_tags_got(tags, tag, nr);
}
#else
static inline void blk_mq_tags_got(struct blk_mq_tags *tags, unsigned int tag,
				   unsigned int nr)
{
}

static inline void blk_mq_tag_gets_free(struct blk_mq_tags *tags)
{
}

static inline void blk_mq_tag_gets_move(struct blk_mq_tags *to,
					struct blk_mq_tags *from)
{
}
#endif

#endif /* BLK_MQ_PLACEMENT_DEBUGFS_H */
