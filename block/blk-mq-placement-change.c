// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace the tags of a set while its queues are live
 *
 * A placement is a property of tag maps and of the memory of requests, so to
 * change it is to replace them: the tags of the set and those of the schedulers
 * of all its queues. What is new is allocated first, then every queue is frozen,
 * so that no request is left that could be lost, pointers are exchanged, and what
 * was there before is freed. If an allocation fails, nothing has happened.
 *
 * Who uses tags, and why they are there as long as that takes:
 *
 * - Who holds a reference to the queue: it is frozen.
 * - The dispatch of queues, which needs no reference: it is quiesced.
 * - Elevators, debugfs and sysfs hold sysfs_lock of the queue, and so do we.
 * - Queues that come, go or are remapped hold tag_list_lock of the set.
 * - Iterations over the set, and queues on their exit, hold blk_mq_tags_srcu.
 * - Drivers that look up a tag which their hardware named do so with interrupts
 *   or bottom halves disabled, or else don't allow to have tags replaced.
 */
#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/string.h>

#include <linux/blk-mq-placement.h>
#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-placement.h"
#include "blk-mq-placement-change.h"
#include "blk-mq-placement-debugfs.h"
#include "blk-mq-sched.h"

/**
 * struct tags_change - Tags that take the place of others.
 * @list: Entry in the list of a change.
 * @slot: Where the pointer to the tags is.
 * @tags: New tags, from the exchange on the old ones.
 * @hctx_idx: Hardware queue of the tags, or BLK_MQ_NO_HCTX_IDX.
 */
struct tags_change {
	struct list_head list;
	struct blk_mq_tags **slot;
	struct blk_mq_tags *tags;
	unsigned int hctx_idx;
};

static int add_change(struct blk_mq_tag_set *set, struct list_head *changes,
		      struct blk_mq_tags **slot, unsigned int hctx_idx,
		      bool remapped)
{
	bool spread = blk_mq_tags_shall_spread(set, hctx_idx);
	const struct blk_mq_tags *old = *slot;
	struct tags_change *c;

	/* With another mapping of queues a spread map may want other owners. */
	if (!old || (sbitmap_is_spread(&old->bitmap_tags.sb) == spread &&
		     !(spread && remapped)))
		return 0;

	c = kmalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->tags = blk_mq_alloc_map_and_rqs(set, hctx_idx, old->nr_tags);
	if (!c->tags) {
		kfree(c);
		return -ENOMEM;
	}
	c->slot = slot;
	c->hctx_idx = hctx_idx;
	list_add_tail(&c->list, changes);

	/* There is a flat map for want of memory: not what was asked for. */
	if (sbitmap_is_spread(&c->tags->bitmap_tags.sb) != spread)
		return -ENOMEM;

	if (c->tags->bitmap_tags.sb.depth != old->bitmap_tags.sb.depth)
		sbitmap_queue_resize(&c->tags->bitmap_tags,
				     old->bitmap_tags.sb.depth);
	return 0;
}

static int add_set_changes(struct blk_mq_tag_set *set,
			   struct list_head *changes, bool remapped)
{
	unsigned int i;
	int ret = 0;

	if (blk_mq_is_shared_tags(set->flags))
		return add_change(set, changes, &set->shared_tags,
				  BLK_MQ_NO_HCTX_IDX, false);

	for (i = 0; i < set->nr_hw_queues && !ret; i++)
		ret = add_change(set, changes, &set->tags[i], i, remapped);
	return ret;
}

static int add_sched_changes(struct request_queue *q, struct list_head *changes)
{
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;
	int ret = 0;

	if (!q->elevator)
		return 0;
	if (blk_mq_is_shared_tags(q->tag_set->flags))
		return add_change(q->tag_set, changes, &q->sched_shared_tags,
				  BLK_MQ_NO_HCTX_IDX, false);

	queue_for_each_hw_ctx(q, hctx, i) {
		ret = add_change(q->tag_set, changes, &hctx->sched_tags, i,
				 false);
		if (ret)
			break;
	}
	return ret;
}

/* Of tags of the set, and what drivers placed likewise; either may be old or new. */
static void free_changes(struct blk_mq_tag_set *set, struct list_head *changes)
{
	struct tags_change *c, *next;
	struct request_queue *q;

	if (set->ops->change_placement) {
		list_for_each_entry(q, &set->tag_list, tag_set_list)
			set->ops->change_placement(q, BLK_MQ_PLACEMENT_FINISH);
	}
	list_for_each_entry_safe(c, next, changes, list) {
		blk_mq_free_map_and_rqs(set, c->tags, c->hctx_idx);
		kfree(c);
	}
}

