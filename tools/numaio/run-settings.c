// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings that are files of sysfs and procfs; applying and undoing of all settings.
 */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define WQ	"/sys/devices/virtual/workqueue"

/* "flat [spread]" is the choice "spread". */
static char *read_value(const char *where)
{
	char *s = run_read(where), *open, *close;

	if (!s)
		return NULL;
	open = strchr(s, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close && (open == s || isspace((unsigned char)open[-1])) &&
	    (!close[1] || isspace((unsigned char)close[1]))) {
		*close = '\0';
		memmove(s, open + 1, close - open);
	}
	return s;
}

/* A scope is "numa" or "default (cache)"; the kernel takes "default". */
static char *read_scope(const char *where)
{
	char *s = run_read(where);

	if (s)
		s[strcspn(s, " ")] = '\0';
	return s;
}

static char *write_value(const char *where, const char *value)
{
	int error = run_write(where, value);

	if (!error)
		return NULL;
	/* EPERM of 6.12; older kernels have EIO */
	if ((error == EPERM || error == EIO) && !strncmp(where, "/proc/irq/", 10))
		return run_format("%s: the kernel manages this interrupt", strerror(error));
	return run_dup(strerror(error));
}

static bool same_value(const char *asked, const char *value)
{
	return !strcmp(asked, value);
}

static bool same_list(const char *asked, const char *value)
{
	struct cpus a, b;

	return run_cpus_list(asked, &a) && run_cpus_list(value, &b) && cpus_same(&a, &b);
}

static bool same_mask(const char *asked, const char *value)
{
	struct cpus a, b;

	return !cpus_parse_mask(&a, asked) && !cpus_parse_mask(&b, value) && cpus_same(&a, &b);
}

const struct run_store run_value = { "value", read_value, write_value, same_value, NULL, NULL };
const struct run_store run_scope = { "scope", read_scope, write_value, same_value, NULL, NULL };
const struct run_store run_list = { "list", run_read, write_value, same_list, NULL, NULL };
const struct run_store run_mask = { "mask", run_read, write_value, same_mask, NULL, NULL };

