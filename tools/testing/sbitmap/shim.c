// SPDX-License-Identifier: GPL-2.0-only
/* The kernel under lib/sbitmap.c, in user space. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sbitmap.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "shim.h"

#define FUTEX_WAIT_PRIVATE	128
#define FUTEX_WAKE_PRIVATE	129
#define FAR			40

const struct shim_topology shim_topologies[] = {
	{
		.name = "one", .nr_nodes = 1, .nr_cpus = 2,
		.memory = { true },
		.distance = { { 10 } },
	}, {
		.name = "two", .nr_nodes = 2, .nr_cpus = 2,
		.node = { 0, 1 },
		.memory = { true, true },
		.distance = { { 10, 20 }, { 20, 10 } },
	}, {
		.name = "four", .nr_nodes = 4, .nr_cpus = 8,
		.node = { 0, 0, 1, 1, 2, 2, 3, 3 },
		.memory = { true, true, true, true },
		.distance = { { 10, 16, 32, FAR }, { 16, 10, FAR, 32 },
			      { 32, FAR, 10, 16 }, { FAR, 32, 16, 10 } },
	}, {
		/* Node 1 has no memory, node 3 no CPU. */
		.name = "memless", .nr_nodes = 4, .nr_cpus = 6,
		.node = { 0, 0, 1, 1, 2, 2 },
		.memory = { true, false, true, true },
		.distance = { { 10, 20, 30, 40 }, { 20, 10, 15, 40 },
			      { 30, 15, 10, 40 }, { 40, 40, 40, 10 } },
	},
	{ }
};

static const struct shim_topology *topology;
static struct cpumask all_cpus;
const struct cpumask *const cpu_online_mask = &all_cpus;
unsigned int nr_cpu_ids, nr_node_ids;

static pthread_mutex_t cpu_lock[SHIM_CPUS] = {
	[0 ... SHIM_CPUS - 1] = PTHREAD_MUTEX_INITIALIZER
};
__thread unsigned int shim_cpu, shim_no_preempt;
__thread struct task_struct shim_task;
static __thread bool on_cpu, may_migrate;
static __thread u64 random_state = 1;

static unsigned int warnings, fail_nth;
static long live;

/* ---- topology ---- */

void shim_init(const char *name)
{
	const struct shim_topology *t;

	for (t = shim_topologies; t->name; t++)
		if (!strcmp(t->name, name))
			break;
	if (!t->name) {
		fprintf(stderr, "no topology %s\n", name);
		exit(2);
	}
	shim_leave();
	topology = t;
	nr_cpu_ids = t->nr_cpus;
	nr_node_ids = t->nr_nodes;
	all_cpus.bits = (1UL << nr_cpu_ids) - 1;
}

int cpu_to_node(int cpu)
{
	return topology->node[cpu];
}

int node_distance(int a, int b)
{
	return topology->distance[a][b];
}

bool node_state(int node, enum node_states state)
{
	unsigned int cpu;

	if (state == N_MEMORY)
		return topology->memory[node];
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (topology->node[cpu] == node)
			return true;
	return false;
}

/* ---- CPUs ---- */

void shim_leave(void)
{
	if (on_cpu)
		pthread_mutex_unlock(&cpu_lock[shim_cpu]);
	on_cpu = false;
}

static void enter(unsigned int cpu)
{
	pthread_mutex_lock(&cpu_lock[cpu]);
	shim_cpu = cpu;
	on_cpu = true;
}

void shim_run_on(unsigned int cpu, bool migrate)
{
	if (on_cpu) {
		shim_leave();
		sched_yield();
	}
	may_migrate = migrate;
	enter(cpu);
}

/* Some CPU that is free, or else the one where we were. */
static void enter_any(void)
{
	unsigned int cpu = get_random_u32() % nr_cpu_ids;

	if (may_migrate && !pthread_mutex_trylock(&cpu_lock[cpu])) {
		shim_cpu = cpu;
		on_cpu = true;
	} else {
		enter(shim_cpu);
	}
}

int set_cpus_allowed_ptr(struct task_struct *p, const struct cpumask *mask)
{
	(void)p;
	shim_run_on(cpumask_first(mask), false);
	return 0;
}

#ifdef SHIM_CHAOS
void chaos_point(void)
{
	u32 random;

	if (!on_cpu)
		return;
	random = get_random_u32();
	if (random % 32)
		return;
	if (shim_no_preempt || random & 0x100) {
		/* An interrupt, or a virtual CPU that lost its core. */
		sched_yield();
	} else {
		shim_leave();
		sched_yield();
		enter_any();
	}
}
#endif

