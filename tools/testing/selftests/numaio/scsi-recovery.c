// SPDX-License-Identifier: GPL-2.0-only
/*
 * scsi-recovery [ROUNDS]: what goes wrong with a SCSI host, and what is done to it, in
 * both placements of its tags and while they change: timeouts, aborts that work and
 * that fail, resets of each level, deeper and shallower queues, a disk that is rescanned
 * or deleted, a host that is removed, all under I/O. ROUNDS: of each kind of trouble
 * (default 10). Needs root, scsi_debug and scsi_numa_test as modules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "blkplace.h"
#include "ktap.h"
#include "load.h"
#include "scsihost.h"

#define DRIVER	"/sys/bus/pseudo/drivers/scsi_debug"
/* Those of sg.h stop at the bus, and have no target. */
#define RESET_HOST	3
#define RESET_TARGET	4

static struct nodes nodes;
static unsigned long rounds = 10;
static struct scsi_host host;

static const char *const placements[] = { "flat", "spread" };

/* Both kinds of hosts with a tag map for all nodes. */
static const struct {
	const char *name;
	const char *params;
} kinds[] = {
	{ "one queue", "max_queue=64" },
	{ "host tags", "host_max_queue=64 submit_queues=%ld" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static bool load(unsigned int kind, int placement)
{
	char params[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(params, sizeof(params), kinds[kind].params, sysconf(_SC_NPROCESSORS_ONLN));
#pragma GCC diagnostic pop
	return !run("modprobe scsi_debug dev_size_mb=16 delay=0 ndelay=200000 "
		    "tag_placement=%s %s", placements[placement], params) &&
	       !scsi_host_wait("scsi_debug", 0, &host) &&
	       !write_line("1", "%s/timeout", host.sdev) &&
	       !write_line("1", "%s/eh_timeout", host.sdev);
}

/* All tags, requests and commands as the placement says, none in use. */
static bool is_right(int placement)
{
	struct scsi_nodes s;

	if (!all_idle(host.disk) || scsi_nodes_read(host.no, &s))
		return false;
	if (!blkplace_right(host.disk, &nodes, placement))
		return false;
	return !placement || nodes.owners < 2 || scsi_nodes_even(&s, nodes.owner_mask);
}

static unsigned long counter(const char *name)
{
	char line[64] = "0";

	read_line(line, sizeof(line), "%s/%s", host.sdev, name);
	return strtoul(line, NULL, 16);
}

/* ---- trouble ---- */

static int inject(struct worker *w, const char *what)
{
	if (write_line(what, "/sys/kernel/debug/scsi_debug/%s/error",
		       strrchr(host.sdev, '/') + 1))
		return worker_fails(w, "'%s' to error: %s", what, strerror(errno));
	return STEP_OK;
}

/* Wait until this many more commands timed out. */
static int await_timeouts(struct worker *w, unsigned long nr)
{
	unsigned long before = counter("iotmo_cnt");
	time_t end = time(NULL) + 50;

	while (counter("iotmo_cnt") - before < nr) {
		if (time(NULL) > end)
			return worker_fails(w, "%lu of %lu timeouts",
					    counter("iotmo_cnt") - before, nr);
		usleep(20000);
	}
	w->done++;
	return STEP_OK;
}

/* 6 commands that nobody answers; the mid-layer aborts them and tries again. */
static int step_timeouts(struct worker *w)
{
	int ret = inject(w, "0 -6 0xff");

	return ret ?: await_timeouts(w, 6);
}

/* The same, with aborts that fail: the error handler resets the device. */
static int step_failed_aborts(struct worker *w)
{
	int ret = inject(w, "3 -2 0xff");

	ret = ret ?: inject(w, "0 -2 0xff");
	return ret ?: await_timeouts(w, 2);
}

/* And that reset fails as well: the target is reset. */
static int step_failed_resets(struct worker *w)
{
	int ret = inject(w, "4 -1 0xff");

	ret = ret ?: inject(w, "3 -2 0xff");
	ret = ret ?: inject(w, "0 -2 0xff");
	return ret ?: await_timeouts(w, 2);
}

/* What the user may reset. */
static int step_sg_reset(struct worker *w)
{
	static const int levels[] = {
		SG_SCSI_RESET_DEVICE, RESET_TARGET, SG_SCSI_RESET_BUS, RESET_HOST,
	};
	int level = levels[w->done % 4], fd, ret;
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", host.sg);
	fd = open(path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return worker_fails(w, "%s: %s", path, strerror(errno));
	ret = ioctl(fd, SG_SCSI_RESET, &level);
	close(fd);
	if (ret && errno != EBUSY)
		return worker_fails(w, "reset %d: %s", level, strerror(errno));
	if (ret)
		w->refused++;
	w->done++;
	usleep(random() % 200000);
	return STEP_OK;
}

static int step_queue_depth(struct worker *w)
{
	char text[16];

	snprintf(text, sizeof(text), "%ld", 1 + random() % 64);
	if (write_line(text, "%s/queue_depth", host.sdev))
		return worker_fails(w, "%s: %s", text, strerror(errno));
	w->done++;
	usleep(random() % 30000);
	return STEP_OK;
}

static int step_rescan(struct worker *w)
{
	if (w->done % 2 ? write_line("1", "%s/rescan", host.sdev) :
			  write_line("- - -", "%s/scan", host.sysfs))
		return worker_fails(w, "rescan: %s", strerror(errno));
	w->done++;
	usleep(random() % 30000);
	return STEP_OK;
}

/* On the host's attribute and on the disk's, in turn. */
static int step_toggle(struct worker *w)
{
	const char *to = placements[(w->done + 1) % 2];
	int ret;

	if (w->done % 4 < 2)
		ret = write_line(to, "%s/tag_placement", host.sysfs);
	else
		ret = write_line(to, "/sys/block/%s/queue/tag_placement", host.disk);
	if (ret && errno != ENODEV && errno != ENOENT && errno != ENXIO)
		return worker_fails(w, "%s: %s", to, strerror(errno));
	if (ret)
		w->refused++;
	w->done++;
	usleep(random() % 100000);
	return STEP_OK;
}

/* Reads of a disk that may go and come; its name may change. */
static int step_read_if_there(struct worker *w)
{
	static int fd = -1;
	static void *buf;
	char path[64];
	int tries;

	if (!buf && posix_memalign(&buf, 4096, 4096))
		return worker_fails(w, "no memory");
	for (tries = 0; fd < 0 && tries < 26; tries++) {
		snprintf(path, sizeof(path), "/dev/sd%c", 'a' + tries);
		fd = open(path, O_RDONLY | O_DIRECT);
	}
	if (fd >= 0 && pread(fd, buf, 4096, random() % 2048 * 4096L) == 4096) {
		w->done++;
		return STEP_OK;
	}
	w->refused++;
	if (fd >= 0)
		close(fd);
	fd = -1;
	usleep(2000);
	return STEP_OK;
}

static int step_delete(struct worker *w)
{
	struct scsi_host h;

	if (scsi_host_wait("scsi_debug", 0, &h))
		return worker_fails(w, "the disk isn't there");
	usleep(random() % 100000);
	if (write_line("1", "%s/delete", h.sdev))
		return worker_fails(w, "%s/delete: %s", h.sdev, strerror(errno));
	if (write_line("- - -", "%s/scan", h.sysfs))
		return worker_fails(w, "scan: %s", strerror(errno));
	w->done++;
	return STEP_OK;
}

static int step_remove_host(struct worker *w)
{
	struct scsi_host h;

	if (scsi_host_wait("scsi_debug", 0, &h))
		return worker_fails(w, "the disk isn't there");
	usleep(random() % 100000);
	if (write_line("-1", DRIVER "/add_host") || write_line("1", DRIVER "/add_host"))
		return worker_fails(w, "add_host: %s", strerror(errno));
	w->done++;
	return STEP_OK;
}

/* Of whatever host is there. */
static int step_toggle_host(struct worker *w)
{
	const char *to = placements[random() % 2];
	int no = scsi_host_find("scsi_debug", 0);

	if (no < 0 || write_line(to, "/sys/class/scsi_host/host%d/tag_placement", no))
		w->refused++;
	w->done++;
	usleep(random() % 20000);
	return STEP_OK;
}

/* ---- tests ---- */

/* Data is verified; with toggles the last one decides. */
static void test_trouble(const char *name, int (*step)(struct worker *w), unsigned long nr,
			 unsigned int kind, int placement, bool toggle)
{
	struct verify v = { .jobs = 4, .depth = 8, .kib = 512, .disk = host.disk };
	struct crew *c = crew_new();
	bool ok = crew_add_verify(c, &v);

	if (ok) {
		crew_add(c, name, step, NULL, nr);
		if (toggle)
			crew_add(c, "toggle", step_toggle, NULL, 0);
	}
	ok &= crew_join(c);
	ok = ok && (!toggle || placement_write(host.disk, placements[placement], 0)) &&
	     is_right(placement) && verify_once(&v);
	ktap_result(ok, "%s, %s: %lu %s%s", kinds[kind].name, placements[placement], nr, name,
		    toggle ? " while the placement changes" : "");
}

static void test_gone(const char *name, int (*step)(struct worker *w), unsigned int kind)
{
	struct crew *c = crew_new();
	bool ok;
	int i;

	for (i = 0; i < 4; i++)
		crew_add(c, "read", step_read_if_there, NULL, 0);
	crew_add(c, name, step, NULL, rounds);
	crew_add(c, "toggle", step_toggle_host, NULL, 0);
	ok = crew_join(c);
	ok = ok && !scsi_host_wait("scsi_debug", 0, &host) &&
	     !write_line("spread", "%s/tag_placement", host.sysfs) && is_right(1) &&
	     !write_line("flat", "%s/tag_placement", host.sysfs) && is_right(0);
	ktap_result(ok, "%s: %lu times %s under reads and changes of the placement",
		    kinds[kind].name, rounds, name);
}

static bool host_says(const char *want)
{
	return attr_reads(want, host.sysfs, "tag_placement");
}

/* There is no disk to ask: the host's own attribute, and what its tags' pages say. */
static void test_no_disk(unsigned int kind)
{
	struct scsi_nodes s;
	bool ok;

	ok = load(kind, 0) && !write_line("1", "%s/delete", host.sdev) && host_says("flat") &&
	     !write_line("spread\n", "%s/tag_placement", host.sysfs) && host_says("spread") &&
	     !scsi_nodes_read(host.no, &s) && !scsi_nodes_count(&s, "device", -1) &&
	     scsi_nodes_even(&s, nodes.owner_mask);
	ktap_result(ok, "%s: tags of a host without a disk are spread", kinds[kind].name);
	ok = ok && !write_line("- - -", "%s/scan", host.sysfs) &&
	     !scsi_host_wait("scsi_debug", 0, &host) && is_right(1) &&
	     attr_is(host.disk, "flat [spread]");
	ktap_result(ok, "%s: a disk that comes then has them", kinds[kind].name);

	errno = 0;
	ok = ok && write_line("round", "%s/tag_placement", host.sysfs) && errno == EINVAL &&
	     host_says("spread") && !write_line("spread", "%s/tag_placement", host.sysfs) &&
	     !write_line("flat", "%s/tag_placement", host.sysfs) && host_says("flat") &&
	     is_right(0) && attr_is(host.disk, "[flat] spread");
	ktap_result(ok, "%s: the host is told to be flat again, and nothing else",
		    kinds[kind].name);
	module_unload("scsi_debug");
}

int main(int argc, char **argv)
{
	unsigned int kind;
	int placement;

	if (argc > 1)
		rounds = atoi(argv[1]);
	if (nodes_read(&nodes))
		return 1;
	if (nodes.owners < 2) {
		printf("1..0 # SKIP one node has no other placement\n");
		return 4;
	}
	if (run("modprobe scsi_numa_test 2>/dev/null")) {
		printf("1..0 # SKIP there is no module scsi_numa_test\n");
		return 4;
	}
	ktap_start(NR_KINDS * (3 + 2 * 6 + 3));
	for (kind = 0; kind < NR_KINDS; kind++) {
		test_no_disk(kind);
		for (placement = 0; placement < 2; placement++) {
			bool ok = load(kind, placement);

			if (!ok)
				ktap_note("can't load scsi_debug");
			test_trouble("rounds of timeouts", step_timeouts, (rounds + 4) / 5, kind,
				     placement, false);
			test_trouble("failed aborts", step_failed_aborts, (rounds + 4) / 5, kind,
				     placement, false);
			test_trouble("failed resets", step_failed_resets, (rounds + 4) / 5, kind,
				     placement, false);
			/* A reset of the bus takes 10 s, in which commands must not expire. */
			write_line("10", "%s/timeout", host.sdev);
			test_trouble("resets by the user", step_sg_reset, rounds, kind, placement,
				     false);
			write_line("1", "%s/timeout", host.sdev);
			test_trouble("depths", step_queue_depth, 10 * rounds, kind, placement,
				     false);
			test_trouble("rescans", step_rescan, 10 * rounds, kind, placement, false);
			module_unload("scsi_debug");
		}
		load(kind, 0);
		test_trouble("rounds of timeouts", step_timeouts, (rounds + 4) / 5, kind, 1, true);
		test_gone("deleted", step_delete, kind);
		test_gone("removed with the host", step_remove_host, kind);
		module_unload("scsi_debug");
	}
	return ktap_exit();
}
