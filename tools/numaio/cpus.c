// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sets of CPUs, or nodes, as the kernel writes them: lists (0-3,8) and masks (f,0000010f).
 * libnuma's parsers know the CPUs of this machine only; a capture is of another one.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"

static bool number(const char **text, unsigned long *n)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*n = strtoul(*text, &end, 10);
	*text = end;
	return !errno && *n < CPUS_MAX;
}

/**
 * cpus_parse_list() - Parse a list.
 * @c: Receives the set.
 * @text: "0-3,8", "" for none, also with commas and spaces as "0, 2, 5" has them.
 *
 * Return: 0, or -1 if it isn't one.
 */
int cpus_parse_list(struct cpus *c, const char *text)
{
	unsigned long from, to;

	memset(c, 0, sizeof(*c));
	while (isspace((unsigned char)*text))
		text++;
	while (*text) {
		if (!number(&text, &from))
			return -1;
		to = from;
		if (*text == '-' && (text++, !number(&text, &to) || to < from))
			return -1;
		for (; from <= to; from++)
			cpus_add(c, from);
		if (*text && *text != ',' && !isspace((unsigned char)*text))
			return -1;
		while (*text == ',' || isspace((unsigned char)*text))
			text++;
	}
	return 0;
}

/**
 * cpus_parse_mask() - Parse a mask.
 * @c: Receives the set.
 * @text: Hexadecimal digits, the CPUs with the lowest numbers last; commas don't matter.
 *
 * Return: 0, or -1 if it isn't one.
 */
int cpus_parse_mask(struct cpus *c, const char *text)
{
	size_t n = strlen(text);
	unsigned int cpu = 0;

	memset(c, 0, sizeof(*c));
	if (!n)
		return -1;
	while (n--) {
		char digit[2] = { text[n] };
		unsigned int bits;

		if (*digit == ',')
			continue;
		if (!isxdigit((unsigned char)*digit))
			return -1;
		bits = strtoul(digit, NULL, 16);
		if (bits && cpu >= CPUS_MAX)
			return -1;
		for (unsigned int i = 0; i < 4; i++, cpu++)
			if (bits & 1U << i)
				cpus_add(c, cpu);
	}
	return 0;
}

/* The list of a set, which the caller frees. Without memory the program ends. */
char *cpus_list(const struct cpus *c)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const char *comma = "";

	if (!f)
		abort();
	for (unsigned int cpu = 0, last; cpu < CPUS_MAX; cpu++) {
		if (!cpus_has(c, cpu))
			continue;
		for (last = cpu; cpus_has(c, last + 1); )
			last++;
		fprintf(f, last > cpu ? "%s%u-%u" : "%s%u", comma, cpu, last);
		comma = ",";
		cpu = last;
	}
	fclose(f);
	return text;
}

/* The mask of a set, without leading zeros; as cpus_list(). */
char *cpus_mask(const struct cpus *c)
{
	int top = CPUS_MAX / 32 - 1;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		abort();
	while (top && !(uint32_t)(c->w[top / 2] >> top % 2 * 32))
		top--;
	fprintf(f, "%x", (uint32_t)(c->w[top / 2] >> top % 2 * 32));
	while (top--)
		fprintf(f, ",%08x", (uint32_t)(c->w[top / 2] >> top % 2 * 32));
	fclose(f);
	return text;
}

bool cpus_same(const struct cpus *a, const struct cpus *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool cpus_within(const struct cpus *a, const struct cpus *b)
{
	for (size_t i = 0; i < sizeof(a->w) / sizeof(*a->w); i++)
		if (a->w[i] & ~b->w[i])
			return false;
	return true;
}
