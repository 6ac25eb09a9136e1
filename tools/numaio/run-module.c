// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings that take a program: modules with parameters (unload and load), and pairs of shell
 * commands.
 *
 * The value of a module is "not loaded" or a line "NAME=VALUE" for each parameter that can be
 * read. To restore one, it is loaded as modprobe.d has it; if a parameter is another than it
 * was then, it is loaded once more with those.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

int run_lock_fd = -1;

#define ABSENT	"not loaded"

static char *why(const char *program, int status, int fd)
{
	char *line = run_last_line(fd), *error;

	if (WIFSIGNALED(status))
		error = run_format("%s was killed by signal %d", program, WTERMSIG(status));
	else
		error = run_format("%s ended with %d%s%s", program, WEXITSTATUS(status),
				   *line ? ": " : "", line);
	free(line);
	return error;
}

/*
 * Runs a program to its end, in a process group of its own so that ^C on the terminal doesn't
 * reach it; it may keep a descriptor. NULL, or why it failed.
 */
char *run_child(char *const argv[], int keep)
{
	int fd = memfd_create("output", MFD_CLOEXEC), status = 0;
	char *error = NULL;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		if (keep >= 0)
			fcntl(keep, F_SETFD, 0);
		run_signal_unblock();
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execvp(argv[0], argv);
		dprintf(2, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0)
		error = run_format("fork: %s", strerror(errno));
	else if (waitpid(pid, &status, 0) < 0)
		error = run_format("wait: %s", strerror(errno));
	else if (status)
		error = why(argv[0], status, fd);
	close(fd);
	return error;
}

static char *parameters(const char *module)
{
	char *dir = run_format("/sys/module/%s/parameters", module), *all = run_dup("");
	struct run_strs names = { 0 };

	run_find_files(dir, ".*", &names);
	for (size_t i = 0; i < names.n; i++) {
		char *path = run_format("%s/%s", dir, names.v[i]), *value = run_read(path), *next;

		if (value && !strchr(value, '\n')) {
			next = run_format("%s%s%s=%s", all, *all ? "\n" : "", names.v[i], value);
			free(all);
			all = next;
		}
		free(path);
		free(value);
	}
	run_strs_free(&names);
	free(dir);
	return all;
}

static bool exists(const char *module, const char *file)
{
	char *name = run_format("/sys/module/%s%s", module, file), *path = run_path(name);
	bool found = !access(path, F_OK);

	free(name);
	free(path);
	return found;
}

static char *read_module(const char *where)
{
	if (!exists(where, ""))
		return run_dup(ABSENT);
	if (!exists(where, "/initstate")) {
		errno = EBUSY;	/* built in */
		return NULL;
	}
	return parameters(where);
}

/* Splits "A=B" or lines of such; each word is one. */
static void assignments(const char *value, struct run_strs *l)
{
	char *copy = run_dup(value), *save, *w;

	for (w = strtok_r(copy, "\n", &save); w; w = strtok_r(NULL, "\n", &save))
		run_strs_add(l, run_dup(w));
	free(copy);
}

static bool same_param(const char *a, const char *b)
{
	double x, y;

	if (!strcmp(a, b))
		return true;
	if (run_number(a, -1e18, 1e18, &x) && run_number(b, -1e18, 1e18, &y))
		return x == y;
	return (strchr("1Yy", *a) && strchr("1Yy", *b) && *a && *b && !a[1] && !b[1]) ||
	       (strchr("0Nn", *a) && strchr("0Nn", *b) && *a && *b && !a[1] && !b[1]);
}

/* The line of a parameter of that name in value, or NULL. */
static char *param_in(const char *value, const char *assignment)
{
	size_t len = strcspn(assignment, "=");
	struct run_strs l = { 0 };
	char *found = NULL;

	assignments(value, &l);
	for (size_t i = 0; i < l.n && !found; i++)
		if (!strncmp(l.v[i], assignment, len + 1))
			found = run_dup(l.v[i]);
	run_strs_free(&l);
	return found;
}

/* Does value have all parameters of asked? One that can't be read is no difference. */
static bool same_module(const char *asked, const char *value)
{
	struct run_strs l = { 0 };
	bool same = true;

	if (!strcmp(asked, ABSENT) || !strcmp(value, ABSENT))
		return !strcmp(asked, value);
	assignments(asked, &l);
	for (size_t i = 0; i < l.n && same; i++) {
		size_t name = strcspn(l.v[i], "=") + 1;
		char *line = param_in(value, l.v[i]);

		if (line)
			same = same_param(l.v[i] + name, line + name);
		free(line);
	}
	run_strs_free(&l);
	return same;
}

