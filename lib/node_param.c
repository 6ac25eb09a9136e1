// SPDX-License-Identifier: GPL-2.0-only
/*
 * A NUMA node that the user chooses, as a module parameter or in sysfs
 *
 * A node that memory shall be allocated on must not be used unless it has been
 * found to be one: allocators take it as an index. Nodes without memory aren't
 * taken silently either, since memory would come from a node that nobody asked
 * for.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/node_param.h>
#include <linux/numa.h>
#include <linux/printk.h>
#include <linux/string.h>

/**
 * node_param_parse() - Which node does a text name?
 * @val: Text, perhaps with a newline at its end.
 * @valid: Nodes that may be chosen.
 * @node: Receives one of these, or NUMA_NO_NODE for -1. Untouched in case of an
 *	error.
 *
 * Context: Any.
 * Return: Zero, or -EINVAL for everything else.
 */
int node_param_parse(const char *val, const nodemask_t *valid, int *node)
{
	int n;

	if (kstrtoint(val, 0, &n))
		return -EINVAL;
	if (n != NUMA_NO_NODE &&
	    (n < 0 || n >= MAX_NUMNODES || !node_isset(n, *valid)))
		return -EINVAL;
	*node = n;
	return 0;
}
EXPORT_SYMBOL_GPL(node_param_parse);

static void complain(const char *owner, const char *name, const char *val,
		     const char *outcome)
{
	int len = min(strcspn(val, "\n"), 32);

	pr_warn("%s%s%s: '%.*s' isn't a node with memory, valid are: -1,%*pbl%s\n",
		owner, *owner ? ": " : "", name, len, val,
		nodemask_pr_args(&node_states[N_MEMORY]), outcome);
}

/**
 * node_param_store() - Let the user choose a node in sysfs.
 * @name: What the node is for, for the message.
 * @val: What the user wrote.
 * @node: Receives a node that is online and has memory, or NUMA_NO_NODE for -1.
 *	Untouched in case of an error.
 *
 * Anything else is refused with a message that names the valid nodes.
 *
 * Context: Any.
 * Return: Zero or -EINVAL.
 */
int node_param_store(const char *name, const char *val, int *node)
{
	int ret = node_param_parse(val, &node_states[N_MEMORY], node);

	if (ret)
		complain("", name, val, "");
	return ret;
}
EXPORT_SYMBOL_GPL(node_param_store);

#ifdef CONFIG_MODULES
static bool is_loading(const struct kernel_param *kp)
{
	if (kp->mod)
		return kp->mod->state != MODULE_STATE_LIVE;
	return system_state < SYSTEM_RUNNING;
}
#else
static bool is_loading(const struct kernel_param *kp)
{
	return system_state < SYSTEM_RUNNING;
}
#endif

static int node_param_set(const char *val, const struct kernel_param *kp)
{
	const char *owner = kp->mod ? module_name(kp->mod) : "";
	int *node = kp->arg, near = NUMA_NO_NODE;
	char outcome[40];

	if (!node_param_parse(val, &node_states[N_MEMORY], node))
		return 0;
	if (!is_loading(kp)) {
		complain(owner, kp->name, val, "");
		return -EINVAL;
	}

	if (!node_param_parse(val, &node_states[N_ONLINE], &near))
		near = numa_nearest_node(near, N_MEMORY);
	snprintf(outcome, sizeof(outcome), "; going on with %d%s", near,
		 near == NUMA_NO_NODE ? "" : ", the nearest");
	complain(owner, kp->name, val, outcome);
	*node = near;
	return 0;
}

/*
 * Ops of a module parameter that is a NUMA node.
 *
 * For module_param_cb() of a driver, with the address of an int that is
 * NUMA_NO_NODE by default as argument. If a module is loaded, or a kernel booted,
 * with a node that is online but has no memory, the nearest one that has some is
 * taken. Anything else but -1 leaves the default in force: a typing error shall
 * not cost the user their disks. Later, both are refused with -EINVAL. In any case
 * a message names the valid nodes, and the outcome.
 */
const struct kernel_param_ops node_param_ops = {
	.set	= node_param_set,
	.get	= param_get_int,
};
EXPORT_SYMBOL_GPL(node_param_ops);
