// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says what kernel objects lie at given addresses, in the kernel's log, when it
 * is loaded.  For tests only: it reads the memory map without a reference.
 */
#define pr_fmt(fmt) "lineinfo: " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/vmalloc.h>

#define MAX_ADDRS	64

static unsigned long addrs[MAX_ADDRS];
static unsigned int nr_addrs;
module_param_array(addrs, ulong, &nr_addrs, 0);
MODULE_PARM_DESC(addrs, "kernel addresses, at most 64");

static unsigned long percpu_size;
module_param(percpu_size, ulong, 0);
MODULE_PARM_DESC(percpu_size, "size of the static per-CPU variables: __per_cpu_end");

static bool describe_percpu(unsigned long addr)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		unsigned long offset = addr - per_cpu_offset(cpu);

		if (offset >= percpu_size)
			continue;
		pr_info("%lx percpu %u %#lx\n", addr, cpu, offset);
		return true;
	}
	return false;
}

static void describe(unsigned long addr)
{
	void *p = (void *)addr;
	struct page *page;

	if (describe_percpu(addr))
		return;
	if (virt_addr_valid(p)) {
		page = compound_head(virt_to_page(p));
		if (!PageSlab(page)) {
			pr_info("%lx page of order %u, %d references, offset %#lx\n",
				addr, compound_order(page), page_ref_count(page),
				addr - (unsigned long)page_address(page));
			return;
		}
	}
	pr_info("%lx", addr);
	mem_dump_obj(p);
}

static int __init lineinfo_init(void)
{
	unsigned int i;

	for (i = 0; i < nr_addrs; i++)
		describe(addrs[i]);
	return 0;
}
module_init(lineinfo_init);

static void __exit lineinfo_exit(void)
{
}
module_exit(lineinfo_exit);

MODULE_DESCRIPTION("what lies at an address (test only)");
MODULE_LICENSE("GPL");
