// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmrun: run a command in a QEMU guest that has a NUMA topology, this machine's
 * root file system (read-only) and a kernel of choice; judge the outcome.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge.h"
#include "topology.h"

#define QEMU		"qemu-system-x86_64"
/*
 * A family that Linux knows to have a constant TSC: on others it calibrates its
 * delay loop once a socket, which takes seconds. No SMAP, ERMS, XSAVE: slow in TCG.
 */
#define CPU_MODEL	"Nehalem,+rdrand"
#define DEFAULT_TOPO	"four"
#define DEFAULT_TIMEOUT	"300"
#define MAX_TIMEOUT	86400
#define MAX_DEVICES	7
#define DISK_SIZE	((off_t)256 << 20)

/*
 * tsc..hpet: timer devices stay out of the figures; nokaslr: symbols stay where
 * System.map says; no_timer_check..stall: a guest on a busy host is slow, not
 * broken; panic=-1 with QEMU's -no-reboot ends a guest that panicked.
 */
#define KERNEL_ARGS \
	"root=root rootfstype=9p ro" \
	" rootflags=trans=virtio,version=9p2000.L,msize=131072,cache=loose" \
	" console=ttyS0,115200 earlyprintk=serial,ttyS0,115200 panic=-1" \
	" tsc=reliable clocksource=tsc hpet=disable nokaslr no_timer_check" \
	" watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"

/* A growing list of strings, NULL-terminated. */
struct strv {
	char **v;
	size_t n;
};

struct device {
	const char *spec;		/* KIND[@NODE] */
	size_t kind;			/* in controllers[] */
	int node;			/* -1: none asked for */
};

struct vm {
	const char *kernel;
	const char *moddir;
	const char *topology;
	const char *outdir;
	long timeout;			/* seconds, 0: none */
	bool no_console_scan;
	bool console_live;
	bool interactive;
	char **command;
	struct strv kernel_args;
	struct strv qemu_args;
	struct strv env;
	struct device devices[MAX_DEVICES];
	size_t nr_devices;

	struct topology topo;
	char *out;		/* absolute path of outdir */
	bool out_is_temporary;
	struct judge judge;
};

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("vmrun: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_USAGE);
}

static void add(struct strv *s, char *str)
{
	s->v = realloc(s->v, (s->n + 2) * sizeof(*s->v));
	if (!s->v || !str)
		die("out of memory");
	s->v[s->n++] = str;
	s->v[s->n] = NULL;
}

__attribute__((format(printf, 1, 2)))
static char *format(const char *fmt, ...)
{
	va_list ap;
	char *str;

	va_start(ap, fmt);
	if (vasprintf(&str, fmt, ap) < 0)
		die("out of memory");
	va_end(ap);
	return str;
}

#define ADD(s, ...) add(s, format(__VA_ARGS__))

/* @str with every @c replaced by @by, which may contain @c. */
static char *replace(const char *str, char c, const char *by)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (!f)
		die("out of memory");
	for (; *str; str++) {
		if (*str == c)
			fputs(by, f);
		else
			fputc(*str, f);
	}
	if (fclose(f))
		die("out of memory");
	return out;
}

/* For a path inside a QEMU option. */
static char *qemu_quote(const char *str)
{
	return replace(str, ',', ",,");
}

/* For a word in guest.sh. */
static char *shell_quote(const char *str)
{
	return format("'%s'", replace(str, '\'', "'\\''"));
}

static char *absolute(const char *path, const char *what)
{
	char *abs = realpath(path, NULL);

	if (!abs)
		die("%s '%s': %s", what, path, strerror(errno));
	return abs;
}

/* -- topology ---------------------------------------------------------------- */

static int is_topo(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".topo");
}

__attribute__((noreturn))
static void die_topology(const char *name)
{
	struct dirent **list;
	int i, n = scandir(VM_DIR "/topologies", &list, is_topo, alphasort);
	char *names = format("%s", "");

	for (i = 0; i < n; i++)
		names = format("%s %.*s", names, (int)strlen(list[i]->d_name) - 5, list[i]->d_name);
	die("topology '%s' is not a file (with a /) or one of:%s", name, names);
}

