/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the document that show.h is about, one file each. What a function returns is
 * the caller's; values that the kernel doesn't tell are null in it.
 */
#ifndef SHOW_PARTS_H
#define SHOW_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "cpus.h"
#include "show-sys.h"

/* show-json.c: small things */
json_t *json_take(char *text);
json_t *json_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
json_t *json_int_file(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
json_t *json_per_node(const struct cpus *of, const unsigned long long *counts);
bool json_has_string(const json_t *array, const char *s);
void json_add_string(json_t *array, const char *s);
const char *json_text(const json_t *object, const char *key);
json_t *json_find(const json_t *list, const char *name);

/* show-nodes.c: which CPU is on which node */
int nodes_load(void);
void nodes_free(void);
int nodes_of_cpu(unsigned int cpu);
const struct cpus *nodes_online(void);
json_t *nodes_of_cpus(const struct cpus *c);
json_t *nodes_json(void);
json_t *nodes_of_device(const char *device);

/* show-disk.c, show-tags.c */
json_t *disk_json(const char *name, bool debugfs);
json_t *tags_json(const char *disk, const char *queue);

/* show-host.c */
json_t *host_json(const char *name);
char *host_of_path(const char *path);

/* show-irq.c */
json_t *irqs_of_device(const char *device);
json_t *irqs_json(const json_t *numbers, bool debugfs);

/* show-iscsi.c, show-net.c */
char *session_host(const char *name);
json_t *session_json(const char *name, bool debugfs);
char *net_device_for(const char *address);
json_t *net_json(const char *name);

/* show-wq.c, show-proc.c */
json_t *workqueues_json(bool debugfs);
int procs_scan(void);
void procs_free(void);
json_t *procs_irqbalance(void);
json_t *procs_workers(const char *workqueue);

/* show-names.c: the names of disks and hosts, NULL with a message if there is no such one */
json_t *names_wanted(char **names, int nr, const char *command);

/* show-untold.c: fills the document's list of what the kernel doesn't tell */
void untold_add(json_t *doc);

/* show-place.c */
struct argp_state;
/* -o: is it json? Else it is text; anything else is an error of usage. */
bool show_json_asked(const char *format, struct argp_state *state);
/* --sysroot; false with a message if it is none. */
bool show_set_root(const char *dir, const char *command);
/* The whole; @names are disks and hosts, none: all. NULL with a message. */
json_t *show_document(char **names, int nr, const char *command);
void show_print(const json_t *doc);

#endif
