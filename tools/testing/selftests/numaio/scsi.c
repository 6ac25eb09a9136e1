// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the node of SCSI hosts and the placement of their tags with
 * scsi_debug, on whatever nodes the machine has. Needs root, a kernel with the
 * series, scsi_debug as a module.
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

#define DRIVER	"/sys/bus/pseudo/drivers/scsi_debug"
#define PARAMS	"/sys/module/scsi_debug/parameters"

static struct nodes nodes;
static bool many;	/* More than one node can own tags. */

/**
 * struct host - A host of scsi_debug with one disk.
 * @sysfs: Its directory in /sys/class/scsi_host/.
 * @sdev: That of the disk's SCSI device.
 * @disk: Name of the disk.
 */
struct host {
	char sysfs[128];
	char sdev[256];
	char disk[32];
};

/* sd probes asynchronously: wait for the disk. */
static int find_host(unsigned int adapter, struct host *h)
{
	char pattern[128], path[128];
	int tries, no;

	snprintf(pattern, sizeof(pattern), DRIVER "/adapter%u/host*/target*/*:*/block/sd*",
		 adapter);
	for (tries = 0; tries < 200; tries++) {
		char *s, *block;
		glob_t g;

		if (!glob(pattern, 0, NULL, &g) && g.gl_pathc == 1) {
			s = g.gl_pathv[0];
			block = strstr(s, "/block/");
			snprintf(h->disk, sizeof(h->disk), "%s", block + strlen("/block/"));
			snprintf(h->sdev, sizeof(h->sdev), "%.*s", (int)(block - s), s);
			sscanf(strstr(s, "/host") + strlen("/host"), "%d", &no);
			snprintf(h->sysfs, sizeof(h->sysfs), "/sys/class/scsi_host/host%d", no);
			globfree(&g);
			/* What is registered last. */
			snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/hctx0/tag_nodes",
				 h->disk);
			if (!access(path, F_OK))
				return 0;
		} else {
			globfree(&g);
		}
		usleep(50000);
	}
	ktap_note("adapter%u has no disk", adapter);
	return -1;
}

static int load(const char *params, struct host *h)
{
	if (run("modprobe scsi_debug dev_size_mb=8 fake_rw=1 delay=0 %s", params))
		return -1;
	return h ? find_host(0, h) : 0;
}

static void unload(void)
{
	int tries;

	for (tries = 0; tries < 20; tries++) {
		if (!run("modprobe -r scsi_debug 2>/dev/null"))
			return;
		usleep(100000);
	}
	ktap_note("can't unload scsi_debug");
}

static bool mq_node_is(const struct host *h, int node)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/sys/block/%s/mq/0", h->disk);
	return attr_reads_int(node, dir, "numa_node");
}

static bool load_is_ok(const struct host *h, const char *cpus, int depth, int ios,
		       int jobs)
{
	int errors;
	long long n = fio_pinned(h->disk, depth, ios, cpus, &errors);

	if (!errors && n == (long long)ios * jobs)
		return true;
	ktap_note("%lld I/Os, %d errors", n, errors);
	return false;
}

/* All tags and requests on one node. */
static bool all_on(const struct host *h, int node)
{
	struct blkplace p;

	if (blkplace_read(h->disk, 0, "tags", &p))
		return false;
	if (!p.spread && p.depth && p.owned[node] == p.depth && p.rqs[node] == p.depth)
		return true;
	ktap_note("spread %d, %u of %u tags and %u requests on node %d", p.spread,
		  p.owned[node], p.depth, p.rqs[node], node);
	return false;
}

static bool spread(const struct host *h)
{
	struct blkplace p;

	if (!many)
		return !blkplace_read(h->disk, 0, "tags", &p) && !p.spread;
	return !blkplace_read(h->disk, 0, "tags", &p) && blkplace_placed(&p) &&
	       blkplace_even(&p, nodes.owner_mask);
}

