/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_MM_H
#define SHIM_MM_H

#include <linux/numa.h>
#include <linux/slab.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

/* A page of a memfd, which can be mapped in several places at once. */
struct page {
	unsigned long pfn;
	int node;
};

struct page *alloc_pages_node(int node, gfp_t flags, unsigned int order);
void __free_page(struct page *page);
struct page *virt_to_page(const void *addr);

#define page_to_pfn(page)	((page)->pfn)
#define page_to_nid(page)	((page)->node)
#define PFN_PHYS(pfn)		((phys_addr_t)(pfn) << PAGE_SHIFT)
#define offset_in_page(p)	((unsigned long)(p) & (PAGE_SIZE - 1))

#endif
