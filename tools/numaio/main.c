// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio: where every structure and thread of an I/O sits, and whether moving it helps.
 */
#include <stdio.h>
#include <string.h>

#include "numaio.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "show",	cmd_show,	"where everything is: devices, queues, tags, interrupts, workers" },
	{ "capture",	cmd_capture,	"save what show reads, to look at it elsewhere" },
	{ "watch",	cmd_watch,	"what changes a second: tags, completions, interrupts by node" },
	{ "run",	cmd_run,	"run an experiment: variants of placement, many times each" },
	{ "report",	cmd_report,	"compare the variants of an experiment" },
};

static void usage(FILE *f)
{
	fputs("Usage: numaio COMMAND [ARGUMENT...]\n\n", f);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n\"numaio COMMAND --help\" says more; man numaio, man numaio-COMMAND.\n", f);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("numaio " NUMAIO_VERSION);
		return EXIT_OK;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "numaio: no command \"%s\"; there are:", argv[1]);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(stderr, " %s", commands[i].name);
	fputc('\n', stderr);
	return EXIT_USAGE;
}
