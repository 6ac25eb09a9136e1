/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest's NUMA topology, as topologies/NAME.topo describes it:
 *
 *	node 0 cpus 0-1 mem 512M	nodes in order; cpus or mem may be missing
 *	node 1 cpus 2,3 mem 1G
 *	dist 0 1 40			both directions; 20 unless said, 10 to itself
 *	caches 2			last-level caches of a node, 1 unless said; nodes
 *					then have as many CPUs each, in a row
 *
 * The numbers are those that Linux gives: it counts nodes in the order of
 * their first CPU and memory-only nodes after them, so the parser insists on
 * that order. Memory starts at physical address 0, in node order and without a
 * hole (QEMU's q35 keeps it so below TOPO_MEM_MAX).
 */
#ifndef VM_TOPOLOGY_H
#define VM_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TOPO_MAX_NODES	64
#define TOPO_MAX_CPUS	64
/* A Linux memory section: nodes that share none can be told apart by any kernel. */
#define TOPO_MEM_UNIT	((uint64_t)128 << 20)
#define TOPO_MEM_MAX	(21 * TOPO_MEM_UNIT)
#define TOPO_ERR_LEN	512

struct topology {
	unsigned int nr_nodes;
	unsigned int nr_cpus;
	unsigned int caches;				/* last-level, of a node */
	unsigned char cpu_node[TOPO_MAX_CPUS];
	unsigned int node_cpus[TOPO_MAX_NODES];		/* number of CPUs */
	uint64_t mem[TOPO_MAX_NODES];			/* bytes */
	unsigned char dist[TOPO_MAX_NODES][TOPO_MAX_NODES];
};

/*
 * Both return 0, or -1 with "NAME:LINE: what is wrong" in @err, which has
 * TOPO_ERR_LEN bytes. @name is used for messages only.
 */
int topo_read(struct topology *topo, FILE *file, const char *name, char *err);
int topo_load(struct topology *topo, const char *path, char *err);

/* Both return a node, or -1 if the topology has no such CPU or memory. */
int topo_node_of_cpu(const struct topology *topo, unsigned int cpu);
int topo_node_of_phys(const struct topology *topo, uint64_t addr);

/* Number of CPUs of each node if all have as many and in a row, else 0. */
unsigned int topo_cpus_per_node(const struct topology *topo);

uint64_t topo_mem_total(const struct topology *topo);

#endif
