// SPDX-License-Identifier: GPL-2.0-only
/*
 * SCSI hosts on the node of their device, without a choice of the user
 */
#include <linux/device.h>
#include <linux/export.h>

#include <scsi/scsi_host.h>

/**
 * scsi_host_alloc_near() - scsi_host_alloc_node() on the node of a device.
 * @sht: Host template.
 * @privsize: Extra bytes to allocate for the driver.
 * @dev: Device, usually that of the PCI function.
 *
 * The host, its driver's data, its targets, devices and disks are on the node of
 * the device, or near to it. Nobody asked for that, so hardware queues, tags and
 * requests are where scsi_host_alloc() has them: a queue that serves several
 * nodes, for example the only one, on the node of the first CPU.
 *
 * Context: May sleep.
 * Return: The new host, or NULL.
 */
struct Scsi_Host *scsi_host_alloc_near(const struct scsi_host_template *sht,
				       int privsize, struct device *dev)
{
	struct Scsi_Host *shost;

	shost = scsi_host_alloc_node(sht, privsize, dev_to_node(dev));
	if (shost)
		shost->node_of_dev = true;
	return shost;
}
EXPORT_SYMBOL(scsi_host_alloc_near);
