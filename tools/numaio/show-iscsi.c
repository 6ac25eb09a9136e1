// SPDX-License-Identifier: GPL-2.0-only
/*
 * An iSCSI session: its connections, the network device they use, its tasks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"
#include "show-tags.h"

#define SESSIONS	"/sys/class/iscsi_session"
#define CONNECTIONS	"/sys/class/iscsi_connection"
#define HOSTS		"/sys/class/iscsi_host"

/* The device that the host was told to use; iscsid writes "default" for none. */
static char *host_device(const char *host)
{
	char *name = sys_read(HOSTS "/%s/netdev", host), *real = NULL;

	if (name && *name && !strchr(name, '/'))
		real = sys_real("/sys/class/net/%s", name);
	if (!real) {
		free(name);
		return NULL;
	}
	free(real);
	return name;
}

static json_t *connection_json(const char *name, const char *host)
{
	char *address = sys_read(CONNECTIONS "/%s/address", name), *device;
	const char *by = "host";
	json_t *connection;

	/* Not while it is being set up again. */
	if (!address || !*address) {
		free(address);
		address = sys_read(CONNECTIONS "/%s/persistent_address", name);
	}
	device = host_device(host);
	if (!device && address) {
		by = "route";
		device = net_device_for(address);
	}
	connection = json_pack("{s:s, s:o, s:o, s:o, s:s?, s:s?}",
		"name", name,
		"state", json_file(CONNECTIONS "/%s/state", name),
		"address", json_take(address),
		"port", json_int_file(CONNECTIONS "/%s/port", name),
		"net", device,
		"net_by", device ? by : NULL);
	free(device);
	return connection;
}

static json_t *connections(const char *session, const char *host)
{
	json_t *list = json_array();
	struct sys_names names;
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "connection%s:", session + strlen("session"));
	sys_list(&names, CONNECTIONS);
	for (size_t i = 0; i < names.nr; i++)
		if (!strncmp(names.name[i], prefix, strlen(prefix)))
			json_array_append_new(list, connection_json(names.name[i], host));
	sys_names_free(&names);
	return list;
}

/* node=0 owned=32 memory=32 free=32 own=10 foreign=0; the last three if nodes have FIFOs */
static void task_line(json_t *nodes, const char *line)
{
	static const char *const keys[] = { "node", "owned", "memory", "free", "own", "foreign" };
	json_t *node = json_object();
	long long n;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		json_object_set_new(node, keys[i], tags_value(line, keys[i], &n) ?
						   json_integer(n) : json_null());
	json_array_append_new(nodes, node);
}

static json_t *tasks_json(const char *session)
{
	char *text = sys_read("/sys/kernel/debug/iscsi/%s/task_nodes", session);
	char *rest = text, *line;
	json_t *tasks;
	long long n;

	if (!text)
		return json_null();
	tasks = json_pack("{s:n, s:n, s:n, s:n, s:[]}", "session_node", "connection_node", "nr",
			  "free", "per_node");
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "session: node=%lld", &n) == 1)
			json_object_set_new(tasks, "session_node", json_integer(n));
		else if (sscanf(line, "connection: node=%lld", &n) == 1)
			json_object_set_new(tasks, "connection_node", json_integer(n));
		else if (!strncmp(line, "tasks:", 6) && tags_value(line, "nr", &n))
			json_object_set_new(tasks, "nr", json_integer(n));
		else if (!strncmp(line, "node=", 5))
			task_line(json_object_get(tasks, "per_node"), line);
		if (!strncmp(line, "tasks:", 6) && tags_value(line, "free", &n))
			json_object_set_new(tasks, "free", json_integer(n));
	}
	free(text);
	return tasks;
}

/* The SCSI host of a session, NULL if there is no such session; the caller frees it. */
char *session_host(const char *name)
{
	char *device = sys_real(SESSIONS "/%s/device", name);
	char *host = device ? host_of_path(device) : NULL;

	free(device);
	return host;
}

/**
 * session_json() - An iSCSI session.
 * @name: As in /sys/class/iscsi_session/.
 * @debugfs: Is debugfs to be read?
 *
 * Return: Object, NULL if there is no such session.
 */
json_t *session_json(const char *name, bool debugfs)
{
	char *host = session_host(name);
	json_t *session;

	if (!host)
		return NULL;
	session = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}",
		"name", name,
		"host", json_string(host),
		"target", json_file(SESSIONS "/%s/targetname", name),
		"workqueue", json_sprintf("iscsi_q_%s", host + 4),
		"connections", connections(name, host),
		"tasks", debugfs ? tasks_json(name) : json_null());
	free(host);
	return session;
}
