// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of interrupts by CPU.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-irq.h"
#include "show-parts.h"

/* "           CPU0       CPU2" */
static int read_heading(struct irq_table *t, char *line)
{
	char *word;

	while ((word = strsep(&line, " \t"))) {
		unsigned int cpu;
		int *more;

		if (sscanf(word, "CPU%u", &cpu) != 1)
			continue;
		more = realloc(t->cpus, (t->nr_cpus + 1) * sizeof(*more));
		if (!more)
			return -1;
		t->cpus = more;
		t->cpus[t->nr_cpus++] = cpu;
	}
	return t->nr_cpus ? 0 : -1;
}

/* " 24:        0         12  PCI-MSIX-0000:00:02.0   1-edge   virtio0-req.0" */
static int read_line(struct irq_table *t, char *line)
{
	char *colon = strchr(line, ':'), *end;
	struct irq_line *more, new = {};

	if (!colon)
		return 0;
	*colon = 0;
	more = realloc(t->lines, (t->nr + 1) * sizeof(*more));
	if (!more)
		return -1;
	t->lines = more;
	new.counts = calloc(t->nr_cpus, sizeof(*new.counts));
	if (!new.counts)
		return -1;
	new.label = strdup(line + strspn(line, " "));
	line = colon + 1;
	/* Lines such as ERR have fewer counts. */
	for (size_t i = 0; i < t->nr_cpus; i++) {
		new.counts[i] = strtoull(line, &end, 10);
		if (end == line || (*end && !isspace((unsigned char)*end))) {
			new.counts[i] = 0;
			break;
		}
		line = end;
	}
	new.rest = strdup(line + strspn(line, " \t"));
	t->lines[t->nr++] = new;
	return new.label && new.rest ? 0 : -1;
}

/**
 * irq_table_read() - Read counts of interrupts.
 * @t: Receives them; empty on failure.
 * @file: "/proc/interrupts" or "/proc/softirqs".
 *
 * Return: 0, or -1.
 */
int irq_table_read(struct irq_table *t, const char *file)
{
	char *text = sys_read("%s", file), *rest = text, *line;
	int res;

	*t = (struct irq_table){};
	if (!text)
		return -1;
	res = read_heading(t, strsep(&rest, "\n"));
	while (!res && (line = strsep(&rest, "\n")))
		res = read_line(t, line);
	free(text);
	if (res)
		irq_table_free(t);
	return res;
}

void irq_table_free(struct irq_table *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		free(t->lines[i].label);
		free(t->lines[i].rest);
		free(t->lines[i].counts);
	}
	free(t->lines);
	free(t->cpus);
	*t = (struct irq_table){};
}

const struct irq_line *irq_table_find(const struct irq_table *t, const char *label)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->lines[i].label, label))
			return t->lines + i;
	return NULL;
}

void irq_per_node(const struct irq_table *t, const struct irq_line *line,
		  unsigned long long *sums)
{
	memset(sums, 0, CPUS_MAX * sizeof(*sums));
	for (size_t i = 0; i < t->nr_cpus; i++)
		if (nodes_of_cpu(t->cpus[i]) >= 0)
			sums[nodes_of_cpu(t->cpus[i])] += line->counts[i];
}

/* Chip and number come first, on some machines then a word for the trigger. */
const char *irq_action(const char *rest)
{
	for (int words = 0; words < 2; words++) {
		rest += strcspn(rest, " \t");
		rest += strspn(rest, " \t");
	}
	if (!strncmp(rest, "Level ", 6) || !strncmp(rest, "Edge ", 5))
		rest += strcspn(rest, " ");
	return rest + strspn(rest, " \t");
}
