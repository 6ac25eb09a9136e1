/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/interrupts and /proc/softirqs, which have the same form.
 */
#ifndef SHOW_IRQ_H
#define SHOW_IRQ_H

#include <stddef.h>

struct irq_line {
	char *label;			/* "24", "NET_RX" */
	char *rest;			/* what follows the counts, "" if nothing does */
	unsigned long long *counts;	/* one for each of irq_table.cpus */
};

struct irq_table {
	size_t nr_cpus;
	int *cpus;			/* the columns' CPUs: those that are online */
	size_t nr;
	struct irq_line *lines;
};

int irq_table_read(struct irq_table *t, const char *file);
void irq_table_free(struct irq_table *t);
const struct irq_line *irq_table_find(const struct irq_table *t, const char *label);
/* Sums by node; @sums has CPUS_MAX members. */
void irq_per_node(const struct irq_table *t, const struct irq_line *line,
		  unsigned long long *sums);
/* "virtio0-req.0" of "PCI-MSIX-0000:00:02.0   1-edge      virtio0-req.0" */
const char *irq_action(const char *rest);

#endif
