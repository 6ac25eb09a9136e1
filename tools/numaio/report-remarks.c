// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader must know beside the figures: how they came about and what they can't say.
 */
#include <err.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "report.h"

__attribute__((format(printf, 2, 3)))
static void remark(struct report_remarks *l, const char *form, ...)
{
	va_list ap;
	int rc;

	l->v = realloc(l->v, (l->n + 1) * sizeof(*l->v));
	va_start(ap, form);
	rc = l->v ? vasprintf(&l->v[l->n++], form, ap) : -1;
	va_end(ap);
	if (rc < 0)
		err(EXIT_FAILED, "memory");
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/* Say each of them once, with the number of runs. */
static void remark_counted(struct report_remarks *l, const char *variant, const char *what,
			   const char **v, size_t n)
{
	size_t from = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_strings);
	for (size_t to = 1; to <= n; to++) {
		if (to < n && !strcmp(v[to], v[from]))
			continue;
		remark(l, "%s: %zu %s %s: %s", variant, to - from, to - from == 1 ? "run" : "runs",
		       what, v[from]);
		from = to;
	}
}

static void marks_of_runs(const struct report_record *rec, size_t variant, const char *name,
			  struct report_remarks *l)
{
	const char **marks, **errors;
	size_t n = 0, nr_marks = 0, nr_errors = 0;

	for (size_t i = 0; i < rec->nr_runs; i++)
		n += rec->runs[i].marks.n;
	marks = report_alloc(n, sizeof(*marks));
	errors = report_alloc(rec->nr_runs, sizeof(*errors));
	for (size_t i = 0; i < rec->nr_runs; i++) {
		const struct report_run *run = &rec->runs[i];

		if (run->variant != variant)
			continue;
		for (size_t j = 0; j < run->marks.n; j++)
			marks[nr_marks++] = run->marks.v[j];
		if (run->state == REPORT_RUN_FAILED)
			errors[nr_errors++] = run->error ?: "the record doesn't say why";
	}
	remark_counted(l, name, "marked", marks, nr_marks);
	remark_counted(l, name, "failed", errors, nr_errors);
	free(marks);
	free(errors);
}

static void missed_settings(const char *of, const struct report_settings *all,
			    struct report_remarks *l)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct report_setting *s = &all->v[i];

		if (!strcmp(s->state, "set"))
			continue;
		remark(l, "%s: %s%s%s: asked for %s, %s %s%s%s", of, s->kind,
		       *s->target ? " of " : "", s->target,
		       s->asked, !strcmp(s->state, "refused") ? "refused, it is" : "but it is",
		       s->read_back ?: "unknown", s->error ? ": " : "", s->error ?: "");
	}
}

static char *label(const char *name, const char *file)
{
	return file ? report_format("%s (%s)", name, file) : report_format("%s", name);
}

/* @file tells the other record from the report's own, which has none. */
static void remarks_of_settings(const struct report_record *rec, const char *file,
				struct report_remarks *l)
{
	char *name = label("all variants", file);

	missed_settings(name, &rec->settings, l);
	free(name);
	for (size_t i = 0; i < rec->nr_variants; i++) {
		const struct report_variant *v = &rec->variants[i];

		name = label(v->name, file);
		for (size_t j = 0; j < v->marks.n; j++)
			remark(l, "%s: marked: %s", name, v->marks.v[j]);
		missed_settings(name, &v->settings, l);
		marks_of_runs(rec, i, name, l);
		free(name);
	}
}

static void remarks_of_record(const struct report_record *rec, const char *file,
			      struct report_remarks *l)
{
	size_t runs = 0;

