// SPDX-License-Identifier: GPL-2.0-only
/*
 * numasim: a QEMU TCG plugin that models the caches of a machine with several
 * NUMA nodes and counts the cache lines that must cross from node to node.
 *
 * For every 64-byte line of guest RAM one word holds the set of units (nodes,
 * or CPUs with unit=cpu) that have a copy:
 *
 *   load   by a unit without a copy   the unit joins the set
 *   store  by a unit                  the set becomes that unit
 *
 * and when a unit of another node was in the set (and, for a load, none of the
 * own node) the line crossed: one remote transfer.  A line that nobody holds
 * comes from memory: counted apart ("memory"), and only when the memory belongs
 * to another node.
 *
 * The vCPUs are host threads that run concurrently.  The state of a line is
 * changed with one atomic operation; the counters belong to one vCPU each and
 * are summed when the window closes.
 *
 * QEMU calls back after the access, not together with it, so two vCPUs that
 * race for a line may be seen here in the other order.  That changes who pays,
 * not that somebody pays.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "marker.h"
#include "qemu_api.h"
#include "record.h"
#include "topology.h"

PLUGIN_EXPORT int qemu_plugin_version = QEMU_API_VERSION;

#define LINE_SHIFT	6
#define LINE_SIZE	(1u << LINE_SHIFT)
#define PAGE_SIZE	4096u

#define MAX_SITES	(1u << 20)
#define SITE_SLOTS	(1u << 21)
#define SITE_USER	0		/* all of user space, unless user=count */
#define SITE_LOST	1		/* more sites than MAX_SITES */
#define FIRST_SITE	2

#define PAIR_SLOTS	(1u << 18)	/* (line, site) pairs of one vCPU */

#define UNIT_CACHE_MAX	(1u << 20)	/* KiB */

/* What one vCPU did at one call site while the window was open. */
struct counter {
	uint64_t insns;
	uint64_t loads;
	uint64_t stores;
	uint32_t rloads;
	uint32_t rstores;
	uint32_t local;			/* from another CPU of the node */
	uint32_t memory;		/* from memory of another node */
};

struct pair {
	uint32_t line;
	uint32_t site;			/* 0: free slot */
	uint32_t rloads;
	uint32_t rstores;
};

struct vcpu {
	uint64_t unit;			/* own bit in the state of a line */
	uint64_t node_units;		/* bits of all units of the own node */
	unsigned int node;
	unsigned int cache;		/* index of the unit's cache */
	uint32_t slice;			/* accesses since the last yield */
	uint64_t io;			/* accesses to devices */
	uint64_t outside;		/* not in RAM: firmware, video memory */
	uint64_t pairs_lost;
	uint64_t mem_local;		/* from memory of the own node */
	struct counter *count;		/* by site */
	struct pair *pairs;
} __attribute__((aligned(128)));

/* What the remote transfers of a line have in common; only for the report. */
struct line_stat {
	uint64_t vaddr;			/* of the last one */
	uint32_t rloads;
	uint32_t rstores;
	uint64_t nodes;			/* who fetched it */
};

/* Finite caches: set associative, first in first out within a set. */
struct cache {
	pthread_mutex_t lock;
	uint32_t *tag;			/* line + 1; 0: free */
	uint8_t *next;			/* victim of each set */
};

struct site_slot {
	uint64_t pc;
	uint32_t id;
};

enum user_mode { USER_SKIP, USER_TRACK, USER_COUNT };

static struct {
	const char *topo;
	const char *out;
	bool unit_cpu;
	enum user_mode user;
	uint32_t cache_kib;		/* 0: unlimited */
	uint32_t ways;
	uint32_t slice;			/* 0: never */
	uint32_t top;			/* lines in the record */
} opt = {
	.user = USER_TRACK,
	.ways = 16,
	.top = 512,
};

static uint64_t plugin_id;
static struct topology map;
static uint64_t node_base[TOPO_MAX_NODES];	/* of the memory of a node */
static struct vcpu *vcpus;
static unsigned int nr_vcpus;

