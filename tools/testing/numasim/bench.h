/* SPDX-License-Identifier: GPL-2.0-only */
/* numasim-bench: what is compared (arms), on what (workloads), and what came out. */
#ifndef NUMASIM_BENCH_H
#define NUMASIM_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_SCHEMA	"numasim-bench"
#define BENCH_VERSION	1

#define MAX_ARMS	8
#define MAX_ITEMS	32	/* lines of one kind in a workload */
#define MAX_RUNS	100

/* A kernel and how it is set up.  The first arm is what others are compared to. */
struct arm {
	const char *name;
	const char *dir;		/* arch/x86/boot/bzImage, System.map, .config, mods/ */
	const char *placement;		/* of tags, or NULL: kernel has no choice */
	char kernel_sha[65];
	char config_sha[65];
	long long built;		/* bzImage: changes when somebody rebuilds */
	char *modules;			/* directory of ours for this kernel, or NULL */
	bool lineinfo;			/* the module that names objects is among them */
};

struct workload {
	char *name;
	char *path;
	char *title;
	char *topology;
	char *load;			/* arguments of ioload */
	char *plugin;			/* further plugin options, or "" */
	char *stack;			/* further rules, or NULL */
	char *interrupts;		/* part of their name in /proc/interrupts, or NULL */
	char *lets;			/* of a variant: NAME=VALUE..., or NULL */
	char *each;			/* shell file for before the load, or NULL */
	char *after;			/* shell file for the end, or NULL */
	char *variant[MAX_ITEMS];	/* "NAME LETS" */
	unsigned int nr_variants;
	char *attach;			/* device, as vmrun's -d takes it, or NULL */
	char *step[MAX_ITEMS];		/* shell, in the order of the file */
	unsigned int nr_steps;
	char *device[MAX_ITEMS];
	unsigned int nr_devices;
	uint64_t hash;			/* of the file */
};

/* Of several runs of one thing. */
struct spread {
	double median, mean, min, max;
};

struct function_result {
	const char *name;
	double *remote;			/* per I/O, by run */
	struct spread s;
};

#define MAX_COUNTS	8

/* What a workload counted itself, in each run. */
struct count {
	char name[24];
	double v[MAX_RUNS];
	struct spread s;
};

/* All runs of one workload in one arm. */
struct result {
	const struct workload *workload;
	const struct arm *arm;
	bool skipped;
	unsigned int runs;
	uint64_t ios;
	char in_force[64];		/* placement that the kernel reports */
	double remote[MAX_RUNS];
	double remote_all[MAX_RUNS];	/* the rest of the kernel included */
	double insns[MAX_RUNS];
	double loads[MAX_RUNS];
	double stores[MAX_RUNS];
	double memory[MAX_RUNS];	/* from another node's memory, no cache held it */
	struct spread remote_s, remote_all_s, insns_s, loads_s, stores_s, memory_s;
	struct count count[MAX_COUNTS];
	unsigned int nr_counts;
	char note[256];			/* what the workload had to say, last run */
	char interrupts[64];		/* nodes that served them, of the last run */
	struct function_result *func;	/* highest mean first */
	size_t nr_funcs;
};

struct bench {
	struct arm arm[MAX_ARMS];
	unsigned int nr_arms;
	struct workload *workload;
	unsigned int nr_workloads;
	unsigned int runs;
	const char *build;		/* our programs */
	const char *vm;			/* vmrun */
	const char *out;
	const char *data;		/* workloads, stack.conf */
	const char *tools_sha;		/* of our programs, and what runs in the guest */
	const char *plugin_options;	/* "", or ",name=value..." */
	const char *topology;		/* instead of the workload's, or NULL */
	struct result *result;		/* by workload, then arm */
	struct matrix *matrix;		/* workloads are its cells, or NULL */
};

static inline struct result *result_of(const struct bench *b, unsigned int workload,
				       unsigned int arm)
{
	return &b->result[workload * b->nr_arms + arm];
}

/* workload.c */
/**
 * struct cell - What stands for words of a workload file.
 * @name: Is appended to the name of the workload.
 * @placement: For "@placement@".
 * @cpus: For "@cpus@".
 * @lets: NAME=VALUE... of a variant, in which nothing is replaced, or NULL.
 */
struct cell {
	const char *name;
	const char *placement;
	const char *cpus;
	const char *lets;
};

int workload_load(struct workload *w, const char *path, const struct cell *cell);
int workload_variant(struct workload *w, const struct workload *of, unsigned int nr);
uint64_t hash_text(uint64_t hash, const char *text);

/* gather.c */
struct spread spread_of(const double *v, unsigned int nr);
int gather(struct result *r, const char *const *path, unsigned int nr);
bool spreads_apart(const struct spread *a, const struct spread *b);
unsigned int nr_of_boot(const struct bench *b, unsigned int workload);
void print_results(const struct bench *b);
int write_json(const struct bench *b, const char *path);

/* matrix.c */
int matrix_load(struct bench *b, const char *path, const char *topologies);
void print_matrix(const struct bench *b);

/* picture.c */
int draw(const struct bench *b);

#endif