	for (size_t i = 0; i < rec->nr_runs; i++)
		runs += rec->runs[i].state == REPORT_OK && !rec->runs[i].warm_up;
	if (rec->emulated)
		remark(l, "%s: the CPU is emulated: figures of time mean nothing and are not "
		       "shown; interrupts and context switches tell of placement", rec->file);
	else if (rec->emulation)
		remark(l, "%s: the CPU may be emulated, then figures of time mean nothing: %s",
		       rec->file, rec->emulation);
	if (strcmp(rec->state, "complete") && rec->repetitions)
		remark(l, "%s: the experiment is %s: %zu of %lld runs", rec->file, rec->state, runs,
		       rec->repetitions * (long long)rec->nr_variants);
	else if (strcmp(rec->state, "complete"))
		remark(l, "%s: the experiment is %s", rec->file, rec->state);
	if (rec->irqbalance)
		remark(l, "%s: irqbalance was running: interrupts may have moved", rec->file);
	remarks_of_settings(rec, file, l);
	for (size_t i = 0; i < rec->nr_restored; i++) {
		const struct report_restored *s = &rec->restored[i];

		if (strcmp(s->state, "restored"))
			remark(l, "%s: %s of %s was not restored%s%s", rec->file, s->kind,
			       s->target, s->error ? ": " : "", s->error ?: "");
	}
}

static void remark_unlike(struct report_remarks *l, const char *what, const char *own,
			  const char *base)
{
	if (strcmp(own ?: "", base ?: ""))
		remark(l, "%s: \"%s\", and \"%s\" in the other record", what, own ?: "unknown",
		       base ?: "unknown");
}

static void remarks_of_against(const struct report *r, struct report_remarks *l)
{
	const struct report_record *own = r->own.rec, *base = r->base.rec;

	remark(l, "two records are compared, whose runs did not take turns: what changed between "
	       "them besides is part of the difference");
	remark_unlike(l, "experiment", own->experiment, base->experiment);
	remark_unlike(l, "host", own->host, base->host);
	remark_unlike(l, "CPU", own->cpu, base->cpu);
	remark_unlike(l, "kernel", own->kernel, base->kernel);
	remark_unlike(l, "version", own->kernel_version, base->kernel_version);
	remark_unlike(l, "config", own->config, base->config);
	remark_unlike(l, "command line", own->cmdline, base->cmdline);
}

static void why_no_comparison(const struct report *r, const struct report_metric *m,
			      const char *variant, struct report_remarks *l)
{
	if (report_record_metric(r->base.rec, m->name) == r->base.rec->nr_metrics)
		remark(l, "%s, %s: not in %s", variant, m->name, r->base.rec->file);
	else if (r->against)
		remark(l, "%s, %s: no such variant in %s (--baseline chooses one)", variant,
		       m->name, r->base.rec->file);
	else
		remark(l, "%s, %s: no variant is the baseline (--baseline chooses one)", variant,
		       m->name);
}

/* Do few runs forbid a difference in the same way? */
static bool as_few(const struct report_cell *a, const struct report_cell *b)
{
	return b->base && b->least_p_holm > STATS_ALPHA && a->sum.n == b->sum.n &&
	       a->base->sum.n == b->base->sum.n && a->test.least == b->test.least &&
	       a->test.ties == b->test.ties &&
	       a->least_p_holm == b->least_p_holm;
}

/* One remark for all variants of which it is true; at the first one. */
static void why_too_few(const struct report *r, size_t metric, size_t variant,
			struct report_remarks *l)
{
	const struct report_record *rec = r->own.rec;
	const struct report_cell *c = report_cell(&r->own, metric, variant);
	char *names, *longer;

	if (!as_few(c, c))
		return;
	names = report_format("%s", rec->variants[variant].name);
	for (size_t v = 0; v < rec->nr_variants; v++) {

		if (v == variant || !as_few(c, report_cell(&r->own, metric, v)))
			continue;
		if (v < variant) {
			free(names);
			return;
		}
		longer = report_format("%s, %s", names, rec->variants[v].name);
		free(names);
		names = longer;
	}
	remark(l, "%s: %zu and %zu runs%s can't show any difference of %s: p can't be below %.3g, "
	       "corrected %.3g", names, c->sum.n, c->base->sum.n,
	       c->test.ties ? " with so many equal figures" : "", rec->metrics[metric].name,
	       c->test.least, c->least_p_holm);
	free(names);
}

