// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a driver shall have what it keeps for each tag of a host
 */
#include <linux/blk-mq.h>
#include <linux/export.h>
#include <linux/numa.h>
#include <linux/sbitmap.h>

#include <scsi/scsi_host.h>

/* With hardware queues that have tags of their own a tag isn't one of the host. */
static const struct blk_mq_tags *host_tags(const struct Scsi_Host *shost)
{
	const struct blk_mq_tag_set *set = &shost->tag_set;

	if (set->nr_hw_queues > 1 && !(set->flags & BLK_MQ_F_TAG_HCTX_SHARED))
		return NULL;
	return set->tags[0];
}

/**
 * scsi_tag_node() - Which node is a tag used on?
 * @shost: Host whose tags are there, see &scsi_host_template.tags_placed.
 * @tag: Tag of a command of the host, as in &request.tag, below can_queue.
 *
 * Context: Tags must not be replaced meanwhile.
 * Return: The tag's owner where tags are spread, else the node that was chosen
 * for the host, which may be NUMA_NO_NODE.
 */
int scsi_tag_node(const struct Scsi_Host *shost, unsigned int tag)
{
	const struct blk_mq_tags *tags = host_tags(shost);

	if (!tags || tag < tags->nr_reserved_tags || tag >= tags->nr_tags ||
	    !sbitmap_is_spread(&tags->bitmap_tags.sb))
		return shost->numa_node;
	return sbitmap_bit_node(&tags->bitmap_tags.sb,
				tag - tags->nr_reserved_tags);
}
EXPORT_SYMBOL_GPL(scsi_tag_node);
