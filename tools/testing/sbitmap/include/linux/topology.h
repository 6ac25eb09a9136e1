/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_TOPOLOGY_H
#define SHIM_TOPOLOGY_H

#include <linux/nodemask.h>
#include <linux/smp.h>

int cpu_to_node(int cpu);
int node_distance(int a, int b);
#define numa_node_id()	cpu_to_node(raw_smp_processor_id())

#endif
