/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SLAB_H
#define SHIM_SLAB_H

#include <linux/types.h>

void *shim_alloc(size_t size, gfp_t flags);
void kfree(const void *p);

#define kvfree				kfree
#define kmalloc_array(n, size, flags)	shim_alloc((size_t)(n) * (size), flags)
#define kvmalloc_array			kmalloc_array
#define kvzalloc(size, flags)		shim_alloc(size, (flags) | __GFP_ZERO)
#define kvzalloc_node(size, flags, node) ((void)(node), kvzalloc(size, flags))
#define kzalloc_node			kvzalloc_node

#endif
