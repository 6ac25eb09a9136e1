// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "make run" shows, inside the guest: the placement of tags and requests of
 * null_blk with a shared tag map, flat and spread, under one fio job a CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "blkplace.h"

#define DEPTH	256
#define IODEPTH	8
#define IOS	4000

static const char *const placement[] = { "flat", "spread" };

struct result {
	struct blkplace p;
	char attr[32];
	long long ios;
	int errors;
};

static void show_topology(const struct nodes *n)
{
	struct utsname u;
	char line[1024];
	int node;

	uname(&u);
	printf("\nLinux %s, %d node%s that can own tags\n", u.release, n->owners,
	       n->owners == 1 ? "" : "s");
	for (node = 0; node < n->nr; node++) {
		if (!n->online[node])
			continue;
		printf("  node %d: %2d CPUs, %5lu MiB", node, n->cpus[node],
		       n->mem_kb[node] / 1024);
		if (!access("/sys/devices/system/node", F_OK) &&
		    !read_line(line, sizeof(line),
			       "/sys/devices/system/node/node%d/distance", node))
			printf(", distances %s", line);
		putchar('\n');
	}
}

static int measure(const char *how, struct result *r)
{
	if (run("modprobe null_blk nr_devices=1 submit_queues=%ld "
		"shared_tag_bitmap=1 hw_queue_depth=%d no_sched=1 tag_placement=%s",
		sysconf(_SC_NPROCESSORS_ONLN), DEPTH, how)) {
		printf("# can't load null_blk with tag_placement=%s\n", how);
		return -1;
	}
	if (read_line(r->attr, sizeof(r->attr), "/sys/block/nullb0/queue/tag_placement") ||
	    blkplace_count("nullb0", 0, true))
		return -1;
	r->ios = fio_pinned("nullb0", IODEPTH, IOS, NULL, &r->errors);
	if (r->ios < 0 || blkplace_read("nullb0", 0, "tags", &r->p))
		return -1;
	return run("modprobe -r null_blk") ? -1 : 0;
}

static void row(const char *name, const struct nodes *n, const struct result *r,
		void (*cell)(const struct blkplace *p, int node))
{
	int i, node;

	printf("  %-22s", name);
	for (i = 0; i < 2; i++) {
		printf(" |");
		for (node = 0; node < n->nr; node++)
			if (n->online[node])
				cell(&r[i].p, node);
	}
	putchar('\n');
}

static void cell_node(const struct blkplace *p, int node)
{
	(void)p;
	printf(" %5d", node);
}

static void cell_owned(const struct blkplace *p, int node)
{
	printf(" %5u", p->owned[node]);
}

static void cell_rqs(const struct blkplace *p, int node)
{
	printf(" %5u", p->rqs[node]);
}

static void cell_share(const struct blkplace *p, int node)
{
	unsigned long long all = p->own[node] + p->foreign[node];

	if (all)
		printf(" %5.1f", 100.0 * p->own[node] / all);
	else
		printf("     -");
}

int main(void)
{
	struct result r[2] = { };
	struct nodes n;
	int i, width, node, bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (nodes_read(&n))
		return 1;
	show_topology(&n);
	printf("\nnull_blk, one map of %d tags for all CPUs; %ld fio jobs, one pinned to each CPU,\n"
	       "%d random 4 KiB reads each, %d in flight\n\n",
	       DEPTH, sysconf(_SC_NPROCESSORS_ONLN), IOS, IODEPTH);
	for (i = 0; i < 2; i++)
		if (measure(placement[i], &r[i]))
			return 1;

	for (width = 0, node = 0; node < n.nr; node++)
		width += 6 * n.online[node];
	printf("  %-22s | %-*s | tag_placement=spread\n", "", width - 1,
	       "tag_placement=flat");
	row("node", &n, r, cell_node);
	row("tags owned", &n, r, cell_owned);
	row("requests", &n, r, cell_rqs);
	row("own-node tag gets, %", &n, r, cell_share);
	printf("  %-22s |", "in all");
	for (i = 0; i < 2; i++)
		printf(" %*.1f%s", width - 1, 100 * blkplace_own_share(&r[i].p),
		       i ? "\n" : " |");
	printf("  %-22s | %*u | %*u\n", "requests off owner", width - 1,
	       r[0].p.rqs_misplaced, width - 1, r[1].p.rqs_misplaced);
	printf("  %-22s | %*lld | %*lld\n", "I/Os", width - 1, r[0].ios, width - 1,
	       r[1].ios);
	printf("  %-22s | %*d | %*d\n", "errors", width - 1, r[0].errors, width - 1,
	       r[1].errors);
	printf("  %-22s | %*s | %*s\n", "queue/tag_placement", width - 1, r[0].attr,
	       width - 1, r[1].attr);

	for (i = 0; i < 2; i++)
		bad += r[i].errors || !r[i].ios;
	if (n.owners > 1)
		bad += !r[1].p.spread || r[1].p.rqs_misplaced ||
		       blkplace_own_share(&r[1].p) < 0.99;
	printf("\nThis is placement, in an emulated machine: it says nothing about speed.\n");
	if (bad)
		printf("\nThat is not what it should be: see the README, \"When something fails\".\n");
	return bad ? 1 : 0;
}
