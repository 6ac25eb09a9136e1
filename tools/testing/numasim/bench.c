// SPDX-License-Identifier: GPL-2.0-only
/*
 * numasim-bench - run workloads on kernels in the modelled NUMA machine, several
 * times each and in alternating order, and compare.
 *
 * One run is one guest from boot to power off, one file in
 * OUT/WORKLOAD/ARM/run-N.json.  The file holds a key of all that the run depends
 * on; a run whose file has the right key is not done again, so that an
 * interrupted bench goes on where it was.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "record.h"

#ifndef DATADIR
#define DATADIR "/usr/share/numasim"
#endif

#define EXIT_SKIP	4
#define RUN_TIMEOUT	"600"

static struct bench bench = {
	.runs = 5,
	.data = DATADIR,
	.plugin_options = "",
};

static char *only[MAX_ITEMS];	/* workloads asked for, names or patterns */
static bool found[MAX_ITEMS];	/* there is one */
static unsigned int nr_only;
static char *matrix;
static bool report_only;

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	va_end(ap);
	return s;
}

/* First line that a shell command prints, without the newline; NULL: it failed. */
static char *output_of(const char *command)
{
	char *line = NULL;
	size_t size = 0;
	FILE *p = popen(command, "re");
	ssize_t n = p ? getline(&line, &size, p) : -1;

	if (!p || pclose(p) || n <= 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, " \n")] = '\0';
	return line;
}

static int make_dir(const char *path)
{
	char *copy = strdup(path), *p;
	int ret = 0;

	for (p = copy + 1; *p && !ret; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			ret = -1;
		*p = '/';
	}
	if (!ret && mkdir(copy, 0777) && errno != EEXIST)
		ret = -1;
	if (ret)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	free(copy);
	return ret;
}

/* Run @argv with its output in @log; its exit code, or -1. */
static int run(char *const *argv, const char *log)
{
	int status, fd;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
			_exit(127);
		execvp(argv[0], argv);
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	/* Ctrl-C reaches the whole group: stop as well */
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -- kernels -------------------------------------------------------------- */

static void build_modules(struct arm *arm)
{
	char *dir = format("%s/modules-%.12s", bench.build, arm->kernel_sha);
	char *ko = format("%s/numasim_lineinfo.ko", dir);
	char *log = format("%s/modules.log", bench.build);
	char *kdir = format("KDIR=%s", arm->dir), *out = format("OUT=%s", dir);
	char *argv[] = { "make", "-C", (char *)bench.data, "modules", kdir, out, NULL };

	if (run(argv, log))
		fprintf(stderr, "%s: no modules for this kernel, lines stay without objects (%s)\n",
			arm->name, log);
	else
		arm->modules = dir;
	arm->lineinfo = arm->modules && !access(ko, R_OK);
}

static long long when_built(const struct arm *arm)
{
	char *path = format("%s/arch/x86/boot/bzImage", arm->dir);
	struct stat st;
	int err = stat(path, &st);

	free(path);
	return err ? -1 : st.st_mtim.tv_sec * 1000000000ll + st.st_mtim.tv_nsec;
}

/* What makes a run's file, apart from what the workload and the arm name. */
static int hash_tools(void)
{
	bench.tools_sha = output_of(format(
		"cd '%s' && sha256sum numasim.so numasim-report ioload lineobj '%s/guest.sh' '%s'/modules/*.c | cut -c1-64 | sha256sum",
		bench.build, bench.data, bench.data));
	return bench.tools_sha ? 0 : -1;
}

static int prepare_arm(struct arm *arm)
{
	static const char *const needed[] = { "arch/x86/boot/bzImage", "System.map",
		".config", "mods/lib/modules" };
	char *sha;
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		char *path = format("%s/%s", arm->dir, needed[i]);

		if (access(path, R_OK)) {
			fprintf(stderr, "arm %s: %s: %s\n", arm->name, path,
				strerror(errno));
			return -1;
		}
		free(path);
	}
	sha = output_of(format("cd '%s' && find -L arch/x86/boot/bzImage System.map mods/lib/modules/*/kernel -type f | LC_ALL=C sort | xargs sha256sum | sha256sum",
			       arm->dir));
	if (!sha)
		return -1;
	snprintf(arm->kernel_sha, sizeof(arm->kernel_sha), "%s", sha);
	sha = output_of(format("sha256sum '%s/.config'", arm->dir));
	if (!sha)
		return -1;
	snprintf(arm->config_sha, sizeof(arm->config_sha), "%s", sha);
	arm->built = when_built(arm);
	build_modules(arm);
	return 0;
}

