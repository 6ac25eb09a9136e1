// SPDX-License-Identifier: GPL-2.0-only
/*
 * Patterns: extended regular expressions that match a whole name.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* glibc expands intervals; nested ones take memory without bound. */
static bool is_modest(const char *pattern)
{
	int intervals = 0, groups = 0;

	if (strlen(pattern) > 400)
		return false;
	for (const char *p = pattern; *p; p++) {
		groups += *p == '(';
		if (*p != '{')
			continue;
		if (++intervals > 2)
			return false;
		for (const char *d = p + 1; *d && *d != '}'; d++)
			if (isdigit((unsigned char)*d) && strtoul(d, NULL, 10) > 99)
				return false;
	}
	return groups <= 20;
}

/* NULL, or what is wrong; groups < 0: any number. */
char *run_pattern_check(const char *pattern, int groups)
{
	char text[128];
	regex_t re;
	int ret;

	if (!*pattern)
		return run_dup("the pattern is empty");
	if (!is_modest(pattern))
		return run_format("\"%.40s...\": a pattern has at most 400 characters, 20 groups and two {m,n} up to 99",
				  pattern);
	ret = regcomp(&re, pattern, REG_EXTENDED);
	if (ret) {
		regerror(ret, &re, text, sizeof(text));
		return run_format("\"%s\" is no regular expression: %s", pattern, text);
	}
	ret = re.re_nsub;
	regfree(&re);
	if (groups >= 0 && ret != groups)
		return run_format("\"%s\" has %d groups in parentheses, %d is valid", pattern, ret,
				  groups);
	return NULL;
}

bool run_match(const char *pattern, const char *name)
{
	char *whole = run_format("^(%s)$", pattern);
	bool match = false;
	regex_t re;

	if (!regcomp(&re, whole, REG_EXTENDED | REG_NOSUB)) {
		match = !regexec(&re, name, 0, NULL, 0);
		regfree(&re);
	}
	free(whole);
	return match;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Names in dir that the pattern matches, sorted. */
void run_find_files(const char *dir, const char *pattern, struct run_strs *found)
{
	char *full = run_path(dir);
	DIR *d = opendir(full);
	struct dirent *e;

	free(full);
	if (!d)
		return;
	while ((e = readdir(d)))
		if (*e->d_name != '.' && run_match(pattern, e->d_name))
			run_strs_add(found, run_dup(e->d_name));
	closedir(d);
	if (found->n)
		qsort(found->v, found->n, sizeof(*found->v), by_version);
}
