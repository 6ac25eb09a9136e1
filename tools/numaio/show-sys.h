/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one way in which show, capture and watch read /sys and /proc: paths are absolute, and taken
 * below a root, which is / or a captured tree.
 */
#ifndef SHOW_SYS_H
#define SHOW_SYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Longer files are refused with EFBIG: /proc/interrupts of 500 CPUs and 1000 lines is 6 MB. */
#define SYS_FILE_MAX	(16 << 20)

/* In the root of a captured tree: what could not be read there, a line "ERRNO /path" each. */
#define SYS_CAPTURE_FILE	"numaio-capture"
#define SYS_CAPTURE_HEAD	"# numaio capture 1"

/* Told of everything that is read. @text has @len bytes, and none is 0. */
struct sys_hook {
	void (*file)(const char *path, const char *text, size_t len);
	void (*dir)(const char *path);
	void (*failed)(const char *path, int err);
};

struct sys_names {
	size_t nr;
	char **name;
};

int sys_set_root(const char *dir);
bool sys_is_live(void);
void sys_set_hook(const struct sys_hook *hook);

char *sys_read(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *sys_peek(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool sys_read_int(long long *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *sys_real(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int sys_list(struct sys_names *names, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sys_names_free(struct sys_names *names);

bool sys_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
json_t *sys_failures(void);
int sys_error_number(const char *name);
void sys_reset(void);

#endif
