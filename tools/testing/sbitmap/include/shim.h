/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests ask of the user-space kernel beside the kernel's own functions. */
#ifndef SHIM_H
#define SHIM_H

#include <stdbool.h>

#define SHIM_NODES	5
#define SHIM_CPUS	16

/**
 * struct shim_topology - A host.
 * @name: Name.
 * @nr_nodes: Number of nodes.
 * @nr_cpus: Number of CPUs.
 * @node: Node of each CPU.
 * @memory: Does a node have memory?
 * @distance: As node_distance().
 */
struct shim_topology {
	const char *name;
	unsigned int nr_nodes;
	unsigned int nr_cpus;
	signed char node[SHIM_CPUS];
	bool memory[SHIM_NODES];
	unsigned char distance[SHIM_NODES][SHIM_NODES];
};

extern const struct shim_topology shim_topologies[];

/* Become the host of that name; exits if there is none. No map may be left. */
void shim_init(const char *topology);

/*
 * The calling thread goes to a CPU, which runs one thread at a time: it waits
 * until that one is free. schedule() and the places that SHIM_CHAOS adds leave it
 * for others, and may go on on another CPU if @migrate.
 */
void shim_run_on(unsigned int cpu, bool migrate);
void shim_leave(void);

/* A queue in either layout; -EOPNOTSUPP for a spread one of the unpatched side. */
struct sbitmap_queue;
int shim_init_queue(struct sbitmap_queue *sbq, unsigned int depth, int shift,
		    bool round_robin, bool spread);

/* Seed of this thread's random numbers. */
void shim_seed(unsigned long seed);

/* The n-th allocation from now on fails, 0 for none. */
void shim_fail(unsigned int nth);

/* Allocations, pages and maps that were not freed; warnings of the kernel. */
long shim_live(void);
unsigned int shim_warnings(void);

#endif
