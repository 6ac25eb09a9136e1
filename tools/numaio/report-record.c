// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of records. Where something is wrong the first error is kept, reading goes on
 * with defaults, and the record is thrown away at the end.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "report-record.h"

struct reader {
	const char *file;
	char *error;
};

/* A place in the document, as a list towards its root: made into text only for an error. */
struct at {
	struct reader *r;
	const struct at *up;
	const char *key;	/* NULL: element @index of an array */
	size_t index;
	json_t *v;
};

enum need { REQUIRED, OPTIONAL };

void *report_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		err(EXIT_FAILED, "memory");
	return p;
}

char *report_format(const char *form, ...)
{
	va_list ap;
	char *s;
	int rc;

	va_start(ap, form);
	rc = vasprintf(&s, form, ap);
	va_end(ap);
	if (rc < 0)
		err(EXIT_FAILED, "memory");
	return s;
}

static char *path_of(const struct at *at)
{
	char *up, *path;

	if (!at->up)
		return report_format("%s", "");
	up = path_of(at->up);
	if (at->key)
		path = report_format("%s%s%s", up, *up ? "." : "", at->key);
	else
		path = report_format("%s[%zu]", up, at->index);
	free(up);
	return path;
}

/* At @key of @at, or at @at itself if that is NULL. */
__attribute__((format(printf, 3, 4)))
static void wrong(const struct at *at, const char *key, const char *form, ...)
{
	const struct at inner = { at->r, at, key, 0, NULL };
	char *path, *what;
	va_list ap;
	int rc;

	if (at->r->error)
		return;
	va_start(ap, form);
	rc = vasprintf(&what, form, ap);
	va_end(ap);
	if (rc < 0)
		err(EXIT_FAILED, "memory");
	path = path_of(key ? &inner : at);
	at->r->error = report_format("%s: %s: %s", at->r->file, *path ? path : "the document",
				     what);
	free(path);
	free(what);
}

static const char *name_of_type(json_type type)
{
	switch (type) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	default:
		return "null";
	}
}

static bool is_type(const json_t *v, json_type type)
{
	switch (type) {
	case JSON_REAL:
		return json_is_number(v);
	case JSON_TRUE:
		return json_is_boolean(v);
	default:
		return json_typeof(v) == type;
	}
}

/* Go to a key; false if it isn't there, which is an error if it is required. */
static bool down(const struct at *at, const char *key, json_type type, enum need need,
		 struct at *to)
{
	*to = (struct at){ at->r, at, key, 0, json_object_get(at->v, key) };
	if (!to->v || (json_is_null(to->v) && need == OPTIONAL)) {
		if (need == REQUIRED)
			wrong(to, NULL, "missing, expected %s", name_of_type(type));
		return false;
	}
	if (is_type(to->v, type))
		return true;
	wrong(to, NULL, "%s, expected %s", name_of_type(json_typeof(to->v)), name_of_type(type));
	return false;
}

static bool element(const struct at *list, size_t i, json_type type, struct at *to)
{
	*to = (struct at){ list->r, list, NULL, i, json_array_get(list->v, i) };
	if (is_type(to->v, type))
		return true;
	wrong(to, NULL, "%s, expected %s", name_of_type(json_typeof(to->v)), name_of_type(type));
	return false;
}

static const char *text(const struct at *at, const char *key, enum need need)
{
	struct at to;

	return down(at, key, JSON_STRING, need, &to) ? json_string_value(to.v) : NULL;
}

static bool truth(const struct at *at, const char *key, enum need need)
{
	struct at to;

	return down(at, key, JSON_TRUE, need, &to) && json_is_true(to.v);
}

static long long integer(const struct at *at, const char *key, long long min, long long max,
			 enum need need)
{
	struct at to;
	long long value;

	if (!down(at, key, JSON_INTEGER, need, &to))
		return 0;
	value = json_integer_value(to.v);
	if (value >= min && value <= max)
		return value;
	wrong(&to, NULL, "%lld, expected %lld to %lld", value, min, max);
	return min;
}

