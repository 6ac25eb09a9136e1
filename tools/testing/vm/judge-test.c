// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the judge: what guests wrote, and what has to come out. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

#define END0	"\036exit 0\n"
#define KTAP2	"KTAP version 1\n1..2\n"

static const struct {
	const char *name;
	const char *verdict;
	const char *console;
	int code;
	const char *why;	/* start of the reason */
} cases[] = {
	/* the end line */
	{ "no output", END0, "", EXIT_OK, "" },
	{ "plain output", "hello\nworld\n" END0, "", EXIT_OK, "" },
	{ "output without a newline", "hello" END0, "", EXIT_OK, "" },
	{ "skipped", "1..0 # SKIP no disk\n\036exit 4\n", "", EXIT_SKIPPED, "" },
	{ "exit 1", "hello\n\036exit 1\n", "", EXIT_FAILED, "the command's exit code is 1" },
	{ "exit 127", "\036exit 127\n", "", EXIT_FAILED, "the command's exit code is 127" },
	{ "nothing at all", "", "", EXIT_FAILED, "truncated: the guest ended before" },
	{ "no end line", "hello\n", "", EXIT_FAILED, "truncated: the guest ended before" },
	{ "half an end line", "\036exit 0", "", EXIT_FAILED, "output after the end, or no end" },
	{ "end line of no number", "\036exit\n", "", EXIT_FAILED, "init's last line is 'exit'" },
	{ "end line of a bad number", "\036exit 256\n", "", EXIT_FAILED, "init's last line is" },
	{ "end line of a bad word", "\036exit 0x\n", "", EXIT_FAILED, "init's last line is" },
	{ "two end lines", END0 END0, "", EXIT_FAILED, "output after the end" },
	{ "output after the end", END0 "late\n", "", EXIT_FAILED, "output after the end: 'late'" },

	/* KTAP */
	{ "all passed", KTAP2 "ok 1 a\nok 2 - b # SKIP no\n" END0, "", EXIT_OK, "" },
	{ "plan at the end", "KTAP version 1\nok 1\nok 2\n1..2\n" END0, "", EXIT_OK, "" },
	{ "no plan", "ok 1\nok 2\n" END0, "", EXIT_OK, "" },
	{ "two documents", KTAP2 "ok 1\nok 2\n" KTAP2 "ok 1\nok 2\n" END0, "", EXIT_OK, "" },
	{ "two plans", "1..1\nok 1\n1..1\nok 1\n" END0, "", EXIT_OK, "" },
	{ "subtests", KTAP2 "  KTAP version 1\n  # Subtest: x\n  1..2\n  ok 1\n  ok 2\nok 1\n"
	  "    1..1\n    ok 1\nok 2\n" END0, "", EXIT_OK, "" },
	{ "diagnostics and other words", KTAP2 "# not ok 1\nok then\nokay 7\n1..x\nok 1\nok 2\n"
	  END0,
	  "", EXIT_OK, "" },
	{ "not ok, exit 0", KTAP2 "not ok 1 a\nok 2\n" END0, "",
	  EXIT_FAILED, "failed test: 'not ok 1 a'" },
	{ "not ok, exit 1", KTAP2 "ok 1\nnot ok 2 b\n\036exit 1\n", "", EXIT_FAILED,
	  "failed test: 'not ok 2 b'" },
	{ "not ok, exit 4", "not ok 1\n\036exit 4\n", "", EXIT_FAILED, "failed test: 'not ok 1'" },
	{ "not ok without a number", "not ok\n" END0, "", EXIT_FAILED, "failed test: 'not ok'" },
	{ "not ok without a newline", "not ok 1" END0, "", EXIT_FAILED, "failed test: 'not ok 1'" },
	{ "not ok in a subtest", "1..1\n  1..1\n  not ok 1 x\nok 1\n" END0, "", EXIT_FAILED,
	  "failed test: 'not ok 1 x'" },
	{ "result missing at the end", KTAP2 "ok 1\n" END0, "", EXIT_FAILED,
	  "truncated: KTAP plan 1..2, but 1 results" },
	{ "result missing in between", "1..3\nok 1\nok 3\n" END0, "", EXIT_FAILED,
	  "KTAP result 2 expected, got 'ok 3'" },
	{ "more results than planned", "1..1\nok 1\nok 2\n" END0, "", EXIT_FAILED,
	  "truncated: KTAP plan 1..1, but 2 results" },
	{ "plan only", "1..1\n" END0, "", EXIT_FAILED, "truncated: KTAP plan 1..1, but 0 results" },
	{ "header only", "KTAP version 1\n" END0, "",
	  EXIT_FAILED, "truncated: KTAP header without" },
	{ "first of two documents short", KTAP2 "ok 1\n" KTAP2 "ok 1\nok 2\n" END0, "", EXIT_FAILED,
	  "truncated: KTAP plan 1..2, but 1 results" },
	{ "subtest short", "1..1\n  1..2\n  ok 1\nok 1\n" END0, "", EXIT_FAILED,
	  "truncated: KTAP plan 1..2, but 1 results" },
	{ "subtest without its result", "1..1\n  1..1\n  ok 1\n" END0, "", EXIT_FAILED,
	  "truncated: KTAP plan 1..1, but 0 results" },
	{ "bail out", "1..1\nBail out! no disk\n" END0, "", EXIT_FAILED, "'Bail out! no disk'" },
	{ "cut off", KTAP2 "ok 1\nok", "", EXIT_FAILED, "truncated: the guest ended before" },

	/* the console; it comes before everything else */
	{ "harmless console", END0,
	  "[    0.000000] Linux version 6.12.117 (debug@WARN)\n"
	  "[    2.1] x: loading out-of-tree module taints kernel.\n"
	  "[    2.1] x: module verification failed: signature and/or required key missing\n"
	  "[    2.2] kmemleak: Kernel memory leak detector initialized (mem pool available: 15679)\n"
	  "[    2.3] no locks, bug-free, warning: low\n[    2.4] reboot: Power down\n", EXIT_OK, "" },
#define SPLAT(text) { text, END0, "[    1.0] fine\n[    2.345678] " text "\r\n[    3.0] fine\n", \
	EXIT_FAILED, "console: '[    2.345678] " text "'" }
	SPLAT("WARNING: CPU: 1 PID: 77 at lib/sbitmap.c:123 sbitmap_get+0x1/0x2"),
	SPLAT("BUG: unable to handle page fault for address: ffffffffc0000000"),
	SPLAT("BUG: KASAN: slab-use-after-free in blk_mq_free_request+0x1/0x2"),
	SPLAT("BUG: sleeping function called from invalid context at mm/slab.h:1"),
	SPLAT("BUG: scheduling while atomic: sh/77/0x00000002"),
	SPLAT("BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!"),
	SPLAT("BUG: spinlock bad magic on CPU#1, sh/77"),
	SPLAT("watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [fio:99]"),
	SPLAT("watchdog: Watchdog detected hard LOCKUP on cpu 1"),
	SPLAT("INFO: task fio:77 blocked for more than 120 seconds."),
	SPLAT("rcu: INFO: rcu_sched detected stalls on CPUs/tasks:"),
	SPLAT("rcu: INFO: rcu_preempt self-detected stall on CPU"),
	SPLAT("rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks: {"),
	SPLAT("WARNING: possible circular locking dependency detected"),
	SPLAT("WARNING: possible recursive locking detected"),
	SPLAT("WARNING: inconsistent lock state"),
	SPLAT("WARNING: suspicious RCU usage"),
	SPLAT("WARNING: bad unlock balance detected!"),
	SPLAT("INFO: trying to register non-static key."),
	SPLAT("[ BUG: Invalid wait context ]"),
	SPLAT("UBSAN: array-index-out-of-bounds in lib/sbitmap.c:7:9"),
	SPLAT("ODEBUG: free active (active state 0) object: ffff888 object type: work_struct"),
	SPLAT("list_add corruption. next->prev should be prev"),
	SPLAT("refcount_t: underflow; use-after-free."),
	SPLAT("kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)"),
	SPLAT("Oops: general protection fault, probably for non-canonical address"),
	SPLAT("Kernel panic - not syncing: sysrq triggered crash"),
	SPLAT("Call Trace:"),
	SPLAT("fio invoked oom-killer: gfp_mask=0xcc0"),
	SPLAT("fio: page allocation failure: order:4, mode:0x40dc0"),
	SPLAT("irq 24: nobody cared (try booting with the \"irqpoll\" option)"),
	SPLAT("    not ok 3 sbitmap_spread_resize"),
	SPLAT("vm-init: failed: ip link set lo up"),
	{ "splat without a newline", END0, "Kernel panic - not",
	  EXIT_FAILED, "console: 'Kernel panic" },
	{ "splat and failed test", "not ok 1\n\036exit 1\n", "WARNING: x\n", EXIT_FAILED,
	  "console: 'WARNING: x'" },
	{ "first of two splats", END0, "WARNING: x\nCall Trace:\n",
	  EXIT_FAILED, "console: 'WARNING: x'" },
};

