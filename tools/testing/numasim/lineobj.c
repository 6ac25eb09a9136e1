// SPDX-License-Identifier: GPL-2.0-only
/*
 * lineobj DIR MODULE.ko - in the guest, after the window: asks the kernel, by
 * way of the lineinfo module, what the hottest lines of DIR/window-1.rec are,
 * and writes the answers to DIR/lineinfo for numasim-report.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record.h"

#define MAX_LINES	64	/* MAX_ADDRS of the module */
#define KERNEL_HALF	(1ull << 63)
#define KERNEL_IMAGE	0xffffffff80000000ull	/* static: kallsyms knows it */

static int fail(const char *what)
{
	fprintf(stderr, "lineobj: %s: %s\n", what, strerror(errno));
	return 1;
}

static uint64_t percpu_size(void)
{
	uint64_t size = 0, addr;
	char name[256], type, *line = NULL;
	size_t len = 0;
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !size && getline(&line, &len, f) >= 0)
		if (sscanf(line, "%" SCNx64 " %c %255s", &addr, &type, name) == 3 &&
		    !strcmp(name, "__per_cpu_end"))
			size = addr;
	free(line);
	if (f)
		fclose(f);
	return size;
}

/* "percpu_size=N addrs=A,B,...": the hottest lines come first in the record */
static int make_params(const char *dir, char *params, size_t size)
{
	char path[PATH_MAX], word[16], *line = NULL;
	size_t len = 0, used;
	unsigned int nr = 0;
	uint64_t ram, addr;
	FILE *f;

	snprintf(path, sizeof(path), "%s/window-1.rec", dir);
	f = fopen(path, "re");
	if (!f)
		return -1;
	used = snprintf(params, size, "percpu_size=%" PRIu64 " addrs=", percpu_size());
	while (nr < MAX_LINES && getline(&line, &len, f) >= 0) {
		if (sscanf(line, "%15s %" SCNx64 " %" SCNx64, word, &ram, &addr) != 3 ||
		    strcmp(word, REC_LINE) || addr < KERNEL_HALF || addr >= KERNEL_IMAGE)
			continue;
		used += snprintf(params + used, size - used, "%s%#" PRIx64,
				 nr++ ? "," : "", addr);
	}
	free(line);
	fclose(f);
	return nr;
}

/* Log records since @kmsg was opened: "6,1234,567890,-;lineinfo: ADDR text" */
static int collect(int kmsg, const char *dir)
{
	char path[PATH_MAX], buf[8192], *text;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/lineinfo", dir);
	f = fopen(path, "w");
	if (!f)
		return fail(path);
	while ((n = read(kmsg, buf, sizeof(buf) - 1)) > 0) {
		buf[n] = '\0';
		buf[strcspn(buf, "\n")] = '\0';
		text = strstr(buf, ";lineinfo: ");
		if (text)
			fprintf(f, "%s\n", text + 11);
	}
	return fclose(f) ? fail(path) : 0;
}

int main(int argc, char **argv)
{
	char params[8192];
	int kmsg, mod, nr;

	if (argc != 3) {
		fprintf(stderr, "usage: lineobj DIR MODULE.ko\n");
		return 2;
	}
	nr = make_params(argv[1], params, sizeof(params));
	if (nr <= 0)
		return nr ? fail("record") : 0;
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		return fail("/dev/kmsg");
	mod = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (mod < 0 || syscall(SYS_finit_module, mod, params, 0))
		return fail(argv[2]);
	syscall(SYS_delete_module, "numasim_lineinfo", O_NONBLOCK);
	return collect(kmsg, argv[1]);
}
