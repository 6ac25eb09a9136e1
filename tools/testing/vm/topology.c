// SPDX-License-Identifier: GPL-2.0-only
/* Parser of *.topo files; see topology.h for the format. */
#define _GNU_SOURCE
#include "topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE		0xff
#define DIST_LOCAL	10
#define DIST_REMOTE	20
#define DIST_MAX	254

struct parser {
	struct topology *topo;
	const char *name;
	unsigned int line;
	char *save;		/* strtok_r() */
	char *err;
};

__attribute__((format(printf, 2, 3)))
static int fail(struct parser *p, const char *fmt, ...)
{
	int len = snprintf(p->err, TOPO_ERR_LEN, "%s:%u: ", p->name, p->line);
	va_list ap;

	if (len < 0 || len >= TOPO_ERR_LEN)
		return -1;
	va_start(ap, fmt);
	vsnprintf(p->err + len, TOPO_ERR_LEN - len, fmt, ap);
	va_end(ap);
	return -1;
}

static char *next_word(struct parser *p)
{
	return strtok_r(NULL, " \t", &p->save);
}

/* Digits only, at most nine of them: strtoul() accepts far more than that. */
static bool to_number(const char *s, size_t len, unsigned int *val)
{
	if (!len || len > 9 || strspn(s, "0123456789") < len)
		return false;
	*val = strtoul(s, NULL, 10);
	return true;
}

static int parse_number(struct parser *p, const char *what, unsigned int min, unsigned int max,
			unsigned int *val)
{
	const char *word = next_word(p);

	if (!word)
		return fail(p, "%s is missing: %u..%u", what, min, max);
	if (!to_number(word, strlen(word), val) || *val < min || *val > max)
		return fail(p, "%s '%s' is not in %u..%u", what, word, min, max);
	return 0;
}

static int add_cpu(struct parser *p, unsigned int node, unsigned int cpu)
{
	struct topology *topo = p->topo;

	if (topo->cpu_node[cpu] != NO_NODE)
		return fail(p, "cpu %u is on node %u already", cpu, topo->cpu_node[cpu]);
	topo->cpu_node[cpu] = node;
	topo->node_cpus[node]++;
	topo->nr_cpus++;
	return 0;
}

/* "0-3,8" */
static int parse_cpus(struct parser *p, unsigned int node)
{
	char *list = next_word(p), *part;
	unsigned int first, last;

	if (!list)
		return fail(p, "cpus needs a list such as 0-3,8");
	while ((part = strsep(&list, ","))) {
		size_t len = strcspn(part, "-");
		bool ok = to_number(part, len, &first);

		last = first;
		if (ok && part[len])
			ok = to_number(part + len + 1, strlen(part + len + 1), &last);
		if (!ok || first > last || last >= TOPO_MAX_CPUS)
			return fail(p, "cpus '%s' is not a cpu or a rising range in 0..%d", part,
				    TOPO_MAX_CPUS - 1);
		for (; first <= last; first++)
			if (add_cpu(p, node, first))
				return -1;
	}
	return 0;
}

static int parse_mem(struct parser *p, unsigned int node)
{
	const char *word = next_word(p);
	unsigned int val = 0;
	uint64_t bytes = 0;

	if (word) {
		size_t len = strlen(word);

		if (len && to_number(word, len - 1, &val))
			bytes = word[len - 1] == 'M' ? (uint64_t)val << 20 :
				word[len - 1] == 'G' ? (uint64_t)val << 30 : 0;
	}
	if (!bytes || bytes % TOPO_MEM_UNIT || bytes > TOPO_MEM_MAX)
		return fail(p, "mem '%s' is not a multiple of 128M in 128M..%lluM (no memory: leave it out)",
			    word ? word : "", (unsigned long long)TOPO_MEM_MAX >> 20);
	p->topo->mem[node] = bytes;
	return 0;
}

static int parse_node(struct parser *p)
{
	struct topology *topo = p->topo;
	unsigned int node, other;
	const char *key;

	if (parse_number(p, "node", 0, TOPO_MAX_NODES - 1, &node))
		return -1;
	if (node != topo->nr_nodes)
		return fail(p, "node %u is out of order: node %u comes next", node, topo->nr_nodes);
	topo->nr_nodes++;
	for (other = 0; other < node; other++)
		topo->dist[node][other] = topo->dist[other][node] = DIST_REMOTE;
	topo->dist[node][node] = DIST_LOCAL;

	while ((key = next_word(p))) {
		if (!strcmp(key, "cpus") && !topo->node_cpus[node]) {
			if (parse_cpus(p, node))
				return -1;
		} else if (!strcmp(key, "mem") && !topo->mem[node]) {
			if (parse_mem(p, node))
				return -1;
		} else {
			return fail(p, "'%s' is not one of: cpus, mem (each once)", key);
		}
	}
	if (!topo->node_cpus[node] && !topo->mem[node])
		return fail(p, "node %u has neither cpus nor mem", node);
	if (node && topo->node_cpus[node] && !topo->node_cpus[node - 1])
		return fail(p, "node %u has cpus, node %u has none: nodes without come last", node,
			    node - 1);
	return 0;
}

