// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network device: which one leads to an address, and on which CPUs its packets are handled.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <net/route.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

#define NET	"/sys/class/net"

/* The best route so far: the longest prefix, of these the smallest metric. */
struct best {
	int prefix;
	unsigned long metric;
	char device[32];
};

static void better(struct best *best, int prefix, unsigned long metric, const char *device)
{
	if (prefix < best->prefix || (prefix == best->prefix && metric >= best->metric))
		return;
	best->prefix = prefix;
	best->metric = metric;
	snprintf(best->device, sizeof(best->device), "%s", device);
}

/* veth0	0000090A	00000000	0001	0	0	0	00FFFFFF	... */
static void route4(struct best *best, const char *line, const void *addr)
{
	unsigned int to, gateway, flags, refs, use, metric, mask;
	char device[32];
	uint32_t a;

	memcpy(&a, addr, sizeof(a));
	if (sscanf(line, "%31s %x %x %x %u %u %u %x", device, &to, &gateway, &flags, &refs, &use,
		   &metric, &mask) != 8)
		return;
	if (flags & RTF_UP && !(flags & RTF_REJECT) && (a & mask) == to)
		better(best, __builtin_popcount(mask), metric, device);
}

static bool hex_bytes(const char *text, unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sscanf(text + 2 * i, "%2hhx", bytes + i) != 1)
			return false;
	return true;
}

static bool same_prefix(const unsigned char *a, const unsigned char *b, unsigned int bits)
{
	unsigned int rest = bits % 8;

	if (bits > 128 || memcmp(a, b, bits / 8))
		return false;
	return !rest || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0;
}

/* TO PREFIX FROM PREFIX GATEWAY METRIC REFS USE FLAGS DEVICE, all in hexadecimal */
static void route6(struct best *best, const char *line, const void *addr)
{
	unsigned int prefix, metric, flags;
	unsigned char to[16];
	char text[40], device[32];

	if (sscanf(line, "%39s %x %*s %*s %*s %x %*s %*s %x %31s", text, &prefix, &metric, &flags,
		   device) != 5 || strlen(text) != 32 || !hex_bytes(text, to, 16))
		return;
	if (flags & RTF_UP && !(flags & RTF_REJECT) && same_prefix(addr, to, prefix))
		better(best, prefix, metric, device);
}

/**
 * net_device_for() - The network device that leads to an address.
 * @address: IPv4 or IPv6, in text.
 *
 * By the table of /proc/net; rules for other tables aren't looked at.
 *
 * Return: Name, the caller frees it; NULL if there is none.
 */
char *net_device_for(const char *address)
{
	struct best best = { .prefix = -1 };
	unsigned char addr[16];
	char *text, *rest, *line;
	bool v4 = inet_pton(AF_INET, address, addr) == 1;

	if (!v4 && inet_pton(AF_INET6, address, addr) != 1)
		return NULL;
	rest = text = sys_read(v4 ? "/proc/net/route" : "/proc/net/ipv6_route");
	while ((line = strsep(&rest, "\n")))
		(v4 ? route4 : route6)(&best, line, addr);
	free(text);
	return best.prefix < 0 ? NULL : strdup(best.device);
}

/* A mask of CPUs as list and their nodes; null if it can't be read, "" if it is empty. */
static void add_mask(json_t *queue, const char *device, const char *name, const char *file)
{
	char *text = sys_read(NET "/%s/queues/%s/%s", device, name, file);
	struct cpus cpus;
	bool parsed = text && !cpus_parse_mask(&cpus, text);

	free(text);
	json_object_set_new(queue, "cpus", parsed ? json_take(cpus_list(&cpus)) : json_null());
	json_object_set_new(queue, "cpu_nodes", parsed ? nodes_of_cpus(&cpus) : json_null());
}

static json_t *queues(const char *device, const char *kind, const char *file)
{
	struct sys_names names;
	json_t *list = json_array();

	sys_list(&names, NET "/%s/queues", device);
	for (size_t i = 0; i < names.nr; i++) {
		json_t *queue;

		if (strncmp(names.name[i], kind, strlen(kind)))
			continue;
		queue = json_pack("{s:s}", "queue", names.name[i]);
		add_mask(queue, device, names.name[i], file);
		if (!strcmp(kind, "rx-"))
			json_object_set_new(queue, "flows",
				json_int_file(NET "/%s/queues/%s/rps_flow_cnt", device,
					      names.name[i]));
		json_array_append_new(list, queue);
	}
	sys_names_free(&names);
	return list;
}

/* The devices below a bond, a VLAN, a bridge. */
static json_t *below(const char *name)
{
	struct sys_names names;
	json_t *list = json_array();

	sys_list(&names, NET "/%s", name);
	for (size_t i = 0; i < names.nr; i++) {
		char *real;

		if (strncmp(names.name[i], "lower_", 6))
			continue;
		real = sys_real(NET "/%s/%s", name, names.name[i]);
		if (real)
			json_array_append_new(list, json_string(names.name[i] + 6));
		free(real);
	}
	sys_names_free(&names);
	return list;
}

/**
 * net_json() - A network device.
 * @name: As in /sys/class/net/.
 *
 * Return: Object, NULL if there is no such device.
 */
json_t *net_json(const char *name)
{
	char *real = sys_real(NET "/%s", name), *device;
	json_t *net;

	if (!real)
		return NULL;
	free(real);
	device = sys_real(NET "/%s/device", name);
	net = json_pack("{s:s, s:o?, s:o, s:o, s:o, s:o, s:o}",
		"name", name,
		"device", device ? json_string(device) : NULL,
		"device_node", nodes_of_device(device),
		"below", below(name),
		"rps", queues(name, "rx-", "rps_cpus"),
		"xps", queues(name, "tx-", "xps_cpus"),
		"interrupts", irqs_of_device(device));
	free(device);
	return net;
}