/* -- one run -------------------------------------------------------------- */

static const char *topology_of(const struct workload *w)
{
	return bench.topology ? bench.topology : w->topology;
}

static char *topology_path(const struct workload *w)
{
	return format("%s/../vm/topologies/%s.topo", bench.data, topology_of(w));
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	while (f && getline(&line, &size, f) >= 0)
		hash = hash_text(hash, line);
	free(line);
	if (f)
		fclose(f);
	return hash;
}

/* All that a run's outcome depends on, but chance. */
static char *key_of(const struct workload *w, const struct arm *arm, unsigned int nr)
{
	uint64_t h = w->hash;
	unsigned int i;

	h = hash_file(h, topology_path(w));
	h = hash_text(h, arm->kernel_sha);
	h = hash_text(h, arm->config_sha);
	h = hash_text(h, bench.tools_sha);
	h = hash_text(h, arm->placement ? arm->placement : "");
	h = hash_text(h, w->plugin);
	h = hash_text(h, bench.plugin_options);
	if (w->stack)
		h = hash_file(h, w->stack);
	if (w->each)
		h = hash_file(h, w->each);
	if (w->after)
		h = hash_file(h, w->after);
	h = hash_file(h, format("%s/stack.conf", bench.data));
	for (i = 0; i < w->nr_steps; i++)
		if (!strncmp(w->step[i], ". '", 3))
			h = hash_file(h, strndup(w->step[i] + 3, strlen(w->step[i]) - 4));
	return format("%d-%016" PRIx64 "-%u", REC_VERSION, h, nr);
}

static bool is_done(const char *path, const char *key)
{
	json_t *o = json_load_file(path, 0, NULL);
	const char *have = json_string_value(json_object_get(json_object_get(o, "info"),
							     "key"));
	bool done = have && !strcmp(have, key);

	json_decref(o);
	return done;
}

static void write_devices(FILE *f, const struct workload *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_devices; i++)
		fprintf(f, " %s", w->device[i]);
	fputc('\n', f);
}

/* Load, and what stands around it; its results are number @window of the boot. */
static void write_load(FILE *f, const struct workload *w, unsigned int window)
{
	fprintf(f, "note=/run/out/note-%u\ncounts=/run/out/counts-%u\n", window, window);
	if (w->each)
		fprintf(f, "%s\n. '%s'\n", w->lets ? w->lets : "", w->each);
	if (w->interrupts)
		fprintf(f, "count_interrupts '%s' before\n", w->interrupts);
	fprintf(f, "'%s/ioload' -o /run/out %s", bench.build, w->load);
	write_devices(f, w);
	if (w->interrupts)
		fprintf(f, "count_interrupts '%s' after\n", w->interrupts);
	if (w->after)
		fprintf(f, ". '%s'\n", w->after);
}