static int parse_dist(struct parser *p)
{
	struct topology *topo = p->topo;
	unsigned int a, b, dist;
	const char *rest;

	if (!topo->nr_nodes)
		return fail(p, "dist before the first node");
	if (parse_number(p, "node", 0, topo->nr_nodes - 1, &a) ||
	    parse_number(p, "node", 0, topo->nr_nodes - 1, &b))
		return -1;
	if (a == b)
		return fail(p, "the distance of node %u to itself is always %d", a, DIST_LOCAL);
	if (parse_number(p, "distance", DIST_LOCAL + 1, DIST_MAX, &dist))
		return -1;
	rest = next_word(p);
	if (rest)
		return fail(p, "'%s' after the distance", rest);
	topo->dist[a][b] = topo->dist[b][a] = dist;
	return 0;
}

static int parse_caches(struct parser *p)
{
	const char *rest;

	if (p->topo->caches)
		return fail(p, "caches is there already");
	if (parse_number(p, "caches", 1, TOPO_MAX_CPUS, &p->topo->caches))
		return -1;
	rest = next_word(p);
	if (rest)
		return fail(p, "'%s' after the number of caches", rest);
	return 0;
}

static int parse_line(struct parser *p, char *line)
{
	char *key;

	line[strcspn(line, "#\r\n")] = '\0';
	key = strtok_r(line, " \t", &p->save);
	if (!key)
		return 0;
	if (!strcmp(key, "node"))
		return parse_node(p);
	if (!strcmp(key, "dist"))
		return parse_dist(p);
	if (!strcmp(key, "caches"))
		return parse_caches(p);
	return fail(p, "'%s' is not one of: node, dist, caches", key);
}

static int check_whole(struct parser *p)
{
	struct topology *topo = p->topo;
	unsigned int cpu, seen = 0;

	if (!topo->nr_nodes)
		return fail(p, "no node");
	if (!topo->nr_cpus)
		return fail(p, "no cpu");
	for (cpu = 0; cpu < topo->nr_cpus; cpu++) {
		if (topo->cpu_node[cpu] == NO_NODE)
			return fail(p, "cpu %u is missing: the %u cpus must be 0..%u", cpu,
				    topo->nr_cpus, topo->nr_cpus - 1);
		if (topo->cpu_node[cpu] > seen)
			return fail(p, "node %u has cpu %u, but node %u no lower one: nodes are in the order of their first cpu",
				    topo->cpu_node[cpu], cpu, seen);
		if (topo->cpu_node[cpu] == seen)
			seen++;
	}
	if (!topo->caches)
		topo->caches = 1;
	cpu = topo_cpus_per_node(topo);
	if (topo->caches > 1 && (!cpu || cpu % topo->caches))
		return fail(p, "%u caches: every node needs as many cpus, in a row, and a multiple of that",
			    topo->caches);
	if (!topo_mem_total(topo) || topo_mem_total(topo) > TOPO_MEM_MAX)
		return fail(p, "memory of all nodes is %lluM, not in 128M..%lluM",
			    (unsigned long long)topo_mem_total(topo) >> 20,
			    (unsigned long long)TOPO_MEM_MAX >> 20);
	return 0;
}

int topo_read(struct topology *topo, FILE *file, const char *name, char *err)
{
	struct parser p = { .topo = topo, .name = name, .err = err };
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	memset(topo, 0, sizeof(*topo));
	memset(topo->cpu_node, NO_NODE, sizeof(topo->cpu_node));
	while (!ret && getline(&line, &size, file) >= 0) {
		p.line++;
		ret = parse_line(&p, line);
	}
	free(line);
	if (!ret && ferror(file))
		ret = fail(&p, "cannot read: %s", strerror(errno));
	return ret ? ret : check_whole(&p);
}

int topo_load(struct topology *topo, const char *path, char *err)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file) {
		snprintf(err, TOPO_ERR_LEN, "%s: %s", path, strerror(errno));
		return -1;
	}
	ret = topo_read(topo, file, path, err);
	fclose(file);
	return ret;
}

unsigned int topo_cpus_per_node(const struct topology *topo)
{
	unsigned int cpu, per_node = topo->node_cpus[0];

	for (cpu = 0; cpu < topo->nr_cpus; cpu++)
		if (topo->cpu_node[cpu] != cpu / per_node)
			return 0;
	return topo->nr_cpus % per_node ? 0 : per_node;
}

int topo_node_of_cpu(const struct topology *topo, unsigned int cpu)
{
	return cpu < topo->nr_cpus ? topo->cpu_node[cpu] : -1;
}

int topo_node_of_phys(const struct topology *topo, uint64_t addr)
{
	unsigned int node;

	for (node = 0; node < topo->nr_nodes; node++) {
		if (addr < topo->mem[node])
			return node;
		addr -= topo->mem[node];
	}
	return -1;
}

uint64_t topo_mem_total(const struct topology *topo)
{
	uint64_t total = 0;
	unsigned int node;

	for (node = 0; node < topo->nr_nodes; node++)
		total += topo->mem[node];
	return total;
}
