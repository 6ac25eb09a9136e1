/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * numaio run: what its parts share.
 *
 * A *want* is a setting as the experiment asks for it, by pattern. A *change* is one thing on
 * this host that a want names, with the value that it had. A *slot* is a place in the order of
 * runs: a block contains each variant once.
 */
#ifndef RUN_H
#define RUN_H

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cpus.h"

#define RUN_MAX_VARIANTS 4096
#define RUN_FIGURE_MAX	1e100	/* numaio report takes none beyond it */

/* Before each path of sysfs, procfs and /boot; "" but in tests. */
extern const char *run_sysroot;

/* run-util.c: text, small files. Memory that can't be had ends the program. */
char *run_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *run_dup(const char *s);
void *run_grow(void *p, size_t n, size_t size);
char *run_trim(char *s);
char *run_path(const char *path);
char *run_read(const char *path);
int run_write(const char *path, const char *value);
json_t *run_text(const char *s);
bool run_is_utf8(const char *s);
char *run_date(void);
char *run_last_line(int fd);
bool run_number(const char *s, double min, double max, double *value);

struct run_strs {
	size_t n;
	char **v;
};

void run_strs_add(struct run_strs *l, char *s);
void run_strs_words(struct run_strs *l, const char *s);
void run_strs_free(struct run_strs *l);

/* run-cpus.c: CPUs and nodes as an experiment names them, and those of the host. */
bool run_cpus_list(const char *s, struct cpus *c);
char *run_cpus_spec(const char *spec, struct cpus *c);
char *run_nodes_spec(const char *spec, struct cpus *nodes);
char *run_cpus_online(void);
int run_node_of(int cpu);
const struct cpus *run_nodes(void);
const struct cpus *run_node_cpus(int node);
void run_cpus_forget(void);

/* run-match.c: patterns. */
char *run_pattern_check(const char *pattern, int groups);
bool run_match(const char *pattern, const char *name);
void run_find_files(const char *dir, const char *pattern, struct run_strs *found);

/* run-ini.c: the experiment. */
struct run_param {
	char *name;
	char *value;
	bool recorded;	/* of the record that is resumed, not by -D */
};

struct run_params {
	size_t n;
	struct run_param *v;
};

struct run_want {
	const struct run_kind *kind;
	char *target;
	char *value;
};

struct run_load {
	char *fio;
	char *command;
	char *args;
	char *client;
	char *cpunodebind;
	char *membind;
	char *physcpubind;
	double timeout;
};

struct run_variant {
	char *name;
	bool baseline;
	struct run_params vars;
	struct run_load load;
	size_t n_wants;
	struct run_want *wants;
};

struct run_metric {
	char *name;
	char *pattern;
	char *unit;
	char *better;
	bool primary;
};

struct run_experiment {
	char *file;
	char *text;
	char *name;
	int repetitions;
	int warm_up;
	double cool_down;
	double settle;
	long long seed;
	char *interrupts;
	struct run_strs devices;
	struct run_params params;
	size_t n_metrics;
	struct run_metric *metrics;
	size_t n_wants;
	struct run_want *wants;
	size_t n_variants;
	struct run_variant *variants;
};

struct run_experiment *run_ini_parse(const char *file, const char *text, size_t len,
				     const struct run_params *given, FILE *err);
void run_params_recorded(struct run_params *p, const char *name, const char *value);
char *run_ini_find(const char *name);
struct run_experiment *run_ini_read(const char *file, const struct run_params *given, FILE *err);
void run_ini_free(struct run_experiment *e);

/* run-order.c */
void run_order(long long seed, int block, size_t n, size_t *order);

/* run-settings.c: settings on this host. */
struct run_store {
	const char *name;	/* in the journal */
	char *(*read)(const char *where);	/* NULL: errno; no function: can't be read */
	char *(*write)(const char *where, const char *value);	/* NULL, or why not */
	bool (*same)(const char *asked, const char *value);
	char *(*restore)(const char *where, const char *was);	/* no function: as write */
	char *(*show)(const char *asked, const char *value);	/* no function: as it is */
};

enum run_state { RUN_SET, RUN_DIFFERS, RUN_REFUSED };

struct run_change {
	const char *kind;
	char *target;
	const struct run_store *store;	/* NULL: nothing to restore */
	char *where;
	char *asked;
	char *was;
	char *read_back;
	char *error;
	enum run_state state;
	int journal;		/* number of its entry, 0: none */
};

struct run_changes {
	size_t n;
	struct run_change *v;
};

struct run_kind {
	const char *name;
	const char *form;
	/* NULL, or what is wrong. */
	char *(*check)(const char *target, const char *value);
	void (*find)(const struct run_want *want, struct run_changes *changes);
};

