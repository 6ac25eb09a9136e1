// SPDX-License-Identifier: GPL-2.0-only
/*
 * torture: threads take and free bits in every way there is. Each bit must have one
 * holder at a time, no bit may be lost, no thread may sleep while there are bits.
 */
#include <err.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/bitmap.h>
#include <linux/numa.h>
#include <linux/random.h>
#include <linux/sbitmap.h>
#include <linux/sched.h>

#include "shim.h"
#include "../selftests/numaio/ktap.h"

#define MAX_DEPTH	4096
#define MAX_THREADS	40
#define MAX_HOLD	128
#define MAILBOXES	4
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED	true
#else
#define SANITIZED	false
#endif
#define TICK		256

enum {
	SLEEP	= 1,	/* on the wait queues, while one holds nothing */
	BATCH	= 2,	/* get and clear several bits at once */
	SHALLOW	= 4,	/* every other get is limited to half of the depth */
	CROSS	= 8,	/* bits go to other threads, which free them */
	RESIZE	= 16,	/* one thread resizes, while others hold and free bits */
	ROUND	= 32,	/* round robin */
	PLAIN	= 64,	/* sbitmap_get() and sbitmap_put(), as for budgets */
	LIVE	= 128,	/* resized also while others search, as SCSI does with budgets */
	SPARE	= 256,	/* one word, of which bits are always free, see may_fail() */
};

/**
 * struct scenario - Who takes bits of what, and how.
 * @name: Name.
 * @topology: Host.
 * @threads: Number of threads.
 * @depth: Number of bits.
 * @shift: As sbitmap_init_node().
 * @hold: Most bits that a thread has at a time.
 * @how: Flags from above.
 * @share: Of all operations, in 1/10000.
 */
struct scenario {
	const char *name;
	const char *topology;
	unsigned int threads;
	unsigned int depth;
	int shift;
	unsigned int hold;
	unsigned int how;
	unsigned int share;
};

static const struct scenario scenarios[] = {
	{ "one bit at a time", "two", 2, 256, -1, 1, 0, 2100 },
	{ "few bits", "two", 2, 256, -1, 4, PLAIN, 1700 },
	{ "near exhaustion", "two", 2, 256, -1, 127, 0, 1700 },
	{ "freed by others", "two", 2, 256, -1, 100, CROSS, 900 },
	{ "batches", "two", 2, 256, -1, 60, BATCH, 700 },
	{ "batches, other host", "four", 8, 200, 5, 30, BATCH | CROSS, 400 },
	{ "exhausted", "four", 8, 61, -1, 16, 0, 400 },
	{ "exhausted, plain", "four", 8, 64, 3, 16, PLAIN, 400 },
	{ "more threads than CPUs", "four", 14, 256, -1, 30, CROSS, 400 },
	{ "bits to spare", "four", 8, 64, 6, 2, SPARE, 300 },
	{ "round robin", "four", 8, 100, -1, 16, ROUND, 300 },
	{ "nodes without memory", "memless", 6, 100, -1, 30, CROSS, 300 },
	{ "resized", "four", 8, 1024, -1, 64, RESIZE | BATCH, 200 },
	{ "resized, plain", "two", 2, 256, -1, 64, RESIZE | PLAIN, 108 },
	{ "resized live, survives", "four", 8, 256, -1, 16, RESIZE | PLAIN | LIVE, 50 },
	{ "sleep, depth 1", "two", 6, 1, -1, 1, SLEEP, 4 },
	{ "sleep, depth 2", "four", 12, 2, -1, 1, SLEEP, 4 },
	{ "sleep, depth 3", "two", 12, 3, -1, 1, SLEEP, 4 },
	{ "sleep, depth 4", "four", 12, 4, -1, 1, SLEEP, 4 },
	{ "sleep, depth 5", "memless", 12, 5, -1, 1, SLEEP, 4 },
	{ "sleep, depth 6", "four", 16, 6, -1, 1, SLEEP, 4 },
	{ "sleep, depth 7", "two", 16, 7, -1, 1, SLEEP, 4 },
	{ "sleep, depth 8", "four", 16, 8, -1, 1, SLEEP, 4 },
	{ "sleep, depth 8, batches", "four", 16, 8, -1, 3, SLEEP | BATCH, 2 },
	{ "sleep, depth 64, batches", "four", 24, 64, -1, 20, SLEEP | BATCH, 2 },
	{ "sleep, depth 24", "four", 40, 24, -1, 3, SLEEP, 2 },
	{ "sleep, depth 16, shallow", "four", 24, 16, -1, 2, SLEEP | SHALLOW, 2 },
	{ "sleep, depth 32, resized", "four", 16, 32, -1, 4, SLEEP | RESIZE, 2 },
};

