// SPDX-License-Identifier: GPL-2.0-only
/*
 * From records to what is to be said of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char * const verdict_names[] = {
	[REPORT_IS_BASELINE]	= "baseline",
	[REPORT_NO_BASELINE]	= "no baseline",
	[REPORT_EMULATED]	= "emulated: no verdict",
	[REPORT_NO_DIRECTION]	= "no direction: no verdict",
	[REPORT_TOO_FEW]	= "too few runs",
	[REPORT_NO_DIFFERENCE]	= "no difference shown",
	[REPORT_BETTER]		= "better",
	[REPORT_WORSE]		= "worse",
};

const char *report_verdict_name(enum report_verdict verdict)
{
	return verdict_names[verdict];
}

const struct report_cell *report_cell(const struct report_part *p, size_t metric, size_t variant)
{
	return &p->cells[metric * p->rec->nr_variants + variant];
}

static struct report_cell *cell_of(struct report_part *p, size_t metric, size_t variant)
{
	return &p->cells[metric * p->rec->nr_variants + variant];
}

bool report_shown(const struct report *r, const struct report_metric *m)
{
	static const char * const counts_of[] = {
		"context_switches", "load_context_switches", "fio_ctx"
	};

	for (size_t i = 0; i < sizeof(counts_of) / sizeof(*counts_of); i++)
		if (!strcmp(m->name, counts_of[i]))
			return true;
	return !r->emulated;
}

const char *report_variable(const struct report_variant *v, const char *name)
{
	for (size_t i = 0; i < v->nr_variables; i++)
		if (!strcmp(v->variables[i].name, name))
			return v->variables[i].value;
	return NULL;
}

static bool any_missed(const struct report_settings *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].state, "set"))
			return true;
	return false;
}

bool report_setting_missed(const struct report_record *rec, size_t variant)
{
	const struct report_variant *v = &rec->variants[variant];

	return v->marks.n || any_missed(&v->settings) || any_missed(&rec->settings);
}

/* Is this run part of the sample? */
static bool counts(const struct report_run *run)
{
	return run->state == REPORT_OK && !run->warm_up;
}

static void add_interrupts(const struct report_record *rec, const struct report_run *run,
			   struct report_side *s)
{
	s->with_interrupts++;
	for (size_t i = 0; run->per_node && i < rec->nr_nodes; i++)
		s->per_node[i] += run->per_node[rec->nodes[i]];
}

static void make_side(const struct report_record *rec, size_t variant, struct report_side *s)
{
	s->name = rec->variants[variant].name;
	s->per_node = report_alloc(rec->nr_nodes, sizeof(*s->per_node));
	for (size_t i = 0; i < rec->nr_runs; i++) {
		const struct report_run *run = &rec->runs[i];

		if (run->variant != variant)
			continue;
		s->failed += run->state == REPORT_RUN_FAILED;
		s->interrupted += run->state == REPORT_INTERRUPTED;
		s->warm_up += run->state == REPORT_OK && run->warm_up;
		s->ok += counts(run);
		s->marked += counts(run) && run->marks.n;
		if (counts(run) && run->has_interrupts)
			add_interrupts(rec, run, s);
	}
	for (size_t i = 0; i < rec->nr_nodes; i++)
		s->per_node[i] /= s->with_interrupts ? s->with_interrupts : 1;
}

static void make_cell(const struct report_record *rec, size_t metric, size_t variant,
		      struct report_cell *c)
{
	size_t n = 0;

	c->values = report_alloc(rec->nr_runs, sizeof(*c->values));
	for (size_t i = 0; i < rec->nr_runs; i++) {
		const struct report_run *run = &rec->runs[i];

		if (run->variant != variant || !counts(run))
			continue;
		if (isnan(run->metrics[metric]))
			c->missing++;
		else
			c->values[n++] = run->metrics[metric];
	}
	stats_sort(c->values, n);
	stats_summarize(c->values, n, &c->sum);
	c->ratio = c->p_holm = c->least_p_holm = NAN;
	c->of_ratio = (struct stats_interval){ NAN, NAN, NAN };
	c->test = (struct stats_test){ NAN, NAN, NAN, false, false };
}

