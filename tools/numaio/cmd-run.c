// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio run: the order of things. For each run the variant's settings are made, the load runs,
 * all is read back, and the settings are undone, so that every run starts from the host as it
 * was found.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "numaio.h"
#include "run.h"
#include "stats.h"

#define FAILURES	3	/* in a row end the experiment */

struct options {
	const char *file;
	const char *output;
	const char *resume;
	const char *restore;
	struct run_params params;
	long long seed;
	int repetitions;
	bool dry;
	bool quiet;
};

struct session {
	const struct options *opt;
	struct run_experiment *e;
	json_t *record;
	const char *path;
	struct run_journal *journal;
	struct run_changes common;
	json_t *restored;
	bool *seen;		/* by device of the experiment: was it ever there? */
	int failures;		/* in a row */
	int bad;		/* runs that are not ok */
	bool unwritable;
	bool unrestored;
	/* for the time left */
	size_t slot, slots, done;
	double began, slot_began;
	const char *running;
};

/* Progress */

static void progress(void *arg)
{
	struct session *s = arg;
	double each = s->done ? (s->slot_began - s->began) / s->done : 0;
	double rest = each * (s->slots - s->slot) - (clock_seconds() - s->slot_began);
	long left = rest > 0 ? rest : 0;

	if (s->opt->quiet || !isatty(2))
		return;
	fprintf(stderr, "\r\033[K%zu/%zu %s", s->slot + 1, s->slots, s->running);
	if (s->done)
		fprintf(stderr, ", %ld:%02ld left", left / 60, left % 60);
	fflush(stderr);
}

static void end_progress(const struct session *s)
{
	if (!s->opt->quiet && isatty(2))
		fputs("\r\033[K", stderr);
}

static void say(const struct session *s, char *text)
{
	end_progress(s);
	fprintf(stderr, "numaio run: %s\n", text);
	free(text);
}

/* False: a signal came. */
static bool pause_for(double seconds)
{
	struct pollfd p = { run_signal_fd(), POLLIN, 0 };

	if (seconds > 0)
		poll(&p, 1, seconds * 1000);
	return !run_signalled();
}

/* One run */

struct before {
	char *online;
	bool irqbalance;
	struct run_counters *counters;
};

static bool device_exists(const char *name)
{
	char *dir = run_format("/sys/block/%s", name), *path = run_path(dir);
	bool exists = !access(path, F_OK);

	free(dir);
	free(path);
	return exists;
}

static void look(const struct session *s, struct before *b)
{
	for (size_t i = 0; i < s->e->devices.n; i++)
		s->seen[i] |= device_exists(s->e->devices.v[i]);
	b->online = run_cpus_online();
	b->irqbalance = run_irqbalance_runs();
	b->counters = run_counters_read();
}

static void drift(const struct session *s, const struct before *b,
		  const struct run_counters *after, const struct run_changes *changes,
		  json_t *marks)
{
	char *online = run_cpus_online();

	run_drift(&s->common, b->counters, after, marks);
	run_drift(changes, b->counters, after, marks);
	if (online && b->online && strcmp(online, b->online))
		run_mark(marks, "CPUs online changed: %s, now %s", b->online, online);
	if (!b->irqbalance && run_irqbalance_runs())
		run_mark(marks, "irqbalance started");
	for (size_t i = 0; i < s->e->devices.n; i++)
		if (!device_exists(s->e->devices.v[i]))
			run_mark(marks, s->seen[i] ? "device %s vanished" :
				 "there is no device %s", s->e->devices.v[i]);
	free(online);
}

static json_t *run_json(const struct session *s, const struct run_variant *v, int block,
			int position, const struct run_outcome *o, json_t *interrupts,
			json_t *marks)
{
	return json_pack("{s:s s:i s:i s:b s:s s:f s:s s:o s:o s:o s:o}", "variant", v->name,
			 "block", block, "position", position, "warm_up", block < s->e->warm_up,
			 "started", o->started, "seconds", o->seconds, "state", o->state,
			 "error", run_text(o->error), "metrics", o->metrics, "interrupts",
			 interrupts, "marks", marks);
}

