/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a hardware queue in debugfs that tell of tags and completions.
 */
#ifndef SHOW_TAGS_H
#define SHOW_TAGS_H

#include <jansson.h>
#include <stdbool.h>

#define DEBUG_BLOCK	"/sys/kernel/debug/block"

/* A line of "key=value" words: the value of a key, false if it has none. */
bool tags_value(const char *line, const char *key, long long *value);
/* Lines "NAME: ..." begin the part of a map; the name is copied. */
bool tags_heading(const char *line, char *name, size_t size);
/* Do all hardware queues of a disk share one map? Null if the kernel doesn't tell. */
json_t *tags_shared(const char *disk, const char *queue);

#endif
