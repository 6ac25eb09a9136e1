// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbitmap words spread over NUMA nodes
 *
 * One bitmap that CPUs of several nodes share makes the nodes steal lines from
 * one another: those of the words, and with each bit also the memory that the
 * bit stands for, a request say. Here every word has an owner node, its page
 * comes from there, and a CPU takes bits of its own node's words as long as
 * there are any. A bit then stays on its node, and what belongs to it can too.
 *
 * The owner of word i is owner[i % nr_owners]: resizing to any smaller depth
 * leaves every node its share, and the owner of a bit is arithmetic.
 *
 * Reaching a word must not cost a dependent load, a table of pointers is ruled
 * out. So the words are one virtual array, only with a larger stride, and the
 * pages behind it differ:
 *
 *	word i is at sb->map + i * (PAGE_SIZE + size)
 *
 * where size is that of a word rounded up to a power of two, so that none
 * crosses a page. Word i alone thus has the virtual page i + i / (PAGE_SIZE /
 * size), in which it lies at offset (i * size) % PAGE_SIZE. Words of one owner
 * differ in their offsets until these come round again, so all those virtual
 * pages can be aliases of one page of the owner. A map of up to PAGE_SIZE / size
 * words, 32 with 4 KiB pages and 64-byte lines, costs one page a node. No cache
 * line is ever reached through two aliases, so caches indexed by virtual
 * addresses see nothing unusual.
 *
 * A CPU's hint never leaves the words of the CPU's home owner: its own node, or
 * the nearest one that owns words if its own doesn't. When those are all taken,
 * the search goes on with the other owners, nearest first, through all words.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sbitmap.h>
#include <linux/sched/mm.h>
#include <linux/sort.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

/* Size of a word's slot in a page; lock debugging makes words odd-sized. */
#define SPREAD_SLOT	((unsigned int)roundup_pow_of_two(sizeof(struct sbitmap_word)))
#define SPREAD_SLOTS	((unsigned int)(PAGE_SIZE / SPREAD_SLOT))

/*
 * What an access to a word doesn't need, all in one allocation.
 */
struct sbitmap_spread {
	/* Pages behind the words: [index / SPREAD_SLOTS][owner], NULL if unused. */
	struct page **pages;
	unsigned int nr_pages;
	/* Node of each owner. */
	int *node;
	/* The owner that follows in the search order of another, [of][after]. */
	u16 *next;
	/* Owner that is nearest to a node, by node. */
	u16 *home;
};

static unsigned int bit_owner(const struct sbitmap *sb, unsigned int bitnr)
{
	return SB_NR_TO_INDEX(sb, bitnr) % sb->nr_owners;
}

/* All of it, or nothing for SBITMAP_NO_HINT. Round robin doesn't care what is freed. */
static void set_hint(struct sbitmap *sb, struct sbitmap_spread_hint *h,
		     unsigned int hint, unsigned int home)
{
	bool none = sb->round_robin || hint == SBITMAP_NO_HINT;

	WRITE_ONCE(h->home, home);
	WRITE_ONCE(h->index, none ? SBITMAP_NO_HINT : SB_NR_TO_INDEX(sb, hint));
	WRITE_ONCE(h->hint, hint);
}

/* Number of words, out of map_nr, that an owner has. */
static unsigned int owner_rows(const struct sbitmap *sb, unsigned int map_nr,
			       unsigned int owner)
{
	if (owner >= map_nr)
		return 0;
	return (map_nr - owner - 1) / sb->nr_owners + 1;
}

/* The owner whose words CPUs of a node take first: the nearest one that has any. */
static unsigned int node_home(const struct sbitmap *sb, unsigned int map_nr,
			      int node)
{
	const u16 *next = sb->spread->next + sb->spread->home[node] * sb->nr_owners;
	unsigned int owner = sb->spread->home[node];

	while (owner >= map_nr)
		owner = next[owner];
	return owner;
}

/* Number of bits that an owner has in a map of that depth and shift. */
static unsigned int owner_bits(unsigned int depth, unsigned int shift,
			       unsigned int nr_owners, unsigned int owner)
{
	unsigned int words = DIV_ROUND_UP(depth, 1U << shift);
	unsigned int bits;

	bits = (words / nr_owners + (owner < words % nr_owners)) << shift;
	if (owner == (words - 1) % nr_owners)
		bits -= (words << shift) - depth;
	return bits;
}

/*
 * Are shares even? Every owner must have a bit, and the largest share must not
 * exceed the smallest one by more than a quarter of the fair share.
 */
