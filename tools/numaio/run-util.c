// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text and small files.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "run.h"

#define FILE_MAX	(16 << 20)	/* /proc/interrupts of 500 CPUs and 1000 lines is 6 MB */

const char *run_sysroot = "";

static void *have(void *p)
{
	if (!p) {
		fputs("numaio: out of memory\n", stderr);
		abort();
	}
	return p;
}

char *run_format(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return have(s);
}

char *run_dup(const char *s)
{
	return s ? have(strdup(s)) : NULL;
}

/* Room for one more after n. */
void *run_grow(void *p, size_t n, size_t size)
{
	if (n & (n - 1))
		return p;
	return have(reallocarray(p, n ? 2 * n : 1, size));
}

char *run_trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

char *run_path(const char *path)
{
	return run_format("%s%s", run_sysroot, path);
}

static char *read_fd(int fd)
{
	size_t len = 0, room = 4096;
	char *s = have(malloc(room + 1));
	ssize_t n;

	while ((n = read(fd, s + len, room - len)) > 0) {
		bool ends = memchr(s + len, '\0', n);

		len += n;
		if (ends)
			break;
		if (len < room)
			continue;
		if (room >= FILE_MAX) {
			errno = EFBIG;
			n = -1;
			break;
		}
		room *= 2;
		s = have(realloc(s, room + 1));
	}
	if (n < 0) {
		int error = errno;

		free(s);
		errno = error;
		return NULL;
	}
	s[len] = '\0';
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return s;
}

/* A file of sysfs or procfs, up to a NUL, without white space at its end; or NULL and errno. */
char *run_read(const char *path)
{
	char *full = run_path(path), *s = NULL;
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

	if (fd >= 0) {
		s = read_fd(fd);
		error = errno;
		close(fd);
		errno = error;
	}
	error = errno;
	free(full);
	errno = error;
	return s;
}

/* Returns 0 or an errno. */
int run_write(const char *path, const char *value)
{
	char *full = run_path(path), *line = run_format("%s\n", value);
	int fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK), error = 0;
	size_t len = strlen(line);
	ssize_t n;

	free(full);
	if (fd < 0) {
		error = errno;
	} else {
		n = write(fd, line, len);
		if (n < 0)
			error = errno;
		else if ((size_t)n != len)
			error = EIO;
		if (close(fd) && !error)
			error = errno;
	}
	free(line);
	return error;
}

bool run_is_utf8(const char *s)
{
	json_t *j = json_string(s);

	json_decref(j);
	return j;
}

/* A JSON string of anything: jansson takes only UTF-8. */
json_t *run_text(const char *s)
{
	json_t *j = s ? json_string(s) : json_null();
	char *copy;

	if (j)
		return j;
	copy = run_dup(s);
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

char *run_date(void)
{
	char text[CLOCK_DATE_MAX];

	clock_date(text);
	return run_dup(text);
}

/* The last line of what a child wrote into a file, or the end of it if it is long. */
char *run_last_line(int fd)
{
	char text[512], *line;
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n = pread(fd, text, sizeof(text) - 1, size > 511 ? size - 511 : 0);

	n = n > 0 ? n : 0;
	text[n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	line = run_trim(text);
	return run_dup(strrchr(line, '\n') ? strrchr(line, '\n') + 1 : line);
}

bool run_number(const char *s, double min, double max, double *value)
{
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return false;
	errno = 0;
	*value = strtod(s, &end);
	return !errno && !*end && *value >= min && *value <= max;
}

void run_strs_add(struct run_strs *l, char *s)
{
	l->v = run_grow(l->v, l->n, sizeof(*l->v));
	l->v[l->n++] = s;
}

void run_strs_words(struct run_strs *l, const char *s)
{
	char *copy = run_dup(s), *save, *w;

	for (w = strtok_r(copy, " \t", &save); w; w = strtok_r(NULL, " \t", &save))
		run_strs_add(l, run_dup(w));
	free(copy);
}

void run_strs_free(struct run_strs *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct run_strs){ 0 };
}
