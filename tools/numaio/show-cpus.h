/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs as the kernel writes them.
 */
#ifndef SHOW_CPUS_H
#define SHOW_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#define CPUS_MAX	8192	/* of the kernel's NR_CPUS */

struct cpus {
	unsigned char bits[CPUS_MAX / 8];
};

static inline bool cpus_has(const struct cpus *c, unsigned int cpu)
{
	return cpu < CPUS_MAX && c->bits[cpu / 8] & 1U << cpu % 8;
}

static inline void cpus_add(struct cpus *c, unsigned int cpu)
{
	if (cpu < CPUS_MAX)
		c->bits[cpu / 8] |= 1U << cpu % 8;
}

int cpus_parse_list(struct cpus *c, const char *text);
int cpus_parse_mask(struct cpus *c, const char *text);
char *cpus_list(const struct cpus *c);

#endif