static void load_topology(struct vm *vm)
{
	char *path = strchr(vm->topology, '/') ? format("%s", vm->topology) :
		     format("%s/topologies/%s.topo", VM_DIR, vm->topology);
	char err[TOPO_ERR_LEN];

	if (access(path, R_OK))
		die_topology(vm->topology);
	if (topo_load(&vm->topo, path, err))
		die("%s", err);
}

/*
 * Sockets are the nodes where all have the same number of CPUs in a row; else
 * each CPU gets a socket of its own, as Linux warns about sockets that span nodes.
 */
static unsigned int nr_sockets(const struct topology *t)
{
	unsigned int per_node = topo_cpus_per_node(t);

	return per_node ? t->nr_cpus / per_node : t->nr_cpus;
}

static void topology_args(const struct topology *t, struct strv *q)
{
	unsigned int sockets = nr_sockets(t), cpu, node, to;

	ADD(q, "-smp");
	ADD(q, "%u,sockets=%u,dies=%u,cores=%u,threads=1", t->nr_cpus, sockets, t->caches,
	    t->nr_cpus / sockets / t->caches);
	ADD(q, "-m");
	ADD(q, "%lluM", (unsigned long long)topo_mem_total(t) >> 20);
	for (node = 0; node < t->nr_nodes; node++) {
		char *arg = format("node,nodeid=%u", node);

		if (t->mem[node]) {
			ADD(q, "-object");
			ADD(q, "memory-backend-ram,id=mem%u,size=%lluM", node,
			    (unsigned long long)t->mem[node] >> 20);
			arg = format("%s,memdev=mem%u", arg, node);
		}
		for (cpu = 0; cpu < t->nr_cpus; cpu++)
			if (t->cpu_node[cpu] == node)
				arg = format("%s,cpus=%u", arg, cpu);
		ADD(q, "-numa");
		add(q, arg);
	}
	for (node = 0; node < t->nr_nodes; node++) {
		for (to = node + 1; to < t->nr_nodes; to++) {
			ADD(q, "-numa");
			ADD(q, "dist,src=%u,dst=%u,val=%u", node, to, t->dist[node][to]);
		}
	}
}

/* -- devices ----------------------------------------------------------------- */

static const struct {
	const char *kind;
	const char *qemu;
	const char *disk;
} controllers[] = {
	{ "megasas", "megasas-gen2", "scsi-hd" },
	{ "virtio-scsi", "virtio-scsi-pci", "scsi-hd" },
	{ "ahci", "ich9-ahci", "ide-hd" },
};

#define NR_CONTROLLERS	(sizeof(controllers) / sizeof(controllers[0]))

static size_t find_controller(const char *spec, size_t len)
{
	char *kinds = "";
	size_t i;

	for (i = 0; i < NR_CONTROLLERS; i++) {
		const char *kind = controllers[i].kind;

		if (strlen(kind) == len && !strncmp(kind, spec, len))
			return i;
		kinds = format("%s %s", kinds, kind);
	}
	die("device '%s' is not KIND or KIND@NODE with KIND one of:%s", spec, kinds);
}

static void parse_device(const struct vm *vm, struct device *dev)
{
	const char *at = strchrnul(dev->spec, '@');
	char *end;
	long node;

	dev->kind = find_controller(dev->spec, at - dev->spec);
	dev->node = -1;
	if (!*at)
		return;
	node = strtol(at + 1, &end, 10);
	if (end == at + 1 || *end || node < 0 || node >= vm->topo.nr_nodes)
		die("device '%s': the node is not in 0..%u", dev->spec, vm->topo.nr_nodes - 1);
	dev->node = node;
}

/* A controller, behind a PCIe root of its own on the device's node, and a disk. */
static void device_args(const struct vm *vm, size_t nr, struct strv *q)
{
	const struct device *dev = &vm->devices[nr];
	char *bus = "pcie.0", *disk = format("%s/disk%zu.img", vm->out, nr);
	int fd = open(disk, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, DISK_SIZE))
		die("cannot make '%s': %s", disk, strerror(errno));
	close(fd);
	if (dev->node >= 0) {
		ADD(q, "-device");
		ADD(q, "pxb-pcie,id=pxb%zu,bus=pcie.0,bus_nr=%zu,numa_node=%d", nr, 32 * (nr + 1),
		    dev->node);
		ADD(q, "-device");
		ADD(q, "pcie-root-port,id=port%zu,bus=pxb%zu,chassis=%zu", nr, nr, nr + 1);
		bus = format("port%zu", nr);
	}
	ADD(q, "-blockdev");
	ADD(q, "driver=file,node-name=disk%zu,cache.no-flush=on,filename=%s", nr,
	    qemu_quote(disk));
	ADD(q, "-device");
	ADD(q, "%s,id=ctl%zu,bus=%s", controllers[dev->kind].qemu, nr, bus);
	ADD(q, "-device");
	ADD(q, "%s,drive=disk%zu,bus=ctl%zu.0", controllers[dev->kind].disk, nr, nr);
}

