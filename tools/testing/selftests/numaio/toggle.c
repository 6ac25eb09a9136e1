// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of /sys/block/DEV/queue/tag_placement: what a write does to the tags and
 * requests of every queue of the tag set, and what it has to leave alone. What
 * happens under load is in stress.c. Needs root, null_blk as a module.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "load.h"

#define DISK	"nullb0"
#define QUEUE	"/sys/block/" DISK "/queue"
#define DEPTH	256

static struct nodes nodes;
static bool many;	/* More than one node can own tags. */
static int ncpu;
static int few;		/* So many queues have several nodes each. */

/* From every CPU. */
static bool reads(const char *disk)
{
	struct crew *c = crew_new();
	int i;

	for (i = 0; i < ncpu && i < MAX_WORKERS; i++)
		crew_add(c, "reader", step_read, disk, 30);
	if (crew_join(c))
		return true;
	ktap_note("those were readers of %s", disk);
	return false;
}

static bool number_is(const char *disk, const char *attr, int want)
{
	char line[64] = "";

	read_line(line, sizeof(line), "/sys/block/%s/queue/%s", disk, attr);
	if (*line && atoi(line) == want)
		return true;
	ktap_note("%s of %s is %s, not %d", attr, disk, line, want);
	return false;
}

static bool depth_is(const char *disk, const char *map, unsigned int want)
{
	struct blkplace p;

	if (blkplace_read(disk, 0, map, &p))
		return false;
	if (p.depth == want)
		return true;
	ktap_note("%s of %s: depth %u, not %u", map, disk, p.depth, want);
	return false;
}

static bool says_spread(const char *disk)
{
	return attr_is(disk, "flat [spread]") && blkplace_right(disk, &nodes, true);
}

static bool says_flat(const char *disk)
{
	return attr_is(disk, "[flat] spread") && blkplace_right(disk, &nodes, false);
}

static bool to_spread(const char *disk)
{
	return placement_write(disk, "spread\n", 0) && says_spread(disk);
}

static bool to_flat(const char *disk)
{
	return placement_write(disk, "flat", 0) && says_flat(disk);
}

/* There is nothing to wait for: a slow request still is in flight after it. */
static bool in_force_is_quick(const char *word)
{
	struct crew *c = crew_new();
	struct worker *w = crew_add(c, "slow reader", step_read, DISK, 1);
	bool ok;

	usleep(200000);
	ok = placement_write(DISK, word, 0);
	if (w->done) {
		ktap_note("'%s', which is in force, waits for requests", word);
		ok = false;
	}
	return crew_join(c) && ok;
}

/* A map for all CPUs: both ways, twice, with I/O in between. */
static void test_values(void)
{
	bool ok;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=%d no_sched=1",
			 ncpu, DEPTH) &&
	     says_flat(DISK) && to_spread(DISK) && reads(DISK) &&
	     to_flat(DISK) && reads(DISK) && to_spread(DISK) && reads(DISK);
	ktap_result(ok && depth_is(DISK, "tags", DEPTH), "spread and flat again by sysfs");

	nullb_unload();

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=%d no_sched=1 "
			 "irqmode=2 completion_nsec=1000000000", ncpu, DEPTH) &&
	     in_force_is_quick("flat") && to_spread(DISK) && in_force_is_quick("spread") &&
	     says_spread(DISK) && to_flat(DISK);
	ktap_result(ok, "the value in force changes nothing");
	nullb_unload();

	/* What module parameter and sysfs say is the same. */
	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 tag_placement=spread", ncpu) &&
	     says_spread(DISK) && to_flat(DISK) && reads(DISK) && to_spread(DISK);
	ktap_result(ok, "what was loaded as spread can be made flat");
	nullb_unload();
}

static void test_bad_words(void)
{
	static const char *const words[] = {
		"round", "Spread", "spreadx", "sprea", "spread flat", "flat,spread",
		"[spread]", "none", "0", "1", "\n",
	};
	unsigned int i;
	bool ok;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1", ncpu);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		ok &= placement_write(DISK, words[i], EINVAL);
	ok &= many ? says_flat(DISK) : attr_is(DISK, "[flat]");
	ktap_result(ok && reads(DISK), "another word is refused");
	nullb_unload();
}

