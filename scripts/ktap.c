// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktap: count the tests of a log in KTAP.
 *
 * Reads standard input and prints "PASSED FAILED SKIPPED" on the first line, then a line
 * for each failure. Only leaves count: a result that closes a group of subtests is not a
 * test of its own, but one that says "not ok" over subtests that all passed is a failure.
 * A plan (1..N) that was not kept is a failure too: that is what truncated output looks
 * like. A time stamp of the kernel's log in front of a line is ignored.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 32

/* A group of results at one indentation. */
struct level {
	size_t indent;
	long planned;		/* -1: no plan seen */
	long results;
	long failed;		/* of this group and all groups in it */
};

static struct level levels[MAX_DEPTH];
static int depth;
static long passed, failed, skipped;

static char *failures;
static size_t failures_size;
static FILE *report;

/* The group is complete: was its plan kept? Return the failures in it. */
static long close_level(void)
{
	struct level *l = &levels[--depth];

	if (l->planned >= 0 && l->planned != l->results) {
		fprintf(report, "planned %ld tests, but %ld reported\n", l->planned,
			l->results);
		failed++;
		l->failed++;
	}
	return l->failed;
}

static struct level *level_at(size_t indent)
{
	if (!depth || levels[depth - 1].indent < indent) {
		if (depth == MAX_DEPTH) {
			fprintf(stderr, "ktap: more than %d levels\n", MAX_DEPTH);
			exit(1);
		}
		levels[depth++] = (struct level){ .indent = indent, .planned = -1 };
	}
	return &levels[depth - 1];
}

static bool has_skip(const char *s)
{
	for (s = strchr(s, '#'); s; s = strchr(s + 1, '#')) {
		const char *word = s + 1 + strspn(s + 1, " \t");

		if (!strncasecmp(word, "SKIP", 4))
			return true;
	}
	return false;
}

static void plan(size_t indent, const char *s)
{
	struct level *l;

	while (depth && levels[depth - 1].indent > indent)
		close_level();
	l = level_at(indent);
	if (l->planned < 0 && l->results) {
		/* Behind the results, as TAP allows it. */
		l->planned = strtol(s, NULL, 10);
		close_level();
		return;
	}
	if (l->planned >= 0) {
		/* The next program of the same stage. */
		close_level();
		l = level_at(indent);
	}
	l->planned = strtol(s, NULL, 10);
	if (!l->planned && has_skip(s))
		skipped++;
}

static void result(size_t indent, bool ok, const char *line)
{
	bool group = false;
	long inner = 0;
	struct level *l;

	while (depth && levels[depth - 1].indent > indent) {
		group = true;
		inner += close_level();
	}
	l = level_at(indent);
	l->results++;
	l->failed += inner;
	if (group && (ok || inner || has_skip(line)))
		return;
	if (has_skip(line)) {
		skipped++;
	} else if (ok) {
		passed++;
	} else {
		failed++;
		l->failed++;
		fprintf(report, "%s\n", line);
	}
}

/* Past the time stamp "[   12.345678] " of the kernel's log, if there is one. */
static const char *skip_stamp(const char *s)
{
	const char *p = s;

	if (*p++ != '[')
		return s;
	p += strspn(p, " 0123456789.");
	return p[0] == ']' && p[1] == ' ' ? p + 2 : s;
}

/* Behind "ok" comes the number of the test, a description, or nothing. */
static bool is_result(const char *after)
{
	return !*after || (*after == ' ' &&
			   (isdigit((unsigned char)after[1]) || after[1] == '-'));
}

static void parse(const char *line)
{
	const char *s = skip_stamp(line);
	size_t indent = strspn(s, " ");

	s += indent;
	if (!strncmp(s, "ok", 2) && is_result(s + 2))
		result(indent, true, s);
	else if (!strncmp(s, "not ok", 6) && is_result(s + 6))
		result(indent, false, s);
	else if (!strncmp(s, "1..", 3) && isdigit((unsigned char)s[3]))
		plan(indent, s + 3);
	else if (!strncmp(s, "Bail out!", 9)) {
		failed++;
		fprintf(report, "%s\n", s);
	}
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	report = open_memstream(&failures, &failures_size);
	if (!report) {
		perror("ktap");
		return 1;
	}
	while ((n = getline(&line, &size, stdin)) >= 0) {
		while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
			line[--n] = '\0';
		parse(line);
	}
	while (depth)
		close_level();
	fclose(report);
	printf("%ld %ld %ld\n%s", passed, failed, skipped, failures);
	free(line);
	free(failures);
	return 0;
}
