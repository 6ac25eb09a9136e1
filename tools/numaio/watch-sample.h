/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts at one moment, and what became of them at the next one.
 */
#ifndef WATCH_SAMPLE_H
#define WATCH_SAMPLE_H

#include <jansson.h>

/*
 * @doc is of show_document(): it says which disks, interrupts and workqueues are looked at.
 * The lists "tags", "completions", "interrupts", "softirqs", "work"; in each the members that
 * name a count are strings or "node_id", and all others are the counts.
 */
json_t *watch_sample(const json_t *doc);
/* The same with counts per second; null where a count became smaller or is not in both. */
json_t *watch_rates(const json_t *from, const json_t *to, double seconds);

#endif
