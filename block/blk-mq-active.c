// SPDX-License-Identifier: GPL-2.0-only
/*
 * Active requests of a queue that shares tags with others, counted by node
 *
 * Queues that share tags are held to a fair part of them, so each counts its
 * active requests. With tags shared by all hardware queues there is one counter
 * for the queue, which every node writes for each request.
 *
 * Where tags are spread, let the hardware queues of a node have a counter in
 * common: that of the first of them, the leader, which is unused otherwise. A
 * request is counted by its hardware queue's node when it begins and when it
 * ends, so no counter drifts. A node that is below its part of what the queue
 * may have needs no other counter; only one above it adds up all of them. All
 * I/O from one node can thus use all that the queue may have. For a moment, when
 * other nodes join in, the queue has up to twice that.
 */
#include <linux/blk-mq.h>

#include "blk.h"
#include "blk-mq.h"

/* Number of active requests of a queue that counts them by node. */
int blk_mq_sum_active(const struct blk_mq_hw_ctx *hctx)
{
	const struct blk_mq_hw_ctx *leader = hctx->by_node.leader, *l = leader;
	int sum = 0;

	do {
		sum += atomic_read(&l->nr_active);
		l = l->by_node.next;
	} while (l != leader);
	return sum;
}

/**
 * blk_mq_node_below() - May a hardware queue have one more active request?
 * @hctx: Hardware queue, of a queue that counts by node.
 * @depth: How many the queue may have.
 *
 * Context: Any; a reference to the queue is held.
 * Return: true if the queue has less than @depth, or its node less than its part.
 */
bool blk_mq_node_below(const struct blk_mq_hw_ctx *hctx, unsigned int depth)
{
	const struct blk_mq_hw_ctx *leader = hctx->by_node.leader;

	if (atomic_read(&leader->nr_active) < depth / leader->by_node.nr)
		return true;
	return blk_mq_sum_active(hctx) < depth;
}

static struct blk_mq_hw_ctx *find_leader(struct blk_mq_hw_ctx *first,
					 struct blk_mq_hw_ctx *hctx)
{
	struct blk_mq_hw_ctx *l = first;

	do {
		if (l->numa_node == hctx->numa_node)
			return l;
		l = l->by_node.next;
	} while (l != first);

	/* Let it lead, behind the first one. */
	hctx->by_node.next = first->by_node.next;
	first->by_node.next = hctx;
	return hctx;
}

/**
 * blk_mq_init_active() - Let the hardware queues of a node count together.
 * @q: Queue.
 *
 * Without effect as long as the tags aren't spread.
 *
 * Context: The queue has no active request: it is frozen or new.
 */
void blk_mq_init_active(struct request_queue *q)
{
	struct blk_mq_hw_ctx *hctx, *first = NULL;
	unsigned int nr = 0;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i) {
		if (!first) {
			first = hctx;
			first->by_node.next = first;
		}
		hctx->by_node.leader = find_leader(first, hctx);
		nr += hctx->by_node.leader == hctx;
	}
	queue_for_each_hw_ctx(q, hctx, i)
		hctx->by_node.nr = nr;
}
