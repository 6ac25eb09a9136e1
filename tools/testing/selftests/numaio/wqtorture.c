// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ordered workqueues with affinity, tortured: wqtorture [SECONDS [SEED [ITEMS]]]
 *
 * The module workqueue_affine_torture queues, cancels and flushes; this program
 * changes what user space can change meanwhile, and judges what the module counted.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "scsihost.h"

#define MODULE "workqueue_affine_torture"
#define WQ "/sys/devices/virtual/workqueue/affine_torture"
#define NODES "/sys/kernel/debug/workqueue_affine"

static struct nodes nodes;
static unsigned int seconds = 10, seed = 1;
static unsigned long items;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Load the module, which takes as long as the torture; -1: it can't be started. */
static pid_t start(const char *params)
{
	char cmd[256];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(cmd, sizeof(cmd), "exec modprobe " MODULE " seed=%u %s", seed, params);
	execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
	_exit(127);
}

static bool wait_for_file(const char *path)
{
	double end = now() + 30;

	while (access(path, F_OK) && now() < end)
		usleep(20000);
	return !access(path, F_OK);
}

static bool ended(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	if (status)
		ktap_note("modprobe " MODULE " failed");
	return !status;
}

static unsigned long result(const char *name)
{
	char line[32] = "";

	if (read_line(line, sizeof(line), "/sys/module/" MODULE "/parameters/%s", name))
		return -1UL;
	return strtoul(line, NULL, 10);
}

static void say_results(void)
{
	static const char *const names[] = {
		"queued", "executed", "canceled", "disorder", "concurrent", "lost",
		"wrong_pool", "wrong_cpu", "destroyed", "freezes",
	};
	unsigned int i;

	printf("# seed %u:", seed);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		printf(" %lu %s%s", result(names[i]), names[i],
		       i + 1 < sizeof(names) / sizeof(*names) ? "," : "\n");
}

/* Items executed on any node, and those that missed theirs, of the tortured one. */
static bool counts(unsigned long *run, unsigned long *missed)
{
	FILE *f = fopen(NODES, "r");
	unsigned long r, m;
	char line[256];
	bool found = false;
	int node;

	*run = *missed = 0;
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "affine_torture node %d run %lu missed %lu", &node, &r, &m) == 3) {
			*run += r;
			*missed += m;
			found = true;
		}
	}
	fclose(f);
	return found;
}

/* The test must be able to fail: a plain ordered workqueue has the wrong pools. */
static void test_plain(void)
{
	bool ok = ended(start("plain=1 steady=1 duration=3"));

	say_results();
	if (nodes.owners < 2)
		ktap_skip("an ordered workqueue without affinity is found out", "one node");
	else
		ktap_result(ok && result("wrong_pool") > 0 && result("errors") == result("wrong_pool"),
			    "an ordered workqueue without affinity is found out");
	module_unload(MODULE);
}

static bool good(void)
{
	say_results();
	return result("executed") > 20 && !result("errors") && result("destroyed") > 0;
}

static void test_steady(void)
{
	char params[96];
	bool ok;

	snprintf(params, sizeof(params), "steady=1 duration=%u", seconds);
	ok = ended(start(params)) && good();
	ktap_result(ok && !result("wrong_pool"), "in order, one at a time, all in the right pool");
	module_unload(MODULE);

	/* Threads that do nothing but queue, so that there are many. */
	snprintf(params, sizeof(params), "steady=1 only_queue=1 duration=5 items=%lu", items);
	ok = ended(start(params));
	say_results();
	ktap_result(ok && !result("errors") && !result("wrong_pool") && result("executed") >= items &&
		    result("executed") > 100, "the same of %lu items", result("executed"));
	module_unload(MODULE);
}

static void test_strict(void)
{
	unsigned long run = 0, missed = 0, run2 = 0, missed2 = 0;
	int tries;
	pid_t pid = start("steady=1 duration=25");
	bool ok = wait_for_file(WQ "/affinity_strict") && !write_line("1", WQ "/affinity_strict");

	sleep(2);		/* for what was queued, and workers that there were */
	ok = ok && counts(&run, &missed);
	for (tries = 0; ok && tries < 20 && run2 < run + 200; tries++) {
		sleep(1);
		ok = counts(&run2, &missed2);
	}
	ok &= ended(pid) && good();
	ktap_note("strict: %lu items, %lu on another node", run2 - run, missed2 - missed);
	ktap_result(ok && run2 - run > 100 && missed2 == missed,
		    "with affinity_strict all on the right node");
	module_unload(MODULE);
}

static bool write_fails(const char *path, const char *val)
{
	int fd = open(path, O_WRONLY);
	bool fails = fd < 0 || write(fd, val, strlen(val)) < 0;

	if (fd >= 0)
		close(fd);
	return fails;
}

