/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Things that go on at the same time: workers, each a process of its own so that
 * one that hangs in the kernel holds up nobody else, a watchdog over them, and
 * the null_blk disks they work on.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>

#define MAX_WORKERS 80

/**
 * struct worker - One process.
 * @name: What it does, for messages.
 * @step: Called again and again, adds to @done; see &enum step.
 * @arg: For @step.
 * @goal: The work is complete when @done gets there; 0: goes on until all others
 *	with a goal have got there.
 * @pid: 0 after it ended.
 * @nr: Its number.
 * @done: What it did.
 * @refused: How often the kernel refused something that it may refuse.
 * @error: Why it failed.
 */
struct worker {
	const char *name;
	int (*step)(struct worker *w);
	const void *arg;
	unsigned long goal;
	int pid;
	unsigned int nr;
	volatile unsigned long done;
	volatile unsigned long refused;
	char error[256];
};

enum step { STEP_OK, STEP_FAILED, STEP_ENDED };

struct crew {
	volatile bool stop;
	unsigned int nr;
	long since;
	struct worker worker[MAX_WORKERS];
};

struct crew *crew_new(void);
struct worker *crew_add(struct crew *c, const char *name,
			int (*step)(struct worker *w), const void *arg,
			unsigned long goal);
/*
 * Wait for all of them. If nothing goes on for NUMAIO_PATIENCE seconds (default
 * 60), say how far everybody got, and end the program.
 */
bool crew_join(struct crew *c);
/* No one waits for another one's goal any more. */
void crew_stop(struct crew *c);
__attribute__((format(printf, 2, 3)))
int worker_fails(struct worker *w, const char *fmt, ...);

/**
 * struct verify - Writes to a disk which are read back and compared, with fio.
 * @disk: Name of the disk.
 * @jobs: Number of jobs, each on a CPU of its own, and on a part of the disk.
 * @depth: I/Os in flight of each job.
 * @kib: Size of each job's part.
 * @roam: Jobs run where the kernel's scheduler puts them.
 */
struct verify {
	const char *disk;
	int jobs;
	int depth;
	int kib;
	bool roam;
};

/* Let fio do so until the crew stops. @done is the number of I/Os; goes on at once. */
bool crew_add_verify(struct crew *c, const struct verify *v);
/* The same once over, and then all of it is read and compared. */
bool verify_once(const struct verify *v);

/* A step that reads a block, on a CPU by its number; the argument is a disk. */
int step_read(struct worker *w);

/**
 * hold_tags() - Have reads in flight from one CPU, all at once.
 * @disk: Name of a disk that takes long to complete them.
 * @cpu: The CPU.
 * @nr: Number of reads.
 *
 * Return: Number of tags that were in use meanwhile, -1 after an error.
 */
int hold_tags(const char *disk, int cpu, int nr);

/* Wait up to some seconds until no tag is in use any more. */
bool all_idle(const char *disk);

/* null_blk without polled queues, unless they say otherwise. */
__attribute__((format(printf, 1, 2)))
int nullb_load(const char *fmt, ...);
void nullb_unload(void);
/*
 * A disk made through configfs, "NAME=VALUE NAME=VALUE ..." set before it is
 * switched on; with "power=0" at the end it isn't. errno tells why not.
 */
int nullb_make(const char *disk, const char *settings);
int nullb_set(const char *disk, const char *name, const char *value);
void nullb_remove(const char *disk);

bool attr_is(const char *disk, const char *want);
/* Write to tag_placement: does it end like that (0 or an errno)? */
bool placement_write(const char *disk, const char *text, int want);

#endif /* LOAD_H */