static _Atomic uint64_t *lines;
static struct line_stat *line_stat;
static uint64_t nr_lines;

static struct cache *caches;
static uint32_t cache_sets;

static struct site_slot *sites;
static uint64_t *site_pc;
static uint32_t nr_sites = FIRST_SITE;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * IDLE: nothing is followed.  Until the first arm marker the blocks hold no
 * callback but the markers, so that boot runs at full speed.
 * ARMED: every access moves the state of its line, nothing is counted.
 * OPEN: the same, and counted.
 */
enum phase { IDLE, ARMED, OPEN };
static _Atomic int phase = IDLE;
static unsigned int windows;		/* opened so far */
static bool instrumented;			/* blocks hold all callbacks */
static bool written;			/* the current one has its record */

static void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *fmt, ...)
{
	va_list ap;

	fputs("numasim: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Zeroed memory that costs nothing until it is touched. */
static void *lazy_alloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void lazy_clear(void *p, size_t size)
{
	madvise(p, size, MADV_DONTNEED);
}

/* -- call sites ----------------------------------------------------------- */

static uint32_t site_hash(uint64_t pc)
{
	return (pc * 0x9e3779b97f4a7c15ull) >> 43;
}

/* Translation time only: the running guest carries the id. */
static uint32_t site_of(uint64_t pc)
{
	uint32_t i, id = SITE_LOST;

	pthread_mutex_lock(&site_lock);
	for (i = site_hash(pc); ; i = (i + 1) & (SITE_SLOTS - 1)) {
		if (sites[i].pc == pc) {
			id = sites[i].id;
			break;
		}
		if (!sites[i].pc) {
			if (nr_sites < MAX_SITES) {
				id = nr_sites++;
				sites[i].pc = pc;
				sites[i].id = id;
				site_pc[id] = pc;
			}
			break;
		}
	}
	pthread_mutex_unlock(&site_lock);
	return id;
}

static void count_pair(struct vcpu *v, uint32_t line, uint32_t site, bool store)
{
	uint32_t i, tries;

	i = ((line * 0x9e3779b97f4a7c15ull) ^ (site * 0xc2b2ae3d27d4eb4full)) >> 46;
	for (tries = 0; tries < 64; tries++, i = (i + 1) & (PAIR_SLOTS - 1)) {
		struct pair *p = &v->pairs[i];

		if (!p->site) {
			p->site = site + 1;
			p->line = line;
		}
		if (p->line == line && p->site == site + 1) {
			if (store)
				p->rstores++;
			else
				p->rloads++;
			return;
		}
	}
	v->pairs_lost++;
}

/* -- the model ------------------------------------------------------------ */

static unsigned int home_of(uint64_t line)
{
	return topo_node_of_phys(&map, line << LINE_SHIFT);
}

/* @line enters the unit's cache; whatever it displaces loses the unit's copy. */
static void cache_fill(struct vcpu *v, uint32_t line)
{
	struct cache *c = &caches[v->cache];
	uint32_t set = line % cache_sets;
	uint32_t *tag = c->tag + (uint64_t)set * opt.ways;
	uint32_t way, victim = opt.ways;

	pthread_mutex_lock(&c->lock);
	for (way = 0; way < opt.ways; way++) {
		if (tag[way] == line + 1)
			goto out;
		/* free, or invalidated meanwhile by a store of another unit */
		if (!tag[way] ||
		    !(atomic_load_explicit(&lines[tag[way] - 1],
					   memory_order_relaxed) & v->unit))
			victim = way;
	}
	if (victim == opt.ways) {
		victim = c->next[set];
		c->next[set] = (victim + 1) % opt.ways;
		atomic_fetch_and_explicit(&lines[tag[victim] - 1], ~v->unit,
					  memory_order_relaxed);
	}
	tag[victim] = line + 1;
out:
	pthread_mutex_unlock(&c->lock);
}

static void touch(struct vcpu *v, uint32_t line, bool store, uint32_t site,
		  uint64_t vaddr, bool count)
{
	_Atomic uint64_t *state = &lines[line];
	uint64_t old = atomic_load_explicit(state, memory_order_relaxed);
	uint64_t others;
	struct counter *c;
	bool remote;

	if (store) {
		if (old == v->unit)
			return;
		old = atomic_exchange_explicit(state, v->unit,
					       memory_order_relaxed);
	} else {
		if (old & v->unit)
			return;
		old = atomic_fetch_or_explicit(state, v->unit,
					       memory_order_relaxed);
		if (old & v->unit)
			return;
	}
	if (caches && !(old & v->unit))
		cache_fill(v, line);
	if (!count)
		return;

	c = &v->count[site];
	others = old & ~v->unit;
	if (!others) {
		if (old)
			return;
		if (home_of(line) != v->node)
			c->memory++;
		else
			v->mem_local++;
		return;
	}
	if (store)
		remote = others & ~v->node_units;
	else
		remote = !(others & v->node_units);
	if (!remote) {
		c->local++;
		return;
	}
	if (store) {
		c->rstores++;
		line_stat[line].rstores++;
	} else {
		c->rloads++;
		line_stat[line].rloads++;
	}
	line_stat[line].vaddr = vaddr;
	line_stat[line].nodes |= 1ull << v->node;
	count_pair(v, line, site, store);
}

/*
 * QEMU 7.2 answers with the block's offset in the space of all RAM blocks plus
 * its offset inside the machine's memory container.  Memory back ends of nodes
 * are made in order, before anything else, so both are the sum of the sizes of
 * the nodes before: the answer for node n lies at twice its base.  (The test
 * "home" compares this with the guest's own page frame numbers.)
 */
static bool line_of(uint64_t addr, uint64_t *line)
{
	unsigned int n;

	for (n = 0; n < map.nr_nodes; n++) {
		if (addr - 2 * node_base[n] < map.mem[n]) {
			*line = (addr - node_base[n]) >> LINE_SHIFT;
			return true;
		}
	}
	return false;
}

static bool resolve(struct vcpu *v, uint32_t info, uint64_t vaddr, uint64_t *line)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);

	if (!hw || qemu_plugin_hwaddr_is_io(hw)) {
		v->io++;
		return false;
	}
	if (!line_of(qemu_plugin_hwaddr_phys_addr(hw), line)) {
		v->outside++;
		return false;
	}
	return true;
}

