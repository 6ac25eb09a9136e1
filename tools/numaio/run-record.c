// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record; its form is in record.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "numaio.h"
#include "run.h"

#define SCHEMA	1

void run_mark(json_t *marks, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	json_t *mark;
	size_t i;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	va_end(ap);
	json_array_foreach(marks, i, mark)
		if (json_is_string(mark) && !strcmp(json_string_value(mark), s))
			break;
	if (i == json_array_size(marks))
		json_array_append_new(marks, run_text(s));
	free(s);
}

static json_t *params(const struct run_params *p)
{
	json_t *o = json_object();

	for (size_t i = 0; i < p->n; i++)
		json_object_set_new(o, p->v[i].name, run_text(p->v[i].value));
	return o;
}

static json_t *metric(const char *name, const char *unit, const char *better, bool primary)
{
	return json_pack("{s:s s:s s:s s:b}", "name", name, "unit", unit, "better", better,
			 "primary", primary);
}

/* What every run has. */
static const struct {
	const char *name, *unit;
} counted[] = {
	{ "p_system", "%" },
	{ "context_switches", "1" },
	{ "load_p_system", "%" },
	{ "load_context_switches", "1" },
};

bool run_record_counts(const char *name)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (!strcmp(counted[i].name, name))
			return true;
	return false;
}

static json_t *metrics(const struct run_experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->n_metrics; i++)
		json_array_append_new(all, metric(e->metrics[i].name, e->metrics[i].unit,
						  e->metrics[i].better, e->metrics[i].primary));
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		json_array_append_new(all, metric(counted[i].name, counted[i].unit, "lower", false));
	return all;
}

static json_t *variants(const struct run_experiment *e)
{
	json_t *all = json_array();

	for (size_t i = 0; i < e->n_variants; i++) {
		const struct run_variant *v = &e->variants[i];
		char *line = run_load_line(e, v);

		json_array_append_new(all, json_pack("{s:s s:b s:o s:o s:[] s:[]}", "name", v->name,
						     "baseline", v->baseline, "variables",
						     params(&v->vars), "load", run_text(line),
						     "settings", "marks"));
		free(line);
	}
	return all;
}

json_t *run_record_new(const struct run_experiment *e)
{
	char *started = run_date();
	json_t *devices = json_array(), *r;

	for (size_t i = 0; i < e->devices.n; i++)
		json_array_append_new(devices, run_text(e->devices.v[i]));
	r = json_pack("{s:i s:s s:{s:o s:o s:s} s:o s:o s:I s:i s:s s:n s:s s:o s:o s:[] s:o s:[] s:[]}",
		      "schema", SCHEMA, "tool", "numaio " NUMAIO_VERSION,
		      "experiment", "name", run_text(e->name), "file", run_text(e->file),
		      "text", e->text,
		      "parameters", params(&e->params), "devices", devices,
		      "seed", (json_int_t)e->seed, "repetitions", e->repetitions,
		      "started", started, "finished", "state", "running",
		      "environment", run_environment(), "metrics", metrics(e),
		      "settings", "variants", variants(e), "runs", "restored");
	free(started);
	return r;
}

static char *put(int fd, json_t *record)
{
	if (json_dumpfd(record, fd, JSON_COMPACT) || write(fd, "\n", 1) != 1 || fsync(fd))
		return run_dup(errno ? strerror(errno) : "it can't be written");
	return NULL;
}

