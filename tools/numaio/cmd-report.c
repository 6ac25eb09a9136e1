// SPDX-License-Identifier: GPL-2.0-only
/*
 * numaio report RESULT: compare the variants of an experiment.
 */
#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numaio.h"
#include "report.h"

static const struct printer {
	const char *name;
	bool (*print)(const struct report *r, FILE *f);
} printers[] = {
	{ "text",	report_print_text },
	{ "json",	report_print_json },
	{ "csv",	report_print_csv },
	{ "markdown",	report_print_markdown },
};

struct arguments {
	const char *result, *against, *plot;
	const struct printer *printer;
	struct report_options options;
};

enum { KEY_AGAINST = 256, KEY_BASELINE, KEY_METRIC, KEY_MIN_EFFECT, KEY_PLOT };

static const struct argp_option option_list[] = {
	{ "output", 'o', "FORM", 0, "text (the default), json, csv or markdown", 0 },
	{ "against", KEY_AGAINST, "BASE", 0,
	  "compare with the variants of the same name of another record", 0 },
	{ "baseline", KEY_BASELINE, "VARIANT", 0, "compare all variants with this one", 0 },
	{ "metric", KEY_METRIC, "NAME", 0,
	  "what to compare, instead of the primary metrics; can be repeated", 0 },
	{ "min-effect", KEY_MIN_EFFECT, "PERCENT", 0,
	  "the least difference that matters, 0 to 100 (3)", 0 },
	{ "plot", KEY_PLOT, "PREFIX", 0, "draw PREFIX-METRIC.png and .svg, too (gnuplot)", 0 },
	{ 0 }
};

static void set_printer(const char *name, struct arguments *a, struct argp_state *state)
{
	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++) {
		if (!strcmp(printers[i].name, name)) {
			a->printer = &printers[i];
			return;
		}
	}
	argp_error(state, "-o %s: the format must be text, json, csv or markdown", name);
}

static void set_min_effect(const char *text, struct arguments *a, struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		argp_error(state, "--min-effect %s: valid are 0 .. 100 (per cent)", text);
	a->options.min_effect = percent / 100;
}

static error_t add_metric(const char *name, struct arguments *a)
{
	struct report_strings *s = &a->options.metrics;

	s->v = realloc(s->v, (s->n + 1) * sizeof(*s->v));
	if (!s->v)
		return ENOMEM;
	s->v[s->n++] = name;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'o':
		set_printer(arg, a, state);
		return 0;
	case KEY_AGAINST:
		a->against = arg;
		return 0;
	case KEY_BASELINE:
		a->options.baseline = arg;
		return 0;
	case KEY_METRIC:
		return add_metric(arg, a);
	case KEY_MIN_EFFECT:
		set_min_effect(arg, a, state);
		return 0;
	case KEY_PLOT:
		a->plot = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (a->result)
			argp_error(state, "one RESULT, not also \"%s\"", arg);
		a->result = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which RESULT?");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "RESULT",
	.doc = "Compare the variants of an experiment that numaio run recorded in RESULT.\v"
	       "man numaio-report explains the figures.",
};

static struct report_record *read_record(const char *file)
{
	char *error;
	struct report_record *rec = report_record_read(file, &error);

	if (!rec) {
		fprintf(stderr, "numaio report: %s\n", error);
		free(error);
	}
	return rec;
}

static int print(const struct report *r, const struct arguments *a)
{
	if (a->printer->print(r, stdout) && !fflush(stdout))
		return a->plot ? report_plot(r, a->plot) : EXIT_OK;
	fprintf(stderr, "numaio report: standard output: %s\n", strerror(errno));
	return EXIT_FAILED;
}

static int report(const struct report_record *rec, const struct report_record *base,
		  const struct arguments *a)
{
	struct report *r;
	char *error;
	int rc;

	r = report_make(rec, base, &a->options, &error);
	if (!r) {
		fprintf(stderr, "numaio report: %s\n", error);
		free(error);
		return EXIT_USAGE;
	}
	rc = print(r, a);
	report_free(r);
	return rc;
}

int cmd_report(int argc, char **argv)
{
	struct arguments a = { .printer = printers, .options.min_effect = REPORT_MIN_EFFECT };
	struct report_record *rec, *base = NULL;
	int rc = EXIT_FAILED;

	/* Names as they are; numbers are the same everywhere. */
	setlocale(LC_CTYPE, "");
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "numaio report";
	if (argp_parse(&argp, argc, argv, 0, NULL, &a)) {
		free(a.options.metrics.v);
		return EXIT_USAGE;
	}
	rec = read_record(a.result);
	if (rec && a.against)
		base = read_record(a.against);
	if (rec && (base || !a.against))
		rc = report(rec, base, &a);
	report_record_free(rec);
	report_record_free(base);
	free(a.options.metrics.v);
	return rc;
}