struct held {
	unsigned int bit;
	unsigned int cpu;
};

/**
 * struct worker - A thread.
 * @id: 1 and up; what the owner table has for it.
 * @done: Operations so far; read by the watchdog.
 * @slept: How often it slept.
 * @nr: Number of bits it holds.
 * @held: These.
 */
struct worker {
	pthread_t thread;
	unsigned int id;
	unsigned long done;
	unsigned long slept;
	unsigned int nr;
	struct held held[MAX_HOLD];
};

static const struct scenario *sc;
static struct sbitmap_queue sbq;
static struct worker workers[MAX_THREADS];
static unsigned long todo, errors;
static atomic_t wait_index;
/* Who has a bit, and what belongs to it: plain, so that TSan sees two holders. */
static unsigned int owner[MAX_DEPTH];
static unsigned long payload[MAX_DEPTH];
/* A bit in transit, and the CPU that got it. */
static u64 mail[MAILBOXES];
/* A search for bits must not race with a resize: blk-mq freezes its queues. */
static pthread_rwlock_t resize_lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned int patience = 20;

/*
 * A live resize makes also the unpatched code give bits twice: __map_depth() between the
 * stores to depth and map_nr. Only that nothing crashes or hangs can be asked then.
 */
#define fail_with(...)							\
do {									\
	if (sc->how & LIVE)						\
		break;							\
	if (__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED) < 5)	\
		ktap_note(__VA_ARGS__);					\
} while (0)

static void hold(struct worker *w, unsigned int bit, unsigned int cpu)
{
	w->held[w->nr++] = (struct held){ bit, cpu };
}

static void claim(struct worker *w, unsigned int bit)
{
	unsigned int was;

	if (bit >= sc->depth) {
		fail_with("bit %u is not below the depth %u", bit, sc->depth);
		return;
	}
	was = __atomic_exchange_n(&owner[bit], w->id, __ATOMIC_RELAXED);
	if (was)
		fail_with("bit %u given to thread %u is that of %u", bit, w->id, was);
	payload[bit]++;
	hold(w, bit, raw_smp_processor_id());
}

static void disclaim(struct worker *w, unsigned int bit)
{
	payload[bit]++;
	if (__atomic_exchange_n(&owner[bit], 0, __ATOMIC_RELAXED) != w->id)
		fail_with("bit %u of thread %u was taken from it", bit, w->id);
}

static unsigned long progress(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < sc->threads; i++)
		sum += READ_ONCE(workers[i].done);
	return sum;
}

/* ---- take ---- */

/* The CPU is kept meanwhile: the one who resizes may wait on the next one. */
static void no_resize(void)
{
	if (!(sc->how & RESIZE) || sc->how & LIVE)
		return;
	preempt_disable();
	pthread_rwlock_rdlock(&resize_lock);
}

static void may_resize(void)
{
	if (!(sc->how & RESIZE) || sc->how & LIVE)
		return;
	pthread_rwlock_unlock(&resize_lock);
	preempt_enable();
}

static int get_one(void)
{
	unsigned int cpu;

	if (sc->how & SHALLOW && get_random_u32() % 2)
		return sbitmap_queue_get_shallow(&sbq, sc->depth / 2);
	if (sc->how & PLAIN)
		return sbitmap_get(&sbq.sb);
	return get_random_u32() % 2 ? __sbitmap_queue_get(&sbq) :
				      sbitmap_queue_get(&sbq, &cpu);
}

static int try_get(void)
{
	int nr;

	no_resize();
	nr = get_one();
	if (nr >= (int)sbq.sb.depth && !(sc->how & LIVE))
		fail_with("bit %d at a depth of %u", nr, sbq.sb.depth);
	may_resize();
	return nr;
}

