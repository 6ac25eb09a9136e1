/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spread layout of a &struct sbitmap: each word lies on the node that owns it.
 * See lib/sbitmap_spread.c for how and why. Included by <linux/sbitmap.h> only.
 */
#ifndef __LINUX_SBITMAP_SPREAD_H
#define __LINUX_SBITMAP_SPREAD_H

#include <linux/bug.h>
#include <linux/nodemask.h>
#include <linux/numa.h>

/**
 * struct sbitmap_owners - Which nodes shall own the words of a spread map.
 * @nodes: Those that may.
 * @min_depth: Depth to which the map may be resized with the owners still having
 *	about the same number of bits; 0 for the depth of the map.
 */
struct sbitmap_owners {
	nodemask_t nodes;
	unsigned int min_depth;
};

/* Of lib/sbitmap.c: all of a queue but its bitmap. */
int sbitmap_queue_init_wait(struct sbitmap_queue *sbq, unsigned int depth,
			    gfp_t flags, int node);

#ifdef CONFIG_SBITMAP_SPREAD

/* A hint that is beyond any depth: the CPU's next get chooses it anew. */
#define SBITMAP_NO_HINT		UINT_MAX

/**
 * struct sbitmap_spread_hint - Where a CPU begins to search in a spread map.
 * @hint: Bit, SBITMAP_NO_HINT if none.
 * @index: Word that the hint is in, known to be of the CPU's home owner;
 *	SBITMAP_NO_HINT if none, and with round robin.
 * @home: Owner whose bits the CPU takes first, SBITMAP_NO_HINT if not yet chosen.
 *
 * The CPU itself chooses its home when it first takes a bit: cpu_to_node() of one
 * that isn't online yet need not be known. In one cache line.
 */
struct sbitmap_spread_hint {
	unsigned int hint;
	unsigned int index;
	unsigned int home;
} __aligned(16);

/**
 * sbitmap_is_spread() - Does each word of a &struct sbitmap have an owner node?
 * @sb: Bitmap.
 *
 * Return: true in the spread layout, false in the flat one.
 */
static inline bool sbitmap_is_spread(const struct sbitmap *sb)
{
	return sb->nr_owners;
}

/* Bytes from one word to the next. */
static inline unsigned int sbitmap_stride(const struct sbitmap *sb)
{
	return sb->stride;
}

static inline void sbitmap_set_flat(struct sbitmap *sb)
{
	sb->hint_rules = 0;
	sb->nr_owners = 0;
	sb->stride = sizeof(*sb->map);
	sb->spread_hint = NULL;
	sb->spread = NULL;
}

/* Also the number of words from one of an owner to the next. */
static inline unsigned int sbitmap_nr_owners(const struct sbitmap *sb)
{
	return sb->nr_owners;
}

/* One test for the two kinds of maps that don't simply take any bit as hint. */
static inline bool sbitmap_hint_rules(const struct sbitmap *sb)
{
	return sb->hint_rules;
}

int sbitmap_init_spread(struct sbitmap *sb, unsigned int depth, int shift,
			gfp_t flags, int node, bool round_robin,
			const struct sbitmap_owners *owners);
int sbitmap_queue_init_spread(struct sbitmap_queue *sbq, unsigned int depth,
			      int shift, bool round_robin, gfp_t flags, int node,
			      const struct sbitmap_owners *owners);
void sbitmap_spread_free(struct sbitmap *sb);
unsigned int sbitmap_spread_next_index(const struct sbitmap *sb,
				       unsigned int first, unsigned int index);
unsigned int sbitmap_spread_first_hint(struct sbitmap *sb, unsigned int depth);
void sbitmap_spread_next_hint(struct sbitmap *sb, int bitnr, unsigned int behind);
void sbitmap_spread_put_far_hint(struct sbitmap *sb,
				 struct sbitmap_spread_hint *h,
				 unsigned int bitnr);
void sbitmap_spread_reset_hints(struct sbitmap *sb);

/* The bit at which this CPU begins to search. */
static inline unsigned int sbitmap_spread_hint(struct sbitmap *sb)
{
	unsigned int depth = READ_ONCE(sb->depth);
	unsigned int hint = this_cpu_read(sb->spread_hint->hint);

	if (unlikely(hint >= depth))
		hint = sbitmap_spread_first_hint(sb, depth);
	return hint;
}

/*
 * A bit was freed that @cpu had got: next time the CPU may begin in its word. In most
 * cases it does already; then the hint stays as it is, and a CPU that completes what
 * another one has submitted doesn't write to a line of that one.
 */
