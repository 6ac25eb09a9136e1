// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is to be restored, in RECORD.journal: a line of JSON before each change, another after it
 * was undone. It is on the disk before the change is made, so that a kill -9 loses nothing. The
 * file is locked by the numaio that runs the experiment, and is removed when nothing is left.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "clock.h"
#include "run.h"

#define PATIENCE	2.0	/* seconds */

struct run_journal {
	char *path;
	int fd;
	int last;
	size_t n;
	struct run_change *pending;	/* those not undone, in order */
};

static char *path_of(const char *record)
{
	char *dir = run_dup(record), *slash = strrchr(dir, '/'), *full, *path;

	if (slash)
		slash[slash == dir] = '\0';
	full = realpath(slash ? dir : ".", NULL);
	slash = strrchr(record, '/');
	path = run_format("%s/%s.journal", full ? full : dir, slash ? slash + 1 : record);
	free(full);
	free(dir);
	return path;
}

bool run_journal_exists(const char *record)
{
	char *path = path_of(record);
	bool exists = !access(path, F_OK);

	free(path);
	return exists;
}

const char *run_journal_path(const struct run_journal *j)
{
	return j->path;
}

static bool put(struct run_journal *j, json_t *line)
{
	char *text = json_dumps(line, JSON_COMPACT), *whole = run_format("%s\n", text);
	size_t len = strlen(whole);
	bool ok = write(j->fd, whole, len) == (ssize_t)len && !fdatasync(j->fd);

	json_decref(line);
	free(text);
	free(whole);
	return ok;
}

static void remember(struct run_journal *j, const struct run_change *c, int entry)
{
	struct run_change copy = {
		.kind = c->kind, .target = run_dup(c->target), .store = c->store,
		.where = run_dup(c->where), .asked = run_dup(c->asked), .was = run_dup(c->was),
		.journal = entry,
	};

	j->pending = run_grow(j->pending, j->n, sizeof(*j->pending));
	j->pending[j->n++] = copy;
}

static void forget(struct run_journal *j, int entry)
{
	for (size_t i = 0; i < j->n; i++) {
		struct run_change *c = &j->pending[i];

		if (c->journal != entry)
			continue;
		free(c->target);
		free(c->where);
		free(c->asked);
		free(c->was);
		memmove(c, c + 1, (--j->n - i) * sizeof(*c));
		return;
	}
}

/* The number of the entry, 0: it isn't on the disk. */
int run_journal_add(struct run_journal *j, const struct run_change *c)
{
	json_t *line = json_pack("{s:i s:s s:s s:o s:o s:o s:o}", "entry", j->last + 1, "kind",
				 c->kind, "store", c->store->name, "target", run_text(c->target),
				 "where", run_text(c->where), "asked", run_text(c->asked), "was",
				 run_text(c->was));

	if (!put(j, line))
		return 0;
	remember(j, c, ++j->last);
	return j->last;
}

bool run_journal_done(struct run_journal *j, int entry)
{
	forget(j, entry);
	return put(j, json_pack("{s:i}", "done", entry));
}

static const char *text_in(json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));

	return s ? s : "";
}

static void replay(struct run_journal *j, json_t *line)
{
	const struct run_kind *kind = run_kind_named(text_in(line, "kind"));
	struct run_change c = {
		.store = run_store_named(text_in(line, "store")),
		.kind = kind ? kind->name : NULL,
		.target = (char *)text_in(line, "target"), .where = (char *)text_in(line, "where"),
		.asked = (char *)text_in(line, "asked"), .was = (char *)text_in(line, "was"),
	};
	int entry = json_integer_value(json_object_get(line, "entry"));

	if (json_object_get(line, "done"))
		forget(j, json_integer_value(json_object_get(line, "done")));
	else if (c.store && c.kind && entry > 0)
		remember(j, &c, entry);
	if (entry > j->last)
		j->last = entry;
}

/* A last line that is cut off belongs to a change that wasn't made. */
static void read_entries(struct run_journal *j)
{
	FILE *f = fopen(j->path, "re");
	char *text = NULL;
	size_t room = 0;
	json_t *line;

	while (f && getline(&text, &room, f) > 0) {
		line = json_loads(text, 0, NULL);
		if (line)
			replay(j, line);
		json_decref(line);
	}
	free(text);
	if (f)
		fclose(f);
}

/*
 * A numaio that was killed may have left a modprobe, which holds the lock until it has ended, or
 * a child that hasn't become the load yet.
 */
static bool lock(int fd, double patience)
{
	double end = clock_seconds() + patience;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK || clock_seconds() >= end)
			return false;
		usleep(50000);
	}
	return true;
}

struct run_journal *run_journal_open(const char *record, bool create, char **error)
{
	struct run_journal *j = calloc(1, sizeof(*j));

	if (!j)
		abort();
	j->path = path_of(record);
	j->fd = open(j->path, O_RDWR | O_APPEND | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0),
		     0600);
	if (j->fd < 0) {
		*error = run_format("%s: %s", j->path, strerror(errno));
	} else if (!lock(j->fd, create ? 0 : PATIENCE)) {
		*error = run_format("%s: %s", j->path, errno == EWOULDBLOCK ?
				    "another numaio is running this experiment" : strerror(errno));
	} else {
		if (!create)
			read_entries(j);
		run_lock_fd = j->fd;
		return j;
	}
	run_journal_close(j, false);
	return NULL;
}

/* All that is left, in reverse order. False: something couldn't be restored. */
bool run_journal_undo(struct run_journal *j, json_t *restored)
{
	bool ok = true;

	for (size_t i = j->n; i--; ) {
		if (run_undo_one(&j->pending[i], restored))
			run_journal_done(j, j->pending[i].journal);
		else
			ok = false;
	}
	return ok;
}

/* The journal goes only when nothing is left to be restored. */
void run_journal_close(struct run_journal *j, bool remove)
{
	if (remove && !j->n)
		unlink(j->path);
	while (j->n)
		forget(j, j->pending[0].journal);
	if (j->fd >= 0)
		close(j->fd);
	run_lock_fd = -1;
	free(j->pending);
	free(j->path);
	free(j);
}

static bool has_variable(const char *pid, const char *variable)
{
	char path[64], text[65536];
	size_t len = strlen(variable) + 1;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%.16s/environ", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text), f) : 0;
	if (f)
		fclose(f);
	return n >= len && memmem(text, n, variable, len);
}

/* What a load that numaio could no longer end has left behind. */
void run_journal_kill_load(const struct run_journal *j)
{
	char *variable = run_format("NUMAIO_JOURNAL=%s", j->path);
	DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc)))
		if (isdigit((unsigned char)*e->d_name) && atoi(e->d_name) != getpid() &&
		    has_variable(e->d_name, variable))
			kill(atoi(e->d_name), SIGKILL);
	if (proc)
		closedir(proc);
	free(variable);
}
