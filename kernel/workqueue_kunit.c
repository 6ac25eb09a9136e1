// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of ordered workqueues whose pool changes
 *
 * A write to the mask of CPUs for unbound workqueues gives every ordered
 * workqueue another pool, for what is queued from then on. What is queued
 * already stays where it is and executes first.
 */
#include <kunit/test.h>

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#define PATIENCE	(60 * HZ)	/* for what has to happen */
#define A_WHILE		(HZ / 4)	/* for what must not happen */

/**
 * struct item - A work item that executes until it is released.
 * @dwork: The item; in most tests without delay.
 * @wq: Ordered workqueue.
 * @started: Completed when an instance starts to execute.
 * @release: Completed to let an instance end.
 * @running: Number of instances that are executing.
 * @runs: Number of instances that started.
 */
struct item {
	struct delayed_work dwork;
	struct workqueue_struct *wq;
	struct completion started, release;
	atomic_t running, runs;
};

/**
 * struct call - A function that shall wait for the running instance of an item.
 * @name: Name of the test case.
 * @fn: Calls it; executed by a kthread.
 * @runs: How often the item must have been executed in the end.
 */
struct call {
	const char *name;
	void (*fn)(struct item *it);
	int runs;
};

/**
 * struct caller - A kthread that makes a call.
 * @call: Call.
 * @it: Item.
 * @done: Completed when the call returns.
 */
struct caller {
	const struct call *call;
	struct item *it;
	struct completion done;
};

static void item_fn(struct work_struct *work)
{
	struct item *it = container_of(work, struct item, dwork.work);

	atomic_inc(&it->running);
	atomic_inc(&it->runs);
	complete(&it->started);
	wait_for_completion(&it->release);
	atomic_dec(&it->running);
}

static bool queue_item(struct item *it)
{
	return queue_delayed_work(it->wq, &it->dwork, 0);
}

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

static int call_fn(void *data)
{
	struct caller *c = data;

	c->call->fn(c->it);
	complete(&c->done);
	return 0;
}

/* The call must return when the running instance has ended, and not before. */
static void must_wait(struct kunit *test, struct item *it,
		      const struct call *call)
{
	struct caller c = { .call = call, .it = it };
	struct task_struct *task;
	bool early;

	init_completion(&c.done);
	task = kthread_run(call_fn, &c, "workqueue_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));

	early = wait_for_completion_timeout(&c.done, A_WHILE);
	KUNIT_EXPECT_FALSE_MSG(test, early, "%s returned while the item was running",
			       call->name);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&it->running));
	complete_all(&it->release);
	if (early)
		return;

	/* It refers to this stack: there is no way out without it. */
	wait_for_completion(&c.done);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&it->running));
	KUNIT_EXPECT_EQ(test, call->runs, atomic_read(&it->runs));
}

static void do_cancel_work_sync(struct item *it)
{
	cancel_work_sync(&it->dwork.work);
}

static void do_disable_work_sync(struct item *it)
{
	disable_work_sync(&it->dwork.work);
}

static void do_cancel_delayed_work_sync(struct item *it)
{
	cancel_delayed_work_sync(&it->dwork);
}

static void do_disable_delayed_work_sync(struct item *it)
{
	disable_delayed_work_sync(&it->dwork);
}

static void do_cancel_and_flush(struct item *it)
{
	cancel_work(&it->dwork.work);
	flush_work(&it->dwork.work);
}

static void do_cancel_delayed_and_flush(struct item *it)
{
	cancel_delayed_work(&it->dwork);
	flush_delayed_work(&it->dwork);
}

static void do_disable_and_flush(struct item *it)
{
	disable_work(&it->dwork.work);
	flush_work(&it->dwork.work);
}

static void do_cancel_twice(struct item *it)
{
	cancel_work(&it->dwork.work);
	cancel_work_sync(&it->dwork.work);
}

static void do_mod_and_cancel(struct item *it)
{
	mod_delayed_work(it->wq, &it->dwork, 1000 * HZ);
	cancel_delayed_work_sync(&it->dwork);
}

static void do_requeue_and_cancel(struct item *it)
{
	cancel_work(&it->dwork.work);
	queue_item(it);
	cancel_work_sync(&it->dwork.work);
}

static void do_flush_work(struct item *it)
{
	flush_work(&it->dwork.work);
}

static void do_flush_delayed_work(struct item *it)
{
	flush_delayed_work(&it->dwork);
}

static void do_flush_workqueue(struct item *it)
{
	flush_workqueue(it->wq);
}

static void do_drain_workqueue(struct item *it)
{
	drain_workqueue(it->wq);
}

static const struct call calls[] = {
	{ "cancel_work_sync", do_cancel_work_sync, 1 },
	{ "cancel_delayed_work_sync", do_cancel_delayed_work_sync, 1 },
	{ "disable_work_sync", do_disable_work_sync, 1 },
	{ "disable_delayed_work_sync", do_disable_delayed_work_sync, 1 },
	{ "cancel_work, flush_work", do_cancel_and_flush, 1 },
	{ "cancel_delayed_work, flush_delayed_work", do_cancel_delayed_and_flush, 1 },
	{ "disable_work, flush_work", do_disable_and_flush, 1 },
	{ "cancel_work, cancel_work_sync", do_cancel_twice, 1 },
	{ "mod_delayed_work, cancel_delayed_work_sync", do_mod_and_cancel, 1 },
	{ "cancel_work, queue, cancel_work_sync", do_requeue_and_cancel, 1 },
	{ "flush_work", do_flush_work, 2 },
	{ "flush_delayed_work", do_flush_delayed_work, 2 },
	{ "flush_workqueue", do_flush_workqueue, 2 },
	{ "drain_workqueue", do_drain_workqueue, 2 },
};
KUNIT_ARRAY_PARAM_DESC(calls, calls, name);

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

static int init(struct kunit *test)
{
	struct item *it;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs for two pools");

	it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);
	if (!it)
		return -ENOMEM;
	INIT_DELAYED_WORK(&it->dwork, item_fn);
	init_completion(&it->started);
	init_completion(&it->release);
	it->wq = alloc_ordered_workqueue("workqueue_kunit", 0);
	if (!it->wq)
		return -ENOMEM;
	test->priv = it;
	return 0;
}

static void exit(struct kunit *test)
{
	struct item *it = test->priv;

	if (!it)
		return;
	complete_all(&it->release);
	flush_workqueue(it->wq);
	destroy_workqueue(it->wq);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&it->running));
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
	.init = init,
	.exit = exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of ordered workqueues whose pool changes");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
