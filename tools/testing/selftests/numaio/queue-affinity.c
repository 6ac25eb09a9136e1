// SPDX-License-Identifier: GPL-2.0-only
/*
 * From which CPUs requests are issued: queue_affinity. null_blk ends a request on
 * the CPU that issued it (irqmode=1, rq_affinity=0), so that where requests
 * complete tells where they were issued. Needs root, four nodes, null_blk and
 * scsi_debug as modules.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blkplace.h"
#include "completions.h"
#include "ktap.h"
#include "scsihost.h"

#define READS 400

static struct nodes nodes;
static char disk[32];
static int far, near;		/* CPUs of the last node and of node 0 */
static char far_list[32], last_list[32];

static bool set(const char *cpus)
{
	return !write_line(cpus, "/sys/block/%s/queue/queue_affinity", disk);
}

static bool reads(const char *want)
{
	return queue_reads(want, disk, "queue_affinity");
}

/* Of reads from @cpu, nearly all are issued @where. */
static bool issued(const char *how, int cpu, enum where where)
{
	unsigned long c[NR_COUNTS] = { 0 };
	bool ok = completions_count(disk, true) &&
		  !run("fio --name=numaio --filename=/dev/%s --rw=randread --bs=4k --direct=1 "
		       "--cpus_allowed=%d --number_ios=%d %s >/run/fio.log 2>&1",
		       disk, cpu, READS, how) &&
		  completions_count(disk, false) && completions_read(disk, c);

	if (ok && c[where] >= READS * 9 / 10 && c[CPU] + c[NODE] + c[ELSEWHERE] < c[where] + READS / 5)
		return true;
	ktap_note("from CPU %d, %s: cpu %lu, node %lu, elsewhere %lu", cpu, how, c[CPU], c[NODE],
		  c[ELSEWHERE]);
	return false;
}

#define SYNC	"--ioengine=psync"
#define BATCH	"--ioengine=libaio --iodepth=16 --iodepth_batch=8 --iodepth_batch_complete_min=4"
#define NOWAIT	"--ioengine=io_uring --iodepth=8 --nowait=1"

static void test_values(void)
{
	static const char *const bad[] = { "\n", "x", "64-70", "0-", "-1", "1000000" };
	char possible[64] = "";
	bool ok;
	size_t i;

	read_line(possible, sizeof(possible), "/sys/devices/system/cpu/possible");
	ktap_result(reads(possible), "all CPUs by default");
	ok = set(far_list) && reads(far_list) && set("0") && reads("0") && set(possible) &&
	     reads(possible) && set(far_list);
	ktap_result(ok, "lists can be written and read back");
	for (i = 0, ok = true; i < sizeof(bad) / sizeof(*bad); i++) {
		errno = 0;
		if (set(bad[i]) || errno != EINVAL || !reads(far_list)) {
			ktap_note("'%s' wasn't refused", bad[i]);
			ok = false;
		}
	}
	run("echo 0 >/sys/devices/system/cpu/cpu%d/online", far);
	if (set(last_list) || !reads(far_list)) {
		ktap_note("a CPU that is offline wasn't refused");
		ok = false;
	}
	run("echo 1 >/sys/devices/system/cpu/cpu%d/online", far);
	ktap_result(ok && console_says("queue_affinity: invalid CPUs"),
		    "others are refused, and change nothing");
	set(possible);
}

static void test_issue(const char *params, const char *what)
{
	char possible[64] = "";
	bool ok;

	strcpy(disk, "nullb0");
	read_line(possible, sizeof(possible), "/sys/devices/system/cpu/possible");
	ok = !run("modprobe null_blk irqmode=1 %s", params) &&
	     !write_line("0", "/sys/block/%s/queue/rq_affinity", disk);
	ktap_result(ok && issued(SYNC, near, CPU) && set(far_list) &&
		    issued(SYNC, near, ELSEWHERE) && issued(BATCH, near, ELSEWHERE) &&
		    issued(NOWAIT, near, ELSEWHERE), "%s: handed over to the far node", what);
	ktap_result(ok && set(last_list) && issued(SYNC, far, CPU) && issued(BATCH, far, CPU),
		    "%s: issued at once by who is among them", what);
	ok = ok && set(possible) && issued(SYNC, near, CPU) && issued(BATCH, near, CPU);
	ktap_result(ok, "%s: all again", what);
	module_unload("null_blk");
}

static void test_schedulers(void)
{
	static const char *const names[] = { "mq-deadline", "kyber", "bfq" };
	bool ok = !run("modprobe null_blk irqmode=1 submit_queues=4") &&
		  !write_line("0", "/sys/block/nullb0/queue/rq_affinity");
	size_t i;

	strcpy(disk, "nullb0");
	ok = ok && set(far_list);
	for (i = 0; i < sizeof(names) / sizeof(*names) && ok; i++) {
		if (run("modprobe %s 2>/dev/null; grep -q %s /sys/block/%s/queue/scheduler",
			!strcmp(names[i], "kyber") ? "kyber-iosched" : names[i], names[i], disk))
			continue;
		ok = !write_line(names[i], "/sys/block/%s/queue/scheduler", disk) &&
		     issued(SYNC, near, ELSEWHERE) && issued(BATCH, near, ELSEWHERE);
	}
	ktap_result(ok, "with schedulers");
	module_unload("null_blk");
}

