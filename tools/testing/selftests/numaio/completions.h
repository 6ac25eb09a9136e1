/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On which CPUs the requests of a disk complete, seen from the CPU that submitted
 * them, as the kernel counts it in debugfs.
 */
#ifndef COMPLETIONS_H
#define COMPLETIONS_H

#include <stdbool.h>

/* The same CPU, another one of the node, of another node; by an IPI. */
enum where { CPU, NODE, ELSEWHERE, IPI, NR_COUNTS };

/* Start counting from zero, or stop. */
bool completions_count(const char *disk, bool on);
/* Of all hardware queues together. */
bool completions_read(const char *disk, unsigned long c[NR_COUNTS]);
/*
 * With this rq_affinity nearly all reads from @cpu complete @where, with or without an IPI;
 * else what was counted is told.
 */
bool completions_are(const char *disk, const char *affinity, int cpu, enum where where, bool ipi);

#endif