static double figure(const struct at *at, double min)
{
	double value = json_number_value(at->v);

	if (!(value >= min && value <= REPORT_RECORD_LIMIT))
		wrong(at, NULL, "%g, expected a number from %g to %g", value, min,
		      REPORT_RECORD_LIMIT);
	return value;
}

/* Which of the words of @words (a list with spaces) the value is. */
static size_t word(const struct at *at, const char *key, const char *words, enum need need)
{
	const char *value = text(at, key, need), *w = words;
	size_t n = 0;

	while (value && w) {
		size_t len = strcspn(w, " ");

		if (strlen(value) == len && !strncmp(value, w, len))
			return n;
		w = w[len] ? w + len + 1 : NULL;
		n++;
	}
	if (value)
		wrong(at, key, "\"%s\", expected one of: %s", value, words);
	return 0;
}

static void read_strings(const struct at *at, const char *key, struct report_strings *s)
{
	struct at list, one;

	if (!down(at, key, JSON_ARRAY, OPTIONAL, &list))
		return;
	s->v = report_alloc(json_array_size(list.v), sizeof(*s->v));
	for (size_t i = 0; i < json_array_size(list.v); i++)
		if (element(&list, i, JSON_STRING, &one))
			s->v[s->n++] = json_string_value(one.v);
}

/* Which nodes there are: those of the host, and others that served an interrupt all the same. */
static void read_nodes(const struct at *environment, bool *present)
{
	struct at list, one;

	if (!down(environment, "nodes", JSON_ARRAY, OPTIONAL, &list))
		return;
	for (size_t i = 0; i < json_array_size(list.v); i++)
		if (element(&list, i, JSON_OBJECT, &one))
			present[integer(&one, "node", 0, REPORT_RECORD_NODES - 1, REQUIRED)] = true;
}

static void list_nodes(struct report_record *rec, const bool *present)
{
	rec->nodes = report_alloc(REPORT_RECORD_NODES, sizeof(*rec->nodes));
	for (size_t i = 0; i < REPORT_RECORD_NODES; i++)
		if (present[i])
			rec->nodes[rec->nr_nodes++] = i;
}

static void read_environment(const struct at *root, struct report_record *rec, bool *present)
{
	struct at at;

	if (!down(root, "environment", JSON_OBJECT, REQUIRED, &at))
		return;
	rec->host = text(&at, "host", OPTIONAL);
	rec->kernel = text(&at, "kernel", OPTIONAL);
	rec->kernel_version = text(&at, "kernel_version", OPTIONAL);
	rec->cmdline = text(&at, "cmdline", OPTIONAL);
	rec->config = text(&at, "config_sha256", OPTIONAL);
	rec->cpu = text(&at, "cpu", OPTIONAL);
	rec->emulation = text(&at, "emulation", OPTIONAL);
	rec->emulated = truth(&at, "emulated_cpu", REQUIRED);
	rec->irqbalance = truth(&at, "irqbalance", OPTIONAL);
	read_nodes(&at, present);
}

size_t report_record_metric(const struct report_record *r, const char *name)
{
	size_t i = 0;

	while (i < r->nr_metrics && strcmp(r->metrics[i].name, name))
		i++;
	return i;
}

size_t report_record_variant(const struct report_record *r, const char *name)
{
	size_t i = 0;

	while (i < r->nr_variants && strcmp(r->variants[i].name, name))
		i++;
	return i;
}

static void add_metric(struct report_record *rec, const struct at *at, const char *name)
{
	if (!*name)
		wrong(at, "name", "empty, expected a name");
	else if (report_record_metric(rec, name) < rec->nr_metrics)
		wrong(at, "name", "\"%s\" a second time", name);
	else
		rec->metrics[rec->nr_metrics++] = (struct report_metric){
			.name = name,
			.unit = text(at, "unit", OPTIONAL) ?: "",
			.better = word(at, "better", "higher lower none", REQUIRED),
			.primary = truth(at, "primary", OPTIONAL),
		};
}

