// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs and nice of threads by name, and irqbalance, which is stopped by SIGSTOP: that needs no
 * knowledge of who started it, and SIGCONT is the whole way back.
 *
 * A thread is "TID START": its start time tells it from a later one with the same number.
 */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "run.h"

/* Fields of /proc/TID/stat after the name, which may hold anything. */
static bool stat_of(int tid, char *state, int *nice, unsigned long long *start)
{
	char *path = run_format("/proc/%d/stat", tid), *text = run_read(path), *rest;
	long n = 0;
	bool ok;

	free(path);
	rest = text ? strrchr(text, ')') : NULL;
	ok = rest && sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %ld %*d %*d %llu",
			    state, &n, start) == 3;
	*nice = n;
	free(text);
	return ok;
}

static int live(const char *where, char *state, int *nice)
{
	unsigned long long start, now;
	int tid;

	if (sscanf(where, "%d %llu", &tid, &start) == 2 && stat_of(tid, state, nice, &now) &&
	    now == start && *state != 'Z' && *state != 'X')
		return tid;
	errno = ESRCH;
	return 0;
}

static char *read_cpus(const char *where)
{
	struct cpus c = { 0 };
	char state;
	int nice, tid = live(where, &state, &nice);

	if (!tid || sched_getaffinity(tid, sizeof(c), (cpu_set_t *)&c))
		return NULL;
	return cpus_list(&c);
}

static char *write_cpus(const char *where, const char *value)
{
	struct cpus c;
	char state;
	int nice, tid = live(where, &state, &nice);

	if (!tid || !run_cpus_list(value, &c) ||
	    sched_setaffinity(tid, sizeof(c), (const cpu_set_t *)&c))
		return run_format("%s%s", strerror(errno), errno == EINVAL ?
				  ": no such CPU, or the kernel has bound this thread" : "");
	return NULL;
}

static bool same_cpus(const char *asked, const char *value)
{
	struct cpus a, b;

	return run_cpus_list(asked, &a) && run_cpus_list(value, &b) && cpus_same(&a, &b);
}

static char *read_nice(const char *where)
{
	char state;
	int nice;

	return live(where, &state, &nice) ? run_format("%d", nice) : NULL;
}

static char *write_nice(const char *where, const char *value)
{
	char state;
	int nice, tid = live(where, &state, &nice);

	if (!tid || setpriority(PRIO_PROCESS, tid, atoi(value)))
		return run_dup(strerror(errno));
	return NULL;
}

static bool same_nice(const char *asked, const char *value)
{
	return atoi(asked) == atoi(value);
}

static char *read_process(const char *where)
{
	char state;
	int nice;

	if (!live(where, &state, &nice))
		return NULL;
	return run_dup(state == 'T' ? "stopped" : "running");
}

/* The state changes when the process is next scheduled. */
static char *write_process(const char *where, const char *value)
{
	bool stop = !strcmp(value, "stopped");
	char state;
	int nice, tid = live(where, &state, &nice);

	if (!tid || kill(tid, stop ? SIGSTOP : SIGCONT))
		return run_dup(strerror(errno));
	for (int i = 0; i < 100; i++) {
		if (!live(where, &state, &nice) || (state == 'T') == stop)
			break;
		usleep(1000);
	}
	return NULL;
}

static bool same_process(const char *asked, const char *value)
{
	return !strcmp(asked, value);
}

const struct run_store run_thread_cpus = {
	"thread-cpus", read_cpus, write_cpus, same_cpus, NULL, NULL };
const struct run_store run_thread_nice = {
	"thread-nice", read_nice, write_nice, same_nice, NULL, NULL };
const struct run_store run_process = {
	"process", read_process, write_process, same_process, NULL, NULL };

struct wish {
	char *cpus;
	char *nice;
};

/* "cpus=0-3 nice=-5"; NULL, or what is wrong. */
static char *parse_wish(const char *value, struct wish *wish)
{
	struct run_strs words = { 0 };
	struct cpus c;
	char *error = NULL;
	double n;

	run_strs_words(&words, value);
	for (size_t i = 0; i < words.n && !error; i++) {
		char *w = words.v[i];

		if (!strncmp(w, "cpus=", 5) && !wish->cpus) {
			error = run_cpus_spec(w + 5, &c);
			wish->cpus = error ? NULL : cpus_list(&c);
		} else if (!strncmp(w, "nice=", 5) && !wish->nice) {
			if (!run_number(w + 5, -20, 19, &n) || n != (int)n)
				error = run_format("\"%s\": nice is -20 .. 19", w);
			else
				wish->nice = run_format("%d", (int)n);
		} else {
			error = run_format("\"%s\" is neither cpus=CPUS nor nice=N, once each", w);
		}
	}
	run_strs_free(&words);
	return error;
}

