// SPDX-License-Identifier: GPL-2.0-only
/* What a guest has to say, and must not say, to have passed; see judge.h. */
#include "judge.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A console line with one of these is a failure, whatever the command says. */
static const char * const splats[] = {
	/* any report */
	"BUG:", "kernel BUG at", "WARNING:", "Oops:", "Call Trace:", "Kernel panic",
	"general protection fault", "double fault:", "invalid opcode:", "divide error:",
	"stack segment:", "Unable to handle kernel", "unable to handle page fault",
	"Internal error:",
	/* memory */
	"KASAN:", "KCSAN:", "KFENCE:", "KMSAN:", "UBSAN:", "ODEBUG:", "kmemleak: ",
	"Bad page state", "Bad page map", "Bad rss-counter", "list_add corruption",
	"list_del corruption", "refcount_t:", "page allocation failure", "Out of memory",
	"invoked oom-killer", "oom-kill:", "stack-protector:", "detected buffer overflow",
	"Objects remaining", "Object already free", "Redzone overwritten", "Poison overwritten",
	/* locking */
	"possible circular locking", "possible recursive locking", "possible irq lock inversion",
	"possible deadlock", "inconsistent lock state", "inconsistent {",
	"HARDIRQ-safe -> HARDIRQ-unsafe", "SOFTIRQ-safe -> SOFTIRQ-unsafe", "bad unlock balance",
	"bad contention detected", "held lock freed", "lock held when returning",
	"still has locks held", "locks held by", "DEBUG_LOCKS_WARN_ON", "Invalid wait context",
	"trying to register non-static key", "turning off the locking correctness validator",
	"suspicious RCU usage", "scheduling while atomic", "sleeping function called from",
	"voluntary context switch within RCU", "spinlock bad magic", "spinlock lockup",
	/* no progress */
	"blocked for more than", "soft lockup", "hard LOCKUP", "Hard LOCKUP", "hung_task:",
	"workqueue lockup", "detected stalls on CPU", "self-detected stall",
	"detected expedited stalls", "rcu_tasks detected", "starved for", "nobody cared",
	/* our init, and a KUnit suite that was loaded */
	"vm-init:", "not ok ",
};

/* Harmless lines that contain one of the above would be named here, in full words. */
static const char * const harmless[] = {
	"module verification failed", "loading out-of-tree module taints kernel",
	"module license", "kmemleak: Kernel memory leak detector", "kmemleak: Automatic memory",
	"kmemleak: Memory pool", "kmemleak: Cannot",
};

static bool contains(const char *line, const char * const *table, size_t n)
{
	while (n--)
		if (strstr(line, table[n]))
			return true;
	return false;
}

#define CONTAINS(line, table) contains(line, table, sizeof(table) / sizeof((table)[0]))

static void console_line(struct judge *j, const char *line)
{
	if (!j->splat[0] && CONTAINS(line, splats) && !CONTAINS(line, harmless))
		snprintf(j->splat, sizeof(j->splat), "%s", line);
}

__attribute__((format(printf, 2, 3)))
static void fault(struct judge *j, const char *fmt, ...)
{
	va_list ap;

	if (j->fault[0])
		return;
	va_start(ap, fmt);
	vsnprintf(j->fault, sizeof(j->fault), fmt, ap);
	va_end(ap);
}

/* The document at the top of the stack is over: is it complete? */
static void ktap_close(struct judge *j)
{
	const struct judge_ktap *k = &j->ktap[--j->depth];

	if (k->plan >= 0 && k->results != k->plan)
		fault(j, "truncated: KTAP plan 1..%ld, but %ld results", k->plan, k->results);
	else if (k->header && k->plan < 0 && !k->results)
		fault(j, "truncated: KTAP header without a result");
}

static struct judge_ktap *ktap_open(struct judge *j, size_t indent)
{
	struct judge_ktap *k;

	if (j->depth == JUDGE_DEPTH) {
		fault(j, "more than %d levels of KTAP", JUDGE_DEPTH);
		return NULL;
	}
	k = &j->ktap[j->depth++];
	*k = (struct judge_ktap){ .indent = indent, .plan = -1 };
	return k;
}

/* The document that a line of this indentation belongs to. */
static struct judge_ktap *ktap_at(struct judge *j, size_t indent)
{
	while (j->depth && j->ktap[j->depth - 1].indent > indent)
		ktap_close(j);
	if (j->depth && j->ktap[j->depth - 1].indent == indent)
		return &j->ktap[j->depth - 1];
	return ktap_open(j, indent);
}

