// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs and nodes as an experiment names them, and which node of the host has which. Sets of nodes
 * have the type of those of CPUs.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define CPU	"/sys/devices/system/cpu/"
#define NODE	"/sys/devices/system/node/"

static struct {
	bool known;
	struct cpus possible;
	struct cpus nodes;
	struct cpus *cpus;	/* by node */
	int nr;
	struct cpus asked;	/* CPUs that were looked for after the start */
} topo;

static bool is_empty(const struct cpus *c)
{
	static const struct cpus none;

	return cpus_same(c, &none);
}

/* "0-3,8" as people shall write it; an empty text is an empty set. */
bool run_cpus_list(const char *s, struct cpus *c)
{
	size_t len = strlen(s);

	if (strpbrk(s, " \t\r\n\v\f") || strstr(s, ",,") || (len && s[len - 1] == ','))
		return false;
	return !cpus_parse_list(c, s);
}

static bool read_node(int node, struct cpus *cpus)
{
	char *path = run_format(NODE "node%d/cpulist", node), *text = run_read(path);
	bool known = text && run_cpus_list(text, cpus);

	if (!known)
		memset(cpus, 0, sizeof(*cpus));
	free(path);
	free(text);
	return known;
}

/* A kernel without NUMA has one node here, node 0 with all CPUs. */
static void learn(void)
{
	char *text;

	if (topo.known)
		return;
	topo.known = true;
	text = run_read(CPU "possible");
	if (!text || !run_cpus_list(text, &topo.possible) || is_empty(&topo.possible))
		run_cpus_list("0", &topo.possible);
	free(text);
	text = run_read(NODE "online");
	if (!text || !run_cpus_list(text, &topo.nodes))
		memset(&topo.nodes, 0, sizeof(topo.nodes));
	free(text);
	for (int n = 0; n < CPUS_MAX; n++)
		if (cpus_has(&topo.nodes, n))
			topo.nr = n + 1;
	topo.cpus = calloc(topo.nr ? topo.nr : 1, sizeof(*topo.cpus));
	if (!topo.cpus)
		abort();
	for (int n = 0; n < topo.nr; n++)
		if (cpus_has(&topo.nodes, n))
			read_node(n, &topo.cpus[n]);
	if (topo.nr)
		return;
	topo.nr = 1;
	cpus_add(&topo.nodes, 0);
	topo.cpus[0] = topo.possible;
}

void run_cpus_forget(void)
{
	free(topo.cpus);
	memset(&topo, 0, sizeof(topo));
}

const struct cpus *run_nodes(void)
{
	learn();
	return &topo.nodes;
}

const struct cpus *run_node_cpus(int node)
{
	static const struct cpus none;

	learn();
	return node >= 0 && node < topo.nr ? &topo.cpus[node] : &none;
}

/* A CPU, and perhaps its node, that came online after the start. */
static int node_of_new(int cpu)
{
	struct cpus nodes, cpus;
	char *text = run_read(NODE "online");
	int node = -1;

	if (text && run_cpus_list(text, &nodes))
		for (int n = 0; n < CPUS_MAX && node < 0; n++)
			if (cpus_has(&nodes, n) && read_node(n, &cpus) && cpus_has(&cpus, cpu))
				node = n;
	free(text);
	return node;
}

/*
 * -1: not known. What node:N and "all" mean stays what it was at the start; whoever counts asks
 * for each CPU that there is.
 */
int run_node_of(int cpu)
{
	static short late[CPUS_MAX];

	learn();
	for (int n = 0; n < topo.nr; n++)
		if (cpus_has(&topo.cpus[n], cpu))
			return n;
	if (cpu < 0 || cpu >= CPUS_MAX)
		return -1;
	if (!cpus_has(&topo.asked, cpu)) {
		cpus_add(&topo.asked, cpu);
		late[cpu] = node_of_new(cpu);
	}
	return late[cpu];
}

char *run_cpus_online(void)
{
	return run_read(CPU "online");
}

/* Nodes as a list; NULL, or what is wrong. */
char *run_nodes_spec(const char *spec, struct cpus *nodes)
{
	char *valid, *error;

	learn();
	if (run_cpus_list(spec, nodes) && !is_empty(nodes) && cpus_within(nodes, &topo.nodes))
		return NULL;
	valid = cpus_list(&topo.nodes);
	error = run_format("\"%s\" is no list of nodes; this host has %s", spec, valid);
	free(valid);
	return error;
}

static char *node_cpus(const char *spec, struct cpus *c)
{
	struct cpus nodes;
	char *error = run_nodes_spec(spec, &nodes);

	memset(c, 0, sizeof(*c));
	if (error)
		return error;
	for (int n = 0; n < topo.nr; n++)
		for (size_t i = 0; cpus_has(&nodes, n) && i < sizeof(c->w) / sizeof(*c->w); i++)
			c->w[i] |= topo.cpus[n].w[i];
	return is_empty(c) ? run_format("node %s has no CPU", spec) : NULL;
}

/* "0-3,8", "node:1", "node:0,2" or "all"; NULL, or what is wrong. */
char *run_cpus_spec(const char *spec, struct cpus *c)
{
	char *valid, *error;

	learn();
	if (!strncmp(spec, "node:", 5))
		return node_cpus(spec + 5, c);
	if (!strcmp(spec, "all")) {
		*c = topo.possible;
		return NULL;
	}
	if (run_cpus_list(spec, c) && !is_empty(c) && cpus_within(c, &topo.possible))
		return NULL;
	valid = cpus_list(&topo.possible);
	error = run_format("\"%s\" is no list of CPUs (0-3,8), node:N or all; this host has CPUs %s",
			   spec, valid);
	free(valid);
	return error;
}
