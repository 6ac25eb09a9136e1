// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which disks and hosts does the user mean?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show-parts.h"

/* "/dev/sda1" is sda; NULL if it is neither a disk nor a host. */
static char *find_name(const char *name)
{
	const char *base = strncmp(name, "/dev/", 5) ? name : name + 5;
	char *real, *slash, *partition;

	if (!*base || strchr(base, '/'))
		return NULL;
	real = sys_real("/sys/class/scsi_host/%s", base);
	if (!real)
		real = sys_real("/sys/block/%s", base);
	if (real) {
		free(real);
		return strdup(base);
	}
	real = sys_real("/sys/class/block/%s", base);
	if (!real)
		return NULL;
	slash = strrchr(real, '/');
	*slash = 0;
	slash = strrchr(real, '/');
	partition = slash ? sys_real("/sys/block/%s", slash + 1) : NULL;
	slash = partition ? strdup(slash + 1) : NULL;
	free(partition);
	free(real);
	return slash;
}

static void list_names(FILE *f, const char *dir)
{
	struct sys_names names;

	sys_list(&names, "%s", dir);
	for (size_t i = 0; i < names.nr; i++)
		fprintf(f, " %s", names.name[i]);
	sys_names_free(&names);
}

/* A disk is shown with those below it: paths of a multipath device. */
static void add_wanted(json_t *list, const char *name)
{
	struct sys_names names;

	if (json_has_string(list, name))
		return;
	json_add_string(list, name);
	sys_list(&names, "/sys/block/%s/slaves", name);
	for (size_t i = 0; i < names.nr; i++) {
		char *below = find_name(names.name[i]);

		if (below)
			add_wanted(list, below);
		free(below);
	}
	sys_names_free(&names);
}

/**
 * names_wanted() - The disks and hosts that were asked for.
 * @names: As they were given.
 * @nr: Number of names.
 * @command: For the message.
 *
 * Return: Their names in sysfs and those of the disks below them; NULL with a message if there
 * is no such disk or host.
 */
json_t *names_wanted(char **names, int nr, const char *command)
{
	json_t *list = json_array();

	for (int i = 0; i < nr; i++) {
		char *name = find_name(names[i]);

		if (!name) {
			fprintf(stderr, "numaio %s: no disk or SCSI host \"%s\"; there are:", command,
				names[i]);
			list_names(stderr, "/sys/class/scsi_host");
			list_names(stderr, "/sys/block");
			fputs(" (or all)\n", stderr);
			json_decref(list);
			return NULL;
		}
		add_wanted(list, name);
		free(name);
	}
	return list;
}
