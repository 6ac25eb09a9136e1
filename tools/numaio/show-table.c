// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables for people, by libsmartcols.
 */
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-table.h"

struct table {
	struct libscols_table *table;
	struct libscols_line *line;
	size_t column;
};

static void add_column(struct libscols_table *t, const char *name)
{
	size_t n = strlen(name);
	bool right = name[n - 1] == '>';
	char *text = strndup(name, n - right);

	if (text)
		scols_table_new_column(t, text, 0, right ? SCOLS_FL_RIGHT : 0);
	free(text);
}

struct table *table_new(const char *const *columns)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->table = scols_new_table();
	if (!t->table) {
		free(t);
		return NULL;
	}
	for (; *columns; columns++)
		add_column(t->table, *columns);
	return t;
}

void table_row(struct table *t)
{
	if (t)
		t->line = scols_table_new_line(t->table, NULL);
	if (t)
		t->column = 0;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (t && t->line)
		scols_line_set_data(t->line, t->column++, text && *text ? text : "-");
	free(text);
}

static void print_value(FILE *f, const json_t *value)
{
	const json_t *j;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_STRING:
		fputs(json_string_value(value), f);
		return;
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return;
	case JSON_REAL:
		fprintf(f, "%.1f", json_real_value(value));
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		fputs(json_is_true(value) ? "yes" : "no", f);
		return;
	case JSON_ARRAY:
		json_array_foreach(value, i, j) {
			fputs(i ? "," : "", f);
			print_value(f, j);
		}
		return;
	default:
		return;
	}
}

void table_json(struct table *t, const json_t *value)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	if (value)
		print_value(f, value);
	fclose(f);
	table_cell(t, "%s", text);
	free(text);
}

void table_list(struct table *t, const json_t *list, const char *between,
		void (*put)(const json_t *j, FILE *f))
{
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);
	const json_t *j;

	if (!f)
		return;
	json_array_foreach(list, i, j) {
		fputs(i ? between : "", f);
		put(j, f);
	}
	fclose(f);
	table_cell(t, "%s", text);
	free(text);
}

void table_keys(struct table *t, const json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		table_json(t, json_object_get(object, *keys));
}

void table_print(struct table *t, const char *title)
{
	char *text = NULL;

	if (!t)
		return;
	if (!scols_table_is_empty(t->table) && !scols_print_table_to_string(t->table, &text))
		printf("\n%s\n%s\n", title, text);
	free(text);
	scols_unref_table(t->table);
	free(t);
}
