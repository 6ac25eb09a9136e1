// SPDX-License-Identifier: GPL-2.0-only
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scsihost.h"

const char *const scsi_objects[] = {
	"host", "hostdata", "?transport", "target", "device", "?devdata", "scsi_disk",
	"gendisk", "queue", "?mfi_command", "?mfi_list", NULL
};
const char *const scsi_commands[] = { "command", "sense", "?priv", NULL };

int scsi_host_find(const char *proc_name, int n)
{
	char line[64];
	int no;

	for (no = 0; no < 64; no++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/class/scsi_host/host%d/proc_name", no);
		if (access(path, R_OK) || read_line(line, sizeof(line), "%s", path) ||
		    strcmp(line, proc_name))
			continue;
		if (!n--)
			return no;
	}
	return -1;
}

static bool first(char *out, size_t size, const char *pattern)
{
	glob_t g;
	bool found = !glob(pattern, 0, NULL, &g) && g.gl_pathc;

	if (found)
		snprintf(out, size, "%s", g.gl_pathv[0]);
	globfree(&g);
	return found;
}

/* The disk of a host, once it has what is registered last. */
static bool has_disk(struct scsi_host *h)
{
	char pattern[128], path[256];

	snprintf(pattern, sizeof(pattern), "%s/device/target*/*:*/block/sd*", h->sysfs);
	if (!first(path, sizeof(path), pattern))
		return false;
	snprintf(h->disk, sizeof(h->disk), "%s", strrchr(path, '/') + 1);
	*strstr(path, "/block/") = 0;
	snprintf(h->sdev, sizeof(h->sdev), "%s", path);
	snprintf(pattern, sizeof(pattern), "%.100s/scsi_generic/sg*", h->sdev);
	if (!first(path, sizeof(path), pattern))
		return false;
	snprintf(h->sg, sizeof(h->sg), "%s", strrchr(path, '/') + 1);
	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/hctx0/tag_nodes", h->disk);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "/dev/%s", h->disk);
	return !access(path, R_OK);
}

int scsi_host_wait(const char *proc_name, int n, struct scsi_host *h)
{
	int tries;

	for (tries = 0; tries < 400; tries++) {
		h->no = scsi_host_find(proc_name, n);
		snprintf(h->sysfs, sizeof(h->sysfs), "/sys/class/scsi_host/host%d", h->no);
		if (h->no >= 0 && has_disk(h))
			return 0;
		usleep(50000);
	}
	printf("# host %d of %s has no disk\n", n, proc_name);
	return -1;
}

bool module_unload(const char *module)
{
	int tries;

	/* Somebody may still have the disk open, sd probes asynchronously. */
	for (tries = 0; tries < 50; tries++) {
		if (!run("modprobe -r %s 2>/dev/null", module))
			return true;
		usleep(100000);
	}
	printf("# can't unload %s\n", module);
	return false;
}

bool pci_has(unsigned int vendor, unsigned int class)
{
	bool found = false;
	char line[32];
	glob_t g;
	size_t i;

	if (!glob("/sys/bus/pci/devices/*", 0, NULL, &g)) {
		for (i = 0; i < g.gl_pathc && !found; i++)
			found = !read_line(line, sizeof(line), "%s/vendor", g.gl_pathv[i]) &&
				strtoul(line, NULL, 16) == vendor &&
				!read_line(line, sizeof(line), "%s/class", g.gl_pathv[i]) &&
				strtoul(line, NULL, 16) >> 8 == class;
	}
	globfree(&g);
	return found;
}

int console_count(const char *text)
{
	FILE *f = popen("dmesg", "r");
	char line[2048];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, text);
	if (f)
		pclose(f);
	return n;
}

static int find(const struct scsi_nodes *s, const char *what)
{
	int i;

	for (i = 0; i < s->nr; i++) {
		if (!strcmp(s->what[i], what))
			return i;
	}
	return -1;
}

int scsi_nodes_read(int host, struct scsi_nodes *s)
{
	int no, node, i;
	unsigned int n;
	char what[32];
	FILE *f;

	memset(s, 0, sizeof(*s));
	f = fopen("/sys/kernel/debug/scsi_numa_test", "r");
	if (!f) {
		perror("# scsi_numa_test");
		return -1;
	}
	while (fscanf(f, "%d %31s %d %u", &no, what, &node, &n) == 4) {
		if (no != host || node < 0 || node >= MAX_NODES)
			continue;
		i = find(s, what);
		if (i < 0) {
			if (s->nr == MAX_OBJECTS)
				break;
			i = s->nr++;
			strcpy(s->what[i], what);
		}
		s->count[i][node] = n;
	}
	fclose(f);
	if (s->nr)
		return 0;
	printf("# nothing about host %d in scsi_numa_test\n", host);
	return -1;
}

unsigned int scsi_nodes_count(const struct scsi_nodes *s, const char *what, int node)
{
	unsigned int n = 0;
	int i = find(s, what), j;

	for (j = 0; i >= 0 && j < MAX_NODES; j++) {
		if (node < 0 || node == j)
			n += s->count[i][j];
	}
	return n;
}

bool scsi_nodes_all_on(const struct scsi_nodes *s, const char *const *what,
		       uint64_t mask)
{
	bool ok = true;
	int node;

	for (; *what; what++) {
		const char *name = *what + (**what == '?');

		if (**what != '?' && !scsi_nodes_count(s, name, -1)) {
			printf("# there is no %s\n", name);
			ok = false;
		}
		for (node = 0; node < MAX_NODES; node++) {
			unsigned int n = scsi_nodes_count(s, name, node);

			if (n && !(mask >> node & 1)) {
				printf("# %u of %u %s on node %d, not in %#llx\n", n,
				       scsi_nodes_count(s, name, -1), name, node,
				       (unsigned long long)mask);
				ok = false;
			}
		}
	}
	return ok;
}

bool scsi_nodes_even(const struct scsi_nodes *s, uint64_t mask)
{
	const char *const *what;
	bool ok = true;
	int node;

	for (what = scsi_commands; *what; what++) {
		const char *name = *what + (**what == '?');
		unsigned int all = scsi_nodes_count(s, name, -1);
		unsigned int share = all / __builtin_popcountll(mask);

		if (!all && **what != '?')
			ok = false;
		for (node = 0; all && node < MAX_NODES; node++) {
			unsigned int n = scsi_nodes_count(s, name, node);

			/* Shares differ by at most a word. */
			if (mask >> node & 1 ? n + 64 < share || n > share + 64 || !n : n) {
				printf("# %u of %u %s on node %d\n", n, all, name, node);
				ok = false;
			}
		}
	}
	for (what = (const char *const[]){ "stray-command", "stray-sense", "stray-priv", NULL };
	     *what; what++) {
		if (scsi_nodes_count(s, *what, -1)) {
			printf("# %u %s\n", scsi_nodes_count(s, *what, -1), *what);
			ok = false;
		}
	}
	return ok;
}
