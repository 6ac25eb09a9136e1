/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SCSI hosts: loading drivers, finding hosts and disks, and on which nodes their
 * memory is, as the module scsi_numa_test tells.
 */
#ifndef SCSIHOST_H
#define SCSIHOST_H

#include <stdbool.h>

#include "blkplace.h"

/**
 * struct scsi_host - A host with its first disk.
 * @no: Its number.
 * @sysfs: Its directory in /sys/class/scsi_host/.
 * @sdev: That of the disk's SCSI device.
 * @disk: Name of the disk.
 * @sg: Name of its generic device, without /dev/.
 */
struct scsi_host {
	int no;
	char sysfs[64];
	char sdev[256];
	char disk[32];
	char sg[32];
};

/* The number of the n-th host of a driver, by its proc_name; -1: there is none. */
int scsi_host_find(const char *proc_name, int n);
/* Wait until a host of the driver has a disk that can be used. */
int scsi_host_wait(const char *proc_name, int n, struct scsi_host *h);
/* modprobe -r; says so if it fails. */
bool module_unload(const char *module);
/* Is there a PCI device of this vendor and class (the upper 16 bits of it)? */
bool pci_has(unsigned int vendor, unsigned int class);
/* How many lines of the kernel's log have this text? */
int console_count(const char *text);

#define MAX_OBJECTS 32

/**
 * struct scsi_nodes - On which nodes the memory of a host is.
 * @nr: Number of kinds of objects.
 * @what: Their names, see drivers/scsi/scsi_numa_test.c.
 * @count: How many are where.
 */
struct scsi_nodes {
	int nr;
	char what[MAX_OBJECTS][32];
	unsigned int count[MAX_OBJECTS][MAX_NODES];
};

int scsi_nodes_read(int host, struct scsi_nodes *s);
/* Number of these objects on a node, or on all with -1. */
unsigned int scsi_nodes_count(const struct scsi_nodes *s, const char *what, int node);
/*
 * Are all of these objects on these nodes? Names end with NULL; one that starts
 * with '?' may not exist. Says what isn't.
 */
bool scsi_nodes_all_on(const struct scsi_nodes *s, const char *const *what,
		       uint64_t mask);
/* Does each of these nodes, and no other, have its share of the commands? */
bool scsi_nodes_even(const struct scsi_nodes *s, uint64_t mask);

/* What is one for a host, and what is one for each command. */
extern const char *const scsi_objects[], *const scsi_commands[];

#endif /* SCSIHOST_H */