/* A poll queue's requests are issued there and found by who polls. */
static void test_polled(void)
{
	bool ok = !run("modprobe null_blk irqmode=1 submit_queues=2 poll_queues=2");

	strcpy(disk, "nullb0");
	ok = ok && set(far_list) &&
	     !run("timeout 60 fio --name=numaio --filename=/dev/%s --rw=randread --bs=4k --direct=1 "
		  "--ioengine=io_uring --hipri=1 --iodepth=4 --cpus_allowed=%d --number_ios=%d "
		  ">/run/fio.log 2>&1", disk, near, READS);
	ktap_result(ok, "polled I/O ends");
	module_unload("null_blk");
}

static void test_hotplug(void)
{
	bool ok = !run("modprobe null_blk irqmode=1 submit_queues=2") &&
		  !write_line("0", "/sys/block/nullb0/queue/rq_affinity");

	strcpy(disk, "nullb0");
	ok = ok && set(last_list) && issued(SYNC, near, ELSEWHERE) &&
	     !run("echo 0 >/sys/devices/system/cpu/cpu%d/online", far) && reads(last_list) &&
	     issued(SYNC, near, CPU) && issued(BATCH, near, CPU) &&
	     console_says("all CPUs issue requests");
	ktap_result(ok, "its last CPU goes: all issue requests, one message");
	ok = !run("echo 1 >/sys/devices/system/cpu/cpu%d/online", far) && ok &&
	     issued(SYNC, near, ELSEWHERE) && console_says("these issue requests");
	ktap_result(ok, "it comes back: as it was set");
	module_unload("null_blk");
}

/* The mask, CPUs and the scheduler change under I/O whose data is verified. */
static void test_changes(void)
{
	struct scsi_host host;
	bool ok = !run("modprobe scsi_debug dev_size_mb=32 delay=0 ndelay=20000 host_max_queue=32 "
		       "submit_queues=4 add_host=1") && !scsi_host_wait("scsi_debug", 0, &host);
	const char *const lists[] = { far_list, "0", last_list, "0-3", "1-7" };
	pid_t fio = -1;
	int status = -1, i;

	if (ok) {
		strcpy(disk, host.disk);
		fio = fork();
		if (!fio)
			_exit(run("fio --name=numaio --filename=/dev/%s --rw=randrw --bs=4k --direct=1 "
				  "--ioengine=libaio --iodepth=16 --numjobs=2 --size=12M --offset_increment=12M "
				  "--verify=crc32c --loops=1000 --runtime=15 --time_based "
				  ">/run/fio.log 2>&1", disk) ? 1 : 0);
	}
	for (i = 0; ok && !waitpid(fio, &status, WNOHANG); i++) {
		write_line(lists[i % 5], "/sys/block/%s/queue/queue_affinity", disk);
		write_line(i % 3 ? "none" : "mq-deadline", "/sys/block/%s/queue/scheduler", disk);
		run("echo %d >/sys/devices/system/cpu/cpu%d/online", i % 2, far);
		usleep(50000);
	}
	run("echo 1 >/sys/devices/system/cpu/cpu%d/online", far);
	ktap_note("%d changes", i);
	ktap_result(ok && WIFEXITED(status) && !WEXITSTATUS(status) && i > 5,
		    "changes under I/O: data are right, nothing hangs");
	ktap_result(ok && set("0") && module_unload("scsi_debug"), "a disk goes with its CPUs set");
}

int main(void)
{
	int cpus[2], node;

	if (nodes_read(&nodes))
		return 1;
	node = nodes_last_cpus(&nodes, cpus, 2);
	if (nodes.owners < 2 || !node) {
		printf("1..0 # SKIP needs two nodes with two CPUs each\n");
		return 4;
	}
	ktap_start(15);
	far = cpus[1];
	near = 0;
	snprintf(far_list, sizeof(far_list), "%d-%d", cpus[0], cpus[1]);
	snprintf(last_list, sizeof(last_list), "%d", far);
	strcpy(disk, "nullb0");
	ktap_note("far CPUs are %s, near is %d", far_list, near);
	if (run("modprobe null_blk")) {
		printf("Bail out! no null_blk\n");
		return 1;
	}
	test_values();
	module_unload("null_blk");
	test_issue("submit_queues=1", "one queue");
	test_issue("submit_queues=8", "a queue per CPU");
	test_schedulers();
	test_polled();
	test_hotplug();
	test_changes();
	return ktap_exit();
}