/* Of all parameters those that were asked for. */
static char *show_module(const char *asked, const char *value)
{
	struct run_strs l = { 0 };
	char *out, *next, *line;

	if (!strcmp(value, ABSENT))
		return run_dup(value);
	out = run_dup("");
	assignments(asked, &l);
	for (size_t i = 0; i < l.n; i++) {
		line = param_in(value, l.v[i]);
		next = run_format("%s%s%s", out, *out && line ? " " : "", line ? line : "");
		free(line);
		free(out);
		out = next;
	}
	run_strs_free(&l);
	return out;
}

static char *unload(const char *module)
{
	char *argv[] = { "modprobe", "-r", (char *)module, NULL };

	return exists(module, "") ? run_child(argv, run_lock_fd) : NULL;
}

static char *load(const char *module, const struct run_strs *params)
{
	char **argv = calloc(params->n + 3, sizeof(*argv)), *error;

	if (!argv)
		abort();
	argv[0] = "modprobe";
	argv[1] = (char *)module;
	for (size_t i = 0; i < params->n; i++)
		argv[i + 2] = params->v[i];
	error = run_child(argv, run_lock_fd);
	free(argv);
	return error;
}

/* What of "was" isn't so after a load without parameters. */
static void differences(const char *was, const char *now, struct run_strs *l)
{
	struct run_strs all = { 0 };

	assignments(was, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!same_module(all.v[i], now) && !strstr(all.v[i], "=(null)"))
			run_strs_add(l, run_dup(all.v[i]));
	run_strs_free(&all);
}

static char *reload(const char *module, const struct run_strs *params)
{
	char *error = unload(module);

	return error ? error : load(module, params);
}

static char *write_module(const char *where, const char *value)
{
	struct run_strs params = { 0 };
	char *error;

	assignments(value, &params);
	error = reload(where, &params);
	run_strs_free(&params);
	return error;
}

static char *restore_module(const char *where, const char *was)
{
	struct run_strs params = { 0 };
	char *error, *now;

	if (!strcmp(was, ABSENT))
		return unload(where);
	error = reload(where, &params);
	now = error ? NULL : read_module(where);
	if (now)
		differences(was, now, &params);
	if (params.n)
		error = reload(where, &params);
	free(now);
	run_strs_free(&params);
	return error;
}

const struct run_store run_module = {
	"module", read_module, write_module, same_module, restore_module, show_module };

char *run_module_check(const char *target, const char *value)
{
	struct run_strs words = { 0 };
	char *error = NULL;

	for (const char *p = target; *p && !error; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			error = run_format("\"%s\" is no name of a module (letters, digits, _)",
					   target);
	run_strs_words(&words, value);
	for (size_t i = 0; i < words.n && !error; i++)
		if (!strchr(words.v[i], '=') || *words.v[i] == '=' || *words.v[i] == '-')
			error = run_format("\"%s\" is no PARAMETER=VALUE", words.v[i]);
	run_strs_free(&words);
	return error;
}

void run_module_find(const struct run_want *w, struct run_changes *l)
{
	struct run_strs words = { 0 };
	char *asked = run_dup(""), *next;

	if (exists(w->target, "") && !exists(w->target, "/initstate")) {
		run_change_refused(l, w->kind->name, w->target, w->value,
				   run_dup("it is built into the kernel"));
		free(asked);
		return;
	}
	run_strs_words(&words, w->value);
	for (size_t i = 0; i < words.n; i++) {
		next = run_format("%s%s%s", asked, *asked ? "\n" : "", words.v[i]);
		free(asked);
		asked = next;
	}
	run_strs_free(&words);
	run_change_add(l, w->kind->name, run_dup(w->target), &run_module, run_dup(w->target),
		       asked);
}

/* The way back is "where"; whether it was gone can't be read. */
static char *shell(const char *command)
{
	char *argv[] = { "/bin/sh", "-c", (char *)command, NULL };

	return run_child(argv, -1);
}

static char *write_shell(const char *where, const char *value)
{
	(void)where;
	return shell(value);
}

static char *restore_shell(const char *where, const char *was)
{
	(void)was;
	return shell(where);
}

const struct run_store run_shell = { "shell", NULL, write_shell, NULL, restore_shell, NULL };

char *run_shell_check(const char *target, const char *value)
{
	if (!*target || !*value)
		return run_dup("a command and one that undoes it are needed; \"true\" does nothing");
	return NULL;
}

void run_shell_find(const struct run_want *w, struct run_changes *l)
{
	run_change_add(l, w->kind->name, run_dup(w->target), &run_shell, run_dup(w->value),
		       run_dup(w->target));
}
