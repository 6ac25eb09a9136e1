// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench BUILD RUNS MILLISECONDS BASE PATCHED: run the workers of two arms in turn and
 * compare them. BASE and PATCHED name the sources. Writes BUILD/bench.json, too.
 *
 * The ratio is that of two neighbouring runs. Its median and a confidence interval of
 * at least 95 % are order statistics of these ratios: nothing is assumed of how they
 * are distributed.
 */
#include <err.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA		1
#define MAX_RUNS	1000
#define LINE		512
#define CONFIDENCE	0.95
#define QUIET		0.97
/* Interval around 1 that is narrow enough to speak of no difference. */
#define EQUAL		0.05
#define LAYOUTS		3	/* of the code, as in the Makefile */
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct arm - One side of a comparison.
 * @name: Name in the table.
 * @side: Directory of its worker.
 * @layout: Layout of the map.
 */
struct arm {
	const char *name;
	const char *side;
	const char *layout;
};

static const struct arm unpatched = { "unpatched", "base", "flat" };
static const struct arm flat = { "flat", "patched", "flat" };
static const struct arm spread = { "spread", "patched", "spread" };

static const struct comparison {
	const char *what;
	const char *worker_case;
	const struct arm *of, *to;
} comparisons[] = {
	{ "1 thread, sbitmap_get, _put", "plain", &flat, &unpatched },
	{ "1 thread, queue get, clear", "queue", &flat, &unpatched },
	{ "1 thread, queue get, clear", "queue", &spread, &unpatched },
	{ "2 threads, 4 bits each", "low", &flat, &unpatched },
	{ "2 threads, 4 bits each", "low", &spread, &flat },
	{ "  freed by the other", "low-cross", &spread, &flat },
	{ "  a line per bit written", "low-touch", &spread, &flat },
	{ "2 threads, 120 of 128 each", "full", &flat, &unpatched },
	{ "2 threads, 120 of 128 each", "full", &spread, &flat },
	{ "  freed by the other", "full-cross", &spread, &flat },
	{ "  a line per bit written", "full-touch", &spread, &flat },
	{ "  both", "full-cross-touch", &spread, &flat },
};

struct stats {
	double median, low, high, least, most;
};

static unsigned int runs;
static const char *build, *milliseconds;
/* The least share of a run's time for which one of its threads had a CPU. */
static double least_share;

static double run_once(const struct arm *a, const char *worker_case, unsigned int nth,
		       double *share)
{
	char command[4096];
	double rate = 0;
	FILE *f;
	int rc;

	snprintf(command, sizeof(command), "%s/%s-layout%u/worker %s %s %s %u", build,
		 a->side, nth % LAYOUTS, a->layout, worker_case, milliseconds, nth);
	f = popen(command, "r");
	if (!f)
		err(1, "%s", command);
	rc = fscanf(f, "%lf %lf", &rate, share);
	if (pclose(f) || rc != 2 || rate <= 0)
		errx(1, "%s failed", command);
	return rate;
}

/*
 * The n-th runs of both arms have the same alignment of code and the same first hints.
 * What other load disturbed is done again, a few times.
 */
