// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables that people read, as text: the printers only lay them out.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define SHOWN_OUTLIERS	3

char *report_number(double x)
{
	if (isnan(x))
		return report_format("-");
	if (fabs(x) >= 1e5 && fabs(x) < 1e15)
		return report_format("%.0f", x);
	return report_format("%.5g", x);
}

static struct report_table *new_table(struct report_tables *tables, char *title)
{
	struct report_table *t;

	tables->v = realloc(tables->v, (tables->n + 1) * sizeof(*tables->v));
	if (!tables->v)
		abort();
	t = &tables->v[tables->n++];
	*t = (struct report_table){ .title = title };
	return t;
}

static char **append(char **list, size_t n, char *s)
{
	list = realloc(list, (n + 1) * sizeof(*list));
	if (!list)
		abort();
	list[n] = s;
	return list;
}

static void column(struct report_table *t, char *head, bool right)
{
	t->heads = append(t->heads, t->nr_columns, head);
	t->right = realloc(t->right, (t->nr_columns + 1) * sizeof(*t->right));
	if (!t->right)
		abort();
	t->right[t->nr_columns++] = right;
}

/* Cells come row by row; how many there are is counted by end_row() only. */
struct row {
	struct report_table *t;
	size_t n;
};

static void cell(struct row *row, char *s)
{
	row->t->cells = append(row->t->cells, row->t->nr_rows * row->t->nr_columns + row->n++, s);
}

static void end_row(struct row *row)
{
	while (row->n < row->t->nr_columns)
		cell(row, report_format("-"));
	row->t->nr_rows++;
	row->n = 0;
}

static char *interval(double low, double high)
{
	char *from, *to, *s;

	if (isnan(low))
		return report_format("-");
	from = report_number(low);
	to = report_number(high);
	s = report_format("%s..%s", from, to);
	free(from);
	free(to);
	return s;
}

static char *join(char *list, const char *between, char *s)
{
	char *both;

	if (!list || !*list || !*s)
		between = "";
	both = report_format("%s%s%s", list ? list : "", between, s);
	free(list);
	free(s);
	return both;
}

static char *counted(size_t n, const char *what)
{
	return n ? report_format("%zu %s", n, what) : report_format("%s", "");
}

static char *not_counted(const struct report_side *s)
{
	char *text = counted(s->warm_up, "warm-up");

	text = join(text, ", ", counted(s->failed, "failed"));
	text = join(text, ", ", counted(s->interrupted, "interrupted"));
	return *text ? text : join(text, "", report_format("-"));
}

static char *marked(const struct report_part *p, size_t variant)
{
	const struct report_side *s = &p->sides[variant];
	char *text = report_format("%s", report_setting_missed(p->rec, variant) ? "variant" : "");

	text = join(text, ", ", counted(s->marked, s->marked == 1 ? "run" : "runs"));
	return *text ? text : join(text, "", report_format("-"));
}

static char *outliers(const struct report_cell *c)
{
	char *text = report_format("%s", "");
	size_t shown = 0;

	for (size_t i = 0; i < c->sum.n; i++)
		if (stats_is_outlier(&c->sum, c->values[i]) && shown++ < SHOWN_OUTLIERS)
			text = join(text, ", ", report_number(c->values[i]));
	if (shown > SHOWN_OUTLIERS)
		text = join(text, ", ", report_format("%zu more", shown - SHOWN_OUTLIERS));
	return *text ? text : join(text, "", report_format("-"));
}

/* Which columns a table of figures has besides those that it always has. */
struct extras {
	bool not_counted, marked;
	size_t p_system, context_switches;	/* metrics; their number: not shown */
};

static size_t beside(const struct report *r, const char *name)
{
	const struct report_record *rec = r->own.rec;
	size_t m = report_record_metric(rec, name);
	bool any = false;

	if (m < rec->nr_metrics && report_shown(r, &rec->metrics[m]) && !r->compared[m])
		for (size_t v = 0; v < rec->nr_variants; v++)
			any |= report_cell(&r->own, m, v)->sum.n;
	return any ? m : rec->nr_metrics;
}

