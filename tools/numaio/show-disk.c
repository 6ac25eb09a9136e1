// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk: its device, its queue and its hardware queues.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"
#include "show-tags.h"

/* "flat [spread]" or "[none] mq-deadline": what is in force. */
static json_t *chosen(const char *disk, const char *attribute)
{
	char *text = sys_read("/sys/block/%s/queue/%s", disk, attribute), *from, *to;
	json_t *j = NULL;

	from = text ? strchr(text, '[') : NULL;
	to = from ? strchr(from, ']') : NULL;
	if (to)
		j = json_stringn(from + 1, to - from - 1);
	else if (text)
		j = json_string(text);
	free(text);
	return j ? j : json_null();
}

/* "flat [spread]": what could be. */
static json_t *choices(const char *disk, const char *attribute)
{
	char *text = sys_read("/sys/block/%s/queue/%s", disk, attribute), *rest = text, *word;
	json_t *list;

	if (!text)
		return json_null();
	list = json_array();
	while ((word = strsep(&rest, "[] ")))
		if (*word)
			json_array_append_new(list, json_string(word));
	free(text);
	return list;
}

static json_t *queue_json(const char *disk, const char *number)
{
	char *text = sys_read("/sys/block/%s/mq/%s/cpu_list", disk, number);
	struct cpus cpus;
	bool parsed = text && !cpus_parse_list(&cpus, text);

	free(text);
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}",
		"queue", atoi(number),
		"node", json_int_file("/sys/block/%s/mq/%s/numa_node", disk, number),
		"cpus", parsed ? json_take(cpus_list(&cpus)) : json_null(),
		"cpu_nodes", parsed ? nodes_of_cpus(&cpus) : json_null(),
		"nr_tags", json_int_file("/sys/block/%s/mq/%s/nr_tags", disk, number),
		"nr_reserved_tags",
			json_int_file("/sys/block/%s/mq/%s/nr_reserved_tags", disk, number));
}

/* Maps that all hardware queues share, of thousands of tags, are read once. */
static json_t *queues(const char *disk, bool debugfs, bool one_map)
{
	json_t *list = json_array(), *queue;
	struct sys_names names;

	sys_list(&names, "/sys/block/%s/mq", disk);
	for (size_t i = 0; i < names.nr; i++) {
		queue = queue_json(disk, names.name[i]);
		if (!i || !one_map)
			json_object_set_new(queue, "maps", debugfs ?
					    tags_json(disk, names.name[i]) : json_null());
		json_array_append_new(list, queue);
	}
	sys_names_free(&names);
	return list;
}

static json_t *below(const char *disk)
{
	json_t *list = json_array();
	struct sys_names names;

	sys_list(&names, "/sys/block/%s/slaves", disk);
	for (size_t i = 0; i < names.nr; i++) {
		/* Read, so that a capture has it. */
		char *real = sys_real("/sys/block/%s/slaves/%s", disk, names.name[i]);

		if (real)
			json_array_append_new(list, json_string(names.name[i]));
		free(real);
	}
	sys_names_free(&names);
	return list;
}

static json_t *driver(const char *disk)
{
	char *real = sys_real("/sys/block/%s/device/driver", disk), *name;
	json_t *j = NULL;

	name = real ? strrchr(real, '/') : NULL;
	if (name)
		j = json_string(name + 1);
	free(real);
	return j ? j : json_null();
}

/**
 * disk_json() - A disk.
 * @name: As in /sys/block/.
 * @debugfs: Is debugfs to be read?
 *
 * Return: Object, NULL if there is no such disk.
 */
json_t *disk_json(const char *name, bool debugfs)
{
	char *device = sys_real("/sys/block/%s", name);
	json_t *disk, *one_map;

	if (!device)
		return NULL;
	one_map = debugfs ? tags_shared(name, "0") : json_null();
	disk = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", name,
		"device", device,
		"driver", driver(name),
		"device_node", nodes_of_device(device),
		"host", json_take(host_of_path(device)),
		"below", below(name),
		"tag_placement", chosen(name, "tag_placement"),
		"tag_placements", choices(name, "tag_placement"),
		"rq_affinity", json_int_file("/sys/block/%s/queue/rq_affinity", name),
		"queue_affinity", json_file("/sys/block/%s/queue/queue_affinity", name),
		"scheduler", chosen(name, "scheduler"));
	json_object_set_new(disk, "nr_requests",
			    json_int_file("/sys/block/%s/queue/nr_requests", name));
	json_object_set_new(disk, "one_map", one_map);
	json_object_set_new(disk, "queues", queues(name, debugfs, json_is_true(one_map)));
	json_object_set_new(disk, "interrupts", irqs_of_device(device));
	free(device);
	return disk;
}
