// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of sbitmap, in the flat and in the spread layout.
 *
 * Spread maps are made for more owners than the machine has nodes by letting
 * several owners be on one node; what depends on real nodes (which memory, whose
 * bits first) is skipped on a machine with one.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sbitmap.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#define MAX_DEPTH	4096
#define MAX_OWNERS	70

/**
 * struct map_case - A kind of map.
 * @depth: Number of bits.
 * @shift: log2 of bits per word, negative for the default.
 * @owners: Number of owners, 0 for a flat map.
 * @min_depth: Least depth with even shares, 0 for @depth.
 */
struct map_case {
	unsigned int depth;
	int shift;
	unsigned int owners;
	unsigned int min_depth;
};

/* Each of these depths ... */
static const unsigned int depths[] = {
	1, 2, 3, 4, 5, 63, 64, 65, 192, 256, 1000, MAX_DEPTH
};

/* ... as each of these kinds of map, ... */
static const struct map_case kinds[] = {
	{ 0, -1, 0 }, { 0, 6, 0 }, { 0, 3, 0 },
	{ 0, -1, 2 }, { 0, 6, 2 }, { 0, 3, 2 },
	{ 0, -1, 3 }, { 0, 6, 3 },
	{ 0, -1, 4 }, { 0, 6, 4 }, { 0, 3, 4 },
	{ 0, -1, 16 }, { 0, 6, 16 },
	{ 0, -1, MAX_OWNERS },
};

/* ... and these, which are to be resized. */
static const struct map_case resized[] = {
	{ 2048, -1, 16, 256 }, { 2048, -1, 3, 100 }, { 1024, -1, 4, 256 },
	{ 320, -1, 4, 256 }, { 280, -1, 16, 256 },
};

static struct map_case map_cases[ARRAY_SIZE(depths) * ARRAY_SIZE(kinds) +
				 ARRAY_SIZE(resized)];

static int sbitmap_suite_init(struct kunit_suite *suite)
{
	unsigned int d, k, n = 0;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (d = 0; d < ARRAY_SIZE(depths); d++) {
			map_cases[n] = kinds[k];
			map_cases[n++].depth = depths[d];
		}
	}
	memcpy(map_cases + n, resized, sizeof(resized));
	return 0;
}

static void map_case_desc(struct map_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "depth %u shift %d owners %u",
		 c->depth, c->shift, c->owners);
}

KUNIT_ARRAY_PARAM(map, map_cases, map_case_desc);

/* Owners 0, 1, ... on the nodes that have memory, in turn. */
static int init_map(struct kunit *test, struct sbitmap *sb,
		    const struct map_case *c, bool round_robin)
{
	int nodes[MAX_OWNERS], node = NUMA_NO_NODE;
	unsigned int i;

	memset(sb, 0xa5, sizeof(*sb));
	if (!c->owners)
		return sbitmap_init_node(sb, c->depth, c->shift, GFP_KERNEL,
					 NUMA_NO_NODE, round_robin, true);

	if (!IS_ENABLED(CONFIG_SBITMAP_SPREAD))
		kunit_skip(test, "kernel without spread maps");
	for (i = 0; i < c->owners; i++) {
		node = node == NUMA_NO_NODE ? first_memory_node :
					      next_memory_node(node);
		if (node >= MAX_NUMNODES)
			node = first_memory_node;
		nodes[i] = node;
	}
	return __sbitmap_init_spread(sb, c->depth, c->shift, GFP_KERNEL,
				     round_robin, nodes, c->owners, c->min_depth);
}

/* A test case has a thread of its own, which ends with it. */
static void run_on(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
}

/* Take bits until there are none; each must be new. Returns how many. */
static unsigned int take_all(struct kunit *test, struct sbitmap *sb,
			     unsigned long *seen)
{
	unsigned int n = 0, misses = 0;
	int nr;

	bitmap_zero(seen, MAX_DEPTH);
	/* Round robin may miss bits before the hint once. */
	while (misses < 1 + sb->round_robin) {
		nr = sbitmap_get(sb);
		if (nr < 0) {
			misses++;
			continue;
		}
		KUNIT_ASSERT_LT(test, (unsigned int)nr, sb->depth);
		KUNIT_ASSERT_FALSE(test, test_and_set_bit(nr, seen));
		n++;
	}
	return n;
}

