// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of tags, completions, interrupts and work items.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-irq.h"
#include "show-parts.h"
#include "show-tags.h"
#include "show-wq.h"
#include "watch-sample.h"

/* Does it name what is counted, or is it a count? */
static bool is_name(const char *key)
{
	return !strcmp(key, "disk") || !strcmp(key, "map") || !strcmp(key, "irq") ||
	       !strcmp(key, "name") || !strcmp(key, "workqueue") || !strcmp(key, "node_id");
}

static bool same_names(const json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)a, key, value)
		if (is_name(key) && !json_equal(value, json_object_get(b, key)))
			return false;
	return true;
}

static json_t *find(const json_t *list, const json_t *like)
{
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		if (same_names(like, j))
			return j;
	return NULL;
}

/* Add to what the list has of the same names; takes the object. */
static void add(json_t *list, json_t *new)
{
	json_t *old = find(list, new), *value, *sum;
	const char *key;

	if (!old) {
		json_array_append_new(list, new);
		return;
	}
	json_object_foreach(new, key, value) {
		if (is_name(key))
			continue;
		sum = json_object_get(old, key);
		json_integer_set(sum, json_integer_value(sum) + json_integer_value(value));
	}
	json_decref(new);
}

/* node=0 own=12 foreign=0 */
static void gets(json_t *list, const char *disk, const char *queue)
{
	char *text = sys_read(DEBUG_BLOCK "/%s/hctx%s/tag_gets", disk, queue);
	char *rest = text, *line, map[32] = "";
	long long node, own, foreign;

	while ((line = strsep(&rest, "\n"))) {
		if (tags_heading(line, map, sizeof(map)) || !tags_value(line, "node", &node) ||
		    !tags_value(line, "own", &own) || !tags_value(line, "foreign", &foreign))
			continue;
		add(list, json_pack("{s:s, s:s, s:I, s:I, s:I}", "disk", disk, "map", map,
				    "node_id", (json_int_t)node, "own", (json_int_t)own,
				    "foreign", (json_int_t)foreign));
	}
	free(text);
}

/* cpu=12 node=0 elsewhere=3 ipi=1 */
static void completions(json_t *list, const char *disk, const char *queue)
{
	char *text = sys_read(DEBUG_BLOCK "/%s/hctx%s/completions", disk, queue);
	char *rest = text, *line;
	long long cpu, node, elsewhere, ipi;

	while ((line = strsep(&rest, "\n")))
		if (tags_value(line, "cpu", &cpu) && tags_value(line, "node", &node) &&
		    tags_value(line, "elsewhere", &elsewhere) && tags_value(line, "ipi", &ipi))
			add(list, json_pack("{s:s, s:I, s:I, s:I, s:I}", "disk", disk,
					    "same_cpu", (json_int_t)cpu,
					    "same_node", (json_int_t)node,
					    "other_node", (json_int_t)elsewhere,
					    "by_interrupt", (json_int_t)ipi));
	free(text);
}

/* One map that all hardware queues share is counted once. */
static void disk(json_t *sample, const json_t *d)
{
	bool one = json_is_true(json_object_get(d, "one_map"));
	const char *name = json_text(d, "name");
	const json_t *q;
	char number[16];
	size_t i;

	json_array_foreach(json_object_get(d, "queues"), i, q) {
		snprintf(number, sizeof(number), "%lld",
			 (long long)json_integer_value(json_object_get(q, "queue")));
		if (!one || !i)
			gets(json_object_get(sample, "tags"), name, number);
		completions(json_object_get(sample, "completions"), name, number);
	}
}

static void per_node(json_t *list, const struct irq_table *t, const struct irq_line *line,
		     const char *name)
{
	static unsigned long long sums[CPUS_MAX];

	irq_per_node(t, line, sums);
	for (int node = 0; node < CPUS_MAX; node++)
		if (cpus_has(nodes_online(), node))
			add(list, json_pack("{s:s, s:s, s:i, s:I}", "irq", line->label, "name",
					    name, "node_id", node, "count",
					    (json_int_t)sums[node]));
}

static void interrupts(json_t *list, const json_t *irqs)
{
	const struct irq_line *line;
	struct irq_table t;
	const json_t *irq;
	size_t i;

	if (irq_table_read(&t, "/proc/interrupts"))
		return;
	json_array_foreach(irqs, i, irq) {
		line = irq_table_find(&t, json_text(irq, "irq"));
		if (line)
			per_node(list, &t, line, irq_action(line->rest));
	}
	irq_table_free(&t);
}

static void softirqs(json_t *list, bool net)
{
	static const char *const names[] = { "BLOCK", "NET_RX" };
	const struct irq_line *line;
	struct irq_table t;

	if (irq_table_read(&t, "/proc/softirqs"))
		return;
	for (int i = 0; i < 1 + net; i++) {
		line = irq_table_find(&t, names[i]);
		if (line)
			per_node(list, &t, line, "");
	}
	irq_table_free(&t);
}

static bool is_wanted(const json_t *workqueues, const char *name)
{
	const json_t *wq;
	size_t i;

	json_array_foreach(workqueues, i, wq)
		if (!strcmp(json_text(wq, "name"), name))
			return true;
	return false;
}

static void work(json_t *list, const json_t *workqueues)
{
	char *text = sys_read(DEBUG_WQ), *rest = text, *line;
	struct wq_line w;

	while ((line = strsep(&rest, "\n")))
		if (!wq_parse(line, &w) && is_wanted(workqueues, w.name))
			add(list, json_pack("{s:s, s:i, s:I, s:I}", "workqueue", w.name,
					    "node_id", w.node, "run", (json_int_t)w.run,
					    "missed", (json_int_t)w.missed));
	free(text);
}

json_t *watch_sample(const json_t *doc)
{
	json_t *sample = json_pack("{s:[], s:[], s:[], s:[], s:[]}", "tags", "completions",
				   "interrupts", "softirqs", "work");
	bool debugfs = json_text(doc, "debugfs") && !strcmp(json_text(doc, "debugfs"), "read");
	const json_t *d;
	size_t i;

	nodes_load();
	if (debugfs)
		json_array_foreach(json_object_get(doc, "disks"), i, d)
			disk(sample, d);
	interrupts(json_object_get(sample, "interrupts"), json_object_get(doc, "interrupts"));
	softirqs(json_object_get(sample, "softirqs"),
		 json_array_size(json_object_get(doc, "sessions")));
	if (debugfs)
		work(json_object_get(sample, "work"), json_object_get(doc, "workqueues"));
	nodes_free();
	return sample;
}

static json_t *rate(const json_t *from, const json_t *to, double seconds)
{
	json_int_t delta;

	if (!from || !to)
		return json_null();
	delta = json_integer_value(to) - json_integer_value(from);
	/* Someone began to count anew. */
	return delta < 0 || seconds <= 0 ? json_null() : json_real(delta / seconds);
}

static json_t *rates_of(const json_t *from, const json_t *to, double seconds)
{
	json_t *rates = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *)to, key, value)
		json_object_set_new(rates, key, is_name(key) ? json_incref(value) :
				    rate(from ? json_object_get(from, key) : NULL, value, seconds));
	return rates;
}

json_t *watch_rates(const json_t *from, const json_t *to, double seconds)
{
	json_t *rates = json_object(), *list, *j, *out;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)to, key, list) {
		out = json_array();
		json_array_foreach(list, i, j)
			json_array_append_new(out, rates_of(find(json_object_get(from, key), j), j,
							    seconds));
		json_object_set_new(rates, key, out);
	}
	return rates;
}
