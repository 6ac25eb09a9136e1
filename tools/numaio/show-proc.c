// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes: irqbalance, and the workers of workqueues.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

static json_t *workers;		/* [ { "name", "pid", "cpu", "node" } ] */
static int irqbalance;		/* its process, 0: there is none */
static bool complete;		/* Are all processes visible? */

/* The CPU it last ran on: field 39; the name, in brackets, is the 2nd. */
static int last_cpu(const char *pid)
{
	char *text = sys_read("/proc/%s/stat", pid), *at;
	int cpu = -1;

	at = text ? strrchr(text, ')') : NULL;
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	if (at)
		cpu = atoi(at + 1);
	free(text);
	return cpu;
}

/*
 * "kworker/u16:2-iscsi_q_3": the last one whose work it did; + while it does. "kworker/R-NAME" is a
 * rescuer, which is named so whether it did any or not.
 */
static const char *work_of(const char *comm)
{
	const char *name;

	if (strncmp(comm, "kworker/", 8) || !strncmp(comm, "kworker/R", 9))
		return NULL;
	name = strpbrk(comm + 8, "-+");
	return name && name[1] ? name + 1 : NULL;
}

static void scan(const char *pid)
{
	char *comm = sys_peek("/proc/%s/comm", pid);
	const char *work = comm ? work_of(comm) : NULL;
	int cpu;

	if (comm && !strcmp(comm, "irqbalance"))
		irqbalance = atoi(pid);
	if (comm && (work || irqbalance == atoi(pid)))
		free(sys_read("/proc/%s/comm", pid));	/* for a capture */
	if (work) {
		cpu = last_cpu(pid);
		json_array_append_new(workers, json_pack("{s:s, s:s, s:i, s:i, s:i}",
			"work", work, "name", comm, "pid", atoi(pid), "cpu", cpu,
			"node", nodes_of_cpu(cpu)));
	}
	free(comm);
}

/**
 * procs_scan() - Look at all processes.
 *
 * Return: 0, or -1 if they can't be listed.
 */
int procs_scan(void)
{
	struct sys_names names;
	char *first;

	procs_free();
	workers = json_array();
	if (sys_list(&names, "/proc"))
		return -1;
	for (size_t i = 0; i < names.nr; i++)
		if (isdigit((unsigned char)*names.name[i]))
			scan(names.name[i]);
	sys_names_free(&names);
	/* With hidepid= those of others aren't there. */
	first = sys_read("/proc/1/comm");
	complete = first;
	free(first);
	return 0;
}

void procs_free(void)
{
	json_decref(workers);
	workers = NULL;
	irqbalance = 0;
	complete = false;
}

/* { "running", "pid" }; running is null if processes of others are hidden. */
json_t *procs_irqbalance(void)
{
	return json_pack("{s:o, s:o}",
		"running", irqbalance || complete ? json_boolean(irqbalance) : json_null(),
		"pid", irqbalance ? json_integer(irqbalance) : json_null());
}

/* Workers whose last work was of a workqueue, and where they last ran. */
json_t *procs_workers(const char *workqueue)
{
	json_t *list = json_array(), *j;
	size_t i;

	json_array_foreach(workers, i, j) {
		json_t *copy;

		if (strcmp(json_text(j, "work"), workqueue))
			continue;
		copy = json_copy(j);
		json_object_del(copy, "work");
		json_array_append_new(list, copy);
	}
	return list;
}
