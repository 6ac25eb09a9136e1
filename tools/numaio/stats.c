// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be said of one sample.
 */
#include <math.h>
#include <stdlib.h>

#include "stats.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof(*x), compare);
}

double stats_median(const double *sorted, size_t n)
{
	if (!n)
		return NAN;
	return sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2;
}

/* P(exactly k of n values are below the median). */
static double below_median(size_t n, size_t k)
{
	return exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) - n * M_LN2);
}

/*
 * The k-th smallest and the k-th largest value miss the median if fewer than k values are
 * below it or above: take the largest k for which that is rare enough.
 */
struct stats_interval stats_median_interval(const double *sorted, size_t n)
{
	struct stats_interval i = { NAN, NAN, NAN };
	double miss = 0;

	for (size_t k = 1; 2 * k <= n; k++) {
		miss += 2 * below_median(n, k - 1);
		if (miss > STATS_ALPHA)
			break;
		i = (struct stats_interval){ sorted[k - 1], sorted[n - k], 1 - miss };
	}
	return i;
}

/* Tukey's hinges: medians of the halves, to both of which a middle value belongs. */
static void set_fences(const double *sorted, size_t n, struct stats_summary *s)
{
	size_t half = (n + 1) / 2;
	double low = stats_median(sorted, half);
	double high = stats_median(sorted + n - half, half);

	s->fence_low = low - 1.5 * (high - low);
	s->fence_high = high + 1.5 * (high - low);
	for (size_t i = 0; i < n; i++)
		s->outliers += stats_is_outlier(s, sorted[i]);
}

bool stats_is_outlier(const struct stats_summary *s, double x)
{
	return x < s->fence_low || x > s->fence_high;
}

static void set_moments(const double *x, size_t n, struct stats_summary *s)
{
	long double sum = 0, squares = 0, average;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	average = sum / n;
	s->average = average;
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - average) * (x[i] - average);
	s->sd = sqrtl(squares / (n - 1));
	if (s->average)
		s->variation = s->sd / fabs(s->average);
}

void stats_summarize(const double *sorted, size_t n, struct stats_summary *s)
{
	*s = (struct stats_summary){ .n = n, .average = NAN, .sd = NAN, .variation = NAN,
		.min = NAN, .max = NAN, .median = stats_median(sorted, n),
		.of_median = stats_median_interval(sorted, n),
		.fence_low = NAN, .fence_high = NAN };
	if (!n)
		return;
	s->min = sorted[0];
	s->max = sorted[n - 1];
	set_moments(sorted, n, s);
	set_fences(sorted, n, s);
}

double stats_normal_quantile(double p)
{
	double low = -40, high = 40;

	if (!(p > 0 && p < 1))
		return p <= 0 ? -INFINITY : p >= 1 ? INFINITY : NAN;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (erfc(-middle / M_SQRT2) / 2 < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Weyl sequence with a mixing function (Steele, Lea, Flood 2014: SplitMix). */
uint64_t stats_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

size_t stats_random_below(uint64_t *state, size_t n)
{
	return (stats_random(state) >> 32) * (uint64_t)n >> 32;
}