static bool can_spread(const char *disk)
{
	char line[64] = "";

	return !read_line(line, sizeof(line), "/sys/block/%s/queue/tag_placement", disk) &&
	       !strcmp(line, "[flat] spread");
}

/* "spread" is refused, "flat" is in force. */
static bool cannot_spread(const char *disk)
{
	return attr_is(disk, "[flat]") && placement_write(disk, "spread", EOPNOTSUPP) &&
	       placement_write(disk, "flat", 0) && placement_write(disk, "round", EINVAL) &&
	       attr_is(disk, "[flat]") && blkplace_right(disk, &nodes, false) && reads(disk);
}

static void test_no_difference(void)
{
	bool ok;

	ok = !nullb_load("submit_queues=%d", ncpu) && cannot_spread(DISK);
	ktap_result(ok, "queues that serve one node each can't be spread");
	nullb_unload();
	if (many) {
		ktap_skip("one node has nothing to spread", "several nodes");
		return;
	}
	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1", ncpu) && cannot_spread(DISK);
	nullb_unload();
	ok = ok && !nullb_load("submit_queues=1 tag_placement=spread") && cannot_spread(DISK);
	ktap_result(ok, "one node has nothing to spread");
	nullb_unload();
}

static void test_bio_based(void)
{
	const char *name = "a bio-based queue has no placement";
	bool ok;

	if (run("modprobe brd rd_nr=1 rd_size=1024 2>/dev/null")) {
		ktap_skip(name, "no brd");
		return;
	}
	ok = attr_is("ram0", "none") && placement_write("ram0", "spread", EOPNOTSUPP) &&
	     placement_write("ram0", "flat", EOPNOTSUPP) &&
	     placement_write("ram0", "round", EOPNOTSUPP) && attr_is("ram0", "none");
	ktap_result(ok, "%s", name);
	if (run("modprobe -r brd"))
		ktap_note("can't unload brd");
}

