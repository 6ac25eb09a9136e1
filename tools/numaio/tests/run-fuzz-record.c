// SPDX-License-Identifier: GPL-2.0-only
/*
 * run-fuzz-record [N [SEED]]: N random mutations of a record through what --resume reads of it.
 * Each is refused with a reason, or taken; then runs, settings and restored things can be added
 * and the outcome is JSON. Build with -fsanitize=address,undefined to see more.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "stats.h"

static const char ini[] =
	"[parameters]\nd = sda\n[matrix]\nn = a b\n[load]\ncommand = true\n"
	"[metric m]\npattern = (.)\n[all]\nrq_affinity = %{d} -> 1\n"
	"[variant base]\n[variant v%{n}]\ntag_placement = %{d} -> spread\n";

static uint64_t state;

static size_t rnd(size_t n)
{
	return stats_random_below(&state, n);
}

static json_t *some_value(void)
{
	switch (rnd(8)) {
	case 0:
		return json_null();
	case 1:
		return json_integer((json_int_t)stats_random(&state));
	case 2:
		return json_string("x");
	case 3:
		return json_array();
	case 4:
		return json_object();
	case 5:
		return json_pack("[{s:s, s:n}, i, s]", "state", "failed", "kind", 1, "ok");
	case 6:
		return json_real(1e308);
	default:
		return json_true();
	}
}

/* Replaces, removes or doubles a value somewhere below j. */
static void mutate(json_t *j)
{
	size_t n = json_is_object(j) ? json_object_size(j) : json_array_size(j), k;
	json_t *below;
	void *it;

	if (!n)
		return;
	k = rnd(n);
	if (json_is_array(j)) {
		if (rnd(3))
			mutate(json_array_get(j, k));
		else if (rnd(3))
			json_array_set_new(j, k, some_value());
		else if (rnd(2))
			json_array_remove(j, k);
		else
			json_array_append_new(j, json_deep_copy(json_array_get(j, k)));
		return;
	}
	for (it = json_object_iter(j); k--; )
		it = json_object_iter_next(j, it);
	below = json_object_iter_value(it);
	if (rnd(3) && (json_is_object(below) || json_is_array(below)))
		mutate(below);
	else if (rnd(3))
		json_object_iter_set_new(j, it, some_value());
	else
		json_object_del(j, json_object_iter_key(it));
}

static void mutate_text(char *text, size_t *len)
{
	size_t at = rnd(*len), gone = rnd(20);

	if (rnd(2)) {
		text[at] ^= 1 << rnd(8);
		return;
	}
	if (gone > *len - at)
		gone = *len - at;
	memmove(text + at, text + at + gone, *len - at - gone);
	*len -= gone;
}

/* What a run that goes on does with a record. */
static bool go_on(json_t *record, const struct run_experiment *e)
{
	struct run_changes changes = { 0 };
	json_t *marks = json_array(), *restored = json_array(), *placement = json_array();
	char *text;

	run_record_has(record, "va", 1);
	run_change_refused(&changes, "rq_affinity", "sda", "1", run_dup("no such device"));
	run_record_common(record, &changes);
	for (size_t i = 0; i < e->n_variants; i++)
		run_record_settings(record, e->variants[i].name, &changes, placement, marks);
	json_array_append_new(restored, json_pack("{s:s s:s s:s}", "kind", "irq", "target", "24",
						  "state", "restored"));
	run_record_restored(record, restored);
	run_changes_free(&changes);
	json_decref(marks);
	json_decref(restored);
	json_decref(placement);
	text = json_dumps(record, JSON_COMPACT);
	free(text);
	return text;
}

static bool write_text(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(text, 1, len, f) == len;

	return f && !fclose(f) && ok;
}

static bool fuzz_one(const json_t *good, const struct run_experiment *e, const char *path,
		     unsigned long *taken)
{
	json_t *record = json_deep_copy(good);
	char *text, *error = NULL;
	size_t len;
	bool ok = true;

	for (size_t i = 0, n = 1 + rnd(4); i < n; i++)
		mutate(record);
	text = json_dumps(record, JSON_COMPACT);
	json_decref(record);
	len = strlen(text);
	if (!rnd(3))
		mutate_text(text, &len);
	if (!write_text(path, text, len))
		abort();
	free(text);
	record = run_record_read(path, &error);
	ok = !record == !!error;
	if (record)
		error = run_record_resumable(record, e);
	if (record && !error) {
		ok = go_on(record, e);
		++*taken;
	}
	ok &= !error || *error;
	free(error);
	json_decref(record);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000, bad = 0, taken = 0;
	struct run_experiment *e = run_ini_parse("f.ini", ini, strlen(ini), NULL, stderr);
	char path[] = "/tmp/numaio-fuzz-XXXXXX";
	int fd = mkstemp(path);
	json_t *good;

	if (!e || fd < 0)
		abort();
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	state = state * 0x9e3779b97f4a7c15 + 1;
	good = run_record_new(e);
	json_array_append_new(json_object_get(good, "runs"),
			      json_pack("{s:s s:i s:s s:[]}", "variant", "va", "block", 1, "state",
					"ok", "marks"));
	go_on(good, e);
	puts("KTAP version 1\n1..2");
	for (unsigned long i = 0; i < n && bad < 5; i++)
		bad += !fuzz_one(good, e, path, &taken);
	printf("%sok 1 %lu mutations of a record, each refused with a reason or taken\n",
	       bad ? "not " : "", n);
	printf("%sok 2 both happen: %lu taken\n", taken && taken < n ? "" : "not ", taken);
	json_decref(good);
	run_ini_free(e);
	run_cpus_forget();
	remove(path);
	return bad != 0;
}
