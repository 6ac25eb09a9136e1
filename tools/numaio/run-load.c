// SPDX-License-Identifier: GPL-2.0-only
/*
 * One run of the load: a child in a process group of its own, placed before it becomes the
 * program. What the child finds out about its placement it tells through a pipe that exec
 * closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <numaif.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "run.h"

#define OUTPUT_MAX	(64 << 20)
#define GRACE		5.0	/* seconds from SIGTERM to SIGKILL */

struct child {
	pid_t pid;
	int pidfd;
	int out, err;	/* memfds */
	int report;	/* what the child says of its placement */
	int status;
	struct rusage usage;
};

/* The command line */

static char *beside(const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');

	if (*path == '/' || !slash)
		return run_dup(path);
	return run_format("%.*s/%s", (int)(slash - file), file, path);
}

static void fio_argv(const char *file, const struct run_load *l, struct run_strs *argv)
{
	struct run_strs jobs = { 0 }, clients = { 0 };

	run_strs_words(&jobs, l->fio);
	run_strs_words(&clients, l->client ? l->client : "");
	run_strs_add(argv, run_dup("fio"));
	run_strs_add(argv, run_dup("--output-format=json"));
	run_strs_words(argv, l->args ? l->args : "");
	for (size_t c = 0; c < (clients.n ? clients.n : 1); c++) {
		if (clients.n)
			run_strs_add(argv, run_format("--client=%s", clients.v[c]));
		for (size_t i = 0; i < jobs.n; i++)
			run_strs_add(argv, beside(file, jobs.v[i]));
	}
	run_strs_free(&jobs);
	run_strs_free(&clients);
}

static void load_argv(const char *file, const struct run_load *l, struct run_strs *argv)
{
	if (l->fio) {
		fio_argv(file, l, argv);
	} else {
		run_strs_add(argv, run_dup("/bin/sh"));
		run_strs_add(argv, run_dup("-c"));
		run_strs_add(argv, run_format("%s%s%s", l->command, l->args ? " " : "",
					      l->args ? l->args : ""));
	}
}

/* For people. */
char *run_load_line(const struct run_experiment *e, const struct run_variant *v)
{
	struct run_strs argv = { 0 };
	char *line = run_dup(""), *next;

	if (v->load.command) {
		free(line);
		return run_format("%s%s%s", v->load.command, v->load.args ? " " : "",
				  v->load.args ? v->load.args : "");
	}
	load_argv(e->file, &v->load, &argv);
	for (size_t i = 0; i < argv.n; i++) {
		next = run_format("%s%s%s", line, i ? " " : "", argv.v[i]);
		free(line);
		line = next;
	}
	run_strs_free(&argv);
	return line;
}

static char *missing_job(const struct run_experiment *e, const struct run_variant *v)
{
	struct run_strs jobs = { 0 };
	char *error = NULL;

	run_strs_words(&jobs, v->load.fio);
	for (size_t i = 0; i < jobs.n && !error; i++) {
		char *path = beside(e->file, jobs.v[i]);

		if (access(path, R_OK))
			error = run_format("%s: variant %s: fio: %s: %s", e->file, v->name, path,
					   strerror(errno));
		free(path);
	}
	run_strs_free(&jobs);
	return error;
}

/* NULL, or which job file isn't there: better now than after hours. */
char *run_load_missing(const struct run_experiment *e)
{
	char *error = NULL;

	for (size_t i = 0; i < e->n_variants && !error; i++)
		if (e->variants[i].load.fio)
			error = missing_job(e, &e->variants[i]);
	return error;
}

/* In the child */

static void export(const char *prefix, const struct run_params *p)
{
	for (size_t i = 0; i < p->n; i++) {
		char *name = run_format("%s%s", prefix, p->v[i].name);

		setenv(name, p->v[i].value, 1);
		free(name);
	}
}

static void environment(const struct run_experiment *e, const struct run_variant *v, int block,
			const char *journal)
{
	char number[16];

	export("NUMAIO_", &e->params);
	export("NUMAIO_", &v->vars);
	snprintf(number, sizeof(number), "%d", block);
	setenv("NUMAIO_BLOCK", number, 1);
	setenv("NUMAIO_VARIANT", v->name, 1);
	setenv("NUMAIO_JOURNAL", journal, 1);
}

/* One line: target, asked, error, what is in force. */
static void tell(int fd, const char *target, const char *asked, int error, const char *read_back)
{
	dprintf(fd, "%s\t%s\t%d\t%s\n", target, asked, error, read_back);
}

static void bind_cpus(int fd, const char *target, const char *asked, const char *spec)
{
	struct cpus want, have = { 0 };
	char *text;
	int error = 0;

	free(run_cpus_spec(spec, &want));
	if (sched_setaffinity(0, sizeof(want), (const cpu_set_t *)&want))
		error = errno;
	sched_getaffinity(0, sizeof(have), (cpu_set_t *)&have);
	if (!error && !cpus_same(&want, &have))
		error = -1;
	text = cpus_list(&have);
	tell(fd, target, asked, error, text);
	free(text);
}

