// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of the fusion interface on the nodes that their tags are used on
 *
 * What follows the owner of a tag is struct megasas_cmd_fusion, of the tag's
 * command and of its peer: the driver writes it, and nobody else sees it.
 *
 * What the controller reads and writes can't follow. Request frames are one piece
 * of memory for all commands, and so are sense buffers: the firmware finds them
 * by index, and they must not cross 4 GiB. Chain frames are apiece, but from a
 * pool of the DMA layer, which takes memory near to the device. All that the CPU
 * writes there has to get to the device anyway.
 *
 * Tags that are placed anew while the host runs don't take the commands along:
 * that is for the user who chooses a placement when the driver is loaded.
 */
#include <linux/cleanup.h>
#include <linux/compat.h>
#include <linux/irq_poll.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>

#include "megaraid_sas_fusion.h"
#include "megaraid_sas.h"
#include "megaraid_sas_node.h"

/* Without memory there it stays where it is. */
static void move_cmd(struct megasas_cmd_fusion **slot, int node)
{
	struct megasas_cmd_fusion *cmd;

	if (node == NUMA_NO_NODE || page_to_nid(virt_to_page(*slot)) == node)
		return;
	cmd = kmalloc_node(sizeof(*cmd), GFP_KERNEL | __GFP_NOWARN, node);
	if (!cmd)
		return;
	*cmd = **slot;
	kfree(*slot);
	*slot = cmd;
}

/**
 * megasas_tags_placed() - Let commands be where their tags are.
 * @host: Host with its tags, none of which is in use.
 *
 * A reset of the controller, which looks at all commands, may be going on. The
 * commands that carry MFI commands may be in flight, they aren't touched.
 *
 * Context: May sleep.
 */
void megasas_tags_placed(struct Scsi_Host *host)
{
	struct megasas_instance *instance = shost_priv(host);
	struct fusion_context *fusion = instance->ctrl_context;
	struct megasas_cmd_layout l;
	u32 i, tag;

	if (!fusion || host->tag_placement == BLK_MQ_TAGS_FLAT)
		return;
	l = megasas_layout(instance);
	guard(mutex)(&instance->reset_mutex);
	for (i = 0; i < l.mpt_cmds; i++) {
		tag = megasas_index_tag(&l, i);
		if (tag != MEGASAS_NO_CMD)
			move_cmd(&fusion->cmd_list[i], scsi_tag_node(host, tag));
	}
}