static void find_extras(const struct report *r, const struct report_part *p, struct extras *e)
{
	for (size_t i = 0; i < p->rec->nr_variants; i++) {
		const struct report_side *s = &p->sides[i];

		e->not_counted |= s->warm_up || s->failed || s->interrupted;
		e->marked |= s->marked || report_setting_missed(p->rec, i);
	}
	e->p_system = beside(r, "p_system");
	e->context_switches = beside(r, "context_switches");
}

static void columns_of_figures(const struct report *r, const struct extras *e, bool shown,
			       struct report_table *t)
{
	size_t none = r->own.rec->nr_metrics;

	column(t, report_format("VARIANT"), false);
	column(t, report_format("RUNS"), true);
	if (e->not_counted)
		column(t, report_format("NOT COUNTED"), false);
	if (e->marked)
		column(t, report_format("MARKED"), false);
	if (shown) {
		column(t, report_format("AVERAGE"), true);
		column(t, report_format("VARIATION %%"), true);
		column(t, report_format("MIN..MAX"), true);
		column(t, report_format("MEDIAN"), true);
		column(t, report_format("95%% INTERVAL"), true);
		column(t, report_format("OUTLIERS"), false);
	} else {
		column(t, report_format("VERDICT"), false);
	}
	if (e->p_system < none)
		column(t, report_format("P_SYSTEM %%"), true);
	if (e->context_switches < none)
		column(t, report_format("CONTEXT SWITCHES"), true);
}

static void figures(const struct report_cell *c, struct row *row)
{
	cell(row, report_number(c->sum.average));
	cell(row, isnan(c->sum.variation) ? report_format("-") :
	     report_format("%.1f", 100 * c->sum.variation));
	cell(row, interval(c->sum.min, c->sum.max));
	cell(row, report_number(c->sum.median));
	cell(row, interval(c->sum.of_median.low, c->sum.of_median.high));
	cell(row, outliers(c));
}

static void cell_beside(const struct report_part *p, const char *name, size_t variant,
			struct row *row)
{
	size_t m = report_record_metric(p->rec, name);

	cell(row, report_number(m < p->rec->nr_metrics ?
				report_cell(p, m, variant)->sum.average : NAN));
}

static void row_of_figures(const struct report *r, const struct report_part *p, size_t metric,
			   size_t variant, const struct extras *e, struct row *row)
{
	const struct report_metric *m = &r->own.rec->metrics[metric];
	size_t none = r->own.rec->nr_metrics, same = report_record_metric(p->rec, m->name);
	const struct report_side *s = &p->sides[variant];

	cell(row, p == &r->own ? report_format("%s", s->name) :
	     report_format("%s (%s)", s->name, p->rec->file));
	cell(row, report_format("%zu", s->ok));
	if (e->not_counted)
		cell(row, not_counted(s));
	if (e->marked)
		cell(row, marked(p, variant));
	if (!report_shown(r, m))
		cell(row, report_format("%s", report_verdict_name(REPORT_EMULATED)));
	else
		figures(report_cell(p, same, variant), row);
	if (e->p_system < none)
		cell_beside(p, "p_system", variant, row);
	if (e->context_switches < none)
		cell_beside(p, "context_switches", variant, row);
	end_row(row);
}

static const char *better_text(enum report_better better)
{
	return better == REPORT_HIGHER ? "higher is better" :
	       better == REPORT_LOWER ? "lower is better" : "neither is better";
}

static char *title(const struct report_metric *m, const char *what)
{
	return report_format("%s (%s%s%s)%s", m->name, m->unit, *m->unit ? ", " : "",
			     better_text(m->better), what);
}

static void table_of_figures(const struct report *r, size_t metric, struct report_tables *tables)
{
	const struct report_record *rec = r->own.rec, *base = r->base.rec;
	const struct report_metric *m = &rec->metrics[metric];
	struct report_table *t = new_table(tables, title(m, ""));
	struct row row = { t, 0 };
	struct extras e = { 0 };

	find_extras(r, &r->own, &e);
	if (r->against)
		find_extras(r, &r->base, &e);
	columns_of_figures(r, &e, report_shown(r, m), t);
	for (size_t v = 0; v < rec->nr_variants; v++)
		row_of_figures(r, &r->own, metric, v, &e, &row);
	if (!r->against || report_record_metric(base, m->name) == base->nr_metrics)
		return;
	for (size_t v = 0; v < base->nr_variants; v++)
		row_of_figures(r, &r->base, metric, v, &e, &row);
}

