/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A report: what a record says once its addresses have names.  All printers
 * (table, JSON) and the comparison work on this.
 */
#ifndef NUMASIM_MODEL_H
#define NUMASIM_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_SCHEMA	"numasim-report"
#define REPORT_VERSION	1

struct counts {
	uint64_t insns;
	uint64_t loads;
	uint64_t stores;
	uint64_t rloads;	/* remote transfers for loads */
	uint64_t rstores;	/* and for stores */
	uint64_t local;		/* from another CPU of the node (unit=cpu) */
	uint64_t memory;	/* from memory of another node, no cache held it */
};

struct function {
	const char *name;
	const char *module;
	bool stack;
	struct counts c;
};

struct site {
	uint64_t pc;
	const char *name;	/* of the function */
	uint64_t offset;
	bool stack;
	struct counts c;
};

struct line_user {
	const char *name;
	uint64_t offset;
	uint64_t rloads;
	uint64_t rstores;
};

struct line {
	uint64_t addr;
	uint64_t vaddr;
	unsigned int home;
	uint64_t nodes;
	uint64_t rloads;
	uint64_t rstores;
	char *object;
	struct line_user *user;
	size_t nr_users;
};

struct report {
	uint64_t ios;
	unsigned int window;
	bool complete;
	char *topology;
	unsigned int nr_nodes;
	unsigned int nr_cpus;
	unsigned int *cpu_node;
	uint64_t *memory;
	json_t *options;	/* of the plugin */
	json_t *totals;		/* further sums of the record */
	json_t *load;		/* what ioload was told */
	json_t *info;		/* what the caller wants kept: hashes, names */
	struct counts all;
	struct counts stack;
	struct function *func;	/* most remote transfers first */
	size_t nr_funcs;
	struct site *site;	/* the same */
	size_t nr_sites;
	struct line *line;	/* the same */
	size_t nr_lines;
	uint64_t lines_total;
};

struct report_files {
	const char *record;
	const char *kallsyms;
	const char *system_map;	/* or NULL */
	const char *stack;
	const char *more_stack;	/* or NULL */
	const char *load;	/* ioload's file, or NULL */
	const char *lineinfo;	/* or NULL */
};

static inline uint64_t remote(const struct counts *c)
{
	return c->rloads + c->rstores;
}

/* Both return NULL after a message on stderr. */
struct report *report_load(const struct report_files *files, uint64_t ios);
struct report *report_from_json(const char *path);

json_t *report_to_json(const struct report *r, size_t top);

#endif