/* Maps of their own: those which serve several nodes change, each to its nodes. */
static void test_queue_maps(void)
{
	const struct {
		int queues, poll;
		const char *name;
	} cases[] = {
		{ 1, 0, "one queue" },
		{ few, 0, "queues for half of the nodes each" },
		{ few + 1, 0, "queues with unequal shares" },
		/* Only that for polling serves all nodes. */
		{ ncpu, 1, "a queue for each CPU and one for polling" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool ok;

		if (cases[i].queues > 1 && !cases[i].poll && few < 2) {
			ktap_skip(cases[i].name, "needs four nodes");
			continue;
		}
		ok = !nullb_load("submit_queues=%d poll_queues=%d no_sched=1",
				 cases[i].queues, cases[i].poll) &&
		     says_flat(DISK) && to_spread(DISK) && reads(DISK) &&
		     to_flat(DISK) && reads(DISK) && to_spread(DISK) && reads(DISK);
		ktap_result(ok, "%s", cases[i].name);
		nullb_unload();
	}
}

static void test_shared_set(void)
{
	static const char *const disks[] = { "nullb0", "nullb1", "nullb2" };
	static const char *const maps[] = { "shared_tag_bitmap=1", "shared_tag_bitmap=0" };
	unsigned int i, d;

	for (i = 0; i < 2; i++) {
		bool ok;

		ok = !nullb_load("shared_tags=1 nr_devices=3 hw_queue_depth=64 submit_queues=%d %s",
				 i ? few : ncpu, maps[i]) &&
		     !write_line("none", "/sys/block/nullb0/queue/scheduler") &&
		     !write_line("none", "/sys/block/nullb1/queue/scheduler") &&
		     !write_line("mq-deadline", "/sys/block/nullb2/queue/scheduler") &&
		     placement_write("nullb1", "spread", 0);
		for (d = 0; d < 3; d++)
			ok = ok && says_spread(disks[d]) && reads(disks[d]);
		ok = ok && placement_write("nullb2", "flat", 0);
		for (d = 0; d < 3; d++)
			ok = ok && says_flat(disks[d]) && reads(disks[d]);
		ktap_result(ok, "all disks of a tag set change, %s", maps[i]);
		nullb_unload();
	}
}

static bool scheduler_is(const char *name)
{
	char line[256] = "", want[64];

	snprintf(want, sizeof(want), "[%s]", name);
	read_line(line, sizeof(line), QUEUE "/scheduler");
	if (strstr(line, want))
		return true;
	ktap_note("scheduler: %s, not %s", line, name);
	return false;
}

static bool same_scheduler(const char *name, int nr_requests, unsigned int depth)
{
	return scheduler_is(name) && number_is(DISK, "nr_requests", nr_requests) &&
	       depth_is(DISK, "sched_tags", depth);
}

static void test_schedulers(void)
{
	static const char *const names[] = { "mq-deadline", "kyber", "bfq" };
	unsigned int i, shared;

	for (i = 0; i < 6; i++) {
		const char *name = names[i / 2];
		struct blkplace p = { };
		char line[64] = "";
		int nr;
		bool ok;

		shared = i % 2;
		ok = !nullb_load("submit_queues=%d shared_tag_bitmap=%d hw_queue_depth=%d",
				 shared ? ncpu : few, shared, 64) &&
		     !write_line(name, QUEUE "/scheduler") &&
		     !read_line(line, sizeof(line), QUEUE "/nr_requests") &&
		     !blkplace_read(DISK, 0, "sched_tags", &p);
		nr = atoi(line);
		ok = ok && to_spread(DISK) && same_scheduler(name, nr, p.depth) && reads(DISK) &&
		     to_flat(DISK) && same_scheduler(name, nr, p.depth) && reads(DISK);

		/* Another depth than the default, up and down. */
		ok = ok && !write_line("300", QUEUE "/nr_requests") && to_spread(DISK) &&
		     same_scheduler(name, 300, 300) && reads(DISK) &&
		     !write_line("20", QUEUE "/nr_requests") && to_flat(DISK) &&
		     same_scheduler(name, 20, 20) && reads(DISK) && to_spread(DISK) &&
		     same_scheduler(name, 20, 20) &&
		     !write_line("200", QUEUE "/nr_requests") && says_spread(DISK) &&
		     same_scheduler(name, 200, 200);

		/* And without: hardware tags as placed meanwhile. */
		ok = ok && !write_line("none", QUEUE "/scheduler") && says_spread(DISK) &&
		     reads(DISK) && depth_is(DISK, "tags", 64) &&
		     !write_line(name, QUEUE "/scheduler") && says_spread(DISK) &&
		     reads(DISK);
		ktap_result(ok, "tags of %s%s", name, shared ? ", one map for all queues" : "");
		nullb_unload();
	}
}

static void test_depth_kept(void)
{
	static const char *const maps[] = { "shared_tag_bitmap=1", "shared_tag_bitmap=0" };
	unsigned int i;
	bool ok;

	for (i = 0; i < 2; i++) {
		ok = !nullb_load("submit_queues=%d hw_queue_depth=%d no_sched=1 %s",
				 i ? few : ncpu, DEPTH, maps[i]) &&
		     !write_line("100", QUEUE "/nr_requests") && to_spread(DISK) &&
		     number_is(DISK, "nr_requests", 100) && depth_is(DISK, "tags", 100) &&
		     reads(DISK) && to_flat(DISK) && number_is(DISK, "nr_requests", 100) &&
		     depth_is(DISK, "tags", 100) && reads(DISK);
		/* It can still grow to what it was. */
		ok = ok && !write_line("256", QUEUE "/nr_requests") && says_flat(DISK) &&
		     depth_is(DISK, "tags", DEPTH) && reads(DISK) &&
		     !write_line("7", QUEUE "/nr_requests") && to_spread(DISK) &&
		     depth_is(DISK, "tags", 7) && reads(DISK) &&
		     !write_line("256", QUEUE "/nr_requests") && says_spread(DISK) &&
		     depth_is(DISK, "tags", DEPTH) && reads(DISK);
		ktap_result(ok, "nr_requests and depth survive, %s", maps[i]);
		nullb_unload();
	}
}

static void test_scheduler_kept(void)
{
	bool ok;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1", ncpu) &&
	     !write_line("mq-deadline", QUEUE "/scheduler") &&
	     !write_line("120", QUEUE "/iosched/read_expire") &&
	     to_spread(DISK) && scheduler_is("mq-deadline") &&
	     number_is(DISK, "iosched/read_expire", 120) && reads(DISK);
	ktap_result(ok, "what a scheduler was told survives");
	nullb_unload();
}

/* A node isn't limited to its share. cases.md 9 */
static void test_all_tags(void)
{
	const int depth = 64;
	bool ok;
	int node;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=%d no_sched=1 "
			 "irqmode=2 completion_nsec=300000000", ncpu, depth) &&
	     (!many || to_spread(DISK));
	for (node = 0; ok && node < nodes.nr; node++) {
		int cpu, try, busy = 0;

		if (!nodes_cpus(node, &cpu, 1))
			continue;
		for (try = 0; try < 5 && busy < depth; try++)
			busy = hold_tags(DISK, cpu, depth);
		if (busy != depth) {
			ktap_note("node %d: %d of %d tags at once", node, busy, depth);
			ok = false;
		}
	}
	ktap_result(ok && all_idle(DISK), "every node can use all tags at once");
	nullb_unload();
}

