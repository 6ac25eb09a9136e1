// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files and lists as JSON values.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

/* A string that was allocated, or null; it is freed. */
json_t *json_take(char *text)
{
	json_t *j = text ? json_string(text) : NULL;

	free(text);
	return j ? j : json_null();
}

/* What is in a file; null if it can't be read. */
json_t *json_file(const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return json_take(sys_read("%s", path));
}

/* The number in a file; null if there is none. */
json_t *json_int_file(const char *fmt, ...)
{
	char path[PATH_MAX];
	long long value;
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return sys_read_int(&value, "%s", path) ? json_integer(value) : json_null();
}

/* Counts of the nodes in @of: [ { "node", "count" } ]. */
json_t *json_per_node(const struct cpus *of, const unsigned long long *counts)
{
	json_t *list = json_array();

	for (int node = 0; node < CPUS_MAX; node++)
		if (cpus_has(of, node))
			json_array_append_new(list, json_pack("{s:i, s:I}", "node", node, "count",
							      (json_int_t)counts[node]));
	return list;
}

bool json_has_string(const json_t *array, const char *s)
{
	const json_t *j;
	size_t i;

	json_array_foreach(array, i, j)
		if (!strcmp(json_string_value(j), s))
			return true;
	return false;
}

/* Add a string to an array unless it has it. */
void json_add_string(json_t *array, const char *s)
{
	if (!json_has_string(array, s))
		json_array_append_new(array, json_string(s));
}

/* A string of an object, NULL if it has none. */
const char *json_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* The object of a list whose name is @name, NULL if there is none. */
json_t *json_find(const json_t *list, const char *name)
{
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		if (!strcmp(json_text(j, "name"), name))
			return j;
	return NULL;
}
