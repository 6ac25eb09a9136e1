// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "blkplace.h"
#include "load.h"

#define CONFIGFS "/sys/kernel/config/nullb"

static void nap(int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/* ---- workers ---- */

struct crew *crew_new(void)
{
	struct crew *c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED) {
		perror("# mmap");
		exit(1);
	}
	c->since = time(NULL);
	return c;
}

int worker_fails(struct worker *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->error, sizeof(w->error), fmt, ap);
	va_end(ap);
	return STEP_FAILED;
}

/* Of the process that this is, for step_verify(). */
static struct crew *my_crew;

struct worker *crew_add(struct crew *c, const char *name,
			int (*step)(struct worker *w), const void *arg,
			unsigned long goal)
{
	struct worker *w = &c->worker[c->nr];
	int ret = STEP_OK;
	pid_t pid;

	if (c->nr == MAX_WORKERS) {
		printf("# more than %d workers\n", MAX_WORKERS);
		exit(1);
	}
	w->name = name;
	w->step = step;
	w->arg = arg;
	w->goal = goal;
	w->nr = c->nr++;
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("# fork");
		exit(1);
	}
	if (pid) {
		w->pid = pid;
		return w;
	}

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	srandom(w->nr + 1);
	my_crew = c;
	while (ret == STEP_OK && !c->stop && (!goal || w->done < goal))
		ret = step(w);
	fflush(stdout);
	_exit(ret == STEP_FAILED);
}

/* Returns false if the worker failed. */
static bool reap(struct worker *w)
{
	int status;

	if (!w->pid || waitpid(w->pid, &status, WNOHANG) != w->pid)
		return true;
	w->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	if (WIFSIGNALED(status))
		printf("# %s: ended by signal %d after %lu\n", w->name,
		       WTERMSIG(status), w->done);
	else
		printf("# %s: after %lu: %s\n", w->name, w->done, w->error);
	return false;
}

static void say_how_far(const struct crew *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		const struct worker *w = &c->worker[i];
		char where[128] = "";

		if (w->pid)
			read_line(where, sizeof(where), "/proc/%d/wchan", w->pid);
		printf("# %s %u: %lu", w->name, w->nr, w->done);
		if (w->goal && w->goal < ULONG_MAX)
			printf(" of %lu", w->goal);
		printf(" done, %lu refused, %s%s%s\n", w->refused,
		       w->pid ? "still there" : "ended", *where ? ", in " : "", where);
	}
}

static int patience(void)
{
	const char *s = getenv("NUMAIO_PATIENCE");

	return s && atoi(s) > 0 ? atoi(s) : 60;
}

bool crew_join(struct crew *c)
{
	unsigned long done, last = -1;
	unsigned int i, left, goals;
	time_t since = time(NULL);
	bool ok = true;

	for (;;) {
		for (i = done = left = goals = 0; i < c->nr; i++) {
			struct worker *w = &c->worker[i];

			ok &= reap(w);
			done += w->done;
			left += !!w->pid;
			goals += w->pid && w->goal;
		}
		if (!goals || !ok)
			c->stop = true;
		if (!left)
			break;
		if (done + left != last) {
			last = done + left;
			since = time(NULL);
		} else if (time(NULL) - since > patience()) {
			printf("# HANG: no progress for %d s\n", patience());
			say_how_far(c);
			/* Backtraces of who waits go to the console. */
			write_line("w", "/proc/sysrq-trigger");
			printf("Bail out! hang\n");
			fflush(stdout);
			_exit(1);
		}
		nap(20);
	}
	for (i = 0; i < c->nr; i++)
		ok &= !c->worker[i].goal || c->worker[i].done >= c->worker[i].goal;
	if (!ok)
		say_how_far(c);
	if (c->nr && (!ok || time(NULL) - c->since > 1)) {
		printf("#");
		for (i = 0; i < c->nr && i < 8; i++) {
			printf("%s %s %lu", i ? "," : "", c->worker[i].name, c->worker[i].done);
			if (c->worker[i].refused)
				printf(" (%lu refused)", c->worker[i].refused);
		}
		printf(" in %ld s\n", time(NULL) - c->since);
	}
	munmap(c, sizeof(*c));
	return ok;
}

