// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests only: on which nodes is the memory of SCSI hosts?
 *
 * Each line of debugfs' scsi_numa_test is: number of the host, what, node, how
 * many. The page of each object is asked; a parameter or a field that names a
 * node isn't. "stray-..." counts what isn't on the node that owns its tag.
 */
#include <linux/blk-mq.h>
#include <linux/compat.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/irq_poll.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/sbitmap.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>
#include <scsi/scsi_transport.h>

#include "megaraid/megaraid_sas_fusion.h"
#include "megaraid/megaraid_sas.h"

#define MAX_HOSTS 64

enum object {
	HOST, HOSTDATA, TRANSPORT, TARGET, DEVICE, DEVDATA, BUDGET, SCSI_DISK, GENDISK,
	QUEUE, HCTX, TAGS, COMMAND, SENSE, PRIV, SCHED, MFI, MFI_LIST,
	STRAY_COMMAND, STRAY_SENSE, STRAY_PRIV, NR_OBJECTS
};

static const char *const names[NR_OBJECTS] = {
	[HOST] = "host", [HOSTDATA] = "hostdata", [TRANSPORT] = "transport",
	[TARGET] = "target", [DEVICE] = "device", [DEVDATA] = "devdata",
	[BUDGET] = "budget", [SCSI_DISK] = "scsi_disk", [GENDISK] = "gendisk",
	[QUEUE] = "queue", [HCTX] = "hctx", [TAGS] = "tags", [COMMAND] = "command",
	[SENSE] = "sense", [PRIV] = "priv", [SCHED] = "sched_command",
	[MFI] = "mfi_command", [MFI_LIST] = "mfi_list",
	[STRAY_COMMAND] = "stray-command", [STRAY_SENSE] = "stray-sense",
	[STRAY_PRIV] = "stray-priv",
};

static int node_of(const void *p)
{
	return page_to_nid(is_vmalloc_addr(p) ? vmalloc_to_page(p) : virt_to_page(p));
}

static unsigned int *entry(unsigned int *counts, enum object o, int node)
{
	return &counts[o * nr_node_ids + node];
}

static int count(unsigned int *counts, enum object o, const void *p)
{
	int node;

	if (!p)
		return NUMA_NO_NODE;
	node = node_of(p);
	(*entry(counts, o, node))++;
	return node;
}

static void count_command(struct Scsi_Host *shost, unsigned int *counts,
			  struct request *rq, int owner)
{
	struct scsi_cmnd *cmd = blk_mq_rq_to_pdu(rq);
	int node;

	node = count(counts, COMMAND, cmd);
	if (owner != NUMA_NO_NODE && node != owner)
		(*entry(counts, STRAY_COMMAND, node))++;
	node = count(counts, SENSE, cmd->sense_buffer);
	if (owner != NUMA_NO_NODE && node != owner)
		(*entry(counts, STRAY_SENSE, node))++;
	if (!shost->hostt->cmd_size)
		return;
	node = count(counts, PRIV, scsi_cmd_priv(cmd) + shost->hostt->cmd_size - 1);
	if (owner != NUMA_NO_NODE && node != owner)
		(*entry(counts, STRAY_PRIV, node))++;
}

static void count_tags(struct Scsi_Host *shost, unsigned int *counts,
		       const struct blk_mq_tags *tags)
{
	const struct sbitmap *sb = &tags->bitmap_tags.sb;
	unsigned int tag;

	count(counts, TAGS, tags);
	for (tag = 0; tag < tags->nr_tags; tag++) {
		int owner = NUMA_NO_NODE;

		if (sbitmap_is_spread(sb) && tag >= tags->nr_reserved_tags)
			owner = sbitmap_bit_node(sb, tag - tags->nr_reserved_tags);
		if (tags->static_rqs[tag])
			count_command(shost, counts, tags->static_rqs[tag], owner);
	}
}

