/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables for people.
 */
#ifndef SHOW_TABLE_H
#define SHOW_TABLE_H

#include <jansson.h>
#include <stdio.h>

struct table;

#define COLUMNS(...)	((const char *const[]){ __VA_ARGS__, NULL })

/* Columns by their headings; one that ends with > is aligned to the right. The last is NULL. */
struct table *table_new(const char *const *columns);
void table_row(struct table *t);
/* The next cell of the last row; formatted, as "-" if the value is null, a list with commas. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_json(struct table *t, const json_t *value);
/* A list whose elements are written by @put. */
void table_list(struct table *t, const json_t *list, const char *between,
		void (*put)(const json_t *j, FILE *f));
void table_keys(struct table *t, const json_t *object, const char *const *keys);
/* Print it after a title, unless it has no rows; and free it. */
void table_print(struct table *t, const char *title);

#endif
