/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_TYPES_H
#define SHIM_TYPES_H

#include <asm/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/compiler.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef u64 phys_addr_t;

typedef unsigned int gfp_t;
#define GFP_KERNEL	0x3u
#define GFP_NOIO	0x1u
#define __GFP_IO	0x2u
#define __GFP_ZERO	0x4u

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* The kernel's does this to n and has the remainder as value. */
#define do_div(n, base)					\
({							\
	u32 do_div_rem = (n) % (u32)(base);		\
							\
	(n) /= (u32)(base);				\
	do_div_rem;					\
})

#endif
