/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting of tags and completions, which is off by default.
 */
#ifndef WATCH_ENABLE_H
#define WATCH_ENABLE_H

#include <jansson.h>

/* Say on stderr which disks don't count, and how to make them; the number of these. */
int watch_say_disabled(const json_t *doc);
/* Switch on what is off. 0, or -1 with a message and everything as it was. */
/* Is there anything that could count? */
bool watch_can_enable(const json_t *doc);
int watch_enable(const json_t *doc);
/* Switch off what watch_enable() switched on. 0, or -1 with a message. */
int watch_restore(void);

#endif
