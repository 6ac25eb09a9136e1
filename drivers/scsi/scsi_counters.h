/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of a SCSI device's commands, one set per CPU
 *
 * Every command counts twice, so no counter is shared between CPUs. What one CPU
 * has counted means nothing by itself: a command that the driver rejects may be
 * taken back on another CPU, for example. The sum of all does, and wraps at 32
 * bits as it did when each counter was an atomic_t.
 */
#ifndef _SCSI_COUNTERS_H
#define _SCSI_COUNTERS_H

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include <scsi/scsi_device.h>

/* The names of the attributes in sysfs, in capitals. */
enum scsi_device_counter {
	SDEV_IOREQUEST_CNT,	/* commands given to the driver */
	SDEV_IODONE_CNT,	/* commands completed */
	SDEV_IOERR_CNT,		/* commands completed with an error */
	SDEV_IOTMO_CNT,		/* commands that timed out */
	SDEV_NR_COUNTERS,
};

/* Aligned so that a set never lies in two cache lines. */
struct scsi_device_counters {
	unsigned int cnt[SDEV_NR_COUNTERS];
} __aligned(16);

static inline int scsi_device_alloc_counters(struct scsi_device *sdev)
{
	sdev->counters = alloc_percpu(struct scsi_device_counters);
	return sdev->counters ? 0 : -ENOMEM;
}

static inline void scsi_device_free_counters(struct scsi_device *sdev)
{
	free_percpu(sdev->counters);
}

static inline void scsi_device_count(struct scsi_device *sdev,
				     enum scsi_device_counter c)
{
	this_cpu_inc(sdev->counters->cnt[c]);
}

static inline void scsi_device_uncount(struct scsi_device *sdev,
				       enum scsi_device_counter c)
{
	this_cpu_dec(sdev->counters->cnt[c]);
}

static inline int scsi_device_counted(struct scsi_device *sdev,
				      enum scsi_device_counter c)
{
	unsigned int sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(sdev->counters, cpu)->cnt[c]);
	return sum;
}

/* Nothing is lost that other CPUs count meanwhile. */
static inline void scsi_device_reset_count(struct scsi_device *sdev,
					   enum scsi_device_counter c)
{
	this_cpu_sub(sdev->counters->cnt[c], scsi_device_counted(sdev, c));
}

#endif /* _SCSI_COUNTERS_H */
