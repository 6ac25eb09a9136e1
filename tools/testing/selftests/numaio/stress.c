// SPDX-License-Identifier: GPL-2.0-only
/*
 * stress [TOGGLES]: replace tags and requests under I/O whose data is verified,
 * while everything else changes too: schedulers, depths, hardware queues, CPUs.
 * TOGGLES: of the longest test (default 200). Needs root, null_blk as a module.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "load.h"

#define DISK	"nullb0"
#define QUEUE	"/sys/block/" DISK "/queue"
#define DEPTH	64

/*
 * In memory, for data to be real. Slow enough that all tags are in use, so that
 * there always are waiters.
 */
#define BACKED	"memory_backed=1 irqmode=2 completion_nsec=20000000"

static struct nodes nodes;
static int ncpu;
static unsigned long toggles = 200;

/* ---- what goes on ---- */

static const char *const placements[] = { "flat", "spread" };

/* The only one who toggles this disk: what it wrote has to be what is there. */
static int step_toggle(struct worker *w)
{
	const char *disk = w->arg, *to = placements[(w->done + 1) % 2];
	struct blkplace p;

	if (write_line(to, "/sys/block/%s/queue/tag_placement", disk))
		return worker_fails(w, "%s: %s", to, strerror(errno));
	w->done++;
	if (w->done % 8)
		return STEP_OK;
	if (blkplace_read(disk, 0, "tags", &p))
		return worker_fails(w, "can't read where the tags are");
	if (p.spread != !strcmp(to, "spread") ||
	    (p.spread && (p.words_misplaced || p.rqs_misplaced)))
		return worker_fails(w, "%s: spread %d, words misplaced %u, requests %u",
				    to, p.spread, p.words_misplaced, p.rqs_misplaced);
	return STEP_OK;
}

static int step_scheduler(struct worker *w)
{
	static const char *const names[] = { "none", "mq-deadline", "kyber", "bfq" };
	const char *to = names[random() % 4];

	if (write_line(to, "/sys/block/%s/queue/scheduler", (const char *)w->arg))
		return worker_fails(w, "%s: %s", to, strerror(errno));
	w->done++;
	usleep(random() % 20000);
	return STEP_OK;
}

/* Without a scheduler there can't be more than the hardware has. */
static int step_nr_requests(struct worker *w)
{
	int nr = 4 + random() % (2 * DEPTH);
	char text[16];

	snprintf(text, sizeof(text), "%d", nr);
	if (write_line(text, "/sys/block/%s/queue/nr_requests", (const char *)w->arg)) {
		if (errno != EINVAL || nr <= DEPTH)
			return worker_fails(w, "%d: %s", nr, strerror(errno));
		w->refused++;
	}
	w->done++;
	usleep(random() % 20000);
	return STEP_OK;
}

/* ---- 200 toggles ---- */

static void test_toggles(const char *what, unsigned long nr, const char *params)
{
	const struct verify v = { .disk = DISK, .jobs = ncpu, .depth = 16, .kib = 256 };
	int node, cpu, try, busy;
	struct crew *c;
	bool ok;

	ok = !nullb_load("hw_queue_depth=%d " BACKED " gb=1 %s", DEPTH, params);
	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	if (ok) {
		crew_add(c, "toggle", step_toggle, DISK, nr);
		crew_add(c, "scheduler", step_scheduler, DISK, 0);
		crew_add(c, "nr_requests", step_nr_requests, DISK, 0);
	}
	ok &= crew_join(c);
	ktap_result(ok, "%lu toggles under verified I/O, %s", nr, what);

	/*
	 * Without a scheduler nr_requests reads as the full depth after each switch, and
	 * is refused as nothing new then, though fewer tags may be in use.
	 */
	ok = !write_line("none", QUEUE "/scheduler") && !write_line("63", QUEUE "/nr_requests") &&
	     !write_line("64", QUEUE "/nr_requests") && all_idle(DISK) && !write_line("spread", QUEUE "/tag_placement") &&
	     attr_is(DISK, "flat [spread]") && blkplace_right(DISK, &nodes, true) &&
	     verify_once(&v) && !write_line("flat", QUEUE "/tag_placement") &&
	     attr_is(DISK, "[flat] spread") && blkplace_right(DISK, &nodes, false) &&
	     verify_once(&v) && !write_line("spread", QUEUE "/tag_placement");
	ktap_result(ok, "then all is in place, the data too, %s", what);

	/* Of the map of the queue of that CPU. */
	ok = all_idle(DISK);
	for (node = 0; ok && node < nodes.nr; node++) {
		if (!nodes_cpus(node, &cpu, 1))
			continue;
		for (try = busy = 0; try < 50 && busy < DEPTH; try++)
			busy = hold_tags(DISK, cpu, DEPTH);
		if (busy != DEPTH) {
			ktap_note("node %d: %d of %d tags at once", node, busy, DEPTH);
			ok = false;
		}
	}
	ktap_result(ok && all_idle(DISK), "and no tag is lost, %s", what);
	nullb_unload();
}

