// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the placement of tags and requests with null_blk, on whatever nodes
 * the machine has. Needs root, a kernel with the series, null_blk as a module.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"

#define DISK	"nullb0"
#define QUEUE	"/sys/block/" DISK "/queue"
#define MQ	"/sys/block/" DISK "/mq"
#define DEPTH	256

static struct nodes nodes;
static bool many;	/* More than one node can own tags. */

static int load(const char *params)
{
	return run("modprobe null_blk nr_devices=1 %s", params);
}

/* A shared map for all CPUs. */
static int load_shared(const char *how, int depth, const char *more)
{
	char params[256];

	snprintf(params, sizeof(params),
		 "submit_queues=%ld shared_tag_bitmap=1 hw_queue_depth=%d tag_placement=%s %s",
		 sysconf(_SC_NPROCESSORS_ONLN), depth, how, more);
	return load(params);
}

static void unload(void)
{
	if (run("modprobe -r null_blk"))
		ktap_note("can't unload null_blk");
}

static bool attr_is(const char *want)
{
	return attr_reads(want, QUEUE, "tag_placement");
}

static void test_default(void)
{
	struct blkplace p;
	bool ok;

	ok = !load("submit_queues=1") &&
	     attr_is(many ? "[flat] spread" : "[flat]") &&
	     !blkplace_read(DISK, 0, "tags", &p) && !p.spread;
	ktap_result(ok, "flat by default");
	unload();
}

static void test_bad_value(void)
{
	bool refused = load("tag_placement=round 2>/dev/null");
	bool said = console_says("tag_placement: invalid value 'round', valid are: flat, spread");

	if (!refused)
		unload();
	ktap_result(refused && said, "another value is refused with the valid ones named");
}

static bool spread_is_ok(const struct blkplace *p)
{
	if (!many)
		return !p->spread;
	return blkplace_placed(p) && blkplace_even(p, nodes.owner_mask);
}

static bool load_is_ok(const char *cpus, int depth, int ios, int jobs)
{
	int errors;
	long long n = fio_pinned(DISK, depth, ios, cpus, &errors);

	if (!errors && n == (long long)ios * jobs)
		return true;
	ktap_note("%lld I/Os, %d errors", n, errors);
	return false;
}

static void test_spread(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct blkplace p = { }, after;
	bool ok, io;

	ok = !load_shared("spread", DEPTH, "no_sched=1") &&
	     !blkplace_read(DISK, 0, "tags", &p);
	ktap_result(ok && attr_is(many ? "flat [spread]" : "[flat]"),
		    "the attribute tells what is in force");
	if (many) {
		ktap_result(blkplace_even(&p, nodes.owner_mask),
			    "even shares, of nodes with CPUs and memory");
		ktap_result(blkplace_placed(&p), "words and requests on their owner");
	} else {
		ktap_result(!p.spread, "nothing to spread on one node");
		ktap_skip("words and requests on their owner", "one node");
	}

	ok = !blkplace_count(DISK, 0, true);
	io = load_is_ok(NULL, 8, 2000, cpus);
	ok &= io && !blkplace_read(DISK, 0, "tags", &p);
	if (blkplace_own_share(&p) < 0.99) {
		ktap_note("%.2f %% of gets from the own node", 100 * blkplace_own_share(&p));
		ok = false;
	}
	ktap_result(ok, "CPUs get tags of their own node");

	errno = 0;
	ok = write_line("2", "/sys/kernel/debug/block/" DISK "/hctx0/tag_gets") &&
	     errno == EINVAL;
	ok &= !blkplace_count(DISK, 0, false);
	ok &= !blkplace_read(DISK, 0, "tags", &p);
	ok &= load_is_ok("0", 1, 100, 1);
	ok &= !blkplace_read(DISK, 0, "tags", &after) && !memcmp(&p, &after, sizeof(p));
	ktap_result(ok, "counting stops, and takes 0 and 1 only");
	unload();
}

/* All tags are for everybody: one CPU alone must get beyond its node's share. */
static void test_all_from_one(void)
{
	const int depth = 32;
	struct blkplace p = { };
	bool ok;

	ok = !load_shared("spread", depth, "no_sched=1 irqmode=2 completion_nsec=2000000") &&
	     !blkplace_count(DISK, 0, true) && load_is_ok("0", depth, 1000, 1) &&
	     !blkplace_read(DISK, 0, "tags", &p);
	if (many && !p.foreign[nodes_of_cpu(&nodes, 0)]) {
		ktap_note("no tag of another node");
		ok = false;
	}
	ktap_result(ok, "one CPU can use every tag");
	unload();
}

