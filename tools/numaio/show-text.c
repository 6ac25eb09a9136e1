// SPDX-License-Identifier: GPL-2.0-only
/*
 * The document as tables.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"
#include "show-table.h"

static void print_head(const json_t *doc)
{
	const json_t *running = json_object_get(json_object_get(doc, "irqbalance"), "running");
	const char *kernel = json_text(doc, "kernel");
	size_t nr = json_array_size(json_object_get(doc, "nodes"));

	printf("Linux %s, %zu node%s; ", kernel ? kernel : "?", nr, nr == 1 ? "" : "s");
	if (json_is_null(running))
		puts("irqbalance may be running or not");
	else
		puts(json_is_true(running) ? "irqbalance is running, it moves interrupts" :
					     "irqbalance isn't running");
}

static void put_number(const json_t *j, FILE *f)
{
	fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
}

static void print_nodes(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("NODE>", "CPUS", "MIB>", "DISTANCES"));
	const json_t *node;
	size_t i;

	json_array_foreach(json_object_get(doc, "nodes"), i, node) {
		table_row(t);
		table_keys(t, node, COLUMNS("node", "cpus"));
		table_cell(t, "%" JSON_INTEGER_FORMAT,
			   json_integer_value(json_object_get(node, "mem_kb")) / 1024);
		table_list(t, json_object_get(node, "distances"), " ", put_number);
	}
	table_print(t, "Nodes");
}

static void print_hosts(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("HOST", "DRIVER", "DEVICE'S NODE>", "NODE>",
		"PLACEMENT", "WORK CPU", "QUEUES>", "TAGS>", "DISKS"));
	const json_t *host;
	size_t i;

	json_array_foreach(json_object_get(doc, "hosts"), i, host) {
		table_row(t);
		table_keys(t, host, COLUMNS("name", "driver", "device_node", "node",
			"tag_placement", "work_cpu", "nr_hw_queues", "can_queue", "disks"));
	}
	table_print(t, "SCSI hosts");
}

static void print_disks(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("DISK", "HOST", "DRIVER", "DEVICE'S NODE>", "PLACEMENT",
		"RQ_AFFINITY>", "QUEUE_AFFINITY", "SCHEDULER", "REQUESTS>", "QUEUES>", "BELOW"));
	const json_t *disk;
	size_t i;

	json_array_foreach(json_object_get(doc, "disks"), i, disk) {
		table_row(t);
		table_keys(t, disk, COLUMNS("name", "host", "driver", "device_node",
			"tag_placement", "rq_affinity", "queue_affinity", "scheduler",
			"nr_requests"));
		table_cell(t, "%zu", json_array_size(json_object_get(disk, "queues")));
		table_json(t, json_object_get(disk, "below"));
	}
	table_print(t, "Disks");
}

/* Disks of a host are alike, often: they are shown together. */
static bool are_alike(const json_t *a, const json_t *b)
{
	return json_text(a, "host") && json_equal(json_object_get(a, "host"),
						  json_object_get(b, "host")) &&
	       json_equal(json_object_get(a, "queues"), json_object_get(b, "queues"));
}

/* A disk and those like it; NULL if it isn't the first of them. The caller frees it. */
static json_t *alike(const json_t *disks, size_t at)
{
	const json_t *disk = json_array_get(disks, at), *other;
	json_t *names = json_array();
	size_t i;

	json_array_foreach(disks, i, other) {
		if (i != at && !are_alike(disk, other))
			continue;
		if (i < at) {
			json_decref(names);
			return NULL;
		}
		json_add_string(names, json_text(other, "name"));
	}
	return names;
}

static void print_queues(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("DISK", "QUEUE>", "NODE>", "TAGS>", "RESERVED>", "CPUS",
		"THEIR NODES"));
	const json_t *disks = json_object_get(doc, "disks"), *disk, *queue;
	json_t *names;
	size_t i, j;

	json_array_foreach(disks, i, disk) {
		names = alike(disks, i);
		if (!names)
			continue;
		json_array_foreach(json_object_get(disk, "queues"), j, queue) {
			table_row(t);
			table_json(t, names);
			table_keys(t, queue, COLUMNS("queue", "node", "nr_tags", "nr_reserved_tags",
						     "cpus", "cpu_nodes"));
		}
		json_decref(names);
	}
	table_print(t, "Hardware queues");
}

static void print_maps(struct table *t, const json_t *names, const json_t *queue, bool one)
{
	const json_t *map, *node;
	size_t i, j;

	json_array_foreach(json_object_get(queue, "maps"), i, map)
		json_array_foreach(json_object_get(map, "per_node"), j, node) {
			table_row(t);
			table_json(t, names);
			if (one)
				table_cell(t, "all");
			else
				table_json(t, json_object_get(queue, "queue"));
			table_keys(t, map, COLUMNS("map", "placement"));
			table_keys(t, node, COLUMNS("node", "words", "tags", "tags_memory",
				"requests_owned", "requests", "requests_away"));
		}
}

static void print_tags(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("DISK", "QUEUE>", "MAP", "PLACEMENT", "NODE>", "WORDS>",
		"TAGS>", "IN MEMORY>", "REQUESTS>", "IN MEMORY>", "ELSEWHERE>"));
	const json_t *disks = json_object_get(doc, "disks"), *disk, *queue;
	json_t *names;
	size_t i, j;

	json_array_foreach(disks, i, disk) {
		names = alike(disks, i);
		if (!names)
			continue;
		json_array_foreach(json_object_get(disk, "queues"), j, queue)
			print_maps(t, names, queue, json_is_true(json_object_get(disk, "one_map")));
		json_decref(names);
	}
	table_print(t, "Tags and requests: those that a node owns, and those in its memory");
}

