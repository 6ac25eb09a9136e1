// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of an experiment. libinih gives section, key and value; here they are first kept
 * with their lines, then [parameters] and [matrix] are known, then all else is read with the
 * variables put in. The first error ends it.
 */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define LINE_LEN	4096
#define NAME_LEN	49	/* libinih cuts longer names silently */
#define VALUE_LEN	65536
#define TEXT_LEN	(1 << 20)

struct entry {
	char *key;	/* NULL: the section itself */
	char *value;
	int line;
};

struct section {
	char *name;	/* as written: "variant s%{s}" */
	char *type;	/* "variant" */
	char *title;	/* "s%{s}", "" if there is none */
	int line;
	size_t n;
	struct entry *v;
};

struct matrix_var {
	char *name;
	struct run_strs values;
};

struct reader {
	const char *file;
	const char *p, *end;
	int line;
	bool in_key;
	FILE *err;
	bool failed;
	size_t n;
	struct section *sections;
	size_t n_vars;
	struct matrix_var *vars;
	struct run_experiment *e;
};

static void __attribute__((format(printf, 5, 6)))
fail(struct reader *r, int line, const char *section, const char *key, const char *fmt, ...)
{
	va_list ap;

	if (r->failed)
		return;
	r->failed = true;
	fprintf(r->err, "numaio run: %s:%d: ", r->file, line);
	if (section && *section)
		fprintf(r->err, "[%s] ", section);
	if (key)
		fprintf(r->err, "%s: ", key);
	va_start(ap, fmt);
	vfprintf(r->err, fmt, ap);
	va_end(ap);
	fputc('\n', r->err);
}

/* Lines */

static void begin_section(struct reader *r, char *name)
{
	struct section *s;
	char *space;

	name = run_trim(name);
	for (size_t i = 0; i < r->n; i++) {
		if (!strcmp(r->sections[i].name, name)) {
			fail(r, r->line, name, NULL, "the section is already in line %d",
			     r->sections[i].line);
			return;
		}
	}
	r->sections = run_grow(r->sections, r->n, sizeof(*r->sections));
	s = &r->sections[r->n++];
	*s = (struct section){ .name = run_dup(name), .line = r->line };
	space = strpbrk(name, " \t");
	s->type = space ? strndup(name, space - name) : run_dup(name);
	s->title = run_dup(space ? run_trim(space) : "");
}

static void look_at_section(struct reader *r, const char *line)
{
	const char *close = strchr(line, ']');
	char *name, *rest;

	if (!close) {
		fail(r, r->line, NULL, NULL, "\"%s\": a section ends with ]", line);
		return;
	}
	rest = run_dup(close + 1);
	if (*run_trim(rest))
		fail(r, r->line, NULL, NULL, "\"%s\" after the section's name", run_trim(rest));
	free(rest);
	if (close - line - 1 > NAME_LEN || close == line + 1) {
		fail(r, r->line, NULL, NULL, "the name of a section has 1 .. %d characters",
		     NAME_LEN);
		return;
	}
	name = strndup(line + 1, close - line - 1);
	begin_section(r, name);
	free(name);
	r->in_key = false;
}

static void look_at_key(struct reader *r, const char *line)
{
	size_t len = strcspn(line, "=:");

	if (!line[len])
		fail(r, r->line, NULL, NULL, "\"%.60s\" is no section, comment or KEY = VALUE",
		     line);
	else if (len > NAME_LEN)
		fail(r, r->line, NULL, NULL, "a key has at most %d characters", NAME_LEN);
	r->in_key = true;
}

static void look_at(struct reader *r, const char *line)
{
	const char *text = line + strspn(line, " \t\r\f\v");

	if (!run_is_utf8(line))
		fail(r, r->line, NULL, NULL, "the line is no UTF-8");
	if (!*text || *text == '#' || *text == ';')
		return;
	if (*line == '[')
		look_at_section(r, line);
	else if (text == line || !r->in_key)
		*text == '[' ? fail(r, r->line, NULL, NULL,
				    "a section starts in the first column") : look_at_key(r, text);
}

