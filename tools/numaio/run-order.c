// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of variants in a block: a shuffle that depends on seed and block alone, so that it
 * is the same after an interruption and on every host.
 */
#include "run.h"
#include "stats.h"

/* 0 .. n - 1, each as likely as any other. */
static size_t below(uint64_t *state, size_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do {
		x = stats_random(state);
	} while (x >= limit);
	return x % n;
}

void run_order(long long seed, int block, size_t n, size_t *order)
{
	uint64_t state = seed, mixed;

	mixed = stats_random(&state) ^ (uint64_t)block * 0xd1342543de82ef95;
	for (size_t i = 0; i < n; i++) {
		size_t k = below(&mixed, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}
