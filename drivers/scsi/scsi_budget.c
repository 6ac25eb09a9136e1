// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of the bitmap that holds the budget of a SCSI device
 *
 * Every command takes a bit of it, so where tags of the host are spread over
 * nodes it is spread as well, and follows when the user changes that.
 */
#include <linux/blk-mq-placement.h>
#include <linux/blkdev.h>
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sbitmap.h>
#include <linux/spinlock.h>

#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

#include "scsi_priv.h"

/* Nests in a freeze of the device's queue. */
static DEFINE_MUTEX(budget_mutex);
/* Keeps a change of depth out while the map is replaced. */
static DEFINE_SPINLOCK(budget_lock);

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
	struct sbitmap new = {}, old;
	int ret;

	guard(mutex)(&budget_mutex);
	ret = init_map(sdev, &new, depth, shift);
	if (ret)
		return ret;
	old = sdev->budget_map;
	sdev->budget_map = new;
	if (old.map)
		sbitmap_free(&old);
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
	guard(spinlock_irqsave)(&budget_lock);
	/* Who replaces the map does it when the new one is there. */
	if (sdev->budget_map.map_nr)
		sbitmap_resize(&sdev->budget_map, sdev->queue_depth);
}

/*
 * Nobody has a budget while the queue is frozen, but somebody may be counting
 * how many do: let them see no words at all while these are exchanged.
 */
static void replace_map(struct scsi_device *sdev, struct sbitmap new)
{
	unsigned int map_nr = new.map_nr;

	scoped_guard(spinlock_irq, &budget_lock)
		WRITE_ONCE(sdev->budget_map.map_nr, 0);
	synchronize_rcu();
	new.map_nr = 0;
	sdev->budget_map = new;

	guard(spinlock_irq)(&budget_lock);
	smp_store_release(&sdev->budget_map.map_nr, map_nr);
	sbitmap_resize(&sdev->budget_map, sdev->queue_depth);
}

/**
 * scsi_placement_changed() - Let the budget map follow the placement of tags.
 * @q: Queue of a SCSI device.
 *
 * Without memory for it the map stays as it is.
 *
 * Context: The queue is frozen and quiesced. May sleep.
 */
void scsi_placement_changed(struct request_queue *q)
{
	struct scsi_device *sdev = q->queuedata;
	struct sbitmap new = {}, old;

	guard(mutex)(&budget_mutex);
	if (!sdev->budget_map.map ||
	    init_map(sdev, &new, sdev->queue_depth,
		     sbitmap_calculate_shift(sdev->queue_depth)))
		return;
	old = sdev->budget_map;
	replace_map(sdev, new);
	sbitmap_free(&old);
}