/* fgets() for libinih: counts lines and looks at what it would pass over or cut. */
static char *next_line(char *s, int size, void *arg)
{
	struct reader *r = arg;
	const char *nl;
	size_t len;

	if (r->failed || r->p >= r->end)
		return NULL;
	r->line++;
	nl = memchr(r->p, '\n', r->end - r->p);
	len = (nl ? nl : r->end) - r->p;
	if (len + 3 > (size_t)size || memchr(r->p, '\0', len)) {
		fail(r, r->line, NULL, NULL, len + 3 > (size_t)size ?
		     "the line is longer than 4000 characters" : "the line has a NUL character");
		return NULL;
	}
	memcpy(s, r->p, len);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
	r->p = nl ? nl + 1 : r->end;
	look_at(r, s);
	return r->failed ? NULL : s;
}

static int keep(void *arg, const char *section, const char *name, const char *value)
{
	struct reader *r = arg;
	struct section *s = r->n ? &r->sections[r->n - 1] : NULL;

	if (r->failed)
		return 0;
	(void)section;
	if (!s) {
		fail(r, r->line, NULL, name, "the key is in no section");
		return 0;
	}
	s->v = run_grow(s->v, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct entry){ run_dup(name), run_dup(value), r->line };
	return 1;
}

/* Variables */

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

static const char *lookup(const struct run_params *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].name, name))
			return p->v[i].value;
	return NULL;
}

static void add_param(struct run_params *p, const char *name, const char *value)
{
	p->v = run_grow(p->v, p->n, sizeof(*p->v));
	p->v[p->n++] = (struct run_param){ run_dup(name), run_dup(value), false };
}

/* Unless it is there already. */
void run_params_recorded(struct run_params *p, const char *name, const char *value)
{
	if (lookup(p, name))
		return;
	add_param(p, name, value);
	p->v[p->n - 1].recorded = true;
}

static void free_params(struct run_params *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		free(p->v[i].value);
	}
	free(p->v);
}

static const struct matrix_var *matrix_var(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n_vars; i++)
		if (!strcmp(r->vars[i].name, name))
			return &r->vars[i];
	return NULL;
}

/* The name in "%{name}..." at p, or NULL. */
static char *var_at(const char *p)
{
	const char *close;

	if (p[0] != '%' || p[1] != '{')
		return NULL;
	close = strchr(p, '}');
	return close ? strndup(p + 2, close - p - 2) : NULL;
}

struct place {
	const struct section *section;
	const struct entry *entry;
};

static void fail_at(struct reader *r, const struct place *at, const char *what)
{
	fail(r, at->entry ? at->entry->line : at->section->line, at->section->name,
	     at->entry ? at->entry->key : NULL, "%s", what);
}

static void no_such_variable(struct reader *r, const struct place *at, const char *name)
{
	char *what;

	if (matrix_var(r, name))
		what = run_format("%%{%s} is of [matrix]: it has to be in the variant's name, too",
				  name);
	else
		what = run_format("%%{%s} is neither in [parameters] nor in [matrix]", name);
	fail_at(r, at, what);
	free(what);
}

/* The text with its variables put in; NULL after an error. */
static char *substitute(struct reader *r, const struct place *at, const char *text,
			const struct run_params *vars)
{
	char *out = NULL, *name;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		abort();
	for (const char *p = text; *p && !r->failed; p++) {
		const char *value;

		name = var_at(p);
		if (!name) {
			fputc(*p, f);
			continue;
		}
		value = lookup(&r->e->params, name);
		if (!value && vars)
			value = lookup(vars, name);
		if (value)
			fputs(value, f);
		else
			no_such_variable(r, at, name);
		p = strchr(p, '}');
		free(name);
		if (ftell(f) > VALUE_LEN)
			fail_at(r, at, "longer than 65536 characters with its variables");
	}
	fclose(f);
	if (!r->failed)
		return out;
	free(out);
	return NULL;
}

/* Sections and keys */

static void unknown(struct reader *r, const struct place *at, const char *valid)
{
	char *what = run_format("no such key; there are: %s", valid);

	fail_at(r, at, what);
	free(what);
}

static void set_text(struct reader *r, const struct place *at, char **field, char *value)
{
	if (!*value)
		fail_at(r, at, "the value is empty");
	free(*field);
	*field = value;
}

