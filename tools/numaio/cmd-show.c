// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio show: where everything is.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "show.h"
#include "show-parts.h"

struct arguments {
	const char *sysroot;
	bool json;
	char **names;
	int nr;
};

static const struct argp_option options[] = {
	{ "sysroot", 's', "DIR", 0, "Read what \"numaio capture DIR\" saved", 0 },
	{ "output", 'o', "FORMAT", 0, "text (the default) or json", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 's':
		a->sysroot = arg;
		return 0;
	case 'o':
		a->json = show_json_asked(arg, state);
		return 0;
	case ARGP_KEY_ARGS:
		a->names = state->argv + state->next;
		a->nr = state->argc - state->next;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[DISK|HOST|all]...",
	.doc = "Show where disks, SCSI hosts, their queues, tags, requests, interrupts and workers "
	       "are. No setting is changed.",
};

static int print(json_t *doc, bool json)
{
	int res = 0;

	if (json)
		res = json_dumpf(doc, stdout, JSON_INDENT(2)) || putchar('\n') == EOF;
	else
		show_print(doc);
	if (res || fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "numaio show: can't write: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int cmd_show(int argc, char **argv)
{
	struct arguments a = {};
	json_t *doc;
	int res;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "numaio show";
	if (argp_parse(&argp, argc, argv, 0, NULL, &a))
		return EXIT_USAGE;
	if (a.sysroot && !show_set_root(a.sysroot, "show"))
		return EXIT_USAGE;
	doc = show_document(a.names, a.nr, "show");
	if (!doc) {
		sys_reset();
		return EXIT_USAGE;
	}
	res = print(doc, a.json);
	json_decref(doc);
	sys_reset();
	return res;
}