static bool save(struct session *s)
{
	char *error = run_record_write(s->path, s->record);

	if (!error)
		return true;
	if (!s->unwritable)
		say(s, run_format("the record can't be written, the experiment ends: %s", error));
	free(error);
	s->unwritable = true;
	return false;
}

static void count(struct session *s, const struct run_variant *v, const struct run_outcome *o)
{
	if (!strcmp(o->state, "ok")) {
		s->failures = 0;
		return;
	}
	s->bad++;
	if (strcmp(o->state, "failed"))
		return;
	s->failures++;
	say(s, run_format("variant %s: %s", v->name, o->error));
}

static void measure(struct session *s, const struct run_variant *v, int block, int position,
		    const struct run_changes *changes)
{
	json_t *marks = json_array(), *interrupts;
	struct run_counters *after;
	struct run_outcome o;
	struct before b;

	look(s, &b);
	run_load(s->e, v, block, run_journal_path(s->journal), progress, s, &o);
	after = run_counters_read();
	drift(s, &b, after, changes, marks);
	interrupts = run_counters_interrupts(b.counters, after, s->e->interrupts);
	run_counters_metrics(b.counters, after, o.metrics);
	run_record_settings(s->record, v->name, changes, o.placement, marks);
	json_array_append_new(json_object_get(s->record, "runs"),
			      run_json(s, v, block, position, &o, interrupts, marks));
	count(s, v, &o);
	run_counters_free(b.counters);
	run_counters_free(after);
	free(b.online);
	free(o.started);
	free(o.error);
	json_decref(o.placement);
}

/* False: the experiment ends here. */
static bool run_slot(struct session *s, const struct run_variant *v, int block, int position)
{
	struct run_changes changes = { 0 };
	bool applied;

	s->running = v->name;
	s->slot_began = clock_seconds();
	progress(s);
	applied = run_apply(v->wants, v->n_wants, &changes, s->journal);
	if (applied && pause_for(s->e->settle))
		measure(s, v, block, position, &changes);
	else if (!applied && !run_signalled())
		say(s, run_format("%s can't be written, the experiment ends",
				  run_journal_path(s->journal)));
	if (!run_undo(&changes, s->journal, s->restored))
		s->unrestored = true;
	run_record_restored(s->record, s->restored);
	s->done++;
	return save(s) && applied && !run_signalled() && s->failures < FAILURES;
}

static bool run_block(struct session *s, int block, size_t *order)
{
	size_t n = s->e->n_variants;

	run_order(s->e->seed, block, n, order);
	for (size_t i = 0; i < n; i++, s->slot++) {
		const struct run_variant *v = &s->e->variants[order[i]];

		if (run_record_has(s->record, v->name, block))
			continue;
		if (s->done && !pause_for(s->e->cool_down))
			return false;
		if (!run_slot(s, v, block, i))
			return false;
	}
	return true;
}

static bool run_blocks(struct session *s)
{
	size_t *order = calloc(s->e->n_variants, sizeof(*order));
	bool complete = true;

	if (!order)
		abort();
	s->slots = (s->e->warm_up + s->e->repetitions) * s->e->n_variants;
	s->began = clock_seconds();
	for (int b = 0; complete && b < s->e->warm_up + s->e->repetitions; b++)
		complete = run_block(s, b, order);
	free(order);
	return complete;
}

/* Begin and end */

/* What numaio report could show at best, if each variant is compared with the baseline. */
static void warn_of_few(const struct session *s)
{
	size_t n = s->e->repetitions, pairs = s->e->n_variants > 1 ? s->e->n_variants - 1 : 1;
	double p = stats_least_p(n, n);
	size_t enough = n;

	while (pairs * stats_least_p(enough, enough) > STATS_ALPHA)
		enough++;
	if (enough > n && pairs == 1)
		say(s, run_format("%s: repetitions: %zu; that can't show any difference: p is at least %.2g; it takes %zu",
				  s->e->file, n, p, enough));
	else if (enough > n)
		say(s, run_format("%s: repetitions: %zu; that can't show any difference: p is at least %.2g, corrected for %zu comparisons %.2g; it takes %zu",
				  s->e->file, n, p, pairs, fmin(pairs * p, 1), enough));
	else if (n < 5)
		say(s, run_format("%s: repetitions: %zu; that can show a difference only if all figures of a variant are beyond all of the other one (p %.2g)",
				  s->e->file, n, p));
}

