// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of CPUs as text, and which node has which. Sets of nodes have the same type.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define CPU	"/sys/devices/system/cpu/"
#define NODE	"/sys/devices/system/node/"

static struct {
	bool known;
	struct run_cpus possible;
	struct run_cpus nodes;
	struct run_cpus *cpus;	/* by node */
	int nr;
} topo;

static void set(struct run_cpus *c, unsigned long cpu)
{
	c->w[cpu / 64] |= 1ULL << (cpu % 64);
}

bool run_cpus_has(const struct run_cpus *c, int cpu)
{
	return cpu >= 0 && cpu < RUN_MAX_CPUS && c->w[cpu / 64] >> (cpu % 64) & 1;
}

bool run_cpus_same(const struct run_cpus *a, const struct run_cpus *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool is_empty(const struct run_cpus *c)
{
	static const struct run_cpus none;

	return run_cpus_same(c, &none);
}

bool run_cpus_within(const struct run_cpus *a, const struct run_cpus *b)
{
	for (size_t i = 0; i < sizeof(a->w) / sizeof(*a->w); i++)
		if (a->w[i] & ~b->w[i])
			return false;
	return true;
}

static bool parse_one(const char **s, unsigned long *n)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	*n = strtoul(*s, &end, 10);
	*s = end;
	return *n < RUN_MAX_CPUS;
}

/* "0-3,8"; an empty text is an empty set. */
bool run_cpus_list(const char *s, struct run_cpus *c)
{
	unsigned long first, last;

	memset(c, 0, sizeof(*c));
	while (*s) {
		if (!parse_one(&s, &first))
			return false;
		last = first;
		if (*s == '-' && (s++, !parse_one(&s, &last)))
			return false;
		if (last < first)
			return false;
		while (first <= last)
			set(c, first++);
		if (*s == ',' && s[1])
			s++;
		else if (*s)
			return false;
	}
	return true;
}

/* "00000001,0000000f", the lowest CPUs last. */
bool run_cpus_mask(const char *s, struct run_cpus *c)
{
	unsigned long bit = 0;

	memset(c, 0, sizeof(*c));
	if (!*s)
		return false;
	for (size_t i = strlen(s); i--; ) {
		const char digits[] = "0123456789abcdef";
		const char *d = strchr(digits, tolower((unsigned char)s[i]));

		if (s[i] == ',')
			continue;
		if (!d || bit + 4 > RUN_MAX_CPUS)
			return false;
		c->w[bit / 64] |= (uint64_t)(d - digits) << (bit % 64);
		bit += 4;
	}
	return true;
}

char *run_cpus_print(const struct run_cpus *c)
{
	char *s = run_dup(""), *next;

	for (int i = 0, j; i < RUN_MAX_CPUS; i = j + 1) {
		j = i;
		if (!run_cpus_has(c, i))
			continue;
		while (run_cpus_has(c, j + 1))
			j++;
		if (i == j)
			next = run_format("%s%s%d", s, *s ? "," : "", i);
		else
			next = run_format("%s%s%d-%d", s, *s ? "," : "", i, j);
		free(s);
		s = next;
	}
	return s;
}

char *run_cpus_print_mask(const struct run_cpus *c)
{
	int top = RUN_MAX_CPUS / 32 - 1;
	char *s = run_dup(""), *next;

	while (top && !(uint32_t)(c->w[top / 2] >> (top % 2 * 32)))
		top--;
	for (; top >= 0; top--) {
		next = run_format(*s ? "%s,%08x" : "%s%x", s,
				  (uint32_t)(c->w[top / 2] >> (top % 2 * 32)));
		free(s);
		s = next;
	}
	return s;
}

static void learn_node(int node)
{
	char *path = run_format(NODE "node%d/cpulist", node), *text = run_read(path);

	if (!text || !run_cpus_list(text, &topo.cpus[node]))
		memset(&topo.cpus[node], 0, sizeof(topo.cpus[node]));
	free(path);
	free(text);
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
	for (int n = 0; n < RUN_MAX_CPUS; n++)
		if (run_cpus_has(&topo.nodes, n))
			topo.nr = n + 1;
	topo.cpus = calloc(topo.nr ? topo.nr : 1, sizeof(*topo.cpus));
	if (!topo.cpus)
		abort();
	for (int n = 0; n < topo.nr; n++)
		if (run_cpus_has(&topo.nodes, n))
			learn_node(n);
	if (topo.nr)
		return;
	topo.nr = 1;
	set(&topo.nodes, 0);
	topo.cpus[0] = topo.possible;
}

void run_cpus_forget(void)
{
	free(topo.cpus);
	memset(&topo, 0, sizeof(topo));
}

const struct run_cpus *run_nodes(void)
{
	learn();
	return &topo.nodes;
}

const struct run_cpus *run_node_cpus(int node)
{
	static const struct run_cpus none;

	learn();
	return node >= 0 && node < topo.nr ? &topo.cpus[node] : &none;
}

int run_node_of(int cpu)
{
	learn();
	for (int n = 0; n < topo.nr; n++)
		if (run_cpus_has(&topo.cpus[n], cpu))
			return n;
	return 0;
}

char *run_cpus_online(void)
{
	return run_read(CPU "online");
}

/* Nodes as a list; NULL, or what is wrong. */
char *run_nodes_spec(const char *spec, struct run_cpus *nodes)
{
	char *valid, *error;

	learn();
	if (run_cpus_list(spec, nodes) && !is_empty(nodes) && run_cpus_within(nodes, &topo.nodes))
		return NULL;
	valid = run_cpus_print(&topo.nodes);
	error = run_format("\"%s\" is no list of nodes; this host has %s", spec, valid);
	free(valid);
	return error;
}

static char *node_cpus(const char *spec, struct run_cpus *c)
{
	struct run_cpus nodes;
	char *error = run_nodes_spec(spec, &nodes);

	memset(c, 0, sizeof(*c));
	if (error)
		return error;
	for (int n = 0; n < topo.nr; n++)
		for (size_t i = 0; run_cpus_has(&nodes, n) && i < sizeof(c->w) / sizeof(*c->w); i++)
			c->w[i] |= topo.cpus[n].w[i];
	return is_empty(c) ? run_format("node %s has no CPU", spec) : NULL;
}

/* "0-3,8", "node:1", "node:0,2" or "all"; NULL, or what is wrong. */
char *run_cpus_spec(const char *spec, struct run_cpus *c)
{
	char *valid, *error;

	learn();
	if (!strncmp(spec, "node:", 5))
		return node_cpus(spec + 5, c);
	if (!strcmp(spec, "all")) {
		*c = topo.possible;
		return NULL;
	}
	if (run_cpus_list(spec, c) && !is_empty(c) && run_cpus_within(c, &topo.possible))
		return NULL;
	valid = run_cpus_print(&topo.possible);
	error = run_format("\"%s\" is no list of CPUs (0-3,8), node:N or all; this host has CPUs %s",
			   spec, valid);
	free(valid);
	return error;
}