static void exhaust(struct kunit *test, bool round_robin)
{
	const struct map_case *c = test->param_value;
	static DECLARE_BITMAP(seen, MAX_DEPTH);
	struct sbitmap sb;
	unsigned int i;
	int cpu;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, round_robin));
	for_each_online_cpu(cpu) {
		run_on(test, cpu);
		KUNIT_EXPECT_EQ(test, take_all(test, &sb, seen), c->depth);
		KUNIT_EXPECT_EQ(test, sbitmap_weight(&sb), c->depth);
		KUNIT_EXPECT_EQ(test, sbitmap_get(&sb), -1);
		for (i = 0; i < c->depth; i++)
			sbitmap_put(&sb, i);
		KUNIT_EXPECT_EQ(test, sbitmap_weight(&sb), 0);
	}
	sbitmap_free(&sb);
}

/* Every bit exactly once from every CPU, twice to see deferred clears. */
static void sbitmap_exhaust(struct kunit *test)
{
	exhaust(test, false);
}

static void sbitmap_exhaust_round_robin(struct kunit *test)
{
	exhaust(test, true);
}

/* The last free bit is found, wherever it lies and from every CPU. */
static void sbitmap_last_bit(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	unsigned int step = max(c->depth / 16, 1U), i;
	static DECLARE_BITMAP(seen, MAX_DEPTH);
	struct sbitmap sb;
	int cpu;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	KUNIT_EXPECT_EQ(test, take_all(test, &sb, seen), c->depth);
	for_each_online_cpu(cpu) {
		run_on(test, cpu);
		for (i = 0; i < c->depth; i += step) {
			sbitmap_deferred_clear_bit(&sb, i);
			KUNIT_EXPECT_EQ(test, sbitmap_get(&sb), i);
		}
	}
	sbitmap_free(&sb);
}

static bool collect(struct sbitmap *sb, unsigned int bitnr, void *data)
{
	__set_bit(bitnr, data);
	return true;
}

/* Everything that reads or sets single bits agrees with a plain bitmap. */
static void sbitmap_bits(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	static DECLARE_BITMAP(want, MAX_DEPTH);
	static DECLARE_BITMAP(got, MAX_DEPTH);
	struct sbitmap sb;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	KUNIT_EXPECT_FALSE(test, sbitmap_any_bit_set(&sb));

	bitmap_zero(want, MAX_DEPTH);
	for (i = 0; i < c->depth; i += 1 + i % 7) {
		sbitmap_set_bit(&sb, i);
		__set_bit(i, want);
	}
	/* Cleared for later, cleared at once: both are free. */
	for (i = 0; i < c->depth; i += 11) {
		if (!test_bit(i, want))
			continue;
		if (i % 2)
			sbitmap_deferred_clear_bit(&sb, i);
		else
			sbitmap_clear_bit(&sb, i);
		__clear_bit(i, want);
	}

	bitmap_zero(got, MAX_DEPTH);
	sbitmap_for_each_set(&sb, collect, got);
	KUNIT_EXPECT_TRUE(test, bitmap_equal(want, got, MAX_DEPTH));
	bitmap_zero(got, MAX_DEPTH);
	__sbitmap_for_each_set(&sb, c->depth / 2, collect, got);
	KUNIT_EXPECT_TRUE(test, bitmap_equal(want, got, MAX_DEPTH));
	KUNIT_EXPECT_EQ(test, sbitmap_weight(&sb), bitmap_weight(want, MAX_DEPTH));
	KUNIT_EXPECT_EQ(test, sbitmap_any_bit_set(&sb),
			!bitmap_empty(want, MAX_DEPTH));
	for (i = 0; i < c->depth; i++) {
		bool cleared_later = i % 11 == 0 && i % 2;

		if (!cleared_later)
			KUNIT_EXPECT_EQ(test, !!sbitmap_test_bit(&sb, i),
					test_bit(i, want));
	}
	sbitmap_free(&sb);
}

