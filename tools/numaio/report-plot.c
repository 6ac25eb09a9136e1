// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures, drawn by gnuplot as a child: PREFIX-METRIC.png and .svg have a bar for each
 * variant, the median, with a line from the least to the largest figure;
 * PREFIX-METRIC-matrix.png and .svg are a heat map.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "numaio.h"
#include "report.h"

extern char **environ;

/*
 * Text of a record, in single quotes or in data: neither a quote nor anything else may end it.
 * gnuplot looks for "`" in all but single quotes.
 */
static void put_quoted(const char *s, char quote, FILE *f)
{
	putc(quote, f);
	for (; *s; s++)
		putc((unsigned char)*s < ' ' || *s == 0x7f || strchr("\"'`\\", *s) ? ' ' : *s, f);
	putc(quote, f);
}

/* A file's name: given by the user, so only quoted. */
static void put_output(const char *prefix, const char *metric, const char *what,
		       const char *suffix, FILE *f)
{
	fputs("set output '", f);
	for (; *prefix; prefix++)
		fputs(*prefix == '\'' ? "''" : (char[]){ *prefix, 0 }, f);
	putc('-', f);
	for (; *metric; metric++)
		putc(isalnum((unsigned char)*metric) || *metric == '.' ? *metric : '_', f);
	fprintf(f, "%s.%s'\n", what, suffix);
}

static void put_title(const struct report *r, size_t metric, const char *label,
		      const char *what, FILE *f)
{
	const struct report_metric *m = &r->own.rec->metrics[metric];
	char *text = report_format("%s%s%s: %s", m->name, *m->unit ? ", " : "", m->unit, what);

	fputs("set title ", f);
	put_quoted(r->own.rec->experiment, '\'', f);
	fprintf(f, "\nset %s ", label);
	put_quoted(text, '\'', f);
	putc('\n', f);
	free(text);
}

/* The same picture, or "what" of it, twice. */
static void put_twice(const char *prefix, const char *metric, const char *what, int width,
		      int height, const char *plot, FILE *f)
{
	fprintf(f, "set terminal pngcairo noenhanced size %d,%d\n", width, height);
	put_output(prefix, metric, what, "png", f);
	fprintf(f, "%s\n", plot);
	fprintf(f, "set terminal svg noenhanced size %d,%d background 'white'\n", width, height);
	put_output(prefix, metric, what, "svg", f);
	fprintf(f, "%s\nunset output\n", plot);
}

static void put_bar(const struct report_part *p, size_t metric, size_t variant, size_t at, FILE *f)
{
	const struct report_cell *c = report_cell(p, metric, variant);

	if (!c->sum.n)
		return;
	fprintf(f, "%zu %.10g %.10g %.10g ", at, c->sum.median, c->sum.min, c->sum.max);
	put_quoted(p->sides[variant].name, '"', f);
	putc('\n', f);
}

static bool any_below_zero(const struct report *r, size_t metric)
{
	for (size_t v = 0; v < r->own.rec->nr_variants; v++)
		if (report_cell(&r->own, metric, v)->sum.min < 0)
			return true;
	return false;
}

#define BAR	"1:2:3:4:(0.6):xtic(5) with boxerrorbars"

static void put_bars(const struct report *r, size_t metric, const char *prefix, FILE *f)
{
	const struct report_record *rec = r->own.rec;
	size_t same = report_record_metric(r->base.rec, rec->metrics[metric].name);
	size_t own = rec->nr_variants, base = 0, bars;

	fputs("reset\n$own << EOD\n", f);
	for (size_t v = 0; v < own; v++)
		put_bar(&r->own, metric, v, v, f);
	fputs("EOD\n", f);
	if (r->against && same < r->base.rec->nr_metrics)
		base = r->base.rec->nr_variants;
	fputs("$base << EOD\n", f);
	for (size_t v = 0; v < base; v++)
		put_bar(&r->base, same, v, own + v, f);
	fputs("EOD\n", f);
	put_title(r, metric, "ylabel", "median, least to largest", f);
	fprintf(f, "set xrange [-0.7:%zu.7]\n", own + base - 1);
	if (!any_below_zero(r, metric))
		fputs("set yrange [0:*]\n", f);
	fputs("set xtics rotate by -30\nset grid ytics\n"
	      "set style fill solid 0.5 border\nset bars 2\n", f);
	bars = own + base;
	fputs(base ? "set key outside top\n" : "unset key\n", f);
	put_twice(prefix, rec->metrics[metric].name, "",
		  320 + 60 * (int)(bars < 50 ? bars : 50), 480,
		  base ? "plot $own using " BAR " linecolor 1 title 'this record', "
			 "$base using " BAR " linecolor 2 title 'the other record'" :
			 "plot $own using " BAR " linecolor 1", f);
}

/* What a field of the heat map shows: per cent to the baseline, or the figure itself. */
static double heat(const struct report_cell *c, bool ratios)
{
	if (ratios && c->verdict == REPORT_IS_BASELINE)
		return 0;
	return ratios ? 100 * (c->ratio - 1) : c->sum.median;
}

static bool has_ratios(const struct report *r, size_t metric)
{
	for (size_t v = 0; v < r->own.rec->nr_variants; v++)
		if (!isnan(report_cell(&r->own, metric, v)->ratio))
			return true;
	return false;
}

