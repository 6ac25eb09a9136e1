/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_VMALLOC_H
#define SHIM_VMALLOC_H

#include <linux/mm.h>

#define VM_MAP		0
#define PAGE_KERNEL	0

void *shim_vmap(struct page **pages, unsigned int nr);
#define vmap(pages, nr, flags, prot)	shim_vmap(pages, nr)
void vunmap(const void *addr);
bool is_vmalloc_addr(const void *addr);
struct page *vmalloc_to_page(const void *addr);

#endif