static void bind_memory(int fd, const char *spec)
{
	struct cpus want, have = { 0 };
	int error = 0, mode = 0;
	char *text;

	free(run_nodes_spec(spec, &want));
	if (set_mempolicy(MPOL_BIND, (unsigned long *)&want, CPUS_MAX))
		error = errno;
	if (get_mempolicy(&mode, (unsigned long *)&have, CPUS_MAX, NULL, 0) && !error)
		error = errno;
	if (!error && (mode != MPOL_BIND || !cpus_same(&want, &have)))
		error = -1;
	text = mode == MPOL_BIND ? cpus_list(&have) : run_dup("default");
	tell(fd, "membind", spec, error, text);
	free(text);
}

static void place(int fd, const struct run_load *l)
{
	char *spec;

	if (l->cpunodebind) {
		spec = run_format("node:%s", l->cpunodebind);
		bind_cpus(fd, "cpunodebind", l->cpunodebind, spec);
		free(spec);
	}
	if (l->physcpubind)
		bind_cpus(fd, "physcpubind", l->physcpubind, l->physcpubind);
	if (l->membind)
		bind_memory(fd, l->membind);
}

static void become(const struct child *c, const struct run_experiment *e,
		   const struct run_variant *v, int block, const char *journal, int report,
		   pid_t parent)
{
	struct run_strs argv = { 0 };

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	environment(e, v, block, journal);
	load_argv(e->file, &v->load, &argv);
	run_strs_add(&argv, NULL);
	place(report, &v->load);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	dup2(c->out, 1);
	dup2(c->err, 2);
	run_signal_unblock();
	execvp(argv.v[0], argv.v);
	tell(report, "exec", argv.v[0], errno, "");
	_exit(127);
}

/* In the parent */

static bool start(struct child *c, const struct run_experiment *e, const struct run_variant *v,
		  int block, const char *journal)
{
	pid_t parent = getpid();
	int ends[2];

	c->out = memfd_create("out", MFD_CLOEXEC);
	c->err = memfd_create("err", MFD_CLOEXEC);
	if (c->out < 0 || c->err < 0 || pipe2(ends, O_CLOEXEC))
		return false;
	c->pid = fork();
	if (!c->pid)
		become(c, e, v, block, journal, ends[1], parent);
	close(ends[1]);
	c->report = ends[0];
	if (c->pid < 0) {
		close(ends[0]);
		return false;
	}
	setpgid(c->pid, c->pid);
	c->pidfd = syscall(SYS_pidfd_open, c->pid, 0);
	return true;
}

static json_t *placement_entry(char *line, char **exec_error)
{
	char *target = strsep(&line, "\t"), *asked = strsep(&line, "\t");
	char *number = strsep(&line, "\t");
	int error = number ? atoi(number) : 0;

	if (!line)
		return NULL;
	if (!strcmp(target, "exec")) {
		*exec_error = run_format("%s: %s", asked, strerror(error));
		return NULL;
	}
	return json_pack("{s:s s:s s:s s:n s:s s:s s:o}", "kind", "load", "target", target,
			 "asked", asked, "was", "read_back", line, "state",
			 error > 0 ? "refused" : error ? "differs" : "set", "error",
			 error > 0 ? json_string(strerror(error)) : json_null());
}

