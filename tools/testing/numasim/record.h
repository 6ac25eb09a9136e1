/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record: what the plugin writes when a window closes and what
 * numasim-report reads.  Text, one item a line, first word says what it is:
 *
 *   numasim-record VERSION
 *   topology NAME | nodes N | cpus N | cpu CPU NODE | memory NODE BYTES
 *   option NAME VALUE | window N | complete 0/1 | total NAME N
 *   site PC INSNS LOADS STORES RLOADS RSTORES LOCAL MEMORY
 *   lines N                     lines with a remote transfer, all of them
 *   line ADDR VADDR HOME RLOADS RSTORES NODES
 *   pair PC RLOADS RSTORES      who fetched the line before
 *   end
 *
 * INSNS of a site are the instructions of the blocks that start there.
 * RLOADS, RSTORES: remote transfers.  LOCAL: from another CPU of the same node
 * (only with unit=cpu).  MEMORY: no cache held the line, its home is another
 * node.  ADDR is an offset in the guest's RAM, NODES a bit mask.
 * Site PC 0 is user space as a whole.
 */
#ifndef NUMASIM_RECORD_H
#define NUMASIM_RECORD_H

#define REC_MAGIC	"numasim-record"
#define REC_VERSION	1
#define REC_SITE	"site"
#define REC_NR_LINES	"lines"
#define REC_LINE	"line"
#define REC_PAIR	"pair"
#define REC_END		"end"

#endif
