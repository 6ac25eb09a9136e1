/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_CACHE_H
#define SHIM_CACHE_H

#define SMP_CACHE_BYTES			64
#define ____cacheline_aligned_in_smp	__attribute__((aligned(SMP_CACHE_BYTES)))

#endif
