/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * numaio report: one model of what is to be said, and the printers of it.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "report-record.h"
#include "stats.h"

#define REPORT_SCHEMA		1	/* of the printed JSON */
#define REPORT_MIN_EFFECT	0.03

struct report_options {
	const char *baseline;		/* name of a variant, or NULL */
	struct report_strings metrics;	/* to compare; none: the primary ones */
	double min_effect;
};

enum report_verdict {
	REPORT_IS_BASELINE,	/* compared with itself: not compared */
	REPORT_NO_BASELINE,	/* nothing to compare with */
	REPORT_EMULATED,
	REPORT_NO_DIRECTION,	/* neither more nor less is better */
	REPORT_TOO_FEW,
	REPORT_NO_DIFFERENCE,
	REPORT_BETTER,
	REPORT_WORSE,
};

/**
 * struct report_cell - One metric of one variant.
 * @values: Its figures in ascending order.
 * @sum: What can be said of them.
 * @missing: Runs that count but haven't the metric.
 * @base: What it is compared with, or NULL.
 * @ratio: Median to median of @base; NaN if they are no positive numbers.
 * @of_ratio: Its interval.
 * @test: p and its like.
 * @p_holm: p corrected for all comparisons of the report.
 * @least_p_holm: The smallest that it can be with so few runs.
 * @needed: Runs of each side to show the observed difference; 0: unknown or none.
 * @needed_min: Runs of each side to show the minimum effect.
 * @verdict: What is to be said.
 */
struct report_cell {
	double *values;
	struct stats_summary sum;
	size_t missing;
	const struct report_cell *base;
	double ratio;
	struct stats_interval of_ratio;
	struct stats_test test;
	double p_holm, least_p_holm;
	size_t needed, needed_min;
	enum report_verdict verdict;
};

/* One variant, whatever the metric. */
struct report_side {
	const char *name;
	size_t ok, failed, interrupted, warm_up, marked;
	size_t with_interrupts;
	double *per_node;	/* average of a run, by report_record.nodes */
	const struct report_side *base;
};

/* A record with the figures of each variant: cells[metric * nr_variants + variant]. */
struct report_part {
	const struct report_record *rec;
	struct report_side *sides;
	struct report_cell *cells;
};

/**
 * struct report - All that is printed.
 * @own: The record.
 * @base: The one to compare with: another one, or @own again.
 * @against: It is another one.
 * @emulated: One of them is of an emulated CPU.
 * @compared: By metric: is it compared?
 * @nr_comparisons: Tests made, for which Holm corrects.
 * @rows, @columns: Variables of the matrix, or NULL: names only.
 */
struct report {
	struct report_options options;
	struct report_part own, base;
	bool against, emulated;
	bool *compared;
	size_t nr_comparisons;
	const char *rows, *columns;
};

/* NULL and *@error if an option names what isn't there. @base may be NULL. */
struct report *report_make(const struct report_record *rec, const struct report_record *base,
			   const struct report_options *options, char **error);
void report_free(struct report *r);

const struct report_cell *report_cell(const struct report_part *p, size_t metric, size_t variant);
/* May figures of this metric be shown? On an emulated CPU only counts mean something. */
bool report_shown(const struct report *r, const struct report_metric *m);
const char *report_verdict_name(enum report_verdict verdict);
/* Could a setting not be made, one of the variant's own or of all variants? */
bool report_setting_missed(const struct report_record *rec, size_t variant);
/* The value of a variable of a variant's cell, or NULL. */
const char *report_variable(const struct report_variant *v, const char *name);

/* Its values in the order in which the variants have them; free(values->v). */
void report_values(const struct report_record *rec, const char *variable,
		   struct report_strings *values);

/* Remarks: what a reader must know beside the figures. */
struct report_remarks {
	size_t n;
	char **v;
};

void report_remarks(const struct report *r, struct report_remarks *remarks);
void report_remarks_free(struct report_remarks *remarks);

/* Tables of text, for people. */
struct report_table {
	char *title;
	size_t nr_columns, nr_rows;
	bool *right;		/* by column: align to the right */
	char **heads;
	char **cells;		/* cells[row * nr_columns + column] */
};

struct report_tables {
	size_t n;
	struct report_table *v;
};

void report_tables(const struct report *r, struct report_tables *tables);
void report_tables_free(struct report_tables *tables);
char *report_number(double x);

/* Printers; false: the output couldn't be written. */
bool report_print_text(const struct report *r, FILE *f);
bool report_print_markdown(const struct report *r, FILE *f);
bool report_print_csv(const struct report *r, FILE *f);
bool report_print_json(const struct report *r, FILE *f);

/* PREFIX-METRIC.png and the like; an exit code. */
int report_plot(const struct report *r, const char *prefix);

#endif