/* The queue counts as a user of the shared tags. */
static bool is_active(const char *disk)
{
	char state[512] = "";

	read_line(state, sizeof(state), "/sys/kernel/debug/block/%s/state", disk);
	return strstr(state, "HCTX_ACTIVE") != NULL;
}

/*
 * Two active disks may have half of their tags each, no more, and all of that half
 * from one node.
 */
static bool half_from_each_node(const char *how, int depth)
{
	int node;

	for (node = 0; node < nodes.nr; node++) {
		int cpu, try, busy, most = 0;

		if (!nodes_cpus(node, &cpu, 1))
			continue;
		for (try = 0; try < 5 && most < depth / 2; try++) {
			/*
			 * The other one is active until its timer for requests expires, which
			 * may be now: then nothing was measured.
			 */
			if (hold_tags("nullb1", cpu, 1) < 1 || !all_idle("nullb1"))
				return false;
			busy = hold_tags(DISK, cpu, depth);
			if (busy > most && is_active("nullb1"))
				most = busy;
			if (!all_idle(DISK))
				return false;
		}
		if (most != depth / 2) {
			ktap_note("%s, node %d: %d of %d tags for one of two disks", how,
				  node, most, depth);
			return false;
		}
	}
	return true;
}

static void test_fair_part(void)
{
	const int depth = 64;
	bool ok;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=%d no_sched=1 "
			 "irqmode=2 completion_nsec=300000000 shared_tags=1 nr_devices=2",
			 ncpu, depth) && half_from_each_node("flat", depth);
	if (many)
		ok = ok && to_spread(DISK) && half_from_each_node("spread", depth) &&
		     to_flat(DISK) && half_from_each_node("flat again", depth);
	ktap_result(ok, "a disk has its fair part of shared tags, from any node");
	nullb_unload();
}

#define READERS 64

static const char *const four_disks[] = { "nullb0", "nullb1", "nullb2", "nullb3" };

static int step_toggle(struct worker *w)
{
	const char *to = w->done % 2 ? "flat" : "spread";

	if (write_line(to, "/sys/block/%s/queue/tag_placement", (const char *)w->arg))
		return worker_fails(w, "%s: %s", to, strerror(errno));
	w->done++;
	return STEP_OK;
}

/* Many jobs on few tags: whoever waits for one is to be woken. cases.md 1, 2 */
static bool many_readers(int disks, int each, int toggles)
{
	struct crew *c = crew_new();
	int i;

	for (i = 0; i < READERS; i++)
		crew_add(c, "reader", step_read, four_disks[i % disks], each);
	if (toggles)
		crew_add(c, "toggle", step_toggle, DISK, toggles);
	return crew_join(c) && all_idle(DISK);
}

