// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host counted during a run: interrupts by CPU and node, CPU time, context switches.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

struct line {
	char *irq;
	char *name;
	size_t n;
	unsigned long long *counts;	/* by CPU */
};

struct run_counters {
	size_t n;
	struct line *lines;
	unsigned long long times[10];	/* of /proc/stat: user nice system idle ... */
	unsigned long long switches;
};

/* CPUs of the columns. */
static size_t columns(char *head, int *cpus, size_t max)
{
	size_t n = 0;
	char *save;

	for (char *w = strtok_r(head, " \t", &save); w && n < max; w = strtok_r(NULL, " \t", &save))
		if (!strncmp(w, "CPU", 3))
			cpus[n++] = atoi(w + 3);
	return n;
}

static void read_line(struct run_counters *c, char *text, const int *cpus, size_t n_cpus)
{
	char *colon = strchr(text, ':'), *p, *end;
	struct line *l;
	size_t i;

	if (!colon)
		return;
	*colon = '\0';
	c->lines = run_grow(c->lines, c->n, sizeof(*c->lines));
	l = &c->lines[c->n++];
	*l = (struct line){ .irq = run_dup(run_trim(text)) };
	for (i = 0; i < n_cpus; i++)
		if (cpus[i] >= 0 && (size_t)cpus[i] >= l->n && cpus[i] < CPUS_MAX)
			l->n = cpus[i] + 1;
	l->counts = calloc(l->n ? l->n : 1, sizeof(*l->counts));
	if (!l->counts)
		abort();
	for (i = 0, p = colon + 1; i < n_cpus; i++, p = end) {
		unsigned long long count = strtoull(p, &end, 10);

		if (end == p)
			break;
		if (cpus[i] >= 0 && (size_t)cpus[i] < l->n)
			l->counts[cpus[i]] = count;
	}
	p = run_trim(p);
	/* a device's interrupt: the last word, others: all of it */
	end = isdigit((unsigned char)*l->irq) ? strrchr(p, ' ') : NULL;
	l->name = run_dup(end ? end + 1 : p);
}

static void read_interrupts(struct run_counters *c)
{
	char *text = run_read("/proc/interrupts"), *save, *line;
	int *cpus = calloc(CPUS_MAX, sizeof(*cpus));
	size_t n;

	if (!cpus)
		abort();
	line = text ? strtok_r(text, "\n", &save) : NULL;
	n = line ? columns(line, cpus, CPUS_MAX) : 0;
	while (line && (line = strtok_r(NULL, "\n", &save)))
		read_line(c, line, cpus, n);
	free(cpus);
	free(text);
}

static void read_stat(struct run_counters *c)
{
	char *text = run_read("/proc/stat"), *ctxt, *p, *end;

	ctxt = text ? strstr(text, "\nctxt ") : NULL;
	if (ctxt)
		c->switches = strtoull(ctxt + 6, NULL, 10);
	if (text && !strncmp(text, "cpu ", 4)) {
		p = text + 4;
		for (size_t i = 0; i < 10; i++, p = end)
			c->times[i] = strtoull(p, &end, 10);
	}
	free(text);
}

struct run_counters *run_counters_read(void)
{
	struct run_counters *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	read_interrupts(c);
	read_stat(c);
	return c;
}

void run_counters_free(struct run_counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->lines[i].irq);
		free(c->lines[i].name);
		free(c->lines[i].counts);
	}
	free(c->lines);
	free(c);
}

static const struct line *same_irq(const struct run_counters *c, const struct line *l)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->lines[i].irq, l->irq) && !strcmp(c->lines[i].name, l->name))
			return &c->lines[i];
	return NULL;
}

/* Those of a CPU whose node isn't known are in none. */
static json_t *by_node(const unsigned long long *delta, size_t n)
{
	unsigned long long *sum = calloc(CPUS_MAX, sizeof(*sum));
	json_t *all = json_array();
	int nodes = 0, node;

	if (!sum)
		abort();
	for (int i = 0; i < CPUS_MAX; i++)
		if (cpus_has(run_nodes(), i))
			nodes = i + 1;
	for (size_t i = 0; i < n; i++) {
		node = delta[i] ? run_node_of(i) : -1;
		if (node < 0)
			continue;
		sum[node] += delta[i];
		if (node >= nodes)
			nodes = node + 1;
	}
	for (int i = 0; i < nodes; i++)
		json_array_append_new(all, json_integer(sum[i]));
	free(sum);
	return all;
}

/* NULL: the interrupt didn't occur. */
static json_t *delta_of(const struct line *was, const struct line *is)
{
	unsigned long long *delta = calloc(is->n ? is->n : 1, sizeof(*delta)), total = 0;
	json_t *per_cpu, *j = NULL;
	size_t n = 0;	/* CPUs up to the last one that served it */

	if (!delta)
		abort();
	for (size_t i = 0; i < is->n; i++) {
		unsigned long long before = was && i < was->n ? was->counts[i] : 0;

		delta[i] = is->counts[i] > before ? is->counts[i] - before : 0;
		total += delta[i];
		n = delta[i] ? i + 1 : n;
	}
	if (total) {
		per_cpu = json_array();
		for (size_t i = 0; i < n; i++)
			json_array_append_new(per_cpu, json_integer(delta[i]));
		j = json_pack("{s:o s:o s:o s:o}", "irq", run_text(is->irq), "name",
			      run_text(is->name), "per_cpu", per_cpu, "per_node",
			      by_node(delta, is->n));
	}
	free(delta);
	return j;
}

/* How often an interrupt occurred. */
unsigned long long run_counters_delta(const struct run_counters *a, const struct run_counters *b,
				      int irq)
{
	char *number = run_format("%d", irq);
	unsigned long long total = 0;

	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; !strcmp(b->lines[i].irq, number) && k < b->lines[i].n; k++)
			total += b->lines[i].counts[k];
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; !strcmp(a->lines[i].irq, number) && k < a->lines[i].n; k++)
			total -= a->lines[i].counts[k];
	free(number);
	return total;
}

/* Those that occurred; with a pattern only those of such a name or number. */
json_t *run_counters_interrupts(const struct run_counters *a, const struct run_counters *b,
				const char *pattern)
{
	json_t *all = json_array(), *j;

	for (size_t i = 0; i < b->n; i++) {
		const struct line *l = &b->lines[i];

		if (pattern && !run_match(pattern, l->name) && !run_match(pattern, l->irq))
			continue;
		j = delta_of(same_irq(a, l), l);
		if (j)
			json_array_append_new(all, j);
	}
	return all;
}

/* System time is that in the kernel: system, irq and softirq. */
void run_counters_metrics(const struct run_counters *a, const struct run_counters *b,
			  json_t *metrics)
{
	unsigned long long total = 0, system = 0, delta;

	for (int i = 0; i < 8; i++) {
		delta = b->times[i] > a->times[i] ? b->times[i] - a->times[i] : 0;
		total += delta;
		if (i == 2 || i == 5 || i == 6)
			system += delta;
	}
	if (total)
		json_object_set_new(metrics, "p_system", json_real(100.0 * system / total));
	json_object_set_new(metrics, "context_switches", json_integer(b->switches - a->switches));
}
