/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/debug/workqueue_affine
 */
#ifndef SHOW_WQ_H
#define SHOW_WQ_H

#define DEBUG_WQ	"/sys/kernel/debug/workqueue_affine"

struct wq_line {
	char name[64];
	int node;
	unsigned long long run;
	unsigned long long missed;
};

/* Parse "iscsi_q_0 node 1 run 22 missed 0"; 0, or -1 if it isn't that. */
int wq_parse(const char *line, struct wq_line *w);

#endif