/* -- time -------------------------------------------------------------------- */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#ifdef __x86_64__
/* Ticks and time of one moment: the closest pair of a few. */
static uint64_t read_tsc(double *time)
{
	uint64_t best = UINT64_MAX, tsc = 0, before, after;
	double t;
	int i;

	for (i = 0; i < 20; i++) {
		before = __builtin_ia32_rdtsc();
		t = now();
		after = __builtin_ia32_rdtsc();
		if (after - before < best) {
			best = after - before;
			tsc = before + best / 2;
			*time = t;
		}
	}
	return tsc;
}

/*
 * A guest's TSC is this machine's. If the guest has to measure it against an
 * emulated timer on a busy machine, it may be wrong by far, and so its clock.
 */
static char *tsc_arg(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	double start, end;
	uint64_t ticks = read_tsc(&start);

	nanosleep(&pause, NULL);
	ticks = read_tsc(&end) - ticks;
	return format(" tsc_early_khz=%.0f", ticks / (end - start) / 1000);
}
#else
static char *tsc_arg(void)
{
	return "";
}
#endif

/* -- the guest --------------------------------------------------------------- */

static void share_args(struct strv *q, const char *tag, const char *path, const char *options)
{
	ADD(q, "-fsdev");
	ADD(q, "local,id=%s,path=%s,security_model=none,multidevs=remap%s", tag, qemu_quote(path),
	    options);
	ADD(q, "-device");
	ADD(q, "virtio-9p-pci,fsdev=%s,mount_tag=%s", tag, tag);
}

/* A serial port that writes into a pipe of ours, which QEMU has inherited. */
static void serial_args(struct strv *q, const char *id, int fd)
{
	ADD(q, "-chardev");
	ADD(q, "file,id=%s,path=/dev/fd/%d", id, fd);
	ADD(q, "-serial");
	ADD(q, "chardev:%s", id);
}

static struct strv qemu_command(const struct vm *vm, int console, int verdict)
{
	static const char * const fixed[] = {
		QEMU, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
		"-machine", "q35,hpet=off,vmport=off,smbus=off,sata=off",
		"-accel", "tcg,thread=multi", "-cpu", CPU_MODEL, "-device", "pvpanic-pci",
	};
	struct strv q = {};
	char *append;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		ADD(&q, "%s", fixed[i]);
	topology_args(&vm->topo, &q);
	share_args(&q, "root", "/", ",readonly=on");
	share_args(&q, "out", vm->out, "");
	serial_args(&q, "console", console);
	if (vm->interactive) {
		ADD(&q, "-chardev");
		ADD(&q, "stdio,id=terminal,signal=off");
		ADD(&q, "-serial");
		ADD(&q, "chardev:terminal");
	} else {
		serial_args(&q, "verdict", verdict);
	}
	for (i = 0; i < vm->nr_devices; i++)
		device_args(vm, i, &q);
	append = format("%s%s init=%s/init", KERNEL_ARGS, tsc_arg(), VM_DIR);
	for (i = 0; i < vm->kernel_args.n; i++)
		append = format("%s %s", append, vm->kernel_args.v[i]);
	ADD(&q, "-kernel");
	ADD(&q, "%s", vm->kernel);
	ADD(&q, "-append");
	add(&q, append);
	for (i = 0; i < vm->qemu_args.n; i++)
		add(&q, vm->qemu_args.v[i]);
	return q;
}

