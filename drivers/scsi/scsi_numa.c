// SPDX-License-Identifier: GPL-2.0-only
/*
 * The NUMA node of a SCSI host and the placement of its tags, in sysfs
 */
#include <linux/blk-mq-placement.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/sbitmap.h>
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

	return sysfs_emit(buf, "%s\n", spread ? "spread" : "flat");
}
static DEVICE_ATTR_RO(tag_placement);

static struct attribute *numa_attrs[] = {
	&dev_attr_numa_node.attr,
	&dev_attr_tag_placement.attr,
	NULL
};

const struct attribute_group scsi_shost_numa_group = {
	.attrs = numa_attrs,
};