void crew_stop(struct crew *c)
{
	c->stop = true;
}

/* ---- I/O ---- */

static unsigned long disk_ios(const char *disk)
{
	unsigned long rd = 0, wr = 0;
	char line[512];

	if (!read_line(line, sizeof(line), "/sys/block/%s/stat", disk))
		sscanf(line, "%lu %*u %*u %*u %lu", &rd, &wr);
	return rd + wr;
}

static pid_t start_fio(const struct verify *v, bool once, const char *out)
{
	char file[64], jobs[32], depth[32], cpus[48], size[32], incr[48], output[128];
	const char *argv[40] = {
		"fio", "--name=verify", "--rw=randwrite", "--bs=4k", "--direct=1",
		"--ioengine=libaio", "--thread", "--verify=crc32c", "--verify_fatal=1",
		"--eta=never", "--output-format=json",
		"--exitall_on_error",
		file, jobs, depth, size, incr, output,
	};
	int n = 18;
	pid_t pid;

	snprintf(file, sizeof(file), "--filename=/dev/%s", v->disk);
	snprintf(jobs, sizeof(jobs), "--numjobs=%d", v->jobs);
	snprintf(depth, sizeof(depth), "--iodepth=%d", v->depth);
	snprintf(cpus, sizeof(cpus), "--cpus_allowed=0-%ld",
		 sysconf(_SC_NPROCESSORS_CONF) - 1);
	snprintf(size, sizeof(size), "--size=%dk", v->kib);
	snprintf(incr, sizeof(incr), "--offset_increment=%dk", v->kib);
	snprintf(output, sizeof(output), "--output=%s", out);
	if (!v->roam) {
		argv[n++] = "--cpus_allowed_policy=split";
		argv[n++] = cpus;
	}
	if (!once) {
		argv[n++] = "--verify_backlog=48";
		argv[n++] = "--time_based";
		argv[n++] = "--runtime=1d";
	}

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(2, 1);
	execvp("fio", (char **)argv);
	_exit(127);
}

/* The number of I/Os of a finished fio, -1 if one of its jobs failed. */
static long long fio_result(const char *out, char *why, size_t size)
{
	json_t *root = NULL, *jobs, *job;
	json_error_t e = { .text = "no JSON" };
	char said[200] = "", line[512];
	long long total = 0;
	long at = 0;
	size_t i;
	FILE *f;

	/* What fio has to complain about stands in front. */
	f = fopen(out, "r");
	while (f && fgets(line, sizeof(line), f) && *line != '{') {
		if (!strstr(line, "multiple writers"))
			snprintf(said, sizeof(said), "%.*s", (int)strcspn(line, "\n"), line);
		at = ftell(f);
	}
	if (f && !fseek(f, at, SEEK_SET))
		root = json_loadf(f, JSON_DISABLE_EOF_CHECK, &e);
	if (f)
		fclose(f);
	if (!root) {
		snprintf(why, size, "fio: %s: %s", said, e.text);
		return -1;
	}
	jobs = json_object_get(root, "jobs");
	json_array_foreach(jobs, i, job) {
		int error = json_integer_value(json_object_get(job, "error"));

		if (error) {
			snprintf(why, size, "fio job %zu: %s: %s", i, strerror(error), said);
			total = -1;
			break;
		}
		total += json_integer_value(json_object_get(
				json_object_get(job, "read"), "total_ios"));
		total += json_integer_value(json_object_get(
				json_object_get(job, "write"), "total_ios"));
	}
	json_decref(root);
	return total;
}