static bool even_shares(unsigned int depth, unsigned int shift,
			unsigned int nr_owners)
{
	unsigned int tolerance = max(depth / nr_owners / 4, 1U);
	unsigned int least = UINT_MAX, most = 0, i;

	for (i = 0; i < nr_owners; i++) {
		unsigned int bits = owner_bits(depth, shift, nr_owners, i);

		least = min(least, bits);
		most = max(most, bits);
	}
	return most - least <= tolerance && (least || depth < nr_owners);
}

/* Fewer bits in a word than in a flat map if it takes that to have even shares. */
static unsigned int spread_shift(unsigned int depth, unsigned int min_depth,
				 unsigned int nr_owners)
{
	unsigned int shift;

	min_depth = min_not_zero(depth, min_depth);
	for (shift = sbitmap_calculate_shift(min_depth); shift; shift--) {
		if (even_shares(depth, shift, nr_owners) &&
		    even_shares(min_depth, shift, nr_owners))
			break;
	}
	return shift;
}

struct spread_order {
	const int *node;
	unsigned int of;
	unsigned int nr_owners;
};

/* Nearest first; of equally near ones, each owner begins with another. */
static int spread_order_cmp(const void *a, const void *b, const void *priv)
{
	const struct spread_order *o = priv;
	unsigned int x = *(const u16 *)a, y = *(const u16 *)b;
	int diff;

	/* An owner is nearest to itself even if another one is on its node. */
	if (x == o->of || y == o->of)
		return (y == o->of) - (x == o->of);
	diff = node_distance(o->node[o->of], o->node[x]) -
	       node_distance(o->node[o->of], o->node[y]);
	if (diff)
		return diff;
	return (int)((x + o->nr_owners - o->of) % o->nr_owners) -
	       (int)((y + o->nr_owners - o->of) % o->nr_owners);
}

static int spread_init_order(struct sbitmap_spread *sp, unsigned int nr_owners)
{
	struct spread_order o = { .node = sp->node, .nr_owners = nr_owners };
	unsigned int i;
	u16 *order;
	int node;

	order = kvmalloc_array(nr_owners, sizeof(*order), GFP_KERNEL);
	if (!order)
		return -ENOMEM;

	for (o.of = 0; o.of < nr_owners; o.of++) {
		u16 *next = sp->next + o.of * nr_owners;

		for (i = 0; i < nr_owners; i++)
			order[i] = i;
		sort_r(order, nr_owners, sizeof(*order), spread_order_cmp, NULL,
		       &o);
		for (i = 0; i < nr_owners; i++)
			next[order[i]] = order[(i + 1) % nr_owners];
	}
	kvfree(order);

	for_each_node(node) {
		for (i = 0; i < nr_owners; i++) {
			if (sp->node[i] == node) {
				sp->home[node] = i;
				break;
			}
			if (node_distance(node, sp->node[i]) <
			    node_distance(node, sp->node[sp->home[node]]))
				sp->home[node] = i;
		}
	}
	return 0;
}

static void spread_free(struct sbitmap_spread *sp)
{
	unsigned int i;

	for (i = 0; i < sp->nr_pages; i++)
		if (sp->pages[i])
			__free_page(sp->pages[i]);
	kvfree(sp);
}

static struct sbitmap_spread *spread_alloc(const struct sbitmap *sb, gfp_t flags,
					   const int *nodes)
{
	unsigned int nr_owners = sb->nr_owners, i;
	struct sbitmap_spread *sp;
	unsigned int nr_pages;

	nr_pages = DIV_ROUND_UP(sb->map_nr, SPREAD_SLOTS) * nr_owners;
	sp = kvzalloc(sizeof(*sp) + nr_pages * sizeof(*sp->pages) +
		      nr_owners * sizeof(*sp->node) +
		      nr_owners * nr_owners * sizeof(*sp->next) +
		      nr_node_ids * sizeof(*sp->home), flags);
	if (!sp)
		return NULL;

	sp->nr_pages = nr_pages;
	sp->pages = (void *)(sp + 1);
	sp->node = (void *)(sp->pages + nr_pages);
	sp->next = (void *)(sp->node + nr_owners);
	sp->home = (void *)(sp->next + nr_owners * nr_owners);
	memcpy(sp->node, nodes, nr_owners * sizeof(*nodes));
	if (spread_init_order(sp, nr_owners))
		goto free;

	for (i = 0; i < sb->map_nr; i++) {
		unsigned int owner = i % nr_owners;
		struct page **page = &sp->pages[i / SPREAD_SLOTS * nr_owners + owner];

		/* Falls back to the nearest node that has memory. */
		if (!*page)
			*page = alloc_pages_node(nodes[owner], flags | __GFP_ZERO, 0);
		if (!*page)
			goto free;
	}
	return sp;

free:
	spread_free(sp);
	return NULL;
}

