// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be said of two samples, and of several such comparisons.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

struct ranked {
	double value;
	bool of_a;
	size_t rank;	/* twice the middle of the ranks that equal values share */
};

struct ranking {
	struct ranked *v;
	size_t n, na;
	size_t sum_a;	/* of a's ranks, twice */
	double ties;	/* sum of t^3 - t over groups of t equal values */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void rank_group(struct ranking *r, size_t from, size_t to)
{
	double t = to - from;

	r->ties += t * t * t - t;
	for (size_t i = from; i < to; i++) {
		r->v[i].rank = from + 1 + to;
		r->sum_a += r->v[i].of_a ? from + 1 + to : 0;
	}
}

static bool rank_all(struct ranking *r, const double *a, size_t na, const double *b, size_t nb)
{
	size_t from = 0;

	*r = (struct ranking){ .n = na + nb, .na = na };
	r->v = calloc(r->n, sizeof(*r->v));
	if (!r->v)
		return false;
	for (size_t i = 0; i < r->n; i++)
		r->v[i] = (struct ranked){ i < na ? a[i] : b[i - na], i < na, 0 };
	qsort(r->v, r->n, sizeof(*r->v), compare_ranked);
	for (size_t to = 1; to <= r->n; to++) {
		if (to < r->n && r->v[to].value == r->v[from].value)
			continue;
		rank_group(r, from, to);
		from = to;
	}
	return true;
}

static double z_of(const struct ranking *r, double u)
{
	double na = r->na, nb = r->n - r->na, n = r->n;
	double variance = na * nb / 12 * (n + 1 - r->ties / (n * (n - 1)));

	if (!(variance > 0))
		return 0;
	return fmax(fabs(u - na * nb / 2) - 0.5, 0) / sqrt(variance);
}

static size_t apart(size_t x, size_t y)
{
	return x > y ? x - y : y - x;
}

/*
 * ways[j * width + s]: in how many ways j of the values so far have the sum of ranks s. Only
 * additions, so doubles are good for their 15 digits however large the counts become. With
 * equal values that is the distribution under the condition of just these ties.
 */
static void count_sums(const struct ranking *r, size_t k, size_t unit, double *ways,
		       size_t width)
{
	ways[0] = 1;
	for (size_t i = 0; i < r->n; i++) {
		size_t rank = r->v[i].rank / unit;

		for (size_t j = i + 1 < k ? i + 1 : k; j; j--) {
			const double *fewer = ways + (j - 1) * width;
			double *more = ways + j * width;

			for (size_t s = rank; s < width; s++)
				more[s] += fewer[s - rank];
		}
	}
}

/*
 * P(the sum of ranks of k values of n is as far from its expectation as it was, or farther),
 * and P(it is as far as can be). All for the smaller side: both say the same.
 */
static void set_exact(const struct ranking *r, struct stats_test *t)
{
	size_t k = r->na <= r->n - r->na ? r->na : r->n - r->na;
	size_t unit = r->ties ? 1 : 2, expected = k * (r->n + 1), width = 1;
	size_t distance = apart(r->sum_a, r->na * (r->n + 1)), farthest = 0;
	double all = 0, far = 0, extreme = 0, *ways;

	for (size_t i = 0; i < k; i++)
		width += r->v[r->n - 1 - i].rank / unit;
	ways = calloc((k + 1) * width, sizeof(*ways));
	if (!ways)
		return;
	count_sums(r, k, unit, ways, width);
	for (size_t s = 0; s < width; s++) {
		double here = ways[k * width + s];
		size_t d = apart(s * unit, expected);

		all += here;
		if (d >= distance)
			far += here;
		if (here && d > farthest) {
			farthest = d;
			extreme = 0;
		}
		if (d == farthest)
			extreme += here;
	}
	free(ways);
	t->p = fmin(far / all, 1);
	t->least = fmin(extreme / all, 1);
	t->exact = true;
}

static struct stats_test mann_whitney(const double *a, size_t na, const double *b, size_t nb,
				      size_t exact_runs)
{
	struct stats_test t = { NAN, NAN, NAN, false, false };
	struct ranking r;

	if (!na || !nb || !rank_all(&r, a, na, b, nb))
		return t;
	t.u = r.sum_a / 2.0 - na * (na + 1.0) / 2;
	t.ties = r.ties;
	if (r.n <= exact_runs)
		set_exact(&r, &t);
	if (!t.exact) {
		t.p = erfc(z_of(&r, t.u) / M_SQRT2);
		t.least = stats_least_p(na, nb);
	}
	free(r.v);
	return t;
}

struct stats_test stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
	return mann_whitney(a, na, b, nb, STATS_EXACT_RUNS);
}