/* Smaller and back: all bits below the depth and no others, owners keep words. */
static void sbitmap_resizes(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	const unsigned int sizes[] = { c->depth / 2, c->depth / 3, 1, c->depth };
	static DECLARE_BITMAP(seen, MAX_DEPTH);
	struct sbitmap sb;
	unsigned int i, b;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!sizes[i])
			continue;
		sbitmap_resize(&sb, sizes[i]);
		KUNIT_EXPECT_EQ(test, take_all(test, &sb, seen), sizes[i]);
		for (b = 0; b < sizes[i]; b++)
			sbitmap_put(&sb, b);
	}
	sbitmap_free(&sb);
}

/* A batch is free bits of one word, an own one; clearing it frees just them. */
static void sbitmap_batches(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	static DECLARE_BITMAP(seen, MAX_DEPTH);
	int tags[4], nr_tags, offset = 7, owner = -1;
	struct sbitmap_queue sbq = { };
	unsigned int first, n = 0;
	unsigned long mask;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sbq.sb, c, false));
	sbq.wake_batch = 1;
	run_on(test, cpumask_first(cpu_online_mask));
	bitmap_zero(seen, MAX_DEPTH);
	while ((mask = __sbitmap_queue_get_batch(&sbq, 4, &first))) {
		unsigned int bit;

		for_each_set_bit(bit, &mask, 4) {
			KUNIT_ASSERT_LT(test, first + bit, c->depth);
			KUNIT_ASSERT_FALSE(test, test_and_set_bit(first + bit, seen));
			n++;
		}
		if (c->owners) {
			int o = (first >> sbq.sb.shift) % c->owners;

			KUNIT_ASSERT_TRUE(test, owner == -1 || owner == o);
			owner = o;
		}
	}
	KUNIT_EXPECT_EQ(test, sbitmap_weight(&sbq.sb), n);
	if (sbq.sb.shift >= 3 && c->depth >= 8)
		KUNIT_EXPECT_GE(test, n, c->depth / max(c->owners, 1U) / 2);

	/* Free them in the order of bits, four at a time, across words. */
	first = find_first_bit(seen, MAX_DEPTH);
	while (first < MAX_DEPTH) {
		for (nr_tags = 0; nr_tags < 4 && first < MAX_DEPTH; nr_tags++) {
			tags[nr_tags] = first + offset;
			first = find_next_bit(seen, MAX_DEPTH, first + 1);
		}
		sbitmap_queue_clear_batch(&sbq, offset, tags, nr_tags);
		n -= nr_tags;
		KUNIT_EXPECT_EQ(test, sbitmap_weight(&sbq.sb), n);
	}
	sbitmap_free(&sbq.sb);
}

/* A shallow user gets about its share of the map, not of every word. */
static void sbitmap_shallow(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	unsigned int limit = c->depth / 2, n = 0;
	struct sbitmap sb;

	if (!limit)
		kunit_skip(test, "no half of one bit");
	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	while (sbitmap_get_shallow(&sb, limit) >= 0)
		n++;
	KUNIT_EXPECT_LE(test, n, limit);
	KUNIT_EXPECT_GE(test, n + sb.map_nr, limit);
	sbitmap_free(&sb);
}

static void show(struct kunit *test, struct sbitmap *sb,
		 void (*fn)(struct sbitmap *sb, struct seq_file *m), char *buf)
{
	struct seq_file m = { .buf = buf, .size = PAGE_SIZE };

	memset(buf, 0, PAGE_SIZE);
	fn(sb, &m);
	KUNIT_ASSERT_FALSE(test, seq_has_overflowed(&m));
}

