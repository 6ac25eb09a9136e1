// SPDX-License-Identifier: GPL-2.0-only
/*
 * failslab [write] [make] [load]: let each single allocation fail that a change of the
 * placement makes, one after another until none is left: the change succeeds, or it
 * is refused with ENOMEM and everything is as before. The same for new disks, and
 * for the module. Then look for leaks. Needs CONFIG_FAILSLAB, FAIL_PAGE_ALLOC and
 * FAULT_INJECTION_DEBUG_FS; for the leaks DEBUG_KMEMLEAK and kmemleak=on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "load.h"

#define DEBUGFS		"/sys/kernel/debug"
#define KMEMLEAK	DEBUGFS "/kmemleak"
#define TOO_MANY	20000
/* A new disk makes thousands of files in debugfs, and does without. */
#define ENOUGH		100

/* Points of null_blk's own where fail-nth counts, too: nothing but that, silently. */
#define QUIET		"timeout=1,0,0,-1 requeue=1,0,0,-1 init_hctx=1,0,0,-1"

static struct nodes nodes;
static int ncpu, few;

/* ---- injection, into the calling thread only ---- */

/* Also what may sleep, also single pages; nothing but what arm() asks for. */
static bool prepare(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	static const struct {
		const char *name, *value;
	} settings[] = {
		{ "probability", "0" }, { "times", "-1" }, { "verbose", "0" },
		{ "ignore-gfp-wait", "N" },
	};
	unsigned int i, j;

	for (i = 0; i < 2; i++)
		for (j = 0; j < sizeof(settings) / sizeof(*settings); j++)
			if (write_line(settings[j].value, DEBUGFS "/%s/%s", kinds[i],
				       settings[j].name))
				return false;
	return !write_line("0", DEBUGFS "/fail_page_alloc/min-order");
}

/* Of this process, which may not be the one that asked last. */
static int fail_nth(void)
{
	static pid_t pid;
	static int fd;

	if (pid != getpid()) {
		pid = getpid();
		fd = open("/proc/thread-self/fail-nth", O_RDWR);
		if (fd < 0)
			perror("# fail-nth");
		/* No page fault of ours is to be the one. */
		mlockall(MCL_CURRENT | MCL_FUTURE);
	}
	return fd;
}

/* Let the @n-th allocation from now on fail; 0: none. */
static void arm(unsigned int n)
{
	int fd = fail_nth();
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		perror("# fail-nth");
}

/* Returns how many allocations were missing for one to fail; 0: one did. */
static unsigned int disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth(), text, sizeof(text) - 1, 0) < 0)
		perror("# fail-nth");
	arm(0);
	return strtoul(text, NULL, 10);
}

static bool io_works(const char *disk)
{
	char path[64];
	void *buf;
	int fd, i;
	bool ok;

	snprintf(path, sizeof(path), "/dev/%s", disk);
	fd = open(path, O_RDWR | O_DIRECT);
	ok = fd >= 0 && !posix_memalign(&buf, 4096, 4096);
	if (ok) {
		memset(buf, 0, 4096);
		for (i = 0; ok && i < 8; i++)
			ok = pwrite(fd, buf, 4096, i * 4096) == 4096 &&
			     pread(fd, buf, 4096, i * 4096) == 4096;
		free(buf);
	}
	if (!ok)
		ktap_note("I/O of %s: %s", disk, strerror(errno));
	close(fd);
	return ok;
}

static bool shows(const char *disk, const char *word)
{
	char line[64] = "", want[32];

	snprintf(want, sizeof(want), "[%s]", word);
	return !read_line(line, sizeof(line), "/sys/block/%s/queue/tag_placement", disk) &&
	       strstr(line, want);
}

/* No allocation is left. */
static int walk_ends(struct worker *w)
{
	if (!w->refused)
		return worker_fails(w, "nothing was refused in %lu runs", w->done);
	w->goal = w->done;
	return STEP_ENDED;
}