static void warn_of_emulation(const struct session *s)
{
	char *why;

	switch (run_emulation(&why)) {
	case RUN_EMULATED:
		say(s, run_format("the CPU is emulated (%s): times of this host say nothing about a real one",
				  why));
		break;
	case RUN_MAYBE_EMULATED:
		say(s, run_format("the CPU may be emulated: %s; then times of this host say nothing about a real one",
				  why));
		break;
	case RUN_NOT_EMULATED:
		break;
	}
	free(why);
}

/* All that is left, also of what couldn't be restored at once. */
static void put_back(struct session *s)
{
	run_undo(&s->common, s->journal, s->restored);
	s->unrestored = !run_journal_undo(s->journal, s->restored);
	run_record_restored(s->record, s->restored);
}

static void list_unrestored(const struct session *s)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(s->record, "restored"), i, entry) {
		const char *state = NULL, *kind, *target, *value, *error;

		if (json_unpack(entry, "{s:s s:s s:s s:s s:s}", "state", &state, "kind", &kind,
				"target", &target, "value", &value, "error", &error) ||
		    strcmp(state, "failed"))
			continue;
		say(s, run_format("not restored: %s %s to \"%s\": %s", kind, target, value,
				  error));
	}
}

static void finish(struct session *s, const char *state)
{
	char *date = run_date();

	put_back(s);
	json_object_set_new(s->record, "state", json_string(state));
	json_object_set_new(s->record, "finished",
			    strcmp(state, "interrupted") ? json_string(date) : json_null());
	free(date);
	save(s);
	list_unrestored(s);
	if (s->unrestored) {
		say(s, run_format("\"numaio run --restore %s\" tries that again", s->path));
	}
}

static int verdict(struct session *s, bool complete)
{
	if (run_signalled())
		say(s, run_format("interrupted by signal %d; \"numaio run --resume %s %s\" goes on",
				  run_signalled(), s->path, s->opt->file));
	else if (!complete && s->failures >= FAILURES)
		say(s, run_format("%d runs in a row failed, the experiment ends", FAILURES));
	else if (s->bad)
		say(s, run_format("%d runs failed, see %s", s->bad, s->path));
	return complete && !s->bad && !s->unrestored && !s->unwritable ? EXIT_OK : EXIT_FAILED;
}

static int go(struct session *s)
{
	bool complete = false;
	int ret;

	s->restored = json_array();
	s->seen = calloc(s->e->devices.n + 1, sizeof(*s->seen));
	if (!s->seen)
		abort();
	if (save(s)) {
		bool applied = run_apply(s->e->wants, s->e->n_wants, &s->common, s->journal);

		run_record_common(s->record, &s->common);
		complete = applied && run_blocks(s);
		end_progress(s);
		finish(s, complete ? "complete" : run_signalled() ? "interrupted" : "failed");
	}
	ret = verdict(s, complete);
	run_journal_close(s->journal, true);
	free(s->seen);
	json_decref(s->restored);
	return ret;
}

static int usage(char *text)
{
	fprintf(stderr, "numaio run: %s\n", text);
	free(text);
	return EXIT_USAGE;
}

static bool sets_something(const struct run_experiment *e)
{
	size_t n = e->n_wants;

	for (size_t i = 0; i < e->n_variants; i++)
		n += e->variants[i].n_wants;
	return n;
}

/*
 * Of two experiments at once each would take the other's settings for those of the host, and
 * restore them. An abstract socket's name is taken until this process ends, however it does.
 */
static bool lock_host(const struct session *s)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0numaio-run" };
	int fd;

	if (*run_sysroot || !sets_something(s->e))
		return true;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!bind(fd, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 11) ||
	    errno != EADDRINUSE)
		return true;
	say(s, run_dup("another experiment is running on this host; only one at a time can set anything"));
	return false;
}

/* What an earlier numaio left; the journal stays open. */
static bool restore_left(struct session *s, char **error)
{
	s->journal = run_journal_open(s->path, false, error);
	if (!s->journal)
		return false;
	run_journal_kill_load(s->journal);
	s->restored = json_array();
	s->unrestored = !run_journal_undo(s->journal, s->restored);
	if (s->record)
		run_record_restored(s->record, s->restored);
	json_decref(s->restored);
	return true;
}