static char *p_text(double p)
{
	return isnan(p) ? report_format("-") : report_format("%.3g", p);
}

static char *needed_text(size_t runs)
{
	if (!runs)
		return report_format("-");
	return report_format("%s%zu", runs == STATS_MOST_RUNS ? "over " : "", runs);
}

static void row_of_comparison(const struct report_part *p, size_t metric, size_t variant,
			      struct row *row)
{
	const struct report_cell *c = report_cell(p, metric, variant);

	cell(row, report_format("%s", p->sides[variant].name));
	cell(row, isnan(c->ratio) ? report_format("-") : report_format("%.4f", c->ratio));
	cell(row, isnan(c->of_ratio.low) ? report_format("-") :
	     report_format("%.4f..%.4f", c->of_ratio.low, c->of_ratio.high));
	cell(row, p_text(c->test.p));
	cell(row, p_text(c->p_holm));
	cell(row, report_format("%s", report_verdict_name(c->verdict)));
	cell(row, needed_text(c->needed));
	cell(row, needed_text(c->needed_min));
	end_row(row);
}

static char *against_what(const struct report *r)
{
	const struct report_record *base = r->base.rec;
	const char *chosen = r->options.baseline;

	if (chosen && r->against)
		return report_format(" against %s of %s", chosen, base->file);
	if (chosen)
		return report_format(" against %s", chosen);
	if (r->against)
		return report_format(" against the variant of the same name of %s", base->file);
	for (size_t i = 0; i < base->nr_variants; i++)
		if (base->variants[i].baseline)
			return report_format(" against %s", base->variants[i].name);
	return report_format(" against nothing");
}

static void table_of_comparisons(const struct report *r, size_t metric,
				 struct report_tables *tables)
{
	const struct report_record *rec = r->own.rec;
	char *against = against_what(r);
	struct report_table *t = new_table(tables, title(&rec->metrics[metric], against));
	struct row row = { t, 0 };

	free(against);
	column(t, report_format("VARIANT"), false);
	column(t, report_format("RATIO"), true);
	column(t, report_format("95%% INTERVAL"), true);
	column(t, report_format("P"), true);
	column(t, report_format("P HOLM"), true);
	column(t, report_format("VERDICT"), false);
	column(t, report_format("RUNS TO SHOW IT"), true);
	column(t, report_format("TO SHOW %g%%", 100 * r->options.min_effect), true);
	for (size_t v = 0; v < rec->nr_variants; v++)
		if (r->against || report_cell(&r->own, metric, v)->verdict != REPORT_IS_BASELINE)
			row_of_comparison(&r->own, metric, v, &row);
}

void report_values(const struct report_record *rec, const char *variable,
		   struct report_strings *values)
{
	values->v = report_alloc(rec->nr_variants, sizeof(*values->v));
	for (size_t i = 0; i < rec->nr_variants; i++) {
		const char *value = report_variable(&rec->variants[i], variable);
		size_t j = 0;

		while (value && j < values->n && strcmp(values->v[j], value))
			j++;
		if (value && j == values->n)
			values->v[values->n++] = value;
	}
}

static size_t variant_at(const struct report *r, const char *row, const char *col)
{
	const struct report_record *rec = r->own.rec;
	size_t i = 0;

	for (; i < rec->nr_variants; i++) {
		const struct report_variant *v = &rec->variants[i];

		if (v->nr_variables && !strcmp(report_variable(v, r->rows), row) &&
		    !strcmp(report_variable(v, r->columns), col))
			break;
	}
	return i;
}

static char *matrix_text(const struct report *r, size_t metric, size_t variant)
{
	const struct report_cell *c;

	if (variant == r->own.rec->nr_variants)
		return report_format("-");
	c = report_cell(&r->own, metric, variant);
	if (c->verdict == REPORT_IS_BASELINE)
		return report_format("baseline");
	if (isnan(c->ratio))
		return report_number(c->sum.median);
	return report_format("%+.1f%%%s", 100 * (c->ratio - 1),
			     c->verdict == REPORT_BETTER || c->verdict == REPORT_WORSE ? " !" : "");
}