/* What numaio run counts in any case has no entry in the list. */
static void add_unlisted(struct report_record *rec, const char *name)
{
	const char *unit = !strcmp(name, "p_system") || !strcmp(name, "load_p_system") ? "%" : "1";

	if (report_record_metric(rec, name) < rec->nr_metrics)
		return;
	rec->metrics = realloc(rec->metrics, (rec->nr_metrics + 1) * sizeof(*rec->metrics));
	if (!rec->metrics)
		err(EXIT_FAILED, "memory");
	rec->metrics[rec->nr_metrics++] = (struct report_metric){ name, unit, REPORT_NONE, false };
}

static void find_unlisted(const struct at *root, struct report_record *rec)
{
	static const char * const names[] = {
		"p_system", "context_switches", "load_p_system", "load_context_switches"
	};
	json_t *runs = json_object_get(root->v, "runs"), *run;
	size_t i;

	json_array_foreach(runs, i, run)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (json_object_get(json_object_get(run, "metrics"), names[j]))
				add_unlisted(rec, names[j]);
}

static void read_metrics(const struct at *root, struct report_record *rec)
{
	struct at list, one;
	size_t n = 0;

	if (down(root, "metrics", JSON_ARRAY, REQUIRED, &list))
		n = json_array_size(list.v);
	rec->metrics = report_alloc(n, sizeof(*rec->metrics));
	for (size_t i = 0; i < n; i++) {
		const char *name = NULL;

		if (element(&list, i, JSON_OBJECT, &one))
			name = text(&one, "name", REQUIRED);
		if (name)
			add_metric(rec, &one, name);
	}
	if (!n)
		wrong(root, "metrics", "empty, expected at least one metric");
	find_unlisted(root, rec);
}

static void read_settings(const struct at *at, struct report_settings *s)
{
	struct at list, one;

	if (!down(at, "settings", JSON_ARRAY, OPTIONAL, &list))
		return;
	s->v = report_alloc(json_array_size(list.v), sizeof(*s->v));
	for (size_t i = 0; i < json_array_size(list.v); i++) {
		if (!element(&list, i, JSON_OBJECT, &one))
			continue;
		word(&one, "state", "set differs refused", REQUIRED);
		s->v[s->n++] = (struct report_setting){
			.kind = text(&one, "kind", REQUIRED) ?: "",
			.target = text(&one, "target", OPTIONAL) ?: "",
			.asked = text(&one, "asked", OPTIONAL) ?: "",
			.read_back = text(&one, "read_back", OPTIONAL),
			.state = text(&one, "state", REQUIRED) ?: "",
			.error = text(&one, "error", OPTIONAL),
		};
	}
}

static void read_cell(const struct at *at, struct report_variant *v)
{
	struct at cell, one;
	const char *key;
	json_t *value;

	if (!down(at, "cell", JSON_OBJECT, OPTIONAL, &cell) &&
	    !down(at, "variables", JSON_OBJECT, OPTIONAL, &cell))
		return;
	v->variables = report_alloc(json_object_size(cell.v), sizeof(*v->variables));
	json_object_foreach(cell.v, key, value)
		if (down(&cell, key, JSON_STRING, REQUIRED, &one))
			v->variables[v->nr_variables++] = (struct report_variable){
				key, json_string_value(value) };
}

static void read_variant(const struct at *at, struct report_record *rec)
{
	struct report_variant *v = &rec->variants[rec->nr_variants];
	const char *name = text(at, "name", REQUIRED);

	if (!name)
		return;
	if (!*name)
		wrong(at, "name", "empty, expected a name");
	if (report_record_variant(rec, name) < rec->nr_variants)
		wrong(at, "name", "\"%s\" a second time", name);
	v->name = name;
	v->baseline = truth(at, "baseline", OPTIONAL);
	for (size_t i = 0; v->baseline && i < rec->nr_variants; i++)
		if (rec->variants[i].baseline)
			wrong(at, "baseline", "true, but \"%s\" is the baseline",
			      rec->variants[i].name);
	read_strings(at, "marks", &v->marks);
	read_settings(at, &v->settings);
	read_cell(at, v);
	rec->nr_variants++;
}

