// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workqueues: where their items may be executed, and where they were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"
#include "show-wq.h"

#define WORKQUEUES	"/sys/devices/virtual/workqueue"

int wq_parse(const char *line, struct wq_line *w)
{
	const char *at = NULL;

	/* The name may have blanks. */
	for (const char *next = line; (next = strstr(next, " node ")); next++)
		at = next;
	if (!at || at - line >= (int)sizeof(w->name) ||
	    sscanf(at, " node %d run %llu missed %llu", &w->node, &w->run, &w->missed) != 3)
		return -1;
	snprintf(w->name, sizeof(w->name), "%.*s", (int)(at - line), line);
	return 0;
}

/* Null if it isn't one that counts. */
static json_t *items(const char *text, const char *name)
{
	char *copy = text ? strdup(text) : NULL, *rest = copy, *line;
	json_t *list = json_array();
	struct wq_line w;

	while ((line = strsep(&rest, "\n")))
		if (!wq_parse(line, &w) && !strcmp(w.name, name))
			json_array_append_new(list, json_pack("{s:i, s:I, s:I}",
				"node", w.node, "run", (json_int_t)w.run,
				"missed", (json_int_t)w.missed));
	free(copy);
	if (json_array_size(list))
		return list;
	json_decref(list);
	return json_null();
}

static json_t *workqueue_json(const char *name, const char *counts)
{
	char *mask = sys_read(WORKQUEUES "/%s/cpumask", name);
	struct cpus cpus;
	bool parsed = mask && !cpus_parse_mask(&cpus, mask);
	long long n;

	free(mask);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", name,
		"per_cpu", sys_read_int(&n, WORKQUEUES "/%s/per_cpu", name) ? json_boolean(n) :
									      json_null(),
		"max_active", json_int_file(WORKQUEUES "/%s/max_active", name),
		"affinity_scope", json_file(WORKQUEUES "/%s/affinity_scope", name),
		"affinity_strict",
			sys_read_int(&n, WORKQUEUES "/%s/affinity_strict", name) ?
			json_boolean(n) : json_null(),
		"cpus", parsed ? json_take(cpus_list(&cpus)) : json_null(),
		"cpu_nodes", parsed ? nodes_of_cpus(&cpus) : json_null(),
		"nice", json_int_file(WORKQUEUES "/%s/nice", name),
		"workers", procs_workers(name),
		"items", items(counts, name));
}

/**
 * workqueues_json() - The workqueues that sysfs has.
 * @debugfs: Is debugfs to be read?
 *
 * Return: Array of objects.
 */
json_t *workqueues_json(bool debugfs)
{
	char *counts = debugfs ? sys_read(DEBUG_WQ) : NULL;
	json_t *list = json_array();
	struct sys_names names;
	long long n;

	sys_list(&names, WORKQUEUES);
	for (size_t i = 0; i < names.nr; i++)
		if (sys_read_int(&n, WORKQUEUES "/%s/max_active", names.name[i]))
			json_array_append_new(list, workqueue_json(names.name[i], counts));
	sys_names_free(&names);
	free(counts);
	return list;
}