static void on_access(unsigned int cpu, uint32_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *v = &vcpus[cpu];
	uint32_t site = (uintptr_t)udata;
	bool store = qemu_plugin_mem_is_store(info);
	bool count = atomic_load_explicit(&phase, memory_order_relaxed) == OPEN;
	unsigned int size = 1u << qemu_plugin_mem_size_shift(info);
	uint64_t line;

	if (site == SITE_USER && opt.user != USER_COUNT) {
		count = false;
	} else if (count) {
		if (store)
			v->count[site].stores++;
		else
			v->count[site].loads++;
	}
	if (resolve(v, info, vaddr, &line)) {
		touch(v, line, store, site, vaddr, count);
		/* an access that crosses a line touches both */
		if ((vaddr & (LINE_SIZE - 1)) + size > LINE_SIZE) {
			uint64_t next = (vaddr | (LINE_SIZE - 1)) + 1;

			if (next & (PAGE_SIZE - 1))
				touch(v, line + 1, store, site, next, count);
			else if (resolve(v, info, next, &line))
				touch(v, line, store, site, next, count);
		}
	}
	if (opt.slice && ++v->slice >= opt.slice) {
		v->slice = 0;
		sched_yield();
	}
}

static void on_block(unsigned int cpu, void *udata)
{
	uintptr_t v = (uintptr_t)udata;

	if (atomic_load_explicit(&phase, memory_order_relaxed) == OPEN)
		vcpus[cpu].count[v >> 16].insns += v & 0xffff;
}

/* -- the record ----------------------------------------------------------- */

