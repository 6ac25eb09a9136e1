// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the parser of *.topo files; files given as arguments must be good. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "topology.h"

static const struct {
	const char *text;
	const char *err;	/* NULL: good */
} cases[] = {
	{ "node 0 cpus 0 mem 128M", NULL },
	{ "# all\n\nnode 0\tcpus 0,2-3 mem 1G # rest\r\nnode 1 mem 256M cpus 1\ndist 1 0 254\n",
	  NULL },
	{ "node 0 cpus 0\nnode 1 mem 128M\n", NULL },
	{ "node 0 cpus 0-63 mem 2688M\n", NULL },
	{ "", "t:0: no node" },
	{ "# nothing\n", "t:1: no node" },
	{ "cpu 0\n", "t:1: 'cpu' is not one of: node, dist, caches" },
	{ "node\n", "t:1: node is missing: 0..63" },
	{ "node x cpus 0\n", "t:1: node 'x' is not in 0..63" },
	{ "node -1 cpus 0\n", "t:1: node '-1' is not in 0..63" },
	{ "node 64 cpus 0\n", "t:1: node '64' is not in 0..63" },
	{ "node 1 cpus 0\n", "t:1: node 1 is out of order: node 0 comes next" },
	{ "node 0 cpus 0 mem 128M\nnode 0 cpus 1\n", "t:2: node 0 is out of order" },
	{ "node 0\n", "t:1: node 0 has neither cpus nor mem" },
	{ "node 0 cpus\n", "t:1: cpus needs a list" },
	{ "node 0 cpus 0-\n", "t:1: cpus '0-' is not" },
	{ "node 0 cpus 3-1\n", "t:1: cpus '3-1' is not" },
	{ "node 0 cpus 0,,1\n", "t:1: cpus '' is not" },
	{ "node 0 cpus 0-64\n", "t:1: cpus '0-64' is not a cpu or a rising range in 0..63" },
	{ "node 0 cpus 0-4294967296\n", "t:1: cpus '0-4294967296' is not" },
	{ "node 0 cpus 0-1,1\n", "t:1: cpu 1 is on node 0 already" },
	{ "node 0 cpus 0-1 mem 128M\nnode 1 cpus 1\n", "t:2: cpu 1 is on node 0 already" },
	{ "node 0 cpus 0 cpus 1\n", "t:1: 'cpus' is not one of: cpus, mem (each once)" },
	{ "node 0 cpus 0 memory 1G\n", "t:1: 'memory' is not one of" },
	{ "node 0 cpus 0 mem\n", "t:1: mem '' is not a multiple of 128M in 128M..2688M" },
	{ "node 0 cpus 0 mem 128\n", "t:1: mem '128' is not" },
	{ "node 0 cpus 0 mem 0M\n", "t:1: mem '0M' is not" },
	{ "node 0 cpus 0 mem 100M\n", "t:1: mem '100M' is not" },
	{ "node 0 cpus 0 mem 999999999G\n", "t:1: mem '999999999G' is not" },
	{ "node 0 cpus 0 mem 2G\nnode 1 cpus 1 mem 1G\n",
	  "t:2: memory of all nodes is 3072M, not in" },
	{ "node 0 cpus 0\n", "t:1: memory of all nodes is 0M, not in 128M..2688M" },
	{ "node 0 mem 128M\n", "t:1: no cpu" },
	{ "node 0 cpus 0,2 mem 128M\n", "t:1: cpu 1 is missing: the 2 cpus must be 0..1" },
	{ "node 0 cpus 1 mem 128M\nnode 1 cpus 0\n",
	  "t:2: node 1 has cpu 0, but node 0 no lower one" },
	{ "node 0 mem 128M\nnode 1 cpus 0\n", "t:2: node 1 has cpus, node 0 has none" },
	{ "dist 0 1 20\n", "t:1: dist before the first node" },
	{ "node 0 cpus 0 mem 128M\ndist 0 1 20\n", "t:2: node '1' is not in 0..0" },
	{ "node 0 cpus 0 mem 128M\ndist 0 0 10\n", "t:2: the distance of node 0 to itself" },
	{ "node 0 cpus 0 mem 128M\nnode 1 cpus 1\ndist 0 1\n",
	  "t:3: distance is missing: 11..254" },
	{ "node 0 cpus 0-3 mem 128M\ncaches 2\n", NULL },
	{ "caches 2\nnode 0 cpus 0-2 mem 128M\n", "t:2: 2 caches: every node needs as many cpus" },
	{ "node 0 cpus 0-1 mem 128M\nnode 1 cpus 2-5\ncaches 2\n", "t:3: 2 caches: every node" },
	{ "node 0 cpus 0,2 mem 128M\nnode 1 cpus 1,3\ncaches 2\n", "t:3: 2 caches: every node" },
	{ "node 0 cpus 0 mem 128M\ncaches 0\n", "t:2: caches '0' is not in 1..64" },
	{ "node 0 cpus 0 mem 128M\ncaches\n", "t:2: caches is missing: 1..64" },
	{ "node 0 cpus 0 mem 128M\ncaches 1 2\n", "t:2: '2' after the number of caches" },
	{ "node 0 cpus 0 mem 128M\ncaches 1\ncaches 1\n", "t:3: caches is there already" },
	{ "node 0 cpus 0 mem 128M\nnode 1 cpus 1\ndist 0 1 10\n",
	  "t:3: distance '10' is not in 11..254" },
	{ "node 0 cpus 0 mem 128M\nnode 1 cpus 1\ndist 0 1 255\n", "t:3: distance '255' is not" },
	{ "node 0 cpus 0 mem 128M\nnode 1 cpus 1\ndist 0 1 20 20\n",
	  "t:3: '20' after the distance" },
};