static void make_part(const struct report_record *rec, struct report_part *p)
{
	p->rec = rec;
	p->sides = report_alloc(rec->nr_variants, sizeof(*p->sides));
	p->cells = report_alloc(rec->nr_variants * rec->nr_metrics, sizeof(*p->cells));
	for (size_t v = 0; v < rec->nr_variants; v++) {
		make_side(rec, v, &p->sides[v]);
		for (size_t m = 0; m < rec->nr_metrics; m++)
			make_cell(rec, m, v, cell_of(p, m, v));
	}
}

/* The variant to compare one with: of the chosen name, of the same name, or the baseline. */
static size_t base_variant(const struct report *r, size_t variant)
{
	const struct report_record *base = r->base.rec;
	size_t i = 0;

	if (r->options.baseline)
		return report_record_variant(base, r->options.baseline);
	if (r->against)
		return report_record_variant(base, r->own.rec->variants[variant].name);
	while (i < base->nr_variants && !base->variants[i].baseline)
		i++;
	return i;
}

static void compare_medians(struct report_cell *c)
{
	const struct stats_summary *a = &c->sum, *b = &c->base->sum;
	double ratio = a->median / b->median;

	if (!(a->median >= 0 && b->median > 0) || !isfinite(ratio))
		return;
	c->ratio = ratio;
	c->of_ratio = stats_bootstrap_ratio(c->values, a->n, c->base->values, b->n,
					    STATS_RESAMPLES, STATS_SEED);
}

static void compare(struct report *r, size_t metric, size_t variant)
{
	struct report_cell *c = cell_of(&r->own, metric, variant);
	size_t base = base_variant(r, variant);
	size_t same = report_record_metric(r->base.rec, r->own.rec->metrics[metric].name);

	c->verdict = REPORT_NO_BASELINE;
	if (base == r->base.rec->nr_variants || same == r->base.rec->nr_metrics)
		return;
	r->own.sides[variant].base = &r->base.sides[base];
	c->verdict = REPORT_IS_BASELINE;
	if (!r->against && base == variant)
		return;
	c->verdict = REPORT_EMULATED;
	if (r->emulated)
		return;
	c->verdict = REPORT_TOO_FEW;
	c->base = report_cell(&r->base, same, base);
	c->test = stats_mann_whitney(c->values, c->sum.n, c->base->values, c->base->sum.n);
	compare_medians(c);
	r->nr_comparisons += !isnan(c->test.p);
}

