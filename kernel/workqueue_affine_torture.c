// SPDX-License-Identifier: GPL-2.0-only
/*
 * Torture of an ordered workqueue with affinity
 *
 * Threads on all CPUs queue, cancel, flush, disable and modify the same work items,
 * and others destroy workqueues that are full, for as long as the module takes to
 * load. User space may change CPUs, scopes and masks meanwhile, or freeze all.
 * Numbers are drawn from a seed, and what was counted can be read from the
 * parameters afterwards; "errors" has to be 0.
 *
 * How the order is checked: who queues an item gives it the next number, under a
 * lock that whoever executes it takes to read the number. So the numbers that are
 * executed must increase, whatever was canceled between them. An item has up to
 * two numbers, since it can be queued again while it is executing.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/freezer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

static unsigned int duration = 10;
module_param(duration, uint, 0444);
MODULE_PARM_DESC(duration, "Seconds that it takes");
static unsigned long items;
module_param(items, ulong, 0444);
MODULE_PARM_DESC(items, "End when so many items were executed, if it takes longer (default: 0)");
static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Of the random numbers");
static unsigned int queuers;
module_param(queuers, uint, 0444);
MODULE_PARM_DESC(queuers, "Number of threads (default: 0, one per CPU)");
static bool only_queue;
module_param(only_queue, bool, 0444);
MODULE_PARM_DESC(only_queue, "Nothing is canceled or waited for, no item takes long: more items");
static bool steady;
module_param(steady, bool, 0444);
MODULE_PARM_DESC(steady, "Nobody changes CPUs, scopes or masks: a wrong pool is an error");
static bool plain;
module_param(plain, bool, 0444);
MODULE_PARM_DESC(plain, "Use an ordered workqueue without affinity, to test this test");

static unsigned long queued, executed, canceled, errors, disorder, concurrent,
		     lost, wrong_pool, wrong_cpu, destroyed, freezes;
module_param(queued, ulong, 0444);
MODULE_PARM_DESC(queued, "Result: items that were queued");
module_param(executed, ulong, 0444);
MODULE_PARM_DESC(executed, "Result: items that were executed");
module_param(canceled, ulong, 0444);
MODULE_PARM_DESC(canceled, "Result: items that were canceled before");
module_param(errors, ulong, 0444);
MODULE_PARM_DESC(errors, "Result: sum of the errors");
module_param(disorder, ulong, 0444);
MODULE_PARM_DESC(disorder, "Result: items executed after one that was queued later");
module_param(concurrent, ulong, 0444);
MODULE_PARM_DESC(concurrent, "Result: items executed while another one was");
module_param(lost, ulong, 0444);
MODULE_PARM_DESC(lost, "Result: items not executed, or not queued, or not waited for");
module_param(wrong_pool, ulong, 0444);
MODULE_PARM_DESC(wrong_pool, "Result: items executed by a pool of another node");
module_param(wrong_cpu, ulong, 0444);
MODULE_PARM_DESC(wrong_cpu, "Result: items executed by a CPU of another node");
module_param(destroyed, ulong, 0444);
MODULE_PARM_DESC(destroyed, "Result: workqueues destroyed with a full queue");
module_param(freezes, ulong, 0444);
MODULE_PARM_DESC(freezes, "Result: times that tasks and workqueues were frozen");

#define NR_ITEMS	128

/**
 * struct item - A work item.
 * @dwork: The item.
 * @mutex: Held by the queuer that handles the item.
 * @seqs: Numbers of the instances that were queued and didn't start, in order.
 * @cpus: CPUs they were queued for.
 * @nr: How many there are.
 * @delayed: Queued with a delay, so nobody knows in which order.
 * @again: Queues itself so many times.
 */
struct item {
	struct delayed_work dwork;
	struct mutex mutex;
	u64 seqs[2];
	int cpus[2];
	int nr;
	bool delayed;
	int again;
};

static struct workqueue_struct *wq;
static struct item *all;
static DEFINE_RAW_SPINLOCK(order_lock);	/* what follows, numbers of items, results */
static u64 next_seq, last_seq;
static atomic_t running;

static void count(unsigned long *what)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&order_lock, flags);
	(*what)++;
	raw_spin_unlock_irqrestore(&order_lock, flags);
}

/* The online CPU after @cpu, -1: the first one; after the last one the first again. */
static int cpu_after(int cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

static bool enqueue(struct item *it, int cpu)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&order_lock, flags);
	ret = queue_delayed_work_on(cpu, wq, &it->dwork, 0);
	if (ret && it->nr < ARRAY_SIZE(it->seqs)) {
		it->seqs[it->nr] = ++next_seq;
		it->cpus[it->nr++] = cpu;
		queued++;
	} else if (ret) {
		lost++;
	}
	raw_spin_unlock_irqrestore(&order_lock, flags);
	return ret;
}