/* ---- a write to tag_placement ---- */

struct walk {
	const char *disk[3];
	const char *from, *to;
};

static bool all_show(const struct walk *k, const char *word)
{
	struct blkplace p;
	int i;

	for (i = 0; i < 3 && k->disk[i]; i++) {
		if (!shows(k->disk[i], word)) {
			ktap_note("%s doesn't show %s", k->disk[i], word);
			return false;
		}
		/* Words may lie elsewhere if a page of their node was refused. */
		if (blkplace_read(k->disk[i], 0, "tags", &p))
			return false;
		if (p.spread != !strcmp(word, "spread") || (p.spread && p.rqs_misplaced)) {
			ktap_note("%s: spread %d, %u requests misplaced", k->disk[i],
				  p.spread, p.rqs_misplaced);
			return false;
		}
		if (!io_works(k->disk[i]))
			return false;
	}
	return true;
}

static int step_write(struct worker *w)
{
	const struct walk *k = w->arg;
	unsigned int n = w->done + 1, left;
	static int fd = -1;
	char path[128];
	int err = 0;

	if (fd < 0) {
		snprintf(path, sizeof(path), "/sys/block/%s/queue/tag_placement", k->disk[0]);
		fd = open(path, O_WRONLY);
	}
	if (n > TOO_MANY)
		return worker_fails(w, "still more allocations");

	arm(n);
	if (pwrite(fd, k->to, strlen(k->to), 0) < 0)
		err = errno;
	left = disarm();
	w->done = n;
	if (err && err != ENOMEM)
		return worker_fails(w, "allocation %u: %s", n, strerror(err));
	if (!all_show(k, err ? k->from : k->to))
		return worker_fails(w, "allocation %u, %s", n, err ? "refused" : "not refused");
	w->refused += err == ENOMEM;
	if (!err && left)
		return walk_ends(w);
	if (err && left)
		return worker_fails(w, "allocation %u: ENOMEM without a failure", n);
	if (!err && !placement_write(k->disk[0], k->from, 0))
		return worker_fails(w, "allocation %u: no way back", n);
	return STEP_OK;
}

static bool walk(int (*step)(struct worker *w), const void *arg, const char *name)
{
	struct crew *c = crew_new();

	crew_add(c, name, step, arg, ULONG_MAX);
	return crew_join(c);
}

static void test_write(const char *what, const struct walk *disks, const char *sched,
		       const char *fmt, int queues)
{
	struct walk k = *disks;
	char params[256];
	bool ok;

	snprintf(params, sizeof(params), fmt, queues);
	ok = !nullb_load("%s " QUIET, params) &&
	     (!sched || !write_line(sched, "/sys/block/%s/queue/scheduler", k.disk[0]));
	k.from = "flat";
	k.to = "spread";
	ok = ok && walk(step_write, &k, "spread");
	ktap_result(ok, "spread, %s", what);
	k.from = "spread";
	k.to = "flat";
	ok = ok && walk(step_write, &k, "flat");
	ktap_result(ok, "flat, %s", what);
	nullb_unload();
}

/* ---- making a disk ---- */

static bool disk_exists(const char *disk)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/%s", disk);
	return !access(path, F_OK);
}

/* Flat where memory was missing for the other, but not where it wasn't. */
static bool good_disk(const char *disk, unsigned int left)
{
	if (!shows(disk, "spread") && (left || !shows(disk, "flat")))
		return false;
	return io_works(disk);
}

/* Is there no more to see? */
static bool enough(int err, unsigned int left)
{
	static unsigned int good;

	good = err ? 0 : good + 1;
	return left || good == ENOUGH;
}