static double get_number(struct reader *r, const struct place *at, char *value, double min,
			 double max, bool whole)
{
	double n = min;
	char *what;

	if (!run_number(value, min, max, &n) || (whole && n != (double)(long long)n)) {
		what = run_format("\"%s\" is no %s of %.15g .. %.15g", value,
				  whole ? "whole number" : "number", min, max);
		fail_at(r, at, what);
		free(what);
		n = min;
	}
	free(value);
	return n;
}

static void get_pattern(struct reader *r, const struct place *at, char **field, char *value,
			int groups)
{
	char *error = run_pattern_check(value, groups);

	if (error)
		fail_at(r, at, error);
	free(error);
	free(*field);
	*field = value;
}

static void get_seed(struct reader *r, const struct place *at, char *value)
{
	char *end;

	errno = 0;
	r->e->seed = strtoll(value, &end, 10);
	if (errno || *end || !*value || r->e->seed < 0)
		fail_at(r, at, "the seed is a whole number of 0 .. 9223372036854775807");
	free(value);
}

static void experiment_key(struct reader *r, const struct place *at, char **baseline,
			   char **primary)
{
	static const char valid[] =
		"name, question, device, repetitions, warm_up, cool_down, settle, seed, baseline, primary, interrupts";
	struct run_experiment *e = r->e;
	const char *key = at->entry->key;
	char *v = substitute(r, at, at->entry->value, NULL), *ignored = NULL;

	if (!v)
		return;
	if (!strcmp(key, "name")) {
		set_text(r, at, &e->name, v);
	} else if (!strcmp(key, "question")) {
		set_text(r, at, &ignored, v);
		free(ignored);
	} else if (!strcmp(key, "device")) {
		run_strs_words(&e->devices, v);
		free(v);
	} else if (!strcmp(key, "repetitions")) {
		e->repetitions = get_number(r, at, v, 1, 10000, true);
	} else if (!strcmp(key, "warm_up")) {
		e->warm_up = get_number(r, at, v, 0, 1000, true);
	} else if (!strcmp(key, "cool_down")) {
		e->cool_down = get_number(r, at, v, 0, 3600, false);
	} else if (!strcmp(key, "settle")) {
		e->settle = get_number(r, at, v, 0, 3600, false);
	} else if (!strcmp(key, "seed")) {
		get_seed(r, at, v);
	} else if (!strcmp(key, "baseline")) {
		set_text(r, at, baseline, v);
	} else if (!strcmp(key, "primary")) {
		set_text(r, at, primary, v);
	} else if (!strcmp(key, "interrupts")) {
		get_pattern(r, at, &e->interrupts, v, -1);
	} else {
		unknown(r, at, valid);
		free(v);
	}
}

static void metric_key(struct reader *r, const struct place *at, struct run_metric *m)
{
	const char *key = at->entry->key;
	char *v = substitute(r, at, at->entry->value, NULL);

	if (!v)
		return;
	if (!strcmp(key, "pattern")) {
		get_pattern(r, at, &m->pattern, v, 1);
	} else if (!strcmp(key, "unit")) {
		set_text(r, at, &m->unit, v);
	} else if (!strcmp(key, "better")) {
		if (strcmp(v, "higher") && strcmp(v, "lower") && strcmp(v, "none"))
			fail_at(r, at, "the value is none of higher, lower, none");
		set_text(r, at, &m->better, v);
	} else {
		unknown(r, at, "pattern, unit, better");
		free(v);
	}
}

static void read_metric(struct reader *r, const struct section *s)
{
	struct run_experiment *e = r->e;
	struct run_metric *m;

	if (!is_name(s->title)) {
		fail(r, s->line, s->name, NULL,
		     "\"%s\": a metric has a name of letters, digits and _", s->title);
		return;
	}
	if (run_record_counts(s->title)) {
		fail(r, s->line, s->name, NULL, "every run has a metric of that name already");
		return;
	}
	e->metrics = run_grow(e->metrics, e->n_metrics, sizeof(*e->metrics));
	m = &e->metrics[e->n_metrics++];
	*m = (struct run_metric){ .name = run_dup(s->title) };
	for (size_t i = 0; i < s->n && !r->failed; i++)
		metric_key(r, &(struct place){ s, &s->v[i] }, m);
	if (!m->pattern)
		fail(r, s->line, s->name, "pattern", "the key is missing");
	if (!m->unit)
		m->unit = run_dup("");
	if (!m->better)
		m->better = run_dup("none");
}

