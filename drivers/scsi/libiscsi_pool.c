// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of iSCSI tasks, one for each NUMA node
 *
 * A session has one FIFO of tasks, all from the node of whoever logged in. A
 * command gets whichever task has been free for longest, so that tasks move from
 * node to node with all that belongs to them: the PDU's header, R2Ts, state of
 * the transfer.
 *
 * If the tags of the host are spread over nodes when the session is set up, each
 * node that owns tags has a FIFO of its own instead, with an even share of the
 * tasks, on that node. A command gets a task from the node where the command
 * itself is, that of its tag; from the nearest node that has one if there is none
 * left: one node can use all of them. A task always goes back to where it came
 * from. Management takes from the fullest pool, so that all nodes give the same.
 *
 * As with the one FIFO, tasks are taken under the session's frwd_lock and put
 * back under its back_lock: one producer and one consumer at a time, which is all
 * that a kfifo needs.
 */
#include <linux/blk-mq-placement.h>
#include <linux/debugfs.h>
#include <linux/kfifo.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_host.h>
#include <scsi/scsi_transport_iscsi.h>

#include "libiscsi_pool.h"

/**
 * struct task_pool - The tasks of a node.
 * @queue: Those that no one uses. It has room for each task of the node.
 * @node: The node.
 * @own: Tasks that commands on the node got from it. Under frwd_lock, like @foreign.
 * @foreign: Tasks that they got from other pools.
 * @tasks: Memory of @queue.
 */
struct task_pool {
	struct kfifo queue;
	int node;
	u64 own;
	u64 foreign;
	struct iscsi_task *tasks[];
};

/**
 * struct iscsi_task_pools - The pools of a session.
 * @owners: Nodes that have a pool.
 * @nearest: For each possible node the pool from which commands on it take tasks.
 */
struct iscsi_task_pools {
	nodemask_t owners;
	struct task_pool *nearest[];
};

static struct dentry *debugfs_root;

static int memory_node(const void *p)
{
	return page_to_nid(virt_to_page(p));
}

static struct task_pool *alloc_pool(int node, unsigned int nr_tasks)
{
	unsigned int size = roundup_pow_of_two(nr_tasks);
	struct task_pool *pool;

	pool = kzalloc_node(struct_size(pool, tasks, size), GFP_KERNEL, node);
	if (!pool)
		return NULL;
	pool->node = node;
	kfifo_init(&pool->queue, pool->tasks, size * sizeof(*pool->tasks));
	return pool;
}

/* The nearest pool with a task, or the nearest one at all. */
static struct task_pool *nearest_pool(const struct iscsi_task_pools *pools,
				      int node, bool with_task)
{
	struct task_pool *pool, *best = NULL;
	int owner, distance, least = 0;

	for_each_node_mask(owner, pools->owners) {
		pool = pools->nearest[owner];
		if (with_task && kfifo_is_empty(&pool->queue))
			continue;
		distance = node_distance(node, owner);
		if (!best || distance < least) {
			best = pool;
			least = distance;
		}
	}
	return best;
}

static struct task_pool *fullest_pool(const struct iscsi_task_pools *pools)
{
	struct task_pool *pool, *best = NULL;
	int owner;

	for_each_node_mask(owner, pools->owners) {
		pool = pools->nearest[owner];
		if (!best || kfifo_len(&pool->queue) > kfifo_len(&best->queue))
			best = pool;
	}
	return best;
}

static void free_pools(struct iscsi_task_pools *pools)
{
	int node;

	for_each_node_mask(node, pools->owners)
		kfree(pools->nearest[node]);
	kfree(pools);
}