/* Until the child is the program, or couldn't become it. */
static json_t *hear(struct child *c, char **error)
{
	json_t *all = json_array(), *entry;
	FILE *f = fdopen(c->report, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while (f && (len = getline(&line, &room, f)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		entry = placement_entry(line, error);
		if (entry)
			json_array_append_new(all, entry);
	}
	free(line);
	if (f)
		fclose(f);
	return all;
}

/* Waits for an end, at most some seconds; with the signal's descriptor also for a signal. */
static bool wait_end(struct child *c, double seconds, bool signals)
{
	struct pollfd p[] = { { c->pidfd, POLLIN, 0 }, { run_signal_fd(), POLLIN, 0 } };
	pid_t pid;

	poll(p, signals && run_signal_fd() >= 0 ? 2 : 1, seconds * 1000);
	pid = wait4(c->pid, &c->status, WNOHANG, &c->usage);
	return pid == c->pid;
}

static void stop(struct child *c)
{
	double end = clock_seconds() + GRACE;

	kill(-c->pid, SIGTERM);
	while (clock_seconds() < end)
		if (wait_end(c, 0.1, false))
			return;
	kill(-c->pid, SIGKILL);
	while (!wait_end(c, 0.1, false))
		;
}

/* NULL, or why the run isn't ok; *interrupted: a signal to numaio. */
static char *watch(struct child *c, double timeout, void (*tick)(void *), void *arg,
		   bool *interrupted)
{
	double end = clock_seconds() + timeout;

	while (!wait_end(c, 0.5, true)) {
		if (run_signalled()) {
			*interrupted = true;
			stop(c);
			return run_format("signal %d", run_signalled());
		}
		if (timeout > 0 && clock_seconds() >= end) {
			stop(c);
			return run_format("still running after %g s (timeout)", timeout);
		}
		tick(arg);
	}
	return NULL;
}

static char *read_all(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *s = size >= 0 && size <= OUTPUT_MAX ? malloc(size + 1) : NULL;
	ssize_t n = s ? pread(fd, s, size, 0) : -1;

	if (n < 0) {
		free(s);
		return run_dup("");
	}
	s[n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (!s[i])
			s[i] = ' ';
	return s;
}

static char *ended(const struct child *c)
{
	char *line, *error;

	if (!c->status)
		return NULL;
	line = run_last_line(c->err);
	if (WIFSIGNALED(c->status))
		error = run_format("the load was killed by signal %d (%s)%s%s", WTERMSIG(c->status),
				   strsignal(WTERMSIG(c->status)), *line ? ": " : "", line);
	else
		error = run_format("the load ended with %d%s%s", WEXITSTATUS(c->status),
				   *line ? ": " : "", line);
	free(line);
	return error;
}

/* The last match of the pattern counts. */
static bool last_match(const struct run_metric *m, const char *out, double *value)
{
	regmatch_t match[2];
	bool found = false;
	regex_t re;
	char *text;

	if (regcomp(&re, m->pattern, REG_EXTENDED | REG_NEWLINE))
		return false;
	while (*out && !regexec(&re, out, 2, match, 0)) {
		text = strndup(out + match[1].rm_so,
			       match[1].rm_so < 0 ? 0 : match[1].rm_eo - match[1].rm_so);
		if (match[1].rm_so >= 0)
			found = run_number(run_trim(text), -RUN_FIGURE_MAX, RUN_FIGURE_MAX, value);
		free(text);
		out += match[0].rm_eo ? match[0].rm_eo : 1;
	}
	regfree(&re);
	return found;
}

static char *pattern_metrics(const struct run_experiment *e, const char *out, json_t *metrics)
{
	double value;

	for (size_t i = 0; i < e->n_metrics; i++) {
		const struct run_metric *m = &e->metrics[i];

		if (!m->pattern)
			continue;
		if (!last_match(m, out, &value))
			return run_format("metric %s: no number in the output matches \"%s\"",
					  m->name, m->pattern);
		json_object_set_new(metrics, m->name, json_real(value));
	}
	return NULL;
}

static char *metrics(const struct run_experiment *e, const struct run_variant *v,
		     const struct child *c, json_t *to)
{
	char *out = read_all(c->out), *err = read_all(c->err);
	char *all = run_format("%s\n%s", out, err), *error = NULL;

	if (v->load.fio)
		error = run_fio_metrics(out, to);
	if (!error)
		error = pattern_metrics(e, all, to);
	free(out);
	free(err);
	free(all);
	return error;
}

static double seconds_of(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static void usage_metrics(const struct child *c, double seconds, json_t *metrics)
{
	if (seconds > 0)
		json_object_set_new(metrics, "load_p_system",
				    json_real(100 * seconds_of(c->usage.ru_stime) / seconds));
	json_object_set_new(metrics, "load_context_switches",
			    json_integer(c->usage.ru_nvcsw + c->usage.ru_nivcsw));
}

void run_load(const struct run_experiment *e, const struct run_variant *v, int block,
	      const char *journal, void (*tick)(void *), void *arg, struct run_outcome *o)
{
	struct child c = { .pidfd = -1, .out = -1, .err = -1 };
	bool interrupted = false;
	double began = clock_seconds();

	*o = (struct run_outcome){ .started = run_date(), .metrics = json_object() };
	if (!start(&c, e, v, block, journal)) {
		o->error = run_format("the load can't be started: %s", strerror(errno));
		o->placement = json_array();
	} else {
		o->placement = hear(&c, &o->error);
		if (!o->error)
			o->error = watch(&c, v->load.timeout, tick, arg, &interrupted);
		else
			stop(&c);
		o->seconds = clock_seconds() - began;
		kill(-c.pid, SIGKILL);	/* what the load left behind */
		if (!o->error)
			o->error = ended(&c);
		if (!o->error)
			o->error = metrics(e, v, &c, o->metrics);
		usage_metrics(&c, o->seconds, o->metrics);
	}
	o->state = interrupted ? "interrupted" : o->error ? "failed" : "ok";
	close(c.pidfd);
	close(c.out);
	close(c.err);
}