static int by_remote(const void *a, const void *b)
{
	const struct line_stat *x = &line_stat[*(const uint32_t *)a];
	const struct line_stat *y = &line_stat[*(const uint32_t *)b];
	uint64_t rx = (uint64_t)x->rloads + x->rstores;
	uint64_t ry = (uint64_t)y->rloads + y->rstores;

	if (rx != ry)
		return rx < ry ? 1 : -1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static int by_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* The pairs of all vCPUs, merged and in order of their line. */
static struct pair *merge_pairs(size_t *nr)
{
	size_t n = 0, out = 0, i;
	struct pair *all;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_vcpus; cpu++)
		for (i = 0; i < PAIR_SLOTS; i++)
			n += !!vcpus[cpu].pairs[i].site;
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		return NULL;
	n = 0;
	for (cpu = 0; cpu < nr_vcpus; cpu++)
		for (i = 0; i < PAIR_SLOTS; i++)
			if (vcpus[cpu].pairs[i].site)
				all[n++] = vcpus[cpu].pairs[i];
	qsort(all, n, sizeof(*all), by_pair);
	for (i = 0; i < n; i++) {
		if (out && all[out - 1].line == all[i].line &&
		    all[out - 1].site == all[i].site) {
			all[out - 1].rloads += all[i].rloads;
			all[out - 1].rstores += all[i].rstores;
		} else {
			all[out++] = all[i];
		}
	}
	*nr = out;
	return all;
}