/* A set of disks: each has I/O, any of them may be told. */
static void test_set(void)
{
	static const char *const disks[] = { "nullb0", "nullb1", "nullb2" };
	struct verify v[3];
	struct crew *c;
	bool ok;
	int i;

	/* null_blk in memory may sleep, but doesn't say so of a shared set by itself. */
	ok = !nullb_load("hw_queue_depth=%d " BACKED " gb=1 nr_devices=3 shared_tags=1 blocking=1 "
			 "shared_tag_bitmap=1 submit_queues=%d", DEPTH, ncpu);
	c = crew_new();
	for (i = 0; ok && i < 3; i++) {
		v[i] = (struct verify){
			.disk = disks[i], .jobs = ncpu > 4 ? 4 : ncpu, .depth = 16, .kib = 256,
		};
		ok = crew_add_verify(c, &v[i]);
	}
	if (ok) {
		crew_add(c, "toggle", step_toggle, disks[1], toggles / 8);
		crew_add(c, "scheduler", step_scheduler, disks[0], 0);
		crew_add(c, "scheduler", step_scheduler, disks[2], 0);
		crew_add(c, "nr_requests", step_nr_requests, disks[0], 0);
	}
	ok &= crew_join(c);
	for (i = 0; ok && i < 3; i++)
		ok = !write_line("none", "/sys/block/%s/queue/scheduler", disks[i]) &&
		     all_idle(disks[i]);
	ok = ok && !write_line("spread", QUEUE "/tag_placement");
	for (i = 0; ok && i < 3; i++)
		ok = blkplace_right(disks[i], &nodes, true) && verify_once(&v[i]) &&
		     all_idle(disks[i]);
	ktap_result(ok, "%lu toggles of a set of three disks", toggles / 8);
	nullb_unload();
}

/* ---- hardware queues ---- */

static int step_queues(struct worker *w)
{
	static const int queues[] = { 1, 1000, 3, 2, 1000, 4, 1, 2 };
	int nr = queues[w->done % 8];
	char text[16];

	snprintf(text, sizeof(text), "%d", nr > ncpu ? ncpu : nr);
	if (nullb_set(w->arg, "submit_queues", text))
		return worker_fails(w, "%s queues: %s", text, strerror(errno));
	w->done++;
	return STEP_OK;
}

static int step_flip(struct worker *w)
{
	const char *disk = w->arg, *to = placements[w->done % 2];

	/* With a queue for each node there is nothing to spread. */
	if (write_line(to, "/sys/block/%s/queue/tag_placement", disk)) {
		if (errno != EOPNOTSUPP)
			return worker_fails(w, "%s: %s", to, strerror(errno));
		w->refused++;
	}
	w->done++;
	usleep(random() % 30000);
	return STEP_OK;
}

static void test_hw_queues(const char *what, const char *sched, const char *settings)
{
	const char *disk = "resized";
	const struct verify v = { .disk = disk, .jobs = ncpu, .depth = 8, .kib = 256 };
	static const int queues[] = { 1, 2, 1000, 3, 1000, 1, 4, 2 };
	unsigned int i, last = 1000;
	char text[16], all[256];
	struct crew *c;
	bool ok;

	snprintf(all, sizeof(all), "size=64 hw_queue_depth=%d submit_queues=%d memory_backed=1 "
		 "irqmode=2 completion_nsec=5000000 %s", DEPTH, ncpu, settings);
	ok = !nullb_load("nr_devices=0 submit_queues=%d tag_placement=spread", ncpu) &&
	     !nullb_make(disk, all) && blkplace_right(disk, &nodes, true);
	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	for (i = 0; ok && i < sizeof(queues) / sizeof(*queues); i++) {
		int nr = queues[i] > ncpu ? ncpu : queues[i];

		snprintf(text, sizeof(text), "%d", nr);
		ok = !nullb_set(disk, "submit_queues", text) &&
		     blkplace_right(disk, &nodes, true);
		if (!ok)
			ktap_note("%s queues, after %u", text, last);
		last = nr;
	}
	crew_stop(c);
	ok &= crew_join(c) && all_idle(disk);
	ktap_result(ok, "owners follow the hardware queues, %s", what);

	/*
	 * Not switched meanwhile: unpatched 6.12 lets a scheduler in while it replaces
	 * hardware queues, and a NULL pointer is followed in kyber_bio_merge().
	 */
	ok = ok && !write_line(sched, "/sys/block/%s/queue/scheduler", disk);
	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	if (ok) {
		crew_add(c, "queues", step_queues, disk, 24);
		crew_add(c, "toggle", step_flip, disk, 24);
	}
	ok &= crew_join(c);
	ok = ok && !write_line("none", "/sys/block/%s/queue/scheduler", disk) &&
	     !nullb_set(disk, "submit_queues", "1") &&
	     !write_line("flat", "/sys/block/%s/queue/tag_placement", disk) &&
	     blkplace_right(disk, &nodes, false) &&
	     !write_line("spread", "/sys/block/%s/queue/tag_placement", disk) &&
	     blkplace_right(disk, &nodes, true) && all_idle(disk) && verify_once(&v);
	ktap_result(ok, "queues and placement change at once, %s", what);
	nullb_remove(disk);
	nullb_unload();
}