/* As blk_mq_get_tag() does it. */
static int get_or_sleep(struct worker *w)
{
	struct sbq_wait_state *ws = sbq_wait_ptr(&sbq, &wait_index);
	DEFINE_SBQ_WAIT(wait);
	int nr;

	while ((nr = try_get()) < 0) {
		sbitmap_prepare_to_wait(&sbq, ws, &wait, TASK_UNINTERRUPTIBLE);
		nr = try_get();
		if (nr >= 0)
			break;
		w->slept++;
		schedule();
		sbitmap_finish_wait(&sbq, ws, &wait);
		ws = sbq_wait_ptr(&sbq, &wait_index);
	}
	sbitmap_finish_wait(&sbq, ws, &wait);
	return nr;
}

static void take_batch(struct worker *w)
{
	unsigned int room = min(sc->hold - w->nr, 8U), first, bit;
	unsigned int want = 1 + get_random_u32() % room;
	unsigned long mask;

	no_resize();
	mask = __sbitmap_queue_get_batch(&sbq, want, &first);
	may_resize();
	if (mask >> want)
		fail_with("%u bits wanted, mask %lx", want, mask);
	for_each_set_bit(bit, &mask, want)
		claim(w, first + bit);
}

/*
 * sbitmap_deferred_clear() reads ->cleared, then ->word. Who is away between them finds no
 * bit, as in the unpatched code, if others take each one that was free, and free it, by
 * which it goes to ->cleared. That many operations are needed, but for the one that each
 * thread may not have counted yet.
 */
static bool may_fail(unsigned long ops)
{
	return ops + sc->threads >= sc->depth - sc->threads * sc->hold;
}

static void take(struct worker *w)
{
	unsigned long before = sc->how & SPARE ? progress() : 0;
	int nr;

	if (sc->how & BATCH && get_random_u32() % 2) {
		take_batch(w);
		return;
	}
	if (sc->how & SLEEP && !w->nr)
		nr = get_or_sleep(w);
	else
		nr = try_get();
	if (nr >= 0)
		claim(w, nr);
	else if (sc->how & SPARE && !may_fail(progress() - before))
		fail_with("found no bit, but at most %u are held",
			  sc->threads * sc->hold);
}

/* ---- free ---- */

static struct held drop_any(struct worker *w)
{
	unsigned int i = get_random_u32() % w->nr;
	struct held h = w->held[i];

	w->held[i] = w->held[--w->nr];
	return h;
}

static void free_one(struct worker *w)
{
	struct held h = drop_any(w);

	disclaim(w, h.bit);
	if (sc->how & PLAIN)
		sbitmap_put(&sbq.sb, h.bit);
	else
		sbitmap_queue_clear(&sbq, h.bit, h.cpu);
}

static void free_batch(struct worker *w)
{
	unsigned int nr = 1 + get_random_u32() % min(w->nr, 8U), i;
	const int offset = 3;
	int tags[8];

	for (i = 0; i < nr; i++) {
		struct held h = drop_any(w);

		disclaim(w, h.bit);
		tags[i] = h.bit + offset;
	}
	sbitmap_queue_clear_batch(&sbq, offset, tags, nr);
}

/* With sleepers, batches alone must wake them. */
static void free_some(struct worker *w)
{
	if (sc->how & BATCH && (sc->how & SLEEP || get_random_u32() % 2))
		free_batch(w);
	else
		free_one(w);
}

/* Swap a bit for what is in a mailbox: empty, or a bit of somebody. */
static void post(struct worker *w)
{
	struct held h = drop_any(w);
	u64 letter = (u64)h.cpu << 32 | (h.bit + 1);
	unsigned int bit;

	disclaim(w, h.bit);
	letter = __atomic_exchange_n(&mail[get_random_u32() % MAILBOXES], letter,
				     __ATOMIC_ACQ_REL);
	if (!letter)
		return;
	bit = (u32)letter - 1;
	if (__atomic_exchange_n(&owner[bit], w->id, __ATOMIC_RELAXED))
		fail_with("bit %u was given away while in transit", bit);
	hold(w, bit, letter >> 32);
}

static void give_up(struct worker *w)
{
	if (sc->how & CROSS && get_random_u32() % 2)
		post(w);
	else
		free_some(w);
}

/* ---- threads ---- */

