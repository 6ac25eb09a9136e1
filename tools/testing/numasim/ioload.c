// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioload - a known number of random reads from pinned threads, with the window
 * of the numasim plugin around exactly these.
 *
 * One thread per CPU given.  All threads warm up, wait for each other, the
 * window opens, every thread completes its reads, all wait again, the window
 * closes: the window holds threads * reads I/Os, no more and no less, and
 * neither start-up nor the threads' end.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "marker.h"

#define MAX_CPUS	256
#define MAX_NODES	64
#define MAX_DEVS	64
#define MAX_DEPTH	256

struct job {
	pthread_t thread;
	unsigned int index;
	unsigned int cpu;
	unsigned int dev;		/* index in opt.dev[] */
	int fd;				/* own: no struct file is shared */
	uint64_t seed;
	char *buf;
	aio_context_t aio;
	struct iocb iocb[MAX_DEPTH];
	bool pinned;
	int err;
	const char *what;
};

static struct {
	unsigned int cpus[MAX_CPUS];
	unsigned int nr_cpus;
	const char *dev[MAX_DEVS];
	uint64_t size[MAX_DEVS];
	unsigned int nr_devs;
	unsigned int ios;
	unsigned int warmup;
	unsigned int size_kib;
	unsigned int depth;
	unsigned int batch;
	bool write;
	const char *out;
} opt = {
	.ios = 8000,
	.warmup = 500,
	.size_kib = 4,
	.depth = 1,
	.batch = 1,
};

static pthread_barrier_t barrier;

/* xorshift64: the same offsets in every run */
static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static uint64_t pick(struct job *job)
{
	uint64_t len = opt.size_kib * 1024ull;

	return next_random(&job->seed) % (opt.size[job->dev] / len) * len;
}

static int fail(struct job *job, const char *what, int err)
{
	job->what = what;
	job->err = err;
	return -1;
}

static int run_sync(struct job *job, unsigned int n)
{
	size_t len = opt.size_kib * 1024ul;

	while (n--) {
		ssize_t got = pread(job->fd, job->buf, len, pick(job));

		if (got != (ssize_t)len)
			return fail(job, "read", got < 0 ? errno : EIO);
	}
	return 0;
}

static int submit(struct job *job, struct iocb **list, unsigned int nr)
{
	unsigned int done = 0;

	while (done < nr) {
		long ret = syscall(SYS_io_submit, job->aio, (long)(nr - done),
				   list + done);

		if (ret < 0 && errno == EAGAIN) {
			sched_yield();
			continue;
		}
		if (ret < 0)
			return fail(job, "io_submit", errno);
		done += ret;
	}
	return 0;
}

