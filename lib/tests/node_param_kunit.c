// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of NUMA nodes that the user chooses
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/node_param.h>
#include <linux/numa.h>

/* The nodes 0, 2 and 5 may be chosen. */
static const struct {
	const char *val;
	int node;
} cases[] = {
	{ "0", 0 },
	{ "2", 2 },
	{ "5\n", 5 },
	{ "0x5", 5 },
	{ "-1", NUMA_NO_NODE },
	{ "-1\n", NUMA_NO_NODE },
	{ "1", -EINVAL },
	{ "6", -EINVAL },
	{ "-2", -EINVAL },
	{ "-2147483648", -EINVAL },
	{ "1023", -EINVAL },
	{ "1024", -EINVAL },
	{ "2147483647", -EINVAL },
	{ "4294967295", -EINVAL },
	{ "4294967296", -EINVAL },
	{ "18446744073709551615", -EINVAL },
	{ "", -EINVAL },
	{ "\n", -EINVAL },
	{ " ", -EINVAL },
	{ "-", -EINVAL },
	{ "2 ", -EINVAL },
	{ "2,5", -EINVAL },
	{ "2x", -EINVAL },
	{ "two", -EINVAL },
};

static void test_parse(struct kunit *test)
{
	nodemask_t valid = nodemask_of_node(0);
	int i;

	if (MAX_NUMNODES > 5) {
		node_set(2, valid);
		node_set(5, valid);
	}

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int expected = cases[i].node, node = 77, ret;

		if (expected >= MAX_NUMNODES || (expected > 0 && MAX_NUMNODES <= 5))
			expected = -EINVAL;
		ret = node_param_parse(cases[i].val, &valid, &node);
		KUNIT_EXPECT_EQ_MSG(test, ret, expected == -EINVAL ? -EINVAL : 0,
				    "'%s'", cases[i].val);
		KUNIT_EXPECT_EQ_MSG(test, node, ret ? 77 : expected,
				    "'%s'", cases[i].val);
	}
}

/* A node that no machine has, and one that this has. */
static void test_store(struct kunit *test)
{
	int node = 77, first = first_node(node_states[N_MEMORY]);
	char val[16];

	snprintf(val, sizeof(val), "%d\n", MAX_NUMNODES);
	KUNIT_EXPECT_EQ(test, node_param_store("test", val, &node), -EINVAL);
	KUNIT_EXPECT_EQ(test, node, 77);
	snprintf(val, sizeof(val), "%d\n", first);
	KUNIT_EXPECT_EQ(test, node_param_store("test", val, &node), 0);
	KUNIT_EXPECT_EQ(test, node, first);
}

/* With the kernel running, a parameter refuses what it can't have. */
static void test_running(struct kunit *test)
{
	int node = 77;
	const struct kernel_param kp = {
		.name = "test",
		.arg = &node,
	};

	KUNIT_EXPECT_EQ(test, node_param_ops.set("-2", &kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, node, 77);
	KUNIT_EXPECT_EQ(test, node_param_ops.set("-1", &kp), 0);
	KUNIT_EXPECT_EQ(test, node, NUMA_NO_NODE);
}

static struct kunit_case node_param_cases[] = {
	KUNIT_CASE(test_parse),
	KUNIT_CASE(test_store),
	KUNIT_CASE(test_running),
	{}
};

static struct kunit_suite node_param_suite = {
	.name = "node_param",
	.test_cases = node_param_cases,
};

kunit_test_suite(node_param_suite);

MODULE_DESCRIPTION("KUnit tests of NUMA nodes that the user chooses");
MODULE_LICENSE("GPL");