static int write_lines(FILE *f)
{
	size_t nr_pairs, nr = 0, i, j;
	struct pair *pairs = merge_pairs(&nr_pairs);
	uint32_t *order = pairs ? calloc(nr_pairs + 1, sizeof(*order)) : NULL;

	if (!order) {
		free(pairs);
		return -1;
	}
	for (i = 0; i < nr_pairs; i++)
		if (!nr || order[nr - 1] != pairs[i].line)
			order[nr++] = pairs[i].line;
	qsort(order, nr, sizeof(*order), by_remote);
	fprintf(f, "%s %zu\n", REC_NR_LINES, nr);
	if (nr > opt.top)
		nr = opt.top;
	for (i = 0; i < nr; i++) {
		struct line_stat *s = &line_stat[order[i]];
		struct pair key = { .line = order[i], .site = 0 };

		fprintf(f, "%s %#" PRIx64 " %#" PRIx64 " %u %u %u %#" PRIx64 "\n",
			REC_LINE, (uint64_t)order[i] << LINE_SHIFT,
			s->vaddr & ~(uint64_t)(LINE_SIZE - 1), home_of(order[i]),
			s->rloads, s->rstores, s->nodes);
		/* first pair of the line by bisection, then all of them */
		size_t lo = 0, hi = nr_pairs;

		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (by_pair(&pairs[mid], &key) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (j = lo; j < nr_pairs && pairs[j].line == order[i]; j++)
			fprintf(f, "%s %#" PRIx64 " %u %u\n", REC_PAIR,
				site_pc[pairs[j].site - 1], pairs[j].rloads,
				pairs[j].rstores);
	}
	free(order);
	free(pairs);
	return 0;
}

static void sum_site(uint32_t id, struct counter *sum)
{
	unsigned int cpu;

	memset(sum, 0, sizeof(*sum));
	for (cpu = 0; cpu < nr_vcpus; cpu++) {
		struct counter *c = &vcpus[cpu].count[id];

		sum->insns += c->insns;
		sum->loads += c->loads;
		sum->stores += c->stores;
		sum->rloads += c->rloads;
		sum->rstores += c->rstores;
		sum->local += c->local;
		sum->memory += c->memory;
	}
}

static void write_head(FILE *f, bool complete)
{
	static const char *const user[] = { "skip", "track", "count" };
	uint64_t io = 0, outside = 0, lost = 0, mem_local = 0;
	unsigned int i;

	fprintf(f, "%s %d\n", REC_MAGIC, REC_VERSION);
	fprintf(f, "topology %s\n", basename(opt.topo));
	fprintf(f, "nodes %u\n", map.nr_nodes);
	fprintf(f, "cpus %u\n", map.nr_cpus);
	for (i = 0; i < map.nr_cpus; i++)
		fprintf(f, "cpu %u %u\n", i, map.cpu_node[i]);
	for (i = 0; i < map.nr_nodes; i++)
		fprintf(f, "memory %u %" PRIu64 "\n", i, map.mem[i]);
	fprintf(f, "option unit %s\n", opt.unit_cpu ? "cpu" : "node");
	fprintf(f, "option cache_kib %u\n", opt.cache_kib);
	fprintf(f, "option ways %u\n", opt.cache_kib ? opt.ways : 0);
	fprintf(f, "option user %s\n", user[opt.user]);
	fprintf(f, "option slice %u\n", opt.slice);
	fprintf(f, "window %u\n", windows);
	fprintf(f, "complete %d\n", complete);
	for (i = 0; i < nr_vcpus; i++) {
		io += vcpus[i].io;
		outside += vcpus[i].outside;
		lost += vcpus[i].pairs_lost;
		mem_local += vcpus[i].mem_local;
	}
	fprintf(f, "total device %" PRIu64 "\n", io);
	fprintf(f, "total outside %" PRIu64 "\n", outside);
	fprintf(f, "total pairs_lost %" PRIu64 "\n", lost);
	fprintf(f, "total memory_local %" PRIu64 "\n", mem_local);
}

static void write_record(bool complete)
{
	char path[4096], tmp[4112];
	struct counter c;
	uint32_t id;
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s/window-%u.rec", opt.out, windows);
	snprintf(tmp, sizeof(tmp), "%s.tmp", path);
	f = fopen(tmp, "w");
	if (!f) {
		complain("cannot write %s: %s", tmp, strerror(errno));
		return;
	}
	write_head(f, complete);
	for (id = 0; id < nr_sites; id++) {
		sum_site(id, &c);
		if (c.insns || c.loads || c.stores)
			fprintf(f, "%s %#" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				" %u %u %u %u\n", REC_SITE, site_pc[id], c.insns,
				c.loads, c.stores, c.rloads, c.rstores, c.local,
				c.memory);
	}
	err = write_lines(f);
	fprintf(f, "%s\n", REC_END);
	err |= ferror(f);
	err |= fclose(f);
	/* a record that exists is a whole record */
	if (err || rename(tmp, path))
		complain("record %s is not written", path);
	written = true;
}

/* -- markers and phases --------------------------------------------------- */

static void clear_counters(void)
{
	unsigned int i;

	for (i = 0; i < nr_vcpus; i++) {
		struct vcpu *v = &vcpus[i];

		lazy_clear(v->count, MAX_SITES * sizeof(*v->count));
		lazy_clear(v->pairs, PAIR_SLOTS * sizeof(*v->pairs));
		v->io = 0;
		v->outside = 0;
		v->pairs_lost = 0;
		v->mem_local = 0;
	}
	lazy_clear(line_stat, nr_lines * sizeof(*line_stat));
}

static void register_callbacks(uint64_t id);

static void on_marker(unsigned int cpu, void *udata)
{
	int now = atomic_load(&phase);

	(void)cpu;
	switch ((uintptr_t)udata) {
	case MARK_ARM:
		if (now != IDLE)
			break;
		atomic_store(&phase, ARMED);
		if (instrumented)
			break;
		instrumented = true;
		/*
		 * Drops every translated block; the new ones carry callbacks.
		 * Only ever this once: QEMU 7.2 may keep a pointer to the
		 * callbacks of the last instruction of a block over the flush.
		 * Before this point no block has callbacks for accesses.
		 */
		qemu_plugin_reset(plugin_id, register_callbacks);
		break;
	case MARK_OPEN:
		if (now == IDLE) {
			complain("open marker without arm marker: ignored");
			break;
		}
		clear_counters();
		windows++;
		written = false;
		atomic_store(&phase, OPEN);
		break;
	case MARK_CLOSE:
		if (now != OPEN) {
			complain("close marker, but no window is open: ignored");
			break;
		}
		atomic_store(&phase, ARMED);
		write_record(true);
		break;
	case MARK_RESET:
		if (now == IDLE)
			break;
		if (now == OPEN)
			write_record(false);
		atomic_store(&phase, IDLE);
		lazy_clear((void *)lines, nr_lines * sizeof(*lines));
		break;
	}
}

static bool is_pause(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == 2 &&
	       !memcmp(qemu_plugin_insn_data(insn), "\xf3\x90", 2);
}

/*
 * More vCPUs than host CPUs: who spins waits for somebody that the host does
 * not run.  Give the host CPU to it instead of spinning a time slice away.
 */
static void on_pause(unsigned int cpu, void *udata)
{
	(void)cpu;
	(void)udata;
	sched_yield();
}

static int marker_of(const struct qemu_plugin_insn *insn)
{
	const uint8_t *b = qemu_plugin_insn_data(insn);
	uint32_t imm;

	if (qemu_plugin_insn_size(insn) != 8 || memcmp(b, MARK_NOP, 4))
		return 0;
	memcpy(&imm, b + 4, 4);
	return (imm & ~0xffu) == MARK_MAGIC ? imm & 0xff : 0;
}

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	bool user = !(qemu_plugin_tb_vaddr(tb) >> 63);
	uint32_t site;

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		int mark = user ? marker_of(insn) : 0;

		if (mark)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_marker,
				QEMU_CB_NO_REGS, (void *)(uintptr_t)mark);
		if (is_pause(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_pause,
							       QEMU_CB_NO_REGS, NULL);
		if (!instrumented || (user && opt.user == USER_SKIP))
			continue;
		if (user && opt.user == USER_TRACK)
			site = SITE_USER;
		else
			site = site_of(qemu_plugin_insn_vaddr(insn));
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_CB_NO_REGS,
						 QEMU_MEM_RW,
						 (void *)(uintptr_t)site);
	}
	if (instrumented && (!user || opt.user == USER_COUNT))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_CB_NO_REGS,
			(void *)((uintptr_t)site_of(qemu_plugin_tb_vaddr(tb)) << 16 | n));
}

