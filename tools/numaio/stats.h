/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The statistics of a report: pure functions of arrays of doubles. What can't be said of a
 * sample is NaN. Formulas and their sources are in man/numaio-report.rst.
 */
#ifndef STATS_H
#define STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_ALPHA		0.05	/* two-sided, of a whole report */
#define STATS_POWER		0.8
#define STATS_RESAMPLES		9999
#define STATS_SEED		1
#define STATS_EXACT_RUNS	120	/* of both sides together: more, and p is approximated */
#define STATS_MEDIAN_RUNS	6	/* fewer, and a median has no 95 % interval */
#define STATS_RATIO_RUNS	5	/* of each side: with fewer a bootstrap says too much */
#define STATS_MOST_RUNS		1000000	/* as runs needed: this many or more */

/**
 * struct stats_interval - A confidence interval.
 * @low: Lower bound.
 * @high: Upper bound.
 * @coverage: Its real level, which is the smallest possible one from 0.95 on; the nominal one
 *	if the method is approximate.
 */
struct stats_interval {
	double low, high, coverage;
};

/**
 * struct stats_summary - One sample.
 * @n: Number of values.
 * @average: Arithmetic mean.
 * @sd: Standard deviation (divisor n - 1), from two values on.
 * @variation: @sd in parts of the absolute @average.
 * @min: Smallest value.
 * @max: Largest value.
 * @median: Median.
 * @of_median: Its distribution-free interval, from STATS_MEDIAN_RUNS values on.
 * @fence_low: Values below it are outliers, @fence_high: and those above.
 * @outliers: How many there are.
 */
struct stats_summary {
	size_t n;
	double average, sd, variation, min, max, median;
	struct stats_interval of_median;
	double fence_low, fence_high;
	size_t outliers;
};

/**
 * struct stats_test - Result of a Mann-Whitney test.
 * @u: Pairs in which the first sample's value is larger, those with equal values half.
 * @p: Two-sided p.
 * @least: The smallest p that these values could have had, however they were dealt out. With ties
 *	it isn't that of stats_least_p().
 * @exact: @p is exact, not approximated.
 * @ties: Some values are equal.
 */
struct stats_test {
	double u, p, least;
	bool exact, ties;
};

void stats_sort(double *x, size_t n);
bool stats_is_outlier(const struct stats_summary *s, double x);
/* All of these want @sorted values in ascending order. */
double stats_median(const double *sorted, size_t n);
struct stats_interval stats_median_interval(const double *sorted, size_t n);
void stats_summarize(const double *sorted, size_t n, struct stats_summary *s);

struct stats_test stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb);
/* As stats_mann_whitney(), but never exact. */
struct stats_test stats_mann_whitney_normal(const double *a, size_t na, const double *b,
					    size_t nb);
/* The smallest p that samples of these sizes can have if no values are equal. */
double stats_least_p(size_t na, size_t nb);
/* p[] corrected for being m comparisons; adjusted[] may be p[]. */
void stats_holm(const double *p, double *adjusted, size_t m);
/* Of median(a) / median(b); both sorted, b positive and a not negative, or it is NaN. */
struct stats_interval stats_bootstrap_ratio(const double *a, size_t na, const double *b,
					    size_t nb, size_t resamples, uint64_t seed);
/* Runs of each side for which the test will probably (@power) show the difference; 0: none. */
size_t stats_runs_needed(double difference, double sd_a, double sd_b, double alpha,
			 double power);
double stats_normal_quantile(double p);

/* Pseudo-random numbers, the same on every machine. */
uint64_t stats_random(uint64_t *state);
size_t stats_random_below(uint64_t *state, size_t n);

#endif