static int write_script(const char *dir, struct workload *const *w, unsigned int nr,
			const struct arm *arm)
{
	char *path = format("%s/run.sh", dir);
	FILE *f = fopen(path, "w");
	unsigned int i;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	fprintf(f, "set -eu\nplacement='%s'\nmodules='%s'\n. '%s/guest.sh'\n",
		arm->placement ? arm->placement : "", arm->modules ? arm->modules : "",
		bench.data);
	if (w[0]->lets && !w[0]->each)
		fprintf(f, "%s\n", w[0]->lets);
	for (i = 0; i < w[0]->nr_steps; i++)
		fprintf(f, "%s\n", w[0]->step[i]);
	for (i = 0; i < w[0]->nr_devices; i++)
		fprintf(f, "wait_for %s\n", w[0]->device[i]);
	fprintf(f, "place \"$placement\"");
	write_devices(f, w[0]);
	for (i = 0; i < nr; i++) {
		fprintf(f, "(\n");
		write_load(f, w[i], i + 1);
		fprintf(f, ")\n");
	}
	if (arm->lineinfo && nr == 1)
		fprintf(f, "'%s/lineobj' /run/out '%s/numasim_lineinfo.ko'\n", bench.build,
			arm->modules);
	free(path);
	return fclose(f);
}

static void remove_dir(const char *dir)
{
	char *argv[] = { "rm", "-rf", "--", (char *)dir, NULL };

	run(argv, "/dev/null");
}

static char *read_line(const char *dir, const char *name)
{
	char *path = format("%s/%s", dir, name), *line = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "re");

	if (f && getline(&line, &size, f) > 0)
		line[strcspn(line, "\n")] = '\0';
	else
		line = strdup("");
	if (f)
		fclose(f);
	free(path);
	return line;
}

static char *read_word(const char *dir, const char *name)
{
	char *line = read_line(dir, name);

	line[strcspn(line, " ")] = '\0';
	return line;
}

static int boot(const char *dir, const struct workload *w, const struct arm *arm)
{
	char *argv[] = {
		format("%s/vmrun", bench.vm),
		"-k", format("%s/arch/x86/boot/bzImage", arm->dir),
		"-m", format("%s/mods", arm->dir),
		"-t", topology_path(w), "-T", RUN_TIMEOUT, "-o", (char *)dir,
		"-q", "-plugin",
		"-q", format("%s/numasim.so,topo=%s,out=%s%s%s", bench.build,
			     topology_path(w), dir, w->plugin, bench.plugin_options),
		w->attach ? "-d" : "--", w->attach ? w->attach : "sh",
		w->attach ? "--" : "/run/out/run.sh", w->attach ? "sh" : NULL,
		"/run/out/run.sh", NULL };

	return run(argv, format("%s/vmrun.log", dir));
}

static int make_report(const char *dir, const char *path, const struct workload *w,
		       const struct arm *arm, const char *key, unsigned int window)
{
	char *tmp = format("%s.tmp", path);
	char *argv[] = {
		format("%s/numasim-report", bench.build), "show", "-o", "json",
		"-t", "64", "-m", format("%s/System.map", arm->dir),
		"-s", format("%s/stack.conf", bench.data), "-w", format("%u", window),
		"-i", format("key=%s", key), "-i", format("workload=%s", w->name),
		"-i", format("arm=%s", arm->name),
		"-i", format("tag_placement=%s", arm->placement ? arm->placement : ""),
		"-i", format("tag_placement_in_force=%s", read_word(dir, "placement")),
		"-i", format("interrupts=%s", read_word(dir, "interrupts")),
		"-i", format("note=%s", read_line(dir, format("note-%u", window))),
		"-i", format("counts=%s", read_line(dir, format("counts-%u", window))),
		"-i", format("kernel_sha256=%s", arm->kernel_sha),
		"-i", format("config_sha256=%s", arm->config_sha),
		(char *)dir,
		w->stack ? "-S" : NULL, w->stack, NULL };

	if (run(argv, tmp)) {
		char *cat = format("cat '%s' >&2", tmp);

		if (system(cat))
			fprintf(stderr, "%s: numasim-report failed\n", tmp);
		unlink(tmp);
		return -1;
	}
	return rename(tmp, path);
}

static char *run_path(const struct workload *w, const struct arm *arm, unsigned int nr)
{
	return format("%s/%s/%s/run-%u.json", bench.out, w->name, arm->name, nr);
}