/* The last instance was taken off the queue. */
static void forget(struct item *it)
{
	if (it->delayed)
		return;
	if (it->nr)
		it->nr--;
	else
		lost++;
	canceled++;
}

static void torture_fn(struct work_struct *work)
{
	struct item *it = container_of(work, struct item, dwork.work);
	unsigned long flags;
	int cpu = -1;
	u64 seq = 0;
	bool again;

	if (atomic_inc_return(&running) != 1)
		count(&concurrent);

	raw_spin_lock_irqsave(&order_lock, flags);
	executed++;
	if (!it->delayed && !it->nr) {
		lost++;
	} else if (!it->delayed) {
		seq = it->seqs[0];
		cpu = it->cpus[0];
		it->seqs[0] = it->seqs[1];
		it->cpus[0] = it->cpus[1];
		it->nr--;
		if (seq <= last_seq)
			disorder++;
		last_seq = seq;
	}
	again = it->again > 0;
	if (again)
		it->again--;
	raw_spin_unlock_irqrestore(&order_lock, flags);

	if (cpu >= 0 && current_wq_pool_node() != cpu_to_node(cpu))
		count(&wrong_pool);
	if (cpu >= 0 && numa_node_id() != cpu_to_node(cpu))
		count(&wrong_cpu);

	/* Some take so long that others pile up, some sleep. */
	if (only_queue)
		;
	else if (seq % 61 == 0)
		udelay(50);
	else if (seq % 499 == 0)
		usleep_range(100, 1000);

	if (again)
		enqueue(it, cpu_after(cpu));
	atomic_dec(&running);
}

/* Held by the caller: nobody else queues or cancels, but the item itself. */
static void cancel(struct item *it, bool disable)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&order_lock, flags);
	if (disable ? disable_work(&it->dwork.work) : cancel_delayed_work(&it->dwork))
		forget(it);
	raw_spin_unlock_irqrestore(&order_lock, flags);
}

/* It doesn't run any more, and doesn't queue itself while this waits. */
static void cancel_sync(struct item *it, bool disable)
{
	unsigned long flags;
	bool was_pending;

	if (disable)
		was_pending = disable_delayed_work_sync(&it->dwork);
	else
		was_pending = cancel_delayed_work_sync(&it->dwork);

	raw_spin_lock_irqsave(&order_lock, flags);
	if (was_pending)
		forget(it);
	if (it->nr)
		lost++;
	raw_spin_unlock_irqrestore(&order_lock, flags);
	if (work_busy(&it->dwork.work))
		count(&lost);
}

static void handle(struct item *it, struct rnd_state *rnd, int cpu)
{
	u32 what = prandom_u32_state(rnd) % 1000;

	if (it->delayed) {
		if (what < 500)
			mod_delayed_work_on(cpu, wq, &it->dwork, what % 3);
		else if (what < 900)
			queue_delayed_work_on(cpu, wq, &it->dwork, what % 5);
		else if (what < 990)
			cancel(it, false);
		else if (what < 995)
			flush_delayed_work(&it->dwork);
		else
			cancel_sync(it, false);
		return;
	}

	if (what < 880) {
		enqueue(it, cpu);
	} else if (what < 960) {
		cancel(it, false);
	} else if (what < 970) {
		it->again = what % 8;
		enqueue(it, cpu);
	} else if (what < 980) {
		flush_delayed_work(&it->dwork);
	} else if (what < 988) {
		cancel_sync(it, false);
	} else if (what < 992) {
		cancel(it, true);
		flush_work(&it->dwork.work);
		enable_work(&it->dwork.work);
	} else if (what < 997) {
		cancel_sync(it, true);
		enable_delayed_work(&it->dwork);
	} else {
		flush_workqueue(wq);
	}
}

/*
 * Many items, several in a row for the same CPU. Queuers take turns, asleep: virtual
 * CPUs that share real ones take very long to hand on a lock that they spin for.
 */
static void queue_many(struct rnd_state *rnd, int cpu)
{
	static DEFINE_MUTEX(turn);
	int i;

	mutex_lock(&turn);
	for (i = 0; i < 32; i++) {
		struct item *it = &all[prandom_u32_state(rnd) % NR_ITEMS];

		if (!it->delayed)
			enqueue(it, cpu);
	}
	mutex_unlock(&turn);
	usleep_range(500, 1000);
}

static struct workqueue_struct *new_wq(const char *name)
{
	if (plain)
		return alloc_ordered_workqueue("%s", WQ_MEM_RECLAIM, name);
	return alloc_ordered_affine_workqueue("%s", WQ_MEM_RECLAIM | WQ_SYSFS |
					      WQ_FREEZABLE, name);
}

/* Items of a workqueue that is destroyed with all of them in the queue. */
struct doomed {
	struct work_struct work;
	atomic_t *turns;
	int nr;
};

static void doomed_fn(struct work_struct *work)
{
	struct doomed *d = container_of(work, struct doomed, work);

	if (atomic_fetch_inc(d->turns) != d->nr)
		count(&disorder);
}

