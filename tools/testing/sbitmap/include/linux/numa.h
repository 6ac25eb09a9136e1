/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_NUMA_H
#define SHIM_NUMA_H

#define MAX_NUMNODES	64
#define NUMA_NO_NODE	(-1)

#endif