static void sync_dir(const char *path)
{
	char *dir = run_dup(path), *slash = strrchr(dir, '/');
	int fd;

	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

/* NULL, or what is wrong; then the record is what it was before. */
char *run_record_write(const char *path, json_t *record)
{
	char *beside = run_format("%s.tmp", path), *why, *error = NULL;
	int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	errno = fd < 0 ? errno : 0;
	why = fd < 0 ? run_dup(strerror(errno)) : put(fd, record);
	if (fd >= 0 && close(fd) && !why)
		why = run_dup(strerror(errno));
	if (!why && rename(beside, path))
		why = run_dup(strerror(errno));
	if (why) {
		error = run_format("%s: %s", path, why);
		if (fd >= 0)
			unlink(beside);
	} else {
		sync_dir(path);
	}
	free(why);
	free(beside);
	return error;
}

json_t *run_record_read(const char *path, char **error)
{
	json_error_t e;
	json_t *r = json_load_file(path, 0, &e);
	json_int_t schema = json_integer_value(json_object_get(r, "schema"));

	*error = NULL;
	if (!r)
		*error = e.line > 0 ? run_format("%s:%d: %s", path, e.line, e.text) :
				      run_format("%s", e.text);
	else if (schema < 1 || schema > SCHEMA)
		*error = run_format("%s: schema: %lld; this numaio knows 1 .. %d", path,
				    (long long)schema, SCHEMA);
	else if (!json_is_array(json_object_get(r, "runs")) ||
		 !json_is_array(json_object_get(r, "variants")) ||
		 !json_is_array(json_object_get(r, "restored")))
		*error = run_format("%s: it is no record of numaio's", path);
	if (!*error)
		return r;
	json_decref(r);
	return NULL;
}

static bool same_variants(json_t *record, const struct run_experiment *e)
{
	json_t *all = json_object_get(record, "variants");

	if (json_array_size(all) != e->n_variants)
		return false;
	for (size_t i = 0; i < e->n_variants; i++) {
		json_t *v = json_array_get(all, i);
		const char *name = json_string_value(json_object_get(v, "name"));

		if (!name || strcmp(name, e->variants[i].name))
			return false;
	}
	return true;
}

static bool same_kernel(json_t *record)
{
	json_t *env = json_object_get(record, "environment");
	char *release = run_read("/proc/sys/kernel/osrelease");
	char *version = run_read("/proc/sys/kernel/version");
	const char *r = json_string_value(json_object_get(env, "kernel"));
	const char *v = json_string_value(json_object_get(env, "kernel_version"));
	bool same = !strcmp(r ? r : "", release ? release : "") &&
		    !strcmp(v ? v : "", version ? version : "");

	free(release);
	free(version);
	return same;
}

/* NULL, or why the experiment isn't the one that was interrupted. */
char *run_record_resumable(json_t *record, const struct run_experiment *e)
{
	json_t *ex = json_object_get(record, "experiment"), *p = params(&e->params);
	const char *text = json_string_value(json_object_get(ex, "text"));
	json_int_t seed = json_integer_value(json_object_get(record, "seed"));
	json_int_t reps = json_integer_value(json_object_get(record, "repetitions"));
	const char *state = json_string_value(json_object_get(record, "state"));
	bool same = json_equal(json_object_get(record, "parameters"), p);

	json_decref(p);
	if (!text || strcmp(text, e->text))
		return run_format("%s isn't the text that the record was begun with", e->file);
	if (seed != e->seed)
		return run_format("the seed was %lld, not %lld", (long long)seed, e->seed);
	if (reps != e->repetitions)
		return run_format("there were to be %lld repetitions, not %d", (long long)reps,
				  e->repetitions);
	if (!same)
		return run_dup("the parameters (-D) were others");
	if (!same_variants(record, e))
		return run_dup("the variants were others: has the host other nodes now?");
	if (!same_kernel(record))
		return run_dup("the kernel was another");
	if (state && !strcmp(state, "complete"))
		return run_dup("it is complete");
	return NULL;
}

/* Is there a run that counts? */
bool run_record_has(json_t *record, const char *variant, int block)
{
	json_t *run;
	size_t i;

	json_array_foreach(json_object_get(record, "runs"), i, run) {
		const char *v = json_string_value(json_object_get(run, "variant"));
		const char *s = json_string_value(json_object_get(run, "state"));

		if (v && s && !strcmp(v, variant) && !strcmp(s, "ok") &&
		    json_integer_value(json_object_get(run, "block")) == block)
			return true;
	}
	return false;
}

static json_t *variant_named(json_t *record, const char *name)
{
	json_t *v;
	size_t i;

	json_array_foreach(json_object_get(record, "variants"), i, v) {
		const char *n = json_string_value(json_object_get(v, "name"));

		if (n && !strcmp(n, name))
			return v;
	}
	return NULL;
}

static void mark_setting(json_t *setting, json_t *marks)
{
	const char *state = json_string_value(json_object_get(setting, "state"));
	const char *kind = json_string_value(json_object_get(setting, "kind"));
	const char *target = json_string_value(json_object_get(setting, "target"));
	const char *error = json_string_value(json_object_get(setting, "error"));
	const char *read_back = json_string_value(json_object_get(setting, "read_back"));

	if (!strcmp(state, "set"))
		return;
	if (error)
		run_mark(marks, "%s: %s %s: %s", state, kind, target, error);
	else
		run_mark(marks, "%s: %s %s: reads back as \"%s\"", state, kind, target,
			 read_back ? read_back : "");
}

static json_t *settings(const struct run_changes *changes)
{
	json_t *all = json_array();

	for (size_t i = 0; i < changes->n; i++)
		json_array_append_new(all, run_change_json(&changes->v[i]));
	return all;
}

/*
 * The first run's settings are the variant's; those of a later one that couldn't be made mark
 * the variant and, by marks, that run.
 */
void run_record_settings(json_t *record, const char *variant, const struct run_changes *changes,
			 json_t *placement, json_t *marks)
{
	json_t *v = variant_named(record, variant), *all = settings(changes), *s;
	size_t i;

	json_array_extend(all, placement);
	json_array_foreach(all, i, s) {
		mark_setting(s, json_object_get(v, "marks"));
		mark_setting(s, marks);
	}
	if (!json_array_size(json_object_get(v, "settings")))
		json_object_set(v, "settings", all);
	json_decref(all);
}

/* Settings of [all]; a run that goes on makes them again. */
void run_record_common(json_t *record, const struct run_changes *changes)
{
	json_object_set_new(record, "settings", settings(changes));
}

static bool same_key(json_t *a, json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* One entry for each thing that was set: what became of it last. */
void run_record_restored(json_t *record, json_t *restored)
{
	json_t *all = json_object_get(record, "restored"), *new, *old;
	size_t i, k;

	json_array_foreach(restored, i, new) {
		json_array_foreach(all, k, old)
			if (same_key(old, new, "kind") && same_key(old, new, "target"))
				break;
		if (k < json_array_size(all))
			json_array_set(all, k, new);
		else
			json_array_append(all, new);
	}
	json_array_clear(restored);
}