static void put_count(const json_t *j, FILE *f)
{
	put_number(json_object_get(j, "count"), f);
}

static void print_irqs(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("IRQ>", "NAME", "OF", "REQUESTED", "EFFECTIVE", "MANAGED",
		"SERVED BY NODE>", "SERVED, BY NODE"));
	const json_t *irq;
	size_t i;

	json_array_foreach(json_object_get(doc, "interrupts"), i, irq) {
		table_row(t);
		table_keys(t, irq, COLUMNS("irq", "name", "of", "affinity", "effective", "managed",
			"served_by"));
		table_list(t, json_object_get(irq, "per_node"), " ", put_count);
	}
	table_print(t, "Interrupts");
}

static void print_sessions(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("SESSION", "HOST", "TARGET", "CONNECTION", "ADDRESS",
		"PORT>", "NET", "FOUND BY", "WORKQUEUE"));
	const json_t *session, *connection;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "sessions"), i, session)
		json_array_foreach(json_object_get(session, "connections"), j, connection) {
			table_row(t);
			table_keys(t, session, COLUMNS("name", "host", "target"));
			table_keys(t, connection, COLUMNS("name", "address", "port", "net",
				"net_by"));
			table_json(t, json_object_get(session, "workqueue"));
		}
	table_print(t, "iSCSI sessions");
}

static void print_tasks(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("SESSION", "ITS NODE>", "CONNECTION'S>", "NODE>", "TASKS>",
		"IN MEMORY>", "FREE>", "TAKEN OWN>", "FOREIGN>"));
	const json_t *session, *node;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "sessions"), i, session) {
		const json_t *tasks = json_object_get(session, "tasks");

		json_array_foreach(json_object_get(tasks, "per_node"), j, node) {
			table_row(t);
			table_json(t, json_object_get(session, "name"));
			table_keys(t, tasks, COLUMNS("session_node", "connection_node"));
			table_keys(t, node, COLUMNS("node", "owned", "memory", "free", "own",
				"foreign"));
		}
	}
	table_print(t, "iSCSI tasks");
}

static void print_steering(struct table *t, const json_t *net, const char *what)
{
	const json_t *queue;
	size_t i;

	json_array_foreach(json_object_get(net, what), i, queue) {
		const json_t *cpus = json_object_get(queue, "cpus");

		table_row(t);
		table_keys(t, net, COLUMNS("name", "device_node", "below"));
		table_json(t, json_object_get(queue, "queue"));
		table_cell(t, "%s", !strcmp(what, "rps") ? "RPS" : "XPS");
		if (json_is_string(cpus) && !*json_string_value(cpus))
			table_cell(t, "off");
		else
			table_json(t, cpus);
		table_keys(t, queue, COLUMNS("cpu_nodes", "flows"));
	}
}

static void print_nets(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("NET", "DEVICE'S NODE>", "BELOW", "QUEUE", "STEERED BY",
		"CPUS", "THEIR NODES", "FLOWS>"));
	const json_t *net;
	size_t i;

	json_array_foreach(json_object_get(doc, "nets"), i, net) {
		print_steering(t, net, "rps");
		print_steering(t, net, "xps");
	}
	table_print(t, "Network devices behind iSCSI sessions");
}

static void put_worker(const json_t *j, FILE *f)
{
	fprintf(f, "%" JSON_INTEGER_FORMAT " (node %" JSON_INTEGER_FORMAT ")",
		json_integer_value(json_object_get(j, "cpu")),
		json_integer_value(json_object_get(j, "node")));
}

static void print_workqueues(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("WORKQUEUE", "SCOPE", "STRICT", "CPUS", "THEIR NODES",
		"NICE>", "ACTIVE>", "WORKERS WERE LAST ON CPU"));
	const json_t *wq;
	size_t i;

	json_array_foreach(json_object_get(doc, "workqueues"), i, wq) {
		table_row(t);
		table_keys(t, wq, COLUMNS("name", "affinity_scope", "affinity_strict", "cpus",
			"cpu_nodes", "nice", "max_active"));
		table_list(t, json_object_get(wq, "workers"), ", ", put_worker);
	}
	table_print(t, "Workqueues");
}

static void print_items(const json_t *doc)
{
	struct table *t = table_new(COLUMNS("WORKQUEUE", "NODE>", "EXECUTED>", "OF THESE, MISSED>"));
	const json_t *wq, *node;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "workqueues"), i, wq)
		json_array_foreach(json_object_get(wq, "items"), j, node) {
			table_row(t);
			table_json(t, json_object_get(wq, "name"));
			table_keys(t, node, COLUMNS("node", "run", "missed"));
		}
	table_print(t, "Work items, by the node that executed them");
}

static void print_untold(const json_t *doc)
{
	const json_t *list = json_object_get(doc, "not_told"), *j;
	size_t i;

	if (json_array_size(list))
		puts("\nNot told");
	json_array_foreach(list, i, j)
		printf("%s: %s\n", json_text(j, "what"), json_text(j, "why"));
	list = json_object_get(doc, "not_read");
	if (json_array_size(list))
		puts("\nCould not be read");
	json_array_foreach(list, i, j)
		printf("%s: %s\n", json_text(j, "path"),
		       strerror(sys_error_number(json_text(j, "error")) ?: EIO));
}

void show_print(const json_t *doc)
{
	print_head(doc);
	print_nodes(doc);
	print_hosts(doc);
	print_disks(doc);
	print_queues(doc);
	print_tags(doc);
	print_irqs(doc);
	print_sessions(doc);
	print_tasks(doc);
	print_nets(doc);
	print_workqueues(doc);
	print_items(doc);
	print_untold(doc);
}
