// SPDX-License-Identifier: GPL-2.0-only
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "blkplace.h"
#include "completions.h"
#include "ktap.h"

#define READS 100

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

bool completions_are(const char *disk, const char *affinity, int cpu, enum where where, bool ipi)
{
	unsigned long c[NR_COUNTS] = { 0 };
	bool ok;

	ok = !write_line(affinity, "/sys/block/%s/queue/rq_affinity", disk) && completions_count(disk, true) &&
	     !run("taskset -c %d dd if=/dev/%s of=/dev/null bs=4k count=%d iflag=direct 2>/dev/null",
		  cpu, disk, READS) && completions_count(disk, false) && completions_read(disk, c);
	if (ok && c[where] >= READS * 9 / 10 && c[CPU] + c[NODE] + c[ELSEWHERE] < c[where] + READS / 10 &&
	    (ipi ? c[IPI] >= READS * 9 / 10 : c[IPI] < READS / 10))
		return true;
	ktap_note("rq_affinity %s from CPU %d: cpu %lu, node %lu, elsewhere %lu, ipi %lu", affinity,
		  cpu, c[CPU], c[NODE], c[ELSEWHERE], c[IPI]);
	return false;
}