static int open_log(const struct vm *vm, const char *name)
{
	char *path = format("%s/%s", vm->out, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		die("cannot write '%s': %s", path, strerror(errno));
	return fd;
}

static void write_all(int fd, const char *buf, size_t len)
{
	ssize_t done;

	for (; len; buf += done, len -= done) {
		done = write(fd, buf, len);
		if (done <= 0)
			return;
	}
}

/* For stty; init takes a shell that has it for an interactive one. */
static char *terminal_size(void)
{
	struct winsize ws = { .ws_row = 24, .ws_col = 80 };

	ioctl(STDIN_FILENO, TIOCGWINSZ, &ws);
	return format("rows %u cols %u", ws.ws_row, ws.ws_col);
}

/* What init shall do; see there. */
static void write_guest_sh(const struct vm *vm)
{
	char *cwd = absolute(".", "working directory");
	char *text = format("cd %s || die 'no working directory'\n", shell_quote(cwd));
	int fd = open_log(vm, "guest.sh");
	char **arg;
	size_t i;

	for (i = 0; i < vm->env.n; i++)
		text = format("%sexport %.*s=%s\n", text, (int)strcspn(vm->env.v[i], "="),
			      vm->env.v[i], shell_quote(strchr(vm->env.v[i], '=') + 1));
	if (vm->moddir)
		text = format("%smoddir=%s\n", text, shell_quote(vm->moddir));
	if (vm->interactive)
		text = format("%sterminal='%s'\n", text, terminal_size());
	text = format("%sset --", text);
	for (arg = vm->command; *arg; arg++)
		text = format("%s %s", text, shell_quote(*arg));
	text = format("%s\n", text);
	write_all(fd, text, strlen(text));
	close(fd);
}

static pid_t start_qemu(const struct vm *vm, int console, int verdict)
{
	struct strv q = qemu_command(vm, console, verdict);
	int log = open_log(vm, "qemu.log");
	size_t i;
	pid_t pid;
	sigset_t none;

	for (i = 0; i < q.n; i++)
		dprintf(log, "%s ", shell_quote(q.v[i]));
	dprintf(log, "\n");
	pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (!vm->interactive) {
			dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
			dup2(log, STDOUT_FILENO);
		}
		dup2(log, STDERR_FILENO);
		execvp(QEMU, q.v);
		dprintf(log, "cannot run %s: %s\n", QEMU, strerror(errno));
		_exit(127);
	}
	close(log);
	return pid;
}

/* -- running and judging ----------------------------------------------------- */

/* One of the guest's two serial ports. */
struct stream {
	int fd;			/* reading end of the pipe, -1 at its end */
	int qemu_fd;		/* QEMU's end */
	int log;
};

static void open_stream(const struct vm *vm, struct stream *s, const char *log)
{
	int fds[2];

	if (pipe(fds))
		die("cannot make a pipe: %s", strerror(errno));
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	s->fd = fds[0];
	s->qemu_fd = fds[1];
	s->log = open_log(vm, log);
}

/* How a run went, besides what the guest said. */
struct run {
	int signal;		/* that ended vmrun */
	bool timed_out;
	int status;		/* of QEMU, as from waitpid() */
	double first;		/* seconds until the first byte of the verdict, 0: none */
	double total;
};

/* Reads what is there. False at the end of the stream. */
static bool read_stream(struct vm *vm, struct stream *s, bool verdict)
{
	char buf[65536];
	ssize_t len = read(s->fd, buf, sizeof(buf));

	if (len <= 0)
		return len < 0 && errno == EINTR;
	write_all(s->log, buf, len);
	if (verdict) {
		write_all(STDOUT_FILENO, buf, judge_verdict(&vm->judge, buf, len));
	} else {
		if (!vm->no_console_scan)
			judge_console(&vm->judge, buf, len);
		if (vm->console_live)
			write_all(STDERR_FILENO, buf, len);
	}
	return true;
}

static struct run run_guest(struct vm *vm)
{
	static const int watched[] = { SIGINT, SIGTERM, SIGHUP };
	struct stream console, verdict;
	struct signalfd_siginfo info;
	struct run run = {};
	double start = now();
	struct pollfd fds[3];
	sigset_t set;
	pid_t pid;
	size_t i;
	int sigfd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigfd = signalfd(-1, &set, SFD_CLOEXEC);
	open_stream(vm, &console, "console.log");
	open_stream(vm, &verdict, "verdict.log");
	pid = start_qemu(vm, console.qemu_fd, verdict.qemu_fd);
	close(console.qemu_fd);
	close(verdict.qemu_fd);

