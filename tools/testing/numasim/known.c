// SPDX-License-Identifier: GPL-2.0-only
/*
 * known - cases whose number of remote transfers is known beforehand.
 *
 * Runs in the guest, one window a case, and writes to DIR/expected what the
 * record of each window must say about the lines that the case used:
 *
 *   window N NAME
 *   lines ADDR BYTES loads|stores MIN MAX
 *   place ADDR RAM_OFFSET NODE
 *   local MIN
 *   user instructions|loads|stores MIN MAX
 *
 * Threads take turns through a line of their own (struct turn), so that the
 * line under test is touched in a fixed order and the count is exact.  "MIN" is
 * a little below it: QEMU calls the plugin back after the access, so that now
 * and then two vCPUs are seen in the other order, which can hide a transfer but
 * not add one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "marker.h"

#define LINE		64
#define PAGE		4096
#define MAX_CPUS	64
#define ROUNDS		2000	/* turns of each thread */
#define SLACK(n)	((n) - (n) / 50)

static unsigned int nr_cpus, nr_nodes;
static unsigned int node_of[MAX_CPUS];
static unsigned int base;	/* CPU that has a neighbour on its node, and others elsewhere */
static unsigned int window;
static FILE *expected;
static char *page;		/* the memory under test */
static size_t page_len;

static void die(const char *what)
{
	fprintf(stderr, "known: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("pin");
}

static void read_machine(void)
{
	unsigned int cpu, node;

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		pin(cpu);
		if (syscall(SYS_getcpu, NULL, &node, NULL))
			die("getcpu");
		node_of[cpu] = node;
		if (node >= nr_nodes)
			nr_nodes = node + 1;
	}
}

/* First CPU that is on the node of @cpu or not, and not @cpu itself. */
static int partner(unsigned int cpu, bool same_node)
{
	unsigned int i;

	for (i = 0; i < nr_cpus; i++)
		if (i != cpu && (node_of[i] == node_of[cpu]) == same_node)
			return i;
	return -1;
}

/* Fresh zeroed memory; on @node if that is not -1. */
static void new_memory(size_t len, int node)
{
	unsigned long mask = node < 0 ? 0 : 1ul << node;

	if (page)
		munmap(page, page_len);
	page_len = len;
	page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (page == MAP_FAILED)
		die("mmap");
	if (node >= 0 && syscall(SYS_mbind, page, len, MPOL_BIND, &mask, 64ul, 0ul))
		die("mbind");
	pin(base);
	if (madvise(page, len, MADV_NOHUGEPAGE) && errno != EINVAL)
		die("madvise");
	memset(page, 0, len);		/* the node of  holds all lines now */
}

static void begin(const char *name)
{
	fprintf(expected, "window %u %s\n", ++window, name);
}

/* Transfers between CPUs of one node, over all lines; seen with unit=cpu only. */
static void expect_local(unsigned long min)
{
	fprintf(expected, "local %lu\n", min);
}

static void expect(const volatile void *addr, size_t len, const char *what,
		   unsigned long min, unsigned long max)
{
	fprintf(expected, "lines %#lx %zu %s %lu %lu\n", (unsigned long)addr, len,
		what, min, max);
}

/* -- threads that take turns ---------------------------------------------- */

struct turn {
	_Atomic unsigned int whose __attribute__((aligned(LINE)));
	char pad[LINE - sizeof(unsigned int)];
};

struct player {
	pthread_t thread;
	unsigned int cpu;
	unsigned int index;
	unsigned int nr;
	unsigned int rounds;
	void (*move)(struct player *p);
	struct turn *turn;
	volatile char *mine;
};

static pthread_barrier_t barrier;

static void *play(void *arg)
{
	struct player *p = arg;
	unsigned int i;

	pin(p->cpu);
	pthread_barrier_wait(&barrier);
	if (!p->index)
		numasim_mark(MARK_OPEN);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < p->rounds; i++) {
		while (atomic_load_explicit(&p->turn->whose, memory_order_acquire) !=
		       p->index)
			__builtin_ia32_pause();
		if (p->move)
			p->move(p);
		atomic_store_explicit(&p->turn->whose, (p->index + 1) % p->nr,
				      memory_order_release);
	}
	pthread_barrier_wait(&barrier);
	if (!p->index)
		numasim_mark(MARK_CLOSE);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* @stride: distance of what each player's @move works on, from @base */