static bool section_has(const struct section *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].key, key))
			return true;
	return false;
}

/* The line of a key, or of its section. */
static int line_of(const struct section *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].key, key))
			return s->v[i].line;
	return s->line;
}

/* Does the experiment bind the load here in two ways, or where it can't? */
static void check_load(struct reader *r, const struct section *s, const struct run_load *l)
{
	if (!l->fio && !l->command)
		fail(r, s->line, s->name, NULL,
		     "no load: neither fio nor command is given, here or in [load]");
	if (l->client && !l->fio)
		fail(r, line_of(s, "client"), s->name, "client", "only fio can run on other hosts");
	if (l->client && (l->cpunodebind || l->membind || l->physcpubind))
		fail(r, line_of(s, "client"), s->name, "client",
		     "the load runs elsewhere: use cpus_allowed= and numa_mem_policy= of fio");
	if (l->cpunodebind && l->physcpubind)
		fail(r, line_of(s, "physcpubind"), s->name, "physcpubind",
		     "cpunodebind is given, too");
}

static void get_nodes(struct reader *r, const struct place *at, char **field, char *value,
		      bool with_cpus)
{
	char *spec = with_cpus ? run_format("node:%s", value) : run_dup(value);
	struct cpus c;
	char *error = with_cpus ? run_cpus_spec(spec, &c) : run_nodes_spec(spec, &c);

	if (error)
		fail_at(r, at, error);
	free(error);
	free(spec);
	free(*field);
	*field = value;
}

static void get_cpus(struct reader *r, const struct place *at, char **field, char *value)
{
	struct cpus c;
	char *error = run_cpus_spec(value, &c);

	if (error)
		fail_at(r, at, error);
	free(error);
	free(*field);
	*field = value;
}

/* True: it was a key of the load. Takes over v then. */
static bool load_key(struct reader *r, const struct place *at, struct run_load *l, char *v)
{
	const char *key = at->entry->key;

	if (!strcmp(key, "fio")) {
		set_text(r, at, &l->fio, v);
		free(l->command);
		l->command = NULL;
	} else if (!strcmp(key, "command")) {
		set_text(r, at, &l->command, v);
		free(l->fio);
		l->fio = NULL;
	} else if (!strcmp(key, "args")) {
		set_text(r, at, &l->args, v);
	} else if (!strcmp(key, "client")) {
		set_text(r, at, &l->client, v);
	} else if (!strcmp(key, "timeout")) {
		l->timeout = get_number(r, at, v, 0, 1e6, false);
	} else if (!strcmp(key, "cpunodebind")) {
		get_nodes(r, at, &l->cpunodebind, v, true);
	} else if (!strcmp(key, "membind")) {
		get_nodes(r, at, &l->membind, v, false);
	} else if (!strcmp(key, "physcpubind")) {
		get_cpus(r, at, &l->physcpubind, v);
	} else {
		return false;
	}
	return true;
}

/* "TARGET -> VALUE"; without an arrow: a module without parameters, or irqbalance = stop. */
static bool split(const struct run_kind *k, const char *text, char **target, char **value)
{
	const char *arrow = strstr(text, " -> ");
	char *copy;

	if (arrow) {
		copy = strndup(text, arrow - text);
		*target = run_dup(run_trim(copy));
		free(copy);
		copy = run_dup(arrow + 4);
		*value = run_dup(run_trim(copy));
		free(copy);
		return **target && **value;
	}
	if (!strcmp(k->name, "irqbalance")) {
		*target = run_dup("irqbalance");
		*value = run_dup(text);
	} else {
		*target = run_dup(text);
		*value = run_dup("");
		if (strcmp(k->name, "module") || strstr(text, "->"))
			return false;
	}
	return *text;
}

