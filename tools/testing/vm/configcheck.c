// SPDX-License-Identifier: GPL-2.0-only
/*
 * configcheck .config FRAGMENT...: has each option that the fragments ask for
 * taken effect? The last request of an option counts; "=n" and "is not set" are
 * the same, as is an option that Kconfig leaves out altogether.
 *
 * configcheck -m FRAGMENT...: print what they ask for together, the input of
 * KCONFIG_ALLCONFIG=FILE make allnoconfig. Options that are n need no mention.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct option {
	char *name;
	char *want;		/* NULL: no fragment names it */
	const char *where;	/* fragment that asked last */
	char *is;		/* in .config, NULL: not there */
};

static void *options;		/* tree of struct option, by name */
static const char *config_path;
static int failures;

__attribute__((noreturn))
static void die(int code, const char *path, unsigned int line, const char *what)
{
	fprintf(stderr, "configcheck: %s:%u: %s\n", path, line, what);
	exit(code);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct option *)a)->name, ((const struct option *)b)->name);
}

static char *copy(const char *str, size_t len)
{
	char *dup = strndup(str, len);

	if (!dup)
		die(EXIT_FAILED, str, 0, "out of memory");
	return dup;
}

static struct option *find_option(const char *name, size_t len)
{
	struct option *opt = calloc(1, sizeof(*opt)), **slot;

	if (!opt)
		die(EXIT_FAILED, name, 0, "out of memory");
	opt->name = copy(name, len);
	slot = tsearch(opt, &options, by_name);
	if (!slot)
		die(EXIT_FAILED, name, 0, "out of memory");
	if (*slot != opt) {
		free(opt->name);
		free(opt);
	}
	return *slot;
}

/* "CONFIG_A=value" or "# CONFIG_A is not set": the option, else NULL. */
static struct option *parse_line(const char *line, const char **value)
{
	bool comment = !strncmp(line, "# ", 2);
	const char *name = comment ? line + 2 : line;
	const char *end = name + strcspn(name, "= ");

	if (strncmp(name, "CONFIG_", 7))
		return NULL;
	if (comment ? strcmp(end, " is not set") : *end != '=')
		return NULL;
	*value = comment ? "n" : end + 1;
	return find_option(name, end - name);
}

static void read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, **slot;
	unsigned int nr = 0;
	struct option *opt;
	const char *value;
	size_t size = 0;

	if (!f)
		die(EXIT_USAGE, path, 0, strerror(errno));
	while (getline(&line, &size, f) >= 0) {
		nr++;
		line[strcspn(line, "\n")] = '\0';
		opt = parse_line(line, &value);
		if (!opt) {
			if (line[0] && line[0] != '#')
				die(EXIT_USAGE, path, nr,
				    "neither CONFIG_NAME=VALUE nor a comment");
			continue;
		}
		slot = path == config_path ? &opt->is : &opt->want;
		free(*slot);
		*slot = copy(value, strlen(value));
		if (path != config_path)
			opt->where = path;
	}
	free(line);
	fclose(f);
}

static void print_option(const void *node, VISIT visit, int depth)
{
	const struct option *opt = *(struct option * const *)node;

	(void)depth;
	if ((visit == postorder || visit == leaf) && strcmp(opt->want, "n"))
		printf("%s=%s\n", opt->name, opt->want);
}

static void check_option(const void *node, VISIT visit, int depth)
{
	const struct option *opt = *(struct option * const *)node;

	(void)depth;
	if ((visit != postorder && visit != leaf) || !opt->want ||
	    !strcmp(opt->want, opt->is ? opt->is : "n"))
		return;
	printf("%s: %s=%s was asked for by %s, but it is %s\n", config_path, opt->name, opt->want,
	       opt->where, opt->is ? opt->is : "missing");
	failures++;
}

int main(int argc, char **argv)
{
	bool merge = argc > 1 && !strcmp(argv[1], "-m");
	int i;

	if (argc < 3) {
		fprintf(stderr, "usage: configcheck .config FRAGMENT... | -m FRAGMENT...\n");
		return EXIT_USAGE;
	}
	if (!merge) {
		config_path = argv[1];
		read_file(config_path);
	}
	for (i = 2; i < argc; i++)
		read_file(argv[i]);
	twalk(options, merge ? print_option : check_option);
	return failures ? EXIT_FAILED : EXIT_OK;
}
