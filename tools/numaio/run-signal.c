// SPDX-License-Identifier: GPL-2.0-only
/*
 * SIGINT, SIGTERM and SIGHUP are blocked from the start to the end: they are looked at where
 * that is safe, so that no setting is half made and restoring can't be interrupted.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "run.h"

static int fd = -1, seen;

static void signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void run_signal_block(void)
{
	sigset_t set;

	signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0)
		fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* For a child that is about to become another program. */
void run_signal_unblock(void)
{
	sigset_t set;

	signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

int run_signal_fd(void)
{
	return fd;
}

/* The first signal that came, or 0. */
int run_signalled(void)
{
	struct signalfd_siginfo info;

	while (fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info))
		if (!seen)
			seen = info.ssi_signo;
	return seen;
}
