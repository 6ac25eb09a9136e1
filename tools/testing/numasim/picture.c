// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures, by gnuplot as a child.  One panel for each workload, one bar for
 * each arm: the mean of the runs, stacked by function; the whisker reaches from
 * the lowest to the highest run, the dot is the median and has its number.
 * "overview" has all panels, and each workload a picture of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench.h"

#define MAX_PARTS	6	/* functions of a panel; the rest is "other" */
#define COLUMNS		2
#define PANEL_WIDTH	620
#define PANEL_HEIGHT	360

/* A function has the same colour in all panels, as long as there are colours. */
static const char *const colour[] = {
	"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
	"#ee7733", "#009988", "#882255", "#999933", "#332288", "#88ccee",
	"#44aa99", "#ddcc77", "#cc6677", "#117733", "#6699cc", "#997700",
	"#bb5566", "#004488", "#ddaa33", "#994455", "#99ddff", "#aaaa00",
};

#define NR_COLOURS	(sizeof(colour) / sizeof(colour[0]))
#define OTHER_COLOUR	"#cccccc"

struct part {
	const char *name;
	double sum;
	const char *colour;
};

struct panel {
	const struct workload *workload;
	char *data;
	struct part part[MAX_PARTS];
	unsigned int nr_parts;
	double top;			/* of the highest whisker */
};

static const char *coloured[NR_COLOURS];
static unsigned int nr_coloured;

static const char *colour_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_coloured; i++)
		if (!strcmp(coloured[i], name))
			return colour[i];
	if (nr_coloured == NR_COLOURS)
		return "#888888";
	coloured[nr_coloured] = name;
	return colour[nr_coloured++];
}

static int by_sum(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The functions where most crosses in workload @wl, over all arms. */
static void choose_parts(const struct bench *b, unsigned int wl, struct panel *p)
{
	struct part *all = NULL;
	size_t nr = 0, i, j;
	unsigned int a;

	for (a = 0; a < b->nr_arms; a++) {
		const struct result *r = result_of(b, wl, a);

		for (i = 0; i < r->nr_funcs; i++) {
			for (j = 0; j < nr && strcmp(all[j].name, r->func[i].name); j++)
				;
			if (j == nr) {
				all = realloc(all, (nr + 1) * sizeof(*all));
				all[nr++] = (struct part) { .name = r->func[i].name };
			}
			all[j].sum += r->func[i].s.mean;
		}
		if (r->remote_s.max > p->top)
			p->top = r->remote_s.max;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_sum);
	for (i = 0; i < nr && i < MAX_PARTS; i++) {
		p->part[i] = all[i];
		p->part[i].colour = colour_of(all[i].name);
	}
	p->nr_parts = i;
	free(all);
}

static double part_of(const struct result *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_funcs; i++)
		if (!strcmp(r->func[i].name, name))
			return r->func[i].s.mean;
	return 0;
}

/* One row a bar: label, parts, other, median, min, max. */
static int write_data(const struct bench *b, unsigned int wl, const struct panel *p)
{
	FILE *f = fopen(p->data, "w");
	unsigned int a, i;

	if (!f) {
		fprintf(stderr, "%s: %s\n", p->data, strerror(errno));
		return -1;
	}
	for (a = 0; a < b->nr_arms; a++) {
		const struct result *r = result_of(b, wl, a);
		double rest = r->remote_s.mean;

		if (!r->runs)
			continue;
		fprintf(f, "\"%s\"", r->arm->name);
		for (i = 0; i < p->nr_parts; i++) {
			double v = part_of(r, p->part[i].name);

			fprintf(f, " %g", v);
			rest -= v;
		}
		fprintf(f, " %g %g %g %g\n", rest > 0 ? rest : 0, r->remote_s.median,
			r->remote_s.min, r->remote_s.max);
	}
	return fclose(f);
}

static void plot_panel(FILE *g, const struct panel *p)
{
	unsigned int n = p->nr_parts, i;

	fprintf(g, "set title \"%s\\n%s\" noenhanced\nset yrange [0:%g]\nplot ",
		p->workload->name, p->workload->title, p->top * 1.15);
	for (i = 0; i < n; i++)
		fprintf(g, "'%s' using %u%s title '%s' lc rgb '%s', ", p->data, i + 2,
			i ? "" : ":xtic(1)", p->part[i].name, p->part[i].colour);
	fprintf(g, "'%s' using %u title 'other' lc rgb '%s', ", p->data, n + 2, OTHER_COLOUR);
	fprintf(g, "'%s' using 0:%u:%u:%u with yerrorbars title 'median, lowest..highest run' lc rgb 'black' pt 7 ps 0.6, ",
		p->data, n + 3, n + 4, n + 5);
	fprintf(g, "'%s' using 0:%u:(sprintf('%%.4g', $%u)) with labels left offset 0.7,0.4 notitle\n",
		p->data, n + 3, n + 3);
}

static const char *const terminal[] = { "pngcairo", "svg" }, *const suffix[] = { "png", "svg" };

#define NR_TERMINALS	(sizeof(terminal) / sizeof(terminal[0]))

/* From here on @path, with the suffix of that terminal, is drawn. */
static void plot_to(FILE *g, unsigned int t, unsigned int rows, unsigned int columns,
		    const char *path)
{
	fprintf(g, "set terminal %s size %u,%u font 'Sans,9' background 'white'\n"
		"set output '%s.%s'\n", terminal[t], columns * PANEL_WIDTH, rows * PANEL_HEIGHT,
		path, suffix[t]);
}

static int plot_end(FILE *g, const char *name)
{
	int status = pclose(g);

	if (status)
		fprintf(stderr, "gnuplot: exit %d, no picture %s\n", WEXITSTATUS(status), name);
	return status ? -1 : 0;
}