	/* Both streams end when QEMU does. */
	while (console.fd >= 0 || verdict.fd >= 0) {
		double left = start + vm->timeout - now();

		fds[0] = (struct pollfd){ .fd = console.fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = verdict.fd, .events = POLLIN };
		fds[2] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
		if (vm->timeout && left <= 0 && !run.timed_out) {
			run.timed_out = true;
			kill(pid, SIGKILL);
		}
		if (poll(fds, 3, !vm->timeout || run.timed_out ? -1 : (int)(left * 1000) + 1) < 0)
			break;
		if (fds[2].revents && read(sigfd, &info, sizeof(info)) == sizeof(info)) {
			run.signal = info.ssi_signo;
			kill(pid, SIGKILL);
		}
		if (fds[1].revents & POLLIN && !run.first)
			run.first = now() - start;
		if (fds[1].revents && !read_stream(vm, &verdict, true))
			verdict.fd = -1;
		if (fds[0].revents && !read_stream(vm, &console, false))
			console.fd = -1;
	}
	waitpid(pid, &run.status, 0);
	run.total = now() - start;
	return run;
}

/* The last line of qemu.log: QEMU's own error, if it had one. */
static char *qemu_error(const struct vm *vm)
{
	FILE *f = fopen(format("%s/qemu.log", vm->out), "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) >= 0)
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	return line ? line : format("%s", "no message");
}

static int judge_run(struct vm *vm, const struct run *run, char why[JUDGE_WHY])
{
	int ret = judge_result(&vm->judge, why);

	/* A splat comes first: it is what the rest follows from. */
	if (vm->judge.splat[0])
		return ret;
	if (vm->interactive)
		ret = EXIT_OK;
	if (run->timed_out)
		snprintf(why, JUDGE_WHY, "time-out after %ld s", vm->timeout);
	else if (WIFSIGNALED(run->status))
		snprintf(why, JUDGE_WHY, "QEMU was killed by signal %d", WTERMSIG(run->status));
	else if (WEXITSTATUS(run->status))
		snprintf(why, JUDGE_WHY, "QEMU's exit code is %d: %s", WEXITSTATUS(run->status),
			 qemu_error(vm));
	else
		return ret;
	return EXIT_FAILED;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static void make_outdir(struct vm *vm)
{
	const char *tmp = getenv("TMPDIR");

	if (vm->outdir) {
		if (mkdir(vm->outdir, 0755) && errno != EEXIST)
			die("cannot make '%s': %s", vm->outdir, strerror(errno));
		vm->out = absolute(vm->outdir, "output directory");
		return;
	}
	vm->out = format("%s/vmrun-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(vm->out))
		die("cannot make '%s': %s", vm->out, strerror(errno));
	vm->out = absolute(vm->out, "output directory");
	vm->out_is_temporary = true;
}

static void remove_outdir(const struct vm *vm)
{
	if (vm->out_is_temporary)
		nftw(vm->out, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static const char usage_text[] =
	"usage: vmrun [OPTION]... [--] COMMAND [ARG]...\n"
	"Run COMMAND in a QEMU guest, in this directory of this machine's own root (which\n"
	"the guest sees, but can't change), and judge it, its KTAP and the console.\n"
	"  -k BZIMAGE     kernel (default: $VMRUN_KERNEL)\n"
	"  -m MODDIR      holds lib/modules/VERSION (default: $VMRUN_MODULES, or none)\n"
	"  -t TOPOLOGY    name, or a file if it has a / (default: " DEFAULT_TOPO ")\n"
	"  -T SECONDS     time-out, boot included (default: " DEFAULT_TIMEOUT ", with -i none)\n"
	"  -o OUTDIR      for logs; /run/out in the guest (default: temporary, kept on failure)\n"
	"  -d KIND[@NODE] disk behind a controller on NODE; KIND: megasas, virtio-scsi, ahci\n"
	"  -a KERNEL_ARG  -q QEMU_ARG  -e NAME=VALUE (environment of COMMAND)\n"
	"  -n             do not look for splats in the console\n"
	"  -v             show the console on stderr\n"
	"  -i             interactive: COMMAND gets this terminal; only the console is judged\n"
	"-a, -d, -e and -q can be repeated. Exit: 0 passed, 1 failed, 2 usage, 4 skipped.\n";

static void check_env(const char *env)
{
	size_t len = strspn(env, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	if (!len || env[len] != '=' || (env[0] >= '0' && env[0] <= '9'))
		die("-e '%s' is not NAME=VALUE with NAME of letters, digits and _", env);
}

static long parse_timeout(const char *arg)
{
	char *end;
	long val = strtol(arg, &end, 10);

	if (end == arg || *end || val < 1 || val > MAX_TIMEOUT)
		die("time-out '%s' is not in 1..%d seconds", arg, MAX_TIMEOUT);
	return val;
}

static void parse_options(struct vm *vm, int argc, char **argv)
{
	const char *timeout = NULL;
	int c;

	*vm = (struct vm){
		.kernel = getenv("VMRUN_KERNEL"),
		.moddir = getenv("VMRUN_MODULES"),
		.topology = DEFAULT_TOPO,
	};
	while ((c = getopt(argc, argv, "+k:m:t:T:o:d:a:q:e:nvih")) != -1) {
		switch (c) {
		case 'k':
			vm->kernel = optarg;
			break;
		case 'm':
			vm->moddir = optarg;
			break;
		case 't':
			vm->topology = optarg;
			break;
		case 'o':
			vm->outdir = optarg;
			break;
		case 'a':
			add(&vm->kernel_args, optarg);
			break;
		case 'q':
			add(&vm->qemu_args, optarg);
			break;
		case 'n':
			vm->no_console_scan = true;
			break;
		case 'v':
			vm->console_live = true;
			break;
		case 'i':
			vm->interactive = true;
			break;
		case 'd':
			if (vm->nr_devices == MAX_DEVICES)
				die("-d '%s': there are %d devices already", optarg, MAX_DEVICES);
			vm->devices[vm->nr_devices++].spec = optarg;
			break;
		case 'e':
			check_env(optarg);
			add(&vm->env, optarg);
			break;
		case 'T':
			timeout = optarg;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(EXIT_OK);
		default:
			fputs(usage_text, stderr);
			exit(EXIT_USAGE);
		}
	}
	if (timeout || !vm->interactive)
		vm->timeout = parse_timeout(timeout ? timeout : DEFAULT_TIMEOUT);
	if (!argv[optind])
		die("no COMMAND (-h shows the usage)");
	vm->command = argv + optind;
}

int main(int argc, char **argv)
{
	char why[JUDGE_WHY];
	struct run run;
	struct vm vm;
	size_t i;
	int ret;

	parse_options(&vm, argc, argv);
	load_topology(&vm);
	if (!vm.kernel || access(vm.kernel, R_OK))
		die("kernel '%s' can't be read (-k or $VMRUN_KERNEL)", vm.kernel ? vm.kernel : "");
	if (access(VM_DIR "/init", X_OK))
		die("'%s' can't be executed: build vmrun again", VM_DIR "/init");
	if (vm.moddir) {
		vm.moddir = absolute(vm.moddir, "module directory");
		if (access(format("%s/lib/modules", vm.moddir), X_OK))
			die("module directory '%s' has no lib/modules", vm.moddir);
	}
	for (i = 0; i < vm.nr_devices; i++)
		parse_device(&vm, &vm.devices[i]);
	signal(SIGPIPE, SIG_IGN);
	judge_init(&vm.judge);
	make_outdir(&vm);
	write_guest_sh(&vm);

	run = run_guest(&vm);
	if (run.signal) {
		fprintf(stderr, "vmrun: interrupted by signal %d\n", run.signal);
		remove_outdir(&vm);
		return 128 + run.signal;
	}
	ret = judge_run(&vm, &run, why);
	if (ret == EXIT_FAILED) {
		fprintf(stderr, "vmrun: FAILED: %s; logs in %s\n", why, vm.out);
		return ret;
	}
	if (!vm.interactive)
		fprintf(stderr, "vmrun: %s on %s: first output after %.1f s, off after %.1f s\n",
			ret == EXIT_OK ? "passed" : "skipped", vm.topology, run.first, run.total);
	remove_outdir(&vm);
	return ret;
}
