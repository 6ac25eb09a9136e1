// SPDX-License-Identifier: GPL-2.0-only
/*
 * numasim-report - what a record of the numasim plugin says, with names.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

#ifndef DATADIR
#define DATADIR "/usr/share/numasim"
#endif

static struct {
	const char *record;
	const char *kallsyms;
	const char *system_map;
	const char *stack;
	const char *more_stack;
	const char *info[64];
	unsigned int nr_info;
	uint64_t ios;
	unsigned int window;
	unsigned int top;
	bool json;
	char *arg[3];
	unsigned int nr_args;
} opt = {
	.window = 1,
	.top = 20,
};

static double per_io(const struct report *r, uint64_t n)
{
	return (double)n / r->ios;
}

static void print_head(const struct report *r)
{
	const char *unit = json_string_value(json_object_get(r->options, "unit"));
	json_int_t cache = json_integer_value(json_object_get(r->options, "cache_kib"));

	printf("Modelled: topology %s, %u nodes, %u CPUs; caches per %s, ", r->topology,
	       r->nr_nodes, r->nr_cpus, unit ? unit : "node");
	if (cache)
		printf("%" JSON_INTEGER_FORMAT " KiB each", cache);
	else
		printf("unlimited");
	printf("; %" PRIu64 " I/Os. Figures are per I/O.\n\n", r->ios);
}

static void print_counts(const struct report *r, const char *name,
			 const struct counts *c)
{
	printf("%9.4f %9.4f %9.4f %9.4f %9.1f %8.1f %8.1f  %s\n",
	       per_io(r, remote(c)), per_io(r, c->rloads), per_io(r, c->rstores),
	       per_io(r, c->memory), per_io(r, c->insns), per_io(r, c->loads),
	       per_io(r, c->stores), name);
}

static void print_columns(const char *last)
{
	printf("%9s %9s %9s %9s %9s %8s %8s  %s\n", "remote", "by load", "by store",
	       "far mem", "instr", "loads", "stores", last);
}

static int cmd_show(const struct report *r)
{
	unsigned int shown = 0, pass;
	size_t i;

	print_head(r);
	print_columns("");
	print_counts(r, "storage stack", &r->stack);
	print_counts(r, "everything", &r->all);
	for (pass = 0; pass < 2; pass++) {
		printf("\n");
		print_columns(pass ? "other functions" : "functions of the storage stack");
		for (i = 0, shown = 0; i < r->nr_funcs && shown < opt.top; i++) {
			if (r->func[i].stack == !!pass || !remote(&r->func[i].c))
				continue;
			print_counts(r, r->func[i].name, &r->func[i].c);
			shown++;
		}
	}
	return 0;
}

static int cmd_sites(const struct report *r)
{
	size_t i;

	print_head(r);
	printf("%9s %9s %9s %9s %9s  %s\n", "remote", "by load", "by store", "loads",
	       "stores", "call site");
	for (i = 0; i < r->nr_sites && i < opt.top && remote(&r->site[i].c); i++) {
		const struct site *s = &r->site[i];

		printf("%9.4f %9.4f %9.4f %9.4f %9.4f  %s+%#" PRIx64 "%s\n",
		       per_io(r, remote(&s->c)), per_io(r, s->c.rloads),
		       per_io(r, s->c.rstores), per_io(r, s->c.loads),
		       per_io(r, s->c.stores), s->name, s->offset,
		       s->stack ? "" : "  (not in the stack)");
	}
	return 0;
}

static void print_nodes(uint64_t mask)
{
	const char *sep = "";
	unsigned int n;

	for (n = 0; n < 64; n++) {
		if (mask >> n & 1) {
			printf("%s%u", sep, n);
			sep = ",";
		}
	}
}

static int cmd_lines(const struct report *r)
{
	size_t i, j;

	print_head(r);
	printf("%" PRIu64 " lines crossed nodes at least once; home: node of the memory; by: nodes that fetched it.\n\n",
	       r->lines_total);
	for (i = 0; i < r->nr_lines && i < opt.top; i++) {
		const struct line *ln = &r->line[i];

		printf("%9.4f  %#018" PRIx64 "  home %u  by ",
		       per_io(r, ln->rloads + ln->rstores), ln->vaddr, ln->home);
		print_nodes(ln->nodes);
		printf("  %s\n", *ln->object ? ln->object : "(object unknown)");
		for (j = 0; j < ln->nr_users && j < 8; j++)
			printf("           %9.4f by load %9.4f by store  %s+%#" PRIx64 "\n",
			       per_io(r, ln->user[j].rloads),
			       per_io(r, ln->user[j].rstores), ln->user[j].name,
			       ln->user[j].offset);
	}
	return 0;
}

/* -- compare -------------------------------------------------------------- */