/* All at once, or byte by byte. */
static int run(size_t i, size_t step, char why[JUDGE_WHY], size_t *own)
{
	size_t vlen = strlen(cases[i].verdict), clen = strlen(cases[i].console), pos;
	struct judge j;

	judge_init(&j);
	*own = 0;
	for (pos = 0; pos < vlen; pos += step)
		*own += judge_verdict(&j, cases[i].verdict + pos, step < vlen ? step : vlen);
	for (pos = 0; pos < clen; pos += step)
		judge_console(&j, cases[i].console + pos, step < clen ? step : clen);
	return judge_result(&j, why);
}

int main(void)
{
	static const size_t steps[] = { 1, 65536 };
	size_t i, s, n = sizeof(cases) / sizeof(cases[0]);
	int ret = EXIT_OK;

	printf("KTAP version 1\n1..%zu\n", n);
	for (i = 0; i < n; i++) {
		bool ok = true;

		for (s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
			char why[JUDGE_WHY];
			size_t own;
			int code = run(i, steps[s], why, &own);

			if (code != cases[i].code || own != strcspn(cases[i].verdict, "\036") ||
			    strncmp(why, cases[i].why, strlen(cases[i].why)) ||
			    (!cases[i].why[0] && why[0])) {
				printf("# code %d (not %d), %zu bytes, reason: %s\n", code,
				       cases[i].code, own, why);
				ok = false;
			}
		}
		printf("%sok %zu %s\n", ok ? "" : "not ", i + 1, cases[i].name);
		if (!ok)
			ret = EXIT_FAILED;
	}
	return ret;
}