/* What debugfs shows are the bits in use, in order; not those cleared for later. */
static void sbitmap_shown(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	char *buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	char *want = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	unsigned int bytes, i, n = 0;
	struct sbitmap sb;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_ASSERT_NOT_NULL(test, want);
	if (c->depth > 1024)
		kunit_skip(test, "more than a page of text");
	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	bytes = DIV_ROUND_UP(c->depth, 8);
	for (i = 0; i < c->depth; i++)
		sbitmap_set_bit(&sb, i);
	/* Leave the first bit of each byte. */
	for (i = 0; i < c->depth; i++) {
		if (i % 8 == 0)
			n++;
		else
			sbitmap_deferred_clear_bit(&sb, i);
	}

	show(test, &sb, sbitmap_show, buf);
	snprintf(want, PAGE_SIZE, "depth=%u\nbusy=%u\ncleared=%u\n", c->depth, n,
		 c->depth - n);
	KUNIT_EXPECT_EQ(test, 0, strncmp(buf, want, strlen(want)));

	show(test, &sb, sbitmap_bitmap_show, buf);
	for (i = 0, n = 0; i < bytes; i++) {
		if (i % 16 == 0)
			n += sprintf(want + n, "%s%08x:", i ? "\n" : "", i);
		n += sprintf(want + n, "%s01", i % 2 ? "" : " ");
	}
	sprintf(want + n, "\n");
	KUNIT_EXPECT_STREQ(test, buf, want);
	sbitmap_free(&sb);
}

static int count_wake(struct wait_queue_entry *wait, unsigned int mode,
		      int flags, void *key)
{
	(*(unsigned int *)wait->private)++;
	list_del_init(&wait->entry);
	return 1;
}

/*
 * One wakes up for each bit that is freed, in batches, whichever owner's bits
 * these are: if all bits of a map are freed, all waiters for one were woken.
 */
static void sbitmap_wakes(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	struct sbitmap_queue sbq = { };
	struct wait_queue_entry *wait;
	unsigned int woken = 0, i, n;
	int cpu = raw_smp_processor_id();

	/* Wait queues of a flat map, for owners that are not nodes. */
	KUNIT_ASSERT_EQ(test, 0, sbitmap_queue_init_node(&sbq, c->depth, -1, false,
							 GFP_KERNEL, NUMA_NO_NODE));
	sbitmap_free(&sbq.sb);
	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sbq.sb, c, false));
	sbitmap_queue_resize(&sbq, c->depth);
	KUNIT_EXPECT_GE(test, sbq.wake_batch, 1U);
	n = min(c->depth, 64U);
	wait = kunit_kcalloc(test, n, sizeof(*wait), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, wait);

	for (i = 0; i < c->depth; i++)
		KUNIT_ASSERT_GE(test, __sbitmap_queue_get(&sbq), 0);
	for (i = 0; i < n; i++) {
		init_waitqueue_func_entry(&wait[i], count_wake);
		wait[i].private = &woken;
		wait[i].flags = WQ_FLAG_EXCLUSIVE;
		INIT_LIST_HEAD(&wait[i].entry);
		add_wait_queue_exclusive(&sbq.ws[i % SBQ_WAIT_QUEUES].wait, &wait[i]);
		atomic_inc(&sbq.ws_active);
	}
	for (i = 0; i < c->depth; i++) {
		sbitmap_queue_clear(&sbq, i, cpu);
		/* All that is due, and not a batch more. */
		KUNIT_ASSERT_EQ(test, woken % sbq.wake_batch,
				woken == n ? n % sbq.wake_batch : 0);
	}
	KUNIT_EXPECT_EQ(test, woken, min(n, rounddown(c->depth, sbq.wake_batch)));
	for (i = 0; i < n; i++)
		remove_wait_queue(&sbq.ws[i % SBQ_WAIT_QUEUES].wait, &wait[i]);
	sbitmap_queue_free(&sbq);
}

/* Owners take turns, so every share is the same but for a part. */
static void sbitmap_shares(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	unsigned int owner, bit, sum, least, most;
	struct sbitmap sb;

	if (!c->owners || c->shift >= 0)
		kunit_skip(test, "of spread maps with the default shift");
	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
again:
	sum = 0;
	most = 0;
	least = UINT_MAX;
	for (owner = 0; owner < c->owners; owner++) {
		unsigned int n = 0;

		for (bit = owner << sb.shift; bit < sb.depth;
		     bit = sbitmap_next_owned_bit(&sb, bit)) {
			KUNIT_EXPECT_EQ(test, (bit >> sb.shift) % c->owners, owner);
			n++;
		}
		sum += n;
		least = min(least, n);
		most = max(most, n);
	}
	KUNIT_EXPECT_EQ(test, sum, sb.depth);
	if (sb.depth >= c->owners)
		KUNIT_EXPECT_GE(test, least, 1);
	KUNIT_EXPECT_LE(test, most - least, max(sb.depth / c->owners / 4, 1U));
	if (c->min_depth && sb.depth > c->min_depth) {
		sbitmap_resize(&sb, c->min_depth);
		goto again;
	}
	sbitmap_free(&sb);
}

