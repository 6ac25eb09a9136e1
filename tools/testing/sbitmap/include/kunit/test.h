/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of KUnit as lib/tests/sbitmap_kunit.c wants. A failed assertion and a
 * skip leave the case by longjmp().
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE	128
#define KUNIT_SPEED_SLOW	1

/**
 * struct kunit - A case that runs, with one of its parameters.
 * @param_value: The parameter, NULL before the first one.
 * @failed: An expectation did not hold.
 * @skipped: Why it was skipped, NULL if not.
 * @leave: Where to go on.
 * @mem: What was allocated for the case.
 * @nr_mem: Number of these.
 */
struct kunit {
	const void *param_value;
	bool failed;
	const char *skipped;
	jmp_buf leave;
	void *mem[8];
	unsigned int nr_mem;
};

struct kunit_attributes {
	int speed;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
	struct kunit_attributes attr;
};

struct kunit_suite {
	const char *name;
	int (*suite_init)(struct kunit_suite *suite);
	struct kunit_case *test_cases;
};

extern struct kunit_suite *const shim_suite;

/* Freed after the case. */
void *kunit_kcalloc(struct kunit *test, size_t n, size_t size, gfp_t flags);
#define kunit_kzalloc(test, size, flags)	kunit_kcalloc(test, 1, size, flags)

void kunit_unmet(struct kunit *test, const char *file, int line, const char *what,
		 long long left, long long right);

#define KUNIT_CASE(fn)			{ fn, #fn, NULL, { } }
#define KUNIT_CASE_PARAM(fn, gen)	{ fn, #fn, gen, { } }
#define KUNIT_CASE_PARAM_ATTR(fn, gen, attr)	{ fn, #fn, gen, attr }
#define kunit_test_suite(suite)		struct kunit_suite *const shim_suite = &(suite)

#define KUNIT_ARRAY_PARAM(name, array, get_desc)				\
	static const void *name##_gen_params(const void *prev, char *desc)	\
	{									\
		typeof((array)[0]) *next = prev ? (typeof(next))prev + 1 : (array); \
										\
		if (next >= (array) + ARRAY_SIZE(array))			\
			return NULL;						\
		get_desc(next, desc);						\
		return next;							\
	}

#define kunit_skip(test, why)		\
do {					\
	(test)->skipped = (why);	\
	longjmp((test)->leave, 1);	\
} while (0)

#define kunit_compare(test, a, op, b, fatal)					\
do {										\
	typeof(a) kunit_a = (a);						\
	typeof(b) kunit_b = (b);						\
										\
	if (kunit_a op kunit_b)							\
		break;								\
	kunit_unmet(test, __FILE__, __LINE__, #a " " #op " " #b,		\
		    (long long)kunit_a, (long long)kunit_b);			\
	if (fatal)								\
		longjmp((test)->leave, 1);					\
} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)	kunit_compare(test, a, ==, b, false)
#define KUNIT_EXPECT_LE(test, a, b)	kunit_compare(test, a, <=, b, false)
#define KUNIT_EXPECT_LT(test, a, b)	kunit_compare(test, a, <, b, false)
#define KUNIT_EXPECT_GE(test, a, b)	kunit_compare(test, a, >=, b, false)
#define KUNIT_EXPECT_PTR_EQ		KUNIT_EXPECT_EQ
#define KUNIT_EXPECT_TRUE(test, a)	kunit_compare(test, !!(a), ==, true, false)
#define KUNIT_EXPECT_FALSE(test, a)	kunit_compare(test, !!(a), ==, false, false)
#define KUNIT_ASSERT_EQ(test, a, b)	kunit_compare(test, a, ==, b, true)
#define KUNIT_ASSERT_LE(test, a, b)	kunit_compare(test, a, <=, b, true)
#define KUNIT_ASSERT_LT(test, a, b)	kunit_compare(test, a, <, b, true)
#define KUNIT_ASSERT_GE(test, a, b)	kunit_compare(test, a, >=, b, true)
#define KUNIT_ASSERT_NOT_NULL(test, a)	kunit_compare(test, !(a), ==, false, true)
#define KUNIT_EXPECT_STREQ(test, a, b)	kunit_compare(test, strcmp(a, b), ==, 0, false)
#define KUNIT_ASSERT_TRUE(test, a)	kunit_compare(test, !!(a), ==, true, true)
#define KUNIT_ASSERT_FALSE(test, a)	kunit_compare(test, !!(a), ==, false, true)

#endif