/* The workloads of a boot in an order that the number of the run determines. */
static void draw_order(struct workload **w, unsigned int nr, unsigned int run_nr)
{
	struct drand48_data state;
	unsigned int i, j;
	double x;

	srand48_r(run_nr, &state);
	for (i = nr; i > 1; i--) {
		struct workload *tmp = w[i - 1];

		drand48_r(&state, &x);
		j = x * i;
		w[i - 1] = w[j];
		w[j] = tmp;
	}
}

/* 0: there are results of these workloads; EXIT_SKIP: this kernel cannot; else failed. */
static int do_run(struct workload *const *w, unsigned int nr_workloads, const struct arm *arm,
		  unsigned int nr)
{
	char *dir = format("%s/%s/%s/run-%u.d", bench.out, w[0]->name, arm->name, nr);
	unsigned int i;
	int ret;

	if (when_built(arm) != arm->built) {
		fprintf(stderr, "arm %s: %s was rebuilt meanwhile, start again\n", arm->name,
			arm->dir);
		exit(1);
	}
	remove_dir(dir);
	if (make_dir(dir) || write_script(dir, w, nr_workloads, arm))
		return 1;
	ret = boot(dir, w[0], arm);
	if (ret && ret != EXIT_SKIP)
		fprintf(stderr, "%s %s run %u: the guest failed (%d), see %s\n", w[0]->name,
			arm->name, nr, ret, dir);
	for (i = 0; i < nr_workloads && !ret; i++) {
		if (make_dir(format("%s/%s/%s", bench.out, w[i]->name, arm->name)) ||
		    make_report(dir, run_path(w[i], arm, nr), w[i], arm, key_of(w[i], arm, nr),
				i + 1))
			ret = 1;
	}
	if (!ret || ret == EXIT_SKIP)
		remove_dir(dir);
	return ret;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool have_results(unsigned int wl, unsigned int nr, const struct arm *arm,
			 unsigned int run_nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct workload *w = &bench.workload[wl + i];

		if (!is_done(run_path(w, arm, run_nr), key_of(w, arm, run_nr)))
			return false;
	}
	return true;
}

/* One run of the workloads of a boot in one arm. Returns 1 if it failed, else 0. */
static int run_boot(unsigned int wl, unsigned int of_boot, unsigned int a, unsigned int nr,
		    const char *progress)
{
	struct result *r = result_of(&bench, wl, a);
	struct workload *w[MAX_ITEMS + 1];
	struct arm *arm = &bench.arm[a];
	double start = now();
	unsigned int i;
	int ret;

	if (r->skipped || have_results(wl, of_boot, arm, nr))
		return 0;
	for (i = 0; i < of_boot; i++)
		w[i] = &bench.workload[wl + i];
	draw_order(w, of_boot, nr);
	fprintf(stderr, "%s %s%s, %s, run %u ...", progress, bench.workload[wl].name,
		of_boot > 1 ? " and variants" : "", arm->name, nr);
	ret = do_run(w, of_boot, arm, nr);
	if (ret && ret != EXIT_SKIP) {
		fprintf(stderr, " FAILED, once more ...");
		ret = do_run(w, of_boot, arm, nr);
	}
	fprintf(stderr, " %s, %.0f s\n", !ret ? "done" : ret == EXIT_SKIP ? "SKIPPED" : "FAILED",
		now() - start);
	for (i = 0; ret == EXIT_SKIP && i < of_boot; i++)
		result_of(&bench, wl + i, a)->skipped = true;
	return ret && ret != EXIT_SKIP;
}

static int run_all(void)
{
	unsigned int all = bench.runs * bench.nr_workloads * bench.nr_arms;
	unsigned int nr, wl, of_boot, i, done = 0;
	int failed = 0;

	for (nr = 1; nr <= bench.runs; nr++) {
		for (wl = 0; wl < bench.nr_workloads; wl += of_boot) {
			of_boot = nr_of_boot(&bench, wl);
			for (i = 0; i < bench.nr_arms; i++) {
				done += of_boot;
				/* forth and back, so that no arm is always first */
				failed += run_boot(wl, of_boot,
						   nr % 2 ? i : bench.nr_arms - 1 - i, nr,
						   format("[%u/%u]", done, all));
			}
		}
	}
	return failed;
}