static int draw_panels(const struct bench *b, const char *name, const struct panel *p,
		       unsigned int nr)
{
	unsigned int columns = nr > 1 ? COLUMNS : 1, rows = (nr + columns - 1) / columns;
	unsigned int t, i;
	FILE *g = popen("gnuplot", "we");
	char *path;

	if (!g || asprintf(&path, "%s/%s", b->out, name) < 0)
		return -1;
	fprintf(g, "set style data histograms\nset style histogram rowstacked\n"
		"set style fill solid 1.0 border rgb 'white'\nset boxwidth 0.5\n"
		"set key outside right top noenhanced samplen 1 width -4\n"
		"set grid ytics lc rgb '#dddddd'\nset xtics noenhanced\n"
		"set ylabel 'modelled lines crossing nodes, per I/O'\n");
	for (t = 0; t < NR_TERMINALS; t++) {
		plot_to(g, t, rows, columns, path);
		if (nr > 1)
			fprintf(g, "set multiplot layout %u,%u\n", rows, columns);
		for (i = 0; i < nr; i++)
			plot_panel(g, &p[i]);
		if (nr > 1)
			fprintf(g, "unset multiplot\n");
	}
	return plot_end(g, name);
}

/* What the variants' names begin with is the workload's, which has none itself. */
static const char *variant_label(const struct workload *w)
{
	const char *dash = strchr(w->name, '-');

	return dash ? dash + 1 : "default";
}

/* One row a variant: its name, and of each figure average, lowest, highest. */
static int write_boot(const struct bench *b, const char *path, unsigned int wl, unsigned int nr,
		      unsigned int arm)
{
	FILE *f = fopen(path, "w");
	unsigned int i, c;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (i = 0; i < nr; i++) {
		const struct result *r = result_of(b, wl + i, arm);

		if (!r->runs)
			continue;
		fprintf(f, "\"%s\" %g %g %g", variant_label(r->workload), r->remote_s.mean,
			r->remote_s.min, r->remote_s.max);
		fprintf(f, " %g %g %g", r->insns_s.mean, r->insns_s.min, r->insns_s.max);
		for (c = 0; c < r->nr_counts; c++)
			fprintf(f, " %g %g %g", r->count[c].s.mean, r->count[c].s.min,
				r->count[c].s.max);
		fputc('\n', f);
	}
	return fclose(f);
}

static void plot_figure(FILE *g, const char *data, unsigned int column, const char *what)
{
	fprintf(g, "set title \"%s per I/O, average and lowest..highest run\" noenhanced\n"
		"plot '%s' using 0:%u:(0.7):xtic(1) with boxes lc rgb '%s' notitle, "
		"'' using 0:%u:%u:%u with yerrorbars lc rgb 'black' pt 7 ps 0.5 notitle\n",
		what, data, column, colour[0], column, column + 1, column + 2);
}

/*
 * Variants that ran in the same boots: a panel for each figure, a bar for each variant; the
 * first one also as a picture of its own.
 */
static int draw_boot(const struct bench *b, unsigned int wl, unsigned int nr, unsigned int arm)
{
	const struct result *r = result_of(b, wl, arm);
	unsigned int rows = (r->nr_counts + 3) / COLUMNS, t, c;
	char *name, *lines, *data;
	FILE *g;

	if (!r->runs)
		return 0;
	if (asprintf(&name, "%s/%s-%s", b->out, r->workload->name, r->arm->name) < 0 ||
	    asprintf(&lines, "%s-lines", name) < 0 ||
	    asprintf(&data, "%s.dat", name) < 0 || write_boot(b, data, wl, nr, arm))
		return -1;
	g = popen("gnuplot", "we");
	if (!g)
		return -1;
	fprintf(g, "set style fill solid 1.0\nset yrange [0:*]\nset grid ytics lc rgb '#dddddd'\n"
		"set xtics rotate by -55 noenhanced\nset xrange [-0.6:%g]\n", nr - 0.4);
	for (t = 0; t < NR_TERMINALS; t++) {
		plot_to(g, t, rows, COLUMNS, name);
		fprintf(g, "set multiplot layout %u,%u\n", rows, COLUMNS);
		plot_figure(g, data, 2, "modelled lines crossing nodes");
		plot_figure(g, data, 5, "instructions of the storage stack");
		for (c = 0; c < r->nr_counts; c++)
			plot_figure(g, data, 8 + 3 * c, r->count[c].name);
		fprintf(g, "unset multiplot\n");
		plot_to(g, t, 1, 1, lines);
		plot_figure(g, data, 2, "modelled lines crossing nodes");
	}
	return plot_end(g, name);
}

int draw(const struct bench *b)
{
	struct panel *panel = calloc(b->nr_workloads, sizeof(*panel));
	unsigned int wl, nr = 0, i, of_boot;
	int ret = 0;

	for (wl = 0; panel && wl < b->nr_workloads; wl++) {
		struct panel *p = &panel[nr];

		of_boot = nr_of_boot(b, wl);
		if (of_boot > 1) {
			for (i = 0; i < b->nr_arms; i++)
				if (draw_boot(b, wl, of_boot, i))
					return -1;
			wl += of_boot - 1;
			continue;
		}

		p->workload = &b->workload[wl];
		choose_parts(b, wl, p);
		if (p->top <= 0)
			continue;	/* one node, or no result: nothing to draw */
		if (asprintf(&p->data, "%s/%s.dat", b->out, p->workload->name) < 0 ||
		    write_data(b, wl, p))
			return -1;
		nr++;
	}
	if (nr)
		ret = draw_panels(b, "overview", panel, nr);
	for (i = 0; i < nr && !ret; i++)
		ret = draw_panels(b, panel[i].workload->name, &panel[i], 1);
	free(panel);
	return ret;
}