/* Empty pools on the owner nodes of the host's tags. NULL: one FIFO shall do. */
static struct iscsi_task_pools *alloc_pools(struct Scsi_Host *shost,
					    unsigned int nr_tasks)
{
	struct iscsi_task_pools *pools;
	unsigned int share;
	nodemask_t owners;
	int node;

	if (!blk_mq_tag_set_owners(&shost->tag_set, &owners))
		return NULL;
	nodes_and(owners, owners, node_states[N_CPU]);
	nodes_and(owners, owners, node_states[N_MEMORY]);
	if (nodes_weight(owners) < 2)
		return NULL;

	pools = kzalloc_node(struct_size(pools, nearest, nr_node_ids),
			     GFP_KERNEL, shost->numa_node);
	if (!pools)
		return NULL;

	share = DIV_ROUND_UP(nr_tasks, nodes_weight(owners));
	for_each_node_mask(node, owners) {
		pools->nearest[node] = alloc_pool(node, share);
		if (!pools->nearest[node]) {
			free_pools(pools);
			return NULL;
		}
		node_set(node, pools->owners);
	}
	for_each_node(node) {
		if (!node_isset(node, pools->owners))
			pools->nearest[node] = nearest_pool(pools, node, false);
	}
	return pools;
}

/**
 * iscsi_task_pools_node() - The node of a task.
 * @pools: Pools.
 * @i: Number of the task in the session.
 *
 * Return: A node that has a pool.
 */
int iscsi_task_pools_node(const struct iscsi_task_pools *pools, unsigned int i)
{
	int node = first_node(pools->owners);

	for (i %= nodes_weight(pools->owners); i; i--)
		node = next_node(node, pools->owners);
	return node;
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_node);

/**
 * iscsi_task_pools_init() - Allocate the tasks of a session in pools.
 * @session: Session, whose host has its tags.
 * @task_size: Size of a task with the driver's data behind it.
 *
 * iscsi_pool_free() of the session's cmdpool frees the tasks.
 *
 * Context: May sleep.
 * Return: false if one FIFO shall do, because the tags aren't spread over several
 *	nodes or because there is no memory; nothing is allocated then.
 */
bool iscsi_task_pools_init(struct iscsi_session *session, int task_size)
{
	unsigned int nr = session->cmds_max, i;
	struct Scsi_Host *shost = session->host;
	struct iscsi_task_pools *pools;
	struct iscsi_task *task;
	void **tasks;
	int node;

	pools = alloc_pools(shost, nr);
	if (!pools)
		return false;

	tasks = kvzalloc_node(array_size(nr, sizeof(*tasks)), GFP_KERNEL,
			      shost->numa_node);
	if (!tasks)
		goto free_pools;

	for (i = 0; i < nr; i++) {
		node = iscsi_task_pools_node(pools, i);
		task = kzalloc_node(task_size, GFP_KERNEL, node);
		if (!task)
			goto free_tasks;
		kfifo_in(&pools->nearest[node]->queue, (void *)&task,
			 sizeof(task));
		tasks[i] = task;
	}

	session->pools = pools;
	session->cmds = (struct iscsi_task **)tasks;
	session->cmdpool.pool = tasks;
	session->cmdpool.max = nr;
	return true;

free_tasks:
	while (i)
		kfree(tasks[--i]);
	kvfree(tasks);
free_pools:
	free_pools(pools);
	return false;
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_init);

/**
 * iscsi_task_pools_free() - Free the pools of a session, but not the tasks.
 * @session: Session. None of its tasks may be in use.
 */
void iscsi_task_pools_free(struct iscsi_session *session)
{
	if (session->pools)
		free_pools(session->pools);
	session->pools = NULL;
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_free);

static struct iscsi_task *take_task(struct task_pool *pool)
{
	struct iscsi_task *task;

	if (!kfifo_out(&pool->queue, (void *)&task, sizeof(task)))
		return NULL;
	return task;
}

/**
 * iscsi_task_pools_get() - Take a task.
 * @pools: Pools.
 * @sc: Command that it is for, or NULL.
 *
 * Context: Any; under the session's frwd_lock.
 * Return: A task, from the node of the command if there is one; NULL if all are
 *	in use.
 */