static int gather_all(void)
{
	unsigned int wl, a, nr, have;

	for (wl = 0; wl < bench.nr_workloads; wl++) {
		for (a = 0; a < bench.nr_arms; a++) {
			struct result *r = result_of(&bench, wl, a);
			const char *path[MAX_RUNS];

			have = 0;
			for (nr = 1; nr <= bench.runs; nr++) {
				path[have] = run_path(r->workload, r->arm, nr);
				if (is_done(path[have], key_of(r->workload, r->arm, nr)))
					have++;
			}
			if (gather(r, path, have))
				return -1;
		}
	}
	return 0;
}

/* -- options -------------------------------------------------------------- */

static unsigned int number(struct argp_state *st, const char *name, const char *text,
			   unsigned int min, unsigned int max)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		argp_error(st, "%s %s: give a number from %u to %u", name, text, min, max);
	return v;
}

/* NAME=DIR[,PLACEMENT] */
static void parse_arm(struct argp_state *st, char *text)
{
	struct arm *arm = &bench.arm[bench.nr_arms];
	char *dir = strchr(text, '='), *slash = strchr(text, '/'), *placement;

	if (!dir || dir == text || (slash && slash < dir))
		argp_error(st, "arm %s: give NAME=DIR or NAME=DIR,flat or NAME=DIR,spread", text);
	if (bench.nr_arms++ == MAX_ARMS)
		argp_error(st, "more than %d arms", MAX_ARMS);
	*dir++ = '\0';
	placement = strchr(dir, ',');
	if (placement)
		*placement++ = '\0';
	arm->name = text;
	arm->dir = realpath(dir, NULL);
	if (!arm->dir)
		argp_error(st, "arm %s: %s: %s", text, dir, strerror(errno));
	arm->placement = placement;
}