static void read_variants(const struct at *root, struct report_record *rec)
{
	struct at list, one;

	if (!down(root, "variants", JSON_ARRAY, REQUIRED, &list))
		return;
	rec->variants = report_alloc(json_array_size(list.v), sizeof(*rec->variants));
	for (size_t i = 0; i < json_array_size(list.v); i++)
		if (element(&list, i, JSON_OBJECT, &one))
			read_variant(&one, rec);
	if (!json_array_size(list.v))
		wrong(&list, NULL, "empty, expected at least one variant");
}

static void read_run_metrics(const struct at *at, const struct report_record *rec,
			     struct report_run *run)
{
	enum need need = run->state == REPORT_OK ? REQUIRED : OPTIONAL;
	struct at metrics, one;

	run->metrics = report_alloc(rec->nr_metrics, sizeof(*run->metrics));
	for (size_t i = 0; i < rec->nr_metrics; i++)
		run->metrics[i] = NAN;
	if (!down(at, "metrics", JSON_OBJECT, need, &metrics))
		return;
	for (size_t i = 0; i < rec->nr_metrics; i++)
		if (down(&metrics, rec->metrics[i].name, JSON_REAL, OPTIONAL, &one))
			run->metrics[i] = figure(&one, -REPORT_RECORD_LIMIT);
}

static void read_interrupt(const struct at *at, struct report_run *run, bool *present)
{
	struct at list, one;

	if (!down(at, "per_node", JSON_ARRAY, REQUIRED, &list))
		return;
	if (json_array_size(list.v) > REPORT_RECORD_NODES) {
		wrong(&list, NULL, "%zu nodes, expected at most %d", json_array_size(list.v),
		      REPORT_RECORD_NODES);
		return;
	}
	if (!run->per_node)
		run->per_node = report_alloc(REPORT_RECORD_NODES, sizeof(*run->per_node));
	for (size_t i = 0; i < json_array_size(list.v); i++) {
		if (!element(&list, i, JSON_REAL, &one))
			continue;
		run->per_node[i] += figure(&one, 0);
		present[i] |= run->per_node[i] > 0;
	}
}

static void read_interrupts(const struct at *at, struct report_run *run, bool *present)
{
	struct at list, one;

	if (!down(at, "interrupts", JSON_ARRAY, OPTIONAL, &list))
		return;
	run->has_interrupts = true;
	for (size_t i = 0; i < json_array_size(list.v); i++)
		if (element(&list, i, JSON_OBJECT, &one))
			read_interrupt(&one, run, present);
}

static void read_run(const struct at *at, struct report_record *rec, bool *present)
{
	const char *variant = text(at, "variant", REQUIRED);
	struct report_run *run = &rec->runs[rec->nr_runs++];

	if (!variant)
		return;
	run->variant = report_record_variant(rec, variant);
	if (run->variant == rec->nr_variants)
		wrong(at, "variant", "\"%s\", expected the name of a variant", variant);
	run->state = word(at, "state", "ok failed interrupted", REQUIRED);
	run->warm_up = truth(at, "warm_up", OPTIONAL);
	run->error = text(at, "error", OPTIONAL);
	read_strings(at, "marks", &run->marks);
	read_run_metrics(at, rec, run);
	read_interrupts(at, run, present);
}

static void read_runs(const struct at *root, struct report_record *rec, bool *present)
{
	struct at list, one;

	if (!down(root, "runs", JSON_ARRAY, REQUIRED, &list))
		return;
	rec->runs = report_alloc(json_array_size(list.v), sizeof(*rec->runs));
	for (size_t i = 0; i < json_array_size(list.v) && !root->r->error; i++)
		if (element(&list, i, JSON_OBJECT, &one))
			read_run(&one, rec, present);
}