struct iscsi_task *iscsi_task_pools_get(struct iscsi_task_pools *pools,
					struct scsi_cmnd *sc)
{
	struct task_pool *pool, *home;
	struct iscsi_task *task;

	if (!sc)
		return take_task(fullest_pool(pools));

	home = pools->nearest[memory_node(sc)];
	task = take_task(home);
	if (!task) {
		pool = nearest_pool(pools, home->node, true);
		if (!pool)
			return NULL;
		task = take_task(pool);
	}
	if (task->node == home->node)
		home->own++;
	else
		home->foreign++;
	return task;
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_get);

/**
 * iscsi_task_pools_put() - Put a task back to where it came from.
 * @pools: Pools.
 * @task: Task.
 *
 * Context: Any; under the session's back_lock.
 */
void iscsi_task_pools_put(struct iscsi_task_pools *pools,
			  struct iscsi_task *task)
{
	kfifo_in(&pools->nearest[task->node]->queue, (void *)&task, sizeof(task));
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_put);

static void show_node(struct seq_file *m, const struct iscsi_session *session,
		      int node)
{
	unsigned int owned = 0, here = 0;
	struct task_pool *pool;
	int i;

	for (i = 0; i < session->cmds_max; i++) {
		owned += session->cmds[i]->node == node;
		here += memory_node(session->cmds[i]) == node;
	}
	seq_printf(m, "node=%d owned=%u memory=%u", node, owned, here);
	if (session->pools && node_isset(node, session->pools->owners)) {
		pool = session->pools->nearest[node];
		seq_printf(m, " free=%zu own=%llu foreign=%llu",
			   kfifo_len(&pool->queue) / sizeof(*pool->tasks),
			   pool->own, pool->foreign);
	}
	seq_putc(m, '\n');
}

static int task_nodes_show(struct seq_file *m, void *unused)
{
	struct iscsi_session *session = m->private;
	int node;

	spin_lock_bh(&session->frwd_lock);
	seq_printf(m, "session: node=%d\n", memory_node(session));
	if (session->leadconn)
		seq_printf(m, "connection: node=%d\n",
			   memory_node(session->leadconn));
	seq_printf(m, "tasks: nr=%d", session->cmds_max);
	if (!session->pools)
		seq_printf(m, " free=%zu",
			   kfifo_len(&session->cmdpool.queue) / sizeof(void *));
	spin_unlock_bh(&session->frwd_lock);
	seq_putc(m, '\n');
	for_each_node_state(node, N_MEMORY)
		show_node(m, session, node);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(task_nodes);

/**
 * iscsi_task_pools_show() - Show in debugfs where a session and its tasks are.
 * @session: Session that has its number.
 *
 * Context: May sleep.
 */
void iscsi_task_pools_show(struct iscsi_session *session)
{
	char name[32];

	snprintf(name, sizeof(name), "session%u", session->cls_session->sid);
	session->debugfs = debugfs_create_dir(name, debugfs_root);
	debugfs_create_file("task_nodes", 0400, session->debugfs, session,
			    &task_nodes_fops);
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_show);

/**
 * iscsi_task_pools_hide() - No longer do so.
 * @session: Session, before its tasks are freed.
 *
 * Context: May sleep: waits for readers.
 */
void iscsi_task_pools_hide(struct iscsi_session *session)
{
	debugfs_remove(session->debugfs);
	session->debugfs = NULL;
}
EXPORT_SYMBOL_GPL(iscsi_task_pools_hide);

static int __init libiscsi_pool_init(void)
{
	debugfs_root = debugfs_create_dir("iscsi", NULL);
	return 0;
}
module_init(libiscsi_pool_init);

static void __exit libiscsi_pool_exit(void)
{
	debugfs_remove(debugfs_root);
}
module_exit(libiscsi_pool_exit);

MODULE_DESCRIPTION("iSCSI task pools on NUMA nodes");
MODULE_LICENSE("GPL");
