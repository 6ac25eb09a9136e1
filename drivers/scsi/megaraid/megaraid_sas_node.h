/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which command of the fusion interface belongs to which tag
 *
 * The firmware finds a command by its SMID, which is one more than its index in
 * the driver's list:
 *
 *	0 ..		commands of the mid-layer, the index is the tag
 *	scsi_cmds ..	those that carry an MFI command, of the driver or an ioctl
 *	fw_cmds ..	on newer controllers the same once more: a write to a RAID 1
 *			volume that bypasses the firmware takes a second command, the
 *			peer of the first. Those of MFI commands are never used.
 *
 * The numbers are of 16 bits in the driver and in its registers, and so are
 * those that are derived here, wrapping included: what comes out is what the
 * driver always had.
 */
#ifndef MEGARAID_SAS_NODE_H
#define MEGARAID_SAS_NODE_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

struct Scsi_Host;

#define MEGASAS_NO_CMD	U32_MAX

/**
 * struct megasas_cmd_layout - The list of commands.
 * @fw_cmds: What the firmware can have without peers.
 * @scsi_cmds: Of these, those of the mid-layer.
 * @mpt_cmds: All of them.
 */
struct megasas_cmd_layout {
	u16 fw_cmds;
	u16 scsi_cmds;
	u16 mpt_cmds;
};

/**
 * megasas_usable_cmds() - How many commands may the driver use?
 * @reported: What the firmware says it can have.
 * @limit: What the driver wants at most.
 *
 * One is left: the reply queue has an entry more than there are commands.
 *
 * Return: Their number.
 */
static inline u16 megasas_usable_cmds(u16 reported, u16 limit)
{
	return min(reported, limit) - 1;
}

/**
 * megasas_make_layout() - Lay out the list.
 * @fw_cmds: From megasas_usable_cmds().
 * @mfi_cmds: Number of MFI commands.
 * @peers: Does the controller have peers?
 *
 * Return: The layout.
 */
static inline struct megasas_cmd_layout
megasas_make_layout(u16 fw_cmds, u16 mfi_cmds, bool peers)
{
	return (struct megasas_cmd_layout) {
		.fw_cmds = fw_cmds,
		.scsi_cmds = fw_cmds - mfi_cmds,
		.mpt_cmds = peers ? 2 * fw_cmds : fw_cmds,
	};
}

/* The MFI command that a command carries, or MEGASAS_NO_CMD. */
static inline u32 megasas_index_mfi(const struct megasas_cmd_layout *l, u32 index)
{
	if (index < l->scsi_cmds || index >= l->fw_cmds)
		return MEGASAS_NO_CMD;
	return index - l->scsi_cmds;
}

/* The index of the second command of a tag. */
static inline u32 megasas_peer_index(const struct megasas_cmd_layout *l, u32 tag)
{
	return l->fw_cmds + tag;
}

/* The tag whose first or second command it is, or MEGASAS_NO_CMD. */
static inline u32 megasas_index_tag(const struct megasas_cmd_layout *l, u32 index)
{
	if (index >= l->fw_cmds)
		index -= l->fw_cmds;
	return index < l->scsi_cmds ? index : MEGASAS_NO_CMD;
}

void megasas_tags_placed(struct Scsi_Host *host);

#endif /* MEGARAID_SAS_NODE_H */
