// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the memory of SCSI hosts on the node that was asked for? Each object is asked
 * for the node of its page, for every driver that has a device here: scsi_debug,
 * virtio_scsi, megaraid_sas, and ahci, which only follows its device. Needs root, a
 * kernel with the series, these drivers and scsi_numa_test as modules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "scsihost.h"

static struct nodes nodes;

/**
 * struct driver - One way to have a host.
 * @name: For messages.
 * @module: The driver.
 * @params: More parameters; %%ld is the number of CPUs.
 * @proc_name: Of its hosts.
 * @vendor: Of its PCI device, 0: it needs none.
 * @class: Of that.
 * @per_cpu: A hardware queue for each CPU, with tags of its own.
 */
static const struct driver {
	const char *name, *module, *params, *proc_name;
	unsigned int vendor, class;
	bool per_cpu;
} drivers[] = {
	{ "scsi_debug, one queue", "scsi_debug", "max_queue=128", "scsi_debug", 0, 0, false },
	{ "scsi_debug, host tags", "scsi_debug", "host_max_queue=128 submit_queues=%ld",
	  "scsi_debug", 0, 0, false },
	{ "scsi_debug, queue per CPU", "scsi_debug", "submit_queues=%ld", "scsi_debug", 0, 0,
	  true },
	{ "virtio_scsi, queue per CPU", "virtio_scsi", "", "virtio_scsi", 0x1af4, 0x0100, true },
	{ "megaraid_sas", "megaraid_sas", "", "megaraid_sas", 0x1000, 0x0104, false },
};

#define NR_DRIVERS (sizeof(drivers) / sizeof(*drivers))