static const struct function *function_of(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_funcs; i++)
		if (!strcmp(r->func[i].name, name))
			return &r->func[i];
	return NULL;
}

struct difference {
	const char *name;
	double a, b;
};

static int by_difference(const void *x, const void *y)
{
	const struct difference *a = x, *b = y;
	double da = fabs(a->b - a->a), db = fabs(b->b - b->a);

	if (da != db)
		return da < db ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void print_pair(double a, double b, const char *name)
{
	printf("%10.4f %10.4f %+10.4f ", a, b, b - a);
	if (a > 0)
		printf("%8.3f", b / a);
	else
		printf("%8s", "-");
	printf("  %s\n", name);
}

static json_t *pair_to_json(double a, double b)
{
	return json_pack("{s:f,s:f,s:o}", "a", a, "b", b, "ratio",
			 a > 0 ? json_real(b / a) : json_null());
}

static int cmd_compare(const char *path_a, const char *path_b)
{
	struct report *a = report_from_json(path_a), *b = report_from_json(path_b);
	struct difference *d;
	size_t nr = 0, i;

	if (!a || !b)
		return 1;
	d = calloc(a->nr_funcs + b->nr_funcs, sizeof(*d));
	if (!d)
		return 1;
	for (i = 0; i < a->nr_funcs; i++) {
		const struct function *f = &a->func[i], *g = function_of(b, f->name);

		if (f->stack)
			d[nr++] = (struct difference) { f->name, per_io(a, remote(&f->c)),
				g ? per_io(b, remote(&g->c)) : 0 };
	}
	for (i = 0; i < b->nr_funcs; i++)
		if (b->func[i].stack && !function_of(a, b->func[i].name))
			d[nr++] = (struct difference) { b->func[i].name, 0,
				per_io(b, remote(&b->func[i].c)) };
	qsort(d, nr, sizeof(*d), by_difference);
	if (opt.json) {
		json_t *funcs = json_object(), *o;

		for (i = 0; i < nr; i++)
			json_object_set_new(funcs, d[i].name,
					    pair_to_json(d[i].a, d[i].b));
		o = json_pack("{s:s,s:i,s:o,s:o,s:o}", "schema", "numasim-compare",
			"version", 1, "remote_per_io",
			pair_to_json(per_io(a, remote(&a->stack)),
				     per_io(b, remote(&b->stack))),
			"instructions_per_io",
			pair_to_json(per_io(a, a->stack.insns), per_io(b, b->stack.insns)),
			"functions", funcs);
		json_dumpf(o, stdout, JSON_INDENT(1) | JSON_SORT_KEYS);
		putchar('\n');
		return 0;
	}
	printf("Modelled, storage stack, per I/O. a: %s, b: %s\n\n", path_a, path_b);
	printf("%10s %10s %10s %8s\n", "a", "b", "b - a", "b / a");
	print_pair(per_io(a, remote(&a->stack)), per_io(b, remote(&b->stack)),
		   "remote transfers");
	print_pair(per_io(a, a->stack.insns), per_io(b, b->stack.insns), "instructions");
	print_pair(per_io(a, a->stack.loads), per_io(b, b->stack.loads), "loads");
	print_pair(per_io(a, a->stack.stores), per_io(b, b->stack.stores), "stores");
	printf("\nremote transfers by function, largest difference first\n");
	for (i = 0; i < nr && i < opt.top; i++)
		if (d[i].a > 0 || d[i].b > 0)
			print_pair(d[i].a, d[i].b, d[i].name);
	return 0;
}

/* -- options -------------------------------------------------------------- */

static uint64_t number(struct argp_state *st, const char *name, const char *text,
		       uint64_t min, uint64_t max)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		argp_error(st, "%s %s: give a number from %" PRIu64 " to %" PRIu64,
			   name, text, min, max);
	return v;
}

