/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SCHED_MM_H
#define SHIM_SCHED_MM_H

#define memalloc_noio_save()		0
#define memalloc_noio_restore(flags)	((void)(flags))

#endif
