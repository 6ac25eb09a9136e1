// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /sys and /proc, of this machine or of a captured tree.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "show-sys.h"

static int root = -1;			/* directory of the captured tree, -1: the machine */
static char root_path[PATH_MAX];	/* that directory, canonical */
static const struct sys_hook *hook;
static json_t *failures;		/* path: name of the error */
static json_t *known;			/* the same, as the capture has it */

/* A link of a captured tree must not lead out of it, whoever made it. */
static int open_path(const char *path, int flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};

	if (root < 0)
		return open(path, flags | O_CLOEXEC);
	return syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* The number of an error's name, 0 if there is none. */
int sys_error_number(const char *name)
{
	for (int e = 1; e < 256; e++) {
		const char *n = strerrorname_np(e);

		if (n && !strcmp(n, name))
			return e;
	}
	return 0;
}

/* What the kernel doesn't have is no failure; nor is a process that ended. */
static void note_failure(const char *path, int err)
{
	const char *name = strerrorname_np(err);

	if (err == ENOENT || err == ENOTDIR || err == ESRCH)
		return;
	if (!failures)
		failures = json_object();
	json_object_set_new(failures, path, json_string(name ? name : "EIO"));
	if (hook)
		hook->failed(path, err);
}

static int fail(const char *path, int err)
{
	json_t *name = known ? json_object_get(known, path) : NULL;

	if (err == ENOENT && name)
		err = sys_error_number(json_string_value(name));
	note_failure(path, err);
	errno = err;
	return -1;
}

static char *read_fd(int fd, size_t *len)
{
	size_t size = 4096, n = 0;
	char *text = malloc(size + 1);

	while (text) {
		ssize_t got = read(fd, text + n, size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += got;
		if (!got) {
			text[n] = 0;
			*len = n;
			if (!memchr(text, 0, n))
				return text;
			errno = EILSEQ;	/* no text */
			break;
		}
		if (n == size) {
			char *more = size < SYS_FILE_MAX ? realloc(text, size * 4 + 1) : NULL;

			if (!more) {
				errno = size < SYS_FILE_MAX ? ENOMEM : EFBIG;
				break;
			}
			text = more;
			size *= 4;
		}
	}
	free(text);
	return NULL;
}

static char *read_path(const char *path, bool tell)
{
	int fd = open_path(path, O_RDONLY | O_NONBLOCK), err;
	size_t len = 0;
	char *text;

	if (fd < 0) {
		if (tell)
			fail(path, errno);
		return NULL;
	}
	text = read_fd(fd, &len);
	err = errno;
	close(fd);
	if (!text) {
		errno = err;
		if (tell)
			fail(path, err);
		return NULL;
	}
	if (tell && hook)
		hook->file(path, text, len);
	if (len && text[len - 1] == '\n')
		text[len - 1] = 0;
	return text;
}

static int make_path(char *path, const char *fmt, va_list args)
{
	int n = vsnprintf(path, PATH_MAX, fmt, args);

	if (n >= 0 && n < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

#define MAKE_PATH(path, fmt) ({			\
	va_list args_;				\
	int res_;				\
	va_start(args_, fmt);			\
	res_ = make_path(path, fmt, args_);	\
	va_end(args_);				\
	res_;					\
})

/**
 * sys_read() - Read a file of text.
 * @fmt: Path.
 *
 * Return: What is in it, without the last newline; the caller frees it. NULL with errno if it
 * can't be read; unless it doesn't exist that is one of sys_failures().
 */
char *sys_read(const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(path, fmt) ? NULL : read_path(path, true);
}

/* As sys_read(), but no one is told of it: for files that turn out not to matter. */
char *sys_peek(const char *fmt, ...)
{
	char path[PATH_MAX];

	return MAKE_PATH(path, fmt) ? NULL : read_path(path, false);
}

/* Read a file that begins with a number. */
bool sys_read_int(long long *value, const char *fmt, ...)
{
	char path[PATH_MAX], *text, *end = NULL;

	text = MAKE_PATH(path, fmt) ? NULL : read_path(path, true);
	if (text) {
		errno = 0;
		*value = strtoll(text, &end, 10);
		if (end == text || errno)
			end = NULL;
	}
	free(text);
	return end;
}

/**
 * sys_real() - The path of a file or directory without symbolic links.
 * @fmt: Path.
 *
 * Return: Path below the root, the caller frees it; NULL if it doesn't exist.
 */
char *sys_real(const char *fmt, ...)
{
	char path[PATH_MAX], self[64], real[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	if (MAKE_PATH(path, fmt))
		return NULL;
	fd = open_path(path, O_PATH);
	if (fd < 0) {
		fail(path, errno);
		return NULL;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, real, sizeof(real) - 1);
	if (hook && !fstat(fd, &st) && S_ISDIR(st.st_mode))
		hook->dir(path);
	close(fd);
	if (n < 0)
		return NULL;
	real[n] = 0;
	return strdup(root < 0 ? real : real + strlen(root_path));
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct sys_names *names)
{
	if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), by_version);
}