static void put_field(const struct report *r, const struct report_strings *rows,
		      const struct report_strings *columns, size_t variant, double value, FILE *f)
{
	const struct report_variant *v = &r->own.rec->variants[variant];
	const char *row = report_variable(v, r->rows), *column = report_variable(v, r->columns);
	size_t x = 0, y = 0;

	while (strcmp(columns->v[x], column))
		x++;
	while (strcmp(rows->v[y], row))
		y++;
	fprintf(f, "%zu %zu %.10g ", x, y, value);
	put_quoted(column, '"', f);
	putc(' ', f);
	put_quoted(row, '"', f);
	putc('\n', f);
}

static void put_fields(const struct report *r, size_t metric, bool ratios, FILE *f)
{
	struct report_strings rows = { 0 }, columns = { 0 };

	report_values(r->own.rec, r->rows, &rows);
	report_values(r->own.rec, r->columns, &columns);
	fputs("reset\n$cells << EOD\n", f);
	for (size_t v = 0; v < r->own.rec->nr_variants; v++) {
		double value = heat(report_cell(&r->own, metric, v), ratios);

		if (r->own.rec->variants[v].nr_variables && !isnan(value))
			put_field(r, &rows, &columns, v, value, f);
	}
	fputs("EOD\n", f);
	free(rows.v);
	free(columns.v);
}

/* Boxes: "with image" wants a figure for each field. */
#define FIELDS	"plot $cells using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3" \
		":xtic(4):ytic(5) with boxxyerror fillstyle solid 1 noborder fillcolor palette, "

static void put_matrix(const struct report *r, size_t metric, const char *prefix, FILE *f)
{
	bool ratios = has_ratios(r, metric);

	put_fields(r, metric, ratios, f);
	put_title(r, metric, "cblabel", ratios ? "median, % to the baseline" : "median", f);
	fputs("set xlabel ", f);
	put_quoted(r->columns, '\'', f);
	fputs("\nset ylabel ", f);
	put_quoted(r->rows, '\'', f);
	/* Ranges limit what "stats" looks at, so they come last. */
	fputs("\nunset key\nset size ratio -1\nset tics scale 0\n"
	      "stats $cells using 1 nooutput name 'X'\n"
	      "stats $cells using 2 nooutput name 'Y'\n"
	      "stats $cells using 3 nooutput name 'Z'\n"
	      "set xrange [-0.5:X_max + 0.5]\n"
	      "set yrange [Y_max + 0.5:-0.5]\n", f);
	if (ratios)
		fputs("larger(a, b) = a > b ? a : b\n"
		      "limit = larger(larger(abs(Z_min), abs(Z_max)), 1)\n"
		      "set cbrange [-limit:limit]\n", f);
	if (ratios && r->own.rec->metrics[metric].better == REPORT_LOWER)
		fputs("set palette defined (-1 '#4f81bd', 0 '#ffffff', 1 '#c0504d')\n", f);
	else if (ratios)
		fputs("set palette defined (-1 '#c0504d', 0 '#ffffff', 1 '#4f81bd')\n", f);
	else
		fputs("set palette defined (0 '#ffffff', 1 '#4f81bd')\n", f);
	put_twice(prefix, r->own.rec->metrics[metric].name, "-matrix", 640, 560, ratios ?
		  FIELDS "$cells using 1:2:(sprintf('%+.1f %%', $3)) with labels" :
		  FIELDS "$cells using 1:2:(sprintf('%.6g', $3)) with labels", f);
}

static bool any_figure(const struct report *r, size_t metric)
{
	for (size_t v = 0; v < r->own.rec->nr_variants; v++)
		if (report_cell(&r->own, metric, v)->sum.n)
			return true;
	return false;
}

static void put_script(const struct report *r, const char *prefix, FILE *f)
{
	for (size_t m = 0; m < r->own.rec->nr_metrics; m++) {
		if (!r->compared[m] || !any_figure(r, m))
			continue;
		put_bars(r, m, prefix, f);
		if (r->rows)
			put_matrix(r, m, prefix, f);
	}
}

/* Both ends are closed on exec; the child gets one as standard input. */
static int start(pid_t *pid, FILE **f)
{
	static char * const argv[] = { "gnuplot", "-", NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	if (rc) {
		close(ends[1]);
		return rc;
	}
	*f = fdopen(ends[1], "w");
	return *f ? 0 : errno;
}

int report_plot(const struct report *r, const char *prefix)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	int rc, status = 0;
	bool written;
	pid_t pid;
	FILE *f;

	if (r->emulated) {
		fputs("numaio report: --plot: emulated: no picture of meaningless figures\n", stderr);
		return EXIT_SKIPPED;
	}
	rc = start(&pid, &f);
	if (rc) {
		fprintf(stderr, "numaio report: --plot: gnuplot: %s\n", strerror(rc));
		return rc == ENOENT ? EXIT_SKIPPED : EXIT_FAILED;
	}
	put_script(r, prefix, f);
	written = !ferror(f);
	written &= !fclose(f);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	signal(SIGPIPE, old);
	if (written && !status)
		return EXIT_OK;
	fprintf(stderr, "numaio report: --plot %s: gnuplot failed\n", prefix);
	return EXIT_FAILED;
}