static void on_exit_qemu(uint64_t id, void *udata)
{
	(void)id;
	(void)udata;
	if (!windows)
		complain("no window was opened: nothing is measured");
	else if (!written)
		write_record(false);
}

static void register_callbacks(uint64_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_qemu, NULL);
}

/* -- start ---------------------------------------------------------------- */

static int parse_number(const char *name, const char *text, uint32_t min,
			uint32_t max, uint32_t *out)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || end == text || *end || v < min || v > max) {
		complain("%s=%s: give a number from %u to %u", name, text, min, max);
		return -1;
	}
	*out = v;
	return 0;
}

static int parse_option(char *arg)
{
	char *val = strchr(arg, '=');

	if (!val) {
		complain("%s: options are given as name=value", arg);
		return -1;
	}
	*val++ = '\0';
	if (!strcmp(arg, "topo")) {
		opt.topo = val;
	} else if (!strcmp(arg, "out")) {
		opt.out = val;
	} else if (!strcmp(arg, "unit")) {
		if (strcmp(val, "node") && strcmp(val, "cpu")) {
			complain("unit=%s: give node or cpu", val);
			return -1;
		}
		opt.unit_cpu = !strcmp(val, "cpu");
	} else if (!strcmp(arg, "user")) {
		if (!strcmp(val, "skip")) {
			opt.user = USER_SKIP;
		} else if (!strcmp(val, "track")) {
			opt.user = USER_TRACK;
		} else if (!strcmp(val, "count")) {
			opt.user = USER_COUNT;
		} else {
			complain("user=%s: give skip, track or count", val);
			return -1;
		}
	} else if (!strcmp(arg, "cache")) {
		return parse_number(arg, val, 0, UNIT_CACHE_MAX, &opt.cache_kib);
	} else if (!strcmp(arg, "ways")) {
		return parse_number(arg, val, 1, 255, &opt.ways);
	} else if (!strcmp(arg, "slice")) {
		return parse_number(arg, val, 0, 1u << 30, &opt.slice);
	} else if (!strcmp(arg, "top")) {
		return parse_number(arg, val, 1, 1u << 20, &opt.top);
	} else {
		complain("%s: no such option; there are topo, out, unit, user, cache, ways, slice, top",
			 arg);
		return -1;
	}
	return 0;
}

