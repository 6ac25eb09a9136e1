// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of tags, and of the requests behind them, on NUMA nodes
 *
 * With BLK_MQ_F_TAG_SPREAD a tag has an owner node: the word of the bitmap that
 * holds its bit lies there, and so does its request with the driver's data. A
 * CPU gets tags of its own node as long as there are any; see
 * lib/sbitmap_spread.c. Choosing a tag thus chooses all the memory of an I/O.
 */
#include <linux/blkdev.h>
#include <linux/export.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/topology.h>

#include <linux/blk-mq-placement.h>
#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-placement.h"

static const char *const tag_placement_names[] = {
	[BLK_MQ_TAGS_FLAT]	= "flat",
	[BLK_MQ_TAGS_SPREAD]	= "spread",
};

/* The placement that a word stands for, or -EINVAL. */
int blk_mq_match_placement(const char *word)
{
	return sysfs_match_string(tag_placement_names, word);
}

static int tag_placement_param_set(const char *val, const struct kernel_param *kp)
{
	int i = blk_mq_match_placement(val);

	if (i < 0) {
		pr_err("%s: invalid value '%s', valid are: flat, spread\n",
		       kp->name, val);
		return -EINVAL;
	}
	*(enum blk_mq_tag_placement *)kp->arg = i;
	return 0;
}

static int tag_placement_param_get(char *buf, const struct kernel_param *kp)
{
	enum blk_mq_tag_placement p = *(enum blk_mq_tag_placement *)kp->arg;

	return sysfs_emit(buf, "%s\n", tag_placement_names[p]);
}

/*
 * Ops of a module parameter that is "flat" or "spread".
 *
 * For module_param_cb() of a driver, with the address of an
 * &enum blk_mq_tag_placement as argument. Anything else is refused with -EINVAL
 * and a message that names the valid values.
 */
const struct kernel_param_ops blk_mq_tag_placement_param_ops = {
	.set	= tag_placement_param_set,
	.get	= tag_placement_param_get,
};
EXPORT_SYMBOL_GPL(blk_mq_tag_placement_param_ops);

/* The nodes that a hardware queue, or all of them, serves: more than one? */
static bool hctx_nodes(const struct blk_mq_tag_set *set, unsigned int hctx_idx,
		       nodemask_t *nodes)
{
	unsigned int cpu, i;

	nodes_clear(*nodes);
	for_each_possible_cpu(cpu) {
		int node = cpu_to_node(cpu);

		if (node == NUMA_NO_NODE)
			continue;
		for (i = 0; i < set->nr_maps; i++) {
			if (hctx_idx == BLK_MQ_NO_HCTX_IDX ||
			    (set->map[i].nr_queues &&
			     set->map[i].mq_map[cpu] == hctx_idx))
				node_set(node, *nodes);
		}
	}
	return nodes_weight(*nodes) > 1;
}

/**
 * blk_mq_tag_owners() - Which nodes are to own the tags of a hardware queue?
 * @set: Tag set.
 * @hctx_idx: Hardware queue, or BLK_MQ_NO_HCTX_IDX for tags that all queues share.
 * @owners: Receives the nodes, and what the depth may be resized to, if the answer
 *	is true.
 *
 * Tags that only CPUs of one node take are in the right place without an owner
 * as their hardware queue already is on that node.
 *
 * A map is often resized to nr_requests, those of schedulers are made for many more
 * tags than they begin with (MAX_SCHED_RQ). Nodes shall have even shares also of a
 * quarter of the default nr_requests, and of an eighth of a deep queue, for which
 * words of few bits would take more than a page of a node.
 *
 * Context: Any; the queue maps must have been set up.
 * Return: true if the tags shall be spread.
 */
bool blk_mq_tag_owners(const struct blk_mq_tag_set *set, unsigned int hctx_idx,
		       struct sbitmap_owners *owners)
{
	owners->min_depth = max(min(set->queue_depth, BLKDEV_DEFAULT_RQ) / 2,
				set->queue_depth / 8);
	return set->flags & BLK_MQ_F_TAG_SPREAD &&
	       hctx_nodes(set, hctx_idx, &owners->nodes);
}

