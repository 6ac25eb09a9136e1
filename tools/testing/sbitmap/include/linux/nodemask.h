/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_NODEMASK_H
#define SHIM_NODEMASK_H

#include <linux/bitmap.h>
#include <linux/numa.h>

typedef struct {
	DECLARE_BITMAP(bits, MAX_NUMNODES);
} nodemask_t;

enum node_states { N_MEMORY, N_CPU };

bool node_state(int node, enum node_states state);
extern unsigned int nr_node_ids;

#define node_isset(node, mask)	test_bit(node, (mask).bits)
#define nodemask_of_node(node)	((nodemask_t){ .bits = { BIT(node) } })
#define for_each_node(n)	for ((n) = 0; (n) < (int)nr_node_ids; (n)++)
#define for_each_node_state(n, state)		\
	for_each_node(n)			\
		if (node_state(n, state))

static inline int next_memory_node(int node)
{
	while (++node < (int)nr_node_ids)
		if (node_state(node, N_MEMORY))
			return node;
	return MAX_NUMNODES;
}

#define first_memory_node	next_memory_node(-1)

#endif