static int step_verify(struct worker *w)
{
	const struct verify *v = w->arg;
	unsigned long before = disk_ios(v->disk);
	char out[] = "/tmp/verify-XXXXXX", why[200];
	int status, fd = mkstemp(out);
	bool told = false;
	pid_t pid;

	if (fd < 0)
		return worker_fails(w, "%s: %s", out, strerror(errno));
	close(fd);
	pid = start_fio(v, false, out);
	if (pid < 0)
		return worker_fails(w, "fork: %s", strerror(errno));
	while (!waitpid(pid, &status, WNOHANG)) {
		w->done = disk_ios(v->disk) - before;
		if (my_crew->stop && !told) {
			kill(pid, SIGINT);
			told = true;
		}
		nap(100);
	}
	if (fio_result(out, why, sizeof(why)) < 0)
		return worker_fails(w, "%s", why);
	/* 128 is what SIGINT makes of it. */
	if (!WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != 128))
		return worker_fails(w, "fio ended with status %#x", status);
	unlink(out);
	if (!told)
		return worker_fails(w, "fio ended by itself");
	return STEP_ENDED;
}

bool crew_add_verify(struct crew *c, const struct verify *v)
{
	struct worker *w = crew_add(c, v->disk, step_verify, v, 0);
	int i;

	/* fio's start takes a while, and a job needs its CPU online then. */
	for (i = 0; i < 600 && w->done < 50; i++) {
		if (waitid(P_PID, w->pid, NULL, WEXITED | WNOHANG | WNOWAIT) || *w->error)
			return false;
		nap(50);
	}
	return w->done >= 50;
}

/* One worker with fio, for the watchdog. */
static int step_verify_once(struct worker *w)
{
	const struct verify *v = w->arg;
	unsigned long before = disk_ios(v->disk);
	char out[] = "/tmp/verify-XXXXXX", why[200];
	int status, fd = mkstemp(out);
	long long ios;
	pid_t pid;

	if (fd < 0)
		return worker_fails(w, "%s: %s", out, strerror(errno));
	close(fd);
	pid = start_fio(v, true, out);
	if (pid < 0)
		return worker_fails(w, "fork: %s", strerror(errno));
	while (!waitpid(pid, &status, WNOHANG)) {
		w->done = disk_ios(v->disk) - before;
		nap(20);
	}
	ios = fio_result(out, why, sizeof(why));
	if (ios < 0)
		return worker_fails(w, "%s", why);
	unlink(out);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return worker_fails(w, "fio ended with status %#x", status);
	if (ios < v->jobs * v->kib / 4)
		return worker_fails(w, "only %lld I/Os", ios);
	return STEP_ENDED;
}

bool verify_once(const struct verify *v)
{
	struct crew *c = crew_new();

	crew_add(c, "fio", step_verify_once, v, 1);
	return crew_join(c);
}

static void pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* It may be offline: then anywhere. */
	sched_setaffinity(0, sizeof(one), &one);
}

int step_read(struct worker *w)
{
	static void *buf;
	static int fd = -1;
	char path[64];

	if (!buf) {
		if (posix_memalign(&buf, 4096, 4096))
			return worker_fails(w, "no memory");
		snprintf(path, sizeof(path), "/dev/%s", (const char *)w->arg);
		fd = open(path, O_RDONLY | O_DIRECT);
		if (fd < 0)
			return worker_fails(w, "%s: %s", path, strerror(errno));
		pin(w->nr % sysconf(_SC_NPROCESSORS_CONF));
	}
	if (pread(fd, buf, 4096, random() % 2048 * 4096L) != 4096)
		return worker_fails(w, "read: %s", strerror(errno));
	w->done++;
	return STEP_OK;
}