static int make_caches(unsigned int nr_units)
{
	uint64_t nr = (uint64_t)opt.cache_kib * 1024 / LINE_SIZE;
	unsigned int i;

	if (!opt.cache_kib)
		return 0;
	if (nr < opt.ways) {
		complain("cache=%u: smaller than one set of %u ways", opt.cache_kib,
			 opt.ways);
		return -1;
	}
	cache_sets = nr / opt.ways;
	caches = calloc(nr_units, sizeof(*caches));
	for (i = 0; caches && i < nr_units; i++) {
		pthread_mutex_init(&caches[i].lock, NULL);
		caches[i].tag = lazy_alloc((uint64_t)cache_sets * opt.ways * 4);
		caches[i].next = lazy_alloc(cache_sets);
		if (!caches[i].tag || !caches[i].next)
			return -1;
	}
	return caches ? 0 : -1;
}

static int make_vcpus(void)
{
	unsigned int i, j;

	vcpus = aligned_alloc(128, nr_vcpus * sizeof(*vcpus));
	if (!vcpus)
		return -1;
	memset(vcpus, 0, nr_vcpus * sizeof(*vcpus));
	for (i = 0; i < nr_vcpus; i++) {
		struct vcpu *v = &vcpus[i];

		v->node = map.cpu_node[i];
		v->cache = opt.unit_cpu ? i : v->node;
		v->unit = 1ull << v->cache;
		for (j = 0; j < nr_vcpus; j++)
			if (map.cpu_node[j] == v->node)
				v->node_units |= 1ull << (opt.unit_cpu ? j : v->node);
		v->count = lazy_alloc(MAX_SITES * sizeof(*v->count));
		v->pairs = lazy_alloc(PAIR_SLOTS * sizeof(*v->pairs));
		if (!v->count || !v->pairs)
			return -1;
	}
	return 0;
}

PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
				      int argc, char **argv)
{
	char err[TOPO_ERR_LEN];
	unsigned int n;
	int i;

	for (i = 0; i < argc; i++)
		if (parse_option(argv[i]))
			return -1;
	if (!opt.topo || !opt.out) {
		complain("options topo=FILE and out=DIR are needed");
		return -1;
	}
	if (access(opt.out, W_OK)) {
		complain("out=%s: %s", opt.out, strerror(errno));
		return -1;
	}
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		complain("target %s: only a whole x86_64 machine can be modelled",
			 info->target_name);
		return -1;
	}
	if (topo_load(&map, opt.topo, err)) {
		complain("%s", err);
		return -1;
	}
	for (n = 1; n < map.nr_nodes; n++)
		node_base[n] = node_base[n - 1] + map.mem[n - 1];
	nr_vcpus = info->system.smp_vcpus;
	if (nr_vcpus != map.nr_cpus || info->system.max_vcpus != info->system.smp_vcpus) {
		complain("%s has %u CPUs, the guest %d (at most %d): they must be the same",
			 opt.topo, map.nr_cpus, info->system.smp_vcpus,
			 info->system.max_vcpus);
		return -1;
	}
	if (opt.unit_cpu && nr_vcpus > 64) {
		complain("unit=cpu with %u CPUs: at most 64", nr_vcpus);
		return -1;
	}
	plugin_id = id;
	nr_lines = topo_mem_total(&map) >> LINE_SHIFT;
	lines = lazy_alloc(nr_lines * sizeof(*lines));
	line_stat = lazy_alloc(nr_lines * sizeof(*line_stat));
	sites = lazy_alloc(SITE_SLOTS * sizeof(*sites));
	site_pc = lazy_alloc(MAX_SITES * sizeof(*site_pc));
	if (!lines || !line_stat || !sites || !site_pc || make_vcpus() ||
	    make_caches(opt.unit_cpu ? nr_vcpus : map.nr_nodes)) {
		complain("out of memory for %" PRIu64 " lines", nr_lines);
		return -1;
	}
	register_callbacks(id);
	return 0;
}