/* ---- random numbers: xorshift64* ---- */

void shim_seed(unsigned long seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 | 1;
}

u32 get_random_u32(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * 0x2545f4914f6cdd1d) >> 32;
}

/* ---- memory ---- */

void shim_fail(unsigned int nth)
{
	fail_nth = nth;
}

static bool fails(void)
{
	return fail_nth && !--fail_nth;
}

static void *account(void *p)
{
	if (p)
		__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	return p;
}

static void unaccount(void)
{
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
}

long shim_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

/* Not zero what nobody asked to be. */
void *shim_alloc(size_t size, gfp_t flags)
{
	void *p = NULL;

	if (fails() || posix_memalign(&p, SMP_CACHE_BYTES, size))
		return NULL;
	memset(p, flags & __GFP_ZERO ? 0 : 0x5a, size);
	return account(p);
}

void kfree(const void *p)
{
	if (p)
		unaccount();
	free((void *)p);
}

void *shim_alloc_percpu(size_t size, gfp_t flags)
{
	if (size > SMP_CACHE_BYTES)
		abort();
	return shim_alloc(nr_cpu_ids * (size_t)SMP_CACHE_BYTES, flags | __GFP_ZERO);
}

#define MAX_PAGES	4096
#define MAX_VMAPS	64

static struct page page_table[MAX_PAGES];
static bool page_used[MAX_PAGES];
static int page_fd = -1;
/* Of page_used and vmaps. */
static pthread_mutex_t mm_lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * struct vmap_area - What vmap() mapped.
 * @addr: Start; a page that faults lies before and another one behind it.
 * @nr: Number of pages.
 * @pages: Pages.
 */
static struct vmap_area {
	char *addr;
	unsigned int nr;
	struct page **pages;
} vmaps[MAX_VMAPS];

static void page_file_init(void)
{
	page_fd = memfd_create("pages", MFD_CLOEXEC);
	if (page_fd < 0 || ftruncate(page_fd, MAX_PAGES * PAGE_SIZE)) {
		perror("memfd_create");
		exit(1);
	}
}

static int nearest_memory(int node)
{
	int best = first_memory_node, n;

	for_each_node_state(n, N_MEMORY)
		if (node_distance(node, n) < node_distance(node, best))
			best = n;
	return best;
}

/* A hole in the file reads as zeroes. */
static void page_zero(unsigned int pfn)
{
	if (fallocate(page_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      pfn * PAGE_SIZE, PAGE_SIZE))
		abort();
}

struct page *alloc_pages_node(int node, gfp_t flags, unsigned int order)
{
	unsigned int i;

	(void)flags;
	if (order || fails())
		return NULL;
	pthread_mutex_lock(&mm_lock);
	if (page_fd < 0)
		page_file_init();
	for (i = 0; i < MAX_PAGES && page_used[i]; i++)
		;
	if (i < MAX_PAGES)
		page_used[i] = true;
	pthread_mutex_unlock(&mm_lock);
	if (i == MAX_PAGES)
		return NULL;
	page_zero(i);
	page_table[i].pfn = i;
	page_table[i].node = nearest_memory(node);
	return account(&page_table[i]);
}

void __free_page(struct page *page)
{
	unaccount();
	pthread_mutex_lock(&mm_lock);
	page_used[page->pfn] = false;
	pthread_mutex_unlock(&mm_lock);
}

/* Of what is not from vmap(): far from the numbers of pages above. */
struct page *virt_to_page(const void *addr)
{
	static __thread struct page page;

	page.pfn = (unsigned long)addr >> PAGE_SHIFT;
	return &page;
}

static struct vmap_area *find_vmap(const char *addr)
{
	struct vmap_area *v;

	for (v = vmaps; v < vmaps + MAX_VMAPS; v++)
		if (v->addr && addr >= v->addr && addr < v->addr + v->nr * PAGE_SIZE)
			return v;
	return NULL;
}

