// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "blkplace.h"

#define DEBUGFS "/sys/kernel/debug/block"
#define NODES	"/sys/devices/system/node"

static FILE *open_path(const char *mode, const char *fmt, va_list ap)
{
	char path[512];
	FILE *f;

	vsnprintf(path, sizeof(path), fmt, ap);
	f = fopen(path, mode);
	if (!f)
		printf("# %s: %s\n", path, strerror(errno));
	return f;
}

int read_line(char *line, size_t size, const char *fmt, ...)
{
	va_list ap;
	FILE *f;
	int ret = -1;

	va_start(ap, fmt);
	f = open_path("r", fmt, ap);
	va_end(ap);
	if (!f)
		return -1;
	if (fgets(line, size, f)) {
		line[strcspn(line, "\n")] = 0;
		ret = 0;
	}
	fclose(f);
	return ret;
}

/* Silent: a test may expect the write to be refused, errno tells how. */
bool attr_reads(const char *want, const char *dir, const char *file)
{
	char line[128] = "";

	read_line(line, sizeof(line), "%s/%s", dir, file);
	if (!strcmp(line, want))
		return true;
	printf("# %s/%s reads '%s', not '%s'\n", dir, file, line, want);
	return false;
}

bool attr_reads_int(int number, const char *dir, const char *file)
{
	char want[16];

	snprintf(want, sizeof(want), "%d", number);
	return attr_reads(want, dir, file);
}

bool queue_reads(const char *want, const char *disk, const char *attr)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/sys/block/%s/queue", disk);
	return attr_reads(want, dir, attr);
}