static unsigned int nr, failures;

static void result(bool ok, const char *what)
{
	printf("%sok %u %s\n", ok ? "" : "not ", ++nr, what);
	failures += !ok;
}

static int parse(struct topology *topo, const char *text, char *err)
{
	/* fmemopen() refuses an empty buffer. */
	FILE *f = *text ? fmemopen((char *)text, strlen(text), "r") : fopen("/dev/null", "r");
	int ret;

	if (!f)
		exit(EXIT_FAILED);
	ret = topo_read(topo, f, "t", err);
	fclose(f);
	return ret;
}

static void test_cases(void)
{
	struct topology topo;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char err[TOPO_ERR_LEN] = "";
		int ret = parse(&topo, cases[i].text, err);
		const char *want = cases[i].err;

		if (want && strncmp(err, want, strlen(want)))
			printf("# '%s' instead of '%s'\n", err, want);
		result(want ? ret == -1 && !strncmp(err, want, strlen(want)) : !ret,
		       want ? want : "good file");
	}
}

static void test_lookup(void)
{
	static const char text[] =
		"node 0 cpus 0,3 mem 256M\nnode 1 cpus 1\nnode 2 cpus 2 mem 128M\nnode 3 mem 128M\n"
		"dist 0 2 40\n";
	const uint64_t m = (uint64_t)1 << 20;
	char err[TOPO_ERR_LEN];
	struct topology t;

	result(!parse(&t, text, err), "a file with everything");
	result(t.nr_nodes == 4 && t.nr_cpus == 4, "numbers of nodes and CPUs");
	result(topo_node_of_cpu(&t, 0) == 0 && topo_node_of_cpu(&t, 1) == 1 &&
	       topo_node_of_cpu(&t, 2) == 2 && topo_node_of_cpu(&t, 3) == 0, "node of a CPU");
	result(topo_node_of_cpu(&t, 4) == -1 && topo_node_of_cpu(&t, -1U) == -1, "no such CPU");
	result(topo_node_of_phys(&t, 0) == 0 && topo_node_of_phys(&t, 256 * m - 1) == 0 &&
	       topo_node_of_phys(&t, 256 * m) == 2 && topo_node_of_phys(&t, 384 * m) == 3,
	       "node of memory");
	result(topo_node_of_phys(&t, 512 * m) == -1, "no such memory");
	result(topo_mem_total(&t) == 512 * m, "memory of all nodes");
	result(t.dist[0][2] == 40 && t.dist[2][0] == 40 && t.dist[0][1] == 20 && t.dist[3][3] == 10,
	       "distances");
}

int main(int argc, char **argv)
{
	char err[TOPO_ERR_LEN];
	struct topology topo;
	int i;

	printf("KTAP version 1\n1..%zu\n", sizeof(cases) / sizeof(cases[0]) + 9 + argc - 1);
	test_cases();
	test_lookup();
	result(topo_load(&topo, "/nonexistent", err) == -1 && strstr(err, "No such file"),
	       "no such file");
	for (i = 1; i < argc; i++) {
		bool ok = !topo_load(&topo, argv[i], err);

		if (!ok)
			printf("# %s\n", err);
		result(ok, argv[i]);
	}
	return failures ? EXIT_FAILED : EXIT_OK;
}