static void read_restored(const struct at *root, struct report_record *rec)
{
	struct at list, one;

	if (!down(root, "restored", JSON_ARRAY, OPTIONAL, &list))
		return;
	rec->restored = report_alloc(json_array_size(list.v), sizeof(*rec->restored));
	for (size_t i = 0; i < json_array_size(list.v); i++)
		if (element(&list, i, JSON_OBJECT, &one))
			rec->restored[rec->nr_restored++] = (struct report_restored){
				.kind = text(&one, "kind", OPTIONAL) ?: "",
				.target = text(&one, "target", OPTIONAL) ?: "",
				.state = text(&one, "state", REQUIRED) ?: "",
				.error = text(&one, "error", OPTIONAL),
			};
}

static void read_all(const struct at *root, struct report_record *rec)
{
	bool present[REPORT_RECORD_NODES] = { false };
	struct at experiment;

	if (!json_is_object(root->v)) {
		wrong(root, NULL, "%s, expected an object", name_of_type(json_typeof(root->v)));
		return;
	}
	integer(root, "schema", 1, REPORT_RECORD_SCHEMA, REQUIRED);
	if (root->r->error)	/* another schema: all else may be different, too */
		return;
	if (down(root, "experiment", JSON_OBJECT, REQUIRED, &experiment))
		rec->experiment = text(&experiment, "name", REQUIRED);
	word(root, "state", "running complete interrupted failed", REQUIRED);
	rec->state = text(root, "state", REQUIRED);
	rec->started = text(root, "started", OPTIONAL);
	rec->repetitions = integer(root, "repetitions", 1, 1000000000, OPTIONAL);
	read_environment(root, rec, present);
	read_metrics(root, rec);
	read_variants(root, rec);
	read_settings(root, &rec->settings);
	if (root->r->error)	/* runs would be checked against half of the lists */
		return;
	read_runs(root, rec, present);
	list_nodes(rec, present);
	read_restored(root, rec);
}

static struct report_record *from_root(const char *file, json_t *root, const json_error_t *e,
				       char **error)
{
	struct report_record *rec;
	struct reader r = { file, NULL };
	const struct at at = { &r, NULL, NULL, 0, root };

	*error = NULL;
	if (!root) {
		*error = report_format("%s:%d:%d: %s, expected a JSON document", file, e->line,
				       e->column, e->text);
		return NULL;
	}
	rec = report_alloc(1, sizeof(*rec));
	rec->root = root;
	rec->file = file;
	read_all(&at, rec);
	if (!r.error)
		return rec;
	*error = r.error;
	report_record_free(rec);
	return NULL;
}

struct report_record *report_record_parse(const char *file, const char *text_, size_t len,
					  char **error)
{
	json_error_t e;
	json_t *root = json_loadb(text_, len, JSON_REJECT_DUPLICATES, &e);

	return from_root(file, root, &e, error);
}

struct report_record *report_record_read(const char *file, char **error)
{
	struct report_record *rec;
	json_error_t e;
	FILE *f = fopen(file, "r");

	/* A directory can be opened, but not read. */
	if (!f || (ungetc(getc(f), f) == EOF && ferror(f))) {
		*error = report_format("%s: %s", file, strerror(errno));
		rec = NULL;
	} else {
		rec = from_root(file, json_loadf(f, JSON_REJECT_DUPLICATES, &e), &e, error);
	}
	if (f)
		fclose(f);
	return rec;
}

void report_record_free(struct report_record *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nr_variants; i++) {
		free(r->variants[i].marks.v);
		free(r->variants[i].settings.v);
		free(r->variants[i].variables);
	}
	for (size_t i = 0; i < r->nr_runs; i++) {
		free(r->runs[i].marks.v);
		free(r->runs[i].metrics);
		free(r->runs[i].per_node);
	}
	free(r->nodes);
	free(r->metrics);
	free(r->variants);
	free(r->runs);
	free(r->restored);
	free(r->settings.v);
	json_decref(r->root);
	free(r);
}