static void table_of_matrix(const struct report *r, size_t metric, struct report_tables *tables)
{
	const struct report_record *rec = r->own.rec;
	struct report_strings rows = { 0 }, columns = { 0 };
	char *what = report_format(", median by %s and %s: difference to the baseline, "
				   "! if it is shown; figures if there is no baseline",
				   r->rows, r->columns);
	struct report_table *t = new_table(tables, title(&rec->metrics[metric], what));
	struct row row = { t, 0 };

	free(what);
	report_values(rec, r->rows, &rows);
	report_values(rec, r->columns, &columns);
	column(t, report_format("%s", r->rows), false);
	for (size_t i = 0; i < columns.n; i++)
		column(t, report_format("%s=%s", r->columns, columns.v[i]), true);
	for (size_t i = 0; i < rows.n; i++) {
		cell(&row, report_format("%s", rows.v[i]));
		for (size_t j = 0; j < columns.n; j++)
			cell(&row, matrix_text(r, metric, variant_at(r, rows.v[i], columns.v[j])));
		end_row(&row);
	}
	free(rows.v);
	free(columns.v);
}

static void row_of_interrupts(const struct report *r, const struct report_part *p,
			      size_t variant, struct row *row)
{
	const struct report_side *s = &p->sides[variant];
	double all = 0;

	cell(row, p == &r->own ? report_format("%s", s->name) :
	     report_format("%s (%s)", s->name, p->rec->file));
	for (size_t i = 0; i < p->rec->nr_nodes; i++)
		all += s->per_node[i];
	cell(row, s->with_interrupts ? report_number(all) : report_format("-"));
	for (size_t i = 0; s->with_interrupts && i < p->rec->nr_nodes; i++) {
		char *n = report_number(s->per_node[i]);

		cell(row, all > 0 ? report_format("%s (%.1f%%)", n, 100 * s->per_node[i] / all) :
				    report_format("%s", n));
		free(n);
	}
	end_row(row);
}

static bool any_interrupts(const struct report_part *p)
{
	for (size_t i = 0; i < p->rec->nr_variants; i++)
		if (p->sides[i].with_interrupts)
			return true;
	return false;
}

static void table_of_interrupts(const struct report *r, const struct report_part *p,
				struct report_tables *tables)
{
	const struct report_record *rec = p->rec;
	struct report_table *t;
	struct row row = { 0 };

	if (!any_interrupts(p))
		return;
	t = new_table(tables, report_format("interrupts of a run by node that served them, "
					    "average"));
	row.t = t;
	column(t, report_format("VARIANT"), false);
	column(t, report_format("ALL"), true);
	for (size_t i = 0; i < rec->nr_nodes; i++)
		column(t, report_format("NODE %zu", rec->nodes[i]), true);
	for (size_t v = 0; v < rec->nr_variants; v++)
		row_of_interrupts(r, p, v, &row);
}

void report_tables(const struct report *r, struct report_tables *tables)
{
	const struct report_record *rec = r->own.rec;

	*tables = (struct report_tables){ 0 };
	for (size_t m = 0; m < rec->nr_metrics; m++) {
		if (!r->compared[m])
			continue;
		table_of_figures(r, m, tables);
		if (r->emulated)
			continue;
		table_of_comparisons(r, m, tables);
		if (r->rows)
			table_of_matrix(r, m, tables);
	}
	table_of_interrupts(r, &r->own, tables);
	if (r->against)
		table_of_interrupts(r, &r->base, tables);
}

void report_tables_free(struct report_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++) {
		struct report_table *t = &tables->v[i];

		for (size_t j = 0; j < t->nr_rows * t->nr_columns; j++)
			free(t->cells[j]);
		for (size_t j = 0; j < t->nr_columns; j++)
			free(t->heads[j]);
		free(t->title);
		free(t->cells);
		free(t->heads);
		free(t->right);
	}
	free(tables->v);
}
