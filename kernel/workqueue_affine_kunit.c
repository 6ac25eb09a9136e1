// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of ordered workqueues with affinity
 *
 * Best run on a machine with several nodes: with one, items that are queued for
 * another node are queued for another CPU.
 */
#include <linux/cpumask.h>
#include <linux/freezer.h>
#include <linux/topology.h>

#include "workqueue_kunit.h"

#define NR_ITEMS	64

/**
 * struct note - A work item that notes when and where it is executed.
 * @work: The item.
 * @cpu: CPU that it is queued for.
 * @turn: How many items of the test were executed before it, -1: it wasn't.
 * @node: Node of the pool that executed it.
 * @turns: Counts them.
 */
struct note {
	struct work_struct work;
	int cpu, turn, node;
	atomic_t *turns;
};

static void note_fn(struct work_struct *work)
{
	struct note *n = container_of(work, struct note, work);

	n->turn = atomic_fetch_inc(n->turns);
	n->node = current_wq_pool_node();
}

/* A CPU, if possible of another node than that of the first one. */
static int other_cpu(void)
{
	int cpu, first = cpumask_first(cpu_online_mask);

	for_each_online_cpu(cpu) {
		if (cpu_to_node(cpu) != cpu_to_node(first))
			return cpu;
	}
	return cpumask_last(cpu_online_mask);
}

/* The item is executing, queued for the first CPU. */
static void execute_on_first(struct kunit *test, struct item *it)
{
	KUNIT_ASSERT_TRUE(test, queue_delayed_work_on(cpumask_first(cpu_online_mask),
						      it->wq, &it->dwork, 0));
	KUNIT_ASSERT_NE(test, 0, wait_for_completion_timeout(&it->started, PATIENCE));
}

/* The item is executing on one node and queued for another. */
static void queue_on_two_nodes(struct kunit *test, struct item *it)
{
	execute_on_first(test, it);
	KUNIT_ASSERT_TRUE(test, queue_delayed_work_on(other_cpu(), it->wq,
						      &it->dwork, 0));
}

static void waits_for_other_node(struct kunit *test)
{
	struct item *it = test->priv;

	queue_on_two_nodes(test, it);
	must_wait(test, it, test->param_value);
}

static void busy_on_other_node(struct kunit *test)
{
	struct item *it = test->priv;

	queue_on_two_nodes(test, it);
	KUNIT_EXPECT_EQ(test, WORK_BUSY_PENDING | WORK_BUSY_RUNNING,
			work_busy(&it->dwork.work));
	KUNIT_EXPECT_TRUE(test, cancel_work(&it->dwork.work));
	KUNIT_EXPECT_EQ(test, WORK_BUSY_RUNNING, work_busy(&it->dwork.work));
}

static struct note *new_notes(struct kunit *test, atomic_t *turns)
{
	struct note *notes = kunit_kcalloc(test, NR_ITEMS, sizeof(*notes), GFP_KERNEL);
	int i, cpu = -1;

	KUNIT_ASSERT_NOT_NULL(test, notes);
	for (i = 0; i < NR_ITEMS; i++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		INIT_WORK(&notes[i].work, note_fn);
		notes[i].cpu = cpu;
		notes[i].turn = -1;
		notes[i].turns = turns;
	}
	return notes;
}

static void queue_notes(struct kunit *test, struct workqueue_struct *wq,
			struct note *notes)
{
	int i;

	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_ASSERT_TRUE(test, queue_work_on(notes[i].cpu, wq, &notes[i].work));
}

static void expect_in_order(struct kunit *test, const struct note *notes, int step)
{
	int i;

	for (i = 0; i < NR_ITEMS; i++) {
		KUNIT_EXPECT_EQ(test, i % step ? -1 : i / step, notes[i].turn);
		if (!(i % step))
			KUNIT_EXPECT_EQ(test, cpu_to_node(notes[i].cpu), notes[i].node);
	}
}

/* Behind an item that is executing, for all CPUs in turn. */
static void order_and_node(struct kunit *test)
{
	struct item *it = test->priv;
	atomic_t turns = ATOMIC_INIT(0);
	struct note *notes = new_notes(test, &turns);

	KUNIT_ASSERT_TRUE(test, queue_item(it));
	KUNIT_ASSERT_NE(test, 0, wait_for_completion_timeout(&it->started, PATIENCE));
	queue_notes(test, it->wq, notes);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&turns));
	complete_all(&it->release);
	flush_workqueue(it->wq);
	expect_in_order(test, notes, 1);
}

/* Every second one of the waiting items is canceled, which waits for nothing. */
static void cancel_waiting(struct kunit *test)
{
	struct item *it = test->priv;
	atomic_t turns = ATOMIC_INIT(0);
	struct note *notes = new_notes(test, &turns);
	int i;

	KUNIT_ASSERT_TRUE(test, queue_item(it));
	KUNIT_ASSERT_NE(test, 0, wait_for_completion_timeout(&it->started, PATIENCE));
	queue_notes(test, it->wq, notes);
	for (i = 1; i < NR_ITEMS; i += 2)
		KUNIT_EXPECT_TRUE(test, cancel_work_sync(&notes[i].work));
	complete_all(&it->release);
	KUNIT_EXPECT_TRUE(test, flush_work(&notes[NR_ITEMS - 2].work));
	expect_in_order(test, notes, 2);
}

/* Nobody else may drain it: the caller destroys it with its queue full. */
static void destroy_full(struct kunit *test)
{
	struct workqueue_struct *wq = alloc_ordered_affine_workqueue("affine_full", 0);
	atomic_t turns = ATOMIC_INIT(0);
	struct note *notes = new_notes(test, &turns);

	KUNIT_ASSERT_NOT_NULL(test, wq);
	queue_notes(test, wq, notes);
	destroy_workqueue(wq);
	expect_in_order(test, notes, 1);
}

/* Frozen behind an item that is executing: what waits goes on when it is thawed. */
static void freezes(struct kunit *test)
{
#ifdef CONFIG_FREEZER
	atomic_t turns = ATOMIC_INIT(0);
	struct note *notes = new_notes(test, &turns);
	struct item *it = new_item(test, alloc_ordered_affine_workqueue("affine_freeze",
									WQ_FREEZABLE));
	unsigned long end;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, it);
	execute_on_first(test, it);
	queue_notes(test, it->wq, notes);
	freeze_workqueues_begin();
	complete_all(&it->release);
	schedule_timeout_uninterruptible(A_WHILE);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&turns));
	thaw_workqueues();
	/* to flush the workqueue would be to wait for ever if nothing goes on */
	end = jiffies + PATIENCE;
	while (atomic_read(&turns) < NR_ITEMS && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_FALSE(test, cancel_work_sync(&notes[i].work));
	expect_in_order(test, notes, 1);
	free_item(test, it);
#else
	kunit_skip(test, "needs CONFIG_FREEZER");
#endif
}

static int prepare(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	test->priv = new_item(test, alloc_ordered_affine_workqueue("affine_kunit", 0));
	return test->priv ? 0 : -ENOMEM;
}

static void finish(struct kunit *test)
{
	if (test->priv)
		free_item(test, test->priv);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(waits_for_other_node, calls_gen_params),
	KUNIT_CASE(busy_on_other_node),
	KUNIT_CASE(order_and_node),
	KUNIT_CASE(cancel_waiting),
	KUNIT_CASE(destroy_full),
	KUNIT_CASE(freezes),
	{}
};

static struct kunit_suite suite = {
	.name = "workqueue_affine",
	.init = prepare,
	.exit = finish,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of ordered workqueues with affinity");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
