// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workload files: one "KEY VALUE" a line, # starts a comment.
 *
 *   title TEXT
 *   topology NAME		of ../vm/topologies
 *   module NAME PARAMETERS	modprobe; a parameter that it has not: skipped
 *   device PATH		wait for it; ioload reads from it
 *   set PATH VALUE		write and read back
 *   setup FILE			shell, sourced in the guest; beside this file
 *   stack FILE			more rules of what the storage stack is; beside this file
 *   plugin OPTIONS		for the plugin, before those of the command line
 *   load ARGUMENTS		of ioload
 *   let NAME=VALUE		for a shell file that is set up later
 *   interrupts PATTERN		note which nodes serve those of this name
 *   each FILE			shell, sourced before the load. A workload that has it
 *				runs with its variants in one boot, in a drawn order: what
 *				they let must not matter before
 *   after FILE			shell, sourced in the guest when the load has ended; what it
 *				writes to $note is shown with the result, and the spread
 *				of "NAME NUMBER..." that it writes to $counts
 *   variant NAME LETS		makes a second workload, FILE-NAME, for which these
 *				NAME=VALUE are let first
 *   attach KIND@NODE		the guest has this controller, with a disk
 *
 * In a matrix (matrix.c) @placement@ and @cpus@ stand for what the cell says.
 *
 * module, set and setup are done in the order given.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* FNV-1a, and a separator so that "ab" "c" is not "a" "bc" */
uint64_t hash_text(uint64_t hash, const char *text)
{
	if (!hash)
		hash = 0xcbf29ce484222325ull;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

static int add_step(struct workload *w, char *step)
{
	if (w->nr_steps == MAX_ITEMS)
		return -1;
	w->step[w->nr_steps++] = step;
	return 0;
}

static char *format(const char *fmt, const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, fmt, a, b) < 0) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return s;
}

/* The path of a file beside the workload's. */
static char *beside(const struct workload *w, const char *name)
{
	char *dir = strdup(w->path), *path = format("%s/%s", dirname(dir), name);

	free(dir);
	return path;
}

static int parse_line(struct workload *w, char *key, char *val)
{
	if (!strcmp(key, "title")) {
		w->title = strdup(val);
	} else if (!strcmp(key, "topology")) {
		w->topology = strdup(val);
	} else if (!strcmp(key, "load")) {
		w->load = strdup(val);
	} else if (!strcmp(key, "interrupts")) {
		w->interrupts = strdup(val);
	} else if (!strcmp(key, "let")) {
		return add_step(w, format("%s%s", val, ""));
	} else if (!strcmp(key, "variant")) {
		if (w->nr_variants == MAX_ITEMS)
			return -1;
		w->variant[w->nr_variants++] = strdup(val);
	} else if (!strcmp(key, "attach")) {
		w->attach = strdup(val);
	} else if (!strcmp(key, "plugin")) {
		w->plugin = format(",%s%s", val, "");
	} else if (!strcmp(key, "module")) {
		return add_step(w, format("load_module %s%s", val, ""));
	} else if (!strcmp(key, "set")) {
		return add_step(w, format("set_value %s%s", val, ""));
	} else if (!strcmp(key, "setup")) {
		return add_step(w, format(". '%s'%s", beside(w, val), ""));
	} else if (!strcmp(key, "each")) {
		w->each = beside(w, val);
	} else if (!strcmp(key, "after")) {
		w->after = beside(w, val);
	} else if (!strcmp(key, "stack")) {
		w->stack = beside(w, val);
	} else if (!strcmp(key, "device")) {
		if (w->nr_devices == MAX_ITEMS)
			return -1;
		w->device[w->nr_devices++] = strdup(val);
	} else {
		return -1;
	}
	return 0;
}

/* @text with each @what replaced, in its place. */
static char *replace(char *text, const char *what, const char *by)
{
	char *at, *s;

	while ((at = strstr(text, what))) {
		*at = '\0';
		s = format("%s%s", text, by);
		at = format("%s%s", s, at + strlen(what));
		free(s);
		free(text);
		text = at;
	}
	return text;
}

int workload_load(struct workload *w, const char *path, const struct cell *cell)
{
	char *line = NULL, *key, *val, *save, *base, *missing;
	size_t size = 0;
	unsigned int at = 0;
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	memset(w, 0, sizeof(*w));
	w->path = strdup(path);
	base = strdup(path);
	w->plugin = "";
	w->name = strdup(basename(base));
	free(base);
	w->name[strcspn(w->name, ".")] = '\0';
	if (cell)
		w->name = format("%s-%s", w->name, cell->name);
	if (cell && cell->lets) {
		w->lets = strdup(cell->lets);
		w->hash = hash_text(w->hash, cell->lets);
	}
	while (getline(&line, &size, f) >= 0) {
		at++;
		if (cell && !cell->lets) {
			line = replace(line, "@placement@", cell->placement);
			line = replace(line, "@cpus@", cell->cpus);
			size = 0;
		}
		w->hash = hash_text(w->hash, line);
		line[strcspn(line, "#\n")] = '\0';
		key = strtok_r(line, " \t", &save);
		if (!key)
			continue;
		val = save + strspn(save, " \t");
		if (!*val || parse_line(w, key, val)) {
			fprintf(stderr, "%s:%u: give title, topology, module, device, set, let, setup, stack, plugin, interrupts, each, after, variant, attach or load with a value, at most %d of a kind\n",
				path, at, MAX_ITEMS);
			fclose(f);
			return -1;
		}
	}
	free(line);
	fclose(f);
	if (cell && cell->lets)
		w->title = format("%s: %s", w->title, cell->lets);
	missing = !w->title ? "title" : !w->topology ? "topology" :
		  !w->load ? "load" : !w->nr_devices ? "device" : NULL;
	if (missing) {
		fprintf(stderr, "%s: no %s in it\n", path, missing);
		return -1;
	}
	return 0;
}

/* The workload of variant @nr of @of. */
int workload_variant(struct workload *w, const struct workload *of, unsigned int nr)
{
	char *name = strdup(of->variant[nr]), *lets = strpbrk(name, " \t");
	struct cell cell = { .name = name };

	if (!lets) {
		fprintf(stderr, "%s: variant %s: give NAME=VALUE behind the name\n", of->path, name);
		return -1;
	}
	*lets++ = '\0';
	cell.lets = lets + strspn(lets, " \t");
	return workload_load(w, of->path, &cell);
}
