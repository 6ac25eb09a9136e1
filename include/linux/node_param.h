/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A NUMA node that the user chooses, as a module parameter or in sysfs
 */
#ifndef _LINUX_NODE_PARAM_H
#define _LINUX_NODE_PARAM_H

#include <linux/moduleparam.h>
#include <linux/nodemask.h>

int node_param_parse(const char *val, const nodemask_t *valid, int *node);
int node_param_store(const char *name, const char *val, int *node);

extern const struct kernel_param_ops node_param_ops;

#endif /* _LINUX_NODE_PARAM_H */
