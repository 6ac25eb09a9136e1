// SPDX-License-Identifier: GPL-2.0-only
/*
 * known-check DIR - are the records of "known" what they must be?  KTAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static char name[256];
static struct report *report;
static unsigned int window, failed;
static bool ok;

static void finish(void)
{
	if (!window)
		return;
	printf("%s %u %s\n", ok ? "ok" : "not ok", window, name);
	failed += !ok;
}

static void load_window(const char *dir)
{
	char record[PATH_MAX], kallsyms[PATH_MAX];
	struct report_files files = { .record = record, .kallsyms = kallsyms,
		.stack = DATADIR "/stack.conf" };

	snprintf(record, sizeof(record), "%s/window-%u.rec", dir, window);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	report = report_load(&files, 1);
	ok = report;
}

static void check_lines(uint64_t addr, uint64_t len, const char *what,
			uint64_t min, uint64_t max)
{
	bool stores = !strcmp(what, "stores");
	uint64_t sum = 0;
	size_t i;

	for (i = 0; report && i < report->nr_lines; i++) {
		const struct line *l = &report->line[i];

		if (l->vaddr >= addr && l->vaddr < addr + len)
			sum += stores ? l->rstores : l->rloads;
	}
	printf("# window %u: %" PRIu64 " remote %s, expected %" PRIu64 "..%" PRIu64 "\n",
	       window, sum, what, min, max);
	if (!report || sum < min || sum > max)
		ok = false;
}

static void check_place(uint64_t addr, uint64_t ram, unsigned int node)
{
	size_t i;

	for (i = 0; report && i < report->nr_lines; i++) {
		const struct line *l = &report->line[i];

		if (l->vaddr != addr)
			continue;
		printf("# window %u: at %#" PRIx64 " of RAM, node %u; the guest's kernel says %#" PRIx64 ", node %u\n",
		       window, l->addr, l->home, ram, node);
		if (l->addr != ram || l->home != node)
			ok = false;
		return;
	}
	printf("# window %u: no line at %#" PRIx64 "\n", window, addr);
	ok = false;
}

static void check_local(uint64_t min)
{
	uint64_t local = report ? report->all.local : 0;

	printf("# window %u: %" PRIu64 " transfers inside a node, expected %" PRIu64 " or more\n",
	       window, local, min);
	if (local < min)
		ok = false;
}

/* Sums over all of user space (user=count). */
static void check_user(const char *what, uint64_t min, uint64_t max)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; report && i < report->nr_sites; i++) {
		const struct site *s = &report->site[i];

		if (!(s->pc >> 63))
			sum += *what == 'i' ? s->c.insns :
			       *what == 'l' ? s->c.loads : s->c.stores;
	}
	printf("# window %u: %" PRIu64 " %s, expected %" PRIu64 "..%" PRIu64 "\n", window,
	       sum, what, min, max);
	if (sum < min || sum > max)
		ok = false;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], what[16], *line = NULL;
	uint64_t a, b, c, d;
	size_t size = 0;
	FILE *f;

	if (argc != 2) {
		fprintf(stderr, "usage: known-check DIR\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/expected", argv[1]);
	f = fopen(path, "re");
	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	printf("KTAP version 1\n");
	while (getline(&line, &size, f) >= 0) {
		if (!strncmp(line, "window ", 7)) {
			finish();
			if (sscanf(line, "window %u %255[^\n]", &window, name) != 2)
				return 1;
			load_window(argv[1]);
		} else if (sscanf(line, "lines %" SCNx64 " %" SCNu64 " %15s %" SCNu64 " %" SCNu64,
				  &a, &b, what, &c, &d) == 5) {
			check_lines(a, b, what, c, d);
		} else if (sscanf(line, "place %" SCNx64 " %" SCNx64 " %" SCNu64,
				  &a, &b, &c) == 3) {
			check_place(a, b, c);
		} else if (sscanf(line, "user %15s %" SCNu64 " %" SCNu64, what, &a, &b) == 3) {
			check_user(what, a, b);
		} else if (sscanf(line, "local %" SCNu64, &a) == 1) {
			check_local(a);
		} else {
			fprintf(stderr, "%s: not understood: %s", path, line);
			return 1;
		}
	}
	finish();
	printf("1..%u\n", window);
	fclose(f);
	return failed || !window;
}