static int run_aio(struct job *job, unsigned int n)
{
	struct iocb *idle[MAX_DEPTH], *list[MAX_DEPTH];
	unsigned int nr_idle = 0, in_flight = 0, i, nr;
	struct io_event ev[MAX_DEPTH];
	size_t len = opt.size_kib * 1024ul;
	long got;

	for (i = 0; i < opt.depth; i++)
		idle[nr_idle++] = &job->iocb[i];
	while (n || in_flight) {
		for (nr = 0; nr < opt.batch && n && nr_idle; nr++, n--) {
			struct iocb *cb = idle[--nr_idle];

			i = cb - job->iocb;
			memset(cb, 0, sizeof(*cb));
			cb->aio_fildes = job->fd;
			cb->aio_lio_opcode = IOCB_CMD_PREAD;
			cb->aio_buf = (uintptr_t)(job->buf + i * len);
			cb->aio_nbytes = len;
			cb->aio_offset = pick(job);
			list[nr] = cb;
		}
		if (nr && submit(job, list, nr))
			return -1;
		in_flight += nr;
		/* full, or nothing left to submit: wait for one */
		if (n && nr_idle)
			continue;
		got = syscall(SYS_io_getevents, job->aio, 1L, (long)opt.depth, ev,
			      NULL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(job, "io_getevents", errno);
		while (got--) {
			if (ev[got].res != (long long)len)
				return fail(job, "read", ev[got].res < 0 ?
					    -(int)ev[got].res : EIO);
			idle[nr_idle++] = (struct iocb *)(uintptr_t)ev[got].obj;
			in_flight--;
		}
	}
	return 0;
}

/* One operation of a file that is not a disk: a byte written to it */
static int run_writes(struct job *job, unsigned int n)
{
	while (n--)
		if (pwrite(job->fd, "1", 1, 0) != 1)
			return fail(job, "write", errno);
	return 0;
}

static int run(struct job *job, unsigned int n)
{
	if (opt.write)
		return run_writes(job, n);
	return opt.depth > 1 ? run_aio(job, n) : run_sync(job, n);
}

static int prepare(struct job *job)
{
	size_t len = opt.size_kib * 1024ul * opt.depth;
	cpu_set_t set;
	int err;

	CPU_ZERO(&set);
	CPU_SET(job->cpu, &set);
	err = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	if (err)
		return fail(job, "pin", err);
	job->fd = open(opt.dev[job->dev], opt.write ? O_WRONLY | O_CLOEXEC :
		       O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (job->fd < 0)
		return fail(job, "open", errno);
	err = posix_memalign((void **)&job->buf, 65536, len);
	if (err)
		return fail(job, "buffer", err);
	memset(job->buf, 0, len);
	if (opt.depth > 1 && syscall(SYS_io_setup, (long)opt.depth, &job->aio))
		return fail(job, "io_setup", errno);
	return run(job, opt.warmup);
}

static void *job_main(void *arg)
{
	struct job *job = arg;

	prepare(job);
	pthread_barrier_wait(&barrier);
	if (!job->index)
		numasim_mark(MARK_OPEN);
	pthread_barrier_wait(&barrier);
	if (!job->err)
		run(job, opt.ios);
	pthread_barrier_wait(&barrier);
	if (!job->index)
		numasim_mark(MARK_CLOSE);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* The report needs the names and addresses of this very boot. */
static int copy_file(const char *from, const char *to)
{
	char buf[65536];
	FILE *in = fopen(from, "r"), *out = in ? fopen(to, "w") : NULL;
	size_t n;
	int err = !in || !out;

	while (!err && (n = fread(buf, 1, sizeof(buf), in)))
		err = fwrite(buf, 1, n, out) != n;
	if (in)
		fclose(in);
	if (out)
		err |= fclose(out);
	if (err)
		fprintf(stderr, "ioload: cannot copy %s to %s\n", from, to);
	return err ? -1 : 0;
}

/* -1: no such CPU, or a kernel without NUMA (then all are on node 0). */
static int node_of_cpu(unsigned int cpu)
{
	char path[80];
	int node;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	if (access(path, F_OK))
		return -1;
	for (node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%d",
			 cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return 0;
}

static int write_result(void)
{
	char path[4096];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/kallsyms", opt.out);
	if (copy_file("/proc/kallsyms", path))
		return -1;
	snprintf(path, sizeof(path), "%s/ioload", opt.out);
	f = fopen(path, "w");
	if (!f) {
		fprintf(stderr, "ioload: %s: %s\n", path, strerror(errno));
		return -1;
	}
	fprintf(f, "ios %llu\n", (unsigned long long)opt.ios * opt.nr_cpus);
	fprintf(f, "size_kib %u\ndepth %u\nbatch %u\nwarmup %u\n", opt.size_kib,
		opt.depth, opt.batch, opt.warmup);
	fprintf(f, "cpus");
	for (i = 0; i < opt.nr_cpus; i++)
		fprintf(f, " %u", opt.cpus[i]);
	fprintf(f, "\ncpu_nodes");
	for (i = 0; i < MAX_CPUS; i++) {
		int node = node_of_cpu(i);

		if (node < 0)
			break;
		fprintf(f, " %d", node);
	}
	fprintf(f, "\ndevices");
	for (i = 0; i < opt.nr_devs; i++)
		fprintf(f, " %s", opt.dev[i]);
	fputc('\n', f);
	return fclose(f);
}

static unsigned int number(struct argp_state *st, const char *name,
			   const char *text, unsigned int min, unsigned int max)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		argp_error(st, "%s %s: give a number from %u to %u", name, text,
			   min, max);
	return v;
}

static void parse_cpus(struct argp_state *st, char *list)
{
	char *part;

	while ((part = strsep(&list, ","))) {
		char *dash = strchr(part, '-');
		unsigned int a, b;

		if (dash)
			*dash++ = '\0';
		a = number(st, "cpu", part, 0, CPU_SETSIZE - 1);
		b = dash ? number(st, "cpu", dash, a, CPU_SETSIZE - 1) : a;
		for (; a <= b; a++) {
			if (opt.nr_cpus == MAX_CPUS)
				argp_error(st, "more than %d CPUs", MAX_CPUS);
			opt.cpus[opt.nr_cpus++] = a;
		}
	}
}

static const struct argp_option options[] = {
	{ "cpus", 'c', "LIST", 0, "one thread on each (default: all online)", 0 },
	{ "ios", 'n', "N", 0, "measured reads of each thread (8000)", 0 },
	{ "warmup", 'w', "N", 0, "reads of each thread before (500)", 0 },
	{ "size", 's', "KIB", 0, "size of a read (4)", 0 },
	{ "depth", 'q', "N", 0, "reads in flight of each thread; 1: pread(), more: libaio's system calls (1)", 0 },
	{ "batch", 'b', "N", 0, "reads handed over by one system call (1)", 0 },
	{ "write", 'W', NULL, 0, "the devices are files, such as a module's parameter: write a byte instead of reading", 0 },
	{ "out", 'o', "DIR", 0, "where ioload and kallsyms are written", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	switch (key) {
	case 'c':
		parse_cpus(st, arg);
		break;
	case 'n':
		opt.ios = number(st, "ios", arg, 1, 100000000);
		break;
	case 'w':
		opt.warmup = number(st, "warmup", arg, 0, 100000000);
		break;
	case 's':
		opt.size_kib = number(st, "size", arg, 1, 1024);
		break;
	case 'q':
		opt.depth = number(st, "depth", arg, 1, MAX_DEPTH);
		break;
	case 'b':
		opt.batch = number(st, "batch", arg, 1, MAX_DEPTH);
		break;
	case 'W':
		opt.write = true;
		break;
	case 'o':
		opt.out = arg;
		break;
	case ARGP_KEY_ARG:
		if (opt.nr_devs == MAX_DEVS)
			argp_error(st, "more than %d devices", MAX_DEVS);
		opt.dev[opt.nr_devs++] = arg;
		break;
	case ARGP_KEY_END:
		if (!opt.nr_devs)
			argp_error(st, "no device given");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int check_devices(void)
{
	unsigned int i;

	for (i = 0; i < opt.nr_devs; i++) {
		int fd = open(opt.dev[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0 || ioctl(fd, BLKGETSIZE64, &opt.size[i])) {
			fprintf(stderr, "ioload: %s: %s\n", opt.dev[i],
				strerror(errno));
			return -1;
		}
		close(fd);
		if (opt.size[i] < opt.size_kib * 1024ull) {
			fprintf(stderr, "ioload: %s: smaller than one read of %u KiB\n",
				opt.dev[i], opt.size_kib);
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "DEVICE...",
		"Reads at random from DEVICEs, thread i from device i modulo their "
		"number, with the numasim window around the measured reads.",
		NULL, NULL, NULL };
	struct job *jobs;
	unsigned int i;
	int err = 0;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (!opt.nr_cpus) {
		cpu_set_t set;

		sched_getaffinity(0, sizeof(set), &set);
		for (i = 0; i < CPU_SETSIZE && opt.nr_cpus < MAX_CPUS; i++)
			if (CPU_ISSET(i, &set))
				opt.cpus[opt.nr_cpus++] = i;
	}
	jobs = calloc(opt.nr_cpus, sizeof(*jobs));
	if (!jobs || (!opt.write && check_devices()))
		return 1;
	pthread_barrier_init(&barrier, NULL, opt.nr_cpus);
	numasim_mark(MARK_ARM);
	for (i = 0; i < opt.nr_cpus; i++) {
		jobs[i].index = i;
		jobs[i].dev = i % opt.nr_devs;
		jobs[i].cpu = opt.cpus[i];
		jobs[i].seed = 0x9e3779b97f4a7c15ull * (i + 1);
		if (pthread_create(&jobs[i].thread, NULL, job_main, &jobs[i])) {
			fprintf(stderr, "ioload: cannot start thread %u\n", i);
			return 1;
		}
	}
	for (i = 0; i < opt.nr_cpus; i++) {
		pthread_join(jobs[i].thread, NULL);
		if (jobs[i].err) {
			fprintf(stderr, "ioload: thread on CPU %u: %s: %s\n",
				jobs[i].cpu, jobs[i].what, strerror(jobs[i].err));
			err = 1;
		}
	}
	numasim_mark(MARK_RESET);
	if (!err && opt.out && write_result())
		err = 1;
	return err;
}