/* Both kinds of hosts with a tag map for all nodes. */
static const struct {
	const char *name;
	const char *params;
} kinds[] = {
	{ "one queue", "max_queue=128" },
	{ "host tags", "host_max_queue=128 submit_queues=%ld" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static int load_kind(unsigned int kind, const char *more, struct host *h)
{
	char params[256];
	int len;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	len = snprintf(params, sizeof(params), kinds[kind].params,
		       sysconf(_SC_NPROCESSORS_ONLN));
#pragma GCC diagnostic pop
	snprintf(params + len, sizeof(params) - len, " %s", more);
	return load(params, h);
}

static void test_default(void)
{
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++) {
		struct host h;
		bool ok;

		ok = !load_kind(i, "", &h) && attr_reads("-1", PARAMS, "numa_node") &&
		     attr_reads("flat", PARAMS, "tag_placement") &&
		     attr_reads("-1", h.sysfs, "numa_node") &&
		     attr_reads("flat", h.sysfs, "tag_placement") &&
		     attr_is(h.disk, many ? "[flat] spread" : "[flat]");
		ktap_result(ok, "%s: no node and flat by default", kinds[i].name);
		unload();
	}
}

/* Every node with memory, also one without CPUs. */
static void test_nodes(void)
{
	unsigned int i;
	int node;

	for (i = 0; i < NR_KINDS; i++) {
		bool ok = true;

		for (node = 0; node < nodes.nr; node++) {
			char params[64];
			struct host h;
			bool good;

			if (!nodes.mem_kb[node])
				continue;
			snprintf(params, sizeof(params), "numa_node=%d", node);
			good = !load_kind(i, params, &h) &&
			       attr_reads_int(node, PARAMS, "numa_node") &&
			       attr_reads_int(node, h.sysfs, "numa_node") &&
			       attr_reads("flat", h.sysfs, "tag_placement") &&
			       all_on(&h, node) && load_is_ok(&h, "0", 4, 200, 1);
			/* With host-wide tags the queues are where their CPUs are. */
			if (!i && good)
				good = mq_node_is(&h, node);
			if (!good)
				ktap_note("with %s", params);
			ok &= good;
			unload();
		}
		ktap_result(ok, "%s: tags and requests are on the chosen node", kinds[i].name);
	}
}

static void test_spread(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;

	for (i = 0; i < NR_KINDS; i++) {
		struct host h;
		char params[64];
		bool ok;

		snprintf(params, sizeof(params), "tag_placement=spread numa_node=%d",
			 nodes_last_mem(&nodes));
		ok = !load_kind(i, params, &h) &&
		     attr_reads("spread", PARAMS, "tag_placement") &&
		     attr_reads_int(nodes_last_mem(&nodes), h.sysfs, "numa_node") &&
		     attr_reads(many ? "spread" : "flat", h.sysfs, "tag_placement") &&
		     attr_is(h.disk, many ? "flat [spread]" : "[flat]");
		ktap_result(ok, "%s: the host tells that it is spread", kinds[i].name);
		ktap_result(ok && spread(&h) && load_is_ok(&h, NULL, 8, 500, cpus) &&
			    spread(&h), "%s: tags and requests are on their owners", kinds[i].name);

		/* What the user changes later the host shows too, and keeps its node. */
		if (many) {
			char path[64];

			snprintf(path, sizeof(path), "/sys/block/%s/queue/tag_placement",
				 h.disk);
			ok = ok && !write_line("flat", "%s", path) &&
			     attr_reads("flat", h.sysfs, "tag_placement") &&
			     all_on(&h, nodes_last_mem(&nodes)) && !write_line("spread", "%s", path) &&
			     attr_reads("spread", h.sysfs, "tag_placement") && spread(&h);
			ktap_result(ok, "%s: the host follows a change", kinds[i].name);
		} else {
			ktap_skip("the host follows a change", "one node");
		}
		unload();
	}
}

/* A queue for each CPU stays on the CPU's node, whatever node the host has. */
static void test_queue_per_cpu(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	char params[128], line[512];
	struct host h;
	bool ok;

	if (cpus == 1) {
		ktap_skip("a queue that serves one node stays there", "one CPU");
		return;
	}
	snprintf(params, sizeof(params), "submit_queues=%d numa_node=%d", cpus, nodes_last_mem(&nodes));
	ok = !load(params, &h);
	for (i = 0; ok && i < cpus; i++) {
		int cpu, node;

		ok = !read_line(line, sizeof(line), "/sys/block/%s/mq/%d/cpu_list", h.disk, i) &&
		     sscanf(line, "%d", &cpu) == 1 &&
		     !read_line(line, sizeof(line), "/sys/block/%s/mq/%d/numa_node", h.disk, i) &&
		     sscanf(line, "%d", &node) == 1 && node == nodes_of_cpu(&nodes, cpu);
		if (!ok)
			ktap_note("queue %d: '%s'", i, line);
	}
	ktap_result(ok, "a queue that serves one node stays there");
	unload();
}

static void test_bad_nodes(void)
{
	static const char *const bad[] = {
		"-2", "63", "1023", "1024", "99999999999", "-2147483648", "0x", "two", "1,2",
	};
	char params[64], text[128];
	bool ok = true;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *val = bad[i];
		struct host h;
		bool good;

		snprintf(params, sizeof(params), "numa_node=%s", val);
		snprintf(text, sizeof(text),
			 "scsi_debug: numa_node: '%s' isn't a node with memory, valid are: -1,", val);
		good = !load(params, &h) && attr_reads("-1", PARAMS, "numa_node") &&
		       attr_reads("-1", h.sysfs, "numa_node") && console_says(text) &&
		       load_is_ok(&h, "0", 1, 50, 1);
		if (!good)
			ktap_note("with %s", params);
		ok &= good;
		unload();
	}
	ktap_result(ok, "a bad node is told, and -1 instead");
}