static void game(const unsigned int *cpu, unsigned int nr, unsigned int rounds,
		 struct turn *turn, void (*move)(struct player *p),
		 volatile char *base, size_t stride)
{
	struct player p[MAX_CPUS];
	unsigned int i;

	pthread_barrier_init(&barrier, NULL, nr);
	for (i = 0; i < nr; i++) {
		p[i] = (struct player) { .cpu = cpu[i], .index = i, .nr = nr,
			.rounds = rounds, .turn = turn, .move = move,
			.mine = base + i * stride };
		if (pthread_create(&p[i].thread, NULL, play, &p[i]))
			die("thread");
	}
	for (i = 0; i < nr; i++)
		pthread_join(p[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
}

static void move_store(struct player *p)
{
	*(volatile uint32_t *)p->mine = 1;
}

static void move_wide_store(struct player *p)
{
	*(volatile uint64_t *)p->mine = 1;
}

static void move_atomic(struct player *p)
{
	__asm__ __volatile__("lock incl (%0)" : : "r" (p->mine) : "memory");
}

static void move_load(struct player *p)
{
	(void)*(volatile uint32_t *)p->mine;
}

/* -- the cases ------------------------------------------------------------ */

static struct turn *turn_at(size_t off)
{
	return (struct turn *)(page + off);
}

/*
 * The turn itself bounces: whoever waits fetches the line after each change
 * (one load), whoever changes it takes it from the one who waits (one store).
 */
static void bounce(const char *name, unsigned int a, unsigned int b)
{
	unsigned int cpu[2] = { a, b };
	unsigned long n = node_of[a] == node_of[b] ? 0 : 2 * ROUNDS;

	new_memory(PAGE, -1);
	begin(name);
	game(cpu, 2, ROUNDS, turn_at(0), NULL, page, 0);
	expect(page, LINE, "loads", SLACK(n), n);
	expect(page, LINE, "stores", SLACK(n), n + !!n);
}

/* Two variables; in one line, or in a line each. */
static void sharing(const char *name, unsigned int a, unsigned int b, size_t stride,
		    void (*move)(struct player *p))
{
	unsigned int cpu[2] = { a, b };
	unsigned long n = stride < LINE ? 2 * ROUNDS : 0;

	new_memory(PAGE, -1);
	begin(name);
	game(cpu, 2, ROUNDS, turn_at(2048), move, page, stride);
	expect(page, LINE, "loads", 0, 0);
	/* this thread cleared the page: the first store of each may take it */
	expect(page, LINE, "stores", SLACK(n), n + 1);
	expect(page + LINE, LINE, "loads", 0, 0);
	expect(page + LINE, LINE, "stores", 0, 1);
}

/* Half of each store lies in the next line. */
static void split(unsigned int a, unsigned int b)
{
	unsigned int cpu[2] = { a, b };
	unsigned long n = 2 * ROUNDS;

	new_memory(2 * PAGE, -1);
	begin("a store across two lines");
	game(cpu, 2, ROUNDS, turn_at(2048), move_wide_store, page + LINE - 4, 0);
	expect(page, LINE, "stores", SLACK(n), n + 1);
	expect(page + LINE, LINE, "stores", SLACK(n), n + 1);

	begin("a store across two pages");
	game(cpu, 2, ROUNDS, turn_at(2048), move_wide_store, page + PAGE - 4, 0);
	expect(page + PAGE - LINE, LINE, "stores", SLACK(n), n + 1);
	expect(page + PAGE, LINE, "stores", SLACK(n), n + 1);
}

/* Written by one, then read by all CPUs, many times: a transfer for each node. */
static void read_only(void)
{
	unsigned int cpu[MAX_CPUS], i;

	for (i = 0; i < nr_cpus; i++)
		cpu[i] = i;
	new_memory(PAGE, -1);
	begin("a line that all nodes only read");
	game(cpu, nr_cpus, 50, turn_at(2048), move_load, page, 0);
	expect(page, LINE, "loads", nr_nodes - 1, nr_nodes - 1);
	expect(page, LINE, "stores", 0, 0);
}

/* Where memory lies: the page frame number is the kernel's own word for it. */
static void place(unsigned int a, unsigned int b, int node)
{
	unsigned int cpu[2] = { a, b };
	uint64_t entry = 0;
	char name[32];
	int fd;

	new_memory(PAGE, node);
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)page / PAGE * 8) != 8 ||
	    !(entry & ((1ull << 55) - 1)))
		die("pagemap");
	close(fd);
	snprintf(name, sizeof(name), "memory of node %d", node);
	begin(name);
	game(cpu, 2, 10, turn_at(2048), move_store, page, 0);
	expect(page, LINE, "stores", 18, 21);
	fprintf(expected, "place %#lx %#lx %d\n", (unsigned long)page,
		(unsigned long)((entry & ((1ull << 55) - 1)) * PAGE), node);
}

