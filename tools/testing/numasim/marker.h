/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Markers: how a program in the guest talks to the plugin.
 *
 * A marker is the eight-byte NOP "nopl disp32(%rax,%rax,1)" with a displacement
 * that no compiler emits.  The plugin recognises it when the block is
 * translated, so it costs nothing elsewhere, needs no device, and does nothing
 * at all where the plugin is not loaded.
 */
#ifndef NUMASIM_MARKER_H
#define NUMASIM_MARKER_H

#define MARK_NOP	"\x0f\x1f\x84\x00"
#define MARK_MAGIC	0x4e554d00u	/* "NUM", operation in the low byte */

#define MARK_ARM	1	/* follow accesses from here on */
#define MARK_OPEN	2	/* clear the counters, start counting */
#define MARK_CLOSE	3	/* stop counting, write the record */
#define MARK_RESET	4	/* forget all lines, stop following */

#define numasim_mark(op)						\
	__asm__ __volatile__(".byte 0x0f, 0x1f, 0x84, 0x00\n\t"	\
			     ".long %c0"				\
			     : : "i" (MARK_MAGIC | (op)) : "memory")

#endif
