/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the tags and requests of a block device are, read from sysfs and
 * debugfs, and what it takes to put load on them: modules, fio, the topology.
 */
#ifndef BLKPLACE_H
#define BLKPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_NODES 64

/**
 * struct nodes - The nodes of the running machine.
 * @nr: One more than the largest node id.
 * @online: Is the node online?
 * @cpus: Number of online CPUs.
 * @mem_kb: Memory in KiB.
 * @owners: Number of nodes with both.
 * @owner_mask: Those nodes.
 */
struct nodes {
	int nr;
	bool online[MAX_NODES];
	int cpus[MAX_NODES];
	unsigned long mem_kb[MAX_NODES];
	int owners;
	uint64_t owner_mask;
};

/**
 * struct blkplace - Placement of one tag map and its requests.
 * @spread: The map is spread.
 * @depth: Number of tags.
 * @words: Number of words.
 * @words_misplaced: Words whose memory isn't on the owner node.
 * @owned: Number of tags that a node owns.
 * @rqs: Number of requests on a node.
 * @rqs_misplaced: Requests that aren't on the owner node of their tag.
 * @own: Tags that CPUs of a node got from their own (or the nearest owner) node.
 * @foreign: Tags that they got from others.
 */
struct blkplace {
	bool spread;
	unsigned int depth;
	unsigned int words;
	unsigned int words_misplaced;
	unsigned int owned[MAX_NODES];
	unsigned int rqs[MAX_NODES];
	unsigned int rqs_misplaced;
	unsigned long long own[MAX_NODES];
	unsigned long long foreign[MAX_NODES];
};

/* All of these print the reason with a "# " before it and return -1 on failure. */
int nodes_read(struct nodes *n);
int nodes_of_cpu(const struct nodes *n, int cpu);
/* The online CPUs of a node in ascending order, at most @max; returns how many. */
int nodes_cpus(int node, int *cpus, int max);
/* The last node with memory. */
int nodes_last_mem(const struct nodes *n);
/* The last node with so many online CPUs, of which @cpus are the first; 0 if there is none. */
int nodes_last_cpus(const struct nodes *n, int *cpus, int nr);
/* The nodes with memory that no other one is nearer to @from than. */
uint64_t nodes_nearest(const struct nodes *n, int from);
int blkplace_read(const char *disk, unsigned int hctx, const char *map,
		  struct blkplace *p);
int blkplace_count(const char *disk, unsigned int hctx, bool on);
double blkplace_own_share(const struct blkplace *p);
/* Does each of these nodes, and no other, own its share of the tags? */
bool blkplace_even(const struct blkplace *p, uint64_t owners);
/* Is everything on its owner, as many requests as tags on each node? */
bool blkplace_placed(const struct blkplace *p);
/* The number of tags that are in use, of hardware queues and scheduler. */
int blkplace_busy(const char *disk);
int read_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int write_line(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Is this line, or number, what the file in that directory has? If not, it is said. */
bool attr_reads(const char *want, const char *dir, const char *file);
bool attr_reads_int(int number, const char *dir, const char *file);
/* The same of a disk's queue attribute. */
bool queue_reads(const char *want, const char *disk, const char *attr);
int run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool console_says(const char *text);

/**
 * blkplace_right() - Is every tag map of a disk as the placement says?
 * @disk: Name of the disk.
 * @n: The nodes as they were when the maps were made.
 * @spread: The placement that was asked for.
 *
 * A map that all hardware queues share serves all nodes, another one those of its
 * queue's CPUs. In the spread placement, the owners of these own the tags if there
 * are two or more; else all is on one node. The same goes for a scheduler's tags.
 * Shares have to be even at the depth that a map was made for, not at a smaller one.
 */
bool blkplace_right(const char *disk, const struct nodes *n, bool spread);

/**
 * fio_pinned() - Read with one fio job on each CPU, pinned to it.
 * @disk: Name of the disk.
 * @depth: I/Os in flight of each job.
 * @ios: I/Os of each job.
 * @cpus: List of CPUs, one job each; NULL for all.
 * @errors: Receives the number of jobs that reported an error.
 *
 * Return: Number of I/Os that completed, -1 on failure.
 */
long long fio_pinned(const char *disk, int depth, int ios, const char *cpus,
		     int *errors);

#endif /* BLKPLACE_H */
