/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record of numaio run, checked: see record.rst. Strings belong to the JSON document, which
 * stays until report_record_free(). A string that the record may leave out is NULL then.
 */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define REPORT_RECORD_SCHEMA	1
#define REPORT_RECORD_LIMIT	1e100	/* of a figure: its square still is a double */
#define REPORT_RECORD_NODES	1024

enum report_better { REPORT_HIGHER, REPORT_LOWER, REPORT_NONE };
enum report_run_state { REPORT_OK, REPORT_RUN_FAILED, REPORT_INTERRUPTED };

struct report_strings {
	size_t n;
	const char **v;
};

struct report_metric {
	const char *name, *unit;
	enum report_better better;
	bool primary;
};

struct report_setting {
	const char *kind, *target, *asked, *read_back, *state, *error;
};

struct report_settings {
	size_t n;
	struct report_setting *v;
};

/* A variable of the matrix that a variant is a cell of. */
struct report_variable {
	const char *name, *value;
};

struct report_variant {
	const char *name;
	bool baseline;
	struct report_strings marks;
	struct report_settings settings;
	size_t nr_variables;
	struct report_variable *variables;
};

struct report_run {
	size_t variant;
	enum report_run_state state;
	bool warm_up;
	const char *error;
	struct report_strings marks;
	double *metrics;		/* by metric, NaN where there is none */
	bool has_interrupts;
	double *per_node;		/* by node id, REPORT_RECORD_NODES of them */
};

struct report_restored {
	const char *kind, *target, *state, *error;
};

struct report_record {
	json_t *root;
	const char *file, *experiment, *state, *started;
	const char *host, *kernel, *kernel_version, *cmdline, *config, *cpu;
	const char *emulation;		/* how it is known that the CPU is emulated, or may be */
	bool emulated, irqbalance;
	long long repetitions;		/* 0: not said */
	size_t nr_nodes, nr_metrics, nr_variants, nr_runs, nr_restored;
	size_t *nodes;			/* their ids, ascending */
	struct report_metric *metrics;
	struct report_variant *variants;
	struct report_run *runs;
	struct report_restored *restored;
	struct report_settings settings;	/* of all variants */
};

/*
 * Read a file; NULL, and *@error says which file, where in it and what was expected: free()
 * it. @file must stay.
 */
struct report_record *report_record_read(const char *file, char **error);
/* The same of text in memory. */
struct report_record *report_record_parse(const char *file, const char *text, size_t len,
					  char **error);
void report_record_free(struct report_record *r);

/* Index of a metric or variant; the number of them if there is none of that name. */
size_t report_record_metric(const struct report_record *r, const char *name);
size_t report_record_variant(const struct report_record *r, const char *name);

/* Memory that can't be had ends the program. */
void *report_alloc(size_t n, size_t size);
char *report_format(const char *form, ...) __attribute__((format(printf, 1, 2)));

#endif
