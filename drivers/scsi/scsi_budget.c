// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of the bitmap that holds the budget of a SCSI device
 *
 * Every command takes a bit of it, so where tags of the host are spread over
 * nodes it is spread as well, and follows when the user changes that.
 */
#include <linux/blk-mq-placement.h>
#include <linux/blkdev.h>
#include <linux/rcupdate.h>
#include <linux/sbitmap.h>
#include <linux/seqlock.h>
#include <linux/slab.h>

#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

#include "scsi_priv.h"

/* Maps are exchanged and resized under it; readers take a copy. */
static DEFINE_SEQLOCK(budget_lock);

static int init_map(struct scsi_device *sdev, struct sbitmap *sb,
		    unsigned int depth, int shift)
{
	struct sbitmap_owners owners = { .min_depth = depth };
	unsigned int max = scsi_device_max_queue_depth(sdev);
	int node = sdev->request_queue->node, ret = -ENOMEM;

	if (blk_mq_tag_set_owners(&sdev->host->tag_set, &owners.nodes))
		ret = sbitmap_init_spread(sb, max, -1, GFP_NOIO | __GFP_NOWARN,
					  node, false, &owners);
	if (ret)
		ret = sbitmap_init_node(sb, max, shift, GFP_NOIO, node, false,
					true);
	if (!ret)
		sbitmap_resize(sb, depth);
	return ret;
}

/* The depth may have changed while a map was made for it. */
static void exchange_map(struct scsi_device *sdev, struct sbitmap *map)
{
	struct sbitmap old;
	unsigned long flags;

	write_seqlock_irqsave(&budget_lock, flags);
	old = sdev->budget_map;
	sdev->budget_map = *map;
	if (sdev->queue_depth)
		sbitmap_resize(&sdev->budget_map, sdev->queue_depth);
	write_sequnlock_irqrestore(&budget_lock, flags);
	*map = old;
}

/**
 * scsi_budget_map_fits() - Is a budget map as it would be made anew?
 * @sdev: SCSI device.
 * @shift: log2 of bits per word in the flat layout.
 *
 * Return: false also if it takes a new map to know.
 */
bool scsi_budget_map_fits(const struct scsi_device *sdev, int shift)
{
	return !sbitmap_is_spread(&sdev->budget_map) &&
	       sdev->budget_map.shift == shift;
}

/**
 * scsi_init_budget_map() - Set up the budget map of a SCSI device.
 * @sdev: SCSI device.
 * @depth: Usual depth of its queue, up to scsi_device_max_queue_depth().
 * @shift: log2 of bits per word in the flat layout.
 *
 * Context: The queue is frozen if there was a map before. May sleep.
 * Return: Zero, or -ENOMEM with the map as it was.
 */
int scsi_init_budget_map(struct scsi_device *sdev, unsigned int depth, int shift)
{
	struct sbitmap map = {};
	int ret;

	ret = init_map(sdev, &map, depth, shift);
	if (ret)
		return ret;
	exchange_map(sdev, &map);
	/* Nobody counts commands of a device that is being set up. */
	if (map.map)
		sbitmap_free(&map);
	return 0;
}

/**
 * scsi_resize_budget_map() - Let a budget map follow the depth of the queue.
 * @sdev: SCSI device, with the new queue_depth.
 *
 * Context: Any.
 */
void scsi_resize_budget_map(struct scsi_device *sdev)
{
	unsigned long flags;

	read_seqlock_excl_irqsave(&budget_lock, flags);
	sbitmap_resize(&sdev->budget_map, sdev->queue_depth);
	read_sequnlock_excl_irqrestore(&budget_lock, flags);
}

/**
 * scsi_device_busy() - How many commands of a SCSI device are in flight?
 * @sdev: SCSI device.
 *
 * The map may be exchanged meanwhile; the old one is there for a grace period.
 *
 * Context: Any.
 * Return: Their number.
 */
int scsi_device_busy(struct scsi_device *sdev)
{
	struct sbitmap map;
	unsigned int seq;
	int busy;

	rcu_read_lock();
	do {
		seq = read_seqbegin(&budget_lock);
		map = sdev->budget_map;
	} while (read_seqretry(&budget_lock, seq));
	busy = sbitmap_weight(&map);
	rcu_read_unlock();
	return busy;
}
EXPORT_SYMBOL_GPL(scsi_device_busy);

static int prepare(struct scsi_device *sdev)
{
	struct sbitmap *new;

	/* One that isn't there yet will be made for the new placement. */
	if (!sdev->budget_map.map)
		return 0;
	new = kzalloc(sizeof(*new), GFP_NOIO);
	if (!new)
		return -ENOMEM;
	if (init_map(sdev, new, sdev->queue_depth,
		     sbitmap_calculate_shift(sdev->queue_depth))) {
		kfree(new);
		return -ENOMEM;
	}
	sdev->next_budget_map = new;
	return 0;
}

/* Nobody has a budget while the queue is frozen. */
static void commit(struct scsi_device *sdev)
{
	if (sdev->next_budget_map)
		exchange_map(sdev, sdev->next_budget_map);
}

static void finish(struct scsi_device *sdev)
{
	if (!sdev->next_budget_map)
		return;
	sbitmap_free(sdev->next_budget_map);
	kfree(sdev->next_budget_map);
	sdev->next_budget_map = NULL;
}

/**
 * scsi_change_placement() - Let the budget map follow the placement of tags.
 * @q: Queue of a SCSI device.
 * @step: See &enum blk_mq_placement_step.
 *
 * Context: As given for the step.
 * Return: Zero, or -ENOMEM.
 */
int scsi_change_placement(struct request_queue *q, enum blk_mq_placement_step step)
{
	struct scsi_device *sdev = q->queuedata;

	switch (step) {
	case BLK_MQ_PLACEMENT_PREPARE:
		return prepare(sdev);
	case BLK_MQ_PLACEMENT_COMMIT:
		commit(sdev);
		break;
	case BLK_MQ_PLACEMENT_FINISH:
		finish(sdev);
		break;
	}
	return 0;
}