/* Let a queue use the tags that the set and its elevator have now. */
static void update_queue(struct blk_mq_tag_set *set, struct request_queue *q)
{
	struct elevator_type *e = q->elevator ? q->elevator->type : NULL;
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i) {
		hctx->flags &= ~BLK_MQ_F_TAG_SPREAD;
		hctx->flags |= set->flags & BLK_MQ_F_TAG_SPREAD;
		if (hctx->tags)
			hctx->tags = set->tags[i];
		if (e && blk_mq_is_shared_tags(set->flags))
			hctx->sched_tags = q->sched_shared_tags;
		if (e && e->ops.depth_updated)
			e->ops.depth_updated(hctx);
	}
	if (set->ops->change_placement)
		set->ops->change_placement(q, BLK_MQ_PLACEMENT_COMMIT);
}

/* All queues are frozen. */
static void exchange_tags(struct blk_mq_tag_set *set, struct list_head *changes)
{
	struct blk_mq_hw_ctx *hctx;
	struct request_queue *q;
	struct tags_change *c;
	unsigned long i;

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		blk_mq_quiesce_queue_nowait(q);
	blk_mq_wait_quiesce_done(set);

	/* The old tags forget their users; these come again with the next I/O. */
	list_for_each_entry(q, &set->tag_list, tag_set_list) {
		queue_for_each_hw_ctx(q, hctx, i) {
			if (hctx->tags)
				blk_mq_tag_idle(hctx);
		}
	}

	list_for_each_entry(c, changes, list) {
		/* Hardware queues may still be waiting from when they had to. */
		blk_mq_tag_wakeup_all(*c->slot, true);
		blk_mq_tag_gets_move(c->tags, *c->slot);
		swap(*c->slot, c->tags);
	}
	if (blk_mq_is_shared_tags(set->flags)) {
		for (i = 0; i < set->nr_hw_queues; i++)
			WRITE_ONCE(set->tags[i], set->shared_tags);
	}

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		update_queue(set, q);
	list_for_each_entry(q, &set->tag_list, tag_set_list)
		blk_mq_unquiesce_queue(q);
}

static void exchange_live_tags(struct blk_mq_tag_set *set,
			       struct list_head *changes)
{
	struct request_queue *q;

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		blk_freeze_queue_start(q);
	list_for_each_entry(q, &set->tag_list, tag_set_list)
		blk_mq_freeze_queue_wait(q);

	exchange_tags(set, changes);

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		blk_mq_unfreeze_queue(q);
}

/* Wait for those who may still use the old tags. */
static void wait_for_users(void)
{
	synchronize_srcu(&blk_mq_tags_srcu);
	synchronize_rcu();
}

static void lock_queues(struct blk_mq_tag_set *set)
{
	struct request_queue *q;

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		mutex_lock_nest_lock(&q->sysfs_lock, &set->tag_list_lock);
}

static void unlock_queues(struct blk_mq_tag_set *set)
{
	struct request_queue *q;

	list_for_each_entry(q, &set->tag_list, tag_set_list)
		mutex_unlock(&q->sysfs_lock);
}

static int prepare_changes(struct blk_mq_tag_set *set, struct list_head *changes)
{
	struct request_queue *q;
	int ret;

	ret = add_set_changes(set, changes, false);
	list_for_each_entry(q, &set->tag_list, tag_set_list) {
		if (!ret)
			ret = add_sched_changes(q, changes);
		if (!ret && set->ops->change_placement)
			ret = set->ops->change_placement(q, BLK_MQ_PLACEMENT_PREPARE);
	}
	return ret;
}

static int change_placement(struct blk_mq_tag_set *set, unsigned int flag)
{
	unsigned int flags = set->flags, noio;
	LIST_HEAD(changes);
	bool differs;
	int ret;

	/*
	 * Nothing is frozen by us yet, but who waits for our locks may have. Who
	 * sees the new flag without one of the locks sees it under one once more.
	 */
	noio = memalloc_noio_save();
	WRITE_ONCE(set->flags, (flags & ~BLK_MQ_F_TAG_SPREAD) | flag);
	ret = prepare_changes(set, &changes);
	if (ret)
		WRITE_ONCE(set->flags, flags);
	differs = !list_empty(&changes) || set->flags != flags;
	if (!ret && differs)
		exchange_live_tags(set, &changes);
	memalloc_noio_restore(noio);

	if (differs)
		wait_for_users();
	free_changes(set, &changes);
	return ret;
}

/**
 * blk_mq_update_tag_owners() - Give the tags of a set to other nodes after its
 * hardware queues were mapped anew.
 * @set: Tag set.
 *
 * Without memory for that the tags keep their owners: they are found from every
 * CPU all the same.
 *
 * Context: All queues of the set are frozen and have no elevator, tag_list_lock
 * is held. May sleep.
 */