static int cmd_restore(const struct options *opt)
{
	struct session s = { .opt = opt, .path = opt->restore };
	char *error = NULL;
	const char *state;
	int ret;

	if (!run_journal_exists(s.path)) {
		if (access(s.path, F_OK))
			return usage(run_format("%s: %s", s.path, strerror(errno)));
		say(&s, run_format("%s: nothing is left to be restored", s.path));
		return EXIT_OK;
	}
	run_signal_block();
	s.record = run_record_read(s.path, &error);
	if (error)
		say(&s, run_format("%s; settings are restored all the same", error));
	free(error);
	if (!restore_left(&s, &error)) {
		say(&s, error);
		return EXIT_FAILED;
	}
	state = json_string_value(json_object_get(s.record, "state"));
	if (state && !strcmp(state, "running"))
		json_object_set_new(s.record, "state", json_string("interrupted"));
	if (s.record)
		save(&s);
	if (s.record)
		list_unrestored(&s);
	ret = s.unrestored || s.unwritable ? EXIT_FAILED : EXIT_OK;
	run_journal_close(s.journal, true);
	json_decref(s.record);
	return ret;
}

static int begin(struct session *s)
{
	char *error = NULL;

	s->path = s->opt->output;
	if (!access(s->path, F_OK))
		return usage(run_format("%s is there already, it is not overwritten", s->path));
	if (run_journal_exists(s->path))
		return usage(run_format("%s.journal is there: \"numaio run --restore %s\" first",
					s->path, s->path));
	if (!lock_host(s))
		return EXIT_FAILED;
	run_signal_block();
	s->journal = run_journal_open(s->path, true, &error);
	if (!s->journal) {
		say(s, error);
		return EXIT_FAILED;
	}
	s->record = run_record_new(s->e);
	return go(s);
}

static int not_resumable(const struct session *s, char *error)
{
	int ret = usage(run_format("%s can't be resumed: %s", s->opt->resume, error));

	free(error);
	return ret;
}

static int resume(struct session *s)
{
	char *error = run_record_resumable(s->record, s->e);

	s->path = s->opt->resume;
	if (error)
		return not_resumable(s, error);
	if (!lock_host(s))
		return EXIT_FAILED;
	run_signal_block();
	if (!run_journal_exists(s->path))
		s->journal = run_journal_open(s->path, true, &error);
	else
		restore_left(s, &error);
	if (!s->journal || s->unrestored) {
		say(s, error ? error : run_dup("what the interrupted run left can't be restored"));
		if (s->journal)
			list_unrestored(s);
		if (s->journal)
			run_journal_close(s->journal, false);
		return EXIT_FAILED;
	}
	json_object_set_new(s->record, "state", json_string("running"));
	json_object_set_new(s->record, "finished", json_null());
	return go(s);
}

static int dry(struct session *s)
{
	run_dry(s->e, stdout);
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	say(s, run_format("can't write: %s", strerror(errno)));
	return EXIT_FAILED;
}

/* What -D, -r and --seed don't say is as it was when the record was begun. */
static void take_from_record(json_t *record, struct options *opt)
{
	json_t *seed = json_object_get(record, "seed");
	json_int_t n = json_integer_value(json_object_get(record, "repetitions"));
	const char *name;
	json_t *value;

	if (opt->seed < 0 && json_integer_value(seed) >= 0)
		opt->seed = json_integer_value(seed);
	if (!opt->repetitions && n >= 1 && n <= 10000)
		opt->repetitions = n;
	json_object_foreach(json_object_get(record, "parameters"), name, value)
		if (json_is_string(value))
			run_params_recorded(&opt->params, name, json_string_value(value));
}

static int run_experiment(struct session *s, const struct options *opt)
{
	char *file = run_ini_find(opt->file), *error;
	int ret = EXIT_USAGE;

	s->e = run_ini_read(file, &opt->params, stderr);
	free(file);
	if (!s->e)
		return EXIT_USAGE;
	if (opt->seed >= 0)
		s->e->seed = opt->seed;
	if (opt->repetitions)
		s->e->repetitions = opt->repetitions;
	error = run_load_missing(s->e);
	if (error) {
		ret = usage(error);
	} else {
		warn_of_few(s);
		warn_of_emulation(s);
		ret = opt->dry ? dry(s) : opt->resume ? resume(s) : begin(s);
	}
	run_ini_free(s->e);
	return ret;
}

