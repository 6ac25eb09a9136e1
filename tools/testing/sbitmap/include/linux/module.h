/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_MODULE_H
#define SHIM_MODULE_H

#include <linux/export.h>

#define MODULE_IMPORT_NS(ns)		struct shim_nothing
#define MODULE_DESCRIPTION(s)		struct shim_nothing
#define MODULE_LICENSE(s)		struct shim_nothing

#endif
