// SPDX-License-Identifier: GPL-2.0-only
/*
 * report-fuzz [N [FIRST]] - N mutated records (2000), each the same from its number on, through
 * the reader; those that it takes through analysis and printers. A failure names the number.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report-ktap.h"
#include "report.h"

#define N(a)	(sizeof(a) / sizeof((a)[0]))
#define SMALL	3
#define FULL	64	/* one of so many is printed, if that takes long */

static const char * const files[] = {
	"small.json", "srp-1.json", "srp-2.json", "full.json", "matrix.json", "emulated.json",
};

static const char * const words[] = {
	"null", "true", "-1", "0", "1e999", "1e308", "-1e-320", "1e100", "18446744073709551616",
	"9223372036854775807", "\"\"", "\"\\u0000\"", "\"\xff\"", "[]", "{}", "[[", "{\"a\":", ",",
	"\"ok\"", "\"failed\"", "\"set\"", "\"higher\"", "\"iops\"", "\"cell\": {\"a\": \"b\"}, ",
};

static struct {
	char *text;
	size_t len;
	json_t *root;
} seeds[N(files)];

static unsigned long count = 2000, first, taken, refused, reports;
static uint64_t state;

static void load(size_t i)
{
	char path[256];
	FILE *f;

	for (size_t j = 0; j < 2; j++) {
		snprintf(path, sizeof(path), "%sreport/%s", j ? "tests/" : "", files[i]);
		f = fopen(path, "r");
		if (f)
			break;
	}
	if (!f)
		err(1, "%s", path);
	seeds[i].text = calloc(1, 1 << 20);
	seeds[i].len = fread(seeds[i].text, 1, 1 << 20, f);
	fclose(f);
	seeds[i].root = json_loadb(seeds[i].text, seeds[i].len, 0, NULL);
	if (!seeds[i].root)
		errx(1, "%s is no JSON", path);
}

static size_t below(size_t n)
{
	return stats_random_below(&state, n);
}

/* Mostly the small one, which has everything; those from @SMALL on take long. */
static size_t some_seed(void)
{
	if (below(4))
		return 0;
	return below(5) ? 1 + below(SMALL - 1) : SMALL + below(N(files) - SMALL);
}

/* A piece of text is replaced by another: of the same record, or a word, or nothing. */
static char *change_text(const char *text, size_t len, size_t *new_len)
{
	size_t at = below(len), gone = below(2) ? below(16) : below(len / 4), more = 0;
	const char *what = text;
	char *new;

	gone = gone < len - at ? gone : len - at;
	if (below(2)) {
		what = words[below(N(words))];
		more = strlen(what);
	} else if (below(2)) {
		size_t from = below(len);

		what = text + from;
		more = below(64);
		more = more < len - from ? more : len - from;
	}
	new = malloc(len - gone + more + 1);
	if (!new)
		err(1, "memory");
	memcpy(new, text, at);
	memcpy(new + at, what, more);
	memcpy(new + at + more, text + at + gone, len - at - gone);
	*new_len = len - gone + more;
	if (!below(3) && *new_len)
		new[below(*new_len)] ^= 1 << below(8);
	return new;
}

static json_t *some_value(void)
{
	switch (below(12)) {
	case 0:
		return json_null();
	case 1:
		return json_true();
	case 2:
		return json_integer(below(8) - 2);
	case 3:
		return json_integer((json_int_t)stats_random(&state));
	case 4:
		return json_real(1e300);
	case 5:
		return json_real(-1e-310);
	case 6:
		return json_string("");
	case 7:
		return json_string("flat\x1b[2J\n`x`'\"|$\\");
	case 8:
		return json_array();
	case 9:
		return json_object();
	case 10:
		return json_real(1e100);
	default:
		return json_integer(1 + below(400000));
	}
}

/* Go down from @v, at each step perhaps stop: replace, remove or double what is there. */
static void change_value(json_t *v)
{
	const char *key;
	json_t *inner;
	void *i;
	size_t n;

	if (json_is_array(v) && json_array_size(v)) {
		n = below(json_array_size(v));
		inner = json_array_get(v, n);
		if (json_is_array(inner) || json_is_object(inner) ? below(4) : 0)
			change_value(inner);
		else if (!below(3))
			json_array_remove(v, n);
		else if (!below(3))
			json_array_append_new(v, json_deep_copy(inner));
		else
			json_array_set_new(v, n, some_value());
		return;
	}
	if (!json_is_object(v) || !json_object_size(v))
		return;
	i = json_object_iter(v);
	for (n = below(json_object_size(v)); n; n--)
		i = json_object_iter_next(v, i);
	key = json_object_iter_key(i);
	inner = json_object_iter_value(i);
	if (json_is_array(inner) || json_is_object(inner) ? below(6) : 0)
		change_value(inner);
	else if (!below(4))
		json_object_del(v, key);
	else
		json_object_set_new(v, key, some_value());
}