int write_line(const char *text, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	ssize_t n;
	int fd, err;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

int run(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	fflush(stdout);
	status = system(cmd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool console_says(const char *text)
{
	char line[2048];
	bool found = false;
	FILE *f = popen("dmesg", "r");

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (strstr(line, text))
			found = true;
	pclose(f);
	return found;
}

/* The CPUs of "0-3,8" or "0, 1, 2, 3"; returns how many, of which @max are stored. */
static int parse_cpus(const char *list, int *cpus, int max)
{
	int n = 0, a, b, len;

	for (; *list; list += len + (list[len] == ',')) {
		if (sscanf(list, "%d-%d%n", &a, &b, &len) != 2) {
			if (sscanf(list, "%d%n", &a, &len) != 1)
				break;
			b = a;
		}
		for (; a <= b; a++, n++)
			if (n < max)
				cpus[n] = a;
	}
	return n;
}

static int count_cpus(const char *list)
{
	return parse_cpus(list, NULL, 0);
}

int nodes_read(struct nodes *n)
{
	char line[4096];
	int node;

	memset(n, 0, sizeof(*n));
	for (node = 0; node < MAX_NODES; node++) {
		char path[128];

		snprintf(path, sizeof(path), NODES "/node%d", node);
		if (access(path, F_OK))
			continue;
		n->nr = node + 1;
		n->online[node] = true;
		if (read_line(line, sizeof(line), "%s/cpulist", path) == 0)
			n->cpus[node] = count_cpus(line);
		/* "Node 0 MemTotal: 509352 kB" */
		if (read_line(line, sizeof(line), "%s/meminfo", path) == 0)
			sscanf(line, "Node %*d MemTotal: %lu", &n->mem_kb[node]);
		if (n->cpus[node] && n->mem_kb[node]) {
			n->owners++;
			n->owner_mask |= 1ULL << node;
		}
	}
	if (!n->nr) {
		/* A kernel without NUMA: one node with everything. */
		n->nr = n->owners = 1;
		n->owner_mask = 1;
		n->online[0] = true;
		n->cpus[0] = sysconf(_SC_NPROCESSORS_ONLN);
		if (read_line(line, sizeof(line), "/proc/meminfo") == 0)
			sscanf(line, "MemTotal: %lu", &n->mem_kb[0]);
	}
	return 0;
}

int nodes_of_cpu(const struct nodes *n, int cpu)
{
	char path[128];
	int node;

	for (node = 0; node < n->nr; node++) {
		snprintf(path, sizeof(path), NODES "/node%d/cpu%d", node, cpu);
		if (!access(path, F_OK))
			return node;
	}
	return 0;
}

int nodes_cpus(int node, int *cpus, int max)
{
	char line[4096];
	int n;

	if (access(NODES, F_OK)) {
		for (n = 0; n < sysconf(_SC_NPROCESSORS_ONLN) && n < max; n++)
			cpus[n] = n;
		return n;
	}
	if (read_line(line, sizeof(line), NODES "/node%d/cpulist", node))
		return 0;
	n = parse_cpus(line, cpus, max);
	return n < max ? n : max;
}

int nodes_last_mem(const struct nodes *n)
{
	int node;

	for (node = n->nr - 1; node > 0 && !n->mem_kb[node]; node--)
		;
	return node;
}

int nodes_last_cpus(const struct nodes *n, int *cpus, int nr)
{
	int node;

	for (node = n->nr - 1; node > 0 && nodes_cpus(node, cpus, nr) < nr; node--)
		;
	return node;
}

/*
 * Feed the lines of a debugfs file that stand behind "MAP:" up to the next such
 * header to a function; the header itself comes first.
 */
static int each_line(const char *disk, unsigned int hctx, const char *file,
		     const char *map,
		     int (*fn)(const char *line, struct blkplace *p),
		     struct blkplace *p)
{
	bool inside = false, seen = false;
	char path[256], line[512];
	size_t len = strlen(map);
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "/%s/hctx%u/%s", disk, hctx, file);
	f = fopen(path, "r");
	if (!f) {
		printf("# %s: %s\n", path, strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (!strchr(line, '=') || strstr(line, ": "))
			inside = !strncmp(line, map, len) && line[len] == ':';
		if (!inside)
			continue;
		seen = true;
		if (fn(line, p)) {
			printf("# %s: can't read '%s'\n", path, line);
			fclose(f);
			return -1;
		}
	}
	fclose(f);
	if (!seen)
		printf("# %s: nothing of '%s'\n", path, map);
	return seen ? 0 : -1;
}

static bool bad_node(int node)
{
	return node < 0 || node >= MAX_NODES;
}

static int tag_nodes_line(const char *line, struct blkplace *p)
{
	unsigned int first, last;
	int owner, memory;
	char how[16];

	if (sscanf(line, "%*[^:]: placement=%15s depth=%u", how, &p->depth) == 2) {
		p->spread = !strcmp(how, "spread");
		return 0;
	}
	if (sscanf(line, "word=%*u bits=%u-%u owner=%d memory=%d", &first, &last,
		   &owner, &memory) != 4 || bad_node(owner))
		return -1;
	p->words++;
	p->owned[owner] += last - first + 1;
	p->words_misplaced += memory != owner;
	return 0;
}

static int rq_nodes_line(const char *line, struct blkplace *p)
{
	int owner, node;

	if (line[strlen(line) - 1] == ':')
		return 0;
	if (sscanf(line, "tag=%*u owner=%d node=%d", &owner, &node) != 2 ||
	    bad_node(node))
		return -1;
	p->rqs[node]++;
	p->rqs_misplaced += node != owner;
	return 0;
}

static int tag_gets_line(const char *line, struct blkplace *p)
{
	unsigned long long own, foreign;
	int node;

	if (strstr(line, "counting="))
		return 0;
	if (sscanf(line, "node=%d own=%llu foreign=%llu", &node, &own, &foreign) != 3 ||
	    bad_node(node))
		return -1;
	p->own[node] = own;
	p->foreign[node] = foreign;
	return 0;
}

int blkplace_read(const char *disk, unsigned int hctx, const char *map,
		  struct blkplace *p)
{
	memset(p, 0, sizeof(*p));
	if (each_line(disk, hctx, "tag_nodes", map, tag_nodes_line, p) ||
	    each_line(disk, hctx, "rq_nodes", map, rq_nodes_line, p) ||
	    each_line(disk, hctx, "tag_gets", map, tag_gets_line, p))
		return -1;
	return 0;
}

int blkplace_count(const char *disk, unsigned int hctx, bool on)
{
	return write_line(on ? "1" : "0", DEBUGFS "/%s/hctx%u/tag_gets", disk, hctx);
}

double blkplace_own_share(const struct blkplace *p)
{
	unsigned long long own = 0, all = 0;
	int node;

	for (node = 0; node < MAX_NODES; node++) {
		own += p->own[node];
		all += p->own[node] + p->foreign[node];
	}
	return all ? (double)own / all : 0;
}

bool blkplace_even(const struct blkplace *p, uint64_t owners)
{
	unsigned int least = -1, most = 0, sum = 0;
	int nr = __builtin_popcountll(owners), node;
	bool ok = true;

	for (node = 0; node < MAX_NODES; node++) {
		bool owner = owners >> node & 1;

		sum += p->owned[node];
		if (!owner && p->owned[node]) {
			printf("# node %d isn't to own tags, but has %u\n", node,
			       p->owned[node]);
			ok = false;
		}
		if (!owner)
			continue;
		if (p->owned[node] < least)
			least = p->owned[node];
		if (p->owned[node] > most)
			most = p->owned[node];
	}
	if (sum != p->depth || most - least > (p->depth / nr / 4 ?: 1)) {
		printf("# %u of %u tags owned, at least %u, at most %u\n", sum,
		       p->depth, least, most);
		ok = false;
	}
	return ok;
}

bool blkplace_placed(const struct blkplace *p)
{
	bool ok = p->spread && !p->words_misplaced && !p->rqs_misplaced;
	int node;

	for (node = 0; node < MAX_NODES; node++)
		ok &= p->rqs[node] == p->owned[node];
	if (!ok)
		printf("# spread %d, words misplaced %u, requests misplaced %u\n",
		       p->spread, p->words_misplaced, p->rqs_misplaced);
	return ok;
}

static bool flat(const struct blkplace *p)
{
	int node, with = 0;

	for (node = 0; node < MAX_NODES; node++)
		with += !!p->owned[node];
	if (!p->spread && with == 1)
		return true;
	printf("# spread %d, words on %d nodes\n", p->spread, with);
	return false;
}

/* The nodes of the CPUs of a hardware queue; 0 without CPUs. */
static uint64_t hctx_nodes(const char *disk, unsigned int hctx, const struct nodes *n)
{
	int cpus[1024], nr, i;
	uint64_t mask = 0;
	char line[4096];

	if (read_line(line, sizeof(line), "/sys/block/%s/mq/%u/cpu_list", disk, hctx))
		return 0;
	nr = parse_cpus(line, cpus, 1024);
	for (i = 0; i < nr && i < 1024; i++)
		mask |= 1ULL << nodes_of_cpu(n, cpus[i]);
	return mask;
}

/* Tags of the hardware queue, of which a smaller nr_requests may leave some out. */
static unsigned int hctx_depth(const char *disk, unsigned int hctx)
{
	unsigned int nr = 0;
	char line[64];

	if (!read_line(line, sizeof(line), DEBUGFS "/%s/hctx%u/tags", disk, hctx))
		sscanf(line, "nr_tags=%u", &nr);
	return nr;
}

static bool owned_by(const struct blkplace *p, uint64_t owners)
{
	int node;

	for (node = 0; node < MAX_NODES; node++) {
		if (p->owned[node] && !(owners >> node & 1)) {
			printf("# node %d isn't to own tags\n", node);
			return false;
		}
	}
	return true;
}

static bool map_right(const char *disk, unsigned int hctx, const char *map,
		      uint64_t owners, bool spread)
{
	unsigned int depth = hctx_depth(disk, hctx);
	struct blkplace p;
	bool ok;

	if (blkplace_read(disk, hctx, map, &p))
		return false;
	/* A scheduler begins with twice as many, up to a limit. */
	if (strcmp(map, "tags"))
		depth = 2 * (depth < 128 ? depth : 128);
	if (spread && __builtin_popcountll(owners) > 1)
		ok = blkplace_placed(&p) && owned_by(&p, owners) &&
		     (p.depth != depth || blkplace_even(&p, owners));
	else
		ok = flat(&p);
	if (!ok)
		printf("# that was %s of %s, queue %u\n", map, disk, hctx);
	return ok;
}

static bool has_line(const char *text, const char *fmt, ...)
{
	char path[512], line[1024];
	bool found = false;
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	f = fopen(path, "r");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, text);
	fclose(f);
	return found;
}

static bool hctx_exists(const char *disk, unsigned int hctx)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/block/%s/mq/%u", disk, hctx);
	return !access(path, F_OK);
}

bool blkplace_right(const char *disk, const struct nodes *n, bool spread)
{
	bool shared = has_line("TAG_HCTX_SHARED", DEBUGFS "/%s/hctx0/flags", disk);
	bool sched = !has_line("[none]", "/sys/block/%s/queue/scheduler", disk) &&
		     has_line("nr_tags", DEBUGFS "/%s/hctx0/sched_tags", disk);
	unsigned int hctx;
	bool ok = true;

	for (hctx = 0; ok && hctx_exists(disk, hctx); hctx++) {
		uint64_t owners = hctx_nodes(disk, hctx, n);

		if (!owners)
			continue;
		owners = shared ? n->owner_mask : owners & n->owner_mask;
		ok = map_right(disk, hctx, "tags", owners, spread) &&
		     (!sched || map_right(disk, hctx, "sched_tags", owners, spread));
		/* All queues show the same one. */
		if (shared)
			break;
	}
	return ok;
}

/* Lines of "00000000: 0f00 1000 ..." */
static int count_bits(const char *disk, unsigned int hctx, const char *file)
{
	char path[256], line[512], *s;
	int bits = 0;
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "/%s/hctx%u/%s", disk, hctx, file);
	f = fopen(path, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		for (s = strchr(line, ':'); s && *s; s++) {
			const char digit[2] = { *s };

			bits += __builtin_popcount(strtol(digit, NULL, 16));
		}
	}
	fclose(f);
	return bits;
}