static inline void sbitmap_spread_put_hint(struct sbitmap *sb, int cpu,
					   unsigned int bitnr)
{
	struct sbitmap_spread_hint *h = per_cpu_ptr(sb->spread_hint, cpu);

	if (unlikely(bitnr >> sb->shift != READ_ONCE(h->index)))
		sbitmap_spread_put_far_hint(sb, h, bitnr);
}

int sbitmap_bit_node(const struct sbitmap *sb, unsigned int bitnr);
unsigned int sbitmap_next_owned_bit(const struct sbitmap *sb,
				    unsigned int bitnr);
int sbitmap_cpu_node(const struct sbitmap *sb, int cpu);

#if IS_ENABLED(CONFIG_KUNIT)
/* Where a CPU begins to search. */
static inline unsigned int *sbitmap_cpu_hint(struct sbitmap *sb, int cpu)
{
	if (sbitmap_is_spread(sb))
		return &per_cpu_ptr(sb->spread_hint, cpu)->hint;
	return per_cpu_ptr(sb->alloc_hint, cpu);
}

int __sbitmap_init_spread(struct sbitmap *sb, unsigned int depth, int shift,
			  gfp_t flags, bool round_robin, const int *nodes,
			  unsigned int nr_owners, unsigned int min_depth);
#endif

#else /* !CONFIG_SBITMAP_SPREAD */

static inline bool sbitmap_is_spread(const struct sbitmap *sb)
{
	return false;
}

static inline size_t sbitmap_stride(const struct sbitmap *sb)
{
	return sizeof(*sb->map);
}

static inline void sbitmap_set_flat(struct sbitmap *sb)
{
}

static inline bool sbitmap_hint_rules(const struct sbitmap *sb)
{
	return sb->round_robin;
}

static inline int sbitmap_init_spread(struct sbitmap *sb, unsigned int depth,
				      int shift, gfp_t flags, int node,
				      bool round_robin,
				      const struct sbitmap_owners *owners)
{
	return sbitmap_init_node(sb, depth, shift, flags, node, round_robin,
				 true);
}

int sbitmap_queue_init_node(struct sbitmap_queue *sbq, unsigned int depth,
			    int shift, bool round_robin, gfp_t flags, int node);

static inline int
sbitmap_queue_init_spread(struct sbitmap_queue *sbq, unsigned int depth,
			  int shift, bool round_robin, gfp_t flags, int node,
			  const struct sbitmap_owners *owners)
{
	return sbitmap_queue_init_node(sbq, depth, shift, round_robin, flags,
				       node);
}

static inline unsigned int *sbitmap_cpu_hint(struct sbitmap *sb, int cpu)
{
	return per_cpu_ptr(sb->alloc_hint, cpu);
}

static inline int __sbitmap_init_spread(struct sbitmap *sb, unsigned int depth,
					int shift, gfp_t flags,
					bool round_robin, const int *nodes,
					unsigned int nr_owners,
					unsigned int min_depth)
{
	return -EOPNOTSUPP;
}

static inline void sbitmap_spread_free(struct sbitmap *sb)
{
}

static inline int sbitmap_get_spread(struct sbitmap *sb)
{
	WARN_ON_ONCE(1);
	return -1;
}

static inline int sbitmap_get_shallow_spread(struct sbitmap *sb,
					     unsigned long shallow_depth)
{
	WARN_ON_ONCE(1);
	return -1;
}

static inline unsigned int sbitmap_spread_hint(struct sbitmap *sb)
{
	return 0;
}

static inline void sbitmap_spread_next_hint(struct sbitmap *sb, int bitnr,
					    unsigned int behind)
{
}

static inline unsigned int sbitmap_nr_owners(const struct sbitmap *sb)
{
	return 0;
}

static inline void sbitmap_spread_put_hint(struct sbitmap *sb, int cpu,
					   unsigned int bitnr)
{
}

static inline void sbitmap_spread_reset_hints(struct sbitmap *sb)
{
}

static inline int sbitmap_bit_node(const struct sbitmap *sb,
				   unsigned int bitnr)
{
	return NUMA_NO_NODE;
}

static inline unsigned int sbitmap_next_owned_bit(const struct sbitmap *sb,
						  unsigned int bitnr)
{
	return bitnr + 1;
}

static inline int sbitmap_cpu_node(const struct sbitmap *sb, int cpu)
{
	return NUMA_NO_NODE;
}

#endif /* CONFIG_SBITMAP_SPREAD */
#endif /* __LINUX_SBITMAP_SPREAD_H */
