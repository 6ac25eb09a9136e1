/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_EXPORT_H
#define SHIM_EXPORT_H

#define EXPORT_SYMBOL(sym)		struct shim_nothing
#define EXPORT_SYMBOL_GPL(sym)		struct shim_nothing
#define EXPORT_SYMBOL_NS(sym, ns)	struct shim_nothing

#endif
