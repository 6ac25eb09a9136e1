/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BLK_MQ_PLACEMENT_CHANGE_H
#define BLK_MQ_PLACEMENT_CHANGE_H

#include <linux/blk-mq.h>

void blk_mq_update_tag_owners(struct blk_mq_tag_set *set);
ssize_t queue_tag_placement_show(struct gendisk *disk, char *page);
ssize_t queue_tag_placement_store(struct gendisk *disk, const char *page,
				  size_t count);

#endif /* BLK_MQ_PLACEMENT_CHANGE_H */
