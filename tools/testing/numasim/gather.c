// SPDX-License-Identifier: GPL-2.0-only
/* From the reports of single runs to medians, spreads and ratios. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "model.h"

#define TOP_FUNCTIONS	8	/* rows of a workload's table */
#define MIN_RUNS	4	/* of each arm, for a verdict */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread spread_of(const double *v, unsigned int nr)
{
	struct spread s = { 0 };
	double sorted[MAX_RUNS];
	unsigned int i;

	if (!nr)
		return s;
	memcpy(sorted, v, nr * sizeof(*v));
	qsort(sorted, nr, sizeof(*sorted), by_value);
	for (i = 0; i < nr; i++)
		s.mean += sorted[i] / nr;
	s.median = (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
	s.min = sorted[0];
	s.max = sorted[nr - 1];
	return s;
}

/* Every run of one lies on the same side of every run of the other. */
bool spreads_apart(const struct spread *a, const struct spread *b)
{
	return a->max < b->min || b->max < a->min;
}

static struct function_result *function_of(struct result *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_funcs; i++)
		if (!strcmp(r->func[i].name, name))
			return &r->func[i];
	r->func = realloc(r->func, (r->nr_funcs + 1) * sizeof(*r->func));
	r->func[r->nr_funcs].name = name;
	r->func[r->nr_funcs].remote = calloc(MAX_RUNS, sizeof(double));
	return &r->func[r->nr_funcs++];
}

