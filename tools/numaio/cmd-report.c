// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "numaio.h"

int cmd_report(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr, "numaio: %s is not written yet\n", argv[0]);
	return EXIT_FAILED;
}
