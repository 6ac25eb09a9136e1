// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of ordered workqueues whose pool changes
 *
 * A write to the mask of CPUs for unbound workqueues gives every ordered
 * workqueue another pool, for what is queued from then on. What is queued
 * already stays where it is and executes first.
 */
#include <linux/cpumask.h>

#include "workqueue_kunit.h"

/* Let all ordered workqueues use another pool from now on. */
static int leave_out(unsigned int cpu)
{
	cpumask_var_t mask;
	int ret;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	if (cpu < nr_cpu_ids)
		cpumask_set_cpu(cpu, mask);
	ret = workqueue_unbound_exclude_cpumask(mask);
	free_cpumask_var(mask);
	return ret;
}

/* The item is executing on one pool and queued on another. */
static void queue_on_two_pools(struct kunit *test, struct item *it)
{
	KUNIT_ASSERT_TRUE(test, queue_item(it));
	KUNIT_ASSERT_NE(test, 0, wait_for_completion_timeout(&it->started, PATIENCE));
	KUNIT_ASSERT_EQ(test, 0, leave_out(cpumask_last(cpu_online_mask)));
	KUNIT_ASSERT_TRUE(test, queue_item(it));
}

static void waits_for_older_pool(struct kunit *test)
{
	struct item *it = test->priv;

	queue_on_two_pools(test, it);
	must_wait(test, it, test->param_value);
}

static void busy_on_older_pool(struct kunit *test)
{
	struct item *it = test->priv;

	queue_on_two_pools(test, it);
	KUNIT_EXPECT_EQ(test, WORK_BUSY_PENDING | WORK_BUSY_RUNNING,
			work_busy(&it->dwork.work));
	KUNIT_EXPECT_TRUE(test, cancel_work(&it->dwork.work));
	KUNIT_EXPECT_EQ(test, WORK_BUSY_RUNNING, work_busy(&it->dwork.work));
}

/* The barrier of a flush is executed on the newer pool once its item is canceled. */
static void barrier_on_newer_pool(struct kunit *test)
{
	static const struct call flush = { .fn = do_flush_work };
	struct item *it = test->priv;
	struct caller c = { .call = &flush, .it = it };

	queue_on_two_pools(test, it);
	init_completion(&c.done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(call_fn, &c, "workqueue_kunit")));
	wait_for_completion_timeout(&c.done, A_WHILE);
	KUNIT_EXPECT_TRUE(test, cancel_work(&it->dwork.work));
	wait_for_completion(&c.done);

	KUNIT_EXPECT_TRUE(test, queue_item(it));
	must_wait(test, it, &calls[0]);
}

/* An item that was executed before, on another pool, is not waited for. */
static void idle_after_change(struct kunit *test)
{
	struct item *it = test->priv;

	complete_all(&it->release);
	KUNIT_ASSERT_TRUE(test, queue_item(it));
	flush_workqueue(it->wq);
	KUNIT_ASSERT_EQ(test, 0, leave_out(cpumask_last(cpu_online_mask)));
	KUNIT_EXPECT_EQ(test, 0, work_busy(&it->dwork.work));
	KUNIT_EXPECT_FALSE(test, cancel_work_sync(&it->dwork.work));
	KUNIT_EXPECT_TRUE(test, queue_item(it));
	flush_work(&it->dwork.work);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&it->runs));
}

static int prepare(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs for two pools");

	test->priv = new_item(test, alloc_ordered_workqueue("workqueue_kunit", 0));
	return test->priv ? 0 : -ENOMEM;
}

static void finish(struct kunit *test)
{
	if (!test->priv)
		return;
	free_item(test, test->priv);
	KUNIT_EXPECT_EQ(test, 0, leave_out(nr_cpu_ids));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(waits_for_older_pool, calls_gen_params),
	KUNIT_CASE(busy_on_older_pool),
	KUNIT_CASE(barrier_on_newer_pool),
	KUNIT_CASE(idle_after_change),
	{}
};

static struct kunit_suite suite = {
	.name = "workqueue",
	.init = prepare,
	.exit = finish,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of ordered workqueues whose pool changes");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
