/* SPDX-License-Identifier: GPL-2.0-only */
/* Text into a buffer, as in the kernel, or into a file. */
#ifndef SHIM_SEQ_FILE_H
#define SHIM_SEQ_FILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct seq_file {
	char *buf;
	size_t size;
	size_t count;
	FILE *f;
};

static inline bool seq_has_overflowed(const struct seq_file *m)
{
	return m->count >= m->size;
}

__attribute__((format(printf, 2, 3)))
static inline void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (m->f)
		vfprintf(m->f, fmt, ap);
	else if (m->count < m->size)
		m->count += vsnprintf(m->buf + m->count, m->size - m->count, fmt, ap);
	va_end(ap);
}

#define seq_puts(m, s)		seq_printf(m, "%s", s)
#define seq_putc(m, c)		seq_printf(m, "%c", c)

#endif
