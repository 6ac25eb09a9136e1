// SPDX-License-Identifier: GPL-2.0-only
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "blkplace.h"
#include "completions.h"

bool completions_count(const char *disk, bool on)
{
	return !run("for f in /sys/kernel/debug/block/%s/hctx*/completions; do echo %d >$f || exit; done",
		    disk, on);
}

bool completions_read(const char *disk, unsigned long c[NR_COUNTS])
{
	unsigned long of[NR_COUNTS];
	char path[96], line[128];
	bool found = false;
	glob_t files;
	size_t i;
	FILE *f;
	int k;

	memset(c, 0, NR_COUNTS * sizeof(*c));
	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/hctx*/completions", disk);
	if (glob(path, 0, NULL, &files))
		return false;
	for (i = 0; i < files.gl_pathc; i++) {
		f = fopen(files.gl_pathv[i], "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, "cpu=%lu node=%lu elsewhere=%lu ipi=%lu", &of[CPU],
				   &of[NODE], &of[ELSEWHERE], &of[IPI]) != 4)
				continue;
			found = true;
			for (k = 0; k < NR_COUNTS; k++)
				c[k] += of[k];
		}
		if (f)
			fclose(f);
	}
	globfree(&files);
	return found;
}
