// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statistics of numaio report: published figures, counting by hand, properties and
 * simulations. Simulations have fixed seeds.
 */
#include <stdlib.h>
#include <string.h>

#include "report-ktap.h"
#include "stats.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))

static uint64_t state = 2026;

static double uniform(void)
{
	return (stats_random(&state) >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

static double p_of(const double *a, size_t na, const double *b, size_t nb)
{
	struct stats_test t = stats_mann_whitney(a, na, b, nb);

	expect(t.exact, "%zu and %zu values: p is not exact", na, nb);
	return t.p;
}

/* NIST Statistical Reference Datasets, univariate: certified means and standard deviations. */
static void nist(void)
{
	static const struct {
		const char *name;
		double first, low, high;
		size_t n;
		double average, sd, tolerance;
	} sets[] = {
		{ "NumAcc1", 10000001, 10000003, 10000002, 3, 10000002, 1, 1e-14 },
		{ "NumAcc2", 1.2, 1.1, 1.3, 1001, 1.2, 0.1, 1e-14 },
		{ "NumAcc3", 1000000.2, 1000000.1, 1000000.3, 1001, 1000000.2, 0.1, 1e-9 },
		{ "NumAcc4", 10000000.2, 10000000.1, 10000000.3, 1001, 10000000.2, 0.1, 1e-8 },
	};

	for (size_t i = 0; i < N(sets); i++) {
		double x[1001] = { sets[i].first };
		struct stats_summary s;

		for (size_t j = 1; j < sets[i].n; j++)
			x[j] = j % 2 ? sets[i].low : sets[i].high;
		stats_sort(x, sets[i].n);
		stats_summarize(x, sets[i].n, &s);
		expect_near(s.average / sets[i].average, 1, 1e-15, sets[i].name);
		expect_near(s.sd, sets[i].sd, sets[i].tolerance, sets[i].name);
	}
}

static void summary(void)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 30 };
	struct stats_summary s;

	stats_summarize(x, N(x), &s);
	expect(s.min == 1 && s.max == 30 && s.median == 5.5, "min, max or median");
	expect_near(s.average, 7.5, 0, "average");
	expect_near(s.variation, s.sd / 7.5, 1e-15, "variation");
	/* Hinges 3 and 8. */
	expect(s.fence_low == -4.5 && s.fence_high == 15.5, "fences %g %g", s.fence_low,
	       s.fence_high);
	expect(s.outliers == 1 && stats_is_outlier(&s, 30) && !stats_is_outlier(&s, 9),
	       "%zu outliers", s.outliers);
	stats_summarize(x, 9, &s);
	expect(s.fence_low == 3 - 6 && s.fence_high == 7 + 6 && !s.outliers,
	       "the middle value belongs to both halves");
	stats_summarize(x, 1, &s);
	expect(s.average == 1 && isnan(s.sd) && isnan(s.of_median.low) && !s.outliers, "one value");
	stats_summarize(NULL, 0, &s);
	expect(!s.n && isnan(s.average) && isnan(s.median), "no value");
}

/* Binomial sums: 1 - 2 (sum of C(n, i) for i < k) / 2^n. */
static void median_interval(void)
{
	static const struct {
		size_t n, k;
		double coverage;
	} known[] = {
		{ 6, 1, 1 - 2.0 / 64 }, { 8, 1, 1 - 2.0 / 256 }, { 9, 2, 1 - 2 * 10.0 / 512 },
		{ 10, 2, 1 - 2 * 11.0 / 1024 }, { 12, 3, 1 - 2 * 79.0 / 4096 },
		{ 15, 4, 1 - 2 * 576.0 / 32768 }, { 20, 6, 1 - 2 * 21700.0 / 1048576 },
	};
	double x[5000];

	for (size_t i = 0; i < N(x); i++)
		x[i] = i + 1;
	for (size_t i = 0; i < N(known); i++) {
		struct stats_interval ci = stats_median_interval(x, known[i].n);

		expect(ci.low == known[i].k && ci.high == known[i].n + 1 - known[i].k,
		       "n = %zu: %g to %g", known[i].n, ci.low, ci.high);
		expect_near(ci.coverage, known[i].coverage, 1e-12, "coverage");
	}
	for (size_t n = 0; n < STATS_MEDIAN_RUNS; n++)
		expect(isnan(stats_median_interval(x, n).low), "n = %zu has an interval", n);
	/* More values than 2^-n can be written for. */
	expect_near(stats_median_interval(x, N(x)).coverage, 0.95, 0.002, "5000 values");
}

