// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio watch: what changes a second.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "numaio.h"
#include "show-parts.h"
#include "watch-enable.h"
#include "watch-print.h"
#include "watch-sample.h"

#define INTERVAL_MIN	0.1
#define INTERVAL_MAX	3600.0

struct arguments {
	const char *sysroot;
	double interval;
	unsigned long count;	/* 0: until stopped */
	bool enable;
	bool json;
	char **names;
	int nr;
};

static const struct argp_option options[] = {
	{ "interval", 'i', "SECONDS", 0, "Between two lines (default 1)", 0 },
	{ "count", 'n', "COUNT", 0, "Stop after so many intervals", 0 },
	{ "enable", 'e', 0, 0, "Count tags and completions meanwhile", 0 },
	{ "output", 'o', "FORMAT", 0, "text (the default) or json, a line for each interval", 0 },
	{ "sysroot", 's', "DIR", 0, "Watch a captured tree, for tests", 0 },
	{ 0 }
};

static double interval_of(const char *arg, struct argp_state *state)
{
	char *end;
	double n = strtod(arg, &end);

	if (end == arg || *end || !(n >= INTERVAL_MIN && n <= INTERVAL_MAX))
		argp_error(state, "-i %s: the interval must be %g to %g seconds", arg, INTERVAL_MIN,
			   INTERVAL_MAX);
	return n;
}

static unsigned long count_of(const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (end == arg || *end || *arg == '-' || errno || !n || n > 1000000000)
		argp_error(state, "-n %s: the count must be 1 to 1000000000", arg);
	return n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'i':
		a->interval = interval_of(arg, state);
		return 0;
	case 'n':
		a->count = count_of(arg, state);
		return 0;
	case 'e':
		a->enable = true;
		return 0;
	case 'o':
		a->json = show_json_asked(arg, state);
		return 0;
	case 's':
		a->sysroot = arg;
		return 0;
	case ARGP_KEY_ARGS:
		a->names = state->argv + state->next;
		a->nr = state->argc - state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (a->enable && a->sysroot)
			argp_error(state, "--enable and --sysroot don't go together");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[DISK|HOST|all]...",
	.doc = "Show how many tags, completions, interrupts and work items there are a second, by "
	       "node, until stopped. Tags and completions are counted only if that was switched on: "
	       "--enable does it, and switches it off at the end.",
};

/* Signals that stop it are taken only where it waits: nothing is left half done. */
static sigset_t stops;

static void block_signals(void)
{
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGHUP);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Is it to stop? */
static bool wait_until(double when)
{
	double left = when - clock_seconds();
	struct timespec t = {};
	int sig;

	if (left > 0) {
		t.tv_sec = left;
		t.tv_nsec = (left - t.tv_sec) * 1e9;
	}
	do
		sig = sigtimedwait(&stops, NULL, &t);
	while (sig < 0 && errno == EINTR);
	return sig > 0;
}

static int watch(const json_t *doc, const struct arguments *a)
{
	json_t *from = watch_sample(doc), *to, *rates;
	double start = clock_seconds(), last = start, taken;
	int res = EXIT_OK;

	for (unsigned long i = 1; res == EXIT_OK && (!a->count || i <= a->count); i++) {
		if (wait_until(start + i * a->interval))
			break;
		to = watch_sample(doc);
		taken = clock_seconds();
		rates = watch_rates(from, to, taken - last);
		if (watch_print(rates, taken - last, a->json)) {
			fprintf(stderr, "numaio watch: can't write: %s\n", strerror(errno));
			res = EXIT_FAILED;
		}
		json_decref(rates);
		json_decref(from);
		from = to;
		last = taken;
	}
	json_decref(from);
	return res;
}

static void say_debugfs(const json_t *doc)
{
	const char *state = json_text(doc, "debugfs");

	if (!strcmp(state, "denied"))
		fputs("numaio watch: /sys/kernel/debug may be read by root only: "
		      "interrupts alone are shown\n", stderr);
	else if (!strcmp(state, "absent"))
		fputs("numaio watch: debugfs isn't mounted in /sys/kernel/debug: "
		      "interrupts alone are shown\n", stderr);
}

static int run(const json_t *doc, const struct arguments *a)
{
	bool debugfs = !strcmp(json_text(doc, "debugfs"), "read"), can = watch_can_enable(doc);
	int res;

	block_signals();
	say_debugfs(doc);
	if (debugfs && !can)
		fputs("numaio watch: no tag_gets and completions in debugfs, they aren't counted: "
		      "a kernel without the series, or no disk\n", stderr);
	if (a->enable && !can)
		return EXIT_SKIPPED;
	if (a->enable && watch_enable(doc))
		return EXIT_FAILED;
	if (!a->enable && debugfs)
		watch_say_disabled(doc);
	res = watch(doc, a);
	return watch_restore() ? EXIT_FAILED : res;
}

int cmd_watch(int argc, char **argv)
{
	struct arguments a = { .interval = 1 };
	json_t *doc;
	int res;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "numaio watch";
	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if (a.sysroot && !show_set_root(a.sysroot, "watch"))
		return EXIT_USAGE;
	doc = show_document(a.names, a.nr, "watch");
	res = doc ? run(doc, &a) : EXIT_USAGE;
	json_decref(doc);
	sys_reset();
	return res;
}