static void remarks_of_comparison(const struct report *r, const struct report_metric *m,
				  const struct report_cell *c, const char *variant,
				  struct report_remarks *l)
{
	double effect = fabs(c->ratio - 1);

	if (isnan(c->test.p)) {
		remark(l, "%s, %s: %zu and %zu figures: nothing to compare", variant, m->name,
		       c->sum.n, c->base->sum.n);
		return;
	}
	if (isnan(c->ratio))
		remark(l, "%s, %s: medians have no ratio, so the minimum effect isn't asked for",
		       variant, m->name);
	if (c->p_holm <= STATS_ALPHA && effect < r->options.min_effect)
		remark(l, "%s, %s: a difference is shown, but of %.2g%%, less than %g%% "
		       "(--min-effect)", variant, m->name, 100 * effect,
		       100 * r->options.min_effect);
	else if (c->p_holm <= STATS_ALPHA && c->verdict == REPORT_NO_DIFFERENCE)
		remark(l, "%s, %s: medians and ranks don't agree on the direction", variant,
		       m->name);
	if (!c->test.exact)
		remark(l, "%s, %s: p is by the normal approximation%s: more than %d runs", variant,
		       m->name, c->test.ties ? ", corrected for ties" : "", STATS_EXACT_RUNS);
}

static void remarks_of_metric(const struct report *r, size_t metric, struct report_remarks *l)
{
	const struct report_record *rec = r->own.rec;
	const struct report_metric *m = &rec->metrics[metric];

	for (size_t v = 0; v < rec->nr_variants; v++) {
		const struct report_cell *c = report_cell(&r->own, metric, v);
		const char *name = rec->variants[v].name;

		if (c->missing)
			remark(l, "%s, %s: %zu runs without a figure", name, m->name, c->missing);
		if (c->verdict == REPORT_NO_BASELINE)
			why_no_comparison(r, m, name, l);
		else if (c->base)
			remarks_of_comparison(r, m, c, name, l);
		if (c->base)
			why_too_few(r, metric, v, l);
	}
}

static bool any_fewer(const struct report *r, size_t runs)
{
	for (size_t i = 0; i < r->own.rec->nr_variants; i++)
		if (r->own.sides[i].ok < runs)
			return true;
	for (size_t i = 0; i < r->base.rec->nr_variants; i++)
		if (r->base.sides[i].ok < runs)
			return true;
	return false;
}

static void remarks_of_method(const struct report *r, struct report_remarks *l)
{
	const struct report_record *rec = r->own.rec;

	for (size_t i = 0; !r->rows && i < rec->nr_variants; i++) {
		if (!rec->variants[i].nr_variables)
			continue;
		remark(l, "variants aren't cells of one matrix of two variables: no matrix");
		break;
	}
	if (r->emulated)
		return;
	if (any_fewer(r, STATS_MEDIAN_RUNS))
		remark(l, "a median has a 95%% interval from %d runs on, a ratio from %d on each "
		       "side", STATS_MEDIAN_RUNS, STATS_RATIO_RUNS);
	remark(l, "p: Mann-Whitney, two-sided, corrected (Holm) for %zu comparison%s; better and "
	       "worse: corrected p at most %g and at least %g%% difference", r->nr_comparisons,
	       r->nr_comparisons == 1 ? "" : "s", STATS_ALPHA, 100 * r->options.min_effect);
	remark(l, "interval of the ratio: percentile bootstrap of medians, %d resamples, seed %d; "
	       "runs to show it: of each side, as observed, power %g; man numaio-report",
	       STATS_RESAMPLES, STATS_SEED, STATS_POWER);
}

void report_remarks(const struct report *r, struct report_remarks *l)
{
	*l = (struct report_remarks){ 0 };
	remarks_of_record(r->own.rec, NULL, l);
	if (r->against) {
		remarks_of_record(r->base.rec, r->base.rec->file, l);
		remarks_of_against(r, l);
	}
	for (size_t m = 0; m < r->own.rec->nr_metrics; m++)
		if (r->compared[m])
			remarks_of_metric(r, m, l);
	remarks_of_method(r, l);
}

void report_remarks_free(struct report_remarks *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}