static struct page *word_page(const struct sbitmap_word *word)
{
	return is_vmalloc_addr(word) ? vmalloc_to_page(word) : virt_to_page(word);
}

static phys_addr_t word_phys(const struct sbitmap_word *word)
{
	return PFN_PHYS(page_to_pfn(word_page(word))) + offset_in_page(word);
}

/* No two words share a physical cache line, and no word crosses a page. */
static void sbitmap_words_apart(struct kunit *test)
{
	const struct map_case *c = test->param_value;
	struct sbitmap sb;
	unsigned int i, j;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, c, false));
	for (i = 0; i < sb.map_nr; i++) {
		phys_addr_t a = word_phys(sbitmap_word_at(&sb, i));

		if (c->owners)
			KUNIT_EXPECT_LE(test, offset_in_page(a) +
					sizeof(struct sbitmap_word), PAGE_SIZE);
		for (j = 0; j < i && i < 256; j++) {
			phys_addr_t b = word_phys(sbitmap_word_at(&sb, j));

			KUNIT_ASSERT_GE(test, a > b ? a - b : b - a,
					sizeof(struct sbitmap_word));
		}
	}
	sbitmap_free(&sb);
}

/* 1024 tags on four nodes cost a page each, however the words are counted. */
static void sbitmap_pages(struct kunit *test)
{
	const struct map_case c = { 1024, -1, 4 };
	struct page *pages[16];
	struct sbitmap sb;
	unsigned int i, j, n = 0;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, &c, false));
	for (i = 0; i < sb.map_nr; i++) {
		struct page *page = word_page(sbitmap_word_at(&sb, i));

		for (j = 0; j < n && pages[j] != page; j++)
			;
		if (j == n && n < ARRAY_SIZE(pages))
			pages[n++] = page;
	}
	KUNIT_EXPECT_EQ(test, n, c.owners);
	sbitmap_free(&sb);
}

/* The flat layout is what it was: an array of words, one allocation. */
static void sbitmap_flat_array(struct kunit *test)
{
	const struct map_case c = { 256, -1, 0 };
	struct sbitmap sb;

	KUNIT_ASSERT_EQ(test, 0, init_map(test, &sb, &c, false));
	KUNIT_EXPECT_FALSE(test, sbitmap_is_spread(&sb));
	KUNIT_EXPECT_EQ(test, sbitmap_stride(&sb), sizeof(struct sbitmap_word));
	KUNIT_EXPECT_PTR_EQ(test, sbitmap_word_at(&sb, 3), sb.map + 3);
	KUNIT_EXPECT_EQ(test, sbitmap_bit_node(&sb, 17), NUMA_NO_NODE);
	KUNIT_EXPECT_EQ(test, sbitmap_next_owned_bit(&sb, 63), 64);
	sbitmap_free(&sb);
}

