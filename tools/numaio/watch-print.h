/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WATCH_PRINT_H
#define WATCH_PRINT_H

#include <jansson.h>
#include <stdbool.h>

/* Print what watch_rates() returned; 0, or -1 with errno if it can't be written. */
int watch_print(json_t *rates, double seconds, bool json);

#endif