static void test_bad_placement(void)
{
	bool refused = load("tag_placement=round 2>/dev/null", NULL);
	bool said = console_says("tag_placement: invalid value 'round', valid are: flat, spread");

	if (!refused)
		unload();
	ktap_result(refused && said, "another placement is refused");
}

/* Parameters are for hosts to come. */
static void test_runtime(void)
{
	struct host h, second;
	char node[16];
	bool ok;

	snprintf(node, sizeof(node), "%d", nodes_last_mem(&nodes));
	ok = !load("", &h);
	errno = 0;
	ok = ok && write_line("1024", PARAMS "/numa_node") && errno == EINVAL &&
	     write_line("-2\n", PARAMS "/numa_node") && errno == EINVAL &&
	     attr_reads("-1", PARAMS, "numa_node") &&
	     console_says("scsi_debug: numa_node: '-2' isn't a node with memory, valid are: -1,");
	ktap_result(ok, "a bad node can't be written");

	ok = !write_line(node, PARAMS "/numa_node") &&
	     !write_line("spread\n", PARAMS "/tag_placement") &&
	     !write_line("1", DRIVER "/add_host") && !find_host(1, &second) &&
	     attr_reads("-1", h.sysfs, "numa_node") && attr_reads("flat", h.sysfs, "tag_placement") &&
	     attr_reads_int(nodes_last_mem(&nodes), second.sysfs, "numa_node") &&
	     attr_reads(many ? "spread" : "flat", second.sysfs, "tag_placement") && spread(&second);
	ktap_result(ok, "a new host has what was written, an old one keeps what it has");
	unload();
}

static unsigned long long counter(const struct host *h, const char *name)
{
	char line[64] = "";

	read_line(line, sizeof(line), "%s/%s", h->sdev, name);
	if (strncmp(line, "0x", 2))
		ktap_note("%s reads '%s'", name, line);
	return strtoull(line, NULL, 16);
}

static void test_counters(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long req, done, err;
	char path[64];
	struct host h;
	bool ok;

	ok = !load("fake_rw=0", &h) && attr_reads("32", h.sdev, "iocounterbits");
	snprintf(path, sizeof(path), "/sys/block/%s/queue/nomerges", h.disk);
	ok = ok && !write_line("2", "%s", path);
	req = counter(&h, "iorequest_cnt");
	done = counter(&h, "iodone_cnt");
	err = counter(&h, "ioerr_cnt");
	ok = ok && load_is_ok(&h, NULL, 4, 500, cpus);
	req = counter(&h, "iorequest_cnt") - req;
	done = counter(&h, "iodone_cnt") - done;
	/* Rejected commands don't count; opening the disk takes some of its own. */
	if (req < 500ULL * cpus || req > 500ULL * cpus + 100 || req != done) {
		ktap_note("%llu requests, %llu done, of %d I/Os", req, done, 500 * cpus);
		ok = false;
	}
	ktap_result(ok && counter(&h, "ioerr_cnt") == err && !counter(&h, "iotmo_cnt"),
		    "counters of commands from all CPUs add up");

	/* scsi_debug has a medium error in sector 4660 if it is asked to. */
	ok = !write_line("2", DRIVER "/opts") && !run("dd if=/dev/%s of=/dev/null bs=4k skip=582 "
		"count=1 iflag=direct 2>/dev/null || true", h.disk) &&
	     counter(&h, "ioerr_cnt") > err;
	ktap_result(ok, "errors are counted");
	unload();
}

int main(void)
{
	if (nodes_read(&nodes))
		return 1;
	many = nodes.owners > 1;

	ktap_start(17);
	test_default();
	test_nodes();
	test_spread();
	test_queue_per_cpu();
	test_bad_nodes();
	test_bad_placement();
	test_runtime();
	test_counters();
	return ktap_exit();
}