/* -- a lock that all CPUs want -------------------------------------------- */

struct lock {
	_Atomic unsigned int taken __attribute__((aligned(LINE)));
	struct {
		volatile unsigned int value;
	} data __attribute__((aligned(LINE)));
	struct {
		unsigned int last_node;
		unsigned long moves;	/* the holder's node was another one */
	} truth __attribute__((aligned(LINE)));
};

static void *lock_user(void *arg)
{
	struct player *p = arg;
	struct lock *l = (void *)p->mine;
	unsigned int i;

	pin(p->cpu);
	pthread_barrier_wait(&barrier);
	if (!p->index) {
		l->truth.last_node = ~0u;
		l->truth.moves = 0;
		numasim_mark(MARK_OPEN);
	}
	pthread_barrier_wait(&barrier);
	for (i = 0; i < p->rounds; i++) {
		while (atomic_exchange_explicit(&l->taken, 1, memory_order_acquire))
			while (atomic_load_explicit(&l->taken, memory_order_relaxed))
				__builtin_ia32_pause();
		l->data.value = i;
		if (l->truth.last_node != node_of[p->cpu]) {
			l->truth.last_node = node_of[p->cpu];
			l->truth.moves++;
		}
		atomic_store_explicit(&l->taken, 0, memory_order_release);
		if (i % 4 == 3)
			sched_yield();
	}
	pthread_barrier_wait(&barrier);
	if (!p->index)
		numasim_mark(MARK_CLOSE);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* What the lock protects moves when its holder's node changes, no other time. */
static void lock(void)
{
	struct player p[MAX_CPUS];
	struct lock *l;
	unsigned int i;

	new_memory(PAGE, -1);
	l = (struct lock *)page;
	begin("a lock and what it protects");
	pthread_barrier_init(&barrier, NULL, nr_cpus);
	for (i = 0; i < nr_cpus; i++) {
		p[i] = (struct player) { .cpu = i, .index = i, .rounds = ROUNDS,
			.mine = (volatile char *)l };
		if (pthread_create(&p[i].thread, NULL, lock_user, &p[i]))
			die("thread");
	}
	for (i = 0; i < nr_cpus; i++)
		pthread_join(p[i].thread, NULL);
	expect(&l->data, LINE, "loads", 0, 0);
	expect(&l->data, LINE, "stores", SLACK(l->truth.moves) - 1, l->truth.moves);
	/* the lock itself moves at least as often */
	expect(&l->taken, LINE, "stores", SLACK(l->truth.moves) - 1, ~0u);
	printf("# the lock's holder changed node %lu times in %u\n", l->truth.moves,
	       nr_cpus * ROUNDS);
}

/* -- finite caches -------------------------------------------------------- */

struct walk {
	unsigned int cpu;
	bool store;
};

static void *walk(void *arg)
{
	struct walk *w = arg;
	size_t i;

	pin(w->cpu);
	for (i = 0; i < page_len; i += LINE) {
		if (w->store)
			*(volatile uint32_t *)(page + i) = 1;
		else
			(void)*(volatile uint32_t *)(page + i);
	}
	return NULL;
}

static void in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, arg))
		die("thread");
	pthread_join(t, NULL);
}