static void test_depths(void)
{
	static const int depths[] = { 1, 2, 3, 4, 5, 63, 64, 65, 4096 };
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		struct blkplace p = { };
		bool good;

		good = !load_shared("spread", depths[i], "no_sched=1") &&
		       !blkplace_read(DISK, 0, "tags", &p) &&
		       p.depth == (unsigned int)depths[i] &&
		       spread_is_ok(&p) &&
		       load_is_ok("0", 4, 200, 1);
		if (!good)
			ktap_note("with a depth of %d", depths[i]);
		ok &= good;
		unload();
	}
	ktap_result(ok, "unusual depths");
}

/* Without a map that all queues share, a queue for all CPUs has one of its own. */
static void test_single_queue(void)
{
	struct blkplace p = { };

	ktap_result(!load("submit_queues=1 tag_placement=spread no_sched=1") &&
		    attr_is(many ? "flat [spread]" : "[flat]") &&
		    !blkplace_read(DISK, 0, "tags", &p) &&
		    spread_is_ok(&p),
		    "a single queue is spread");
	unload();
}

/* A queue that serves one node stays flat, on that node. */
static void test_queue_per_cpu(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	char params[128], line[512];
	struct blkplace p;
	bool ok, nodes_ok = true;

	snprintf(params, sizeof(params), "submit_queues=%d poll_queues=0 tag_placement=spread",
		 cpus);
	ok = !load(params) && attr_is("[flat]");
	for (i = 0; ok && i < cpus; i++) {
		int cpu, node;

		if (read_line(line, sizeof(line), MQ "/%d/cpu_list", i) ||
		    sscanf(line, "%d", &cpu) != 1 ||
		    read_line(line, sizeof(line), MQ "/%d/numa_node", i) ||
		    sscanf(line, "%d", &node) != 1 ||
		    blkplace_read(DISK, i, "tags", &p)) {
			ok = false;
			break;
		}
		ok &= !p.spread;
		/* NUMA_NO_NODE where there is a single queue. */
		if (node != nodes_of_cpu(&nodes, cpu) && cpus > 1) {
			ktap_note("queue %d of CPU %d says node %d", i, cpu, node);
			nodes_ok = false;
		}
	}
	ktap_result(ok, "a queue that serves one node stays flat");
	ktap_result(ok && nodes_ok, "mq/N/numa_node is the node of the queue's CPUs");
	unload();
}

/* Few I/Os: the lock of mq-deadline is slow where vCPUs compete for CPUs. */
static void test_scheduler(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), jobs = cpus > 1 ? 2 : 1;
	struct blkplace p = { };
	char two[32];
	bool ok;

	snprintf(two, sizeof(two), cpus > 1 ? "0,%d" : "0", cpus - 1);

	ok = !load_shared("spread", DEPTH, "") &&
	     !write_line("mq-deadline", QUEUE "/scheduler") &&
	     load_is_ok(two, 4, 200, jobs) &&
	     !blkplace_read(DISK, 0, "sched_tags", &p) &&
	     spread_is_ok(&p);
	ktap_result(ok, "tags of a scheduler follow");
	ktap_result(!write_line("none", QUEUE "/scheduler") &&
		    load_is_ok(two, 4, 200, jobs), "and go away with it");
	unload();
}

static void test_flat(void)
{
	struct blkplace p = { };
	int node, with = 0;
	bool ok;

	ok = !load_shared("flat", DEPTH, "no_sched=1") &&
	     !blkplace_read(DISK, 0, "tags", &p) && !p.spread &&
	     attr_is(many ? "[flat] spread" : "[flat]") &&
	     load_is_ok(NULL, 8, 500, sysconf(_SC_NPROCESSORS_ONLN));
	for (node = 0; node < MAX_NODES; node++)
		with += !!p.owned[node];
	ktap_result(ok && with == 1, "flat has all words on one node");
	unload();
}

int main(void)
{
	if (nodes_read(&nodes))
		return 1;
	many = nodes.owners > 1;

	ktap_start(15);
	test_default();
	test_bad_value();
	test_spread();
	test_all_from_one();
	test_depths();
	test_single_queue();
	test_queue_per_cpu();
	test_scheduler();
	test_flat();
	return ktap_exit();
}
