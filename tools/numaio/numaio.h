/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all parts of numaio share.
 */
#ifndef NUMAIO_H
#define NUMAIO_H

#include <stdbool.h>
#include <stddef.h>

#define NUMAIO_VERSION	"0.1"

/* How a command ends. */
enum {
	EXIT_OK		= 0,	/* done */
	EXIT_FAILED	= 1,	/* tried, and it failed */
	EXIT_USAGE	= 2,	/* asked for something impossible; nothing was changed */
	EXIT_SKIPPED	= 4,	/* this host can't do it */
};

/* One subcommand a file: cmd-show.c, cmd-run.c, ... argv[0] is the subcommand's name. */
int cmd_show(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_report(int argc, char **argv);

#endif
