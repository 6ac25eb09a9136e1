// SPDX-License-Identifier: GPL-2.0-only
/*
 * What would be done.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static void say_change(const struct run_change *c, FILE *out)
{
	char *was;

	if (!c->store) {
		fprintf(out, "    %s %s: %s%s%s\n", c->kind, c->target, c->asked,
			c->error ? ": " : "", c->error ? c->error : "");
		return;
	}
	if (!c->store->read) {
		fprintf(out, "    %s: %s; undone by: %s\n", c->kind, c->asked, c->where);
		return;
	}
	was = c->store->read(c->where);
	if (!was)
		fprintf(out, "    %s %s: %s; can't be read now: %s\n", c->kind, c->target, c->asked,
			strerror(errno));
	else
		fprintf(out, "    %s %s: %s (now %s)\n", c->kind, c->target, c->asked,
			c->store == &run_module && strchr(was, '\n') ? "loaded" : was);
	free(was);
}

static void say_wants(const struct run_want *wants, size_t n, FILE *out)
{
	struct run_changes changes = { 0 };

	for (size_t i = 0; i < n; i++)
		wants[i].kind->find(&wants[i], &changes);
	for (size_t i = 0; i < changes.n; i++)
		say_change(&changes.v[i], out);
	run_changes_free(&changes);
}

static void say_load(const struct run_experiment *e, const struct run_variant *v, FILE *out)
{
	char *line = run_load_line(e, v);

	if (v->load.cpunodebind)
		fprintf(out, "    load cpunodebind: %s\n", v->load.cpunodebind);
	if (v->load.physcpubind)
		fprintf(out, "    load physcpubind: %s\n", v->load.physcpubind);
	if (v->load.membind)
		fprintf(out, "    load membind: %s\n", v->load.membind);
	fprintf(out, "    load: %s\n", line);
	free(line);
}

static void say_order(const struct run_experiment *e, FILE *out)
{
	size_t *order = calloc(e->n_variants, sizeof(*order));

	if (!order)
		abort();
	for (int b = 0; b < e->warm_up + e->repetitions; b++) {
		run_order(e->seed, b, e->n_variants, order);
		fprintf(out, "block %d%s:", b, b < e->warm_up ? " (warm-up)" : "");
		for (size_t i = 0; i < e->n_variants; i++)
			fprintf(out, " %s%s", e->variants[order[i]].name,
				i + 1 < e->n_variants ? "," : "");
		fputc('\n', out);
	}
	free(order);
}

void run_dry(const struct run_experiment *e, FILE *out)
{
	fprintf(out, "experiment %s: %zu variants, %d repetitions, %d warm-up, seed %lld\n",
		e->name, e->n_variants, e->repetitions, e->warm_up, e->seed);
	for (size_t i = 0; i < e->n_metrics; i++)
		fprintf(out, "metric %s [%s], better: %s%s\n", e->metrics[i].name,
			e->metrics[i].unit, e->metrics[i].better,
			e->metrics[i].primary ? ", primary" : "");
	if (e->n_wants) {
		fputs("for all variants:\n", out);
		say_wants(e->wants, e->n_wants, out);
	}
	for (size_t i = 0; i < e->n_variants; i++) {
		fprintf(out, "variant %s%s:\n", e->variants[i].name,
			e->variants[i].baseline ? " (baseline)" : "");
		say_wants(e->variants[i].wants, e->variants[i].n_wants, out);
		say_load(e, &e->variants[i], out);
	}
	say_order(e, out);
}