static int by_mean(const void *a, const void *b)
{
	const struct function_result *x = a, *y = b;

	if (x->s.mean != y->s.mean)
		return x->s.mean < y->s.mean ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "NAME NUMBER NAME NUMBER ..." of one run */
static void read_counts(struct result *r, unsigned int run, const char *text)
{
	char name[sizeof(r->count[0].name)];
	unsigned int i;
	double v;
	int len;

	for (; text && sscanf(text, "%23s %lf%n", name, &v, &len) == 2; text += len) {
		for (i = 0; i < r->nr_counts && strcmp(r->count[i].name, name); i++)
			;
		if (i == MAX_COUNTS)
			continue;
		if (i == r->nr_counts)
			strcpy(r->count[r->nr_counts++].name, name);
		r->count[i].v[run] = v;
	}
}

static void copy_info(char *to, size_t size, const struct report *rep, const char *name)
{
	const char *text = json_string_value(json_object_get(rep->info, name));

	snprintf(to, size, "%s", text ? text : "");
}

int gather(struct result *r, const char *const *path, unsigned int nr)
{
	unsigned int i;
	size_t f;

	r->runs = nr;
	for (i = 0; i < nr; i++) {
		struct report *rep = report_from_json(path[i]);

		if (!rep)
			return -1;
		r->ios = rep->ios;
		r->remote[i] = (double)remote(&rep->stack) / rep->ios;
		r->remote_all[i] = (double)remote(&rep->all) / rep->ios;
		r->insns[i] = (double)rep->stack.insns / rep->ios;
		r->loads[i] = (double)rep->stack.loads / rep->ios;
		r->stores[i] = (double)rep->stack.stores / rep->ios;
		r->memory[i] = (double)rep->stack.memory / rep->ios;
		for (f = 0; f < rep->nr_funcs; f++)
			if (rep->func[f].stack && remote(&rep->func[f].c))
				function_of(r, rep->func[f].name)->remote[i] =
					(double)remote(&rep->func[f].c) / rep->ios;
		copy_info(r->in_force, sizeof(r->in_force), rep, "tag_placement_in_force");
		copy_info(r->interrupts, sizeof(r->interrupts), rep, "interrupts");
		copy_info(r->note, sizeof(r->note), rep, "note");
		read_counts(r, i, json_string_value(json_object_get(rep->info, "counts")));
	}
	r->remote_s = spread_of(r->remote, nr);
	r->remote_all_s = spread_of(r->remote_all, nr);
	r->insns_s = spread_of(r->insns, nr);
	r->loads_s = spread_of(r->loads, nr);
	r->stores_s = spread_of(r->stores, nr);
	r->memory_s = spread_of(r->memory, nr);
	for (i = 0; i < r->nr_counts; i++)
		r->count[i].s = spread_of(r->count[i].v, nr);
	for (f = 0; f < r->nr_funcs; f++)
		r->func[f].s = spread_of(r->func[f].remote, nr);
	if (r->nr_funcs)
		qsort(r->func, r->nr_funcs, sizeof(*r->func), by_mean);
	return 0;
}

/* -- the table ------------------------------------------------------------ */

/* With fewer runs, chance alone sets them apart too often. */
static const char *verdict(const struct result *r, const struct result *ref)
{
	if (r->runs < MIN_RUNS || ref->runs < MIN_RUNS)
		return "too few runs to tell";
	if (!spreads_apart(&r->remote_s, &ref->remote_s))
		return "same";
	return r->remote_s.max < ref->remote_s.min ? "fewer" : "more";
}

static void print_arm(const struct result *r, const struct result *ref)
{
	const struct spread *s = &r->remote_s;

	if (!r->runs) {
		printf("  %-14s %s\n", r->arm->name, r->skipped ?
		       "skipped: this kernel cannot do it" : "no result");
		return;
	}
	printf("  %-14s %8.4f  %8.4f ..%8.4f %5u %9.1f", r->arm->name, s->median, s->min,
	       s->max, r->runs, r->insns_s.median);
	if (r != ref && ref->runs) {
		if (ref->remote_s.median > 0)
			printf(" %8.3f", s->median / ref->remote_s.median);
		else
			printf(" %8s", "-");
		printf(" %8.4f  %s", r->insns_s.median / ref->insns_s.median,
		       verdict(r, ref));
	}
	if (*r->in_force && r->arm->placement && strcmp(r->in_force, r->arm->placement))
		printf(" (in force: %s)", r->in_force);
	putchar('\n');
}

/* What the last run of each arm noted. */
static void print_notes(const struct bench *b, unsigned int wl)
{
	unsigned int a;

	for (a = 0; a < b->nr_arms; a++)
		if (*result_of(b, wl, a)->note)
			printf("    %s: %s\n", b->arm[a].name, result_of(b, wl, a)->note);
}

static void print_functions(const struct bench *b, unsigned int wl)
{
	const struct result *r = NULL;
	unsigned int a;
	size_t i;

	/* the functions of the arm where most crosses */
	for (a = 0; a < b->nr_arms; a++)
		if (!r || result_of(b, wl, a)->remote_s.mean > r->remote_s.mean)
			r = result_of(b, wl, a);
	if (!r->runs || r->remote_s.mean <= 0)
		return;
	printf("\n  remote transfers per I/O by function, median");
	for (a = 0; a < b->nr_arms; a++)
		printf("%s %s", a ? "," : ":", b->arm[a].name);
	putchar('\n');
	for (i = 0; i < r->nr_funcs && i < TOP_FUNCTIONS; i++) {
		printf("   ");
		for (a = 0; a < b->nr_arms; a++) {
			const struct result *o = result_of(b, wl, a);
			size_t j;

			for (j = 0; j < o->nr_funcs; j++)
				if (!strcmp(o->func[j].name, r->func[i].name))
					break;
			printf(" %8.4f", j < o->nr_funcs ? o->func[j].s.median : 0);
		}
		printf("  %s\n", r->func[i].name);
	}
}

/* How many workloads, from this one on, one boot does: a file's that has "each". */
unsigned int nr_of_boot(const struct bench *b, unsigned int workload)
{
	const struct workload *w = &b->workload[workload];
	unsigned int nr = 1;

	while (w->each && workload + nr < b->nr_workloads && !strcmp(w[nr].path, w->path))
		nr++;
	return nr;
}

static void print_variant(const struct result *r, const struct result *ref)
{
	unsigned int i;

	if (!r->runs)
		return;
	printf("  %-22s %8.3f (%.3f..%.3f) %9.1f %7.3f", r->workload->name, r->remote_s.mean,
	       r->remote_s.min, r->remote_s.max, r->insns_s.mean,
	       ref->insns_s.mean > 0 ? r->insns_s.mean / ref->insns_s.mean : 0);
	for (i = 0; i < r->nr_counts; i++)
		printf("  %s %.3f (%.3f..%.3f)", r->count[i].name, r->count[i].s.mean,
		       r->count[i].s.min, r->count[i].s.max);
	putchar('\n');
}

/* A workload and its variants, which ran in the same boots, as one table. */
static void print_boot(const struct bench *b, unsigned int wl, unsigned int nr)
{
	unsigned int a, i;

	for (a = 0; a < b->nr_arms; a++) {
		printf("\n%s, %s: %s\n  %u runs, average (lowest..highest), instructions against the first\n",
		       b->workload[wl].name, b->arm[a].name, b->workload[wl].title,
		       result_of(b, wl, a)->runs);
		for (i = 0; i < nr; i++)
			print_variant(result_of(b, wl + i, a), result_of(b, wl, a));
	}
}

void print_results(const struct bench *b)
{
	unsigned int wl, a, nr;

	printf("Modelled: lines that cross nodes (remote transfers) in the storage stack.\n"
	       "No figure here is a time. Plugin options: %s\n",
	       *b->plugin_options ? b->plugin_options + 1 : "default");
	printf("same: the runs of both overlap; fewer, more: all runs of one lie below all of the other\n"
	       "(with five runs each, chance alone does that once in 126).\n");
	for (wl = 0; wl < b->nr_workloads; wl++) {
		const struct workload *w = &b->workload[wl];
		uint64_t ios = 0;

		nr = nr_of_boot(b, wl);
		if (nr > 1) {
			print_boot(b, wl, nr);
			wl += nr - 1;
			continue;
		}
		for (a = 0; a < b->nr_arms; a++)
			if (result_of(b, wl, a)->ios)
				ios = result_of(b, wl, a)->ios;
		printf("\n%s: %s\n  topology %s, %" PRIu64 " I/Os a run%s%s\n", w->name, w->title,
		       b->topology ? b->topology : w->topology, ios,
		       *w->plugin ? ", plugin options: " : "", *w->plugin ? w->plugin + 1 : "");
		printf("  %-14s %8s  %8s ..%8s %5s %9s %8s %8s\n", "arm", "median", "min",
		       "max", "runs", "instr", "ratio", "instr r.");
		for (a = 0; a < b->nr_arms; a++)
			print_arm(result_of(b, wl, a), result_of(b, wl, 0));
		print_notes(b, wl);
		print_functions(b, wl);
	}
}

/* -- JSON ----------------------------------------------------------------- */

static json_t *spread_to_json(const struct spread *s, const double *v, unsigned int nr)
{
	json_t *runs = json_array();
	unsigned int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(runs, json_real(v[i]));
	return json_pack("{s:f,s:f,s:f,s:f,s:o}", "median", s->median, "mean", s->mean,
			 "min", s->min, "max", s->max, "runs", runs);
}

static json_t *ratio_to_json(const struct spread *s, const struct spread *ref)
{
	if (!(ref->median > 0))
		return json_null();
	/* the widest that the runs of both allow */
	return json_pack("{s:f,s:o,s:o,s:b}", "median", s->median / ref->median,
			 "min", ref->max > 0 ? json_real(s->min / ref->max) : json_null(),
			 "max", ref->min > 0 ? json_real(s->max / ref->min) : json_null(),
			 "apart", spreads_apart(s, ref));
}

static json_t *result_to_json(const struct result *r, const struct result *ref)
{
	json_t *funcs = json_array(), *counts = json_object();
	size_t i;

	for (i = 0; i < r->nr_counts; i++)
		json_object_set_new(counts, r->count[i].name,
				    spread_to_json(&r->count[i].s, r->count[i].v, r->runs));

	for (i = 0; i < r->nr_funcs; i++) {
		json_t *o = spread_to_json(&r->func[i].s, r->func[i].remote, r->runs);

		json_object_set_new(o, "name", json_string(r->func[i].name));
		json_array_append_new(funcs, o);
	}
	return json_pack("{s:s,s:b,s:s,s:s,s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"arm", r->arm->name, "skipped", r->skipped,
		"tag_placement_in_force", r->in_force, "interrupts", r->interrupts,
		"note", r->note, "ios", (json_int_t)r->ios,
		"remote_per_io", spread_to_json(&r->remote_s, r->remote, r->runs),
		"remote_per_io_all", spread_to_json(&r->remote_all_s, r->remote_all, r->runs),
		"instructions_per_io", spread_to_json(&r->insns_s, r->insns, r->runs),
		"loads_per_io", spread_to_json(&r->loads_s, r->loads, r->runs),
		"stores_per_io", spread_to_json(&r->stores_s, r->stores, r->runs),
		"far_memory_per_io", spread_to_json(&r->memory_s, r->memory, r->runs),
		"remote_ratio", ratio_to_json(&r->remote_s, &ref->remote_s),
		"instructions_ratio", ratio_to_json(&r->insns_s, &ref->insns_s),
		"counts", counts, "functions", funcs);
}

int write_json(const struct bench *b, const char *path)
{
	json_t *arms = json_array(), *workloads = json_array(), *o;
	unsigned int wl, a;
	int ret;

	for (a = 0; a < b->nr_arms; a++)
		json_array_append_new(arms, json_pack("{s:s,s:s,s:s,s:s,s:s}",
			"name", b->arm[a].name, "directory", b->arm[a].dir,
			"tag_placement", b->arm[a].placement ? b->arm[a].placement : "",
			"kernel_sha256", b->arm[a].kernel_sha,
			"config_sha256", b->arm[a].config_sha));
	for (wl = 0; wl < b->nr_workloads; wl++) {
		const struct workload *w = &b->workload[wl];
		json_t *results = json_array();

		for (a = 0; a < b->nr_arms; a++)
			json_array_append_new(results, result_to_json(
				result_of(b, wl, a), result_of(b, wl, 0)));
		json_array_append_new(workloads, json_pack("{s:s,s:s,s:s,s:s,s:s,s:o}",
			"name", w->name, "plugin_options", *w->plugin ? w->plugin + 1 : "",
			"title", w->title, "topology",
			b->topology ? b->topology : w->topology, "load", w->load,
			"results", results));
	}
	o = json_pack("{s:s,s:i,s:s,s:s,s:o,s:o}", "schema", BENCH_SCHEMA, "version",
		BENCH_VERSION, "figures", "modelled line transfers between nodes, per I/O, storage stack",
		"plugin_options", *b->plugin_options ? b->plugin_options + 1 : "",
		"arms", arms, "workloads", workloads);
	ret = o ? json_dump_file(o, path, JSON_INDENT(1)) : -1;
	if (ret)
		fprintf(stderr, "%s: not written\n", path);
	json_decref(o);
	return ret;
}
