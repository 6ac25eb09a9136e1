/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of both sides; the Makefile adds CONFIG_SBITMAP_SPREAD. */
#define CONFIG_64BIT 1
#define CONFIG_KUNIT 1
#define CONFIG_NUMA 1
#define CONFIG_SMP 1