static void test_sysfs(void)
{
	static const char *const scopes[] = { "cpu", "smt", "cache", "numa", "system", "default" };
	pid_t pid = start("duration=5");
	char line[64] = "";
	unsigned int i;
	bool ok = wait_for_file(WQ "/affinity_scope");

	ok = ok && attr_reads("numa", WQ, "affinity_scope");
	ktap_result(ok, "the scope is numa by default");
	for (i = 0; ok && i < sizeof(scopes) / sizeof(*scopes); i++)
		ok = !write_line(scopes[i], WQ "/affinity_scope") &&
		     !read_line(line, sizeof(line), WQ "/affinity_scope") &&
		     !strncmp(line, scopes[i], strlen(scopes[i]));
	ok = ok && write_fails(WQ "/affinity_scope", "socket");
	ktap_result(ok, "each scope can be chosen and reads back, another one can't");
	ok = attr_reads("1", WQ, "max_active") && write_fails(WQ "/max_active", "2") &&
	     attr_reads("1", WQ, "max_active");
	ktap_result(ok, "max_active is 1 and can only be read");
	ktap_result(ended(pid) && good(), "nothing was lost in all that");
	module_unload(MODULE);
}

/* All CPUs of a node but CPU 0. */
static void set_node(int node, bool online)
{
	int cpu, nr = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 1; cpu < nr; cpu++) {
		char path[96];

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
		if (!access(path, F_OK))
			write_line(online ? "1" : "0", "/sys/devices/system/cpu/cpu%d/online", cpu);
	}
}

static void fail_workers(bool on)
{
	static const char *const dir = "/sys/kernel/debug/failslab";

	if (access(dir, F_OK) || access("/sys/kernel/slab/task_struct/failslab", F_OK))
		return;
	write_line("1", "%s/cache-filter", dir);
	write_line("0", "%s/ignore-gfp-wait", dir);
	write_line("0", "%s/verbose", dir);
	write_line("-1", "%s/times", dir);
	write_line(on ? "1" : "0", "/sys/kernel/slab/task_struct/failslab");
	write_line(on ? "90" : "0", "%s/probability", dir);
}

/*
 * Freeze every task but this one and every freezable workqueue, thaw them again. A task
 * that can't be frozen just now is no error: the caller counts.
 */
static bool freeze(void)
{
	bool ok = !write_line("freezer", "/sys/power/pm_test") &&
		  !write_line("0", "/sys/module/suspend/parameters/pm_test_delay") &&
		  !write_fails("/sys/power/state", "freeze");

	write_line("none", "/sys/power/pm_test");
	return ok;
}

static void test_frozen(void)
{
	unsigned int tries = 0, frozen = 0, time = seconds < 16 ? 4 : seconds / 4;
	char params[32];
	double end;
	pid_t pid;
	bool ok;

	if (access("/sys/power/pm_test", F_OK)) {
		ktap_skip("frozen and thawed", "no /sys/power/pm_test");
		return;
	}
	snprintf(params, sizeof(params), "steady=1 duration=%u", time);
	pid = start(params);
	ok = wait_for_file(WQ "/affinity_scope");
	for (end = now() + time - 1; ok && now() < end; tries++) {
		frozen += freeze();
		usleep(rand() % 300000);
	}
	ok &= ended(pid) && good();
	ktap_result(ok && frozen > 2 && result("freezes") > 2 && result("freezes") <= tries,
		    "frozen and thawed %u times, of %u tries", frozen, tries);
	module_unload(MODULE);
}

static void test_chaos(void)
{
	static const char *const scopes[] = { "cpu", "numa", "system", "cache", "numa" };
	unsigned int changes = 0, frozen = 0;
	char params[64], all[64] = "";
	int cpu, node = nodes_last_cpus(&nodes, &cpu, 1);
	double end;
	pid_t pid;
	bool ok;

	read_line(all, sizeof(all), "/sys/devices/virtual/workqueue/cpumask");
	snprintf(params, sizeof(params), "duration=%u", seconds);
	pid = start(params);
	ok = wait_for_file(WQ "/affinity_scope");
	for (end = now() + seconds - 1; ok && now() < end; changes++) {
		switch (rand() % 7) {
		case 0:
			set_node(node, false);
			usleep(rand() % 200000);
			set_node(node, true);
			break;
		case 1:
			write_line("1", "/sys/devices/virtual/workqueue/cpumask");
			usleep(rand() % 100000);
			write_line(all, "/sys/devices/virtual/workqueue/cpumask");
			break;
		case 2:
			write_line(rand() % 2 ? "3" : "6", WQ "/cpumask");
			usleep(rand() % 100000);
			write_line(all, WQ "/cpumask");
			break;
		case 3:
			write_line(rand() % 2 ? "1" : "0", WQ "/affinity_strict");
			break;
		case 4:
			fail_workers(true);
			usleep(rand() % 300000);
			fail_workers(false);
			break;
		case 5:
			frozen += freeze();
			break;
		default:
			write_line(scopes[rand() % 5], WQ "/affinity_scope");
			break;
		}
		usleep(rand() % 50000);
	}
	set_node(node, true);
	fail_workers(false);
	ok &= ended(pid) && good();
	ktap_result(ok && changes > seconds / 2, "CPUs, masks, scopes, lack of workers, %u times frozen: %u changes",
		    frozen, changes);
	module_unload(MODULE);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		seed = atoi(argv[2]);
	if (argc > 3)
		items = strtoul(argv[3], NULL, 10);
	if (seconds < 4) {
		fprintf(stderr, "wqtorture: '%s' isn't a number of seconds, at least 4\n", argv[1]);
		return 2;
	}
	srand(seed);
	if (nodes_read(&nodes))
		return 1;
	ktap_start(10);
	test_plain();
	test_steady();
	test_strict();
	test_sysfs();
	test_frozen();
	test_chaos();
	return ktap_exit();
}