static void test_tiny_depths(void)
{
	int depth;

	for (depth = 1; depth <= 8; depth++) {
		bool ok;

		ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=%d "
				 "no_sched=1 irqmode=%d", ncpu, depth, depth % 3) &&
		     many_readers(1, 20, 0);
		if (many)
			ok = ok && to_spread(DISK) && many_readers(1, 20, 0) &&
			     to_flat(DISK) && many_readers(1, 40, 6);
		ktap_result(ok, "%d readers and %d tag%s", READERS, depth, depth > 1 ? "s" : "");
		nullb_unload();
	}
}

static void test_tiny_shared(void)
{
	int shared;

	for (shared = 1; shared >= 0; shared--) {
		bool ok;

		ok = !nullb_load("submit_queues=%d shared_tag_bitmap=%d hw_queue_depth=4 "
				 "no_sched=1 irqmode=2 nr_devices=4 shared_tags=1",
				 shared ? ncpu : 1, shared) && many_readers(4, 20, 0);
		if (many)
			ok = ok && to_spread(DISK) && many_readers(4, 20, 0) &&
			     to_flat(DISK) && many_readers(4, 40, 6);
		ktap_result(ok, "%d readers of four disks that share 4 tags%s", READERS,
			    shared ? " of one map" : "");
		nullb_unload();
	}
}

/* A read that ends with an error, in the background. */
static int step_read_late(struct worker *w)
{
	if (step_read(w) != STEP_FAILED)
		return worker_fails(w, "it should have timed out");
	if (!strstr(w->error, strerror(ETIMEDOUT)))
		return STEP_FAILED;
	w->done++;
	return STEP_ENDED;
}

/* Requests that take longer than they may, and a toggle that has to wait for them. */
static void test_timeouts(void)
{
	struct crew *c = crew_new();
	struct blkplace p = { };
	bool ok;
	int i;

	ok = !nullb_load("submit_queues=%d shared_tag_bitmap=1 hw_queue_depth=16 no_sched=1 "
			 "irqmode=2 completion_nsec=2000000000", ncpu) &&
	     (!many || to_spread(DISK)) && !write_line("300", QUEUE "/io_timeout");
	for (i = 0; ok && i < 6; i++)
		crew_add(c, "late reader", step_read_late, DISK, 1);
	if (many) {
		sleep(1);
		crew_add(c, "toggle", step_toggle, DISK, 2);
	}
	ok &= crew_join(c) && all_idle(DISK) && !write_line("30000", QUEUE "/io_timeout");
	c = crew_new();
	crew_add(c, "reader", step_read, DISK, 1);
	ok &= crew_join(c) && !blkplace_read(DISK, 0, "tags", &p) && all_idle(DISK);
	ktap_result(ok, "late requests time out, later ones do not");
	nullb_unload();
}

static bool inject(const char *disk, const char *what, const char *probability,
		   const char *times)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/verbose", what);
	if (nullb_set(disk, name, "0"))
		return false;
	snprintf(name, sizeof(name), "%s/times", what);
	if (nullb_set(disk, name, times))
		return false;
	snprintf(name, sizeof(name), "%s/probability", what);
	return !nullb_set(disk, name, probability);
}

/* Requests that the driver forgets, or gives back. */
static void test_injected(void)
{
	const char *disk = "forgetful", *lost = "forgotten requests time out, I/O goes on",
		   *back = "requests that the driver gives back";
	struct crew *c;
	bool ok;
	int i;

	if (access("/sys/module/null_blk/parameters", F_OK))
		nullb_load("nr_devices=0 tag_placement=spread");
	if (access("/sys/module/null_blk/parameters/timeout", F_OK)) {
		ktap_skip(lost, "no CONFIG_BLK_DEV_NULL_BLK_FAULT_INJECTION");
		ktap_skip(back, "no CONFIG_BLK_DEV_NULL_BLK_FAULT_INJECTION");
		nullb_unload();
		return;
	}
	ok = !nullb_make(disk, "size=64 submit_queues=4 shared_tag_bitmap=1 hw_queue_depth=16") &&
	     (!many || says_spread(disk)) &&
	     !write_line("500", "/sys/block/%s/queue/io_timeout", disk) &&
	     inject(disk, "timeout_inject", "100", "8");
	c = crew_new();
	for (i = 0; ok && i < 8; i++)
		crew_add(c, "late reader", step_read_late, disk, 1);
	ok &= crew_join(c) && all_idle(disk) && reads(disk);
	if (many) {
		/* Forgotten while the maps are to be replaced. */
		ok = ok && inject(disk, "timeout_inject", "100", "4");
		c = crew_new();
		for (i = 0; ok && i < 4; i++)
			crew_add(c, "late reader", step_read_late, disk, 1);
		crew_add(c, "toggle", step_toggle, disk, 3);
		ok &= crew_join(c) && all_idle(disk) && reads(disk);
	}
	ktap_result(ok, "%s", lost);

	ok = ok && inject(disk, "requeue_inject", "30", "-1");
	c = crew_new();
	for (i = 0; ok && i < 16; i++)
		crew_add(c, "reader", step_read, disk, 100);
	if (many)
		crew_add(c, "toggle", step_toggle, disk, 10);
	ok &= crew_join(c) && all_idle(disk);
	ktap_result(ok, "%s", back);
	nullb_remove(disk);
	nullb_unload();
}

