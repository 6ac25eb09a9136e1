// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placement of tags and requests in debugfs: where they are, and from where the
 * CPUs of each node take them.
 */
#include <linux/jump_label_ratelimit.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-placement-debugfs.h"

/*
 * Deferred, as tags are freed where the locks of static keys can't be taken:
 * while a queue is frozen, CPU hotplug may be waiting for its requests.
 */
DEFINE_STATIC_KEY_DEFERRED_FALSE(blk_mq_tag_gets_key, HZ);

/*
 * Tags belong to a set, so several queues may be told to count the same ones. Not
 * taken when tags are freed: nobody else knows them by then.
 */
static DEFINE_MUTEX(tag_gets_mutex);

struct tag_gets {
	u64 own;
	u64 foreign;
};

/* Node of the memory that a bit is in. */
static int bit_memory_node(const struct sbitmap *sb, unsigned int bit)
{
	void *word = sbitmap_word_at(sb, SB_NR_TO_INDEX(sb, bit));

	return page_to_nid(is_vmalloc_addr(word) ? vmalloc_to_page(word) :
						   virt_to_page(word));
}

/* Nobody owns a bit of a flat map, but its word is somewhere. */
static int bit_owner_node(const struct sbitmap *sb, unsigned int bit)
{
	return sbitmap_is_spread(sb) ? sbitmap_bit_node(sb, bit) :
				       bit_memory_node(sb, bit);
}

static void show_tag_nodes(struct seq_file *m, const struct blk_mq_tags *tags,
			   const char *name)
{
	const struct sbitmap *sb = &tags->bitmap_tags.sb;
	unsigned int i;

	seq_printf(m, "%s: placement=%s depth=%u bits_per_word=%u\n", name,
		   sbitmap_is_spread(sb) ? "spread" : "flat", sb->depth,
		   1U << sb->shift);
	for (i = 0; i < sb->map_nr; i++) {
		unsigned int bit = i << sb->shift;

		seq_printf(m, "word=%u bits=%u-%u owner=%d memory=%d\n", i, bit,
			   bit + __map_depth(sb, i) - 1, bit_owner_node(sb, bit),
			   bit_memory_node(sb, bit));
	}
}

static void show_rq_nodes(struct seq_file *m, const struct blk_mq_tags *tags,
			  const char *name)
{
	const struct sbitmap *sb = &tags->bitmap_tags.sb;
	unsigned int bit;

	seq_printf(m, "%s:\n", name);
	for (bit = 0; bit < sb->depth; bit++) {
		unsigned int tag = bit + tags->nr_reserved_tags;

		seq_printf(m, "tag=%u owner=%d node=%d\n", tag,
			   bit_owner_node(sb, bit),
			   page_to_nid(virt_to_page(tags->static_rqs[tag])));
	}
}

static void show_tag_gets(struct seq_file *m, const struct blk_mq_tags *tags,
			  const char *name)
{
	int node, cpu;

	seq_printf(m, "%s: counting=%d\n", name, tags->count_gets);
	if (!tags->gets)
		return;

	for_each_node_state(node, N_CPU) {
		u64 own = 0, foreign = 0;

		for_each_possible_cpu(cpu) {
			const struct tag_gets *g = per_cpu_ptr(tags->gets, cpu);

			if (cpu_to_node(cpu) != node)
				continue;
			own += READ_ONCE(g->own);
			foreign += READ_ONCE(g->foreign);
		}
		seq_printf(m, "node=%d own=%llu foreign=%llu\n", node, own,
			   foreign);
	}
}

static int show_hctx(void *data, struct seq_file *m,
		     void (*show)(struct seq_file *m,
				  const struct blk_mq_tags *tags,
				  const char *name))
{
	struct blk_mq_hw_ctx *hctx = data;
	struct request_queue *q = hctx->queue;
	int res;

	res = mutex_lock_interruptible(&q->sysfs_lock);
	if (res)
		return res;
	if (hctx->tags)
		show(m, hctx->tags, "tags");
	if (hctx->sched_tags)
		show(m, hctx->sched_tags, "sched_tags");
	mutex_unlock(&q->sysfs_lock);
	return 0;
}

int hctx_tag_nodes_show(void *data, struct seq_file *m)
{
	return show_hctx(data, m, show_tag_nodes);
}

int hctx_rq_nodes_show(void *data, struct seq_file *m)
{
	return show_hctx(data, m, show_rq_nodes);
}

int hctx_tag_gets_show(void *data, struct seq_file *m)
{
	return show_hctx(data, m, show_tag_gets);
}

/* Tags live on the node of the CPU if that owns any, else on the nearest owner. */
void __blk_mq_tags_got(struct blk_mq_tags *tags, unsigned int tag,
		       unsigned int nr)
{
	const struct sbitmap *sb = &tags->bitmap_tags.sb;
	struct tag_gets __percpu *gets;
	int cpu, node;

	/* Pairs with the release in count_gets(): there are counters. */
	if (!smp_load_acquire(&tags->count_gets) || tag < tags->nr_reserved_tags)
		return;

	gets = tags->gets;
	cpu = raw_smp_processor_id();
	node = sbitmap_cpu_node(sb, cpu);
	if (node == NUMA_NO_NODE)
		node = cpu_to_node(cpu);
	if (bit_owner_node(sb, tag - tags->nr_reserved_tags) == node)
		this_cpu_add(gets->own, nr);
	else
		this_cpu_add(gets->foreign, nr);
}

static int count_gets(struct blk_mq_tags *tags, bool on)
{
	int cpu;

	if (!tags)
		return 0;
	if (on && !tags->gets)
		tags->gets = alloc_percpu(struct tag_gets);
	if (on && !tags->gets)
		return -ENOMEM;

	if (on) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(tags->gets, cpu), 0,
			       sizeof(struct tag_gets));
	}
	if (on && !tags->count_gets)
		static_branch_inc(&blk_mq_tag_gets_key.key);
	else if (!on && tags->count_gets)
		static_branch_slow_dec_deferred(&blk_mq_tag_gets_key);
	/* Pairs with the acquire in __blk_mq_tags_got(). */
	smp_store_release(&tags->count_gets, on);
	return 0;
}

/* "1" begins to count at zero, "0" stops. */
ssize_t hctx_tag_gets_write(void *data, const char __user *buf, size_t count,
			    loff_t *ppos)
{
	struct blk_mq_hw_ctx *hctx = data;
	struct request_queue *q = hctx->queue;
	unsigned int on, noio;
	int res;

	res = kstrtouint_from_user(buf, count, 0, &on);
	if (res)
		return res;
	if (on > 1)
		return -EINVAL;

	mutex_lock(&q->sysfs_lock);
	mutex_lock(&tag_gets_mutex);
	/* Who holds sysfs_lock with the queue frozen may wait for us. */
	noio = memalloc_noio_save();
	res = count_gets(hctx->tags, on);
	if (!res)
		res = count_gets(hctx->sched_tags, on);
	memalloc_noio_restore(noio);
	mutex_unlock(&tag_gets_mutex);
	mutex_unlock(&q->sysfs_lock);
	return res ?: count;
}

/* The tags are about to be freed, nobody can get one any more. */
void blk_mq_tag_gets_free(struct blk_mq_tags *tags)
{
	count_gets(tags, false);
	free_percpu(tags->gets);
}

/* Others replace these tags: go on counting with them. Nobody can get one now. */
void blk_mq_tag_gets_move(struct blk_mq_tags *to, struct blk_mq_tags *from)
{
	to->gets = from->gets;
	to->count_gets = from->count_gets;
	from->gets = NULL;
	from->count_gets = false;
}
