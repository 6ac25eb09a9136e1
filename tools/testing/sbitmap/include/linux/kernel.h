/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define rounddown(x, y)	((x) - (x) % (y))

#endif