/*
 * The tags of a SCSI host: several disks, memory of the driver behind each request.
 * A kernel whose SCSI layer can't have its tags replaced has to say so.
 */
static void test_scsi(void)
{
	const char *name = "disks of a SCSI host with tags for all its queues";
	struct verify v = { .jobs = ncpu < 4 ? ncpu : 4, .depth = 8, .kib = 256 };
	char disk[3][16];
	unsigned int i, try, nr = 0;
	bool ok;

	if (run("modprobe scsi_debug max_luns=3 host_max_queue=32 submit_queues=%d "
		"dev_size_mb=16 ndelay=100000 2>/dev/null", ncpu)) {
		ktap_skip(name, "no scsi_debug");
		return;
	}
	for (try = 0; try < 100 && nr < 3; try++) {
		glob_t g;

		nr = 0;
		usleep(100000);
		if (glob("/sys/bus/pseudo/devices/adapter0/host*/target*/*/block/sd*", 0, NULL, &g))
			continue;
		for (; nr < g.gl_pathc && nr < 3; nr++)
			snprintf(disk[nr], sizeof(disk[nr]), "%s",
				 strrchr(g.gl_pathv[nr], '/') + 1);
		globfree(&g);
	}
	ok = nr == 3;
	if (!ok) {
		ktap_note("%u of 3 disks", nr);
	} else if (!many || !can_spread(disk[0])) {
		for (i = 0; ok && i < nr; i++)
			ok = cannot_spread(disk[i]);
	} else {
		struct crew *c = crew_new();

		ok = placement_write(disk[0], "spread", 0);
		for (i = 0; ok && i < nr; i++)
			ok = says_spread(disk[i]);
		v.disk = disk[1];
		ok = ok && verify_once(&v) && placement_write(disk[1], "flat", 0) &&
		     crew_add_verify(c, &v);
		if (ok)
			crew_add(c, "toggle", step_toggle, disk[2], 20);
		ok &= crew_join(c) && all_idle(disk[1]) && verify_once(&v);
		for (i = 0; ok && i < nr; i++)
			ok = says_flat(disk[i]);
	}
	ktap_result(ok, "%s", name);
	for (try = 0; try < 50 && run("modprobe -r scsi_debug 2>/dev/null"); try++)
		usleep(100000);
}

static void all_skipped(unsigned int n)
{
	while (n--)
		ktap_skip("live placement", "needs several nodes");
}

int main(void)
{
	if (nodes_read(&nodes))
		return 1;
	many = nodes.owners > 1;
	ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	few = nodes.owners > 3 ? 2 : 1;

	ktap_start(38);
	if (many)
		test_values();
	else
		all_skipped(3);
	test_bad_words();
	test_no_difference();
	test_bio_based();
	if (many) {
		test_queue_maps();
		test_shared_set();
		test_schedulers();
		test_depth_kept();
		test_scheduler_kept();
	} else {
		all_skipped(15);
	}
	test_all_tags();
	test_fair_part();
	test_tiny_depths();
	test_tiny_shared();
	test_timeouts();
	test_injected();
	test_scsi();
	return ktap_exit();
}
