// SPDX-License-Identifier: GPL-2.0-only
/*
 * megasas [LOADS]: load megaraid_sas with one policy after the other, LOADS times in
 * all (default 50), look where everything is, write and verify, unload. Needs root,
 * a controller with a disk that may be overwritten (vmrun -d megasas@2), a kernel
 * with the series, megaraid_sas and scsi_numa_test as modules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "load.h"
#include "scsihost.h"

#define LSI	0x1000
#define RAID	0x0104

static struct nodes nodes;

/**
 * struct policy - Parameters of the driver.
 * @params: As modprobe takes them.
 * @node: The node that they name, or -1.
 * @spread: Do they ask for spread?
 */
struct policy {
	char params[64];
	int node;
	bool spread;
};

/* Without a node, the tags are on the node of the queue's first CPU. */
static bool is_placed(const struct scsi_host *h, const struct policy *p)
{
	int node = p->node < 0 ? nodes_of_cpu(&nodes, 0) : p->node;
	bool spread = p->spread && nodes.owners > 1;
	struct scsi_nodes s;
	bool ok;

	if (scsi_nodes_read(h->no, &s))
		return false;
	ok = attr_reads(spread ? "spread" : "flat", h->sysfs, "tag_placement");
	if (p->node >= 0) {
		ok &= attr_reads_int(p->node, h->sysfs, "numa_node");
		ok &= scsi_nodes_all_on(&s, scsi_objects, 1ULL << p->node);
	}
	if (spread)
		ok &= scsi_nodes_even(&s, nodes.owner_mask);
	else
		ok &= scsi_nodes_all_on(&s, scsi_commands, 1ULL << node);
	return ok;
}

static bool cycle(const struct policy *p)
{
	struct verify v = { .jobs = 2, .depth = 16, .kib = 128 };
	struct scsi_host h;
	bool ok;

	if (run("modprobe megaraid_sas %s", p->params)) {
		ktap_note("can't load megaraid_sas");
		return false;
	}
	ok = !scsi_host_wait("megaraid_sas", 0, &h);
	if (ok) {
		v.disk = h.disk;
		ok = is_placed(&h, p);
		ok &= verify_once(&v) && is_placed(&h, p);
	}
	return module_unload("megaraid_sas") && ok;
}

/* What the user changes while the host runs. */
static bool toggles(void)
{
	const struct policy flat = { .node = -1 }, spread = { .node = -1, .spread = true };
	struct verify v = { .jobs = 2, .depth = 8, .kib = 64 };
	struct scsi_host h;
	bool ok;

	ok = !run("modprobe megaraid_sas") && !scsi_host_wait("megaraid_sas", 0, &h);
	if (ok) {
		v.disk = h.disk;
		ok = placement_write(h.disk, "spread", 0) && is_placed(&h, &spread) &&
		     verify_once(&v) && placement_write(h.disk, "flat", 0) &&
		     is_placed(&h, &flat) && verify_once(&v);
	}
	return module_unload("megaraid_sas") && ok;
}

int main(int argc, char **argv)
{
	int loads = argc > 1 ? atoi(argv[1]) : 50, nr = 0, i, j, node, done, last = 0;
	struct policy policy[2 * MAX_NODES + 2];

	if (nodes_read(&nodes))
		return 1;
	if (!pci_has(LSI, RAID)) {
		printf("1..0 # SKIP there is no controller for megaraid_sas\n");
		return 4;
	}
	if (run("modprobe scsi_numa_test 2>/dev/null")) {
		printf("1..0 # SKIP there is no module scsi_numa_test\n");
		return 4;
	}

	policy[nr++] = (struct policy){ "", -1, false };
	for (node = 0; node < nodes.nr; node++) {
		if (!nodes.mem_kb[node])
			continue;
		policy[nr].node = last = node;
		policy[nr].spread = false;
		snprintf(policy[nr++].params, sizeof(policy->params), "numa_node=%d", node);
	}
	policy[nr++] = (struct policy){ "tag_placement=spread", -1, true };
	policy[nr].node = last;
	policy[nr].spread = true;
	snprintf(policy[nr++].params, sizeof(policy->params),
		 "tag_placement=spread numa_node=%d", last);

	ktap_start(nr + 1);
	for (i = 0; i < nr; i++) {
		int goal = loads / nr + (i < loads % nr);
		bool ok = true;

		for (j = done = 0; j < goal && ok; j++) {
			ok = cycle(&policy[i]);
			done += ok;
		}
		if (!ok)
			ktap_note("load %d of %d", done + 1, goal);
		ktap_result(ok, "%s: %d times loaded, placed, verified, unloaded",
			    *policy[i].params ? policy[i].params : "default", done);
	}
	if (nodes.owners > 1)
		ktap_result(toggles(), "the placement changes while the host runs");
	else
		ktap_skip("the placement changes while the host runs", "one node");
	return ktap_exit();
}
