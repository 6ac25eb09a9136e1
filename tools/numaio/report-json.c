// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report as JSON. What isn't known, or isn't to be shown, is null.
 */
#include <err.h>
#include <math.h>

#include "numaio.h"
#include "report.h"

static json_t *made(json_t *v)
{
	if (!v)
		errx(EXIT_FAILED, "memory");
	return v;
}

static void set(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, made(value)))
		errx(EXIT_FAILED, "memory");
}

static void add(json_t *array, json_t *value)
{
	if (json_array_append_new(array, made(value)))
		errx(EXIT_FAILED, "memory");
}

static json_t *number(double x, bool shown)
{
	return shown && isfinite(x) ? json_real(x) : json_null();
}

/* Names of files needn't be UTF-8. */
static json_t *text(const char *s)
{
	json_t *v = s ? json_string(s) : json_null();

	return v ?: json_string("(not UTF-8)");
}

static json_t *interval(const struct stats_interval *i, bool shown)
{
	json_t *o;

	if (!shown || isnan(i->low))
		return json_null();
	o = made(json_object());
	set(o, "low", number(i->low, true));
	set(o, "high", number(i->high, true));
	set(o, "coverage", number(i->coverage, true));
	return o;
}

static json_t *outliers(const struct report_cell *c, bool shown)
{
	json_t *list = made(json_array());

	for (size_t i = 0; shown && i < c->sum.n; i++)
		if (stats_is_outlier(&c->sum, c->values[i]))
			add(list, number(c->values[i], true));
	return list;
}

static json_t *comparison(const struct report_cell *c, const struct report_side *s)
{
	json_t *o;

	if (!c->base)
		return json_null();
	o = made(json_object());
	set(o, "base", text(s->base->name));
	set(o, "ratio", number(c->ratio, true));
	set(o, "ratio_interval", interval(&c->of_ratio, true));
	set(o, "u", number(c->test.u, true));
	set(o, "p", number(c->test.p, true));
	set(o, "p_exact", json_boolean(c->test.exact));
	set(o, "ties", json_boolean(c->test.ties));
	set(o, "p_holm", number(c->p_holm, true));
	set(o, "least_p_holm", number(c->least_p_holm, true));
	set(o, "runs_needed", c->needed ? json_integer(c->needed) : json_null());
	set(o, "runs_needed_min_effect", c->needed_min ? json_integer(c->needed_min) : json_null());
	return o;
}

static json_t *cell(const struct report *r, size_t metric, const struct report_part *p,
		    size_t variant, bool own)
{
	const struct report_metric *m = &p->rec->metrics[metric];
	const struct report_cell *c = report_cell(p, metric, variant);
	bool shown = report_shown(r, m);
	json_t *o = made(json_object());

	set(o, "variant", text(p->sides[variant].name));
	set(o, "n", json_integer(c->sum.n));
	set(o, "without_figure", json_integer(c->missing));
	set(o, "average", number(c->sum.average, shown));
	set(o, "sd", number(c->sum.sd, shown));
	set(o, "variation", number(c->sum.variation, shown));
	set(o, "min", number(c->sum.min, shown));
	set(o, "max", number(c->sum.max, shown));
	set(o, "median", number(c->sum.median, shown));
	set(o, "median_interval", interval(&c->sum.of_median, shown));
	set(o, "outliers", outliers(c, shown));
	if (!own || !r->compared[metric])
		return o;
	set(o, "comparison", comparison(c, &p->sides[variant]));
	set(o, "verdict", text(report_verdict_name(c->verdict)));
	return o;
}

static json_t *metrics(const struct report *r, const struct report_part *p, bool own)
{
	static const char * const better[] = { "higher", "lower", "none" };
	json_t *list = made(json_array());

	for (size_t m = 0; m < p->rec->nr_metrics; m++) {
		json_t *o = made(json_object()), *cells = made(json_array());

		set(o, "name", text(p->rec->metrics[m].name));
		set(o, "unit", text(p->rec->metrics[m].unit));
		set(o, "better", text(better[p->rec->metrics[m].better]));
		if (own)
			set(o, "compared", json_boolean(r->compared[m]));
		for (size_t v = 0; v < p->rec->nr_variants; v++)
			add(cells, cell(r, m, p, v, own));
		set(o, "variants", cells);
		add(list, o);
	}
	return list;
}

static json_t *strings(const struct report_strings *s)
{
	json_t *list = made(json_array());

	for (size_t i = 0; i < s->n; i++)
		add(list, text(s->v[i]));
	return list;
}

static json_t *per_node(const struct report_record *rec, const struct report_side *s)
{
	json_t *list = made(json_array());

	for (size_t i = 0; s->with_interrupts && i < rec->nr_nodes; i++) {
		json_t *o = made(json_object());

		set(o, "node", json_integer(rec->nodes[i]));
		set(o, "interrupts", number(s->per_node[i], true));
		add(list, o);
	}
	return list;
}

static json_t *variants(const struct report_part *p)
{
	json_t *list = made(json_array());

	for (size_t v = 0; v < p->rec->nr_variants; v++) {
		const struct report_side *s = &p->sides[v];
		json_t *o = made(json_object()), *runs = made(json_object());

		set(o, "name", text(s->name));
		set(o, "marks", strings(&p->rec->variants[v].marks));
		set(o, "setting_missed", json_boolean(report_setting_missed(p->rec, v)));
		set(runs, "ok", json_integer(s->ok));
		set(runs, "marked", json_integer(s->marked));
		set(runs, "warm_up", json_integer(s->warm_up));
		set(runs, "failed", json_integer(s->failed));
		set(runs, "interrupted", json_integer(s->interrupted));
		set(o, "runs", runs);
		set(o, "interrupts_per_node", per_node(p->rec, s));
		add(list, o);
	}
	return list;
}

static json_t *part(const struct report *r, const struct report_part *p, bool own)
{
	json_t *o = made(json_object());

	set(o, "file", text(p->rec->file));
	set(o, "experiment", text(p->rec->experiment));
	set(o, "state", text(p->rec->state));
	set(o, "started", text(p->rec->started));
	set(o, "kernel", text(p->rec->kernel));
	set(o, "host", text(p->rec->host));
	set(o, "emulated_cpu", json_boolean(p->rec->emulated));
	set(o, "variants", variants(p));
	set(o, "metrics", metrics(r, p, own));
	return o;
}

static json_t *method(const struct report *r)
{
	json_t *o = made(json_object());

	set(o, "alpha", number(STATS_ALPHA, true));
	set(o, "min_effect", number(r->options.min_effect, true));
	set(o, "comparisons", json_integer(r->nr_comparisons));
	set(o, "power", number(STATS_POWER, true));
	set(o, "resamples", json_integer(STATS_RESAMPLES));
	set(o, "seed", json_integer(STATS_SEED));
	return o;
}

static json_t *remarks(const struct report *r)
{
	json_t *list = made(json_array());
	struct report_remarks l;

	report_remarks(r, &l);
	for (size_t i = 0; i < l.n; i++)
		add(list, text(l.v[i]));
	report_remarks_free(&l);
	return list;
}

bool report_print_json(const struct report *r, FILE *f)
{
	json_t *o = made(json_object());
	int rc;

	set(o, "schema", json_integer(REPORT_SCHEMA));
	set(o, "tool", text("numaio " NUMAIO_VERSION));
	set(o, "method", method(r));
	set(o, "result", part(r, &r->own, true));
	set(o, "against", r->against ? part(r, &r->base, false) : json_null());
	set(o, "remarks", remarks(r));
	rc = json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	putc('\n', f);
	json_decref(o);
	return !rc && !ferror(f);
}