static void add_want(struct reader *r, const struct place *at, const struct run_kind *k,
		     const char *text, struct run_want **wants, size_t *n)
{
	struct run_want w = { .kind = k };
	char *error = NULL, *what;

	if (!split(k, text, &w.target, &w.value)) {
		what = run_format("\"%s\" is not of the form %s", text, k->form);
		fail_at(r, at, what);
		free(what);
	} else {
		error = k->check(w.target, w.value);
		if (error)
			fail_at(r, at, error);
		free(error);
	}
	*wants = run_grow(*wants, *n, sizeof(**wants));
	(*wants)[(*n)++] = w;
}

static void setting_key(struct reader *r, const struct place *at, const char *text,
			struct run_want **wants, size_t *n)
{
	static const char valid[] =
		"irq, thread, workqueue, rq_affinity, queue_affinity, tag_placement, module, rps, irqbalance, sysfs, shell";
	const struct run_kind *k = run_kind_named(at->entry->key);

	if (k) {
		add_want(r, at, k, text, wants, n);
	} else if (wants == &r->e->wants) {
		unknown(r, at, valid);
	} else {
		char *all = run_format("%s; and those of [load]", valid);

		unknown(r, at, all);
		free(all);
	}
}

static void read_all(struct reader *r, const struct section *s)
{
	for (size_t i = 0; i < s->n && !r->failed; i++) {
		struct place at = { s, &s->v[i] };
		char *v = substitute(r, &at, s->v[i].value, NULL);

		if (v)
			setting_key(r, &at, v, &r->e->wants, &r->e->n_wants);
		free(v);
	}
}

static void apply_load(struct reader *r, const struct section *s, struct run_variant *v)
{
	for (size_t i = 0; s && i < s->n && !r->failed; i++) {
		struct place at = { s, &s->v[i] };
		char *text = substitute(r, &at, s->v[i].value, &v->vars);

		if (text && !load_key(r, &at, &v->load, text)) {
			unknown(r, &at,
				"fio, command, args, client, timeout, cpunodebind, membind, physcpubind");
			free(text);
		}
	}
}

/* A binding of the variant's own replaces one of [load]. */
static void own_binding(const struct section *s, struct run_load *l)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->v[i].key, "cpunodebind")) {
			free(l->physcpubind);
			l->physcpubind = NULL;
		} else if (!strcmp(s->v[i].key, "physcpubind")) {
			free(l->cpunodebind);
			l->cpunodebind = NULL;
		}
	}
}

static void read_variant(struct reader *r, const struct section *s, const struct section *load,
			 struct run_variant *v)
{
	apply_load(r, load, v);
	if (!section_has(s, "cpunodebind") || !section_has(s, "physcpubind"))
		own_binding(s, &v->load);
	for (size_t i = 0; i < s->n && !r->failed; i++) {
		struct place at = { s, &s->v[i] };
		char *text = substitute(r, &at, s->v[i].value, &v->vars);

		if (!text)
			return;
		if (load_key(r, &at, &v->load, text))
			continue;
		setting_key(r, &at, text, &v->wants, &v->n_wants);
		free(text);
	}
	if (!r->failed)
		check_load(r, s, &v->load);
}

/* Matrix variables that a variant's name has, in the order of [matrix]. */
static size_t vars_in(struct reader *r, const struct section *s, const struct matrix_var **used)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_vars; i++) {
		char *ref = run_format("%%{%s}", r->vars[i].name);

		if (strstr(s->title, ref))
			used[n++] = &r->vars[i];
		free(ref);
	}
	return n;
}

static void add_variant(struct reader *r, const struct section *s, const struct section *load,
			struct run_params *vars)
{
	struct run_experiment *e = r->e;
	char *name = substitute(r, &(struct place){ s, NULL }, s->title, vars);
	struct run_variant *v;

	for (size_t i = 0; name && i < e->n_variants; i++)
		if (!strcmp(e->variants[i].name, name))
			fail(r, s->line, s->name, NULL, "there are two variants \"%s\"", name);
	if (name && !*name)
		fail(r, s->line, s->name, NULL, "a variant needs a name: [variant NAME]");
	if (e->n_variants >= RUN_MAX_VARIANTS)
		fail(r, s->line, s->name, NULL, "more than %d variants", RUN_MAX_VARIANTS);
	if (r->failed) {
		free(name);
		free_params(vars);
		return;
	}
	e->variants = run_grow(e->variants, e->n_variants, sizeof(*e->variants));
	v = &e->variants[e->n_variants++];
	*v = (struct run_variant){ .name = name, .vars = *vars };
	read_variant(r, s, load, v);
}

