// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of runs, sets of CPUs, and the expansion of a matrix.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

static int tests;

static void ok(bool good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++tests, name);
}

#define N	7
#define BLOCKS	7000

static bool is_permutation(const size_t *order, size_t n)
{
	unsigned long seen = 0;

	for (size_t i = 0; i < n; i++)
		if (order[i] < n)
			seen |= 1UL << order[i];
	return seen == (1UL << n) - 1;
}

static void test_order(void)
{
	static int count[N][N];	/* variant, position */
	bool permutations = true, same = true, even = true, differs = false, seeds = false;
	size_t a[N], b[N], last[N] = { 0 };
	double chi2 = 0, expected = BLOCKS / (double)N;

	for (int block = 0; block < BLOCKS; block++) {
		run_order(5, block, N, a);
		run_order(5, block, N, b);
		same &= !memcmp(a, b, sizeof(a));
		permutations &= is_permutation(a, N);
		differs |= block && memcmp(a, last, sizeof(a));
		run_order(6, block, N, b);
		seeds |= !!memcmp(a, b, sizeof(a));
		memcpy(last, a, sizeof(a));
		for (int i = 0; i < N; i++)
			count[a[i]][i]++;
	}
	for (int v = 0; v < N; v++)
		for (int i = 0; i < N; i++)
			chi2 += (count[v][i] - expected) * (count[v][i] - expected) / expected;
	/* 36 degrees of freedom: 36 +- 8.5; 80 has p = 3e-5, and nothing here is random */
	even = chi2 > 5 && chi2 < 80;
	ok(permutations, "each block has each variant once");
	ok(same, "the same seed gives the same order");
	ok(differs, "blocks differ");
	ok(seeds, "seeds differ");
	ok(even, "each variant is at each position as often as chance has it");
	run_order(1, 0, 1, a);
	ok(a[0] == 0, "one variant");
}

static void test_cpus(void)
{
	static const char *const good[] = { "", "0", "0-3", "0-3,8", "0,2,4-6,8191", "63-64" };
	static const char *const bad[] = { "-", "1-", "a", "1,", ",1", "3-1", "8192", "0-99999999",
					   "1 2", "0x1", "1,,2" };
	struct cpus c, d;
	bool round = true, refused = true, mask = true;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		char *s, *m;

		round &= run_cpus_list(good[i], &c);
		s = cpus_list(&c);
		m = cpus_mask(&c);
		round &= !strcmp(s, good[i]);
		mask &= !cpus_parse_mask(&d, m) && cpus_same(&c, &d);
		free(s);
		free(m);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused &= !run_cpus_list(bad[i], &c);
	ok(round, "lists of CPUs read and print the same");
	ok(mask, "masks read as they were printed");
	ok(refused, "what is no list is refused");
	run_cpus_list("32-33", &c);
	ok(!cpus_parse_mask(&d, "00000003,00000000") && cpus_same(&c, &d), "words of a mask");
	ok(cpus_parse_mask(&d, "") && cpus_parse_mask(&d, "0x3"), "what is no mask is refused");
}

static struct run_experiment *parse(const char *text)
{
	return run_ini_parse("test.ini", text, strlen(text), NULL, stderr);
}

static bool names_are(const struct run_experiment *e, const char *names)
{
	char *all = run_dup(""), *next;
	bool same;

	for (size_t i = 0; e && i < e->n_variants; i++) {
		next = run_format("%s%s ", all, e->variants[i].name);
		free(all);
		all = next;
	}
	same = !strcmp(all, names);
	if (!same)
		printf("# \"%s\"\n", all);
	free(all);
	return same;
}

static void test_matrix(void)
{
	struct run_experiment *e;

	e = parse("[matrix]\na = 1 2\nb = x y z\n[parameters]\np = q\n"
		  "[load]\ncommand = c %{p}\nargs = v\n[metric m]\npattern = (.)\n"
		  "[variant base]\n[variant %{b}-%{a}-%{p}]\n"
		  "rq_affinity = sd%{b} -> %{a}\nargs = %{b}\n[variant only%{a}]\n");
	ok(names_are(e, "base x-1-q y-1-q z-1-q x-2-q y-2-q z-2-q only1 only2 "),
	   "a matrix expands by the variables of the name, the last one of [matrix] fastest");
	ok(e && !strcmp(e->variants[6].wants[0].target, "sdz") &&
	   !strcmp(e->variants[6].wants[0].value, "2"), "variables in values");
	ok(e && !strcmp(e->variants[6].load.args, "z") && !strcmp(e->variants[0].load.args, "v") &&
	   !strcmp(e->variants[6].load.command, "c q"), "a variant's load replaces that of [load]");
	ok(e && e->variants[6].vars.n == 2 && !strcmp(e->variants[6].vars.v[0].value, "2") &&
	   e->variants[0].vars.n == 0 && e->variants[0].baseline && !e->variants[1].baseline,
	   "variables of a variant; the first one is the baseline");
	run_ini_free(e);
}

static void test_lines(void)
{
	struct run_experiment *e;

	e = parse("\xef\xbb\xbf; a comment\n[load]\r\ncommand = a ; b # c\r\n"
		  "[metric m]\npattern: x=(.)\n[variant v]\nsysfs = /sys/a -> 1\n"
		  "\t/sys/b -> 2 -> 3\n  # comment\nsysfs = /sys/c->d -> 4");
	ok(e && !strcmp(e->variants[0].load.command, "a ; b # c"),
	   "a comment begins only where a line does");
	ok(e && e->variants[0].n_wants == 3 && !strcmp(e->variants[0].wants[1].target, "/sys/b") &&
	   !strcmp(e->variants[0].wants[1].value, "2 -> 3") &&
	   !strcmp(e->variants[0].wants[2].target, "/sys/c->d"),
	   "continued lines; the first arrow counts");
	run_ini_free(e);
}

static void test_match(void)
{
	ok(run_match("nvme0q[0-9]+", "nvme0q12") && !run_match("nvme0q", "nvme0q1") &&
	   !run_match("vme.*", "nvme0q1") && run_match("a|b", "b") && !run_match("a|b", "ab"),
	   "patterns match whole names");
}

int main(void)
{
	puts("KTAP version 1");
	test_order();
	test_cpus();
	test_matrix();
	test_lines();
	test_match();
	printf("1..%d\n", tests);
	return 0;
}
