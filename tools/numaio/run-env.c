// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host and kernel an experiment ran on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "show.h"

static json_t *text_of(const char *path)
{
	char *s = run_read(path);
	json_t *j = run_text(s);

	free(s);
	return j;
}

static json_t *sha256_of(const char *path)
{
	char text[65] = "", *full = run_path(path);
	FILE *f = NULL;

	setenv("NUMAIO_CONFIG", full, 1);
	if (!access(full, R_OK))
		f = popen("zcat -f \"$NUMAIO_CONFIG\" 2>/dev/null | sha256sum", "re");
	if (f && !fgets(text, sizeof(text), f))
		*text = '\0';
	if (f)
		pclose(f);
	free(full);
	unsetenv("NUMAIO_CONFIG");
	return strlen(text) == 64 ? json_string(text) : NULL;
}

static json_t *config_sha256(void)
{
	char *release = run_read("/proc/sys/kernel/osrelease");
	char *boot = run_format("/boot/config-%s", release ? release : "");
	json_t *j = sha256_of("/proc/config.gz");

	if (!j)
		j = sha256_of(boot);
	free(release);
	free(boot);
	return j ? j : json_null();
}

static json_t *distances(int node)
{
	char *path = run_format("/sys/devices/system/node/node%d/distance", node);
	char *text = run_read(path);
	struct run_strs words = { 0 };
	json_t *all = json_array();

	run_strs_words(&words, text ? text : "");
	for (size_t i = 0; i < words.n; i++)
		json_array_append_new(all, json_integer(atoi(words.v[i])));
	run_strs_free(&words);
	free(text);
	free(path);
	return all;
}

static json_t *memory(int node)
{
	char *path = run_format("/sys/devices/system/node/node%d/meminfo", node);
	char *text = run_read(path), *total = text ? strstr(text, "MemTotal:") : NULL;
	long long kb = total ? strtoll(total + 9, NULL, 10) : 0;

	free(text);
	free(path);
	return json_integer(kb);
}

static json_t *nodes(void)
{
	json_t *all = json_array();

	for (int n = 0; n < CPUS_MAX; n++) {
		char *cpus;

		if (!cpus_has(run_nodes(), n))
			continue;
		cpus = cpus_list(run_node_cpus(n));
		json_array_append_new(all, json_pack("{s:i s:s s:o s:o}", "node", n, "cpus", cpus,
						     "mem_kb", memory(n), "distances",
						     distances(n)));
		free(cpus);
	}
	return all;
}

json_t *run_environment(void)
{
	char *name = run_cpu_model(), *why;
	enum run_emulation emulation = run_emulation(&why);
	json_t *e = json_object();

	json_object_set_new(e, "host", text_of("/proc/sys/kernel/hostname"));
	json_object_set_new(e, "kernel", text_of("/proc/sys/kernel/osrelease"));
	json_object_set_new(e, "kernel_version", text_of("/proc/sys/kernel/version"));
	json_object_set_new(e, "cmdline", text_of("/proc/cmdline"));
	json_object_set_new(e, "config_sha256", config_sha256());
	json_object_set_new(e, "cpu", run_text(name));
	json_object_set_new(e, "emulated_cpu", json_boolean(emulation == RUN_EMULATED));
	json_object_set_new(e, "emulation", run_text(why));
	json_object_set_new(e, "nodes", nodes());
	json_object_set_new(e, "irqbalance", json_boolean(run_irqbalance_runs()));
	json_object_set_new(e, "placement", *run_sysroot ? json_null() : show_placement());
	free(name);
	free(why);
	return e;
}