/* One variant for each combination of the variables in the name; the last varies fastest. */
static void read_variants(struct reader *r, const struct section *s, const struct section *load)
{
	const struct matrix_var *used[16];
	size_t n = vars_in(r, s, used), total = 1;

	for (size_t i = 0; i < n; i++) {
		total *= used[i]->values.n;
		if (total > RUN_MAX_VARIANTS) {
			fail(r, s->line, s->name, NULL, "more than %d variants", RUN_MAX_VARIANTS);
			return;
		}
	}
	for (size_t k = 0; k < total && !r->failed; k++) {
		struct run_params vars = { 0 };
		size_t rest = k, stride = total;

		for (size_t i = 0; i < n; i++) {
			stride /= used[i]->values.n;
			add_param(&vars, used[i]->name, used[i]->values.v[rest / stride]);
			rest %= stride;
		}
		add_variant(r, s, load, &vars);
	}
}

static void check_name(struct reader *r, const struct place *at)
{
	if (!is_name(at->entry->key))
		fail_at(r, at, "a variable has a name of letters, digits and _");
	else if (lookup(&r->e->params, at->entry->key) || matrix_var(r, at->entry->key))
		fail_at(r, at, "there is another variable of that name");
}

static void read_params(struct reader *r, const struct section *s, const struct run_params *given)
{
	for (size_t i = 0; i < s->n && !r->failed; i++) {
		struct place at = { s, &s->v[i] };
		const char *value = given ? lookup(given, s->v[i].key) : NULL;

		check_name(r, &at);
		if (!value && !*s->v[i].value)
			fail_at(r, &at, "it has no default: give one with -D NAME=VALUE");
		if (!r->failed)
			add_param(&r->e->params, s->v[i].key, value ? value : s->v[i].value);
	}
}

static void node_values(struct run_strs *values)
{
	struct cpus none = { 0 };

	for (int n = 0; n < CPUS_MAX; n++)
		if (cpus_has(run_nodes(), n) && !cpus_same(run_node_cpus(n), &none))
			run_strs_add(values, run_format("%d", n));
}

static void read_matrix(struct reader *r, const struct section *s)
{
	for (size_t i = 0; i < s->n && !r->failed; i++) {
		struct place at = { s, &s->v[i] };
		char *text = substitute(r, &at, s->v[i].value, NULL);
		struct matrix_var *m;

		check_name(r, &at);
		if (i == 15)
			fail_at(r, &at, "a matrix has at most 15 variables");
		if (r->failed) {
			free(text);
			return;
		}
		r->vars = run_grow(r->vars, r->n_vars, sizeof(*r->vars));
		m = &r->vars[r->n_vars++];
		*m = (struct matrix_var){ .name = run_dup(s->v[i].key) };
		if (!strcmp(text, "nodes"))
			node_values(&m->values);
		else
			run_strs_words(&m->values, text);
		free(text);
		if (!m->values.n)
			fail_at(r, &at, "the value is empty; it is a list of words, or \"nodes\"");
	}
}

static const struct section *find(const struct reader *r, const char *type)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->sections[i].type, type))
			return &r->sections[i];
	return NULL;
}

static bool is_list(const char *section, const char *key)
{
	return (!strcmp(section, "all") || !strcmp(section, "variant")) && run_kind_named(key);
}

static void check_section(struct reader *r, const struct section *s)
{
	static const char *const types[] = {
		"experiment", "parameters", "matrix", "load", "all", "metric", "variant" };
	bool titled = !strcmp(s->type, "metric") || !strcmp(s->type, "variant"), known = false;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		known |= !strcmp(s->type, types[i]);
	if (!known)
		fail(r, s->line, s->name, NULL,
		     "no such section; there are: experiment, parameters, matrix, load, all, metric NAME, variant NAME");
	else if (titled != !!*s->title)
		fail(r, s->line, s->name, NULL, titled ? "the section needs a name: [%s NAME]" :
		     "[%s] has no name", s->type);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(s->v[i].key, s->v[k].key) && !is_list(s->type, s->v[i].key))
				fail(r, s->v[i].line, s->name, s->v[i].key,
				     "the key is already in line %d", s->v[k].line);
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].key, "command") && section_has(s, "fio"))
			fail(r, s->v[i].line, s->name, "command", "fio is given, too");
}

