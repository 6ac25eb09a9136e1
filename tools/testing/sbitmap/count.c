// SPDX-License-Identifier: GPL-2.0-only
/*
 * count flat|spread: single operations, for "valgrind --tool=callgrind
 * --collect-atstart=no --cache-sim=yes". Dumps the costs of each case, with "CASE
 * WORDS OPERATIONS" as trigger; costs.awk makes the table.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sbitmap.h>

#include "shim.h"

#define DEPTH	256
#define NR	1280	/* of each operation: deferred clears come every 64th time */
#define BATCH	4

/* At the place in its cache line that it has in struct blk_mq_tags. */
static struct {
	unsigned int nr_tags, nr_reserved_tags, active_queues;
	struct sbitmap_queue bitmap_tags;
} blk_mq_tags __attribute__((aligned(SMP_CACHE_BYTES)));
#define sbq blk_mq_tags.bitmap_tags

static int nr, tags[BATCH];
static unsigned long mask;
static unsigned int first;

static noinline void nothing(void)
{
	barrier();
}

static noinline void get(void)
{
	nr = sbitmap_get(&sbq.sb);
}

static noinline void put(void)
{
	sbitmap_put(&sbq.sb, nr);
}

static noinline void queue_get(void)
{
	nr = __sbitmap_queue_get(&sbq);
}

static noinline void queue_clear(void)
{
	sbitmap_queue_clear(&sbq, nr, raw_smp_processor_id());
}

static noinline void get_shallow(void)
{
	nr = sbitmap_queue_get_shallow(&sbq, DEPTH / 2);
}

static noinline void get_batch(void)
{
	mask = __sbitmap_queue_get_batch(&sbq, BATCH, &first);
}

static noinline void clear_batch(void)
{
	sbitmap_queue_clear_batch(&sbq, 0, tags, BATCH);
}

static void batch_tags(void)
{
	int i;

	if (mask != (1UL << BATCH) - 1)
		errx(1, "no batch of %d", BATCH);
	for (i = 0; i < BATCH; i++)
		tags[i] = first + i;
}

static void get_batch_tags(void)
{
	get_batch();
	batch_tags();
}

static void clear_batch_tags(void)
{
	batch_tags();
	clear_batch();
}

static unsigned int *cpu_hint(void)
{
#ifdef CONFIG_SBITMAP_SPREAD
	if (sbitmap_is_spread(&sbq.sb))
		return &per_cpu_ptr(sbq.sb.spread_hint, raw_smp_processor_id())->hint;
#endif
	return per_cpu_ptr(sbq.sb.alloc_hint, raw_smp_processor_id());
}

/* Search from the first word on. In both layouts the last word comes last. */
static void rewind_hint(void)
{
	*cpu_hint() = 0;
}

static void free_last(void)
{
	sbitmap_clear_bit(&sbq.sb, DEPTH - 8);
	rewind_hint();
}

/**
 * struct count_case - An operation.
 * @name: Name.
 * @words: Words of the map that it looks at.
 * @full: All bits are taken before.
 * @before: What is to be done before each operation, not counted.
 * @op: The operation.
 * @after: What is to be done after it.
 */
static const struct count_case {
	const char *name;
	unsigned int words;
	bool full;
	void (*before)(void);
	void (*op)(void);
	void (*after)(void);
} cases[] = {
	{ "nothing", 0, false, nothing, nothing, nothing },
	{ "sbitmap_get", 1, false, nothing, get, put },
	{ "sbitmap_put", 1, false, get, put, nothing },
	{ "__sbitmap_queue_get", 1, false, nothing, queue_get, queue_clear },
	{ "sbitmap_queue_clear", 1, false, queue_get, queue_clear, nothing },
	{ "sbitmap_queue_get_shallow", 1, false, nothing, get_shallow, queue_clear },
	{ "__sbitmap_queue_get_batch", 1, false, nothing, get_batch, clear_batch_tags },
	{ "sbitmap_queue_clear_batch", BATCH, false, get_batch_tags, clear_batch, nothing },
	{ "get-in-fourth-word", 4, true, free_last, get, nothing },
	{ "get-from-full-map", 4, true, rewind_hint, get, nothing },
};

/* The stack is warm: where a frame begins in its line is no property of the code. */
static noinline void touch_stack(void)
{
	volatile char frame[PAGE_SIZE];
	unsigned int i;

	for (i = 0; i < sizeof(frame); i += SMP_CACHE_BYTES)
		frame[i] = 0;
}

/* Twice the modelled cache, so that each line is a miss once per operation. */
static noinline void flush(void)
{
	static volatile char buffer[64 << 10];
	unsigned int i;

	for (i = 0; i < sizeof(buffer); i += SMP_CACHE_BYTES)
		buffer[i];
	touch_stack();
}

static void init_map(bool spread)
{
	if (shim_init_queue(&sbq, DEPTH, -1, false, spread))
		errx(1, "no map");
	sbitmap_queue_min_shallow_depth(&sbq, DEPTH / 2);
	/* A spread map chooses the home of the CPU when its hint is none. */
	*cpu_hint() = spread ? UINT_MAX : 0;
}

static void count(const struct count_case *c, bool spread)
{
	char trigger[64];
	unsigned int i;

	init_map(spread);
	for (i = 0; c->full && i < DEPTH; i++)
		if (sbitmap_get(&sbq.sb) < 0)
			errx(1, "%s: not full", c->name);
	for (i = 0; i < NR; i++) {
		c->before();
		flush();
		CALLGRIND_TOGGLE_COLLECT;
		c->op();
		CALLGRIND_TOGGLE_COLLECT;
		c->after();
	}
	sbitmap_queue_free(&sbq);
	snprintf(trigger, sizeof(trigger), "%s %u %u", c->name, c->words, NR);
	CALLGRIND_DUMP_STATS_AT(trigger);
}

int main(int argc, char **argv)
{
	bool spread = argc == 2 && !strcmp(argv[1], "spread");
	unsigned int i;

	if (argc != 2 || (!spread && strcmp(argv[1], "flat")) ||
	    (spread && !IS_ENABLED(CONFIG_SBITMAP_SPREAD)))
		errx(2, "usage: count flat|spread");
	shim_init("two");
	shim_run_on(0, false);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		count(&cases[i], spread);
	return 0;
}