void blk_mq_update_tag_owners(struct blk_mq_tag_set *set)
{
	const unsigned int both = BLK_MQ_F_TAG_REPLACE | BLK_MQ_F_TAG_SPREAD;
	unsigned int noio;
	LIST_HEAD(changes);

	if ((set->flags & both) != both)
		return;

	/* A write of nr_requests waits for the queue, but doesn't mind the freeze. */
	lock_queues(set);
	noio = memalloc_noio_save();
	if (!add_set_changes(set, &changes, true) && !list_empty(&changes)) {
		exchange_tags(set, &changes);
		wait_for_users();
	}
	free_changes(set, &changes);
	memalloc_noio_restore(noio);
	unlock_queues(set);
}

/**
 * blk_mq_spread_tags() - Change the placement of tags that may be in use.
 * @set: Tag set, with queues or without.
 * @spread: The new placement is spread, else flat.
 *
 * Context: Without locks: takes those of the whole tag set. May sleep, until all
 * I/O of the set has ended.
 * Return: 0, -EOPNOTSUPP if the tags can't be replaced or spread would be the same
 * as flat, -ENOMEM if there is no memory for it, with everything as it was before.
 */
int blk_mq_spread_tags(struct blk_mq_tag_set *set, bool spread)
{
	int ret = -EOPNOTSUPP;

	if (!(set->flags & BLK_MQ_F_TAG_REPLACE))
		return ret;

	mutex_lock(&set->tag_list_lock);
	lock_queues(set);
	if (!spread || blk_mq_can_spread(set))
		ret = change_placement(set, spread ? BLK_MQ_F_TAG_SPREAD : 0);
	unlock_queues(set);
	mutex_unlock(&set->tag_list_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(blk_mq_spread_tags);

static bool offers_spread(struct request_queue *q)
{
	return q->tag_set->flags & BLK_MQ_F_TAG_REPLACE &&
	       blk_mq_can_spread(q->tag_set);
}

/**
 * queue_tag_placement_show() - Read /sys/block/DISK/queue/tag_placement.
 * @disk: Disk.
 * @page: Receives what is in force, in brackets, and what could be.
 *
 * A reference to the queue keeps out who remaps hardware queues, without
 * sysfs_lock, and frees tags.
 *
 * Context: Holds sysfs_lock of the queue.
 * Return: Number of characters, or -EBUSY while the queue is frozen.
 */
ssize_t queue_tag_placement_show(struct gendisk *disk, char *page)
{
	struct request_queue *q = disk->queue;
	bool spread, can;

	if (!queue_is_mq(q))
		return sysfs_emit(page, "none\n");

	if (!percpu_ref_tryget(&q->q_usage_counter))
		return -EBUSY;
	spread = blk_mq_is_spread(q);
	can = offers_spread(q);
	percpu_ref_put(&q->q_usage_counter);

	if (spread && can)
		return sysfs_emit(page, "flat [spread]\n");
	if (spread)
		return sysfs_emit(page, "[spread]\n");
	return sysfs_emit(page, can ? "[flat] spread\n" : "[flat]\n");
}

static bool is_in_force(struct request_queue *q, int placement)
{
	bool spread;

	if (!percpu_ref_tryget(&q->q_usage_counter))
		return false;
	spread = blk_mq_is_spread(q);
	percpu_ref_put(&q->q_usage_counter);
	return spread == (placement == BLK_MQ_TAGS_SPREAD);
}

/**
 * queue_tag_placement_store() - Write /sys/block/DISK/queue/tag_placement.
 * @disk: Disk.
 * @page: "flat" or "spread".
 * @count: Number of characters.
 *
 * Context: Without locks: takes those of the whole tag set. May sleep.
 * Return: @count, -EINVAL for another word, -EOPNOTSUPP if the driver's tags can't
 * be replaced or the other placement would be the same, -ENOMEM if there is no
 * memory for it, with everything as it was before.
 */
ssize_t queue_tag_placement_store(struct gendisk *disk, const char *page,
				  size_t count)
{
	struct request_queue *q = disk->queue;
	struct blk_mq_tag_set *set = q->tag_set;
	int placement;

	if (!queue_is_mq(q))
		return -EOPNOTSUPP;
	placement = blk_mq_match_placement(page);
	if (placement < 0) {
		pr_warn_ratelimited("%s: tag_placement: invalid value '%.*s', valid are: flat, spread\n",
				    disk->disk_name, (int)strcspn(page, "\n"), page);
		return placement;
	}

	/* Such drivers may need the locks of the set to let I/O go on. */
	if (!(set->flags & BLK_MQ_F_TAG_REPLACE))
		return is_in_force(q, placement) ? count : -EOPNOTSUPP;

	return blk_mq_spread_tags(set, placement == BLK_MQ_TAGS_SPREAD) ?: count;
}