/* After all variants: names that other sections refer to. */
static void set_baseline(struct reader *r, const struct section *s, const char *baseline)
{
	struct run_experiment *e = r->e;

	for (size_t i = 0; i < e->n_variants; i++) {
		if (baseline ? !strcmp(e->variants[i].name, baseline) : !i) {
			e->variants[i].baseline = true;
			return;
		}
	}
	if (!r->failed)
		fail(r, line_of(s, "baseline"), s->name, "baseline",
		     "there is no variant \"%s\"", baseline);
}

static int line_of_metric(const struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->sections[i].type, "metric") && !strcmp(r->sections[i].title, name))
			return r->sections[i].line;
	return 1;
}

static void add_fio_metrics(struct reader *r)
{
	struct run_experiment *e = r->e;
	struct run_metric *own = NULL;
	size_t n = run_fio_describe(&own);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < e->n_metrics; k++)
			if (!strcmp(e->metrics[k].name, own[i].name) && !r->failed)
				fail(r, line_of_metric(r, own[i].name), NULL, NULL,
				     "[metric %s] is a metric of fio's already", own[i].name);
		e->metrics = run_grow(e->metrics, e->n_metrics, sizeof(*e->metrics));
		e->metrics[e->n_metrics++] = own[i];
	}
	free(own);
}

static bool any_fio(const struct run_experiment *e)
{
	for (size_t i = 0; i < e->n_variants; i++)
		if (e->variants[i].load.fio)
			return true;
	return false;
}

static void set_primary(struct reader *r, const struct section *s, const char *primary)
{
	struct run_experiment *e = r->e;

	if (any_fio(e))
		add_fio_metrics(r);
	if (r->failed)
		return;
	if (!e->n_metrics) {
		fail(r, 1, NULL, NULL, "there is no [metric NAME] section, and no load is fio's");
		return;
	}
	for (size_t i = 0; i < e->n_metrics; i++) {
		if (primary ? !strcmp(e->metrics[i].name, primary) : !i) {
			e->metrics[i].primary = true;
			return;
		}
	}
	fail(r, line_of(s, "primary"), s->name, "primary", "there is no metric \"%s\"", primary);
}

static void check_given(struct reader *r, const struct run_params *given)
{
	for (size_t i = 0; given && i < given->n && !r->failed; i++) {
		if (given->v[i].recorded || lookup(&r->e->params, given->v[i].name))
			continue;
		r->failed = true;
		fprintf(r->err, "numaio run: %s: -D %s: [parameters] has no such name\n", r->file,
			given->v[i].name);
	}
}

static void interpret(struct reader *r, const struct run_params *given)
{
	const struct section *ex, *load;
	char *baseline = NULL, *primary = NULL;

	for (size_t i = 0; i < r->n && !r->failed; i++)
		check_section(r, &r->sections[i]);
	if (!r->failed && find(r, "parameters"))
		read_params(r, find(r, "parameters"), given);
	check_given(r, given);
	if (!r->failed && find(r, "matrix"))
		read_matrix(r, find(r, "matrix"));
	ex = find(r, "experiment");
	for (size_t i = 0; ex && i < ex->n && !r->failed; i++)
		experiment_key(r, &(struct place){ ex, &ex->v[i] }, &baseline, &primary);
	load = find(r, "load");
	for (size_t i = 0; i < r->n && !r->failed; i++) {
		const struct section *s = &r->sections[i];

		if (!strcmp(s->type, "metric"))
			read_metric(r, s);
		else if (!strcmp(s->type, "variant"))
			read_variants(r, s, load);
		else if (!strcmp(s->type, "all"))
			read_all(r, s);
	}
	if (!r->failed && !r->e->n_variants)
		fail(r, r->line ? r->line : 1, NULL, NULL, "there is no [variant NAME] section");
	if (!r->failed)
		set_baseline(r, ex, baseline);
	if (!r->failed)
		set_primary(r, ex, primary);
	free(baseline);
	free(primary);
}