static char *mutate(size_t seed, size_t *len)
{
	char *text, *next;
	json_t *copy;

	if (below(2)) {
		copy = json_deep_copy(seeds[seed].root);
		for (size_t n = 1 + below(3); n; n--)
			change_value(copy);
		text = json_dumps(copy, JSON_COMPACT);
		*len = text ? strlen(text) : 0;
		json_decref(copy);
		return text;
	}
	text = change_text(seeds[seed].text, seeds[seed].len, len);
	for (size_t n = below(3); n; n--) {
		next = change_text(text, *len, len);
		free(text);
		text = next;
	}
	return text;
}

static void check_cell(const struct report *r, const struct report_cell *c, unsigned long number)
{
	if (c->verdict != REPORT_BETTER && c->verdict != REPORT_WORSE)
		return;
	expect(!r->emulated && c->p_holm <= STATS_ALPHA && c->least_p_holm <= c->p_holm + 1e-12 &&
	       !(fabs(c->ratio - 1) < r->options.min_effect),
	       "%lu: a verdict that doesn't hold: p %g, corrected %g, least %g, ratio %g, "
	       "%zu and %zu", number, c->test.p, c->p_holm, c->least_p_holm, c->ratio,
	       c->sum.n, c->base->sum.n);
}

static void print_all(const struct report *r, unsigned long number)
{
	static bool (* const print[])(const struct report *r, FILE *f) = {
		report_print_json, report_print_text, report_print_markdown, report_print_csv,
	};

	for (size_t i = 0; i < N(print); i++) {
		char *out;
		size_t len;
		FILE *f = open_memstream(&out, &len);
		json_t *back;

		expect(f && print[i](r, f) && !fclose(f) && len, "%lu: printer %zu", number, i);
		if (!i) {
			back = json_loadb(out, len, JSON_REJECT_DUPLICATES, NULL);
			expect(!!back, "%lu: what is printed as JSON isn't", number);
			json_decref(back);
		} else if (i < 3) {
			expect(!memchr(out, '\x1b', len), "%lu: an escape was printed", number);
		}
		free(out);
	}
}

static void report(const struct report_record *rec, unsigned long number)
{
	const struct report_options options = { .min_effect = REPORT_MIN_EFFECT };
	const struct report_record *base = number % 3 ? NULL : rec;
	struct report *r;
	char *error;

	r = report_make(rec, base, &options, &error);
	expect(!!r, "%lu: %s", number, r ? "" : error);
	if (!r)
		return;
	for (size_t i = 0; i < rec->nr_metrics * rec->nr_variants; i++)
		check_cell(r, &r->own.cells[i], number);
	print_all(r, number);
	report_free(r);
	reports++;
}

static void one(unsigned long number)
{
	struct report_record *rec;
	size_t len, seed;
	char *text, *error;

	state = number * 0x9e3779b97f4a7c15;
	seed = some_seed();
	text = mutate(seed, &len);
	rec = report_record_parse("FILE", text ?: "", len, &error);
	free(text);
	expect(!rec == !!error, "%lu: neither taken nor refused", number);
	if (!rec) {
		refused++;
		expect(!strncmp(error, "FILE:", 5) && strlen(error) > 20 &&
		       (strstr(error, "expected") || strstr(error, "a second time") ||
			strstr(error, "is the baseline")), "%lu: an unclear error: %s", number,
		       error);
		free(error);
		return;
	}
	taken++;
	expect(rec->nr_metrics && rec->nr_variants, "%lu: nothing in it", number);
	if (seed < SMALL || !(number % FULL))
		report(rec, number);
	report_record_free(rec);
}

static void fuzz(void)
{
	for (unsigned long i = first; i < first + count; i++) {
		one(i);
		if (isatty(STDERR_FILENO) && !(i % 1000))
			fprintf(stderr, "%lu\r", i);
	}
	printf("# %lu records: %lu taken, %lu refused, %lu reports\n", count, taken, refused,
	       reports);
	expect(taken > count / 20 && refused > count / 20, "mutations are all alike");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		count = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		first = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < N(files); i++)
		load(i);
	puts("KTAP version 1");
	ktap_case("mutated records are taken or refused", fuzz);
	for (size_t i = 0; i < N(files); i++) {
		free(seeds[i].text);
		json_decref(seeds[i].root);
	}
	return ktap_end();
}
