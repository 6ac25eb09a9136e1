// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures, by gnuplot as a child: one bar for each arm of each workload,
 * stacked by function (mean of the runs), a whisker from the lowest to the
 * highest run, a mark at the median.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench.h"

#define MAX_PARTS	8	/* functions that get a colour; the rest is "other" */

struct part {
	const char *name;
	double sum;
};

static int by_sum(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The functions where most crosses, in workloads @from up to @to. */
static unsigned int choose_parts(const struct bench *b, unsigned int from,
				 unsigned int to, struct part *out)
{
	struct part *all = NULL;
	size_t nr = 0, i, j;
	unsigned int k;

	for (k = from * b->nr_arms; k < to * b->nr_arms; k++) {
		const struct result *r = &b->result[k];

		for (i = 0; i < r->nr_funcs; i++) {
			for (j = 0; j < nr && strcmp(all[j].name, r->func[i].name); j++)
				;
			if (j == nr) {
				all = realloc(all, (nr + 1) * sizeof(*all));
				all[nr++] = (struct part) { r->func[i].name, 0 };
			}
			all[j].sum += r->func[i].s.mean;
		}
	}
	if (nr)
		qsort(all, nr, sizeof(*all), by_sum);
	if (nr > MAX_PARTS)
		nr = MAX_PARTS;
	if (nr)
		memcpy(out, all, nr * sizeof(*all));
	free(all);
	return nr;
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
static int write_data(const struct bench *b, unsigned int from, unsigned int to,
		      const struct part *part, unsigned int nr_parts, const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned int wl, a, i;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (wl = from; wl < to; wl++) {
		for (a = 0; a < b->nr_arms; a++) {
			const struct result *r = result_of(b, wl, a);
			double rest = r->remote_s.mean;

			fprintf(f, "\"%s%s%s\"", to - from > 1 ? r->workload->name : "",
				to - from > 1 ? ", " : "", r->arm->name);
			for (i = 0; i < nr_parts; i++) {
				double v = part_of(r, part[i].name);

				fprintf(f, " %g", v);
				rest -= v;
			}
			fprintf(f, " %g %g %g %g\n", rest > 0 ? rest : 0,
				r->remote_s.median, r->remote_s.min, r->remote_s.max);
		}
	}
	return fclose(f);
}

static void plot(FILE *g, const char *term, const char *out, const char *data,
		 const struct part *part, unsigned int nr_parts)
{
	unsigned int i;

	fprintf(g, "set terminal %s\nset output '%s'\nplot ", term, out);
	for (i = 0; i < nr_parts; i++)
		fprintf(g, "'%s' using %u%s title '%s' noenhanced, ", data, i + 2,
			i ? "" : ":xtic(1)", part[i].name);
	fprintf(g, "'%s' using %u%s title 'other' lc rgb '#bbbbbb', ", data, nr_parts + 2,
		nr_parts ? "" : ":xtic(1)");
	fprintf(g, "'%s' using 0:%u:%u:%u with yerrorbars title 'median, lowest..highest run' lc rgb 'black' pt 7 ps 0.6\n",
		data, nr_parts + 3, nr_parts + 4, nr_parts + 5);
}

static int draw_range(const struct bench *b, unsigned int from, unsigned int to,
		      const char *name, const char *title)
{
	struct part part[MAX_PARTS];
	unsigned int nr = choose_parts(b, from, to, part);
	char *base, *data, *png, *svg;
	char term[128];
	int status, width;
	FILE *g;

	if (asprintf(&base, "%s/%s", b->out, name) < 0 ||
	    asprintf(&data, "%s.dat", base) < 0 || asprintf(&png, "%s.png", base) < 0 ||
	    asprintf(&svg, "%s.svg", base) < 0)
		return -1;
	if (write_data(b, from, to, part, nr, data))
		return -1;
	g = popen("gnuplot", "we");
	if (!g)
		return -1;
	width = 500 + 70 * (to - from) * b->nr_arms;
	fprintf(g, "set title \"%s\\n%s\" noenhanced\n", title,
		"modelled lines crossing nodes per I/O, storage stack (lower bound)");
	fprintf(g, "set style data histograms\nset style histogram rowstacked\n"
		"set style fill solid 0.85 border -1\nset boxwidth 0.6\n"
		"set key outside right top noenhanced\nset grid ytics\n"
		"set yrange [0:*]\nset xtics rotate by -35 noenhanced\n"
		"set ylabel 'lines per I/O'\n");
	snprintf(term, sizeof(term), "pngcairo size %d,520 font 'Sans,10' background 'white'", width);
	plot(g, term, png, data, part, nr);
	snprintf(term, sizeof(term), "svg size %d,520 font 'Sans,10' background 'white'", width);
	plot(g, term, svg, data, part, nr);
	status = pclose(g);
	if (status)
		fprintf(stderr, "gnuplot: exit %d, no picture %s\n", WEXITSTATUS(status), png);
	return status ? -1 : 0;
}

int draw(const struct bench *b)
{
	unsigned int wl;
	int ret = draw_range(b, 0, b->nr_workloads, "overview", "All workloads");

	for (wl = 0; wl < b->nr_workloads && !ret; wl++)
		ret = draw_range(b, wl, wl + 1, b->workload[wl].name,
				 b->workload[wl].title);
	return ret;
}