static void *spread_map(const struct sbitmap *sb, const struct sbitmap_spread *sp)
{
	unsigned int nr = (sb->map_nr - 1) + (sb->map_nr - 1) / SPREAD_SLOTS + 1;
	struct page **alias;
	unsigned int i;
	void *map;

	alias = kvmalloc_array(nr, sizeof(*alias), GFP_KERNEL);
	if (!alias)
		return NULL;

	/* Between two rounds of offsets one virtual page has no word in it. */
	for (i = 0; i < nr; i++)
		alias[i] = sp->pages[0];
	for (i = 0; i < sb->map_nr; i++)
		alias[i + i / SPREAD_SLOTS] =
			sp->pages[i / SPREAD_SLOTS * sb->nr_owners +
				  i % sb->nr_owners];

	map = vmap(alias, nr, VM_MAP, PAGE_KERNEL);
	kvfree(alias);
	return map;
}

/*
 * Initialize a spread map for owners that are given by their nodes, which may
 * repeat: a test has more owners than its machine has nodes.
 */
VISIBLE_IF_KUNIT
int __sbitmap_init_spread(struct sbitmap *sb, unsigned int depth, int shift,
			  gfp_t flags, bool round_robin, const int *nodes,
			  unsigned int nr_owners, unsigned int min_depth)
{
	unsigned int noio, i;

	if (shift < 0)
		shift = spread_shift(depth, min_depth, nr_owners);
	if (1U << shift > BITS_PER_LONG)
		return -EINVAL;

	sb->depth = depth;
	sb->shift = shift;
	sb->map_nr = DIV_ROUND_UP(depth, 1U << shift);
	sb->round_robin = round_robin;
	sb->own_hints = true;
	sb->nr_owners = nr_owners;
	sb->stride = PAGE_SIZE + SPREAD_SLOT;

	/* sbitmap_word_at() multiplies in 32 bits. */
	if (sb->map_nr > INT_MAX / sb->stride)
		return -EINVAL;

	sb->alloc_hint = NULL;
	sb->spread_hint = alloc_percpu_gfp(struct sbitmap_spread_hint, flags);
	if (!sb->spread_hint)
		return -ENOMEM;
	sbitmap_spread_reset_hints(sb);

	/* What follows allocates with GFP_KERNEL inside. */
	noio = flags & __GFP_IO ? 0 : memalloc_noio_save();
	sb->map = NULL;
	sb->spread = spread_alloc(sb, flags, nodes);
	if (sb->spread)
		sb->map = spread_map(sb, sb->spread);
	if (!(flags & __GFP_IO))
		memalloc_noio_restore(noio);
	if (!sb->map) {
		if (sb->spread)
			spread_free(sb->spread);
		free_percpu(sb->spread_hint);
		return -ENOMEM;
	}

	for (i = 0; i < sb->map_nr; i++)
		raw_spin_lock_init(&sbitmap_word_at(sb, i)->swap_lock);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(__sbitmap_init_spread);

/**
 * sbitmap_init_spread() - Initialize a &struct sbitmap in the spread layout.
 * @sb: Bitmap to initialize.
 * @depth: Number of bits to allocate.
 * @shift: Use 2^@shift bits per word. If negative, the default of
 *	sbitmap_init_node(), or less where that takes it to give every owner a
 *	word and all owners about the same number of bits.
 * @flags: Allocation flags, GFP_KERNEL or GFP_NOIO, perhaps with modifiers.
 * @node: Memory node of what has no owner, and of the whole map if it is flat.
 * @round_robin: Allocate in round-robin order, within the words of a node.
 * @owners: Nodes that may own words, and more; NULL for all nodes.
 *
 * Each node of @owners that has both memory and a CPU owns every n-th word. With
 * fewer than two such nodes there is nothing to spread: the map is then what
 * sbitmap_init_node() makes, with allocation hints. If the memory of a node is
 * used up, its words come from the nearest node that has some. Use
 * sbitmap_is_spread() to know the result.
 *
 * Context: Process context, may sleep.
 * Return: Zero on success, -EINVAL if @shift is too large or the map would be,
 * -ENOMEM if memory or address space is used up; the caller can then still have
 * a flat map.
 */
int sbitmap_init_spread(struct sbitmap *sb, unsigned int depth, int shift,
			gfp_t flags, int node, bool round_robin,
			const struct sbitmap_owners *owners)
{
	unsigned int nr = 0;
	int *nodes, n, ret;

	if (!depth)
		goto flat;

	nodes = kmalloc_array(nr_node_ids, sizeof(*nodes), flags);
	if (!nodes)
		return -ENOMEM;
	for_each_node_state(n, N_MEMORY) {
		if (node_state(n, N_CPU) &&
		    (!owners || node_isset(n, owners->nodes)))
			nodes[nr++] = n;
	}

	if (nr > 1) {
		ret = __sbitmap_init_spread(sb, depth, shift, flags, round_robin,
					    nodes, nr,
					    owners ? owners->min_depth : 0);
		kfree(nodes);
		return ret;
	}
	kfree(nodes);
flat:
	return sbitmap_init_node(sb, depth, shift, flags, node, round_robin, true);
}
EXPORT_SYMBOL_GPL(sbitmap_init_spread);

/**
 * sbitmap_queue_init_spread() - Initialize a &struct sbitmap_queue in the spread
 * layout.
 * @sbq: Bitmap queue to initialize.
 * @depth: See sbitmap_init_spread().
 * @shift: See sbitmap_init_spread().
 * @round_robin: See sbitmap_init_spread().
 * @flags: Allocation flags, must allow blocking.
 * @node: Memory node of the wait queues, see also sbitmap_init_spread().
 * @owners: See sbitmap_init_spread().
 *
 * Context: Process context, may sleep.
 * Return: Zero on success or negative errno on failure.
 */
int sbitmap_queue_init_spread(struct sbitmap_queue *sbq, unsigned int depth,
			      int shift, bool round_robin, gfp_t flags, int node,
			      const struct sbitmap_owners *owners)
{
	int ret;

	ret = sbitmap_init_spread(&sbq->sb, depth, shift, flags, node,
				  round_robin, owners);
	if (ret)
		return ret;

	return sbitmap_queue_init_wait(sbq, depth, flags, node);
}
EXPORT_SYMBOL_GPL(sbitmap_queue_init_spread);

/* Free the words and hints of a spread map. May sleep. */
void sbitmap_spread_free(struct sbitmap *sb)
{
	vunmap(sb->map);
	spread_free(sb->spread);
	free_percpu(sb->spread_hint);
}
EXPORT_SYMBOL_GPL(sbitmap_spread_free);

/*
 * The word to search after @index in a search that began with word @first: all
 * words of its owner, wrapping among them, then those of the next nearest one.
 * Called map_nr - 1 times it yields every other word once.
 */
unsigned int sbitmap_spread_next_index(const struct sbitmap *sb,
				       unsigned int first, unsigned int index)
{
	unsigned int map_nr = READ_ONCE(sb->map_nr), nr_owners = sb->nr_owners;
	unsigned int owner = index % nr_owners, row = index / nr_owners + 1;
	unsigned int home = first % nr_owners, start = first / nr_owners;
	unsigned int rows = owner_rows(sb, map_nr, owner);

	/* A map that shrinks under a search: any word will do. */
	if (unlikely(first >= map_nr || !rows))
		return 0;

	if (row >= rows)
		row = 0;
	if (row == start % rows) {
		do {
			owner = sb->spread->next[home * nr_owners + owner];
			rows = owner_rows(sb, map_nr, owner);
		} while (!rows);
		row = start % rows;
	}
	return row * nr_owners + owner;
}

/*
 * Let this CPU begin at a bit of its home owner, any one so that CPUs of a node
 * use different words and bits. With round robin, at the first one.
 */
unsigned int sbitmap_spread_first_hint(struct sbitmap *sb, unsigned int depth)
{
	unsigned int map_nr = DIV_ROUND_UP(depth, 1U << sb->shift);
	u32 random = sb->round_robin ? 0 : get_random_u32();
	struct sbitmap_spread_hint *h;
	unsigned int home, index, hint;

	if (!depth)
		return 0;

	h = get_cpu_ptr(sb->spread_hint);
	/* Not read back: a resize resets it at any time. */
	home = node_home(sb, map_nr, numa_node_id());
	index = home + (random >> 16) % owner_rows(sb, map_nr, home) *
		sb->nr_owners;
	hint = index << sb->shift;
	hint += random % min(depth - hint, 1U << sb->shift);
	set_hint(sb, h, hint, home);
	put_cpu_ptr(sb->spread_hint);
	return hint;
}

/*
 * Let the next search of this CPU begin at @bitnr, which a search found, or @behind
 * it. A bit of another owner is no hint: own ones are used up, or the task came here
 * from a CPU of another node since it looked at the hint. If none was found, -1,
 * begin at the first one.
 */
void sbitmap_spread_next_hint(struct sbitmap *sb, int bitnr, unsigned int behind)
{
	/* May be another CPU's by now, to which nothing is done that isn't right. */
	struct sbitmap_spread_hint *h = raw_cpu_ptr(sb->spread_hint);
	unsigned int home = READ_ONCE(h->home), depth = READ_ONCE(sb->depth);
	unsigned int index, hint;

	if (home == SBITMAP_NO_HINT)
		return;
	hint = home << sb->shift;
	if (bitnr != -1) {
		index = SB_NR_TO_INDEX(sb, bitnr);
		if (index % sb->nr_owners != home)
			return;
		if (SB_NR_TO_INDEX(sb, bitnr + behind) != index)
			bitnr = ((index + sb->nr_owners) << sb->shift) - behind;
		if (bitnr + behind < depth)
			hint = bitnr + behind;
	}
	set_hint(sb, h, hint, home);
}

/*
 * sbitmap_spread_put_hint() for a bit of another word than that of the hint. A
 * foreign bit is no hint; if the hint is in its word all the same, by a race with a
 * resize, the CPU chooses anew. Races with that CPU: either hint will do.
 */
void sbitmap_spread_put_far_hint(struct sbitmap *sb,
				 struct sbitmap_spread_hint *h,
				 unsigned int bitnr)
{
	unsigned int home = READ_ONCE(h->home);

	if (sb->round_robin || bitnr >= sb->depth)
		return;
	if (bit_owner(sb, bitnr) == home)
		set_hint(sb, h, bitnr, home);
	else if (SB_NR_TO_INDEX(sb, READ_ONCE(h->hint)) == SB_NR_TO_INDEX(sb, bitnr))
		WRITE_ONCE(h->hint, SBITMAP_NO_HINT);
}
EXPORT_SYMBOL_GPL(sbitmap_spread_put_far_hint);

/* Let every CPU choose its home and hint anew. */
void sbitmap_spread_reset_hints(struct sbitmap *sb)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		set_hint(sb, per_cpu_ptr(sb->spread_hint, cpu), SBITMAP_NO_HINT,
			 SBITMAP_NO_HINT);
	}
}