static const struct argp_option options[] = {
	{ "arm", 'a', "NAME=DIR[,PLACEMENT]", 0, "a kernel build directory, and the tag_placement of its queues; repeat; the first is the reference", 0 },
	{ "runs", 'r', "N", 0, "runs of each workload in each arm (5)", 0 },
	{ "workload", 'w', "NAME", 0, "only this one, or those that a pattern matches (variants run only if named); repeat", 0 },
	{ "matrix", 'm', "NAME", 0, "a matrix instead of workloads: placement on each node x load on each node", 0 },
	{ "topology", 't', "NAME", 0, "instead of the workload's own", 0 },
	{ "plugin", 'p', "OPTIONS", 0, "of the plugin, e.g. unit=cpu,cache=1024", 0 },
	{ "build", 'b', "DIR", 0, "where the programs of this directory were built", 0 },
	{ "vm", 'V', "DIR", 0, "where vmrun was built (BUILD/../vm)", 0 },
	{ "out", 'o', "DIR", 0, "results (default: BUILD/bench)", 0 },
	{ "data", 'd', "DIR", 0, "workloads/ and stack.conf (" DATADIR ")", 0 },
	{ "report-only", 'n', NULL, 0, "run nothing, report what is there", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	switch (key) {
	case 'a':
		parse_arm(st, arg);
		break;
	case 'r':
		bench.runs = number(st, "runs", arg, 1, MAX_RUNS);
		break;
	case 'w':
		if (nr_only == MAX_ITEMS)
			argp_error(st, "more than %d workloads", MAX_ITEMS);
		only[nr_only++] = arg;
		break;
	case 'm':
		matrix = arg;
		break;
	case 't':
		bench.topology = arg;
		break;
	case 'p':
		bench.plugin_options = *arg ? format(",%s", arg) : "";
		break;
	case 'b':
		bench.build = realpath(arg, NULL);
		if (!bench.build)
			argp_error(st, "build %s: %s", arg, strerror(errno));
		break;
	case 'V':
		bench.vm = realpath(arg, NULL);
		if (!bench.vm)
			argp_error(st, "vm %s: %s", arg, strerror(errno));
		break;
	case 'o':
		bench.out = arg;
		break;
	case 'd':
		bench.data = arg;
		break;
	case 'n':
		report_only = true;
		break;
	case ARGP_KEY_ARG:
		argp_error(st, "argument %s: there are options only", arg);
		break;
	case ARGP_KEY_END:
		if (!bench.nr_arms)
			argp_error(st, "no --arm given");
		if (!bench.build)
			argp_error(st, "no --build given");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* By name or pattern; else all but variants. */
static bool wanted(const struct workload *w, bool variant)
{
	bool any = !nr_only && !variant;
	unsigned int i;

	for (i = 0; i < nr_only; i++)
		if (!fnmatch(only[i], w->name, 0))
			any = found[i] = true;
	return any;
}

static int is_conf(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".conf");
}

static void add_workload(const struct workload *w, bool variant)
{
	if (!wanted(w, variant))
		return;
	bench.workload = realloc(bench.workload,
				 (bench.nr_workloads + 1) * sizeof(*bench.workload));
	if (!bench.workload)
		exit(1);
	bench.workload[bench.nr_workloads++] = *w;
}

static int load_file(const char *path)
{
	struct workload w, variant;
	unsigned int i;

	if (workload_load(&w, path, NULL))
		return -1;
	add_workload(&w, false);
	for (i = 0; i < w.nr_variants; i++) {
		if (workload_variant(&variant, &w, i))
			return -1;
		add_workload(&variant, true);
	}
	return 0;
}

static int load_workloads(void)
{
	char *dir = format("%s/workloads", bench.data);
	struct dirent **list;
	int n = scandir(dir, &list, is_conf, alphasort), i;
	unsigned int j;

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		return -1;
	}
	for (i = 0; i < n; i++)
		if (load_file(format("%s/%s", dir, list[i]->d_name)))
			return -1;
	for (j = 0; j < nr_only; j++) {
		if (found[j])
			continue;
		fprintf(stderr, "workload %s: there are", only[j]);
		for (i = 0; i < n; i++)
			fprintf(stderr, " %.*s", (int)strcspn(list[i]->d_name, "."),
				list[i]->d_name);
		fputs(" and their variants\n", stderr);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, parse, NULL,
		"Runs workloads on kernels in the modelled NUMA machine and compares "
		"what crosses nodes. Figures are modelled; there are no times in them.",
		NULL, NULL, NULL };
	unsigned int wl, a;
	int failed = 0;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (!bench.vm)
		bench.vm = format("%s/../vm", bench.build);
	if (!bench.out)
		bench.out = format("%s/bench", bench.build);
	if (matrix ? matrix_load(&bench, format("%s/matrices/%s.conf", bench.data, matrix),
				 format("%s/../vm/topologies", bench.data)) : load_workloads())
		return 1;
	if (make_dir(bench.out))
		return 1;
	bench.out = realpath(bench.out, NULL);
	bench.result = calloc(bench.nr_workloads * bench.nr_arms, sizeof(*bench.result));
	if (hash_tools())
		return 1;
	for (a = 0; a < bench.nr_arms; a++) {
		if (prepare_arm(&bench.arm[a]))
			return 1;
		for (wl = 0; wl < bench.nr_workloads; wl++) {
			result_of(&bench, wl, a)->workload = &bench.workload[wl];
			result_of(&bench, wl, a)->arm = &bench.arm[a];
		}
	}
	if (!report_only)
		failed = run_all();
	if (gather_all())
		return 1;
	if (bench.matrix)
		print_matrix(&bench);
	else
		print_results(&bench);
	if (write_json(&bench, format("%s/%s.json", bench.out, matrix ? matrix : "bench")) ||
	    (!bench.matrix && draw(&bench)))
		return 1;
	if (failed)
		fprintf(stderr, "%d runs failed\n", failed);
	return failed ? 1 : 0;
}