const struct run_store *run_store_named(const char *name)
{
	static const struct run_store *const all[] = {
		&run_value, &run_scope, &run_list, &run_mask, &run_thread_cpus, &run_thread_nice,
		&run_process, &run_module, &run_shell,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

/* What may be done to what. */

static char *check_cpus(const char *target, const char *value)
{
	struct cpus c;
	char *error = run_pattern_check(target, -1);

	return error ? error : run_cpus_spec(value, &c);
}

static char *cpus_as_list(const char *spec)
{
	struct cpus c;

	free(run_cpus_spec(spec, &c));
	return cpus_list(&c);
}

static char *cpus_as_mask(const char *spec)
{
	struct cpus c;

	free(run_cpus_spec(spec, &c));
	return cpus_mask(&c);
}

/* A line of /proc/interrupts ends with the names of what shares the interrupt. */
static char *irq_named(char *line, const char *pattern)
{
	char *save, *irq = strtok_r(line, " \t", &save), *w;
	size_t len = irq ? strlen(irq) : 0;

	if (!len || irq[len - 1] != ':' || !isdigit((unsigned char)*irq))
		return NULL;
	irq[len - 1] = '\0';
	for (w = strtok_r(NULL, " \t,", &save); w; w = strtok_r(NULL, " \t,", &save))
		if (!isdigit((unsigned char)*w) && run_match(pattern, w))
			return run_format("%s (%s)", irq, w);
	return NULL;
}

static void find_irq(const struct run_want *w, struct run_changes *l)
{
	char *text = run_read("/proc/interrupts"), *save, *line, *name;
	size_t n = l->n;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		name = irq_named(line, w->target);
		if (name)
			run_change_add(l, w->kind->name, name, &run_list,
				       run_format("/proc/irq/%d/smp_affinity_list", atoi(name)),
				       cpus_as_list(w->value));
	}
	free(text);
	if (l->n == n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no interrupt has such a name"));
}

static const char *const wq_attrs[] = { "affinity_scope", "affinity_strict", "cpumask", "nice" };

/* "cpumask=node:0 nice=-5": the value of one attribute, or NULL. */
static char *attr_of(const char *value, const char *attr)
{
	struct run_strs words = { 0 };
	size_t len = strlen(attr);
	char *found = NULL;

	run_strs_words(&words, value);
	for (size_t i = 0; i < words.n && !found; i++)
		if (!strncmp(words.v[i], attr, len) && words.v[i][len] == '=')
			found = run_dup(words.v[i] + len + 1);
	run_strs_free(&words);
	return found;
}

static char *check_wq_attr(const char *word)
{
	static const char *const scopes[] = { "default", "cpu", "smt", "cache", "numa", "system" };
	struct cpus c;
	double n;

	if (!strncmp(word, "affinity_scope=", 15)) {
		for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
			if (!strcmp(word + 15, scopes[i]))
				return NULL;
		return run_format("\"%s\": a scope is default, cpu, smt, cache, numa or system",
				  word);
	}
	if (!strncmp(word, "affinity_strict=", 16))
		return !strcmp(word + 16, "0") || !strcmp(word + 16, "1") ? NULL :
			run_format("\"%s\": affinity_strict is 0 or 1", word);
	if (!strncmp(word, "cpumask=", 8))
		return run_cpus_spec(word + 8, &c);
	if (!strncmp(word, "nice=", 5))
		return run_number(word + 5, -20, 19, &n) && n == (int)n ? NULL :
			run_format("\"%s\": nice is -20 .. 19", word);
	return run_format("\"%s\" is none of affinity_scope=, affinity_strict=, cpumask=, nice=",
			  word);
}

static char *check_workqueue(const char *target, const char *value)
{
	char *error = run_pattern_check(target, -1);
	struct run_strs words = { 0 };

	run_strs_words(&words, value);
	for (size_t i = 0; i < words.n && !error; i++) {
		error = check_wq_attr(words.v[i]);
		for (size_t k = 0; k < i && !error; k++)
			if (strcspn(words.v[i], "=") == strcspn(words.v[k], "=") &&
			    !strncmp(words.v[i], words.v[k], strcspn(words.v[i], "=")))
				error = run_format("\"%s\" and \"%s\": once each", words.v[k],
						   words.v[i]);
	}
	run_strs_free(&words);
	return error;
}

static void add_wq_attr(const struct run_want *w, const char *queue, const char *attr,
			struct run_changes *l)
{
	char *value = attr_of(w->value, attr);
	bool mask = !strcmp(attr, "cpumask"), scope = !strcmp(attr, "affinity_scope");

	if (!value)
		return;
	run_change_add(l, w->kind->name, run_format("%s %s", queue, attr),
		       mask ? &run_mask : scope ? &run_scope : &run_value,
		       run_format(WQ "/%s/%s", queue, attr),
		       mask ? cpus_as_mask(value) : run_dup(value));
	free(value);
}

static void find_workqueue(const struct run_want *w, struct run_changes *l)
{
	struct run_strs queues = { 0 };

	run_find_files(WQ, w->target, &queues);
	for (size_t i = 0; i < queues.n; i++)
		for (size_t a = 0; a < sizeof(wq_attrs) / sizeof(*wq_attrs); a++)
			add_wq_attr(w, queues.v[i], wq_attrs[a], l);
	if (!queues.n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no workqueue in sysfs has such a name"));
	run_strs_free(&queues);
}

static char *check_rq_affinity(const char *target, const char *value)
{
	char *error = run_pattern_check(target, -1);

	if (error || (strlen(value) == 1 && *value >= '0' && *value <= '3'))
		return error;
	return run_format("\"%s\": rq_affinity is 0 .. 3 (3: node, with the series)", value);
}

static char *check_placement(const char *target, const char *value)
{
	char *error = run_pattern_check(target, -1);

	if (error || !strcmp(value, "flat") || !strcmp(value, "spread"))
		return error;
	return run_format("\"%s\": tag_placement is flat or spread", value);
}

/* Disks of a pattern, and SCSI hosts where those have the attribute, too. */
static void find_queue_attr(const struct run_want *w, struct run_changes *l)
{
	bool placement = !strcmp(w->kind->name, "tag_placement");
	bool cpus = !strcmp(w->kind->name, "queue_affinity");
	struct run_strs names = { 0 };
	size_t disks;

	run_find_files("/sys/block", w->target, &names);
	disks = names.n;
	if (placement && !disks)
		run_find_files("/sys/class/scsi_host", w->target, &names);
	for (size_t i = 0; i < names.n; i++)
		run_change_add(l, w->kind->name, run_dup(names.v[i]), cpus ? &run_list : &run_value,
			       disks ? run_format("/sys/block/%s/queue/%s", names.v[i],
						  w->kind->name) :
				       run_format("/sys/class/scsi_host/%s/tag_placement",
						  names.v[i]),
			       cpus ? cpus_as_list(w->value) : run_dup(w->value));
	if (!names.n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no such device"));
	run_strs_free(&names);
}

/* The pattern is that of the interface, or of both: eth0/rx-[0-3]. */
static void find_rps_of(const struct run_want *w, const char *netdev, struct run_changes *l)
{
	char *dir = run_format("/sys/class/net/%s/queues", netdev);
	struct run_strs queues = { 0 };

	run_find_files(dir, "rx-[0-9]+", &queues);
	for (size_t i = 0; i < queues.n; i++) {
		char *name = run_format("%s/%s", netdev, queues.v[i]);

		if (run_match(w->target, netdev) || run_match(w->target, name))
			run_change_add(l, w->kind->name, run_dup(name), &run_mask,
				       run_format("%s/%s/rps_cpus", dir, queues.v[i]),
				       cpus_as_mask(w->value));
		free(name);
	}
	run_strs_free(&queues);
	free(dir);
}

static void find_rps(const struct run_want *w, struct run_changes *l)
{
	struct run_strs devs = { 0 };
	size_t n = l->n;

	run_find_files("/sys/class/net", ".*", &devs);
	for (size_t i = 0; i < devs.n; i++)
		find_rps_of(w, devs.v[i], l);
	run_strs_free(&devs);
	if (l->n == n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no receive queue of a network interface has such a name"));
}

static bool leads_up(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at++)
		if (!at[3] || at[3] == '/')
			return true;
	return false;
}

static char *check_sysfs(const char *target, const char *value)
{
	(void)value;
	if ((strncmp(target, "/sys/", 5) && strncmp(target, "/proc/", 6)) || leads_up(target))
		return run_format("\"%s\" is no path below /sys/ or /proc/", target);
	return NULL;
}

static void find_sysfs(const struct run_want *w, struct run_changes *l)
{
	char *full = run_path(w->target);
	glob_t g = { 0 };
	size_t skip = strlen(run_sysroot), n = l->n;

	if (!glob(full, GLOB_NOSORT, NULL, &g))
		for (size_t i = 0; i < g.gl_pathc; i++)
			if (!leads_up(g.gl_pathv[i]))
				run_change_add(l, w->kind->name, run_dup(g.gl_pathv[i] + skip),
					       &run_value, run_dup(g.gl_pathv[i] + skip),
					       run_dup(w->value));
	if (l->n == n)
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("no such file"));
	globfree(&g);
	free(full);
}

#define CPUS	"PATTERN -> CPUS (0-3,8, node:N or all)"

const struct run_kind run_kinds[] = {
	{ "irq", CPUS, check_cpus, find_irq },
	{ "thread", "PATTERN -> cpus=CPUS nice=N", run_thread_check, run_thread_find },
	{ "workqueue", "PATTERN -> affinity_scope=S affinity_strict=0|1 cpumask=CPUS nice=N",
	  check_workqueue, find_workqueue },
	{ "rq_affinity", "DEVICE -> 0 .. 3", check_rq_affinity, find_queue_attr },
	{ "queue_affinity", "DEVICE -> CPUS", check_cpus, find_queue_attr },
	{ "tag_placement", "DEVICE|hostN -> flat|spread", check_placement, find_queue_attr },
	{ "module", "NAME -> PARAMETER=VALUE...", run_module_check, run_module_find },
	{ "rps", "INTERFACE[/rx-N] -> CPUS", check_cpus, find_rps },
	{ "irqbalance", "stop", run_irqbalance_check, run_irqbalance_find },
	{ "sysfs", "PATH -> VALUE", check_sysfs, find_sysfs },
	{ "shell", "COMMAND -> COMMAND THAT UNDOES IT", run_shell_check, run_shell_find },
	{ NULL, NULL, NULL, NULL }
};

const struct run_kind *run_kind_named(const char *name)
{
	for (const struct run_kind *k = run_kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

/* Takes over target, where and asked. */
struct run_change *run_change_add(struct run_changes *l, const char *kind, char *target,
				  const struct run_store *store, char *where, char *asked)
{
	struct run_change *c;

	l->v = run_grow(l->v, l->n, sizeof(*l->v));
	c = &l->v[l->n++];
	*c = (struct run_change){ .kind = kind, .target = target, .store = store, .where = where,
				  .asked = asked };
	return c;
}

void run_change_refused(struct run_changes *l, const char *kind, const char *target,
			const char *asked, char *error)
{
	struct run_change *c = run_change_add(l, kind, run_dup(target), NULL, NULL,
					      run_dup(asked));

	c->state = RUN_REFUSED;
	c->error = error;
}

void run_changes_free(struct run_changes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].target);
		free(l->v[i].where);
		free(l->v[i].asked);
		free(l->v[i].was);
		free(l->v[i].read_back);
		free(l->v[i].error);
	}
	free(l->v);
	*l = (struct run_changes){ 0 };
}

static char *shown(const struct run_change *c, const char *value)
{
	if (!value)
		return NULL;
	return c->store && c->store->show ? c->store->show(c->asked, value) : run_dup(value);
}

/* Where an interrupt goes in fact; NULL if that isn't known. */
static char *effective(const struct run_change *c)
{
	char *path, *s;

	if (strcmp(c->kind, "irq") || !c->where)
		return NULL;
	path = run_format("/proc/irq/%d/effective_affinity_list", atoi(c->target));
	s = run_read(path);
	free(path);
	return s;
}

json_t *run_change_json(const struct run_change *c)
{
	static const char *const states[] = { "set", "differs", "refused" };
	char *was = shown(c, c->was), *read_back = shown(c, c->read_back);
	char *asked = shown(c, c->asked), *goes = effective(c);
	json_t *j = json_pack("{s:s s:o s:o s:o s:o s:s s:o}", "kind", c->kind,
			      "target", run_text(c->target), "asked", run_text(asked),
			      "was", run_text(was), "read_back", run_text(read_back),
			      "state", states[c->state], "error", run_text(c->error));

	if (goes) {
		json_object_set_new(j, "effective", run_text(goes));
		free(goes);
	}
	free(asked);
	free(was);
	free(read_back);
	return j;
}

static void read_back(struct run_change *c)
{
	if (!c->store->read) {
		c->read_back = run_dup(c->error ? "failed" : "done");
		c->state = c->error ? RUN_REFUSED : RUN_SET;
		return;
	}
	c->read_back = c->store->read(c->where);
	if (!c->read_back) {
		c->state = RUN_REFUSED;
		if (!c->error)
			c->error = run_format("can't be read back: %s", strerror(errno));
	} else if (!c->store->same(c->asked, c->read_back)) {
		c->state = c->error ? RUN_REFUSED : RUN_DIFFERS;
	} else {
		c->state = c->error ? RUN_REFUSED : RUN_SET;
	}
}

/* False: the journal can't be written, so nothing may be changed. */
static bool apply_one(struct run_change *c, struct run_journal *j)
{
	c->was = c->store->read ? c->store->read(c->where) : run_dup("");
	if (!c->was) {
		c->state = RUN_REFUSED;
		c->error = run_dup(strerror(errno));
		return true;
	}
	c->journal = run_journal_add(j, c);
	if (!c->journal)
		return false;
	c->error = c->store->write(c->where, c->asked);
	read_back(c);
	return true;
}

/*
 * Sets all that wants name; false: a signal came, or the journal can't be written. What is set
 * is in changes also then.
 */
bool run_apply(const struct run_want *wants, size_t n, struct run_changes *changes,
	       struct run_journal *j)
{
	size_t done = changes->n;

	for (size_t i = 0; i < n; i++) {
		wants[i].kind->find(&wants[i], changes);
		for (; done < changes->n; done++) {
			if (!changes->v[done].store)
				continue;
			if (run_signalled() || !apply_one(&changes->v[done], j)) {
				/* what was found but not set needs no undoing */
				for (size_t k = done; k < changes->n; k++)
					changes->v[k].state = RUN_REFUSED;
				return false;
			}
		}
	}
	return true;
}

static void note_restored(const struct run_change *c, const char *state, char *error,
			  json_t *restored)
{
	char *value = shown(c, c->was);
	json_t *j = json_pack("{s:s s:o s:o s:s s:o}", "kind", c->kind, "target",
			      run_text(c->target), "value", run_text(value), "state", state,
			      "error", run_text(error));

	json_array_append_new(restored, j);
	free(value);
	free(error);
}

/* A thread or process that is gone needs no restoring; a file that is gone does. */
static bool is_gone(const struct run_change *c)
{
	return errno == ESRCH && (c->store == &run_thread_cpus || c->store == &run_thread_nice ||
				  c->store == &run_process);
}

static char *put_back(const struct run_change *c)
{
	const struct run_store *s = c->store;

	return s->restore ? s->restore(c->where, c->was) : s->write(c->where, c->was);
}

/* NULL, or why c isn't as it was. */
static char *undo(const struct run_change *c)
{
	char *now = c->store->read(c->where), *error = NULL;

	if (!now || !c->store->same(c->was, now)) {
		error = put_back(c);
		free(now);
		now = c->store->read(c->where);
		if (!now && !error)
			error = run_dup(strerror(errno));
	}
	if (now && c->store->same(c->was, now)) {
		free(error);
		error = NULL;
	} else if (!error) {
		error = run_format("reads back as \"%s\"", now);
	}
	free(now);
	return error;
}

/* A device that vanished has nothing left that could be restored. */
static bool has_vanished(const struct run_change *c)
{
	bool is_file = c->store == &run_value || c->store == &run_scope || c->store == &run_list ||
		       c->store == &run_mask;

	return is_file && (errno == ENOENT || errno == ENODEV);
}

/* False: it has to be tried again. */
bool run_undo_one(const struct run_change *c, json_t *restored)
{
	char *now = c->store->read ? c->store->read(c->where) : run_dup(""), *error;
	bool vanished = !now && has_vanished(c), gone = !now && is_gone(c), ok;

	free(now);
	if (vanished) {
		note_restored(c, "failed", run_dup("it has vanished"), restored);
		return true;
	}
	if (gone) {
		note_restored(c, "restored", run_dup("it has ended"), restored);
		return true;
	}
	error = c->store->read ? undo(c) : put_back(c);
	ok = !error;
	note_restored(c, ok ? "restored" : "failed", error, restored);
	return ok;
}

/* In reverse order; goes on after a failure. The list is empty afterwards. */
bool run_undo(struct run_changes *changes, struct run_journal *j, json_t *restored)
{
	bool ok = true;

	/* what is found later may depend on what was set before: strictly backwards */
	for (size_t i = changes->n; i--; ) {
		struct run_change *c = &changes->v[i];

		if (!c->journal)
			continue;
		if (run_undo_one(c, restored))
			run_journal_done(j, c->journal);
		else
			ok = false;
	}
	run_changes_free(changes);
	return ok;
}

/* Many interrupts move only when they next occur: one that didn't says nothing. */
static void check_effective(const struct run_change *c, const struct run_counters *before,
			    const struct run_counters *after, json_t *marks)
{
	char *goes = effective(c);
	struct cpus asked, in_force;

	if (goes && run_counters_delta(before, after, atoi(c->target)) &&
	    run_cpus_list(c->asked, &asked) && run_cpus_list(goes, &in_force) &&
	    !cpus_within(&in_force, &asked))
		run_mark(marks, "%s %s goes to CPU %s, not %s", c->kind, c->target, goes, c->asked);
	free(goes);
}

static void drift_one(const struct run_change *c, json_t *marks)
{
	char *now = c->store->read(c->where), *a, *b;

	if (!now) {
		run_mark(marks, "%s %s: can't be read after the run: %s", c->kind, c->target,
			 strerror(errno));
		return;
	}
	if (!c->store->same(c->read_back, now)) {
		a = shown(c, c->read_back);
		b = shown(c, now);
		run_mark(marks, "%s %s changed during the run: \"%s\", now \"%s\"", c->kind,
			 c->target, a, b);
		free(a);
		free(b);
	}
	free(now);
}

void run_drift(const struct run_changes *changes, const struct run_counters *before,
	       const struct run_counters *after, json_t *marks)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct run_change *c = &changes->v[i];

		if (!c->store || !c->store->read || !c->read_back || c->state == RUN_REFUSED)
			continue;
		drift_one(c, marks);
		check_effective(c, before, after, marks);
	}
}