extern const struct run_kind run_kinds[];
extern const struct run_store run_value, run_scope, run_list, run_mask;
extern const struct run_store run_thread_cpus, run_thread_nice, run_process, run_module, run_shell;

const struct run_kind *run_kind_named(const char *name);
const struct run_store *run_store_named(const char *name);
struct run_change *run_change_add(struct run_changes *l, const char *kind, char *target,
				  const struct run_store *store, char *where, char *asked);
void run_change_refused(struct run_changes *l, const char *kind, const char *target,
			const char *asked, char *error);
void run_changes_free(struct run_changes *l);
json_t *run_change_json(const struct run_change *c);

struct run_journal;
bool run_apply(const struct run_want *wants, size_t n, struct run_changes *changes,
	       struct run_journal *j);
bool run_undo(struct run_changes *changes, struct run_journal *j, json_t *restored);
bool run_undo_one(const struct run_change *c, json_t *restored);
struct run_counters;
void run_drift(const struct run_changes *changes, const struct run_counters *before,
	       const struct run_counters *after, json_t *marks);

/* run-thread.c, run-module.c: kinds that are no files. */
char *run_thread_check(const char *target, const char *value);
void run_thread_find(const struct run_want *w, struct run_changes *l);
char *run_irqbalance_check(const char *target, const char *value);
void run_irqbalance_find(const struct run_want *w, struct run_changes *l);
bool run_irqbalance_runs(void);
char *run_module_check(const char *target, const char *value);
void run_module_find(const struct run_want *w, struct run_changes *l);
char *run_shell_check(const char *target, const char *value);
void run_shell_find(const struct run_want *w, struct run_changes *l);
char *run_child(char *const argv[], int keep);
extern int run_lock_fd;	/* of the journal; a modprobe keeps it, so that nobody restores beside it */

/* run-journal.c: what is to be restored, beside the record. */
struct run_journal *run_journal_open(const char *record, bool create, char **error);
int run_journal_add(struct run_journal *j, const struct run_change *c);
bool run_journal_done(struct run_journal *j, int entry);
bool run_journal_undo(struct run_journal *j, json_t *restored);
bool run_journal_exists(const char *record);
void run_journal_close(struct run_journal *j, bool remove);
const char *run_journal_path(const struct run_journal *j);
void run_journal_kill_load(const struct run_journal *j);

/* run-signal.c: one place where signals arrive. */
void run_signal_block(void);
void run_signal_unblock(void);
int run_signal_fd(void);
int run_signalled(void);

/* run-load.c: one run. */
struct run_outcome {
	const char *state;
	char *error;
	char *started;
	double seconds;
	json_t *metrics;
	json_t *placement;	/* of the load: settings of kind "load" */
};

void run_load(const struct run_experiment *e, const struct run_variant *v, int block,
	      const char *journal, void (*tick)(void *), void *arg, struct run_outcome *o);
char *run_load_missing(const struct run_experiment *e);
char *run_load_line(const struct run_experiment *e, const struct run_variant *v);

/* run-fio.c */
char *run_fio_metrics(const char *out, json_t *metrics);
size_t run_fio_describe(struct run_metric **metrics);

/* run-counters.c: interrupts and CPU time before and after. */
struct run_counters *run_counters_read(void);
unsigned long long run_counters_delta(const struct run_counters *a, const struct run_counters *b,
				      int irq);
json_t *run_counters_interrupts(const struct run_counters *a, const struct run_counters *b,
				const char *pattern);
void run_counters_metrics(const struct run_counters *a, const struct run_counters *b,
			  json_t *metrics);
void run_counters_free(struct run_counters *c);

/* run-env.c */
json_t *run_environment(void);

/* run-emulated.c */
enum run_emulation { RUN_NOT_EMULATED, RUN_MAYBE_EMULATED, RUN_EMULATED };

enum run_emulation run_emulation(char **why);
char *run_cpu_model(void);

/* run-record.c */
bool run_record_counts(const char *metric);
json_t *run_record_new(const struct run_experiment *e);
char *run_record_write(const char *path, json_t *record);
json_t *run_record_read(const char *path, char **error);
char *run_record_resumable(json_t *record, const struct run_experiment *e);
bool run_record_has(json_t *record, const char *variant, int block);
void run_record_settings(json_t *record, const char *variant, const struct run_changes *changes,
			 json_t *placement, json_t *marks);
void run_record_common(json_t *record, const struct run_changes *changes);
void run_record_restored(json_t *record, json_t *restored);
void run_mark(json_t *marks, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* run-dry.c */
void run_dry(const struct run_experiment *e, FILE *out);

#endif
