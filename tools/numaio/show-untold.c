// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel doesn't tell, and why: so that "-" isn't taken for an answer.
 */
#include <string.h>

#include "show-parts.h"

#define UNPATCHED	": a kernel without the series"

static bool any_null(const json_t *list, const char *key)
{
	const json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		if (json_is_null(json_object_get(j, key)))
			return true;
	return false;
}

static bool any_queue_null(const json_t *doc, const char *key)
{
	const json_t *disk;
	size_t i;

	json_array_foreach(json_object_get(doc, "disks"), i, disk)
		if (any_null(json_object_get(disk, "queues"), key))
			return true;
	return false;
}

/* Disks without hardware queues have no tags; and the file may be there but not be read. */
static bool any_without(const json_t *doc, const char *attribute)
{
	const json_t *disk;
	size_t i;

	json_array_foreach(json_object_get(doc, "disks"), i, disk)
		if (json_array_size(json_object_get(disk, "queues")) &&
		    json_is_null(json_object_get(disk, attribute)) &&
		    !sys_failed("/sys/block/%s/queue/%s", json_text(disk, "name"), attribute))
			return true;
	return false;
}

static bool any_workqueue_without_items(const json_t *doc)
{
	const json_t *session, *wq;
	size_t i;

	json_array_foreach(json_object_get(doc, "sessions"), i, session) {
		const char *name = json_text(session, "workqueue");

		wq = name ? json_find(json_object_get(doc, "workqueues"), name) : NULL;
		if (!wq || json_is_null(json_object_get(wq, "items")))
			return true;
	}
	return false;
}

static void untold(json_t *doc, const char *what, const char *why)
{
	json_array_append_new(json_object_get(doc, "not_told"),
			      json_pack("{s:s, s:s}", "what", what, "why", why));
}

/* Why debugfs doesn't tell. */
static const char *debugfs_why(const json_t *doc, const char *why)
{
	const char *state = json_text(doc, "debugfs");

	if (state && !strcmp(state, "denied"))
		return "/sys/kernel/debug may be read by root only";
	if (state && !strcmp(state, "absent"))
		return "debugfs isn't mounted in /sys/kernel/debug";
	return why;
}

static void of_disks(json_t *doc)
{
	if (any_without(doc, "tag_placement"))
		untold(doc, "placement of tags", "no queue/tag_placement" UNPATCHED);
	if (any_without(doc, "queue_affinity"))
		untold(doc, "CPUs that issue requests",
		       "no queue/queue_affinity" UNPATCHED ", or without its last patch");
	if (any_queue_null(doc, "node"))
		untold(doc, "node of hardware queues", "no mq/N/numa_node" UNPATCHED);
	if (any_queue_null(doc, "maps"))
		untold(doc, "nodes of tags and requests",
		       debugfs_why(doc, "no tag_nodes in debugfs" UNPATCHED));
}

static void of_hosts(json_t *doc)
{
	if (any_null(json_object_get(doc, "hosts"), "node"))
		untold(doc, "node of SCSI hosts", "no scsi_host/hostN/numa_node" UNPATCHED);
	if (any_null(json_object_get(doc, "sessions"), "tasks"))
		untold(doc, "nodes of iSCSI tasks",
		       debugfs_why(doc, "no iscsi/sessionN/task_nodes in debugfs" UNPATCHED));
	if (any_workqueue_without_items(doc))
		untold(doc, "nodes on which sessions' work was executed",
		       debugfs_why(doc, "not in workqueue_affine in debugfs" UNPATCHED));
}

static void of_the_rest(json_t *doc)
{
	if (any_null(json_object_get(doc, "interrupts"), "managed"))
		untold(doc, "whether interrupts are managed by the kernel",
		       debugfs_why(doc, "no irq/irqs in debugfs: a kernel without "
				   "CONFIG_GENERIC_IRQ_DEBUGFS"));
	if (json_is_null(json_object_get(json_object_get(doc, "irqbalance"), "running")))
		untold(doc, "whether irqbalance is running", "/proc hides processes of others");
}

void untold_add(json_t *doc)
{
	if (!json_array_size(json_object_get(doc, "nodes")))
		untold(doc, "nodes",
		       "no /sys/devices/system/node: a kernel without CONFIG_NUMA");
	of_disks(doc);
	of_hosts(doc);
	of_the_rest(doc);
}
