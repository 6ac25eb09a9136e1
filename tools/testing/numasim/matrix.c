// SPDX-License-Identifier: GPL-2.0-only
/*
 * The matrix: structures of a host on each node in turn, the load on each node in
 * turn. A row is a placement, as parameters of the driver's module; a column is the
 * CPUs of a node, the last one those of all nodes. Every cell is a workload.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "topology.h"

#define ALL_NODES	UINT_MAX

/**
 * struct matrix - Names of rows and columns of the cells.
 * @row: Names of the placements.
 * @nr_rows: Their number.
 * @column: Nodes of the load, ALL_NODES for all.
 * @nr_columns: Their number; cells are in the order of rows.
 */
struct matrix {
	char *row[TOPO_MAX_NODES + 2];
	unsigned int nr_rows;
	unsigned int column[TOPO_MAX_NODES + 1];
	unsigned int nr_columns;
};

static char *format_uint(const char *fmt, unsigned int v)
{
	char *s;

	if (asprintf(&s, fmt, v) < 0) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return s;
}

static void add_row(struct matrix *m, const char *placement[], char *name, const char *how)
{
	placement[m->nr_rows] = how;
	m->row[m->nr_rows++] = name;
}

static char *column_name(const struct matrix *m, unsigned int column)
{
	return m->column[column] == ALL_NODES ? strdup("all") :
		format_uint("node%u", m->column[column]);
}

/* CPUs of a node as a list, "4,5". */
static char *cpus_of(const struct topology *t, unsigned int node)
{
	char *list = strdup(""), *longer;
	unsigned int cpu;

	for (cpu = 0; cpu < t->nr_cpus; cpu++) {
		if (node != ALL_NODES && t->cpu_node[cpu] != node)
			continue;
		if (asprintf(&longer, "%s%s%u", list, *list ? "," : "", cpu) < 0)
			exit(1);
		free(list);
		list = longer;
	}
	return list;
}

/* Make the workloads of @b, a cell each, of the file at @path. Returns 0 or -1. */
int matrix_load(struct bench *b, const char *path, const char *topologies)
{
	const char *placement[TOPO_MAX_NODES + 2];
	struct matrix *m = calloc(1, sizeof(*m));
	char err[TOPO_ERR_LEN], *file;
	struct workload first;
	struct topology t;
	unsigned int n, r, c;

	if (workload_load(&first, path, &(struct cell){ "", "", "0", NULL }))
		return -1;
	if (asprintf(&file, "%s/%s.topo", topologies,
		     b->topology ? b->topology : first.topology) < 0)
		return -1;
	if (topo_load(&t, file, err)) {
		fprintf(stderr, "%s\n", err);
		return -1;
	}

	add_row(m, placement, strdup("default"), "");
	for (n = 0; n < t.nr_nodes; n++) {
		if (t.mem[n])
			add_row(m, placement, format_uint("node%u", n),
				format_uint("numa_node=%u", n));
		if (t.node_cpus[n])
			m->column[m->nr_columns++] = n;
	}
	add_row(m, placement, strdup("spread"), "tag_placement=spread");
	m->column[m->nr_columns++] = ALL_NODES;

	b->nr_workloads = m->nr_rows * m->nr_columns;
	b->workload = calloc(b->nr_workloads, sizeof(*b->workload));
	for (r = 0; r < m->nr_rows; r++) {
		for (c = 0; c < m->nr_columns; c++) {
			struct cell cell = {
				.placement = placement[r],
				.cpus = cpus_of(&t, m->column[c]),
			};
			char *column = column_name(m, c), *name;

			if (asprintf(&name, "%s-%s", m->row[r], column) < 0)
				return -1;
			cell.name = name;
			free(column);
			if (workload_load(&b->workload[r * m->nr_columns + c], path, &cell))
				return -1;
		}
	}
	b->matrix = m;
	return 0;
}

static void print_rows(const struct bench *b, unsigned int arm, const char *what,
		       const struct spread *(*value)(const struct result *))
{
	const struct matrix *m = b->matrix;
	unsigned int r, c;

	printf("\n%s, median (min .. max)\n%-10s", what, "structures");
	for (c = 0; c < m->nr_columns; c++)
		printf(" | load on %-17s", column_name(m, c));
	putchar('\n');
	for (r = 0; r < m->nr_rows; r++) {
		printf("%-10s", m->row[r]);
		for (c = 0; c < m->nr_columns; c++) {
			const struct result *o = result_of(b, r * m->nr_columns + c, arm);
			const struct spread *s = value(o);

			if (o->runs)
				printf(" | %6.3f (%6.3f .. %6.3f)", s->median, s->min, s->max);
			else
				printf(" | %-25s", o->skipped ? "skipped" : "no result");
		}
		putchar('\n');
	}
}

static const struct spread *of_remote(const struct result *r)
{
	return &r->remote_s;
}

static const struct spread *of_memory(const struct result *r)
{
	return &r->memory_s;
}

static const struct spread *of_insns(const struct result *r)
{
	return &r->insns_s;
}

static void print_interrupts(const struct bench *b, unsigned int arm)
{
	const struct matrix *m = b->matrix;
	unsigned int r, c;

	if (!b->workload[0].interrupts) {
		printf("\nNo interrupts: the CPU that submits an I/O completes it.\n");
		return;
	}
	printf("\nNodes that served the interrupts (node:percent, last run)\n");
	for (r = 0; r < m->nr_rows; r++) {
		printf("%-10s", m->row[r]);
		for (c = 0; c < m->nr_columns; c++)
			printf(" | %-25s", result_of(b, r * m->nr_columns + c, arm)->interrupts);
		putchar('\n');
	}
}

void print_matrix(const struct bench *b)
{
	unsigned int a;

	printf("Modelled, nothing here is a time: %s, topology %s, %u runs, plugin options: %s%s\n",
	       b->workload[0].title, b->topology ? b->topology : b->workload[0].topology, b->runs,
	       *b->workload[0].plugin ? b->workload[0].plugin + 1 : "default", b->plugin_options);
	for (a = 0; a < b->nr_arms; a++) {
		printf("\n== %s ==\n", b->arm[a].name);
		print_rows(b, a, "Lines from another node's cache per I/O", of_remote);
		print_rows(b, a, "Lines from another node's memory per I/O", of_memory);
		print_rows(b, a, "Instructions per I/O", of_insns);
		print_interrupts(b, a);
	}
}
