/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses to names, from a copy of the guest's /proc/kallsyms. */
#ifndef NUMASIM_SYMBOLS_H
#define NUMASIM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	const char *name;	/* without .isra.0, .constprop.0 and the like */
	const char *module;	/* "" for the kernel itself */
	bool text;
	bool global;
};

struct symbols {
	struct symbol *sym;	/* by address */
	size_t nr;
	char *text;		/* the names */
	uint64_t percpu_end;	/* static per-CPU variables lie below */
};

/**
 * symbols_load() - read a kallsyms file
 * @s: filled in
 * @path: file
 *
 * Return: 0, or -1 after a message on stderr; a file without addresses (read
 * by somebody else than root) is an error.
 */
int symbols_load(struct symbols *s, const char *path);

/**
 * symbols_check_map() - is this the kernel of that System.map, and in its place?
 * @s: the symbols of the running guest
 * @path: System.map of the build
 *
 * Return: 0, or -1 after a message on stderr.
 */
int symbols_check_map(const struct symbols *s, const char *path);

/* The function that @pc is in, or NULL. */
const struct symbol *symbols_text(const struct symbols *s, uint64_t pc);

/* The variable that @addr is in, or NULL. */
const struct symbol *symbols_data(const struct symbols *s, uint64_t addr);

#endif