static struct judge_ktap *ktap_restart(struct judge *j, size_t indent)
{
	if (!ktap_at(j, indent))
		return NULL;
	ktap_close(j);
	return ktap_open(j, indent);
}

/* A whole word at the start of @s: where the next one starts, or NULL. */
static const char *after_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(s, word, len) || (s[len] && s[len] != ' '))
		return NULL;
	return s + len + strspn(s + len, " ");
}

static void ktap_result(struct judge *j, size_t indent, const char *number, const char *line)
{
	struct judge_ktap *k = ktap_at(j, indent);

	if (k && strtol(number, NULL, 10) != ++k->results)
		fault(j, "KTAP result %ld expected, got '%s'", k->results, line);
}

static void ktap_plan(struct judge *j, size_t indent, long plan)
{
	struct judge_ktap *k = ktap_at(j, indent);

	/* A second plan is a second document, which does not need a header. */
	if (k && k->plan >= 0)
		k = ktap_restart(j, indent);
	if (k)
		k->plan = plan;
}

static void verdict_line(struct judge *j, const char *line)
{
	size_t indent = strspn(line, " \t");
	const char *s = line + indent, *rest;
	struct judge_ktap *k;
	char *end;
	long plan;

	rest = after_word(s, "not ok");
	if (rest) {
		fault(j, "failed test: '%s'", s);
		if (isdigit((unsigned char)*rest))
			ktap_result(j, indent, rest, line);
		return;
	}
	rest = after_word(s, "ok");
	if (rest && isdigit((unsigned char)*rest)) {
		ktap_result(j, indent, rest, line);
		return;
	}
	if (after_word(s, "KTAP version") || after_word(s, "TAP version")) {
		k = ktap_restart(j, indent);
		if (k)
			k->header = true;
		return;
	}
	if (!strncmp(s, "1..", 3) && isdigit((unsigned char)s[3])) {
		plan = strtol(s + 3, &end, 10);
		if (!*end || *end == ' ')
			ktap_plan(j, indent, plan);
		return;
	}
	if (!strncmp(s, "Bail out!", 9))
		fault(j, "'%s'", s);
}

/* "exit N", the one line behind JUDGE_END. */
static void end_line(struct judge *j, const char *line)
{
	const char *code = after_word(line, "exit");
	char *end;
	long val;

	if (j->exit_code >= 0) {
		fault(j, "output after the end: '%s'", line);
		return;
	}
	val = code && isdigit((unsigned char)*code) ? strtol(code, &end, 10) : -1;
	if (val < 0 || val > 255 || *end)
		fault(j, "init's last line is '%s', not 'exit 0..255'", line);
	else
		j->exit_code = val;
}

static void add_byte(struct judge *j, struct judge_line *l, char c,
		     void (*line)(struct judge *, const char *))
{
	if (c != '\n') {
		if (l->len < sizeof(l->text) - 1 && c != '\r' && c != '\0')
			l->text[l->len++] = c;
		return;
	}
	l->text[l->len] = '\0';
	l->len = 0;
	line(j, l->text);
}

void judge_init(struct judge *j)
{
	memset(j, 0, sizeof(*j));
	j->exit_code = -1;
}

size_t judge_verdict(struct judge *j, const char *buf, size_t len)
{
	size_t i, own = 0;

	for (i = 0; i < len; i++) {
		if (buf[i] == JUDGE_END && !j->ended) {
			if (j->verdict.len)
				add_byte(j, &j->verdict, '\n', verdict_line);
			j->ended = true;
			continue;
		}
		if (!j->ended)
			own++;
		add_byte(j, &j->verdict, buf[i], j->ended ? end_line : verdict_line);
	}
	return own;
}

void judge_console(struct judge *j, const char *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		add_byte(j, &j->console, buf[i], console_line);
}

int judge_result(struct judge *j, char why[JUDGE_WHY])
{
	if (j->console.len)
		add_byte(j, &j->console, '\n', console_line);
	if (j->ended && j->verdict.len)
		fault(j, "output after the end, or no end of the last line");
	if (j->exit_code < 0)
		fault(j, "truncated: the guest ended before its command did");
	while (j->depth)
		ktap_close(j);
	if (j->exit_code != EXIT_OK && j->exit_code != EXIT_SKIPPED)
		fault(j, "the command's exit code is %d", j->exit_code);

	why[0] = '\0';
	if (j->splat[0])
		snprintf(why, JUDGE_WHY, "console: '%s'", j->splat);
	else if (j->fault[0])
		snprintf(why, JUDGE_WHY, "%s", j->fault);
	else
		return j->exit_code;
	return EXIT_FAILED;
}
