// SPDX-License-Identifier: GPL-2.0-only
/*
 * A SCSI host.
 */
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

#define HOSTS	"/sys/class/scsi_host"

/* The host that a device is below of, NULL if there is none; the caller frees it. */
char *host_of_path(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/host")); at++) {
		size_t digits = strspn(at + 5, "0123456789");

		if (digits && (!at[5 + digits] || at[5 + digits] == '/'))
			return strndup(at + 1, 4 + digits);
	}
	return NULL;
}

/* "[submitter] softirq" */
static json_t *work_cpu(const char *name)
{
	char *text = sys_read(HOSTS "/%s/work_cpu", name), *from, *to;
	json_t *j = NULL;

	from = text ? strchr(text, '[') : NULL;
	to = from ? strchr(from, ']') : NULL;
	if (to)
		j = json_stringn(from + 1, to - from - 1);
	free(text);
	return j ? j : json_null();
}

/**
 * host_json() - A SCSI host.
 * @name: As in /sys/class/scsi_host/.
 *
 * Return: Object without its disks, NULL if there is no such host.
 */
json_t *host_json(const char *name)
{
	char *device = sys_real(HOSTS "/%s/device", name);
	json_t *host;

	if (!device)
		return NULL;
	host = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:[], s:o}",
		"name", name,
		"device", device,
		"driver", json_file(HOSTS "/%s/proc_name", name),
		"device_node", nodes_of_device(device),
		"node", json_int_file(HOSTS "/%s/numa_node", name),
		"tag_placement", json_file(HOSTS "/%s/tag_placement", name),
		"work_cpu", work_cpu(name),
		"can_queue", json_int_file(HOSTS "/%s/can_queue", name),
		"nr_hw_queues", json_int_file(HOSTS "/%s/nr_hw_queues", name),
		"disks",
		"interrupts", irqs_of_device(device));
	free(device);
	return host;
}
