// SPDX-License-Identifier: GPL-2.0-only
/*
 * worker flat|spread CASE MILLISECONDS SEED: for "bench", prints pairs of get and free per
 * second, of all threads together, and the least share of the time that one of them had
 * its CPU. One thread on each real CPU; each is a node. As root they are real-time
 * threads, which other load on the host doesn't stop.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/random.h>
#include <linux/sbitmap.h>
#include <linux/smp.h>

#include "shim.h"

#define DEPTH		256
#define MAX_HOLD	128
#define RING		8	/* bits on their way to the thread that frees them */
#define CHECK		64	/* iterations between two looks at the clock's flag */

enum {
	PLAIN	= 1,	/* sbitmap_get() and sbitmap_put() */
	CROSS	= 2,	/* the other thread frees */
	TOUCH	= 4,	/* a line that belongs to the bit is written, like a request */
};

/**
 * struct bench_case - What threads do.
 * @name: Name.
 * @threads: Number of threads.
 * @hold: Bits that each of them holds.
 * @how: Flags from above.
 */
static const struct bench_case {
	const char *name;
	unsigned int threads;
	unsigned int hold;
	unsigned int how;
} cases[] = {
	{ "plain", 1, 1, PLAIN },
	{ "queue", 1, 1, 0 },
	{ "low", 2, 4, 0 },
	{ "low-cross", 2, 4, CROSS },
	{ "low-touch", 2, 4, TOUCH },
	{ "full", 2, 120, 0 },
	{ "full-cross", 2, 120, CROSS },
	{ "full-touch", 2, 120, TOUCH },
	{ "full-cross-touch", 2, 120, CROSS | TOUCH },
};

/**
 * struct ring - Bits from the thread that took them to the one that frees them.
 * @head: Next one to be written, by the former.
 * @tail: Next one to be read, by the latter.
 * @bit: Bits.
 */
struct ring {
	unsigned int head __attribute__((aligned(SMP_CACHE_BYTES)));
	unsigned int tail __attribute__((aligned(SMP_CACHE_BYTES)));
	int bit[RING] __attribute__((aligned(SMP_CACHE_BYTES)));
};

struct worker {
	pthread_t thread;
	unsigned int id;
	unsigned long pairs;
	unsigned int nr;
	int held[MAX_HOLD];
	struct ring out;
} __attribute__((aligned(2 * SMP_CACHE_BYTES)));

static struct sbitmap_queue sbq __attribute__((aligned(SMP_CACHE_BYTES)));
static const struct bench_case *bc;
static struct worker workers[2];
static pthread_barrier_t start;
static bool stop __attribute__((aligned(SMP_CACHE_BYTES)));
static struct {
	unsigned long uses;
} __attribute__((aligned(SMP_CACHE_BYTES))) lines[DEPTH];

static void free_bit(int bit, unsigned int cpu)
{
	if (bc->how & TOUCH)
		lines[bit].uses++;
	if (bc->how & PLAIN)
		sbitmap_put(&sbq.sb, bit);
	else
		sbitmap_queue_clear(&sbq, bit, cpu);
}

static void free_incoming(struct worker *w)
{
	struct worker *other = &workers[!w->id];
	struct ring *r = &other->out;
	unsigned int tail = r->tail;

	while (tail != smp_load_acquire(&r->head)) {
		free_bit(r->bit[tail % RING], other->id);
		smp_store_release(&r->tail, ++tail);
	}
}

static bool send(struct worker *w, int bit)
{
	struct ring *r = &w->out;

	if (r->head - smp_load_acquire(&r->tail) == RING)
		return false;
	r->bit[r->head % RING] = bit;
	smp_store_release(&r->head, r->head + 1);
	return true;
}

static void take_one(struct worker *w)
{
	int bit = bc->how & PLAIN ? sbitmap_get(&sbq.sb) : __sbitmap_queue_get(&sbq);

	if (bit < 0)
		return;
	if (bc->how & TOUCH)
		lines[bit].uses++;
	w->held[w->nr++] = bit;
}

/* Not in the order in which they were taken. */
static void give_one(struct worker *w)
{
	unsigned int i = bc->hold > 1 ? get_random_u32() % w->nr : 0;
	int bit = w->held[i];

	if (bc->how & CROSS) {
		free_incoming(w);
		if (!send(w, bit))
			return;
	} else {
		free_bit(bit, w->id);
	}
	w->held[i] = w->held[--w->nr];
	w->pairs++;
}

static void pin(unsigned int nth)
{
	cpu_set_t allowed, one;
	int cpu;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && !nth--)
			break;
	if (cpu == CPU_SETSIZE)
		errx(4, "there are not %u CPUs", bc->threads);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (pthread_setaffinity_np(pthread_self(), sizeof(one), &one))
		err(1, "affinity");
}

static void be_realtime(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	/* It is no error if that isn't allowed: "bench" shows what came of it. */
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	pin(w->id);
	be_realtime(1);
	shim_seed(w->id + 1);
	shim_run_on(w->id, false);
	pthread_barrier_wait(&start);
	while (!READ_ONCE(stop)) {
		for (i = 0; i < CHECK; i++) {
			if (w->nr < bc->hold)
				take_one(w);
			if (w->nr == bc->hold)
				give_one(w);
			else if (bc->how & CROSS)
				free_incoming(w);
		}
	}
	shim_leave();
	return NULL;
}

static unsigned long pairs(void)
{
	return READ_ONCE(workers[0].pairs) + READ_ONCE(workers[1].pairs);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double now(void)
{
	return seconds(CLOCK_MONOTONIC);
}

static double cpu_time(const struct worker *w)
{
	clockid_t clock;

	if (pthread_getcpuclockid(w->thread, &clock))
		errx(1, "no clock");
	return seconds(clock);
}

/* One measurement: pairs in @p, CPU time of each thread in @cpu, return the time. */
static double look(double *p, double *cpu)
{
	unsigned int i;

	for (i = 0; i < bc->threads; i++)
		cpu[i] = cpu_time(&workers[i]);
	*p = pairs();
	return now();
}

static void measure(unsigned int milliseconds)
{
	double t, u, p, q, cpu[2], cpu_then[2], share = 1;
	unsigned int i;

	pthread_barrier_init(&start, NULL, bc->threads + 1);
	for (i = 0; i < bc->threads; i++) {
		workers[i].id = i;
		pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
	}
	pthread_barrier_wait(&start);
	usleep(milliseconds * 100);	/* a tenth, to warm up */
	t = look(&p, cpu);
	usleep(milliseconds * 1000);
	u = look(&q, cpu_then);
	WRITE_ONCE(stop, true);
	for (i = 0; i < bc->threads; i++) {
		pthread_join(workers[i].thread, NULL);
		share = min(share, (cpu_then[i] - cpu[i]) / (u - t));
	}
	printf("%.0f %.3f\n", (q - p) / (u - t), share);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 5)
		errx(2, "usage: worker flat|spread CASE MILLISECONDS SEED");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strcmp(argv[2], cases[i].name))
			bc = &cases[i];
	if (!bc)
		errx(2, "no case %s", argv[2]);
	shim_init("two");
	/* Where hints begin, which decides whether two CPUs share a word of a flat map. */
	shim_seed(atoi(argv[4]));
	if (shim_init_queue(&sbq, DEPTH, -1, false, !strcmp(argv[1], "spread")))
		errx(1, "no map");
	/* Above the workers, so that it can stop them; if it fails to, the alarm does. */
	be_realtime(2);
	alarm(60);
	measure(atoi(argv[3]));
	return 0;
}