static double run(const struct arm *a, const char *worker_case, unsigned int nth)
{
	unsigned int tries = 10;
	double rate, share;

	do
		rate = run_once(a, worker_case, nth, &share);
	while (share < QUIET && --tries);
	least_share = fmin(least_share, share);
	return rate;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double choose(unsigned int n, unsigned int k)
{
	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/*
 * Largest k for which the k-th smallest and the k-th largest of n values enclose the
 * median with the wanted confidence; 0 if n is too small. Returns the true confidence.
 */
static double interval_rank(unsigned int n, unsigned int *k)
{
	double outside = 0, next;

	for (*k = 0; *k < n / 2; (*k)++) {
		next = outside + 2 * choose(n, *k) / pow(2, n);
		if (next > 1 - CONFIDENCE)
			break;
		outside = next;
	}
	return 1 - outside;
}

static struct stats statistics(const double *values)
{
	double sorted[MAX_RUNS];
	unsigned int k;

	memcpy(sorted, values, runs * sizeof(*sorted));
	qsort(sorted, runs, sizeof(*sorted), compare_doubles);
	interval_rank(runs, &k);
	return (struct stats){
		.median = (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2,
		.low = sorted[k - 1],
		.high = sorted[runs - k],
		.least = sorted[0],
		.most = sorted[runs - 1],
	};
}

static const char *verdict(struct stats ratio)
{
	if (ratio.high < 1)
		return "LOSES";
	if (ratio.low > 1)
		return "WINS";
	return ratio.high - ratio.low < EQUAL ? "equal" : "undecided";
}

static json_t *to_json(const struct comparison *c, const double *of, const double *to,
		       struct stats ratio)
{
	json_t *a = json_array(), *b = json_array();
	unsigned int i;

	for (i = 0; i < runs; i++) {
		json_array_append_new(a, json_real(of[i]));
		json_array_append_new(b, json_real(to[i]));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:f, s:{s:f, s:f, s:f}, s:s}",
			 "case", c->worker_case, "what", c->what,
			 "of", c->of->name, "to", c->to->name,
			 "pairs_per_second_of", a, "pairs_per_second_to", b,
			 "least_cpu_share", least_share, "ratio", "median", ratio.median, "low", ratio.low,
			 "high", ratio.high, "verdict", verdict(ratio));
}

static json_t *compare(const struct comparison *c)
{
	double of[MAX_RUNS], to[MAX_RUNS], ratios[MAX_RUNS];
	struct stats a, b, ratio;
	unsigned int i;

	least_share = 1;
	for (i = 0; i < runs; i++) {
		if (i % 2)
			of[i] = run(c->of, c->worker_case, i);
		to[i] = run(c->to, c->worker_case, i);
		if (i % 2 == 0)
			of[i] = run(c->of, c->worker_case, i);
		ratios[i] = of[i] / to[i];
	}
	a = statistics(to);
	b = statistics(of);
	ratio = statistics(ratios);
	printf("%-27s %-9s %6.2f (%5.2f ..%6.2f)  %-6s %6.2f (%5.2f ..%6.2f)  %6.3f (%.3f .. %.3f) %s%s\n",
	       c->what, c->to->name, a.median / 1e6, a.least / 1e6, a.most / 1e6,
	       c->of->name, b.median / 1e6, b.least / 1e6, b.most / 1e6,
	       ratio.median, ratio.low, ratio.high, verdict(ratio),
	       least_share < QUIET ? ", DISTURBED by other load" : "");
	fflush(stdout);
	return to_json(c, of, to, ratio);
}

/* The value of the first line of a file that begins with @key, into a line of its own. */
static const char *look_up(const char *file, const char *key, char line[LINE])
{
	FILE *f = fopen(file, "r");
	char *value = NULL;

	while (f && !value && fgets(line, LINE, f))
		if (!strncmp(line, key, strlen(key)))
			value = line;
	if (f)
		fclose(f);
	if (!value)
		return "unknown";
	value[strcspn(value, "\n")] = '\0';
	return *key ? value + strcspn(value, ":") + 2 : value;
}

int main(int argc, char **argv)
{
	json_t *root, *list = json_array();
	char cpu[LINE], load[LINE], path[4096];
	const char *model, *average;
	double confidence;
	unsigned int k, i;

	if (argc != 6)
		errx(2, "usage: bench BUILD RUNS MILLISECONDS BASE PATCHED");
	build = argv[1];
	runs = atoi(argv[2]);
	milliseconds = argv[3];
	confidence = interval_rank(runs < MAX_RUNS ? runs : 0, &k);
	if (!k)
		errx(2, "that needs 6 runs or more, and less than %d", MAX_RUNS);

	model = look_up("/proc/cpuinfo", "model name", cpu);
	average = look_up("/proc/loadavg", "", load);
	root = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:f}",
			 "schema", SCHEMA, "cpu", model,
			 "compiler", __VERSION__, "unpatched", argv[4], "patched", argv[5],
			 "load_average", average, "runs", runs,
			 "milliseconds", milliseconds, "confidence", confidence);
	printf("%s, gcc %s, unpatched %s, patched %s\n", model,
	       __VERSION__, argv[4], argv[5]);
	printf("load average before: %s\n", average);
	printf("%u runs of each arm in turn, %s ms each; 10^6 pairs of get and free per second:\n"
	       "median (lowest .. highest); ratio of neighbouring runs: median (its %.1f %% interval\n"
	       "by order statistics)\n\n",
	       runs, milliseconds, confidence * 100);
	for (i = 0; i < ARRAY_SIZE(comparisons); i++)
		json_array_append_new(list, compare(&comparisons[i]));
	json_object_set_new(root, "comparisons", list);
	snprintf(path, sizeof(path), "%s/bench.json", build);
	if (json_dump_file(root, path, JSON_INDENT(1)))
		errx(1, "can't write %s", path);
	json_decref(root);
	printf("\n%s\n", path);
	return 0;
}
