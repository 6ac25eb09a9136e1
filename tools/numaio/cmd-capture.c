// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio capture: save what show reads.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture-tree.h"
#include "numaio.h"
#include "show-parts.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **dir = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*dir)
			argp_error(state, "one directory, not also \"%s\"", arg);
		*dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*dir || !**dir)
			argp_error(state, "which directory?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Save what \"numaio show\" reads of /sys and /proc in DIR, a new or empty directory, for "
	       "\"numaio show --sysroot DIR\". No setting is changed.",
};

static int report(const char *dir, int err, size_t files, size_t unreadable)
{
	if (err) {
		fprintf(stderr, "numaio capture: %s: %s; the capture isn't complete\n", dir,
			strerror(err));
		return EXIT_FAILED;
	}
	printf("%s: %zu files", dir, files);
	if (unreadable)
		printf(", %zu could not be read: see %s there", unreadable, SYS_CAPTURE_FILE);
	putchar('\n');
	return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

/* Partitions are names of disks for show, which looks at none unless it is named. */
static void read_partitions(void)
{
	struct sys_names names;

	sys_list(&names, "/sys/class/block");
	for (size_t i = 0; i < names.nr; i++)
		free(sys_real("/sys/class/block/%s", names.name[i]));
	sys_names_free(&names);
}

int cmd_capture(int argc, char **argv)
{
	size_t files, unreadable;
	const char *dir = NULL;
	json_t *doc;
	int err;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "numaio capture";
	if (argp_parse(&argp, argc, argv, 0, NULL, &dir))
		return EXIT_USAGE;
	if (capture_begin(dir)) {
		fprintf(stderr, "numaio capture: %s: %s; it must be a new or an empty directory\n",
			dir, strerror(errno));
		return EXIT_USAGE;
	}
	doc = show_document(NULL, 0, "capture");
	read_partitions();
	err = capture_end(&files, &unreadable);
	if (!doc && !err)
		err = ENOMEM;
	json_decref(doc);
	sys_reset();
	return report(dir, err, files, unreadable);
}
