/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_CHAOS_H
#define SHIM_CHAOS_H

/*
 * A place in which a task may lose its CPU, and may go on on another one. Two
 * real cores rarely meet in a window of a few instructions; this makes them.
 */
#ifdef SHIM_CHAOS
void chaos_point(void);
#else
static inline void chaos_point(void)
{
}
#endif

#endif