static void free_reader(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct section *s = &r->sections[i];

		for (size_t k = 0; k < s->n; k++) {
			free(s->v[k].key);
			free(s->v[k].value);
		}
		free(s->v);
		free(s->name);
		free(s->type);
		free(s->title);
	}
	free(r->sections);
	for (size_t i = 0; i < r->n_vars; i++) {
		free(r->vars[i].name);
		run_strs_free(&r->vars[i].values);
	}
	free(r->vars);
}

static char *name_of(const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	return strndup(base, strcspn(base, "."));
}

/* NULL after an error, which is told on err. */
struct run_experiment *run_ini_parse(const char *file, const char *text, size_t len,
				     const struct run_params *given, FILE *err)
{
	struct reader r = { .file = file, .p = text, .end = text + len, .err = err };
	int ret;

	ini_max_line = LINE_LEN;
	ini_use_stack = true;
	ini_allow_inline_comments = false;
	ini_allow_multiline = true;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r.p += 3;
	r.e = calloc(1, sizeof(*r.e));
	if (!r.e)
		abort();
	r.e->file = run_dup(file);
	r.e->text = strndup(text, len);
	r.e->repetitions = 10;
	r.e->warm_up = 1;
	r.e->seed = 1;
	ret = ini_parse_stream(next_line, &r, keep, &r);
	if (ret && !r.failed)
		fail(&r, ret > 0 ? ret : 1, NULL, NULL, "no section, comment or KEY = VALUE");
	if (!r.failed)
		interpret(&r, given);
	if (!r.e->name)
		r.e->name = name_of(file);
	free_reader(&r);
	if (!r.failed)
		return r.e;
	run_ini_free(r.e);
	return NULL;
}

/* Of numaio itself, wherever it is installed: PREFIX/bin beside PREFIX/share. */
static char *ready_experiment(const char *name)
{
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (!slash || strchr(name, '/'))
		return NULL;
	*slash = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	return run_format("%s/share/numaio/experiments/%s.ini", exe, name);
}

/* The file, or if there is none of that name, the ready experiment. */
char *run_ini_find(const char *name)
{
	char *ready = access(name, F_OK) ? ready_experiment(name) : NULL;

	if (ready && !access(ready, F_OK))
		return ready;
	free(ready);
	return run_dup(name);
}

struct run_experiment *run_ini_read(const char *file, const struct run_params *given, FILE *err)
{
	FILE *f = fopen(file, "re");
	struct run_experiment *e = NULL;
	char *text = malloc(TEXT_LEN + 1);
	size_t len;

	if (!text)
		abort();
	if (!f) {
		fprintf(err, "numaio run: %s: %s\n", file, strerror(errno));
		free(text);
		return NULL;
	}
	len = fread(text, 1, TEXT_LEN + 1, f);
	if (ferror(f))
		fprintf(err, "numaio run: %s: %s\n", file, strerror(errno));
	else if (len > TEXT_LEN)
		fprintf(err, "numaio run: %s: longer than %d bytes\n", file, TEXT_LEN);
	else
		e = run_ini_parse(file, text, len, given, err);
	fclose(f);
	free(text);
	return e;
}

static void free_wants(struct run_want *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(w[i].target);
		free(w[i].value);
	}
	free(w);
}

static void free_load(struct run_load *l)
{
	free(l->fio);
	free(l->command);
	free(l->args);
	free(l->client);
	free(l->cpunodebind);
	free(l->membind);
	free(l->physcpubind);
}

void run_ini_free(struct run_experiment *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n_variants; i++) {
		free(e->variants[i].name);
		free_params(&e->variants[i].vars);
		free_load(&e->variants[i].load);
		free_wants(e->variants[i].wants, e->variants[i].n_wants);
	}
	free(e->variants);
	for (size_t i = 0; i < e->n_metrics; i++) {
		free(e->metrics[i].name);
		free(e->metrics[i].pattern);
		free(e->metrics[i].unit);
		free(e->metrics[i].better);
	}
	free(e->metrics);
	free_wants(e->wants, e->n_wants);
	free_params(&e->params);
	run_strs_free(&e->devices);
	free(e->file);
	free(e->text);
	free(e->name);
	free(e->interrupts);
	free(e);
}
