// SPDX-License-Identifier: GPL-2.0-only
/*
 * On which CPU requests complete: rq_affinity, with a controller that has one
 * interrupt, and with drivers that have none or one a CPU. Needs root and
 * vmrun -d megasas@2; -d virtio-scsi@3 and TOPO=caches test more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blkplace.h"
#include "completions.h"
#include "ktap.h"
#include "scsihost.h"

static struct nodes nodes;
static char disk[32];

/* An interrupt of the controller, by its name. */
static int find_irq(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[1024];
	int irq = -1;

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "megasas"))
			irq = atoi(line);
	}
	if (f)
		fclose(f);
	return irq;
}

static bool complete(const char *affinity, int cpu, enum where where, bool ipi)
{
	return completions_are(disk, affinity, cpu, where, ipi);
}

/* Drivers whose interrupts come to the submitting CPU: no value makes a difference. */
static void test_driver(const char *name, bool loaded)
{
	static const char *const values[] = { "0", "1", "2", "3" };
	bool ok = loaded;
	char what[64];
	int far;
	size_t i;

	nodes_last_cpus(&nodes, &far, 1);
	snprintf(what, sizeof(what), "%s completes on the submitter with every value", name);
	for (i = 0; i < sizeof(values) / sizeof(*values) && ok; i++)
		ok = complete(values[i], 1, CPU, false) &&
		     complete(values[i], far, CPU, false);
	ktap_result(ok, "%s", what);
}

static bool reads(const char *want)
{
	return queue_reads(want, disk, "rq_affinity");
}

/* A CPU of the node that shares no last-level cache with @cpu, or -1. */
static int other_cache(int node, int cpu)
{
	int cpus[64], nr = nodes_cpus(node, cpus, 64), i;
	char own[64] = "", line[64];

	read_line(own, sizeof(own), "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list", cpu);
	for (i = 0; *own && i < nr; i++) {
		read_line(line, sizeof(line),
			  "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list", cpus[i]);
		if (strcmp(own, line))
			return cpus[i];
	}
	return -1;
}

static void test_caches(bool ok, int other)
{
	if (other < 0) {
		ktap_skip("1: with another cache of the node, by IPI",
			  "one cache a node, take TOPO=caches");
		ktap_skip("3: with another cache of the node, without", "the same");
		return;
	}
	ktap_result(ok && complete("1", other, CPU, true),
		    "1: with another cache of the node, by IPI");
	ktap_result(ok && complete("3", other, NODE, false),
		    "3: with another cache of the node, without");
}

static void test_values(void)
{
	static const char *const good[] = { "0", "3", "1", "2" };
	static const char *const bad[] = { "4", "5", "-1", "1000000000000", "x" };
	bool ok = reads("1");
	unsigned int i;

	ktap_result(ok, "rq_affinity is 1 by default");
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok &= !write_line(good[i], "/sys/block/%s/queue/rq_affinity", disk) &&
		      reads(good[i]);
	ktap_result(ok, "0 to 3 can be written and read back");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		errno = 0;
		if (!write_line(bad[i], "/sys/block/%s/queue/rq_affinity", disk) ||
		    errno != EINVAL || !reads("2")) {
			ktap_note("%s wasn't refused", bad[i]);
			ok = false;
		}
	}
	ktap_result(ok, "others are refused, and change nothing");
}

static void test_drivers(void)
{
	struct scsi_host host;

	strcpy(disk, "nullb0");
	test_driver("null_blk", !run("modprobe null_blk irqmode=1 submit_queues=2"));
	module_unload("null_blk");

	test_driver("scsi_debug", !run("modprobe scsi_debug delay=0 ndelay=20000 host_max_queue=64 submit_queues=2") &&
		    !scsi_host_wait("scsi_debug", 0, &host) && strcpy(disk, host.disk));
	module_unload("scsi_debug");

	if (!pci_has(0x1af4, 0x0100)) {
		ktap_skip("virtio_scsi completes on the submitter with every value",
			  "needs vmrun -d virtio-scsi@3");
		return;
	}
	test_driver("virtio_scsi", !run("modprobe virtio_scsi") &&
		    !scsi_host_wait("virtio_scsi", 0, &host) && strcpy(disk, host.disk));
	module_unload("virtio_scsi");
}

int main(void)
{
	struct scsi_host host;
	unsigned long before[NR_COUNTS], after[NR_COUNTS];
	int irq, cpus[2], near, far, node, online;
	bool ok;

	if (nodes_read(&nodes))
		return 1;
	if (!pci_has(0x1000, 0x0104) || nodes.owners < 2) {
		printf("1..0 # SKIP needs a controller (vmrun -d megasas@2) and two nodes\n");
		return 4;
	}
	ktap_start(14);
	if (run("modprobe megaraid_sas") || scsi_host_wait("megaraid_sas", 0, &host) ||
	    (irq = find_irq()) < 0) {
		printf("Bail out! no disk or no interrupt\n");
		return 1;
	}
	strcpy(disk, host.disk);
	node = nodes_last_cpus(&nodes, cpus, 2);
	near = cpus[1];
	far = 0;
	test_values();

	ok = node > 0 && !run("echo %d >/proc/irq/%d/smp_affinity_list", cpus[0], irq);
	ktap_note("interrupt %d on CPU %d, near is CPU %d, far is CPU %d", irq, cpus[0], near, far);
	ktap_result(ok && complete("0", near, NODE, false) && complete("0", far, ELSEWHERE, false),
		    "0: where the interrupt is");
	ktap_result(ok && complete("3", near, NODE, false) && complete("3", far, CPU, true),
		    "3: anywhere on the node, from another one by IPI");
	/* These two CPUs of a node share their last cache. */
	ktap_result(ok && complete("1", near, NODE, false) && complete("1", far, CPU, true),
		    "1: with the same cache, from another one by IPI");
	ktap_result(ok && complete("2", near, CPU, true) && complete("2", far, CPU, true),
		    "2: on the CPU");

	test_caches(ok, other_cache(node, cpus[0]));

	ok = completions_read(disk, before) &&
	     !run("dd if=/dev/%s of=/dev/null bs=4k count=20 iflag=direct 2>/dev/null", disk) &&
	     completions_read(disk, after) && !memcmp(before, after, sizeof(before));
	ktap_result(ok, "nothing is counted unless asked");

	/* Who submitted is offline: completed, wherever. */
	write_line("3", "/sys/block/%s/queue/rq_affinity", disk);
	for (online = 0, ok = true; online < 10 && ok; online++)
		ok = !run("(taskset -c %d dd if=/dev/%s of=/dev/null bs=4k count=200 iflag=direct & "
			  "sleep 0.1; echo 0 >/sys/devices/system/cpu/cpu%d/online; wait $!; "
			  "r=$?; echo 1 >/sys/devices/system/cpu/cpu%d/online; exit $r) 2>/dev/null",
			  near, disk, near, near);
	ktap_result(ok, "CPUs that go while their requests are in flight");
	module_unload("megaraid_sas");
	test_drivers();
	return ktap_exit();
}