int blkplace_busy(const char *disk)
{
	bool shared = has_line("TAG_HCTX_SHARED", DEBUGFS "/%s/hctx0/flags", disk);
	unsigned int hctx;
	int busy = 0;

	for (hctx = 0; hctx_exists(disk, hctx) && !(shared && hctx); hctx++)
		busy += count_bits(disk, hctx, "tags_bitmap") +
			count_bits(disk, hctx, "sched_tags_bitmap");
	return busy;
}

long long fio_pinned(const char *disk, int depth, int ios, const char *cpus,
		     int *errors)
{
	long ncpu = sysconf(_SC_NPROCESSORS_ONLN);
	json_t *root, *jobs, *job;
	char path[] = "/tmp/fio-XXXXXX", all[32];
	long long total = 0;
	json_error_t e;
	size_t i;
	int fd;

	*errors = 0;
	fd = mkstemp(path);
	if (fd < 0) {
		printf("# %s: %s\n", path, strerror(errno));
		return -1;
	}
	close(fd);
	if (!cpus) {
		snprintf(all, sizeof(all), "0-%ld", ncpu - 1);
		cpus = all;
	}
	if (run("fio --name=numaio --filename=/dev/%s --rw=randread --bs=4k --direct=1 "
		"--ioengine=libaio --iodepth=%d --iodepth_batch_submit=%d --thread "
		"--numjobs=%d --cpus_allowed=%s --cpus_allowed_policy=split "
		"--number_ios=%d --norandommap --eta=never --output-format=json --output=%s >&2",
		disk, depth, depth > 1 ? depth / 2 : 1, count_cpus(cpus), cpus, ios,
		path))
		*errors = -1;
	root = json_load_file(path, 0, &e);
	unlink(path);
	if (!root) {
		printf("# fio: line %d: %s\n", e.line, e.text);
		return -1;
	}
	jobs = json_object_get(root, "jobs");
	json_array_foreach(jobs, i, job) {
		json_t *r = json_object_get(job, "read");

		total += json_integer_value(json_object_get(r, "total_ios"));
		if (json_integer_value(json_object_get(job, "error")))
			++*errors;
	}
	json_decref(root);
	return total;
}

uint64_t nodes_nearest(const struct nodes *n, int from)
{
	char line[1024] = "", *s = line;
	int node, dist, len, least = 1 << 30;
	uint64_t mask = 0;

	read_line(line, sizeof(line), "/sys/devices/system/node/node%d/distance", from);
	for (node = 0; node < n->nr; node++) {
		if (!n->online[node])
			continue;
		if (sscanf(s, "%d%n", &dist, &len) != 1)
			break;
		s += len;
		if (!n->mem_kb[node] || dist > least)
			continue;
		mask = (dist < least ? 0 : mask) | 1ULL << node;
		least = dist;
	}
	return mask;
}