/* Holm for what p is, and for what it could be at best. */
static void correct(struct report *r, struct report_cell **tested, size_t n)
{
	double *p = report_alloc(n, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = tested[i]->test.p;
	stats_holm(p, p, n);
	for (size_t i = 0; i < n; i++) {
		tested[i]->p_holm = p[i];
		p[i] = tested[i]->test.least;
	}
	stats_holm(p, p, n);
	for (size_t i = 0; i < n; i++)
		tested[i]->least_p_holm = p[i];
	r->nr_comparisons = n;
	free(p);
}

static void correct_all(struct report *r)
{
	const struct report_record *rec = r->own.rec;
	size_t cells = rec->nr_metrics * rec->nr_variants, n = 0;
	struct report_cell **tested = report_alloc(cells, sizeof(*tested));

	for (size_t i = 0; i < cells; i++)
		if (!isnan(r->own.cells[i].test.p))
			tested[n++] = &r->own.cells[i];
	correct(r, tested, n);
	free(tested);
}

static void set_needed(const struct report *r, struct report_cell *c)
{
	const struct stats_summary *a = &c->sum, *b = &c->base->sum;
	double alpha = STATS_ALPHA / (r->nr_comparisons ? r->nr_comparisons : 1);

	c->needed = stats_runs_needed(a->median - b->median, a->sd, b->sd, alpha, STATS_POWER);
	if (r->options.min_effect > 0)
		c->needed_min = stats_runs_needed(b->median * r->options.min_effect, a->sd, b->sd,
						  alpha, STATS_POWER);
}

/* The minimum effect comes first: "too few runs" is for what would matter if it were so. */
static enum report_verdict judge(const struct report *r, const struct report_cell *c,
				 enum report_better better)
{
	bool more = isnan(c->ratio) ? c->sum.median > c->base->sum.median : c->ratio > 1;
	bool ranks_more = c->test.u > c->sum.n * c->base->sum.n / 2.0;

	if (isnan(c->test.p))
		return REPORT_TOO_FEW;
	if (fabs(c->ratio - 1) < r->options.min_effect || c->sum.median == c->base->sum.median)
		return REPORT_NO_DIFFERENCE;
	if (c->least_p_holm > STATS_ALPHA)
		return REPORT_TOO_FEW;
	if (c->p_holm > STATS_ALPHA || more != ranks_more)
		return REPORT_NO_DIFFERENCE;
	if (better == REPORT_NONE)
		return REPORT_NO_DIRECTION;
	return more == (better == REPORT_HIGHER) ? REPORT_BETTER : REPORT_WORSE;
}

static void judge_all(struct report *r)
{
	const struct report_record *rec = r->own.rec;

	for (size_t m = 0; m < rec->nr_metrics; m++) {
		for (size_t v = 0; v < rec->nr_variants; v++) {
			struct report_cell *c = cell_of(&r->own, m, v);

			if (!c->base)
				continue;
			set_needed(r, c);
			c->verdict = judge(r, c, rec->metrics[m].better);
		}
	}
}

static char *choose_metrics(struct report *r)
{
	const struct report_record *rec = r->own.rec;
	bool any = false;

	r->compared = report_alloc(rec->nr_metrics, sizeof(*r->compared));
	for (size_t i = 0; i < r->options.metrics.n; i++) {
		size_t m = report_record_metric(rec, r->options.metrics.v[i]);

		if (m == rec->nr_metrics)
			return report_format("%s: no metric \"%s\"", rec->file,
					     r->options.metrics.v[i]);
		r->compared[m] = any = true;
	}
	for (size_t m = 0; m < rec->nr_metrics && !r->options.metrics.n; m++)
		any |= r->compared[m] = rec->metrics[m].primary;
	r->compared[0] |= !any;
	return NULL;
}

static char *check_baseline(const struct report *r)
{
	const struct report_record *base = r->base.rec;
	const char *name = r->options.baseline;

	if (!name || report_record_variant(base, name) < base->nr_variants)
		return NULL;
	return report_format("%s: no variant \"%s\"", base->file, name);
}

/* Two variables that are the same in all variants that have any, the baseline perhaps not. */
static void find_matrix(struct report *r)
{
	const struct report_record *rec = r->own.rec;
	const struct report_variant *first = NULL;

	for (size_t i = 0; i < rec->nr_variants; i++) {
		const struct report_variant *v = &rec->variants[i];

		if (!v->nr_variables)
			continue;
		if (!first)
			first = v;
		if (v->nr_variables != 2 || !report_variable(v, first->variables[0].name) ||
		    !report_variable(v, first->variables[1].name))
			return;
	}
	if (!first)
		return;
	r->rows = first->variables[0].name;
	r->columns = first->variables[1].name;
}

struct report *report_make(const struct report_record *rec, const struct report_record *base,
			   const struct report_options *options, char **error)
{
	struct report *r = report_alloc(1, sizeof(*r));

	r->options = *options;
	r->against = base;
	make_part(rec, &r->own);
	if (base)
		make_part(base, &r->base);
	else
		r->base = r->own;
	r->emulated = rec->emulated || r->base.rec->emulated;
	*error = choose_metrics(r);
	if (!*error)
		*error = check_baseline(r);
	if (*error) {
		report_free(r);
		return NULL;
	}
	for (size_t m = 0; m < rec->nr_metrics; m++)
		for (size_t v = 0; r->compared[m] && v < rec->nr_variants; v++)
			compare(r, m, v);
	correct_all(r);
	judge_all(r);
	find_matrix(r);
	return r;
}

static void free_part(struct report_part *p)
{
	for (size_t i = 0; i < p->rec->nr_variants; i++)
		free(p->sides[i].per_node);
	for (size_t i = 0; i < p->rec->nr_variants * p->rec->nr_metrics; i++)
		free(p->cells[i].values);
	free(p->sides);
	free(p->cells);
}

void report_free(struct report *r)
{
	if (!r)
		return;
	free_part(&r->own);
	if (r->against)
		free_part(&r->base);
	free(r->compared);
	free(r);
}
