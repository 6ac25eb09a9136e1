/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_CPUMASK_H
#define SHIM_CPUMASK_H

#include <linux/bitmap.h>

struct cpumask {
	unsigned long bits;
};

extern unsigned int nr_cpu_ids;
extern const struct cpumask *const cpu_online_mask;

#define cpumask_of(cpu)		(&(const struct cpumask){ 1UL << (cpu) })
#define cpumask_first(mask)	__builtin_ctzl((mask)->bits)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < (int)nr_cpu_ids; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)

#endif
