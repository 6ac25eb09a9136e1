// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole document: which disks, hosts, sessions, interrupts and workqueues it is about.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "show.h"
#include "show-parts.h"

static const char *const lists[] = {
	"hosts", "disks", "sessions", "nets", "interrupts", "workqueues",
};

/* Only root may look into debugfs; and it may not be mounted. */
static const char *debugfs_state(void)
{
	struct sys_names names;
	const char *state = "read";

	if (sys_list(&names, "/sys/kernel/debug"))
		state = errno == EACCES || errno == EPERM ? "denied" : "absent";
	else if (!names.nr)
		state = "absent";
	sys_names_free(&names);
	return state;
}

/* ---- what there is ---- */

static void add_each(json_t *list, const char *dir,
		     json_t *(*make)(const char *name, bool debugfs), bool debugfs)
{
	struct sys_names names;

	sys_list(&names, "%s", dir);
	for (size_t i = 0; i < names.nr; i++) {
		json_t *j = make(names.name[i], debugfs);

		if (j)
			json_array_append_new(list, j);
	}
	sys_names_free(&names);
}

static json_t *make_host(const char *name, bool debugfs)
{
	(void)debugfs;
	return host_json(name);
}

/* Names of disks and hosts that were asked for, NULL: all. */
static const json_t *wanted;

/* Loop devices and others that nothing is behind of. */
static bool is_empty(const char *disk)
{
	long long sectors;

	return sys_read_int(&sectors, "/sys/block/%s/size", disk) && !sectors;
}

static bool want_disk(const char *name, const char *host)
{
	if (!wanted)
		return !is_empty(name);
	return json_has_string(wanted, name) || (host && json_has_string(wanted, host));
}

static char *host_of_disk(const char *name)
{
	char *device = sys_real("/sys/block/%s", name);
	char *host = device ? host_of_path(device) : NULL;

	free(device);
	return host;
}

static json_t *make_disk(const char *name, bool debugfs)
{
	char *host = host_of_disk(name);
	bool want = want_disk(name, host);

	free(host);
	return want ? disk_json(name, debugfs) : NULL;
}

/* ---- what belongs together ---- */

/* All its disks, also if only one of them is shown: they share tags. */
static void add_disks(json_t *hosts)
{
	struct sys_names names;

	sys_list(&names, "/sys/block");
	for (size_t i = 0; i < names.nr; i++) {
		char *name = host_of_disk(names.name[i]);
		json_t *host = name ? json_find(hosts, name) : NULL;

		if (host)
			json_add_string(json_object_get(host, "disks"), names.name[i]);
		free(name);
	}
	sys_names_free(&names);
}

static bool host_is_needed(const json_t *doc, const char *name)
{
	const json_t *disk;
	size_t i;

	json_array_foreach(json_object_get(doc, "disks"), i, disk)
		if (json_text(disk, "host") && !strcmp(json_text(disk, "host"), name))
			return true;
	return !wanted || json_has_string(wanted, name);
}

static void drop_hosts(json_t *doc)
{
	json_t *hosts = json_object_get(doc, "hosts");

	for (size_t i = json_array_size(hosts); i--; )
		if (!host_is_needed(doc, json_text(json_array_get(hosts, i), "name")))
			json_array_remove(hosts, i);
}

/* Those of hosts that are shown. */
static void add_sessions(json_t *doc, bool debugfs)
{
	struct sys_names names;

	sys_list(&names, "/sys/class/iscsi_session");
	for (size_t i = 0; i < names.nr; i++) {
		char *host = session_host(names.name[i]);
		json_t *session = NULL;

		if (!wanted || (host && json_find(json_object_get(doc, "hosts"), host)))
			session = session_json(names.name[i], debugfs);
		if (session)
			json_array_append_new(json_object_get(doc, "sessions"), session);
		free(host);
	}
	sys_names_free(&names);
}

static void add_net(json_t *nets, const char *name, int depth)
{
	json_t *net = json_find(nets, name) || depth > 8 ? NULL : net_json(name), *below;
	size_t i;

	if (!net)
		return;
	json_array_append_new(nets, net);
	json_array_foreach(json_object_get(net, "below"), i, below)
		add_net(nets, json_string_value(below), depth + 1);
}

static void add_nets(json_t *doc)
{
	json_t *session, *connection;
	size_t i, j;

	json_array_foreach(json_object_get(doc, "sessions"), i, session)
		json_array_foreach(json_object_get(session, "connections"), j, connection)
			if (json_text(connection, "net"))
				add_net(json_object_get(doc, "nets"),
					json_text(connection, "net"), 0);
}

static void drop_workqueues(json_t *doc)
{
	json_t *list = json_object_get(doc, "workqueues"), *session, *names = json_array();
	size_t i;

	json_array_foreach(json_object_get(doc, "sessions"), i, session)
		if (json_text(session, "workqueue"))
			json_add_string(names, json_text(session, "workqueue"));
	for (i = json_array_size(list); wanted && i--; )
		if (!json_has_string(names, json_text(json_array_get(list, i), "name")))
			json_array_remove(list, i);
	json_decref(names);
}

