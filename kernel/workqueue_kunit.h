/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What KUnit tests of ordered workqueues have in common: an item that is executed
 * until the test lets it end, and calls that have to wait for it.
 */
#ifndef _KERNEL_WORKQUEUE_KUNIT_H
#define _KERNEL_WORKQUEUE_KUNIT_H

#include <kunit/test.h>

#include <linux/atomic.h>
#include <linux/completion.h>
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

/* Make the item of a test. */
static struct item *new_item(struct kunit *test, struct workqueue_struct *wq)
{
	struct item *it = kunit_kzalloc(test, sizeof(*it), GFP_KERNEL);

	if (!it || !wq)
		return NULL;
	INIT_DELAYED_WORK(&it->dwork, item_fn);
	init_completion(&it->started);
	init_completion(&it->release);
	it->wq = wq;
	return it;
}

/* Let all instances end. */
static void free_item(struct kunit *test, struct item *it)
{
	complete_all(&it->release);
	flush_workqueue(it->wq);
	destroy_workqueue(it->wq);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&it->running));
}

#endif /* _KERNEL_WORKQUEUE_KUNIT_H */
