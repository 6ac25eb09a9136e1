/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges what a guest said: the verdict channel (output of the command, then
 * JUDGE_END "exit N\n" from init) and the console. Fed with pieces of any size.
 */
#ifndef VM_JUDGE_H
#define VM_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SKIPPED = 4 };

#define JUDGE_END	'\036'		/* ASCII "record separator" */
#define JUDGE_LINE	1024		/* longer lines are judged by their start */
#define JUDGE_WHY	(JUDGE_LINE + 128)
#define JUDGE_DEPTH	8		/* nesting of KTAP documents */

struct judge_line {
	char text[JUDGE_LINE];
	size_t len;
};

/* One KTAP document that is being read; subtests are indented further. */
struct judge_ktap {
	size_t indent;
	long plan;		/* -1: none yet */
	long results;
	bool header;		/* "KTAP version" seen: there must be more */
};

struct judge {
	struct judge_line verdict;
	struct judge_line console;
	struct judge_ktap ktap[JUDGE_DEPTH];
	int depth;
	bool ended;		/* JUDGE_END seen */
	int exit_code;		/* -1: not seen, or not complete */
	char fault[JUDGE_WHY];	/* first fault of the verdict */
	char splat[JUDGE_LINE];	/* first line of the console that must not be there */
};

void judge_init(struct judge *j);
/* Returns how many of the @len bytes are the command's own output. */
size_t judge_verdict(struct judge *j, const char *buf, size_t len);
void judge_console(struct judge *j, const char *buf, size_t len);
/* At the end of both: EXIT_OK, EXIT_SKIPPED, or EXIT_FAILED and the reason in @why. */
int judge_result(struct judge *j, char why[JUDGE_WHY]);

#endif