static int step_make(struct worker *w)
{
	const char *disk = "walked";
	unsigned int n = w->done + 1, left;
	static int fd = -1;
	int err = 0;

	if (n > TOO_MANY)
		return worker_fails(w, "still more allocations");
	if (nullb_make(disk, w->arg))
		return worker_fails(w, "%s", strerror(errno));
	fd = open("/sys/kernel/config/nullb/walked/power", O_WRONLY);
	if (fd < 0)
		return worker_fails(w, "power: %s", strerror(errno));
	arm(n);
	if (write(fd, "1", 1) < 0)
		err = errno;
	left = disarm();
	close(fd);
	w->done = n;
	if (err && disk_exists(disk))
		return worker_fails(w, "allocation %u: %s, but a disk", n, strerror(err));
	if (!err && !good_disk(disk, left))
		return worker_fails(w, "allocation %u: no good disk", n);
	w->refused += !!err;
	nullb_remove(disk);
	if (left && err)
		return worker_fails(w, "%s without a failure", strerror(err));
	return enough(err, left) ? walk_ends(w) : STEP_OK;
}

/* ---- loading the module ---- */

struct load {
	const char *params;
	unsigned int first;
};

static int load_module(const char *params)
{
	static char path[256];
	struct utsname u;
	int fd, ret;

	uname(&u);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/drivers/block/null_blk/null_blk.ko",
		 u.release);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = syscall(SYS_finit_module, fd, params, 0);
	if (ret) {
		ret = errno;
		close(fd);
		errno = ret;
		return -1;
	}
	close(fd);
	return 0;
}

static int unload_module(void)
{
	return syscall(SYS_delete_module, "null_blk", O_NONBLOCK);
}

static int step_load(struct worker *w)
{
	const struct load *l = w->arg;
	unsigned int n = l->first + w->done, left;
	int err = 0;

	if (w->done > TOO_MANY)
		return worker_fails(w, "still more allocations");
	arm(n);
	if (load_module(l->params))
		err = errno;
	left = disarm();
	w->done++;
	if (err && (!access("/sys/module/null_blk", F_OK) || disk_exists("nullb0")))
		return worker_fails(w, "allocation %u: %s, but something stays", n,
				    strerror(err));
	if (!err && !good_disk("nullb0", left))
		return worker_fails(w, "allocation %u: no good disk", n);
	if (!err && unload_module())
		return worker_fails(w, "allocation %u: unload: %s", n, strerror(errno));
	w->refused += !!err;
	if (left && err)
		return worker_fails(w, "%s without a failure", strerror(err));
	return enough(err, left) ? walk_ends(w) : STEP_OK;
}

/* How many allocations it takes to load the module without a disk. */
static unsigned int count_load(void)
{
	const unsigned int most = 1000000;
	unsigned int left;

	/* The first time it's also read from the disk. */
	if (load_module("nr_devices=0") || unload_module())
		return 0;
	arm(most);
	if (load_module("nr_devices=0"))
		return 0;
	left = disarm();
	return unload_module() ? 0 : most - left;
}

static void test_load(void)
{
	char params[256];
	struct load l = { .params = params };
	bool ok;

	snprintf(params, sizeof(params), "submit_queues=%d poll_queues=0 shared_tag_bitmap=1 "
		 "tag_placement=spread hw_queue_depth=64 no_sched=1 " QUIET, ncpu);
	/* Those of the module loader aren't ours. */
	l.first = count_load();
	ktap_note("%u allocations to load the module without a disk", l.first);
	ok = l.first;
	l.first -= l.first > 10 ? 10 : 0;
	ktap_result(ok && walk(step_load, &l, "load"), "loading null_blk with tag_placement=spread");
}

static void test_make(void)
{
	char settings[160];
	bool ok;

	ok = !nullb_load("nr_devices=0 submit_queues=%d tag_placement=spread " QUIET, ncpu);
	snprintf(settings, sizeof(settings), "size=64 hw_queue_depth=64 shared_tag_bitmap=1 "
		 "no_sched=1 submit_queues=%d power=0", ncpu);
	ktap_result(ok && walk(step_make, settings, "make"), "a new disk, one map for all queues");
	snprintf(settings, sizeof(settings), "size=64 hw_queue_depth=64 submit_queues=%d power=0",
		 few);
	ktap_result(ok && walk(step_make, settings, "make"), "a new disk, maps of their own");
	nullb_unload();
}

