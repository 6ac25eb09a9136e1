/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs, or nodes, as the kernel writes them.
 */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX	8192	/* of the kernel's NR_CPUS */

struct cpus {
	uint64_t w[CPUS_MAX / 64];
};

static inline bool cpus_has(const struct cpus *c, unsigned int cpu)
{
	return cpu < CPUS_MAX && c->w[cpu / 64] >> cpu % 64 & 1;
}

static inline void cpus_add(struct cpus *c, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		c->w[cpu / 64] |= 1ULL << cpu % 64;
}

int cpus_parse_list(struct cpus *c, const char *text);
int cpus_parse_mask(struct cpus *c, const char *text);
char *cpus_list(const struct cpus *c);
char *cpus_mask(const struct cpus *c);
bool cpus_same(const struct cpus *a, const struct cpus *b);
bool cpus_within(const struct cpus *a, const struct cpus *b);

#endif