/* ---- CPUs ---- */

static int away[64], nr_away;

/* CPUs of the last owner, but never CPU 0. */
static bool choose_cpus(void)
{
	int node;

	for (node = nodes.nr - 1; node > 0; node--) {
		if (!(nodes.owner_mask >> node & 1))
			continue;
		nr_away = nodes_cpus(node, away, 64);
		return nr_away && away[0];
	}
	return false;
}

static bool put_cpus(bool online)
{
	int i;

	for (i = 0; i < nr_away; i++)
		if (write_line(online ? "1" : "0", "/sys/devices/system/cpu/cpu%d/online",
			       away[i])) {
			ktap_note("CPU %d: %s", away[i], strerror(errno));
			return false;
		}
	return true;
}

static int step_hotplug(struct worker *w)
{
	if (!put_cpus(w->done % 2))
		return worker_fails(w, "see above");
	w->done++;
	usleep(random() % 100000);
	return STEP_OK;
}

static void test_hotplug(void)
{
	static const char *const names[] = {
		"CPUs of a node go and come under I/O",
		"new maps have no owner without CPUs",
		"CPUs and placement change at once",
	};
	const struct verify v = { .disk = DISK, .jobs = ncpu, .depth = 8, .kib = 256,
				  .roam = true };
	struct nodes less;
	struct crew *c;
	bool ok;
	int i;

	if (access("/sys/devices/system/cpu/cpu1/online", F_OK) || !choose_cpus()) {
		for (i = 0; i < 3; i++)
			ktap_skip(names[i], "no CPU hotplug");
		return;
	}

	/* A queue for each CPU: those of CPUs that are away have nobody to run them. */
	ok = !nullb_load("hw_queue_depth=%d " BACKED " gb=1 shared_tag_bitmap=1 submit_queues=%d "
			 "tag_placement=spread", DEPTH, ncpu);
	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	if (ok) {
		crew_add(c, "hotplug", step_hotplug, NULL, 6);
	}
	ok &= crew_join(c) && blkplace_right(DISK, &nodes, true) && all_idle(DISK);
	ktap_result(ok, "%s", names[0]);

	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	ok = ok && put_cpus(false) && !nodes_read(&less) && less.owners == nodes.owners - 1 &&
	     /* The map stays, its owners too. */
	     blkplace_right(DISK, &nodes, true) &&
	     !write_line("flat", QUEUE "/tag_placement") && blkplace_right(DISK, &less, false) &&
	     (less.owners < 2 ||
	      (!write_line("spread", QUEUE "/tag_placement") &&
	       blkplace_right(DISK, &less, true)));
	ok &= put_cpus(true);
	/* As before: nothing asked for new ones. Then all nodes have their share again. */
	ok = ok && blkplace_right(DISK, &less, less.owners > 1) &&
	     !write_line("flat", QUEUE "/tag_placement") &&
	     !write_line("spread", QUEUE "/tag_placement") &&
	     blkplace_right(DISK, &nodes, true);
	crew_stop(c);
	ok &= crew_join(c) && all_idle(DISK);
	ktap_result(ok, "%s", names[1]);

	c = crew_new();
	ok = ok && crew_add_verify(c, &v);
	if (ok) {
		crew_add(c, "hotplug", step_hotplug, NULL, 10);
		crew_add(c, "toggle", step_flip, DISK, 20);
		crew_add(c, "scheduler", step_scheduler, DISK, 0);
	}
	ok &= crew_join(c);
	put_cpus(true);
	ok = ok && !write_line("none", QUEUE "/scheduler") &&
	     !write_line("flat", QUEUE "/tag_placement") &&
	     !write_line("spread", QUEUE "/tag_placement") &&
	     blkplace_right(DISK, &nodes, true) && all_idle(DISK) && verify_once(&v);
	ktap_result(ok, "%s", names[2]);
	nullb_unload();
}

int main(int argc, char **argv)
{
	char shared[64];

	if (argc > 1)
		toggles = strtoul(argv[1], NULL, 0);
	if (argc > 2 || toggles < 8) {
		fprintf(stderr, "usage: stress [TOGGLES], at least 8\n");
		return 2;
	}
	if (nodes_read(&nodes))
		return 1;
	if (nodes.owners < 2) {
		printf("1..0 # SKIP one node has nothing to toggle\n");
		return 4;
	}
	ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(shared, sizeof(shared), "shared_tag_bitmap=1 submit_queues=%d", ncpu);

	ktap_start(14);
	test_toggles("one map for all queues", toggles, shared);
	test_toggles("one queue", toggles / 8, "submit_queues=1");
	test_set();
	test_hw_queues("one map for all queues", "mq-deadline", "shared_tag_bitmap=1");
	test_hw_queues("maps of their own", "kyber", "shared_tag_bitmap=0");
	test_hotplug();
	return ktap_exit();
}