static void *map_aliases(struct page **pages, unsigned int nr)
{
	char *addr = mmap(NULL, (nr + 2) * PAGE_SIZE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (addr == MAP_FAILED)
		return NULL;
	addr += PAGE_SIZE;
	for (i = 0; i < nr; i++)
		if (mmap(addr + i * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, page_fd,
			 pages[i]->pfn * PAGE_SIZE) == MAP_FAILED)
			abort();
	return addr;
}

void *shim_vmap(struct page **pages, unsigned int nr)
{
	struct vmap_area *v = vmaps;

	if (fails())
		return NULL;
	pthread_mutex_lock(&mm_lock);
	while (v < vmaps + MAX_VMAPS && v->addr)
		v++;
	if (v == vmaps + MAX_VMAPS)
		abort();
	v->addr = map_aliases(pages, nr);
	v->nr = nr;
	v->pages = malloc(nr * sizeof(*pages));
	memcpy(v->pages, pages, nr * sizeof(*pages));
	pthread_mutex_unlock(&mm_lock);
	return account(v->addr);
}

void vunmap(const void *addr)
{
	struct vmap_area *v;

	pthread_mutex_lock(&mm_lock);
	v = find_vmap(addr);
	if (!v || v->addr != addr)
		abort();
	munmap(v->addr - PAGE_SIZE, (v->nr + 2) * PAGE_SIZE);
	free(v->pages);
	v->addr = NULL;
	pthread_mutex_unlock(&mm_lock);
	unaccount();
}

bool is_vmalloc_addr(const void *addr)
{
	return find_vmap(addr);
}

struct page *vmalloc_to_page(const void *addr)
{
	struct vmap_area *v = find_vmap(addr);

	return v->pages[((const char *)addr - v->addr) >> PAGE_SHIFT];
}

/* ---- bits, locks, tasks ---- */

static unsigned long find_next(const unsigned long *addr, unsigned long size,
			       unsigned long offset, unsigned long flip)
{
	unsigned long i = BIT_WORD(offset), word;

	if (offset >= size)
		return size;
	word = (READ_ONCE(addr[i]) ^ flip) & (~0UL << offset % BITS_PER_LONG);
	while (!word) {
		if (++i * BITS_PER_LONG >= size)
			return size;
		word = READ_ONCE(addr[i]) ^ flip;
	}
	return min(i * BITS_PER_LONG + __builtin_ctzl(word), size);
}

unsigned long find_next_bit(const unsigned long *addr, unsigned long size,
			    unsigned long offset)
{
	return find_next(addr, size, offset, 0);
}

unsigned long find_next_zero_bit(const unsigned long *addr, unsigned long size,
				 unsigned long offset)
{
	return find_next(addr, size, offset, ~0UL);
}

unsigned int bitmap_weight(const unsigned long *map, unsigned int bits)
{
	unsigned int weight = 0, i;

	for (i = 0; i < bits / BITS_PER_LONG; i++)
		weight += __builtin_popcountl(READ_ONCE(map[i]));
	if (bits % BITS_PER_LONG)
		weight += __builtin_popcountl(READ_ONCE(map[i]) &
					      (BIT(bits % BITS_PER_LONG) - 1));
	return weight;
}

void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->locked = 0;
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	unsigned int spins = 0;

	preempt_disable();
	while (xchg(&lock->locked, 1))
		while (READ_ONCE(lock->locked))
			if (++spins % 256 == 0)
				sched_yield();
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	smp_store_release(&lock->locked, 0);
	preempt_enable();
}

void schedule(void)
{
	int state;

	shim_leave();
	while ((state = smp_load_acquire(&current->state)) != TASK_RUNNING)
		syscall(SYS_futex, &current->state, FUTEX_WAIT_PRIVATE, state,
			NULL, NULL, 0);
	enter_any();
}

int default_wake_function(struct wait_queue_entry *wq_entry, unsigned int mode,
			  int flags, void *key)
{
	struct task_struct *p = wq_entry->private;
	int state;

	(void)flags;
	(void)key;
	smp_mb();
	state = READ_ONCE(p->state);
	if (!(state & mode))
		return 0;
	if (!__atomic_compare_exchange_n(&p->state, &state, TASK_RUNNING, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return 0;
	syscall(SYS_futex, &p->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return 1;
}

void shim_warn(const char *file, int line, const char *cond)
{
	fprintf(stderr, "# WARN_ON_ONCE(%s) at %s:%d\n", cond, file, line);
	__atomic_fetch_add(&warnings, 1, __ATOMIC_RELAXED);
}

unsigned int shim_warnings(void)
{
	return __atomic_load_n(&warnings, __ATOMIC_RELAXED);
}

int shim_init_queue(struct sbitmap_queue *sbq, unsigned int depth, int shift,
		    bool round_robin, bool spread)
{
#ifdef CONFIG_SBITMAP_SPREAD
	if (spread)
		return sbitmap_queue_init_spread(sbq, depth, shift, round_robin,
						 GFP_KERNEL, NUMA_NO_NODE, NULL);
#else
	if (spread)
		return -EOPNOTSUPP;
#endif
	return sbitmap_queue_init_node(sbq, depth, shift, round_robin, GFP_KERNEL,
				       NUMA_NO_NODE);
}
