// SPDX-License-Identifier: GPL-2.0-only
/*
 * On which nodes the tags and requests of a hardware queue are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"
#include "show-tags.h"

enum count { TAGS, WORDS, MEMORY, OWNED, HERE, AWAY, COUNTS };

static const char *const keys[COUNTS] = {
	[TAGS]		= "tags",		/* whose owner is the node */
	[WORDS]		= "words",		/* that hold these */
	[MEMORY]	= "tags_memory",	/* tags whose word is there */
	[OWNED]		= "requests_owned",	/* of tags that the node owns */
	[HERE]		= "requests",		/* that are there */
	[AWAY]		= "requests_away",	/* owned, but not there */
};

bool tags_value(const char *line, const char *key, long long *value)
{
	size_t n = strlen(key);

	for (const char *at = line; (at = strstr(at, key)); at += n)
		if ((at == line || at[-1] == ' ') && at[n] == '=')
			return sscanf(at + n + 1, "%lld", value) == 1;
	return false;
}

bool tags_heading(const char *line, char *name, size_t size)
{
	const char *colon = strchr(line, ':');

	if (!colon || memchr(line, '=', colon - line) || colon == line)
		return false;
	snprintf(name, size, "%.*s", (int)(colon - line), line);
	return true;
}

/* The counts of a node in a map; node -1 is that of memory without one. */
static void count(json_t *map, long long node, enum count what, long long n)
{
	json_t *list = json_object_get(map, "per_node"), *j = NULL;
	size_t i;

	json_array_foreach(list, i, j)
		if (json_integer_value(json_object_get(j, "node")) >= node)
			break;
	if (i == json_array_size(list) ||
	    json_integer_value(json_object_get(j, "node")) != node) {
		j = json_pack("{s:I}", "node", (json_int_t)node);
		for (int k = 0; k < COUNTS; k++)
			json_object_set_new(j, keys[k], json_integer(0));
		json_array_insert_new(list, i, j);
	}
	n += json_integer_value(json_object_get(j, keys[what]));
	json_object_set_new(j, keys[what], json_integer(n));
}

static json_t *find_map(json_t *maps, const char *name)
{
	json_t *j;
	size_t i;

	json_array_foreach(maps, i, j)
		if (!strcmp(json_text(j, "map"), name))
			return j;
	j = json_pack("{s:s, s:n, s:n, s:n, s:[]}", "map", name, "placement", "depth",
		      "bits_per_word", "per_node");
	json_array_append_new(maps, j);
	return j;
}

static void set_heading(json_t *map, const char *line)
{
	char placement[16];
	const char *at = strstr(line, "placement=");
	long long n;

	if (at && sscanf(at, "placement=%15s", placement) == 1)
		json_object_set_new(map, "placement", json_string(placement));
	if (tags_value(line, "depth", &n))
		json_object_set_new(map, "depth", json_integer(n));
	if (tags_value(line, "bits_per_word", &n))
		json_object_set_new(map, "bits_per_word", json_integer(n));
}

/* word=0 bits=0-7 owner=0 memory=0 */
static void tag_line(json_t *map, const char *line)
{
	const char *at = strstr(line, "bits=");
	long long owner, memory;
	unsigned int from, to;

	if (!map || !at || sscanf(at, "bits=%u-%u", &from, &to) != 2 || to < from ||
	    !tags_value(line, "owner", &owner) || !tags_value(line, "memory", &memory))
		return;
	count(map, owner, TAGS, to - from + 1);
	count(map, owner, WORDS, 1);
	count(map, memory, MEMORY, to - from + 1);
}

/* tag=0 owner=0 node=0 */
static void request_line(json_t *map, const char *line)
{
	long long owner, node;

	if (!map || !tags_value(line, "owner", &owner) || !tags_value(line, "node", &node))
		return;
	count(map, owner, OWNED, 1);
	count(map, node, HERE, 1);
	if (owner != node)
		count(map, owner, AWAY, 1);
}

static void each_line(json_t *maps, char *text, void (*each)(json_t *map, const char *line))
{
	char *rest = text, *line, name[32];
	json_t *map = NULL;

	while ((line = strsep(&rest, "\n"))) {
		if (tags_heading(line, name, sizeof(name))) {
			map = find_map(maps, name);
			set_heading(map, line);
		} else {
			each(map, line);
		}
	}
	free(text);
}

/* What was in a file that can't be read is not known. */
static void forget(json_t *maps, enum count from, enum count to)
{
	json_t *map, *node;
	size_t i, j;

	json_array_foreach(maps, i, map)
		json_array_foreach(json_object_get(map, "per_node"), j, node)
			for (int k = from; k <= (int)to; k++)
				json_object_set_new(node, keys[k], json_null());
}

json_t *tags_shared(const char *disk, const char *queue)
{
	char *flags = sys_read(DEBUG_BLOCK "/%s/hctx%s/flags", disk, queue);
	json_t *shared = flags ? json_boolean(strstr(flags, "TAG_HCTX_SHARED")) : json_null();

	free(flags);
	return shared;
}

/**
 * tags_json() - The maps of tags of a hardware queue.
 * @disk: Name of the disk.
 * @queue: Number of the queue.
 *
 * Return: [ { "map", "placement", "depth", "bits_per_word", "per_node" } ], null if the kernel
 * doesn't tell.
 */
json_t *tags_json(const char *disk, const char *queue)
{
	char *tags = sys_read(DEBUG_BLOCK "/%s/hctx%s/tag_nodes", disk, queue);
	char *requests = sys_read(DEBUG_BLOCK "/%s/hctx%s/rq_nodes", disk, queue);
	bool no_tags = !tags, no_requests = !requests;
	json_t *maps;

	if (no_tags && no_requests)
		return json_null();
	maps = json_array();
	each_line(maps, tags, tag_line);
	each_line(maps, requests, request_line);
	if (no_tags)
		forget(maps, TAGS, MEMORY);
	if (no_requests)
		forget(maps, OWNED, AWAY);
	return maps;
}