static void free_wish(struct wish *w)
{
	free(w->cpus);
	free(w->nice);
}

char *run_thread_check(const char *target, const char *value)
{
	char *error = run_pattern_check(target, -1);
	struct wish wish = { 0 };

	if (error)
		return error;
	error = parse_wish(value, &wish);
	free_wish(&wish);
	return error;
}

static void add_thread(const struct run_want *w, const char *tid, const char *comm,
		       const struct wish *wish, struct run_changes *l)
{
	unsigned long long start;
	char state;
	int nice;

	if (!stat_of(atoi(tid), &state, &nice, &start))
		return;
	if (wish->cpus)
		run_change_add(l, w->kind->name, run_format("%s (%s) cpus", tid, comm),
			       &run_thread_cpus, run_format("%s %llu", tid, start),
			       run_dup(wish->cpus));
	if (wish->nice)
		run_change_add(l, w->kind->name, run_format("%s (%s) nice", tid, comm),
			       &run_thread_nice, run_format("%s %llu", tid, start),
			       run_dup(wish->nice));
}

static void threads_of(const struct run_want *w, const char *pid, const struct wish *wish,
		       struct run_changes *l)
{
	char *dir = run_format("/proc/%s/task", pid);
	struct run_strs tids = { 0 };

	run_find_files(dir, "[0-9]+", &tids);
	for (size_t i = 0; i < tids.n; i++) {
		char *path = run_format("%s/%s/comm", dir, tids.v[i]), *comm = run_read(path);

		if (comm && run_match(w->target, comm))
			add_thread(w, tids.v[i], comm, wish, l);
		free(path);
		free(comm);
	}
	run_strs_free(&tids);
	free(dir);
}

void run_thread_find(const struct run_want *w, struct run_changes *l)
{
	struct run_strs pids = { 0 };
	struct wish wish = { 0 };
	size_t n = l->n;

	free(parse_wish(w->value, &wish));
	run_find_files("/proc", "[0-9]+", &pids);
	for (size_t i = 0; i < pids.n; i++)
		threads_of(w, pids.v[i], &wish, l);
	run_strs_free(&pids);
	free_wish(&wish);
	if (l->n == n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no thread has such a name"));
}

char *run_irqbalance_check(const char *target, const char *value)
{
	(void)target;
	return strcmp(value, "stop") ? run_format("\"%s\": irqbalance can only be \"stop\"", value)
				     : NULL;
}

static void find_irqbalance(struct run_strs *pids)
{
	struct run_strs all = { 0 };

	run_find_files("/proc", "[0-9]+", &all);
	for (size_t i = 0; i < all.n; i++) {
		char *path = run_format("/proc/%s/comm", all.v[i]), *comm = run_read(path);

		if (comm && !strcmp(comm, "irqbalance"))
			run_strs_add(pids, run_dup(all.v[i]));
		free(path);
		free(comm);
	}
	run_strs_free(&all);
}

void run_irqbalance_find(const struct run_want *w, struct run_changes *l)
{
	struct run_strs pids = { 0 };
	unsigned long long start;
	struct run_change *c;
	char state;
	int nice;

	find_irqbalance(&pids);
	for (size_t i = 0; i < pids.n; i++)
		if (stat_of(atoi(pids.v[i]), &state, &nice, &start))
			run_change_add(l, w->kind->name, run_format("process %s", pids.v[i]),
				       &run_process, run_format("%s %llu", pids.v[i], start),
				       run_dup("stopped"));
	if (!pids.n) {
		c = run_change_add(l, w->kind->name, run_dup("irqbalance"), NULL, NULL,
				   run_dup("stopped"));
		c->was = run_dup("not running");
		c->read_back = run_dup("not running");
	}
	run_strs_free(&pids);
}

/* One that is stopped doesn't run. */
bool run_irqbalance_runs(void)
{
	struct run_strs pids = { 0 };
	unsigned long long start;
	bool runs = false;
	char state;
	int nice;

	find_irqbalance(&pids);
	for (size_t i = 0; i < pids.n; i++)
		if (stat_of(atoi(pids.v[i]), &state, &nice, &start) && state != 'T' &&
		    state != 'Z' && state != 'X')
			runs = true;
	run_strs_free(&pids);
	return runs;
}
