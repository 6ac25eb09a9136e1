// SPDX-License-Identifier: GPL-2.0-only
/*
 * topocheck FILE.topo: run in a guest; is the machine what the file describes?
 * Prints each node as it is, and KTAP.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"
#include "topology.h"

#define SYS_NODE	"/sys/devices/system/node/"
/* Holes below 1 MiB and the firmware's tables are no memory of a node. */
#define MEM_SLACK	((uint64_t)2 << 20)

/* Bits are nodes or CPUs. */
struct machine {
	uint64_t online, has_cpu, has_memory;
	uint64_t cpus[TOPO_MAX_NODES];
	uint64_t mem[TOPO_MAX_NODES];
	unsigned int dist[TOPO_MAX_NODES][TOPO_MAX_NODES];
};

__attribute__((noreturn))
static void bail_out(const char *path)
{
	printf("Bail out! cannot read %s\n", path);
	exit(EXIT_FAILED);
}

static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, size, f))
		bail_out(path);
	fclose(f);
}

/* "0-3,8\n" as bits. */
static uint64_t read_list(const char *path)
{
	char buf[256], *s = buf;
	uint64_t bits = 0;
	unsigned long first, last;

	read_line(path, buf, sizeof(buf));
	while (*s && *s != '\n') {
		first = last = strtoul(s, &s, 10);
		if (*s == '-')
			last = strtoul(s + 1, &s, 10);
		if (last >= 64)
			bail_out(path);
		for (; first <= last; first++)
			bits |= (uint64_t)1 << first;
		s += *s == ',';
	}
	return bits;
}

/* What the zones of each node hold, whether in use by the kernel or not. */
static void read_memory(struct machine *m)
{
	FILE *f = fopen("/proc/zoneinfo", "re");
	unsigned int node = 0;
	uint64_t pages;
	char line[256];

	if (!f)
		bail_out("/proc/zoneinfo");
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Node %u, zone", &node);
		if (node < TOPO_MAX_NODES && sscanf(line, " present %" SCNu64, &pages) == 1)
			m->mem[node] += pages * sysconf(_SC_PAGESIZE);
	}
	fclose(f);
}

static void read_node(struct machine *m, unsigned int node)
{
	char path[128], buf[1024], *s = buf;
	unsigned int to;

	snprintf(path, sizeof(path), SYS_NODE "node%u/cpulist", node);
	m->cpus[node] = read_list(path);
	snprintf(path, sizeof(path), SYS_NODE "node%u/distance", node);
	read_line(path, buf, sizeof(buf));
	for (to = 0; to < TOPO_MAX_NODES; to++)
		if (m->online >> to & 1)
			m->dist[node][to] = strtoul(s, &s, 10);
}

static void print_node(const struct machine *m, unsigned int node)
{
	unsigned int i;

	printf("# node %u cpus", node);
	for (i = 0; i < TOPO_MAX_CPUS; i++)
		if (m->cpus[node] >> i & 1)
			printf(" %u", i);
	printf(" mem %" PRIu64 "M dist", m->mem[node] >> 20);
	for (i = 0; i < TOPO_MAX_NODES; i++)
		if (m->online >> i & 1)
			printf(" %u", m->dist[node][i]);
	putchar('\n');
}

static void read_machine(struct machine *m)
{
	unsigned int node;

	memset(m, 0, sizeof(*m));
	m->online = read_list(SYS_NODE "online");
	m->has_cpu = read_list(SYS_NODE "has_cpu");
	m->has_memory = read_list(SYS_NODE "has_memory");
	read_memory(m);
	for (node = 0; node < TOPO_MAX_NODES; node++) {
		if (!(m->online >> node & 1))
			continue;
		read_node(m, node);
		print_node(m, node);
	}
}

static void wanted_machine(struct machine *m, const struct topology *topo)
{
	unsigned int node, to, cpu;

	memset(m, 0, sizeof(*m));
	for (cpu = 0; cpu < topo->nr_cpus; cpu++)
		m->cpus[topo->cpu_node[cpu]] |= (uint64_t)1 << cpu;
	for (node = 0; node < topo->nr_nodes; node++) {
		m->online |= (uint64_t)1 << node;
		m->has_cpu |= (uint64_t)!!m->cpus[node] << node;
		m->has_memory |= (uint64_t)!!topo->mem[node] << node;
		m->mem[node] = topo->mem[node];
		for (to = 0; to < topo->nr_nodes; to++)
			m->dist[node][to] = topo->dist[node][to];
	}
}

static bool same_memory(const struct machine *want, const struct machine *is)
{
	unsigned int node;

	for (node = 0; node < TOPO_MAX_NODES; node++)
		if (is->mem[node] > want->mem[node] ||
		    is->mem[node] + MEM_SLACK < want->mem[node])
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct machine want, is;
	char err[TOPO_ERR_LEN];
	struct topology topo;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: topocheck FILE.topo\n");
		return EXIT_USAGE;
	}
	if (topo_load(&topo, argv[1], err)) {
		fprintf(stderr, "topocheck: %s\n", err);
		return EXIT_USAGE;
	}
	printf("KTAP version 1\n");
	if (access(SYS_NODE, F_OK)) {
		printf("1..0 # SKIP this kernel has no NUMA\n");
		return EXIT_SKIPPED;
	}
	wanted_machine(&want, &topo);
	read_machine(&is);

	const struct {
		const char *what;
		bool ok;
	} results[] = {
		{ "online nodes", is.online == want.online },
		{ "nodes with CPUs", is.has_cpu == want.has_cpu },
		{ "nodes with memory", is.has_memory == want.has_memory },
		{ "CPUs of each node", !memcmp(is.cpus, want.cpus, sizeof(is.cpus)) },
		{ "memory of each node", same_memory(&want, &is) },
		{ "distances", !memcmp(is.dist, want.dist, sizeof(is.dist)) },
	};
	bool all = true;

	printf("1..%zu\n", sizeof(results) / sizeof(results[0]));
	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		printf("%sok %zu %s\n", results[i].ok ? "" : "not ", i + 1, results[i].what);
		all = all && results[i].ok;
	}
	return all ? EXIT_OK : EXIT_FAILED;
}