static void resize(void)
{
	unsigned int depth = 1 + get_random_u32() % sc->depth;

	preempt_disable();
	pthread_rwlock_wrlock(&resize_lock);
	if (sc->how & PLAIN)
		sbitmap_resize(&sbq.sb, depth);
	else
		sbitmap_queue_resize(&sbq, depth);
	pthread_rwlock_unlock(&resize_lock);
	preempt_enable();
	/* What waits for bits of the old depth must look again. */
	sbitmap_queue_wake_all(&sbq);
}

static void step(struct worker *w)
{
	bool full = w->nr == sc->hold;

	if (sc->how & RESIZE && w->id == 1 &&
	    get_random_u32() % (sc->how & LIVE ? 2 : 256) == 0)
		resize();
	/* About three of four takes, so that the map is near its limit. */
	if (!w->nr || (!full && get_random_u32() % 4))
		take(w);
	else
		give_up(w);
}

/* Let others have the CPU: often enough that they find all bits taken. */
static bool give_way(unsigned long i)
{
	if (sc->how & SLEEP)
		return get_random_u32() % 2;
	return sc->threads > nr_cpu_ids && i % TICK == 0;
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	unsigned int cpu = w->id % nr_cpu_ids;
	unsigned long i;

	shim_seed(w->id);
	shim_run_on(cpu, true);
	for (i = 0; i < todo; i++) {
		step(w);
		WRITE_ONCE(w->done, i + 1);
		if (give_way(i))
			shim_run_on(cpu, true);
	}
	while (w->nr)
		free_some(w);
	shim_leave();
	return NULL;
}

/* Nothing can end threads that sleep for ever, so the whole test ends. */
static void stuck(const char *what)
{
	ktap_note("no progress for %u s after %lu operations, %u bits in use, ws_active %d",
		  patience, progress(), sbitmap_weight(&sbq.sb),
		  atomic_read(&sbq.ws_active));
	ktap_result(false, "%s, %s", sc->name, what);
	printf("Bail out! threads sleep and are not woken\n");
	fflush(stdout);
	_exit(1);
}

static void watch(const char *what)
{
	unsigned long was = 0, now, all = todo * sc->threads;
	unsigned int idle = 0;

	while ((now = progress()) < all) {
		idle = now == was ? idle + 1 : 0;
		if (idle > patience * 100)
			stuck(what);
		was = now;
		usleep(10000);
	}
}

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer calls this for what it reports. */
void __tsan_on_report(void *report);
void __tsan_on_report(void *report)
{
	__atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
}
#endif

/* ---- a whole run ---- */

static void empty_mail(void)
{
	unsigned int i;

	for (i = 0; i < MAILBOXES; i++) {
		if (mail[i])
			sbitmap_queue_clear(&sbq, (u32)mail[i] - 1, mail[i] >> 32);
		mail[i] = 0;
	}
}

/* From this CPU, every bit can be had. */
static void take_all(void)
{
	static DECLARE_BITMAP(seen, MAX_DEPTH);
	unsigned int n = 0, misses = 0;
	int nr;

	bitmap_zero(seen, MAX_DEPTH);
	/* Round robin may miss bits before the hint once. */
	while (misses < 1 + !!(sc->how & ROUND)) {
		nr = sbitmap_get(&sbq.sb);
		if (nr < 0) {
			misses++;
			continue;
		}
		if (test_and_set_bit(nr, seen))
			fail_with("bit %d twice", nr);
		n++;
	}
	if (n != sbq.sb.depth || sbitmap_weight(&sbq.sb) != n)
		fail_with("%u of %u bits can be had, weight %u", n, sbq.sb.depth,
			  sbitmap_weight(&sbq.sb));
	for_each_set_bit(nr, seen, sbq.sb.depth)
		sbitmap_put(&sbq.sb, nr);
}

static void check_end(void)
{
	int cpu;

	shim_run_on(0, false);
	empty_mail();
	sbitmap_queue_resize(&sbq, sc->depth);
	if (sbitmap_weight(&sbq.sb) || sbitmap_any_bit_set(&sbq.sb))
		fail_with("%u bits are lost", sbitmap_weight(&sbq.sb));
	if (atomic_read(&sbq.ws_active))
		fail_with("ws_active is %d", atomic_read(&sbq.ws_active));
	for_each_online_cpu(cpu) {
		shim_run_on(cpu, false);
		take_all();
	}
	shim_leave();
}

