// SPDX-License-Identifier: GPL-2.0-only
/*
 * kunit TOPOLOGY...: run lib/tests/sbitmap_kunit.c on each of these hosts. As in the
 * kernel, a case is one result; its parameters are subtests.
 */
#include <stdlib.h>
#include <kunit/test.h>

#include "shim.h"
#include "../selftests/numaio/ktap.h"

#define MAX_NOTES	20

static unsigned int notes;

void kunit_unmet(struct kunit *test, const char *file, int line, const char *what,
		 long long left, long long right)
{
	test->failed = true;
	if (notes++ < MAX_NOTES)
		ktap_note("%s:%d: expected %s, but %lld and %lld", file, line, what,
			  left, right);
}

void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, gfp_t flags)
{
	void *p = test->nr_mem < ARRAY_SIZE(test->mem) ? calloc(n, size) : NULL;

	if (p)
		test->mem[test->nr_mem++] = p;
	return p;
}

/* What a case that was left early or failed did not free is no finding. */
static void run_one(struct kunit_case *c, struct kunit *test)
{
	unsigned int warnings = shim_warnings();
	volatile bool returned = false;
	long live = shim_live();

	test->failed = false;
	test->skipped = NULL;
	if (!setjmp(test->leave)) {
		c->run_case(test);
		returned = true;
	}
	while (test->nr_mem)
		free(test->mem[--test->nr_mem]);
	if (shim_warnings() != warnings)
		kunit_unmet(test, c->name, 0, "no warnings", shim_warnings(), warnings);
	if ((returned || test->skipped) && shim_live() != live)
		kunit_unmet(test, c->name, 0, "all memory freed", shim_live(), live);
}

static bool run_params(struct kunit_case *c, struct kunit *test, unsigned int *ran)
{
	char desc[KUNIT_PARAM_DESC_SIZE];
	const void *param = NULL;
	bool failed = false;

	while ((param = c->generate_params(param, desc))) {
		test->param_value = param;
		run_one(c, test);
		if (test->failed)
			ktap_note("%s failed with %s", c->name, desc);
		failed |= test->failed;
		*ran += !test->skipped;
	}
	return failed;
}

static void run_case(struct kunit_case *c, const char *topology)
{
	struct kunit test = { };
	unsigned int ran = 0;
	char name[128];
	bool failed;

	snprintf(name, sizeof(name), "%s, host %s", c->name, topology);
	if (c->generate_params) {
		failed = run_params(c, &test, &ran);
		ktap_result(!failed && ran, "%s, %u parameters", name, ran);
		return;
	}
	run_one(c, &test);
	if (test.skipped && !test.failed)
		ktap_skip(name, test.skipped);
	else
		ktap_result(!test.failed, "%s", name);
}

int main(int argc, char **argv)
{
	struct kunit_case *c;
	int i;

	for (c = shim_suite->test_cases; c->run_case; c++)
		;
	ktap_start((argc - 1) * (c - shim_suite->test_cases));
	for (i = 1; i < argc; i++) {
		shim_init(argv[i]);
		shim_seed(i);
		shim_run_on(0, false);
		if (shim_suite->suite_init(shim_suite))
			return 1;
		for (c = shim_suite->test_cases; c->run_case; c++)
			run_case(c, argv[i]);
		shim_leave();
	}
	return ktap_exit();
}
