// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an item of an ordered workqueue costs. For tests only: a write to the parameter
 * "run" queues a number of items from the writer's CPU and waits until the last has run.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#define MAX_ITEMS	64

static char *kind = "plain";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "plain: an ordered workqueue; affine: one whose items follow the node");

static uint items = 1;
module_param(items, uint, 0444);
MODULE_PARM_DESC(items, "items of a write, 1 to 64");

static struct workqueue_struct *wq;
static struct work_struct works[MAX_ITEMS];
static DECLARE_COMPLETION(last_has_run);
static DEFINE_MUTEX(one_writer);

static void item(struct work_struct *work)
{
	if (work == &works[items - 1])
		complete(&last_has_run);
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	uint i;

	if (!wq)
		return -ENODEV;
	mutex_lock(&one_writer);
	for (i = 0; i < items; i++)
		queue_work(wq, &works[i]);
	wait_for_completion(&last_has_run);
	mutex_unlock(&one_writer);
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set	= run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "queue items and wait for them");

static int __init numasim_wq_init(void)
{
	uint i;

	if (!items || items > MAX_ITEMS) {
		pr_err("items=%u, valid are 1 to %d\n", items, MAX_ITEMS);
		return -EINVAL;
	}
	if (!strcmp(kind, "plain")) {
		wq = alloc_ordered_workqueue("numasim_wq", 0);
#ifdef alloc_ordered_affine_workqueue
	} else if (!strcmp(kind, "affine")) {
		wq = alloc_ordered_affine_workqueue("numasim_wq", 0);
#endif
	} else {
		pr_err("kind=%s, valid are plain and, in a kernel that has it, affine\n", kind);
		return -EINVAL;
	}
	if (!wq)
		return -ENOMEM;
	for (i = 0; i < items; i++)
		INIT_WORK(&works[i], item);
	return 0;
}
module_init(numasim_wq_init);

static void __exit numasim_wq_exit(void)
{
	destroy_workqueue(wq);
}
module_exit(numasim_wq_exit);

MODULE_DESCRIPTION("The cost of an item of an ordered workqueue");
MODULE_LICENSE("GPL");