static void normal_quantile(void)
{
	expect_near(stats_normal_quantile(0.975), 1.959963984540054, 1e-14, "0.975");
	expect_near(stats_normal_quantile(0.8), 0.8416212335729143, 1e-14, "0.8");
	expect_near(stats_normal_quantile(1e-10), -6.361340902404056, 1e-12, "1e-10");
}

/* Mann and Whitney 1947 (Annals of Mathematical Statistics 18), table I: P(U <= u). */
static void mann_whitney_1947(void)
{
	static const struct {
		size_t n, m;
		double p[9];	/* by u, while that is at most 0.5 */
	} table[] = {
		{ 3, 1, { 0.250, 0.500 } },
		{ 3, 2, { 0.100, 0.200, 0.400 } },
		{ 3, 3, { 0.050, 0.100, 0.200, 0.350, 0.500 } },
		{ 4, 4, { 0.014, 0.029, 0.057, 0.100, 0.171, 0.243, 0.343, 0.443 } },
	};

	for (size_t i = 0; i < N(table); i++) {
		size_t n = table[i].n, m = table[i].m;

		for (size_t u = 0; u < N(table[i].p) && table[i].p[u]; u++) {
			double a[4], b[4], p;

			/* The first sample has u pairs in its favour. */
			for (size_t j = 0; j < m; j++)
				b[j] = 10 * (j + 1);
			for (size_t j = 0, left = u; j < n; j++) {
				size_t over = left < m ? left : m;

				a[j] = 10 * over + 1 + j;
				left -= over;
			}
			p = p_of(a, n, b, m);
			expect_near(p, 2 * table[i].p[u], 0.001 + 1e-9, "p");
		}
	}
}