static const struct argp_option options[] = {
	{ "kallsyms", 'k', "FILE", 0, "the guest's /proc/kallsyms (default: DIR/kallsyms)", 0 },
	{ "system-map", 'm', "FILE", 0, "System.map of the kernel: must be the one that ran", 0 },
	{ "stack", 's', "FILE", 0, "what counts as storage stack (default: " DATADIR "/stack.conf)", 0 },
	{ "more-stack", 'S', "FILE", 0, "further rules for this workload", 0 },
	{ "ios", 'n', "N", 0, "number of I/Os (default: from DIR/ioload)", 0 },
	{ "window", 'w', "N", 0, "which window of DIR (1)", 0 },
	{ "top", 't', "N", 0, "rows of each table (20)", 0 },
	{ "output", 'o', "FORMAT", 0, "table or json (table)", 0 },
	{ "info", 'i', "NAME=VALUE", 0, "kept in the JSON: hashes, names", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	switch (key) {
	case 'k':
		opt.kallsyms = arg;
		break;
	case 'm':
		opt.system_map = arg;
		break;
	case 's':
		opt.stack = arg;
		break;
	case 'S':
		opt.more_stack = arg;
		break;
	case 'n':
		opt.ios = number(st, "ios", arg, 1, UINT64_MAX);
		break;
	case 'w':
		opt.window = number(st, "window", arg, 1, 1000000);
		break;
	case 't':
		opt.top = number(st, "top", arg, 1, 1000000);
		break;
	case 'o':
		if (strcmp(arg, "table") && strcmp(arg, "json"))
			argp_error(st, "output %s: give table or json", arg);
		opt.json = !strcmp(arg, "json");
		break;
	case 'i':
		if (!strchr(arg, '='))
			argp_error(st, "info %s: give NAME=VALUE", arg);
		if (opt.nr_info == 64)
			argp_error(st, "more than 64 times --info");
		opt.info[opt.nr_info++] = arg;
		break;
	case ARGP_KEY_ARG:
		if (opt.nr_args == 3)
			argp_error(st, "one argument too many: %s", arg);
		opt.arg[opt.nr_args++] = arg;
		break;
	case ARGP_KEY_END:
		if (opt.nr_args < 2)
			argp_usage(st);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static struct report *load(const char *dir)
{
	char record[PATH_MAX], kallsyms[PATH_MAX], ioload[PATH_MAX], info[PATH_MAX];
	struct report_files files = {
		.record = record,
		.kallsyms = opt.kallsyms ? opt.kallsyms : kallsyms,
		.system_map = opt.system_map,
		.stack = opt.stack ? opt.stack : DATADIR "/stack.conf",
		.more_stack = opt.more_stack,
		.load = ioload,
		.lineinfo = info,
	};
	struct report *r;
	unsigned int i;

	snprintf(record, sizeof(record), "%s/window-%u.rec", dir, opt.window);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	snprintf(ioload, sizeof(ioload), "%s/ioload", dir);
	snprintf(info, sizeof(info), "%s/lineinfo", dir);
	r = report_load(&files, opt.ios);
	for (i = 0; r && i < opt.nr_info; i++) {
		char *name = strdup(opt.info[i]), *val = strchr(name, '=');

		*val++ = '\0';
		json_object_set_new(r->info, name, json_string(val));
		free(name);
	}
	return r;
}

static const struct {
	const char *name;
	int (*fn)(const struct report *r);
} commands[] = {
	{ "show", cmd_show },
	{ "sites", cmd_sites },
	{ "lines", cmd_lines },
};

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse,
		"show DIR\nsites DIR\nlines DIR\ncompare A.json B.json",
		"Reports what the numasim plugin recorded in DIR: remote line transfers "
		"by function, by call site, by line; or compares two reports that were "
		"written with --output=json.", NULL, NULL, NULL };
	struct report *r;
	size_t i;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (!strcmp(opt.arg[0], "compare")) {
		if (opt.nr_args != 3) {
			fprintf(stderr, "compare: give two JSON reports\n");
			return 2;
		}
		return cmd_compare(opt.arg[1], opt.arg[2]);
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(opt.arg[0], commands[i].name))
			break;
	if (i == sizeof(commands) / sizeof(commands[0]) || opt.nr_args != 2) {
		fprintf(stderr, "%s: give show, sites or lines and one directory, or compare and two reports\n",
			opt.arg[0]);
		return 2;
	}
	r = load(opt.arg[1]);
	if (!r)
		return 1;
	if (opt.json) {
		json_t *o = report_to_json(r, opt.top);

		if (!o || json_dumpf(o, stdout, JSON_INDENT(1)))
			return 1;
		putchar('\n');
		return 0;
	}
	return commands[i].fn(r);
}
