// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "symbols.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_HALF	(1ull << 63)
/* A name further away than this names something else. */
#define MAX_DISTANCE	(1ull << 20)

static char *read_file(const char *path)
{
	size_t size = 0, len = 0;
	char *buf = NULL;
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return NULL;
	}
	for (;;) {
		size_t got;

		if (size - len < 65536) {
			char *more = realloc(buf, size += 1 << 20);

			if (!more) {
				free(buf);
				buf = NULL;
				break;
			}
			buf = more;
		}
		got = fread(buf + len, 1, size - len - 1, f);
		if (!got) {
			buf[len] = '\0';
			break;
		}
		len += got;
	}
	fclose(f);
	return buf;
}

/* Order of one address: the name that people know comes last and wins. */
static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->global != y->global)
		return x->global ? 1 : -1;
	return -strcmp(x->name, y->name);
}

/* "ffffffff81000000 T name\t[module]" */
static bool parse_line(char *line, struct symbol *sym)
{
	char *end, *name, *module;
	char type;

	sym->addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	type = end[1];
	name = end + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = '\0';
		if (*module == '[') {
			module++;
			module[strcspn(module, "]")] = '\0';
		}
	}
	name[strcspn(name, " .")] = '\0';
	if (!*name || !strncmp(name, "__pfx_", 6))
		return false;
	sym->name = name;
	sym->module = module ? module : "";
	sym->text = strchr("tTwW", type);
	sym->global = isupper((unsigned char)type);
	return true;
}

int symbols_load(struct symbols *s, const char *path)
{
	char *line, *save = NULL;
	size_t max = 0;
	bool seen = false;

	memset(s, 0, sizeof(*s));
	s->text = read_file(path);
	if (!s->text)
		return -1;
	for (line = strtok_r(s->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (s->nr == max) {
			struct symbol *more;

			max = max ? 2 * max : 65536;
			more = realloc(s->sym, max * sizeof(*more));
			if (!more)
				return -1;
			s->sym = more;
		}
		if (!parse_line(line, &s->sym[s->nr]))
			continue;
		if (!strcmp(s->sym[s->nr].name, "__per_cpu_end"))
			s->percpu_end = s->sym[s->nr].addr;
		seen |= s->sym[s->nr].addr >= KERNEL_HALF;
		s->nr++;
	}
	if (!seen) {
		fprintf(stderr, "%s: no kernel addresses in it (it must be read by root)\n",
			path);
		return -1;
	}
	qsort(s->sym, s->nr, sizeof(*s->sym), by_addr);
	return 0;
}

static uint64_t addr_of(const struct symbols *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->sym[i].name, name) && !*s->sym[i].module)
			return s->sym[i].addr;
	return 0;
}

int symbols_check_map(const struct symbols *s, const char *path)
{
	static const char *const probe[] = { "_text", "_etext", "_end" };
	struct symbols map;
	size_t i;

	if (symbols_load(&map, path))
		return -1;
	for (i = 0; i < sizeof(probe) / sizeof(probe[0]); i++) {
		uint64_t here = addr_of(s, probe[i]), there = addr_of(&map, probe[i]);

		if (here == there)
			continue;
		fprintf(stderr,
			"%s: %s is at %#" PRIx64 ", in the guest at %#" PRIx64 ": another kernel, or booted without nokaslr\n",
			path, probe[i], there, here);
		return -1;
	}
	free(map.sym);
	free(map.text);
	return 0;
}

static const struct symbol *find(const struct symbols *s, uint64_t addr, bool text)
{
	size_t lo = 0, hi = s->nr;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo && s->sym[lo - 1].text != text &&
	       addr - s->sym[lo - 1].addr < MAX_DISTANCE)
		lo--;
	if (!lo || s->sym[lo - 1].text != text ||
	    addr - s->sym[lo - 1].addr >= MAX_DISTANCE)
		return NULL;
	return &s->sym[lo - 1];
}

const struct symbol *symbols_text(const struct symbols *s, uint64_t pc)
{
	return find(s, pc, true);
}

const struct symbol *symbols_data(const struct symbols *s, uint64_t addr)
{
	return find(s, addr, false);
}