/* Where threads sleep, an operation takes very much longer; a rare race wants many. */
static unsigned long operations(unsigned long ops)
{
	unsigned long least = sc->how & SLEEP ? 20000 : sc->how & LIVE ? 1000000 : 0;

	return ops * sc->share / 10000 + least;
}

static void torture(const struct scenario *s, bool spread, unsigned long ops)
{
	const char *what = spread ? "spread" : "flat";
	unsigned long slept = 0, warnings = shim_warnings();
	long live = shim_live();
	unsigned int i;

	sc = s;
	errors = 0;
	shim_init(s->topology);
	memset(workers, 0, sizeof(workers));
	if (shim_init_queue(&sbq, sc->depth, sc->shift, sc->how & ROUND, spread))
		errx(1, "no memory for a map");
	if (s->how & SHALLOW)
		sbitmap_queue_min_shallow_depth(&sbq, s->depth / 2);
	todo = operations(ops) / s->threads + 1;
	for (i = 0; i < s->threads; i++) {
		workers[i].id = i + 1;
		pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
	}
	watch(what);
	for (i = 0; i < s->threads; i++) {
		pthread_join(workers[i].thread, NULL);
		slept += workers[i].slept;
	}
	check_end();
	sbitmap_queue_free(&sbq);
	if (shim_live() != live)
		fail_with("%ld allocations leaked", shim_live() - live);
	/* Without sleepers there is no wake-up to lose. */
	if (s->how & SLEEP && !slept)
		fail_with("nobody slept");
	ktap_result(!errors && shim_warnings() == warnings,
		    "%s, %s: %lu operations, slept %lu times", s->name, what,
		    todo * s->threads, slept);
}

#ifdef CONFIG_SBITMAP_SPREAD
/* Each allocation of an init may fail: nothing may leak, the next one works. */
static void fail_init(void)
{
	static const struct scenario s = { "failing init", "four", 0, 1024, -1, 0, 0, 0 };
	long live = shim_live();
	unsigned int n = 0;
	int ret;

	sc = &s;
	errors = 0;
	shim_init(s.topology);
	do {
		shim_fail(++n);
		ret = shim_init_queue(&sbq, sc->depth, sc->shift, sc->how & ROUND, true);
		if (ret && ret != -ENOMEM)
			fail_with("init returned %d when allocation %u failed", ret, n);
		if (ret && shim_live() != live)
			fail_with("%ld leaked when allocation %u failed",
				  shim_live() - live, n);
	} while (ret && n < 100);
	shim_fail(0);
	if (!ret)
		sbitmap_queue_free(&sbq);
	ktap_result(!errors && !ret && n > 5, "failing init, spread: %u failures", n - 1);
}
#endif

static void usage(void)
{
	fprintf(stderr, "usage: torture [-n OPERATIONS] [-s SCENARIO] [-w SECONDS]\n"
		"  -n  of all scenarios of a layout together\n"
		"  -s  only the scenarios whose names begin like this\n"
		"  -w  of no progress that count as sleeping for ever\n");
	exit(2);
}

static bool selected(const struct scenario *s, const char *only)
{
	/* Two holders of a bit race by design there. */
	if (SANITIZED && s->how & LIVE)
		return false;
	return !only || !strncmp(s->name, only, strlen(only));
}

int main(int argc, char **argv)
{
	const unsigned int layouts = IS_ENABLED(CONFIG_SBITMAP_SPREAD) ? 2 : 1;
	const char *only = NULL;
	unsigned int plan = 0, i;
	unsigned long ops = 1000000;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:w:")) != -1) {
		if (opt == 'n')
			ops = strtod(optarg, NULL);
		else if (opt == 's')
			only = optarg;
		else if (opt == 'w')
			patience = atoi(optarg);
		else
			usage();
	}
	for (i = 0; i < ARRAY_SIZE(scenarios); i++)
		plan += selected(&scenarios[i], only) * layouts;
	if (!plan)
		usage();
	ktap_start(plan + (layouts > 1 && !only));
	for (i = 0; i < ARRAY_SIZE(scenarios) * layouts; i++)
		if (selected(&scenarios[i / layouts], only))
			torture(&scenarios[i / layouts], i % layouts, ops);
#ifdef CONFIG_SBITMAP_SPREAD
	if (!only)
		fail_init();
#endif
	return ktap_exit();
}