static int run(struct options *opt)
{
	struct session s = { .opt = opt };
	char *error;
	int ret;

	if (opt->resume) {
		s.record = run_record_read(opt->resume, &error);
		if (!s.record)
			return not_resumable(&s, error);
		take_from_record(s.record, opt);
	}
	ret = run_experiment(&s, opt);
	json_decref(s.record);
	return ret;
}

/* Options */

enum { RESUME = 256, RESTORE, SEED, SYSROOT };

static const struct argp_option options[] = {
	{ "output", 'o', "RECORD", 0, "Write the record there; it must not exist", 0 },
	{ "resume", RESUME, "RECORD", 0, "Go on with an experiment that was interrupted", 0 },
	{ "restore", RESTORE, "RECORD", 0, "Undo the settings that a killed numaio left", 0 },
	{ "define", 'D', "NAME=VALUE", 0, "The value of a name in [parameters]", 0 },
	{ "repetitions", 'r', "N", 0, "Instead of those of the file: 1 .. 10000", 0 },
	{ "seed", SEED, "N", 0, "Instead of that of the file: 0 .. 9223372036854775807", 0 },
	{ "dry-run", 'n', NULL, 0, "Print what would be done, change nothing", 0 },
	{ "quiet", 'q', NULL, 0, "No progress", 0 },
	{ "sysroot", SYSROOT, "DIR", OPTION_HIDDEN, "Before each path of sysfs and procfs", 0 },
	{ 0 }
};

static void define(struct argp_state *state, struct options *o, const char *arg)
{
	const char *eq = strchr(arg, '=');

	if (!eq || eq == arg)
		argp_error(state, "-D %s: it is of the form NAME=VALUE", arg);
	if (!run_is_utf8(arg))
		argp_error(state, "-D %s: it is no UTF-8", arg);
	o->params.v = run_grow(o->params.v, o->params.n, sizeof(*o->params.v));
	o->params.v[o->params.n++] = (struct run_param){
		strndup(arg, eq - arg), run_dup(eq + 1), false };
}

static long long whole(struct argp_state *state, const char *option, const char *arg,
		       long long min, long long max)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(arg, &end, 10);
	if (errno || *end || !*arg || n < min || n > max)
		argp_error(state, "%s %s: valid are %lld .. %lld", option, arg, min, max);
	return n;
}

static void check(struct argp_state *state, const struct options *o)
{
	if (o->restore) {
		if (o->file || o->output || o->resume || o->dry || o->params.n || o->repetitions ||
		    o->seed >= 0)
			argp_error(state, "--restore needs only the record");
		return;
	}
	if (!o->file)
		argp_error(state, "no EXPERIMENT is given");
	if (o->output && o->resume)
		argp_error(state, "--output and --resume exclude each other");
	if (!o->dry && !o->output && !o->resume)
		argp_error(state, "--output RECORD is missing");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		break;
	case RESUME:
		o->resume = arg;
		break;
	case RESTORE:
		o->restore = arg;
		break;
	case 'D':
		define(state, o, arg);
		break;
	case 'r':
		o->repetitions = whole(state, "--repetitions", arg, 1, 10000);
		break;
	case SEED:
		o->seed = whole(state, "--seed", arg, 0, INT64_MAX);
		break;
	case 'n':
		o->dry = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case SYSROOT:
		run_sysroot = arg;
		break;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "more than one EXPERIMENT: %s", arg);
		o->file = arg;
		break;
	case ARGP_KEY_END:
		check(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "EXPERIMENT",
		"Run an experiment: variants of placement, many times each, in random order."
		"\vnumaio-run(1) describes the file of an experiment and has an example.",
		NULL, NULL, NULL
	};
	struct options o = { .seed = -1 };
	int ret;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "numaio run";
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = o.restore ? cmd_restore(&o) : run(&o);
	for (size_t i = 0; i < o.params.n; i++) {
		free(o.params.v[i].name);
		free(o.params.v[i].value);
	}
	free(o.params.v);
	return ret;
}
