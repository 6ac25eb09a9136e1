// SPDX-License-Identifier: GPL-2.0-only
/*
 * The NUMA node of a SCSI host and the placement of its tags, in sysfs
 */
#include <linux/blk-mq-placement.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sbitmap.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <scsi/scsi_host.h>

#include "scsi_priv.h"

static ssize_t numa_node_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	struct Scsi_Host *shost = class_to_shost(dev);

	return sysfs_emit(buf, "%d\n", shost->tag_set.numa_node);
}
static DEVICE_ATTR_RO(numa_node);

static const char *const placements[] = {
	[BLK_MQ_TAGS_FLAT]	= "flat",
	[BLK_MQ_TAGS_SPREAD]	= "spread",
};

/* tag_list_lock keeps tags from being replaced. */
static bool host_is_spread(struct Scsi_Host *shost)
{
	struct blk_mq_tag_set *set = &shost->tag_set;
	bool spread = false;
	unsigned int i;

	mutex_lock(&set->tag_list_lock);
	for (i = 0; i < set->nr_hw_queues && !spread; i++)
		spread = set->tags[i] &&
			 sbitmap_is_spread(&set->tags[i]->bitmap_tags.sb);
	mutex_unlock(&set->tag_list_lock);
	return spread;
}

static ssize_t tag_placement_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	struct Scsi_Host *shost = class_to_shost(dev);
	bool spread;

	/* The tags of a host that is being removed may be gone. */
	if (!kref_get_unless_zero(&shost->tagset_refcnt))
		return -ENODEV;
	spread = host_is_spread(shost);
	kref_put(&shost->tagset_refcnt, scsi_mq_free_tags);

	return sysfs_emit(buf, "%s\n", placements[spread]);
}

/* As queue/tag_placement of a disk, but it takes no disk. */
static ssize_t tag_placement_store(struct device *dev,
				   struct device_attribute *attr,
				   const char *buf, size_t count)
{
	struct Scsi_Host *shost = class_to_shost(dev);
	int placement = sysfs_match_string(placements, buf), ret;

	if (placement < 0) {
		pr_warn_ratelimited("host%u: tag_placement: invalid value '%.*s', valid are: flat, spread\n",
				    shost->host_no, (int)strcspn(buf, "\n"), buf);
		return placement;
	}
	if (!kref_get_unless_zero(&shost->tagset_refcnt))
		return -ENODEV;
	ret = blk_mq_spread_tags(&shost->tag_set, placement == BLK_MQ_TAGS_SPREAD);
	if (ret == -EOPNOTSUPP && placement == host_is_spread(shost))
		ret = 0;
	kref_put(&shost->tagset_refcnt, scsi_mq_free_tags);

	return ret ?: count;
}
static DEVICE_ATTR_RW(tag_placement);

static struct attribute *numa_attrs[] = {
	&dev_attr_numa_node.attr,
	&dev_attr_tag_placement.attr,
	NULL
};

const struct attribute_group scsi_shost_numa_group = {
	.attrs = numa_attrs,
};
