// SPDX-License-Identifier: GPL-2.0-only
/*
 * The choice of the CPU that a connection's work is queued for
 */
#include <linux/device.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <scsi/scsi_host.h>

#include "libiscsi_work.h"

static const char *const names[] = {
	[ISCSI_WORK_SUBMITTER]	= "submitter",
	[ISCSI_WORK_SOFTIRQ]	= "softirq",
};

static int find(const char *name, const char *val)
{
	int ret = __sysfs_match_string(names, ARRAY_SIZE(names), val);

	if (ret < 0)
		pr_warn_ratelimited("%s: work_cpu: invalid value '%.*s', valid are: submitter, softirq\n",
				    name, (int)strcspn(val, "\n"), val);
	return ret;
}

static int work_cpu_set(const char *val, const struct kernel_param *kp)
{
	int ret = find(kp->mod ? module_name(kp->mod) : "iscsi", val);

	if (ret < 0)
		return ret;
	*(enum iscsi_work_cpu *)kp->arg = ret;
	return 0;
}

static int work_cpu_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", names[*(enum iscsi_work_cpu *)kp->arg]);
}

/* Ops of a module parameter that is an enum iscsi_work_cpu, by its name. */
const struct kernel_param_ops iscsi_work_cpu_ops = {
	.set	= work_cpu_set,
	.get	= work_cpu_get,
};
EXPORT_SYMBOL_GPL(iscsi_work_cpu_ops);

static ssize_t work_cpu_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	struct iscsi_host *ihost = shost_priv(class_to_shost(dev));

	return sysfs_emit(buf, READ_ONCE(ihost->work_cpu) == ISCSI_WORK_SOFTIRQ ?
			  "submitter [softirq]\n" : "[submitter] softirq\n");
}

static ssize_t work_cpu_store(struct device *dev, struct device_attribute *attr,
			      const char *buf, size_t count)
{
	struct iscsi_host *ihost = shost_priv(class_to_shost(dev));
	int ret = find(dev_name(dev), buf);

	if (ret < 0)
		return ret;
	WRITE_ONCE(ihost->work_cpu, ret);
	return count;
}
static DEVICE_ATTR_RW(work_cpu);

static struct attribute *work_attrs[] = {
	&dev_attr_work_cpu.attr,
	NULL
};

static const struct attribute_group work_group = {
	.attrs = work_attrs,
};

/* For shost_groups of hosts that have a workqueue. */
const struct attribute_group *iscsi_work_groups[] = {
	&work_group,
	NULL
};
EXPORT_SYMBOL_GPL(iscsi_work_groups);

MODULE_DESCRIPTION("CPU of iSCSI transmit and receive work");
MODULE_LICENSE("GPL");