/* ---- leaks ---- */

static bool kmemleak_is_on(void)
{
	/* From now on only when we say so; what there was before doesn't matter. */
	return !access(KMEMLEAK, F_OK) && !write_line("scan=off", KMEMLEAK) &&
	       !write_line("scan", KMEMLEAK) && !write_line("scan", KMEMLEAK) &&
	       !write_line("clear", KMEMLEAK);
}

static void test_leaks(bool on)
{
	const char *name = "nothing has leaked";
	unsigned int lines = 0;
	char line[512];
	FILE *f;

	if (!on) {
		ktap_skip(name, "needs CONFIG_DEBUG_KMEMLEAK and kmemleak=on");
		return;
	}
	/* Only what is 5 s old is looked at, and freed by RCU before. */
	sleep(6);
	write_line("scan", KMEMLEAK);
	sleep(1);
	write_line("scan", KMEMLEAK);
	f = fopen(KMEMLEAK, "r");
	while (f && fgets(line, sizeof(line), f))
		if (lines++ < 80)
			printf("# %s", line);
	ktap_result(f && !lines, "%s", name);
	if (f)
		fclose(f);
}

static bool asked_for(const char *part, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], part))
			return true;
	return argc == 1;
}

static void test_writes(void)
{
	static const struct walk one = { { "nullb0" }, NULL, NULL };
	static const struct walk set = { { "nullb1", "nullb0", "nullb2" }, NULL, NULL };

	test_write("one map for all queues", &one, NULL,
		   "shared_tag_bitmap=1 hw_queue_depth=64 no_sched=1 submit_queues=%d", ncpu);
	test_write("maps of their own", &one, NULL,
		   "hw_queue_depth=64 no_sched=1 submit_queues=%d", few);
	test_write("one map and mq-deadline", &one, "mq-deadline",
		   "shared_tag_bitmap=1 hw_queue_depth=16 submit_queues=%d", ncpu);
	test_write("maps of their own and kyber", &one, "kyber",
		   "hw_queue_depth=16 submit_queues=%d", few);
	test_write("three disks of a set and bfq", &set, "bfq",
		   "shared_tag_bitmap=1 hw_queue_depth=16 shared_tags=1 nr_devices=3 submit_queues=%d",
		   ncpu);
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		void (*run)(void);
		unsigned int tests;
	} parts[] = {
		{ "write", test_writes, 10 },
		{ "make", test_make, 2 },
		{ "load", test_load, 1 },
	};
	unsigned int i, plan = 1;
	bool leaks;

	if (nodes_read(&nodes))
		return 1;
	ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	few = nodes.owners > 3 ? 2 : 1;
	if (nodes.owners < 2 || !prepare()) {
		printf("1..0 # SKIP needs several nodes, FAILSLAB, FAIL_PAGE_ALLOC and their debugfs\n");
		return 4;
	}
	/*
	 * What is loaded once and stays is no leak. Another disk keeps the slab cache of
	 * struct bio, whose name leaks (in unpatched 6.12) if it can't have its kobject.
	 */
	if (nullb_load("nr_devices=1") || run("modprobe scsi_debug"))
		return 1;
	nullb_unload();
	leaks = kmemleak_is_on();

	for (i = 0; i < 3; i++)
		plan += asked_for(parts[i].name, argc, argv) ? parts[i].tests : 0;
	ktap_start(plan);
	for (i = 0; i < 3; i++)
		if (asked_for(parts[i].name, argc, argv))
			parts[i].run();
	test_leaks(leaks);
	return ktap_exit();
}
