// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupts of a device: where they may be served, and where they are.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-irq.h"
#include "show-parts.h"

static json_t *msi_irqs(const char *device)
{
	json_t *list = json_array();
	struct sys_names names;

	sys_list(&names, "%s/msi_irqs", device);
	for (size_t i = 0; i < names.nr; i++) {
		/* "msix"; read, so that a capture has it. */
		free(sys_read("%s/msi_irqs/%s", device, names.name[i]));
		json_array_append_new(list, json_string(names.name[i]));
	}
	sys_names_free(&names);
	return list;
}

/**
 * irqs_of_device() - The interrupts of a device, or of the nearest one above that has any.
 * @device: Path in /sys/devices, without links; may be NULL.
 *
 * Return: Their numbers, as strings.
 */
json_t *irqs_of_device(const char *device)
{
	char path[PATH_MAX];
	long long irq;
	json_t *list;

	if (!device || snprintf(path, sizeof(path), "%s", device) >= (int)sizeof(path))
		return json_array();
	for (; strlen(path) > strlen("/sys/devices/"); *strrchr(path, '/') = 0) {
		list = msi_irqs(path);
		if (json_array_size(list))
			return list;
		/* A PCI device that has none has the file all the same. */
		if (sys_read_int(&irq, "%s/irq", path)) {
			if (irq > 0)
				json_array_append_new(list, json_sprintf("%lld", irq));
			return list;
		}
		json_decref(list);
	}
	return json_array();
}

/* No file tells it but this one, of kernels that have CONFIG_GENERIC_IRQ_DEBUGFS. */
static json_t *is_managed(const char *irq, bool debugfs)
{
	char *text = debugfs ? sys_read("/sys/kernel/debug/irq/irqs/%s", irq) : NULL;
	json_t *j;

	if (!text)
		return json_null();
	j = json_boolean(strstr(text, "IRQD_AFFINITY_MANAGED"));
	free(text);
	return j;
}

/* The node that serves most of an interrupt; null if there was none yet. */
static json_t *served_by(const unsigned long long *sums)
{
	int most = 0;

	for (int node = 1; node < CPUS_MAX; node++)
		if (sums[node] > sums[most])
			most = node;
	return sums[most] ? json_integer(most) : json_null();
}

static json_t *irq_json(const struct irq_table *t, const char *number, bool debugfs)
{
	static unsigned long long sums[CPUS_MAX];
	const struct irq_line *line = irq_table_find(t, number);
	json_t *irq;

	irq = json_pack("{s:s, s:o, s:[], s:o, s:o, s:o, s:o}",
		"irq", number,
		"name", json_take(line ? strdup(irq_action(line->rest)) : NULL),
		"of",
		"node", json_int_file("/proc/irq/%s/node", number),
		"affinity", json_file("/proc/irq/%s/smp_affinity_list", number),
		"effective", json_file("/proc/irq/%s/effective_affinity_list", number),
		"managed", is_managed(number, debugfs));
	if (line)
		irq_per_node(t, line, sums);
	json_object_set_new(irq, "served_by", line ? served_by(sums) : json_null());
	json_object_set_new(irq, "per_node", line ? json_per_node(nodes_online(), sums) :
						    json_null());
	return irq;
}

/**
 * irqs_json() - Interrupts.
 * @numbers: Their numbers, as strings.
 * @debugfs: Is debugfs to be read?
 *
 * Return: Array of objects; "of" is empty in them.
 */
json_t *irqs_json(const json_t *numbers, bool debugfs)
{
	json_t *list = json_array(), *number;
	struct irq_table t;
	size_t i;

	irq_table_read(&t, "/proc/interrupts");
	json_array_foreach(numbers, i, number)
		json_array_append_new(list, irq_json(&t, json_string_value(number), debugfs));
	irq_table_free(&t);
	return list;
}
