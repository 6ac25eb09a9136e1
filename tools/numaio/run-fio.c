// SPDX-License-Identifier: GPL-2.0-only
/*
 * Metrics out of fio's JSON: sums over jobs, means weighted by the jobs' I/Os. p99 is that of
 * the worst job: percentiles of several jobs can't be added.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const struct {
	const char *name, *unit, *better;
} described[] = {
	{ "iops", "1/s", "higher" },
	{ "bw", "B/s", "higher" },
	{ "clat_mean", "us", "lower" },
	{ "clat_p99", "us", "lower" },
	{ "fio_sys_cpu", "%", "lower" },
	{ "fio_ctx", "1", "lower" },
};

size_t run_fio_describe(struct run_metric **metrics)
{
	size_t n = sizeof(described) / sizeof(*described);

	*metrics = calloc(n, sizeof(**metrics));
	if (!*metrics)
		abort();
	for (size_t i = 0; i < n; i++) {
		(*metrics)[i].name = run_dup(described[i].name);
		(*metrics)[i].unit = run_dup(described[i].unit);
		(*metrics)[i].better = run_dup(described[i].better);
	}
	return n;
}

struct sums {
	double iops, bw, clat, ios, p99, sys, ctx;
	int jobs;
	json_int_t error;
};

static double number(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void add_direction(struct sums *s, json_t *d)
{
	json_t *clat = json_object_get(d, "clat_ns");
	double ios = number(d, "total_ios");
	double p99 = number(json_object_get(clat, "percentile"), "99.000000") / 1000;

	s->iops += number(d, "iops");
	s->bw += number(d, "bw_bytes");
	s->clat += ios * number(clat, "mean") / 1000;
	s->ios += ios;
	if (p99 > s->p99)
		s->p99 = p99;
}

static void add_job(struct sums *s, json_t *job)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));

	if (name && !strcmp(name, "All clients"))
		return;
	add_direction(s, json_object_get(job, "read"));
	add_direction(s, json_object_get(job, "write"));
	add_direction(s, json_object_get(job, "trim"));
	s->sys += number(job, "sys_cpu");
	s->ctx += number(job, "ctx");
	if (!s->error)
		s->error = json_integer_value(json_object_get(job, "error"));
	s->jobs++;
}

/* fio may say something before the JSON. */
static json_t *find_json(const char *out)
{
	const char *p = out;
	json_t *j = NULL;

	while (p && !j) {
		if (*p == '{')
			j = json_loads(p, JSON_DISABLE_EOF_CHECK, NULL);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	return j;
}

/* NULL, or why there are none. */
char *run_fio_metrics(const char *out, json_t *metrics)
{
	json_t *j = find_json(out), *jobs = json_object_get(j, "jobs"), *job;
	struct sums s = { 0 };
	char *error = NULL;
	size_t i;

	if (!jobs)
		jobs = json_object_get(j, "client_stats");
	json_array_foreach(jobs, i, job)
		add_job(&s, job);
	if (!j)
		error = run_dup("fio printed no JSON");
	else if (!s.jobs)
		error = run_dup("fio's JSON has no jobs");
	else if (s.error)
		error = run_format("a job of fio's ended with error %" JSON_INTEGER_FORMAT,
				   s.error);
	else if (s.ios <= 0)
		error = run_dup("fio did no I/O");
	json_decref(j);
	if (error)
		return error;
	json_object_set_new(metrics, "iops", json_real(s.iops));
	json_object_set_new(metrics, "bw", json_real(s.bw));
	json_object_set_new(metrics, "clat_mean", json_real(s.clat / s.ios));
	json_object_set_new(metrics, "clat_p99", json_real(s.p99));
	json_object_set_new(metrics, "fio_sys_cpu", json_real(s.sys / s.jobs));
	json_object_set_new(metrics, "fio_ctx", json_real(s.ctx));
	return NULL;
}