static void destroy_one(struct doomed *d, unsigned int id)
{
	atomic_t turns = ATOMIC_INIT(0);
	struct workqueue_struct *w;
	char name[24];
	int i;

	snprintf(name, sizeof(name), "affine_doomed%u", id);
	w = new_wq(name);
	if (!w)
		return;		/* no memory is no error */
	for (i = 0; i < NR_ITEMS; i++) {
		INIT_WORK(&d[i].work, doomed_fn);
		d[i].turns = &turns;
		d[i].nr = i;
		queue_work_on(i % nr_cpu_ids, w, &d[i].work);
	}
	destroy_workqueue(w);
	if (atomic_read(&turns) != NR_ITEMS)
		count(&lost);
	count(&destroyed);
}

static int queuer_fn(void *data)
{
	unsigned int id = (unsigned long)data;
	struct doomed *doomed = kcalloc(NR_ITEMS, sizeof(*doomed), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, seed + 1000003ULL * id);
	for (i = 0; !kthread_should_stop(); i++) {
		struct item *it = &all[prandom_u32_state(&rnd) % NR_ITEMS];
		int cpu = cpu_after(prandom_u32_state(&rnd) % nr_cpu_ids - 1);

		if (only_queue) {
			queue_many(&rnd, cpu);
		} else if (mutex_trylock(&it->mutex)) {
			handle(it, &rnd, cpu);
			mutex_unlock(&it->mutex);
		}
		if (doomed && !only_queue && (!i || prandom_u32_state(&rnd) % 8192 == 0))
			destroy_one(doomed, id);
		cond_resched();
	}
	kfree(doomed);
	return 0;
}

static unsigned int start(struct task_struct **tasks)
{
	unsigned int i, nr = 0;
	int cpu = -1;

	for (i = 0; i < queuers; i++) {
		struct task_struct *t = kthread_create(queuer_fn, (void *)(unsigned long)i,
						       "affine_torture/%u", i);

		if (IS_ERR(t))
			break;
		cpu = cpu_after(cpu);
		/* Not bound: its CPU may go. */
		set_cpus_allowed_ptr(t, cpumask_of_node(cpu_to_node(cpu)));
		wake_up_process(t);
		tasks[nr++] = t;
	}
	return nr;
}

/* Let all end, and see whether nothing is left. */
static void settle(void)
{
	unsigned int i;

	for (i = 0; i < NR_ITEMS; i++) {
		all[i].again = 0;
		if (all[i].delayed)
			cancel_delayed_work_sync(&all[i].dwork);
		else
			flush_delayed_work(&all[i].dwork);
	}
	drain_workqueue(wq);
	for (i = 0; i < NR_ITEMS; i++) {
		if (all[i].nr || work_busy(&all[i].dwork.work))
			lost++;
	}
}

static int __init torture_init(void)
{
	unsigned long end = jiffies + duration * HZ;
	struct task_struct **tasks;
	unsigned int i, nr;

	if (!queuers)
		queuers = num_online_cpus();
	all = kcalloc(NR_ITEMS, sizeof(*all), GFP_KERNEL);
	tasks = kcalloc(queuers, sizeof(*tasks), GFP_KERNEL);
	wq = all && tasks ? new_wq("affine_torture") : NULL;
	if (!wq) {
		kfree(tasks);
		kfree(all);
		return -ENOMEM;
	}
	for (i = 0; i < NR_ITEMS; i++) {
		INIT_DELAYED_WORK(&all[i].dwork, torture_fn);
		mutex_init(&all[i].mutex);
		all[i].delayed = i % 8 == 7;
	}

	nr = start(tasks);
	while (!fatal_signal_pending(current) &&
	       (time_before(jiffies, end) || (items && READ_ONCE(executed) < items))) {
		schedule_timeout_killable(HZ / 10);
		/* whoever loads the module is frozen with everybody else */
		if (try_to_freeze())
			freezes++;
	}
	for (i = 0; i < nr; i++)
		kthread_stop(tasks[i]);
	settle();

	if (nr < queuers)
		pr_warn("only %u of %u threads could be started\n", nr, queuers);
	errors = disorder + concurrent + lost + (steady ? wrong_pool : 0);
	pr_info("seed %u: %lu queued, %lu executed, %lu canceled, %lu disorder, %lu concurrent, %lu lost, %lu in the wrong pool, %lu on the wrong node, %lu destroyed, %lu times frozen\n",
		seed, queued, executed, canceled, disorder, concurrent, lost,
		wrong_pool, wrong_cpu, destroyed, freezes);
	kfree(tasks);
	return 0;
}

static void __exit torture_exit(void)
{
	destroy_workqueue(wq);
	kfree(all);
}

module_init(torture_init);
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture of an ordered workqueue with affinity");
MODULE_LICENSE("GPL");