static void sbitmap_bad_shift(struct kunit *test)
{
	const struct map_case flat = { 256, ilog2(BITS_PER_LONG) + 1, 0 };
	const struct map_case spread = { 256, ilog2(BITS_PER_LONG) + 1, 4 };
	struct sbitmap sb;

	KUNIT_EXPECT_EQ(test, init_map(test, &sb, &flat, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, init_map(test, &sb, &spread, false), -EINVAL);
}

/* A single possible owner, or a depth of 0: a flat map. */
static void sbitmap_nothing_to_spread(struct kunit *test)
{
	const struct sbitmap_owners one = {
		.nodes = nodemask_of_node(first_memory_node),
	};
	struct sbitmap sb = { };

	KUNIT_ASSERT_EQ(test, 0, sbitmap_init_spread(&sb, 64, -1, GFP_KERNEL,
						     NUMA_NO_NODE, false, &one));
	KUNIT_EXPECT_FALSE(test, sbitmap_is_spread(&sb));
	KUNIT_EXPECT_GE(test, sbitmap_get(&sb), 0);
	sbitmap_free(&sb);

	memset(&sb, 0, sizeof(sb));
	KUNIT_ASSERT_EQ(test, 0, sbitmap_init_spread(&sb, 0, -1, GFP_KERNEL,
						     NUMA_NO_NODE, false, NULL));
	KUNIT_EXPECT_FALSE(test, sbitmap_is_spread(&sb));
	sbitmap_free(&sb);
}

/* A map over the nodes of this machine, or a skip if there is nothing to see. */
static void init_real(struct kunit *test, struct sbitmap_queue *sbq,
		      unsigned int depth)
{
	KUNIT_ASSERT_EQ(test, 0, sbitmap_queue_init_spread(sbq, depth, -1, false,
							   GFP_KERNEL,
							   NUMA_NO_NODE, NULL));
	if (!sbitmap_is_spread(&sbq->sb)) {
		sbitmap_queue_free(sbq);
		kunit_skip(test, "fewer than two nodes with CPUs and memory");
	}
}

static unsigned int bits_of_node(const struct sbitmap *sb, int node)
{
	unsigned int bit, n = 0;

	for (bit = 0; bit < sb->depth; bit++)
		n += sbitmap_bit_node(sb, bit) == node;
	return n;
}

/* The memory of a word is on the node that owns it. */
static void sbitmap_word_nodes(struct kunit *test)
{
	struct sbitmap_queue sbq;
	unsigned int i;

	init_real(test, &sbq, 1024);
	for (i = 0; i < sbq.sb.map_nr; i++)
		KUNIT_EXPECT_EQ(test,
				page_to_nid(word_page(sbitmap_word_at(&sbq.sb, i))),
				sbitmap_bit_node(&sbq.sb, i << sbq.sb.shift));
	sbitmap_queue_free(&sbq);
}

/* A CPU takes all bits of its own node, then those of ever farther ones. */
static void sbitmap_own_first(struct kunit *test)
{
	static const unsigned int sizes[] = { 64, 192, 256, 1000 };
	struct sbitmap_queue sbq;
	unsigned int d, n;
	int cpu;

	for (d = 0; d < ARRAY_SIZE(sizes); d++) {
		init_real(test, &sbq, sizes[d]);
		for_each_online_cpu(cpu) {
			int home = sbitmap_cpu_node(&sbq.sb, cpu), last = home;
			unsigned int own = bits_of_node(&sbq.sb, home);

			run_on(test, cpu);
			if (bits_of_node(&sbq.sb, cpu_to_node(cpu)))
				KUNIT_EXPECT_EQ(test, home, cpu_to_node(cpu));
			for (n = 0; n < sizes[d]; n++) {
				int node = sbitmap_bit_node(&sbq.sb,
						__sbitmap_queue_get(&sbq));

				KUNIT_ASSERT_EQ(test, n < own, node == home);
				KUNIT_ASSERT_GE(test, node_distance(home, node),
						node_distance(home, last));
				last = node;
			}
			for (n = 0; n < sizes[d]; n++)
				sbitmap_queue_clear(&sbq, n, cpu);
		}
		sbitmap_queue_free(&sbq);
	}
}

/* Foreign bits, freed here or for this CPU elsewhere, don't become its hint. */
static void sbitmap_hint_stays(struct kunit *test)
{
	struct sbitmap_queue sbq;
	unsigned int i;
	int cpu, nr;

	init_real(test, &sbq, 256);
	for_each_online_cpu(cpu) {
		int home = sbitmap_cpu_node(&sbq.sb, cpu);

		run_on(test, cpu);
		for (i = 0; i < sbq.sb.depth; i++) {
			sbitmap_set_bit(&sbq.sb, i);
			sbitmap_queue_clear(&sbq, i, cpu);
			nr = __sbitmap_queue_get(&sbq);
			KUNIT_ASSERT_EQ(test, sbitmap_bit_node(&sbq.sb, nr), home);
			sbitmap_put(&sbq.sb, nr);
		}
	}
	sbitmap_queue_free(&sbq);
}

/* A foreign hint, should there ever be one, is given up after one use. */
static void sbitmap_hint_heals(struct kunit *test)
{
	int cpu = cpumask_first(cpu_online_mask), nr;
	struct sbitmap_queue sbq;
	unsigned int bit;

	init_real(test, &sbq, 256);
	run_on(test, cpu);
	nr = __sbitmap_queue_get(&sbq);
	sbitmap_queue_clear(&sbq, nr, cpu);
	for (bit = 0; bit < sbq.sb.depth; bit++)
		if (sbitmap_bit_node(&sbq.sb, bit) != sbitmap_cpu_node(&sbq.sb, cpu))
			break;
	bit += 3;
	*sbitmap_cpu_hint(&sbq.sb, cpu) = bit;
	nr = __sbitmap_queue_get(&sbq);
	KUNIT_EXPECT_EQ(test, sbitmap_bit_node(&sbq.sb, nr),
			sbitmap_bit_node(&sbq.sb, bit));
	sbitmap_queue_clear(&sbq, nr, cpu);
	nr = __sbitmap_queue_get(&sbq);
	KUNIT_EXPECT_EQ(test, sbitmap_bit_node(&sbq.sb, nr),
			sbitmap_cpu_node(&sbq.sb, cpu));
	sbitmap_queue_free(&sbq);
}

/* After any resize a CPU still finds bits of its own node first. */
static void sbitmap_resize_keeps_shares(struct kunit *test)
{
	static const unsigned int sizes[] = { 128, 64, 16, 1024 };
	struct sbitmap_queue sbq;
	unsigned int d;
	int cpu, nr;

	init_real(test, &sbq, 1024);
	for (d = 0; d < ARRAY_SIZE(sizes); d++) {
		sbitmap_queue_resize(&sbq, sizes[d]);
		for_each_online_cpu(cpu) {
			run_on(test, cpu);
			nr = __sbitmap_queue_get(&sbq);
			KUNIT_ASSERT_GE(test, nr, 0);
			KUNIT_EXPECT_EQ(test, sbitmap_bit_node(&sbq.sb, nr),
					sbitmap_cpu_node(&sbq.sb, cpu));
			sbitmap_queue_clear(&sbq, nr, cpu);
		}
	}
	sbitmap_queue_free(&sbq);
}

static const struct kunit_attributes slow = {
	.speed = KUNIT_SPEED_SLOW,
};

static struct kunit_case sbitmap_test_cases[] = {
	KUNIT_CASE_PARAM_ATTR(sbitmap_exhaust, map_gen_params, slow),
	KUNIT_CASE_PARAM_ATTR(sbitmap_exhaust_round_robin, map_gen_params, slow),
	KUNIT_CASE_PARAM(sbitmap_last_bit, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_bits, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_resizes, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_batches, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_shallow, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_shown, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_wakes, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_shares, map_gen_params),
	KUNIT_CASE_PARAM(sbitmap_words_apart, map_gen_params),
	KUNIT_CASE(sbitmap_pages),
	KUNIT_CASE(sbitmap_flat_array),
	KUNIT_CASE(sbitmap_bad_shift),
	KUNIT_CASE(sbitmap_nothing_to_spread),
	KUNIT_CASE(sbitmap_word_nodes),
	KUNIT_CASE(sbitmap_own_first),
	KUNIT_CASE(sbitmap_hint_stays),
	KUNIT_CASE(sbitmap_hint_heals),
	KUNIT_CASE(sbitmap_resize_keeps_shares),
	{}
};

static struct kunit_suite sbitmap_test_suite = {
	.name = "sbitmap",
	.suite_init = sbitmap_suite_init,
	.test_cases = sbitmap_test_cases,
};

kunit_test_suite(sbitmap_test_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests of sbitmap");
MODULE_LICENSE("GPL");