/* ---- interrupts ---- */

static const char *const with_irqs[] = { "hosts", "disks", "nets" };

static int by_number(const void *a, const void *b)
{
	return strverscmp(json_string_value(*(json_t *const *)a),
			  json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *numbers)
{
	size_t nr = json_array_size(numbers), i;
	json_t **all = calloc(nr + 1, sizeof(*all)), *list = json_array();

	for (i = 0; all && i < nr; i++)
		all[i] = json_array_get(numbers, i);
	if (all && nr)
		qsort(all, nr, sizeof(*all), by_number);
	for (i = 0; all && i < nr; i++)
		json_array_append(list, all[i]);
	free(all);
	json_decref(numbers);
	return list;
}

static void each_irq(json_t *doc, void (*each)(json_t *list, const char *irq, const char *of),
		     json_t *list)
{
	json_t *owner, *irq;
	size_t i, j, k;

	for (i = 0; i < sizeof(with_irqs) / sizeof(*with_irqs); i++)
		json_array_foreach(json_object_get(doc, with_irqs[i]), j, owner) {
			const char *host = json_text(owner, "host");

			/* Its disks have the interrupts of a host. */
			if (host && json_find(json_object_get(doc, "hosts"), host))
				continue;
			json_array_foreach(json_object_get(owner, "interrupts"), k, irq)
				each(list, json_string_value(irq), json_text(owner, "name"));
		}
}

static void collect(json_t *list, const char *irq, const char *of)
{
	(void)of;
	json_add_string(list, irq);
}

static void add_owner(json_t *list, const char *irq, const char *of)
{
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
		if (!strcmp(json_text(j, "irq"), irq))
			json_add_string(json_object_get(j, "of"), of);
}

static void add_irqs(json_t *doc, bool debugfs)
{
	json_t *numbers = json_array(), *irqs;

	each_irq(doc, collect, numbers);
	numbers = sorted(numbers);
	irqs = irqs_json(numbers, debugfs);
	each_irq(doc, add_owner, irqs);
	json_object_set_new(doc, "interrupts", irqs);
	json_decref(numbers);
}

/* ---- all of it ---- */

static void fill(json_t *doc)
{
	const char *state = debugfs_state();
	bool debugfs = !strcmp(state, "read");

	json_object_set_new(doc, "debugfs", json_string(state));
	add_each(json_object_get(doc, "hosts"), "/sys/class/scsi_host", make_host, debugfs);
	add_each(json_object_get(doc, "disks"), "/sys/block", make_disk, debugfs);
	add_disks(json_object_get(doc, "hosts"));
	drop_hosts(doc);
	add_sessions(doc, debugfs);
	add_nets(doc);
	add_irqs(doc, debugfs);
	json_object_set_new(doc, "workqueues", workqueues_json(debugfs));
	drop_workqueues(doc);
	untold_add(doc);
	json_object_set_new(doc, "not_read", sys_failures());
}

static json_t *new_document(void)
{
	json_t *doc = json_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:[]}",
		"schema", SHOW_SCHEMA,
		"tool", "numaio " NUMAIO_VERSION,
		"kernel", json_file("/proc/sys/kernel/osrelease"),
		"unbound_cpus", json_file("/sys/devices/virtual/workqueue/cpumask"),
		"irqbalance", procs_irqbalance(),
		"nodes", nodes_json(),
		"not_told");

	for (size_t i = 0; doc && i < sizeof(lists) / sizeof(*lists); i++)
		json_object_set_new(doc, lists[i], json_array());
	return doc;
}

static bool wants_all(char **names, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(names[i], "all"))
			return true;
	return !nr;
}

/**
 * show_document() - Where everything is.
 * @names: Disks and hosts, or "all".
 * @nr: Number of names, 0: all.
 * @command: For the message if there is no such disk or host.
 *
 * Return: Document, NULL if there is no such disk or host.
 */
json_t *show_document(char **names, int nr, const char *command)
{
	json_t *list = NULL, *doc;

	if (!wants_all(names, nr)) {
		list = names_wanted(names, nr, command);
		if (!list)
			return NULL;
	}
	wanted = list;
	nodes_load();
	procs_scan();
	doc = new_document();
	if (doc)
		fill(doc);
	procs_free();
	nodes_free();
	wanted = NULL;
	json_decref(list);
	return doc;
}

bool show_json_asked(const char *format, struct argp_state *state)
{
	if (strcmp(format, "text") && strcmp(format, "json"))
		argp_error(state, "-o %s: the format must be text or json", format);
	return !strcmp(format, "json");
}

bool show_set_root(const char *dir, const char *command)
{
	if (!sys_set_root(dir))
		return true;
	fprintf(stderr,
		"numaio %s: --sysroot %s: %s; it must be a directory that \"numaio capture\" wrote\n",
		command, dir, strerror(errno));
	return false;
}

/**
 * show_placement() - Where everything of this machine is.
 *
 * Return: Document; NULL on failure.
 */
json_t *show_placement(void)
{
	json_t *doc = show_document(NULL, 0, "show");

	sys_reset();
	return doc;
}