int hold_tags(const char *disk, int cpu, int nr)
{
	struct io_event *events = calloc(nr, sizeof(*events));
	struct iocb *cb = calloc(nr, sizeof(*cb)), **cbs = calloc(nr, sizeof(*cbs));
	cpu_set_t old;
	aio_context_t ctx = 0;
	int fd, i, got = 0, busy = -1;
	char path[64];
	void *buf;

	snprintf(path, sizeof(path), "/dev/%s", disk);
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0 || !events || !cb || !cbs || posix_memalign(&buf, 4096, 4096) ||
	    syscall(SYS_io_setup, nr, &ctx)) {
		printf("# %s: %s\n", path, strerror(errno));
		return -1;
	}
	sched_getaffinity(0, sizeof(old), &old);
	pin(cpu);
	for (i = 0; i < nr; i++) {
		cb[i].aio_lio_opcode = IOCB_CMD_PREAD;
		cb[i].aio_fildes = fd;
		cb[i].aio_buf = (uintptr_t)buf;
		cb[i].aio_nbytes = 4096;
		/* Far from each other: they are not to be merged. */
		cb[i].aio_offset = i * 65536L;
		cbs[i] = &cb[i];
	}
	for (i = 0; i < nr; ) {
		int n = syscall(SYS_io_submit, ctx, (long)nr - i, cbs + i);

		if (n <= 0) {
			printf("# io_submit: %s\n", strerror(errno));
			break;
		}
		i += n;
	}
	if (i == nr)
		busy = blkplace_busy(disk);
	while (got < i) {
		int n = syscall(SYS_io_getevents, ctx, 1L, (long)i - got, events, NULL);

		if (n <= 0)
			break;
		got += n;
		while (n--) {
			if (events[n].res != 4096) {
				printf("# read: %s\n", strerror(-events[n].res));
				busy = -1;
			}
		}
	}
	syscall(SYS_io_destroy, ctx);
	sched_setaffinity(0, sizeof(old), &old);
	close(fd);
	free(buf);
	free(cb);
	free(cbs);
	free(events);
	return busy;
}

bool all_idle(const char *disk)
{
	int i, busy = 0;

	for (i = 0; i < 50; i++) {
		busy = blkplace_busy(disk);
		if (!busy)
			return true;
		nap(100);
	}
	printf("# %s: %d tags in use without I/O\n", disk, busy);
	return false;
}

/* ---- disks ---- */

int nullb_load(const char *fmt, ...)
{
	char params[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(params, sizeof(params), fmt, ap);
	va_end(ap);
	return run("modprobe null_blk poll_queues=0 %s", params);
}

void nullb_unload(void)
{
	if (run("modprobe -r null_blk"))
		printf("# can't unload null_blk\n");
}

int nullb_set(const char *disk, const char *name, const char *value)
{
	return write_line(value, CONFIGFS "/%s/%s", disk, name);
}

int nullb_make(const char *disk, const char *settings)
{
	char path[128], all[512], *s, *save;
	int err;

	snprintf(path, sizeof(path), CONFIGFS "/%s", disk);
	if (mkdir(path, 0755))
		return -1;
	snprintf(all, sizeof(all), "%s", settings);
	for (s = strtok_r(all, " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		char *value = strchr(s, '=');

		*value++ = 0;
		if (!strcmp(s, "power") && *value == '0')
			return 0;
		if (nullb_set(disk, s, value)) {
			err = errno;
			printf("# %s/%s: %s\n", path, s, strerror(err));
			goto fail;
		}
	}
	if (!nullb_set(disk, "power", "1"))
		return 0;
	err = errno;
fail:
	rmdir(path);
	errno = err;
	return -1;
}

void nullb_remove(const char *disk)
{
	char path[128];

	snprintf(path, sizeof(path), CONFIGFS "/%s", disk);
	if (rmdir(path))
		printf("# %s: %s\n", path, strerror(errno));
}

bool attr_is(const char *disk, const char *want)
{
	return queue_reads(want, disk, "tag_placement");
}

bool placement_write(const char *disk, const char *text, int want)
{
	int err = 0;

	if (write_line(text, "/sys/block/%s/queue/tag_placement", disk))
		err = errno;
	if (err == want)
		return true;
	printf("# '%.*s' to tag_placement of %s: %s, not %s\n",
	       (int)strcspn(text, "\n"), text, disk, strerror(err), strerror(want));
	return false;
}
