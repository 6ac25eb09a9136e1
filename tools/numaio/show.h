/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where everything is, as one JSON document. man/numaio-show.rst describes it.
 */
#ifndef SHOW_H
#define SHOW_H

#include <jansson.h>

#define SHOW_SCHEMA	1

json_t *show_placement(void);

#endif