static void count_device(struct scsi_device *sdev, unsigned int *counts)
{
	struct request_queue *q = sdev->request_queue;
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;
	unsigned int tag;

	count(counts, DEVICE, sdev);
	count(counts, DEVDATA, sdev->hostdata);
	count(counts, BUDGET, sdev->budget_map.map);
	count(counts, TARGET, scsi_target(sdev));
	count(counts, SCSI_DISK, dev_get_drvdata(&sdev->sdev_gendev));
	count(counts, QUEUE, q);
	count(counts, GENDISK, q->disk);
	mutex_lock(&q->sysfs_lock);
	queue_for_each_hw_ctx(q, hctx, i) {
		count(counts, HCTX, hctx);
		for (tag = 0; hctx->sched_tags && tag < hctx->sched_tags->nr_tags; tag++)
			count(counts, SCHED, hctx->sched_tags->static_rqs[tag]);
	}
	mutex_unlock(&q->sysfs_lock);
}

/* Driver data that isn't behind a structure of the mid-layer. */
static void count_megasas(struct Scsi_Host *shost, unsigned int *counts)
{
	struct megasas_instance *instance = shost_priv(shost);
	unsigned int i;

	count(counts, MFI_LIST, instance->cmd_list);
	for (i = 0; i < instance->max_mfi_cmds; i++)
		count(counts, MFI, instance->cmd_list[i]);
}

/* Its removal begins with scan_mutex. */
static void count_host(struct Scsi_Host *shost, unsigned int *counts)
{
	struct blk_mq_tag_set *set = &shost->tag_set;
	struct scsi_device *sdev;
	unsigned int i;

	mutex_lock(&shost->scan_mutex);
	if (shost->shost_state != SHOST_RUNNING)
		goto out;
	count(counts, HOST, shost);
	count(counts, HOSTDATA, shost->hostdata);
	count(counts, TRANSPORT, shost->shost_data);
	if (shost->hostt->proc_name && !strcmp(shost->hostt->proc_name, "megaraid_sas"))
		count_megasas(shost, counts);
	shost_for_each_device(sdev, shost)
		count_device(sdev, counts);
	mutex_lock(&set->tag_list_lock);
	for (i = 0; i < (set->flags & BLK_MQ_F_TAG_HCTX_SHARED ? 1 : set->nr_hw_queues); i++) {
		if (set->tags[i])
			count_tags(shost, counts, set->tags[i]);
	}
	mutex_unlock(&set->tag_list_lock);
out:
	mutex_unlock(&shost->scan_mutex);
}

static int nodes_show(struct seq_file *m, void *unused)
{
	unsigned int *counts, no;
	enum object o;
	int node;

	counts = kvcalloc(NR_OBJECTS * nr_node_ids, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	for (no = 0; no < MAX_HOSTS; no++) {
		struct Scsi_Host *shost = scsi_host_lookup(no);

		if (!shost)
			continue;
		memset(counts, 0, NR_OBJECTS * nr_node_ids * sizeof(*counts));
		count_host(shost, counts);
		scsi_host_put(shost);
		for (o = 0; o < NR_OBJECTS; o++) {
			for (node = 0; node < nr_node_ids; node++) {
				if (*entry(counts, o, node))
					seq_printf(m, "%u %s %d %u\n", no, names[o], node,
						   *entry(counts, o, node));
			}
		}
	}
	kvfree(counts);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nodes);

static struct dentry *file;

static int __init scsi_numa_test_init(void)
{
	file = debugfs_create_file("scsi_numa_test", 0400, NULL, NULL, &nodes_fops);
	return PTR_ERR_OR_ZERO(file);
}
module_init(scsi_numa_test_init);

static void __exit scsi_numa_test_exit(void)
{
	debugfs_remove(file);
}
module_exit(scsi_numa_test_exit);

MODULE_DESCRIPTION("Nodes of the memory of SCSI hosts, for tests");
MODULE_LICENSE("GPL");
