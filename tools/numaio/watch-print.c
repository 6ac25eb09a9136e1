// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rates of one interval.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "show-parts.h"
#include "show-table.h"
#include "watch-print.h"

static void rate(struct table *t, const json_t *j, const char *key)
{
	const json_t *value = json_object_get(j, key);

	if (json_is_real(value))
		table_cell(t, "%.0f", json_real_value(value));
	else
		table_cell(t, "-");
}

static bool is_idle(const json_t *j, const char *const *keys)
{
	for (; *keys; keys++)
		if (json_real_value(json_object_get(j, *keys)) > 0)
			return false;
	return true;
}

static void print_tags(const json_t *rates)
{
	struct table *t = table_new(COLUMNS("DISK", "MAP", "NODE>", "OWN>", "FOREIGN>", "OWN, %>"));
	const json_t *j;
	size_t i;

	json_array_foreach(json_object_get(rates, "tags"), i, j) {
		double own = json_real_value(json_object_get(j, "own"));
		double all = own + json_real_value(json_object_get(j, "foreign"));

		table_row(t);
		table_keys(t, j, COLUMNS("disk", "map", "node_id"));
		rate(t, j, "own");
		rate(t, j, "foreign");
		if (all > 0)
			table_cell(t, "%.1f", 100 * own / all);
		else
			table_cell(t, "-");
	}
	table_print(t, "Tags taken by CPUs of a node, a second");
}

static void print_completions(const json_t *rates)
{
	struct table *t = table_new(COLUMNS("DISK", "SAME CPU>", "BY INTERRUPT>", "SAME NODE>",
		"OTHER NODE>"));
	const json_t *j;
	size_t i;

	json_array_foreach(json_object_get(rates, "completions"), i, j) {
		table_row(t);
		table_json(t, json_object_get(j, "disk"));
		rate(t, j, "same_cpu");
		rate(t, j, "by_interrupt");
		rate(t, j, "same_node");
		rate(t, j, "other_node");
	}
	table_print(t, "Completions, by distance to the submitter, a second");
}

static void add_irqs(struct table *t, const json_t *list)
{
	const json_t *j;
	size_t i;

	json_array_foreach(list, i, j) {
		if (is_idle(j, COLUMNS("count")))
			continue;
		table_row(t);
		table_keys(t, j, COLUMNS("irq", "name", "node_id"));
		rate(t, j, "count");
	}
}

static void print_irqs(const json_t *rates)
{
	struct table *t = table_new(COLUMNS("IRQ", "NAME", "NODE>", "COUNT>"));

	add_irqs(t, json_object_get(rates, "interrupts"));
	add_irqs(t, json_object_get(rates, "softirqs"));
	table_print(t, "Interrupts and softirqs, those there were, a second");
}

static void print_work(const json_t *rates)
{
	struct table *t = table_new(COLUMNS("WORKQUEUE", "NODE>", "EXECUTED>", "OF THESE, MISSED>"));
	const json_t *j;
	size_t i;

	json_array_foreach(json_object_get(rates, "work"), i, j) {
		table_row(t);
		table_keys(t, j, COLUMNS("workqueue", "node_id"));
		rate(t, j, "run");
		rate(t, j, "missed");
	}
	table_print(t, "Work items, by the node that executed them, a second");
}

int watch_print(json_t *rates, double seconds, bool json)
{
	char text[CLOCK_DATE_MAX];

	clock_date(text);
	if (json) {
		json_object_set_new(rates, "schema", json_integer(1));
		json_object_set_new(rates, "time", json_string(text));
		json_object_set_new(rates, "seconds", json_real(seconds));
		if (json_dumpf(rates, stdout, JSON_COMPACT))
			return -1;
		putchar('\n');
	} else {
		printf("%s, %.2f s\n", text, seconds);
		print_tags(rates);
		print_completions(rates);
		print_irqs(rates);
		print_work(rates);
		putchar('\n');
	}
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}
