// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes what is read into a tree. A symbolic link on the way to a file becomes the same link
 * there: those of sysfs are relative. In /proc, where they depend on who looks, there are none.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture-tree.h"
#include "show-sys.h"

#define MAX_LINKS	40

static int tree = -1;
static FILE *notes;		/* SYS_CAPTURE_FILE */
static int first_error;
static size_t nr_files, nr_failed, nr_bytes;

static void failed(int err)
{
	if (!first_error)
		first_error = err;
}

/* Of the machine: is it a link, and where to? */
static bool link_at(const char *path, char *to, size_t size)
{
	ssize_t n = strncmp(path, "/proc/", 6) ? readlink(path, to, size - 1) : -1;

	if (n < 0)
		return false;
	to[n] = 0;
	return true;
}

static void make_link(const char *path, const char *to)
{
	if (symlinkat(to, tree, path + 1) && errno != EEXIST)
		failed(errno);
}

static void make_dir(const char *path)
{
	if (mkdirat(tree, path + 1, 0755) && errno != EEXIST)
		failed(errno);
}

/* "/a/b" and "../c" are "/a/../c", "/d" is "/d"; then what remains of the path. */
static bool follow(char *path, size_t dir, const char *to, const char *rest)
{
	char new[PATH_MAX];
	int n = snprintf(new, sizeof(new), "%.*s%s%s", *to == '/' ? 0 : (int)dir, path, to, rest);

	if (n >= (int)sizeof(new))
		return false;
	memcpy(path, new, n + 1);
	return true;
}

/* Remove "." and "..": directories before them are real, links have been followed. */
static bool remove_dots(char *path, size_t dir, size_t end)
{
	size_t n = end - dir, up = dir - 1;

	if (!n || n > 2 || memcmp(path + dir, "..", n))
		return false;
	if (n == 2)
		while (up && path[--up] != '/')
			;
	memmove(path + up, path + end, strlen(path + end) + 1);
	if (!*path)
		strcpy(path, "/");
	return true;
}

/**
 * make_parents() - Make directories and links on the way to a path.
 * @path: Path, absolute, with room for PATH_MAX; receives the one without links.
 *
 * The last component is followed, too, but not made.
 *
 * Return: Could it be done?
 */
static bool make_parents(char *path)
{
	size_t dir = 1, end;	/* of the component */
	char to[PATH_MAX], saved;
	int links = 0;

	while (path[dir]) {
		end = dir + strcspn(path + dir, "/");
		if (remove_dots(path, dir, end)) {
			dir = 1;	/* what was made stays */
			continue;
		}
		saved = path[end];
		path[end] = 0;
		if (link_at(path, to, sizeof(to))) {
			make_link(path, to);
			path[end] = saved;
			if (++links > MAX_LINKS || !follow(path, dir, to, path + end))
				return false;
			dir = 1;
			continue;
		}
		if (saved)
			make_dir(path);
		path[end] = saved;
		dir = saved ? end + 1 : end;
	}
	return true;
}

static void note(const char *path, int err)
{
	const char *name = strerrorname_np(err);

	fprintf(notes, "%s %s\n", name ? name : "EIO", path);
	nr_failed++;
}

static void write_file(const char *path, const char *text, size_t len)
{
	int fd = openat(tree, path + 1, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0) {
		failed(errno);
		return;
	}
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			failed(errno);
			break;
		}
		text += n;
		len -= n;
	}
	if (close(fd))
		failed(errno);
	nr_files++;
}

static void on_file(const char *name, const char *text, size_t len)
{
	char path[PATH_MAX];

	if (len > CAPTURE_FILE_MAX || nr_bytes + len > CAPTURE_MAX) {
		note(name, EFBIG);
		return;
	}
	nr_bytes += len;
	snprintf(path, sizeof(path), "%s", name);
	if (make_parents(path))
		write_file(path, text, len);
}

static void on_dir(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", name);
	if (make_parents(path))
		make_dir(path);
}

static const struct sys_hook hook = {
	.file = on_file,
	.dir = on_dir,
	.failed = note,
};

static bool is_empty(int fd)
{
	DIR *dir = fdopendir(dup(fd));
	struct dirent *e;
	bool empty = dir;

	while (dir && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			empty = false;
	if (dir)
		closedir(dir);
	return empty;
}

static int open_tree(const char *dir)
{
	int fd;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return -1;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !is_empty(fd)) {
		close(fd);
		errno = ENOTEMPTY;
		return -1;
	}
	return fd;
}

/**
 * capture_begin() - Begin to write what is read into a tree.
 * @dir: Its directory, which must not exist or be empty.
 *
 * Return: 0, or -1 with errno.
 */
int capture_begin(const char *dir)
{
	int fd, err;

	tree = open_tree(dir);
	if (tree < 0)
		return -1;
	first_error = 0;
	nr_files = nr_failed = nr_bytes = 0;
	fd = openat(tree, SYS_CAPTURE_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	notes = fd < 0 ? NULL : fdopen(fd, "w");
	if (!notes) {
		err = errno;
		close(tree);
		errno = err;
		return -1;
	}
	fputs(SYS_CAPTURE_HEAD "\n", notes);
	sys_set_hook(&hook);
	return 0;
}

int capture_end(size_t *files, size_t *unreadable)
{
	sys_set_hook(NULL);
	if (ferror(notes) | fclose(notes))
		failed(errno);
	close(tree);
	tree = -1;
	*files = nr_files;
	*unreadable = nr_failed;
	return first_error;
}