static int load(const struct driver *d, const char *more, struct scsi_host *h)
{
	char params[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(params, sizeof(params), d->params, sysconf(_SC_NPROCESSORS_ONLN));
#pragma GCC diagnostic pop
	if (run("modprobe %s %s %s", d->module, params, more)) {
		ktap_note("can't load %s %s %s", d->module, params, more);
		return -1;
	}
	return scsi_host_wait(d->proc_name, 0, h);
}

static bool node_attr_is(const struct scsi_host *h, int node)
{
	char line[16] = "";

	read_line(line, sizeof(line), "%s/numa_node", h->sysfs);
	if (atoi(line) == node)
		return true;
	ktap_note("numa_node of the host reads %s", line);
	return false;
}

static uint64_t with_memory(void)
{
	uint64_t mask = 0;
	int node;

	for (node = 0; node < nodes.nr; node++)
		mask |= (uint64_t)!!nodes.mem_kb[node] << node;
	return mask;
}

/* Those of CPUs without memory are on any node, all others where their CPU is. */
static bool follow_cpus(const struct scsi_nodes *s)
{
	int ncpu = sysconf(_SC_NPROCESSORS_ONLN), node;
	const char *const *what;
	bool ok;

	ok = scsi_nodes_all_on(s, scsi_commands, with_memory());
	for (what = scsi_commands; *what; what++) {
		const char *name = *what + (**what == '?');

		for (node = 0; node < nodes.nr; node++) {
			if (nodes.mem_kb[node] && scsi_nodes_count(s, name, node) <
			    scsi_nodes_count(s, name, -1) * nodes.cpus[node] / ncpu) {
				ktap_note("%u of %u %s on node %d",
					  scsi_nodes_count(s, name, node),
					  scsi_nodes_count(s, name, -1), name, node);
				ok = false;
			}
		}
	}
	return ok;
}

/* Tags of a queue per CPU are on its node, others where the user wants them. */
static bool commands_are(const struct driver *d, const struct scsi_nodes *s, int node,
			 bool spread)
{
	if (d->per_cpu)
		return follow_cpus(s);
	if (nodes.owners > 1 && spread)
		return scsi_nodes_even(s, nodes.owner_mask);
	return scsi_nodes_all_on(s, scsi_commands, 1ULL << node);
}

/* With the parameter @param everything is on @node. */
static bool asked(const struct driver *d, int param, int node, bool spread)
{
	struct scsi_nodes s;
	struct scsi_host h;
	char params[64];
	bool ok;

	snprintf(params, sizeof(params), "numa_node=%d%s", param,
		 spread ? " tag_placement=spread" : "");
	ok = !load(d, params, &h) && node_attr_is(&h, node) && !scsi_nodes_read(h.no, &s) &&
	     scsi_nodes_all_on(&s, scsi_objects, 1ULL << node);
	ok = ok && commands_are(d, &s, node, spread);
	/* A disk that comes later, from whatever CPU. */
	if (ok) {
		ok = !write_line("1", "%s/delete", h.sdev) &&
		     !run("taskset 1 sh -c 'echo - - - >%s/scan'", h.sysfs) &&
		     !scsi_host_wait(d->proc_name, 0, &h) && !scsi_nodes_read(h.no, &s) &&
		     scsi_nodes_all_on(&s, scsi_objects, 1ULL << node);
		ok = ok && commands_are(d, &s, node, spread);
	}
	if (!ok)
		ktap_note("with %s", params);
	return module_unload(d->module) && ok;
}

static int memless_node(void)
{
	int node;

	for (node = 0; node < nodes.nr; node++) {
		if (nodes.online[node] && !nodes.mem_kb[node])
			return node;
	}
	return -1;
}

static bool present(const struct driver *d)
{
	return !d->vendor || pci_has(d->vendor, d->class);
}

static void test_driver(const struct driver *d)
{
	int node, near, said, memless = memless_node();
	char text[128], outcome[48];
	bool ok = true;

	if (!present(d)) {
		ktap_skip(d->name, "no such device");
		ktap_skip(d->name, "no such device");
		ktap_skip(d->name, "no such device");
		return;
	}
	for (node = 0; node < nodes.nr; node++)
		ok &= !nodes.mem_kb[node] || asked(d, node, node, false);
	ktap_result(ok, "%s: all is on the node that was asked for", d->name);
	ktap_result(asked(d, nodes_last_mem(&nodes), nodes_last_mem(&nodes), true),
		    "%s: also with spread, but commands, which are on their owners", d->name);

	if (memless < 0) {
		ktap_skip("a node without memory", "there is none");
		return;
	}
	/* One message, and the nearest node. */
	near = __builtin_ctzll(nodes_nearest(&nodes, memless));
	snprintf(text, sizeof(text), "%s: numa_node: '%d' isn't a node with memory, valid are: -1,",
		 d->module, memless);
	said = console_count(text);
	snprintf(outcome, sizeof(outcome), "; going on with %d, the nearest", near);
	ok = asked(d, memless, near, false) && console_count(text) == said + 1 &&
	     console_count(outcome);
	ktap_result(ok, "%s: instead of a node without memory the nearest, with one message",
		    d->name);
}

/* Without a parameter structures follow the device, and queues and tags don't. */
static void test_ahci(void)
{
	const char *const queues[] = { "hctx", "tags", "command", "sense", NULL };
	struct scsi_nodes s;
	struct scsi_host h;
	char line[16] = "";
	uint64_t mask;
	int node, cpu0;
	bool ok;

	if (!pci_has(0x8086, 0x0106)) {
		ktap_skip("ahci: the host is on the node of its device", "no such device");
		ktap_skip("ahci: queues and tags aren't", "no such device");
		return;
	}
	cpu0 = nodes_of_cpu(&nodes, 0);
	ok = !run("modprobe ahci") && !scsi_host_wait("ahci", 0, &h) &&
	     !read_line(line, sizeof(line), "%s/numa_node", h.sysfs) && !scsi_nodes_read(h.no, &s);
	node = atoi(line);
	if (ok && node >= 0) {
		/* A node without memory has some as near as can be. */
		mask = nodes.mem_kb[node] ? 1ULL << node : nodes_nearest(&nodes, node);
		ktap_note("the device is on node %d, its memory in %#llx", node,
			  (unsigned long long)mask);
		ktap_result(scsi_nodes_all_on(&s, scsi_objects, mask),
			    "ahci: the host is on the node of its device");
	} else if (ok) {
		ktap_skip("ahci: the host is on the node of its device", "it has none");
	} else {
		ktap_result(false, "ahci: the host is on the node of its device");
	}
	ktap_result(ok && scsi_nodes_all_on(&s, queues, nodes.mem_kb[cpu0] ? 1ULL << cpu0 :
					    nodes_nearest(&nodes, cpu0)), "ahci: queues and tags aren't");
	module_unload("ahci");
}

int main(void)
{
	unsigned int i;

	if (nodes_read(&nodes))
		return 1;
	if (run("modprobe scsi_numa_test 2>/dev/null")) {
		printf("1..0 # SKIP there is no module scsi_numa_test\n");
		return 4;
	}
	ktap_start(3 * NR_DRIVERS + 2);
	for (i = 0; i < NR_DRIVERS; i++)
		test_driver(&drivers[i]);
	test_ahci();
	return ktap_exit();
}