static void small_samples(void)
{
	static const double low[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const double high[] = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

	expect_near(p_of(low, 3, high, 3), 0.1, 1e-15, "3 and 3");
	expect_near(p_of(low, 4, high, 4), 2.0 / 70, 1e-15, "4 and 4");
	expect_near(p_of(low, 5, high, 5), 2.0 / 252, 1e-15, "5 and 5");
	expect_near(p_of(low, 10, high, 10), 2.0 / 184756, 1e-15, "10 and 10");
	for (size_t n = 1; n <= 10; n++)
		for (size_t m = 1; m <= 10; m++)
			expect_near(stats_least_p(n, m), p_of(low, n, high, m), 1e-12, "least p");
	expect_near(p_of(low, 5, low, 5), 1, 0, "a sample and itself");
	expect(isnan(stats_mann_whitney(low, 0, high, 3).p), "p of an empty sample");
}

static void textbooks(void)
{
	/*
	 * Hollander and Wolfe, Nonparametric Statistical Methods, permeability of the human
	 * chorioamnion at term and at 12 to 26 weeks: exact two-sided p 0.2544 (1999, p. 111).
	 */
	static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double weeks[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	/*
	 * StatXact-4 manual, p. 221, diastolic blood pressure, with ties: exact two-sided p
	 * 0.0989.
	 */
	static const double treated[] = { 94, 108, 110, 90 };
	static const double control[] = { 80, 94, 85, 90, 90, 90, 108, 94, 78, 105, 88 };
	/*
	 * Manual of scipy.stats.mannwhitneyu, age at diagnosis of diabetes: U = 17, exact p
	 * 0.1111, p by the normal approximation with continuity correction 0.11134688653314041.
	 */
	static const double males[] = { 19, 22, 16, 29, 24 }, females[] = { 20, 11, 17, 12 };
	struct stats_test t;

	t = stats_mann_whitney(term, N(term), weeks, N(weeks));
	expect(t.u == 35 && !t.ties, "Hollander, Wolfe: U = %g", t.u);
	expect_near(t.p, 0.2544, 0.00005, "Hollander, Wolfe");
	t = stats_mann_whitney(treated, N(treated), control, N(control));
	expect(t.exact && t.ties, "StatXact: exact %d, ties %d", t.exact, t.ties);
	expect_near(t.p, 0.0989, 0.00005, "StatXact");
	t = stats_mann_whitney(males, N(males), females, N(females));
	expect(t.u == 17, "scipy: U = %g", t.u);
	expect_near(t.p, 0.11111111111111111, 1e-15, "scipy, exact");
	t = stats_mann_whitney_normal(males, N(males), females, N(females));
	expect(!t.exact, "scipy: exact");
	expect_near(t.p, 0.11134688653314041, 1e-14, "scipy, normal");
}

static double pairs_won(const double *x, unsigned int of_a, size_t n)
{
	double u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (of_a >> i & 1 && !(of_a >> j & 1))
				u += x[i] > x[j] ? 1 : x[i] == x[j] ? 0.5 : 0;
	return u;
}

static void split(const double *x, unsigned int of_a, size_t n, double *a, double *b)
{
	for (size_t i = 0; i < n; i++)
		*(of_a >> i & 1 ? a++ : b++) = x[i];
}

/* p by going through all ways to deal the n values to both sides, U counted pair by pair. */
static double p_by_hand(const double *x, unsigned int of_a, size_t n)
{
	size_t na = __builtin_popcount(of_a), far = 0, all = 0;
	double middle = na * (n - na) / 2.0, distance = fabs(pairs_won(x, of_a, n) - middle);

	for (unsigned int deal = 0; deal < 1u << n; deal++) {
		if ((size_t)__builtin_popcount(deal) != na)
			continue;
		all++;
		far += fabs(pairs_won(x, deal, n) - middle) >= distance;
	}
	return (double)far / all;
}

static void by_hand(void)
{
	for (int i = 0; i < 120; i++) {
		size_t n = 2 + stats_random_below(&state, 8);
		unsigned int of_a = 1 + stats_random_below(&state, (1u << n) - 2);
		size_t values = 1 + stats_random_below(&state, 2 * n);
		double x[10], a[10], b[10];

		for (size_t j = 0; j < n; j++)
			x[j] = stats_random_below(&state, values);
		split(x, of_a, n, a, b);
		expect_near(p_of(a, __builtin_popcount(of_a), b, n - __builtin_popcount(of_a)),
			    p_by_hand(x, of_a, n), 1e-13, "p");
	}
}

/* The smallest p of all deals; with ties it may be that of one deal. */
static void least_by_hand(void)
{
	static const double x[] = { 1, 1, 1, 1, 2, 3, 4, 5 };
	struct stats_test t = { .least = NAN };
	double a[8], b[8], least = 1;

	for (unsigned int deal = 0; deal < 1u << 8; deal++) {
		if (__builtin_popcount(deal) != 3)
			continue;
		split(x, deal, 8, a, b);
		least = fmin(least, p_by_hand(x, deal, 8));
		t = stats_mann_whitney(a, 3, b, 5);
	}
	expect_near(t.least, least, 1e-15, "least p");
	expect_near(least, 1 / 56.0, 1e-15, "least p of 3 and 5 with these ties");
	t = stats_mann_whitney(x + 4, 2, x + 6, 2);
	expect_near(t.least, stats_least_p(2, 2), 1e-15, "without ties");
}

/* Under the null hypothesis all deals are alike: just a share p of them must have p or less. */
static void uniform_under_permutation(void)
{
	static const double sets[][9] = {
		{ 1, 2, 3, 4, 5, 6, 7, 8, 9 }, { 1, 1, 2, 3, 3, 3, 4, 7, 7 },
		{ 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	};

	for (size_t s = 0; s < N(sets); s++) {
		double p[126], a[9], b[9];
		size_t n = 0;

		for (unsigned int deal = 0; deal < 1u << 9; deal++) {
			if (__builtin_popcount(deal) != 4)
				continue;
			split(sets[s], deal, 9, a, b);
			p[n++] = p_of(a, 4, b, 5);
		}
		expect(n == N(p), "%zu deals", n);
		for (size_t i = 0; i < n; i++) {
			size_t rarer = 0;

			for (size_t j = 0; j < n; j++)
				rarer += p[j] <= p[i] + 1e-12;
			expect_near(rarer / 126.0, p[i], 1e-12, "share of deals");
		}
	}
}

static void invariant(void)
{
	for (int i = 0; i < 50; i++) {
		size_t na = 1 + stats_random_below(&state, 15);
		size_t nb = 1 + stats_random_below(&state, 15);
		double a[15], b[15], ta[15], tb[15], p;

		for (size_t j = 0; j < 15; j++) {
			a[j] = round(4 * normal());
			b[j] = round(4 * normal() + 2);
			ta[j] = exp(a[j] / 3);
			tb[j] = exp(b[j] / 3);
		}
		p = p_of(a, na, b, nb);
		expect(p > 0 && p <= 1, "p = %g", p);
		expect_near(p_of(b, nb, a, na), p, 1e-12, "sides changed");
		expect_near(p_of(ta, na, tb, nb), p, 0, "exponential");
		for (size_t j = 0; j < 15; j++) {
			ta[j] = -a[j];
			tb[j] = -b[j];
		}
		expect_near(p_of(ta, na, tb, nb), p, 1e-12, "negative");
	}
}

/* The approximation takes over where it is good. */
static void approximation(void)
{
	double a[61], b[61];
	struct stats_test exact, beyond, by_normal;

	for (size_t i = 0; i < N(a); i++) {
		a[i] = normal();
		b[i] = normal() + 0.4;
	}
	exact = stats_mann_whitney(a, 60, b, 60);
	by_normal = stats_mann_whitney_normal(a, 60, b, 60);
	expect(exact.exact && !by_normal.exact, "60 and 60: exact");
	expect_near(by_normal.p / exact.p, 1, 0.03, "60 and 60: normal to exact");
	beyond = stats_mann_whitney(a, 61, b, 60);
	expect(!beyond.exact, "61 and 60: not exact");
	for (size_t i = 0; i < N(a); i++) {
		a[i] = round(a[i]);
		b[i] = round(b[i]);
	}
	exact = stats_mann_whitney(a, 60, b, 60);
	by_normal = stats_mann_whitney_normal(a, 60, b, 60);
	expect(exact.exact && exact.ties, "60 and 60 with ties: exact");
	expect_near(by_normal.p / exact.p, 1, 0.03, "with ties: normal to exact");
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	expect_near(stats_mann_whitney(a, 61, b, 61).p, 1, 0, "all equal");
}

static void holm(void)
{
	/* By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03; the largest can't be below the one before. */
	static const double p[] = { 0.01, 0.04, 0.03, 0.005 };
	static const double shall[] = { 0.03, 0.06, 0.06, 0.02 };
	double is[4], many[10], before[10], after[10];

	stats_holm(p, is, 4);
	for (size_t i = 0; i < 4; i++)
		expect_near(is[i], shall[i], 1e-15, "adjusted p");
	stats_holm(p, is, 0);
	for (int round = 0; round < 200; round++) {
		size_t m = 1 + stats_random_below(&state, 10), k = stats_random_below(&state, m);

		for (size_t i = 0; i < m; i++)
			many[i] = uniform() * uniform();
		stats_holm(many, before, m);
		for (size_t i = 0; i < m; i++) {
			expect(before[i] >= many[i] && before[i] <= fmin(1, m * many[i]),
			       "not between p and Bonferroni's");
			for (size_t j = 0; j < m; j++)
				expect(many[i] > many[j] || before[i] <= before[j],
				       "order changed");
		}
		many[k] += (1 - many[k]) * uniform();
		stats_holm(many, after, m);
		for (size_t i = 0; i < m; i++)
			expect(after[i] >= before[i], "a larger p made another smaller");
	}
	many[0] = 0.5;
	stats_holm(many, many, 1);
	expect_near(many[0], 0.5, 0, "one comparison, in place");
}

/* Share of 95 % intervals that hold the true ratio, 1.1, of the medians of normal samples. */
static double ratio_coverage(size_t n, int rounds)
{
	int held = 0;

	for (int i = 0; i < rounds; i++) {
		double a[20], b[20];
		struct stats_interval ci;

		for (size_t j = 0; j < n; j++) {
			a[j] = 110 * (1 + 0.03 * normal());
			b[j] = 100 * (1 + 0.03 * normal());
		}
		stats_sort(a, n);
		stats_sort(b, n);
		ci = stats_bootstrap_ratio(a, n, b, n, 499, i);
		held += ci.low <= 1.1 && ci.high >= 1.1;
	}
	return (double)held / rounds;
}

static void bootstrap(void)
{
	static const double a[] = { 101, 102, 103, 104, 105, 106 };
	static const double b[] = { 100, 100, 100, 100, 100 };
	static const double zero[] = { 0, 1, 2, 3, 4 };
	struct stats_interval ci = stats_bootstrap_ratio(a, 6, b, 5, 9999, 1);
	struct stats_interval again = stats_bootstrap_ratio(a, 6, b, 5, 9999, 1);
	double coverage;

	expect(ci.low == again.low && ci.high == again.high, "the same seed, another interval");
	expect(ci.low >= 1.01 && ci.low < 1.035 && ci.high > 1.035 && ci.high <= 1.06,
	       "%g to %g", ci.low, ci.high);
	expect(isnan(stats_bootstrap_ratio(a, 6, zero, 5, 999, 1).low), "a ratio to 0");
	expect(isnan(stats_bootstrap_ratio(a, 4, b, 5, 999, 1).low), "4 values");
	for (size_t n = STATS_RATIO_RUNS; n <= 20; n += 5) {
		coverage = ratio_coverage(n, 1500);
		printf("# n = %zu: the interval holds the ratio in %.1f %%\n", n, 100 * coverage);
		expect(coverage > 0.93 && coverage < 0.985, "coverage %.3f", coverage);
	}
}

/* The share of significant tests if as many runs are made as were said to be needed. */
static double power_of(double difference, double alpha, size_t *runs)
{
	int shown = 0, rounds = 500;

	*runs = stats_runs_needed(difference, 1, 1, alpha, STATS_POWER);
	expect(*runs > 1 && *runs <= 60, "%zu runs", *runs);
	for (int i = 0; i < rounds && *runs <= 60; i++) {
		double a[60], b[60];

		for (size_t j = 0; j < *runs; j++) {
			a[j] = normal();
			b[j] = normal() + difference;
		}
		shown += stats_mann_whitney(a, *runs, b, *runs).p <= alpha;
	}
	return (double)shown / rounds;
}

static void runs_needed(void)
{
	static const struct {
		double difference, alpha;
	} cases[] = {
		{ 1, 0.05 }, { 1.5, 0.05 }, { 2, 0.05 }, { 1.2, 0.01 }, { 2, 0.005 },
	};
	size_t runs;

	for (size_t i = 0; i < N(cases); i++) {
		double power = power_of(cases[i].difference, cases[i].alpha, &runs);

		printf("# %g standard deviations at %g: %zu runs, power %.3f\n",
		       cases[i].difference, cases[i].alpha, runs, power);
		/* Sizes are whole, levels of so few runs coarse. */
		expect(power > 0.73 && power < 0.93, "power %.3f", power);
	}
	/* However large the difference: p must be able to be small enough. */
	expect(stats_runs_needed(1e9, 1, 1, 0.05, 0.8) == 4, "least number of runs at 0.05");
	expect(stats_runs_needed(1e9, 1, 1, 0.01, 0.8) == 5, "least number of runs at 0.01");
	expect(stats_runs_needed(1, 0, 0, 0.05, 0.8) == 4, "no variation");
	expect(!stats_runs_needed(0, 1, 1, 0.05, 0.8), "no difference");
	expect(!stats_runs_needed(0, 0, 0, 0.05, 0.8), "neither");
	expect(!stats_runs_needed(1, NAN, 1, 0.05, 0.8), "one run only");
	expect(stats_runs_needed(1e-9, 1, 1, 0.05, 0.8) == STATS_MOST_RUNS, "a tiny difference");
}

int main(void)
{
	puts("KTAP version 1");
	ktap_case("averages and standard deviations of NIST", nist);
	ktap_case("summary and outliers", summary);
	ktap_case("interval of the median", median_interval);
	ktap_case("normal quantiles", normal_quantile);
	ktap_case("p of Mann and Whitney's table", mann_whitney_1947);
	ktap_case("p of small samples", small_samples);
	ktap_case("p of textbooks", textbooks);
	ktap_case("p by going through all deals", by_hand);
	ktap_case("the least p by going through all deals", least_by_hand);
	ktap_case("p is uniform under permutation", uniform_under_permutation);
	ktap_case("p is invariant", invariant);
	ktap_case("normal approximation of p", approximation);
	ktap_case("Holm", holm);
	ktap_case("bootstrap", bootstrap);
	ktap_case("runs needed", runs_needed);
	return ktap_end();
}
