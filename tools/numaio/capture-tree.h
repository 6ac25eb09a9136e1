/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of files that has what was read, see show-sys.h for who reads it.
 */
#ifndef CAPTURE_TREE_H
#define CAPTURE_TREE_H

#include <stddef.h>

/* Longer files are not captured, but noted as EFBIG. */
#define CAPTURE_FILE_MAX	(4 << 20)
/* All files together: what is beyond is noted the same way. */
#define CAPTURE_MAX		(64 << 20)

int capture_begin(const char *dir);
/* 0, or the first error while writing; @files, @unreadable: how many there are. */
int capture_end(size_t *files, size_t *unreadable);

#endif
