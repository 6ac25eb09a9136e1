// SPDX-License-Identifier: GPL-2.0-only
/*
 * What host and kernel an experiment ran on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "run.h"

/* That of numaio show replaces this one. */
json_t *show_placement(void);
json_t *__attribute__((weak)) show_placement(void)
{
	return json_null();
}

static json_t *text_of(const char *path)
{
	char *s = run_read(path);
	json_t *j = run_text(s);

	free(s);
	return j;
}

/* The value of "key : value" in /proc/cpuinfo and the like. */
static char *field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, len))
			continue;
		p += len + strspn(p + len, " \t");
		if (*p == ':')
			return strndup(p + 1 + strspn(p + 1, " \t"),
				       strcspn(p + 1 + strspn(p + 1, " \t"), "\n"));
	}
	return NULL;
}

static bool is_tcg(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int eax, sig[3];

	if (*run_sysroot)
		return false;
	__cpuid(0x40000000, eax, sig[0], sig[1], sig[2]);
	(void)eax;
	return !memcmp(sig, "TCGTCGTCGTCG", sizeof(sig));
#else
	return false;
#endif
}

static char *model(void)
{
	char *text = run_read("/proc/cpuinfo"), *name = text ? field(text, "model name") : NULL;

	if (!name && text)
		name = field(text, "cpu");
	free(text);
	return name;
}

/* Times of an emulated CPU say nothing about a real one. */
bool run_emulated(void)
{
	char *name = model();
	bool emulated = is_tcg() || (name && strstr(name, "QEMU TCG"));

	free(name);
	return emulated;
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

	for (int n = 0; n < RUN_MAX_CPUS; n++) {
		char *cpus;

		if (!run_cpus_has(run_nodes(), n))
			continue;
		cpus = run_cpus_print(run_node_cpus(n));
		json_array_append_new(all, json_pack("{s:i s:s s:o s:o}", "node", n, "cpus", cpus,
						     "mem_kb", memory(n), "distances",
						     distances(n)));
		free(cpus);
	}
	return all;
}

json_t *run_environment(void)
{
	char *name = model();
	json_t *e = json_object();

	json_object_set_new(e, "host", text_of("/proc/sys/kernel/hostname"));
	json_object_set_new(e, "kernel", text_of("/proc/sys/kernel/osrelease"));
	json_object_set_new(e, "kernel_version", text_of("/proc/sys/kernel/version"));
	json_object_set_new(e, "cmdline", text_of("/proc/cmdline"));
	json_object_set_new(e, "config_sha256", config_sha256());
	json_object_set_new(e, "cpu", run_text(name));
	json_object_set_new(e, "emulated_cpu", json_boolean(run_emulated()));
	json_object_set_new(e, "nodes", nodes());
	json_object_set_new(e, "irqbalance", json_boolean(run_irqbalance_runs()));
	json_object_set_new(e, "placement", *run_sysroot ? json_null() : show_placement());
	free(name);
	return e;
}
