// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report as CSV (RFC 4180 but for the line ends): a line for each metric and variant.
 */
#include <math.h>
#include <string.h>

#include "report.h"

static void put_text(const char *s, FILE *f)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void put_number(double x, bool shown, FILE *f)
{
	putc(',', f);
	if (shown && !isnan(x))
		fprintf(f, "%.10g", x);
}

static void put_sample(const struct report_cell *c, bool shown, FILE *f)
{
	put_number(c->sum.average, shown, f);
	put_number(c->sum.sd, shown, f);
	put_number(c->sum.variation, shown, f);
	put_number(c->sum.min, shown, f);
	put_number(c->sum.max, shown, f);
	put_number(c->sum.median, shown, f);
	put_number(c->sum.of_median.low, shown, f);
	put_number(c->sum.of_median.high, shown, f);
	put_number(c->sum.outliers, shown, f);
}

static void put_comparison(const struct report_cell *c, const struct report_side *s,
			   bool compared, FILE *f)
{
	putc(',', f);
	if (c->base)
		put_text(s->base->name, f);
	put_number(c->ratio, true, f);
	put_number(c->of_ratio.low, true, f);
	put_number(c->of_ratio.high, true, f);
	put_number(c->test.p, true, f);
	fprintf(f, ",%s", !c->base ? "" : c->test.exact ? "exact" : "normal");
	put_number(c->p_holm, true, f);
	fprintf(f, ",%s", compared ? report_verdict_name(c->verdict) : "");
	put_number(c->needed, c->base && c->needed, f);
	put_number(c->needed_min, c->base && c->needed_min, f);
}

static void put_line(const struct report *r, size_t metric, size_t variant, FILE *f)
{
	const struct report_record *rec = r->own.rec;
	const struct report_metric *m = &rec->metrics[metric];
	const struct report_cell *c = report_cell(&r->own, metric, variant);
	const struct report_side *s = &r->own.sides[variant];

	put_text(m->name, f);
	putc(',', f);
	put_text(m->unit, f);
	putc(',', f);
	put_text(s->name, f);
	fprintf(f, ",%zu,%zu,%zu,%zu,%zu,%zu,%d", s->ok, c->missing, s->warm_up, s->failed,
		s->interrupted, s->marked, report_setting_missed(rec, variant));
	put_sample(c, report_shown(r, m), f);
	put_comparison(c, s, r->compared[metric], f);
	for (size_t i = 0; i < rec->nr_nodes; i++)
		put_number(s->per_node[i], s->with_interrupts, f);
	putc('\n', f);
}

bool report_print_csv(const struct report *r, FILE *f)
{
	const struct report_record *rec = r->own.rec;

	fputs("metric,unit,variant,runs,without_figure,warm_up,failed,interrupted,marked,"
	      "setting_missed,average,"
	      "sd,variation,min,max,median,median_low,median_high,outliers,base,ratio,ratio_low,"
	      "ratio_high,p,p_method,p_holm,verdict,runs_needed,runs_needed_min_effect", f);
	for (size_t i = 0; i < rec->nr_nodes; i++)
		fprintf(f, ",interrupts_node_%zu", rec->nodes[i]);
	putc('\n', f);
	for (size_t m = 0; m < rec->nr_metrics; m++)
		for (size_t v = 0; v < rec->nr_variants; v++)
			put_line(r, m, v, f);
	return !ferror(f);
}