/**
 * sbitmap_bit_node() - Ask for the node that owns a bit.
 * @sb: Bitmap.
 * @bitnr: Number of the bit.
 *
 * Context: Any.
 * Return: The node, or NUMA_NO_NODE in the flat layout.
 */
int sbitmap_bit_node(const struct sbitmap *sb, unsigned int bitnr)
{
	if (!sbitmap_is_spread(sb))
		return NUMA_NO_NODE;
	return sb->spread->node[bit_owner(sb, bitnr)];
}
EXPORT_SYMBOL_GPL(sbitmap_bit_node);

/**
 * sbitmap_next_owned_bit() - Iterate over the bits of one owner.
 * @sb: Bitmap.
 * @bitnr: Number of a bit; for owner k, the first one is k << @sb->shift.
 *
 * Context: Any.
 * Return: The next bit of the owner of @bitnr, @sb->depth or more after the last.
 * In the flat layout, the next bit.
 */
unsigned int sbitmap_next_owned_bit(const struct sbitmap *sb, unsigned int bitnr)
{
	unsigned int next = bitnr + 1;

	if (sbitmap_is_spread(sb) && !SB_NR_TO_BIT(sb, next))
		next += (sb->nr_owners - 1) << sb->shift;
	return next;
}
EXPORT_SYMBOL_GPL(sbitmap_next_owned_bit);

/**
 * sbitmap_cpu_node() - Ask for the node whose bits a CPU takes first.
 * @sb: Bitmap.
 * @cpu: CPU.
 *
 * Context: Any.
 * Return: The node: that of the CPU or, if it owns no bits, the nearest one that
 * does. NUMA_NO_NODE in the flat layout or if the node of @cpu isn't known.
 */
int sbitmap_cpu_node(const struct sbitmap *sb, int cpu)
{
	int node = cpu_to_node(cpu);

	if (!sbitmap_is_spread(sb) || node == NUMA_NO_NODE || !sb->map_nr)
		return NUMA_NO_NODE;
	return sb->spread->node[node_home(sb, sb->map_nr, node)];
}
EXPORT_SYMBOL_GPL(sbitmap_cpu_node);