/**
 * blk_mq_tag_set_owners() - Which nodes own tags, if all queues share them?
 * @set: Tag set.
 * @nodes: Receives the nodes if the answer is true.
 *
 * For maps that a driver spreads as the tags are.
 *
 * Context: Any; the queue maps must have been set up.
 * Return: true if the tags of the set shall be spread.
 */
bool blk_mq_tag_set_owners(const struct blk_mq_tag_set *set, nodemask_t *nodes)
{
	return set->flags & BLK_MQ_F_TAG_SPREAD &&
	       hctx_nodes(set, BLK_MQ_NO_HCTX_IDX, nodes);
}
EXPORT_SYMBOL_GPL(blk_mq_tag_set_owners);

/* Would the tags have more than one owner? */
static bool several_owners(const struct blk_mq_tag_set *set,
			   unsigned int hctx_idx)
{
	nodemask_t nodes;

	hctx_nodes(set, hctx_idx, &nodes);
	nodes_and(nodes, nodes, node_states[N_CPU]);
	nodes_and(nodes, nodes, node_states[N_MEMORY]);
	return nodes_weight(nodes) > 1;
}

static unsigned int nr_owners(const struct blk_mq_tags *tags)
{
	return sbitmap_nr_owners(&tags->bitmap_tags.sb);
}

/**
 * blk_mq_nr_tag_runs() - Number of runs that the tags consist of.
 * @tags: Tags.
 *
 * Return: One if the tags have no owners, else one more than there are owners.
 */
unsigned int blk_mq_nr_tag_runs(const struct blk_mq_tags *tags)
{
	return 1 + nr_owners(tags);
}

/**
 * blk_mq_get_tag_run() - Which tags have their requests where?
 * @tags: Tags.
 * @nr: Number of the run, below blk_mq_nr_tag_runs().
 * @node: Node of the tags that have no owner, or NUMA_NO_NODE.
 * @run: Receives the run. An owner may have no tags if there are too few.
 *
 * Run 0 has the tags without an owner: all of a flat map, else those reserved.
 */
void blk_mq_get_tag_run(const struct blk_mq_tags *tags, unsigned int nr,
			int node, struct blk_mq_tag_run *run)
{
	const struct sbitmap *sb = &tags->bitmap_tags.sb;
	unsigned int bit;

	if (!nr) {
		run->tag = 0;
		run->nr = nr_owners(tags) ? tags->nr_reserved_tags : tags->nr_tags;
		run->node = node;
		return;
	}

	bit = (nr - 1) << sb->shift;
	run->tag = tags->nr_reserved_tags + bit;
	run->node = sbitmap_bit_node(sb, bit);
	for (run->nr = 0; bit < sb->depth; bit = sbitmap_next_owned_bit(sb, bit))
		run->nr++;
}

/**
 * blk_mq_next_tag() - The tag after another one in its run.
 * @tags: Tags.
 * @tag: Tag that isn't the last one of its run.
 *
 * Return: The next tag.
 */
unsigned int blk_mq_next_tag(const struct blk_mq_tags *tags, unsigned int tag)
{
	if (tag < tags->nr_reserved_tags)
		return tag + 1;
	return sbitmap_next_owned_bit(&tags->bitmap_tags.sb,
				      tag - tags->nr_reserved_tags) +
		tags->nr_reserved_tags;
}

/* Is at least one tag map of a queue spread? */
bool blk_mq_is_spread(struct request_queue *q)
{
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i) {
		if (hctx->tags && sbitmap_is_spread(&hctx->tags->bitmap_tags.sb))
			return true;
	}
	return false;
}

/* Would a spread placement of tags differ from the flat one? */
bool blk_mq_can_spread(const struct blk_mq_tag_set *set)
{
	unsigned int i;

	if (blk_mq_is_shared_tags(set->flags))
		return several_owners(set, BLK_MQ_NO_HCTX_IDX);
	for (i = 0; i < set->nr_hw_queues; i++) {
		if (several_owners(set, i))
			return true;
	}
	return false;
}

/* Are the tags to be spread, and on more than one node? */
bool blk_mq_tags_shall_spread(const struct blk_mq_tag_set *set,
			      unsigned int hctx_idx)
{
	return set->flags & BLK_MQ_F_TAG_SPREAD && several_owners(set, hctx_idx);
}
