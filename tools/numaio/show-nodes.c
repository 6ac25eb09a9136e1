// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which nodes there are, their CPUs, memory and distances.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

#define NODES	"/sys/devices/system/node"

static struct cpus online;
static short *node_of;	/* by CPU; -1: not known, or not online */

static void load_node(int node)
{
	char *text = sys_read(NODES "/node%d/cpulist", node);
	struct cpus cpus;

	if (text && !cpus_parse_list(&cpus, text))
		for (int cpu = 0; cpu < CPUS_MAX; cpu++)
			if (cpus_has(&cpus, cpu))
				node_of[cpu] = node;
	free(text);
}

/**
 * nodes_load() - Read which CPU is on which node.
 *
 * Without CONFIG_NUMA there are no nodes, and no CPU is on one.
 *
 * Return: 0, or -1 without memory.
 */
int nodes_load(void)
{
	char *text;

	nodes_free();
	node_of = malloc(CPUS_MAX * sizeof(*node_of));
	if (!node_of)
		return -1;
	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		node_of[cpu] = -1;
	text = sys_read(NODES "/online");
	if (!text || cpus_parse_list(&online, text))
		memset(&online, 0, sizeof(online));
	free(text);
	for (int node = 0; node < CPUS_MAX; node++)
		if (cpus_has(&online, node))
			load_node(node);
	return 0;
}

void nodes_free(void)
{
	free(node_of);
	node_of = NULL;
}

/* The node of a CPU, -1 if it is not known. */
int nodes_of_cpu(unsigned int cpu)
{
	return node_of && cpu < CPUS_MAX ? node_of[cpu] : -1;
}

const struct cpus *nodes_online(void)
{
	return &online;
}

/* The nodes that CPUs are on, as a list. */
json_t *nodes_of_cpus(const struct cpus *c)
{
	struct cpus nodes = {};

	for (int cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(c, cpu) && nodes_of_cpu(cpu) >= 0)
			cpus_add(&nodes, nodes_of_cpu(cpu));
	return json_take(cpus_list(&nodes));
}

static json_t *memory(int node)
{
	char *text = sys_read(NODES "/node%d/meminfo", node), *at;
	unsigned long long kb;
	json_t *j = NULL;

	at = text ? strstr(text, "MemTotal:") : NULL;
	if (at && sscanf(at, "MemTotal: %llu kB", &kb) == 1)
		j = json_integer(kb);
	free(text);
	return j ? j : json_null();
}

/* In the order of the nodes that are online. */
static json_t *distances(int node)
{
	char *text = sys_read(NODES "/node%d/distance", node), *at = text, *end;
	json_t *list = json_array();

	while (at) {
		long distance = strtol(at, &end, 10);

		if (end == at)
			break;
		json_array_append_new(list, json_integer(distance));
		at = end;
	}
	free(text);
	return list;
}

/* [ { "node", "cpus", "mem_kb", "distances" } ] */
json_t *nodes_json(void)
{
	json_t *list = json_array();

	for (int node = 0; node < CPUS_MAX; node++)
		if (cpus_has(&online, node))
			json_array_append_new(list, json_pack("{s:i, s:o, s:o, s:o}", "node", node,
				"cpus", json_file(NODES "/node%d/cpulist", node),
				"mem_kb", memory(node), "distances", distances(node)));
	return list;
}

/**
 * nodes_of_device() - The node of a device, or of the nearest device above that has one.
 * @device: Path in /sys/devices, without links; may be NULL.
 *
 * Return: Number, -1 if the device has no node; null if the kernel doesn't tell.
 */
json_t *nodes_of_device(const char *device)
{
	char path[PATH_MAX], *slash;
	long long node;

	if (!device || snprintf(path, sizeof(path), "%s", device) >= (int)sizeof(path))
		return json_null();
	while (strlen(path) > strlen("/sys/devices/")) {
		if (sys_read_int(&node, "%s/numa_node", path))
			return json_integer(node);
		slash = strrchr(path, '/');
		*slash = 0;
	}
	return json_null();
}
