// SPDX-License-Identifier: GPL-2.0-only
/*
 * The one thing that watch changes, if told to: debugfs counters on, and off at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show-parts.h"
#include "show-tags.h"
#include "watch-enable.h"

static const char *const files[] = { "tag_gets", "completions" };

static struct sys_names enabled;	/* paths that were written */

/* 1: it counts, 0: it doesn't, -1: there is no such file. */
static int is_counting(const char *path)
{
	char *text = sys_read("%s", path);
	int res = text ? !!strstr(text, "counting=1") : -1;

	free(text);
	return res;
}

static int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		err = errno;
	close(fd);
	return err;
}

static int remember(const char *path)
{
	char **more = realloc(enabled.name, (enabled.nr + 1) * sizeof(*more));

	if (!more)
		return -1;
	enabled.name = more;
	more[enabled.nr] = strdup(path);
	if (!more[enabled.nr])
		return -1;
	enabled.nr++;
	return 0;
}

static int switch_on(const char *path)
{
	int err;

	if (remember(path)) {
		fprintf(stderr, "numaio watch: %s\n", strerror(ENOMEM));
		return -1;
	}
	err = write_file(path, "1");
	if (!err && is_counting(path) == 1)
		return 0;
	fprintf(stderr, "numaio watch: %s: can't switch counting on: %s\n", path,
		err ? strerror(err) : "it reads as off afterwards");
	return -1;
}

/* Each file of each hardware queue; stops if @each returns less than 0. The sum of the others. */
static int each_file(const json_t *doc, int (*each)(const char *path))
{
	const json_t *disk, *queue;
	char path[256];
	size_t i, j;
	int sum = 0, res;

	json_array_foreach(json_object_get(doc, "disks"), i, disk)
		json_array_foreach(json_object_get(disk, "queues"), j, queue)
			for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++) {
				snprintf(path, sizeof(path), DEBUG_BLOCK "/%s/hctx%lld/%s",
					 json_text(disk, "name"),
					 (long long)json_integer_value(json_object_get(queue,
										       "queue")),
					 files[k]);
				res = each(path);
				if (res < 0)
					return res;
				sum += res;
			}
	return sum;
}

static int say(const char *path)
{
	if (is_counting(path))
		return 0;
	fprintf(stderr, "numaio watch: not counted; --enable, or echo 1 >%s\n", path);
	return 1;
}

static int exists(const char *path)
{
	return is_counting(path) >= 0;
}

/* Of those that share a map the first one switches all on. Who counts already isn't disturbed. */
static int enable(const char *path)
{
	return is_counting(path) ? 0 : switch_on(path);
}

int watch_say_disabled(const json_t *doc)
{
	return each_file(doc, say);
}

bool watch_can_enable(const json_t *doc)
{
	return each_file(doc, exists);
}

int watch_enable(const json_t *doc)
{
	if (each_file(doc, enable) >= 0)
		return 0;
	watch_restore();
	return -1;
}

int watch_restore(void)
{
	int res = 0;

	while (enabled.nr) {
		char *path = enabled.name[--enabled.nr];
		int err = write_file(path, "0");

		/* The disk may be gone. */
		if (err != ENOENT && (err || is_counting(path) == 1)) {
			fprintf(stderr, "numaio watch: %s: can't switch counting off: %s\n", path,
				err ? strerror(err) : "it reads as on afterwards");
			res = -1;
		}
		free(path);
	}
	sys_names_free(&enabled);
	return res;
}