/* What one node wrote, another reads; only what still is in a cache crosses. */
static void capacity(unsigned int a, unsigned int b, unsigned long cache_kib)
{
	unsigned long all = (1 << 20) / LINE, fits = cache_kib * 1024 / LINE;
	struct walk w = { .cpu = a, .store = true };

	new_memory(1 << 20, -1);
	in_thread(walk, &w);
	begin("1 MiB written by one node, read by another");
	numasim_mark(MARK_OPEN);
	w = (struct walk) { .cpu = b };
	in_thread(walk, &w);
	numasim_mark(MARK_CLOSE);
	if (!cache_kib || fits > all)
		expect(page, page_len, "loads", all, all);
	else
		expect(page, page_len, "loads", fits / 2, fits);
	expect(page, page_len, "stores", 0, 0);
}

/* -- instructions, loads, stores ------------------------------------------- */

static void exact(void)
{
	const unsigned long n = 100000;
	unsigned long i = n;

	new_memory(PAGE, -1);
	begin("instructions, loads and stores of a loop");
	numasim_mark(MARK_OPEN);
	__asm__ __volatile__("1: mov (%1), %%eax\n\t"
			     "mov %%eax, 8(%1)\n\t"
			     "lock incl 16(%1)\n\t"
			     "dec %0\n\t"
			     "jnz 1b"
			     : "+r" (i) : "r" (page) : "eax", "memory", "cc");
	numasim_mark(MARK_CLOSE);
	/* a locked instruction is one store; other user programs do next to nothing */
	fprintf(expected, "user instructions %lu %lu\n", 5 * n, 5 * n + n / 10);
	fprintf(expected, "user loads %lu %lu\n", n, n + n / 10);
	fprintf(expected, "user stores %lu %lu\n", 2 * n, 2 * n + n / 10);
}

static void copy_kallsyms(const char *dir)
{
	char path[4096], buf[65536];
	FILE *in = fopen("/proc/kallsyms", "r"), *out;
	size_t n;

	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	out = fopen(path, "w");
	if (!in || !out)
		die(path);
	while ((n = fread(buf, 1, sizeof(buf), in)))
		fwrite(buf, 1, n, out);
	fclose(in);
	if (fclose(out))
		die(path);
}

int main(int argc, char **argv)
{
	unsigned long cache_kib = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	bool per_cpu = argc > 3 && !strcmp(argv[3], "cpu");
	int far = -1, near = -1;
	char path[4096];
	unsigned int n;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: known DIR [CACHE_KIB [cpu]]\n");
		return 2;
	}
	read_machine();
	copy_kallsyms(argv[1]);
	snprintf(path, sizeof(path), "%s/expected", argv[1]);
	expected = fopen(path, "w");
	if (!expected)
		die(path);
	for (base = 0; base < nr_cpus; base++) {
		far = partner(base, false);
		near = partner(base, true);
		if (far >= 0 && near >= 0)
			break;
	}
	if (base == nr_cpus) {
		printf("# needs two nodes and two CPUs on one of them\n");
		return 4;
	}
	numasim_mark(MARK_ARM);
	/* the last CPU: the furthest from CPU 0 */
	bounce("a line that two nodes change in turn", 0, nr_cpus - 1);
	bounce("a line that two CPUs of one node change in turn", base, near);
	if (per_cpu)
		expect_local(SLACK(4 * ROUNDS));
	sharing("two variables in one line, two nodes", base, far, 8, move_store);
	sharing("two variables in two lines, two nodes", base, far, LINE, move_store);
	sharing("an atomic operation is one store", base, far, 0, move_atomic);
	split(base, far);
	read_only();
	lock();
	for (n = 0; n < nr_nodes; n++)
		place(base, far, n);
	capacity(base, far, cache_kib);
	exact();
	numasim_mark(MARK_RESET);
	return fclose(expected) ? 1 : 0;
}