static int add_name(struct sys_names *names, const char *name)
{
	char **more = realloc(names->name, (names->nr + 1) * sizeof(*more));

	if (!more)
		return -1;
	names->name = more;
	more[names->nr] = strdup(name);
	return more[names->nr++] ? 0 : -1;
}

/**
 * sys_list() - List a directory.
 * @names: Receives the names, sorted, numbers in them by their value; none on failure.
 * @fmt: Path.
 *
 * A capture does not have an entry only because it was listed.
 *
 * Return: 0, or -1 with errno.
 */
int sys_list(struct sys_names *names, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir = NULL;
	int fd;

	*names = (struct sys_names){};
	if (MAKE_PATH(path, fmt))
		return -1;
	fd = open_path(path, O_RDONLY | O_DIRECTORY);
	if (fd >= 0)
		dir = fdopendir(fd);
	if (!dir) {
		int err = errno;

		if (fd >= 0)
			close(fd);
		return fail(path, err);
	}
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && add_name(names, e->d_name))
			break;
	closedir(dir);
	sort(names);
	if (hook)
		hook->dir(path);
	/* A directory that could not be listed is an empty one in a capture of it. */
	return !names->nr && known && json_object_get(known, path) ? fail(path, ENOENT) : 0;
}

void sys_names_free(struct sys_names *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct sys_names){};
}

static void load_known(void)
{
	char *text = read_path("/" SYS_CAPTURE_FILE, false), *rest = text, *line;

	known = json_object();
	while ((line = strsep(&rest, "\n"))) {
		char *path = strchr(line, ' ');

		if (*line == '#' || !path)
			continue;
		*path++ = 0;
		if (sys_error_number(line))
			json_object_set_new(known, path, json_string(line));
	}
	free(text);
}

/**
 * sys_set_root() - Read a captured tree from now on.
 * @dir: Its directory.
 *
 * Return: 0, or -1 with errno.
 */
int sys_set_root(const char *dir)
{
	char sys[PATH_MAX];
	struct stat st;

	if (!realpath(dir, root_path))
		return -1;
	if (snprintf(sys, sizeof(sys), "%s/sys", root_path) >= (int)sizeof(sys)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (stat(sys, &st))
		return -1;
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	if (!strcmp(root_path, "/"))
		root_path[0] = 0;
	load_known();
	return 0;
}

bool sys_is_live(void)
{
	return root < 0;
}

/* Have all reads told to @h from now on, NULL: to no one. */
void sys_set_hook(const struct sys_hook *h)
{
	hook = h;
}

/* Was there an error other than that it doesn't exist? */
bool sys_failed(const char *fmt, ...)
{
	char path[PATH_MAX];

	return !MAKE_PATH(path, fmt) && json_object_get(failures, path);
}

/**
 * sys_failures() - What could not be read so far.
 *
 * Return: An array of { "path", "error" }, by path.
 */
json_t *sys_failures(void)
{
	json_t *list = json_array(), *name;
	struct sys_names sorted = {};
	const char *path;

	json_object_foreach(failures, path, name)
		add_name(&sorted, path);
	sort(&sorted);
	for (size_t i = 0; i < sorted.nr; i++)
		json_array_append_new(list, json_pack("{s:s, s:O}", "path", sorted.name[i], "error",
						json_object_get(failures, sorted.name[i])));
	sys_names_free(&sorted);
	return list;
}

/* Forget what could not be read; and the captured tree. */
void sys_reset(void)
{
	json_decref(failures);
	json_decref(known);
	failures = known = NULL;
	if (root >= 0)
		close(root);
	root = -1;
}
