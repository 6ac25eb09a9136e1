// SPDX-License-Identifier: GPL-2.0-only
/*
 * run-fuzz [N [SEED]]: N random mutations of the ready experiments through the reader. Each is
 * either refused with one line that names file and line, or accepted and whole. Build with
 * -fsanitize=address,undefined to see more.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "stats.h"

static uint64_t state;

static size_t rnd(size_t n)
{
	return stats_random_below(&state, n);
}

struct text {
	char *s;
	size_t len;
};

static struct text *corpus;
static size_t n_corpus;

static void add_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct text t = { malloc(65536), 0 };

	if (f && t.s)
		t.len = fread(t.s, 1, 65536, f);
	if (f)
		fclose(f);
	corpus = run_grow(corpus, n_corpus, sizeof(*corpus));
	corpus[n_corpus++] = t;
}

/* Pieces that mean something. */
static const char *const words[] = {
	"%{", "}", "%{device}", "[variant ", "]", " -> ", "=", ":", "\n[", "\n ", "\n", ";", "#",
	"node:", "0-3,8", "-1", "99999999999999999999", "1e308", "nan", "(", ")", "{2,99}", "*",
	"[matrix]\nz = nodes\n", "cpunodebind = 0\n", "fio = x\n", "command = y\n", "\xff", "\r",
	"nodes", "->", "[all]\n", "module = a -> b=c\n", "%{z}", "nice=", "cpus=", "\t", "",
};

static void replace(struct text *t, size_t at, size_t gone, const char *s, size_t len)
{
	char *new = malloc(t->len - gone + len + 1);

	if (!new)
		abort();
	memcpy(new, t->s, at);
	memcpy(new + at, s, len);
	memcpy(new + at + len, t->s + at + gone, t->len - at - gone);
	t->len += len - gone;
	free(t->s);
	t->s = new;
}

static void mutate(struct text *t)
{
	size_t at = rnd(t->len + 1), rest = t->len - at, gone = rnd(rest < 30 ? rest + 1 : 30);
	const struct text *other = &corpus[rnd(n_corpus)];
	const char *word;
	size_t from;
	char c;

	switch (rnd(6)) {
	case 0:		/* a bit */
		if (rest)
			t->s[at] ^= 1 << rnd(8);
		break;
	case 1:		/* a character */
		c = rnd(256);
		replace(t, at, 0, &c, 1);
		break;
	case 2:		/* a hole */
		replace(t, at, gone, "", 0);
		break;
	case 3:		/* a word */
		word = words[rnd(sizeof(words) / sizeof(*words))];
		replace(t, at, rnd(2) ? gone : 0, word, strlen(word));
		break;
	case 4:		/* a piece of another */
		from = rnd(other->len);
		replace(t, at, gone, other->s + from,
			rnd(other->len - from < 300 ? other->len - from : 300));
		break;
	default:	/* the end is cut off */
		if (!rnd(8))
			replace(t, at, rest, "", 0);
		break;
	}
}

static bool is_whole(const struct run_experiment *e)
{
	size_t baselines = 0, primaries = 0;
	bool whole = e->n_variants && e->n_metrics && e->repetitions >= 1 &&
		     e->repetitions <= 10000 && e->seed >= 0 && e->name && e->text;

	for (size_t i = 0; whole && i < e->n_variants; i++) {
		const struct run_variant *v = &e->variants[i];
		char *line = run_load_line(e, v);

		baselines += v->baseline;
		whole &= *v->name && !v->load.fio != !v->load.command && *line;
		for (size_t k = 0; whole && k < v->n_wants; k++)
			whole &= v->wants[k].kind && v->wants[k].target && v->wants[k].value;
		free(line);
	}
	for (size_t i = 0; i < e->n_metrics; i++)
		primaries += e->metrics[i].primary;
	return whole && baselines == 1 && primaries == 1;
}

static bool is_one_error(const char *s)
{
	const char *nl = strchr(s, '\n');
	int line;

	return nl && !nl[1] && sscanf(s, "numaio run: f.ini:%d: ", &line) == 1 && line > 0;
}

static bool try(const struct text *t, unsigned long *accepted)
{
	struct run_experiment *e;
	size_t len = 0;
	char *said = NULL;
	FILE *err = open_memstream(&said, &len);
	bool good;

	e = run_ini_parse("f.ini", t->s, t->len, NULL, err);
	fclose(err);
	good = e ? is_whole(e) && !len : is_one_error(said);
	*accepted += !!e;
	if (!good)
		printf("# %s: %s\n# ---\n%.*s\n# ---\n", e ? "accepted, but not whole" : "refused",
		       said, (int)t->len, t->s);
	run_ini_free(e);
	free(said);
	return good;
}

static bool fuzz_one(unsigned long *accepted)
{
	const struct text *from = &corpus[rnd(n_corpus)];
	struct text t = { malloc(from->len + 1), from->len };
	bool good;

	if (!t.s)
		abort();
	memcpy(t.s, from->s, from->len);
	for (size_t i = 0, n = 1 + rnd(4); i < n; i++)
		mutate(&t);
	good = try(&t, accepted);
	free(t.s);
	return good;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000, bad = 0, accepted = 0;
	glob_t g = { 0 };

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	state = state * 0x9e3779b97f4a7c15 + 1;
	puts("KTAP version 1\n1..2");
	glob("../experiments/*.ini", 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		add_file(g.gl_pathv[i]);
	if (!n_corpus)
		glob("experiments/*.ini", 0, NULL, &g);
	for (size_t i = 0; !n_corpus && i < g.gl_pathc; i++)
		add_file(g.gl_pathv[i]);
	globfree(&g);
	if (!n_corpus) {
		puts("not ok 1 there are no experiments in ../experiments\nnot ok 2");
		return 1;
	}
	for (unsigned long i = 0; i < n && bad < 5; i++)
		bad += !fuzz_one(&accepted);
	printf("%sok 1 %lu mutations, each accepted and whole or refused with one error\n",
	       bad ? "not " : "", n);
	printf("%sok 2 both happen: %lu accepted\n", accepted && accepted < n ? "" : "not ",
	       accepted);
	for (size_t i = 0; i < n_corpus; i++)
		free(corpus[i].s);
	free(corpus);
	run_cpus_forget();
	return bad != 0;
}