struct stats_test stats_mann_whitney_normal(const double *a, size_t na, const double *b,
					    size_t nb)
{
	return mann_whitney(a, na, b, nb, 0);
}

double stats_least_p(size_t na, size_t nb)
{
	double ways = lgamma(na + nb + 1.0) - lgamma(na + 1.0) - lgamma(nb + 1.0);

	return fmin(2 * exp(-ways), 1);
}

struct indexed {
	double p;
	size_t i;
};

static int compare_indexed(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void stats_holm(const double *p, double *adjusted, size_t m)
{
	struct indexed *order = calloc(m ? m : 1, sizeof(*order));
	double largest = 0;

	for (size_t i = 0; i < m; i++) {
		if (order)
			order[i] = (struct indexed){ p[i], i };
		else	/* Bonferroni, which is never smaller */
			adjusted[i] = fmin(p[i] * m, 1);
	}
	if (!order)
		return;
	qsort(order, m, sizeof(*order), compare_indexed);
	for (size_t i = 0; i < m; i++) {
		largest = fmax(largest, fmin(order[i].p * (m - i), 1));
		adjusted[order[i].i] = largest;
	}
	free(order);
}

/* The median of n values drawn from n with replacement. */
static double redrawn_median(const double *sorted, size_t n, unsigned int *drawn,
			     uint64_t *state)
{
	size_t seen = 0, i = 0, low;

	memset(drawn, 0, n * sizeof(*drawn));
	for (size_t k = 0; k < n; k++)
		drawn[stats_random_below(state, n)]++;
	while (seen + drawn[i] <= (n - 1) / 2)
		seen += drawn[i++];
	low = i;
	while (seen + drawn[i] <= n / 2)
		seen += drawn[i++];
	return sorted[low] / 2 + sorted[i] / 2;
}

struct stats_interval stats_bootstrap_ratio(const double *a, size_t na, const double *b,
					    size_t nb, size_t resamples, uint64_t seed)
{
	struct stats_interval ci = { NAN, NAN, NAN };
	size_t tail = (resamples + 1) * STATS_ALPHA / 2;
	unsigned int *drawn;
	double *ratio;

	if (na < STATS_RATIO_RUNS || nb < STATS_RATIO_RUNS || !tail ||
	    !(a[0] >= 0) || !(b[0] > 0))
		return ci;
	drawn = calloc(na > nb ? na : nb, sizeof(*drawn));
	ratio = calloc(resamples, sizeof(*ratio));
	for (size_t i = 0; drawn && ratio && i < resamples; i++) {
		double of_a = redrawn_median(a, na, drawn, &seed);

		ratio[i] = of_a / redrawn_median(b, nb, drawn, &seed);
	}
	if (drawn && ratio) {
		stats_sort(ratio, resamples);
		ci = (struct stats_interval){ ratio[tail - 1], ratio[resamples - tail],
					      1 - STATS_ALPHA };
	}
	free(drawn);
	free(ratio);
	return ci;
}

size_t stats_runs_needed(double difference, double sd_a, double sd_b, double alpha,
			 double power)
{
	double z_alpha = stats_normal_quantile(1 - alpha / 2);
	double z = z_alpha + stats_normal_quantile(power);
	double n = z * z * (sd_a * sd_a + sd_b * sd_b) / (difference * difference) * M_PI / 3 +
		   z_alpha * z_alpha / 4;
	size_t runs;

	if (isnan(n) || !difference)
		return 0;
	if (n >= STATS_MOST_RUNS)
		return STATS_MOST_RUNS;
	for (runs = ceil(n); stats_least_p(runs, runs) > alpha; runs++)
		;
	return runs;
}
