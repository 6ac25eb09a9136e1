// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the node and the placement of iSCSI sessions: iscsi_tcp logs in to a
 * LIO RAM disk in another network namespace. Needs root, a kernel with the series,
 * open-iscsi.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blkplace.h"
#include "completions.h"
#include "ktap.h"
#include "load.h"

#define PARAMS	"/sys/module/iscsi_tcp/parameters"
#define TPG	"/sys/kernel/config/target/iscsi/" IQN "/tpgt_1"
#define IQN	"iqn.2020-01.test:target"
#define RECORD	"iscsiadm -m node -T " IQN " -p 10.9.0.2:3260"
#define QUIET	" >/tmp/iscsiadm.log 2>&1"
#define CMDS	128	/* Tasks of a session. */
#define MGMT	15	/* Of which the kernel keeps so many for management. */
#define TAGS	(CMDS - MGMT)

static struct nodes nodes;
static bool many;	/* More than one node can own tags. */

/**
 * struct session - A session, which has a host of its own and one disk.
 * @id: Number of the session.
 * @host: The host's directory in /sys/class/scsi_host/.
 * @sdev: That of the disk's SCSI device.
 * @disk: Name of the disk.
 */
struct session {
	int id;
	char host[64];
	char sdev[256];
	char disk[32];
};

/**
 * struct tasks - Where a session and its tasks are, of debugfs.
 * @session: Node of the session.
 * @conn: That of its connection.
 * @nr: Number of tasks.
 * @free: Number of tasks that no one uses.
 * @pools: Number of pools, 0: there is one FIFO.
 * @owned: Tasks that shall be on a node.
 * @memory: Tasks that are there.
 * @own: Tasks that commands of a node got from its pool.
 * @foreign: Tasks that they got from others.
 */
struct tasks {
	int session;
	int conn;
	int nr;
	int free;
	int pools;
	int owned[MAX_NODES];
	int memory[MAX_NODES];
	unsigned long long own[MAX_NODES];
	unsigned long long foreign[MAX_NODES];
};

static int tasks_read(const struct session *s, struct tasks *t)
{
	char path[128], line[256];
	FILE *f;

	memset(t, 0, sizeof(*t));
	t->session = t->conn = -1;
	snprintf(path, sizeof(path), "/sys/kernel/debug/iscsi/session%d/task_nodes", s->id);
	f = fopen(path, "r");
	if (!f) {
		ktap_note("%s: %s", path, strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		unsigned long long own, foreign;
		int node, owned, memory, left, n;

		if (sscanf(line, "session: node=%d", &t->session) == 1 ||
		    sscanf(line, "connection: node=%d", &t->conn) == 1 ||
		    sscanf(line, "tasks: nr=%d free=%d", &t->nr, &t->free) >= 1)
			continue;
		n = sscanf(line, "node=%d owned=%d memory=%d free=%d own=%llu foreign=%llu",
			   &node, &owned, &memory, &left, &own, &foreign);
		if ((n != 3 && n != 6) || node < 0 || node >= MAX_NODES) {
			ktap_note("%s: can't read %s", path, line);
			fclose(f);
			return -1;
		}
		t->owned[node] = owned;
		t->memory[node] = memory;
		if (n < 6)
			continue;
		t->pools++;
		t->free += left;
		t->own[node] = own;
		t->foreign[node] = foreign;
	}
	fclose(f);
	return 0;
}

/* ---- sessions ---- */

static pid_t iscsid;

static void run_iscsid(void)
{
	iscsid = fork();
	if (!iscsid) {
		int log = open("/tmp/iscsid.log", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		/* When it ends it ends its whole process group. */
		setsid();
		dup2(log, 1);
		dup2(log, 2);
		execlp("iscsid", "iscsid", "-f", NULL);
		_exit(127);
	}
}

static int start_iscsid(void)
{
	int tries;

	run("mkdir -p /run/lock");
	/* One CPU is to have all of a session's commands in flight. */
	if (write_line("256", TPG "/attrib/default_cmdsn_depth")) {
		ktap_note("default_cmdsn_depth: %s", strerror(errno));
		return -1;
	}
	/*
	 * lockdep warns, patched or not, when the target's timer for lost sessions fires:
	 * its lock of a session is taken before one that softirqs may interrupt. Never, then.
	 */
	if (write_line("3600", TPG "/param/DefaultTime2Retain")) {
		ktap_note("DefaultTime2Retain: %s", strerror(errno));
		return -1;
	}
	run_iscsid();
	for (tries = 0; tries < 100; tries++) {
		if (!run(RECORD " -o new" QUIET))
			break;
		usleep(100000);
	}
	/* Each write shall wait for an R2T. */
	if (run("for p in session.cmds_max=%d session.queue_depth=%d "
		"session.iscsi.InitialR2T=Yes session.iscsi.ImmediateData=No "
		"session.timeo.replacement_timeout=300 session.iscsi.DefaultTime2Retain=3600 "
		"conn[0].timeo.noop_out_interval=2 conn[0].timeo.noop_out_timeout=4 "
		"conn[0].iscsi.HeaderDigest=CRC32C conn[0].iscsi.DataDigest=CRC32C; do "
		RECORD " -o update -n node.${p%%%%=*} -v ${p#*=}" QUIET
		" || { sed 's/^/# /' /tmp/iscsiadm.log; exit 1; }; done", CMDS, TAGS))
		return -1;
	return 0;
}

/* sd probes asynchronously: wait for the disk. */
static int find_session(struct session *s)
{
	char path[128];
	int tries, no;
	glob_t g;

	for (tries = 0; tries < 300; tries++, usleep(50000)) {
		char *p, *block;

		if (glob("/sys/class/iscsi_session/session*/device/target*/*:*/block/sd*", 0,
			 NULL, &g))
			continue;
		p = g.gl_pathv[0];
		block = strstr(p, "/block/");
		snprintf(s->disk, sizeof(s->disk), "%s", block + strlen("/block/"));
		snprintf(s->sdev, sizeof(s->sdev), "%.*s", (int)(block - p), p);
		sscanf(p, "/sys/class/iscsi_session/session%d", &s->id);
		sscanf(strrchr(s->sdev, '/'), "/%d:", &no);
		snprintf(s->host, sizeof(s->host), "/sys/class/scsi_host/host%d", no);
		globfree(&g);
		/* What is registered last. */
		snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/hctx0/tag_nodes",
			 s->disk);
		if (!access(path, F_OK)) {
			if (run("blockdev --getsz /dev/%s >/dev/null", s->disk))
				continue;
			return write_line("none", "/sys/block/%s/queue/scheduler", s->disk);
		}
	}
	ktap_note("the session has no disk");
	return -1;
}

static int login(struct session *s)
{
	if (run(RECORD " --login" QUIET)) {
		run("sed 's/^/# /' /tmp/iscsiadm.log");
		return -1;
	}
	if (find_session(s))
		return -1;
	/*
	 * 6.12.117 warns, patched or not, if a target goes while runtime PM has work for it:
	 * pm_runtime_remove() waits for pm_wq, and iscsi_ctrl has WQ_MEM_RECLAIM.
	 */
	return run("for f in /sys/class/iscsi_session/session%d/device/target*/power/control; do "
		   "echo on >$f || exit; done", s->id);
}

static int logout(void)
{
	glob_t g;
	int tries;

	if (run("timeout 120 " RECORD " --logout" QUIET)) {
		run("sed 's/^/# /' /tmp/iscsiadm.log");
		return -1;
	}
	for (tries = 0; tries < 100; tries++) {
		if (glob("/sys/class/iscsi_host/host*", 0, NULL, &g))
			return 0;
		globfree(&g);
		usleep(100000);
	}
	ktap_note("the host is still there");
	return -1;
}

static int set_params(const char *node, const char *placement)
{
	if (!write_line(node, PARAMS "/numa_node") &&
	    !write_line(placement, PARAMS "/tag_placement"))
		return 0;
	ktap_note("numa_node=%s tag_placement=%s: %s", node, placement, strerror(errno));
	return -1;
}

static int set_node(int node, const char *placement)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", node);
	return set_params(text, placement);
}

static bool verify(const struct session *s, int jobs, int depth)
{
	struct verify v = { .disk = s->disk, .jobs = jobs, .depth = depth, .kib = 1024 };

	return verify_once(&v);
}

/* All but the one for login, some time after I/O has ended. */
static bool tasks_are_free(const struct session *s)
{
	struct tasks t = {};
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (tasks_read(s, &t))
			return false;
		if (t.nr == CMDS && t.free == CMDS - 1)
			return true;
		usleep(100000);
	}
	ktap_note("%d of %d tasks are free", t.free, t.nr);
	return false;
}

/* ---- R2Ts ---- */

#define TRACING	"/sys/kernel/tracing"
#define KMALLOC	TRACING "/events/kmem/kmalloc"

/*
 * No file shows where the R2Ts of a task are, but tracing does tell for which node
 * they were asked for.
 */
static bool trace_r2ts(void)
{
	if (access(KMALLOC, F_OK))
		run("mount -t tracefs tracefs " TRACING " 2>/dev/null");
	return !write_line("call_site.function == iscsi_pool_init_node || "
			   "call_site.function == iscsi_tcp_r2tpool_alloc",
			   KMALLOC "/filter") &&
	       !run("echo >" TRACING "/trace") && !write_line("1", KMALLOC "/enable");
}

/* Two R2Ts and the queue for them on the node of each task. */
static bool r2ts_follow(const struct session *s)
{
	int r2ts[MAX_NODES] = {}, queues[MAX_NODES] = {}, node;
	char line[512], *p, *site;
	struct tasks t;
	bool ok = true;
	FILE *f;

	write_line("0", KMALLOC "/enable");
	f = fopen(TRACING "/trace", "r");
	if (!f || tasks_read(s, &t))
		return false;
	while (fgets(line, sizeof(line), f)) {
		site = strstr(line, "call_site=");
		p = strstr(line, " node=");
		if (!site || !p)
			continue;
		node = atoi(p + strlen(" node="));
		if (node < 0 || node >= MAX_NODES) {
			ktap_note("an R2T for node %d", node);
			ok = false;
		} else if (strstr(site, "iscsi_pool_init_node")) {
			r2ts[node]++;
		} else {
			queues[node]++;
		}
	}
	fclose(f);
	/* Pools have an array besides, and the tasks themselves may be one. */
	for (node = 0; node < MAX_NODES; node++) {
		if (t.owned[node] ? r2ts[node] >= 2 * t.owned[node] && queues[node] == t.owned[node] :
		    !r2ts[node] && !queues[node])
			continue;
		ktap_note("node %d: %d tasks, %d items of pools, %d queues", node,
			  t.owned[node], r2ts[node], queues[node]);
		ok = false;
	}
	return ok;
}

/* ---- tests ---- */

static void test_default(void)
{
	struct session s;
	struct tasks t = {};
	int node, owned = 0, memory = 0;
	bool ok;

	ok = attr_reads("-1", PARAMS, "numa_node") && attr_reads("flat", PARAMS, "tag_placement") &&
	     !login(&s) && attr_reads("-1", s.host, "numa_node") &&
	     attr_reads("flat", s.host, "tag_placement") && !tasks_read(&s, &t);
	for (node = 0; node < MAX_NODES; node++) {
		owned += t.owned[node];
		memory += t.memory[node];
	}
	if (t.pools || owned || memory != CMDS) {
		ktap_note("%d pools, %d tasks, %d for a node", t.pools, memory, owned);
		ok = false;
	}
	ktap_result(ok, "no node, one pool by default");
	ktap_result(ok && verify(&s, 4, 8) && tasks_are_free(&s) && !logout(),
		    "data are right by default");
}

static void test_nodes(void)
{
	bool ok = true, io = true, r2ts = true, traced = false;
	int node;

	for (node = 0; node < nodes.nr; node++) {
		struct blkplace p;
		struct session s;
		struct tasks t;
		bool good;

		if (!nodes.mem_kb[node])
			continue;
		traced = trace_r2ts();
		good = !set_node(node, "flat") && !login(&s) &&
		       attr_reads_int(node, PARAMS, "numa_node") &&
		       attr_reads_int(node, s.host, "numa_node") &&
		       attr_reads("flat", s.host, "tag_placement") && !tasks_read(&s, &t) &&
		       !blkplace_read(s.disk, 0, "tags", &p);
		if (good && (t.session != node || t.conn != node || t.pools ||
			     t.owned[node] != CMDS || t.memory[node] != CMDS)) {
			ktap_note("node %d: session on %d, connection on %d, %d tasks there, %d pools",
				  node, t.session, t.conn, t.memory[node], t.pools);
			good = false;
		}
		if (good && (p.spread || p.owned[node] != TAGS || p.rqs[node] != TAGS)) {
			ktap_note("node %d: %u tags, %u requests", node, p.owned[node],
				  p.rqs[node]);
			good = false;
		}
		ok &= good;
		r2ts &= good && traced && r2ts_follow(&s);
		io &= good && verify(&s, 2, 8) && tasks_are_free(&s) && !logout();
	}
	ktap_result(ok, "session, connection, tasks and tags are on the chosen node");
	if (traced)
		ktap_result(r2ts, "R2Ts of tasks are on the chosen node");
	else
		ktap_skip("R2Ts of tasks are on the chosen node", "no tracing of kmalloc");
	ktap_result(io, "data are right on each node");
}

static bool spread_tasks(const struct session *s)
{
	int node, share = CMDS / nodes.owners, sum = 0;
	struct tasks t;
	bool ok;

	if (tasks_read(s, &t))
		return false;
	ok = t.session == nodes_last_mem(&nodes) && t.conn == nodes_last_mem(&nodes) && t.nr == CMDS &&
	     t.pools == (many ? nodes.owners : 0);
	for (node = 0; ok && many && node < nodes.nr; node++) {
		bool owner = nodes.owner_mask >> node & 1;

		sum += t.owned[node];
		ok = t.owned[node] == t.memory[node] &&
		     (owner ? t.owned[node] == share || t.owned[node] == share + 1 :
		      !t.owned[node]);
		if (!ok)
			ktap_note("node %d: %d tasks for it, %d there", node, t.owned[node],
				  t.memory[node]);
	}
	if (ok && many)
		ok = sum == CMDS;
	if (!ok)
		ktap_note("session on %d, connection on %d, %d pools, %d of %d tasks",
			  t.session, t.conn, t.pools, sum, t.nr);
	return ok;
}

/* The share of commands that got a task of their node since @since, in percent. */
static double own_share(const struct session *s, const struct tasks *since)
{
	unsigned long long own = 0, all = 0;
	struct tasks t;
	int node;

	if (tasks_read(s, &t))
		return 0;
	for (node = 0; node < MAX_NODES; node++) {
		own += t.own[node] - since->own[node];
		all += t.own[node] - since->own[node] + t.foreign[node] - since->foreign[node];
	}
	return all ? 100.0 * own / all : 0;
}

/* Does every node get tasks, when there are jobs on all CPUs? */
static bool every_node_got(const struct session *s, const struct tasks *since, int least)
{
	struct tasks t;
	int node;

	if (tasks_read(s, &t))
		return false;
	for (node = 0; node < nodes.nr; node++) {
		unsigned long long got = t.own[node] - since->own[node];

		if (!(nodes.owner_mask >> node & 1) || got >= (unsigned long long)least)
			continue;
		ktap_note("commands of node %d got %llu tasks of it", node, got);
		return false;
	}
	return true;
}

static void test_spread(const char *scheduler, int jobs)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), errors = 0;
	struct tasks since = {};
	struct blkplace p = {};
	double share = 0;
	struct session s;
	long long ios = 0;
	bool ok, traced = trace_r2ts();

	ok = !set_node(nodes_last_mem(&nodes), "spread") && !login(&s) &&
	     attr_reads_int(nodes_last_mem(&nodes), s.host, "numa_node") &&
	     attr_reads(many ? "spread" : "flat", s.host, "tag_placement") &&
	     !blkplace_read(s.disk, 0, "tags", &p) &&
	     (!many || (blkplace_placed(&p) && blkplace_even(&p, nodes.owner_mask))) &&
	     spread_tasks(&s) && !write_line(scheduler, "/sys/block/%s/queue/scheduler", s.disk);
	ktap_result(ok, "%s: tasks are spread as tags are", scheduler);
	if (traced)
		ktap_result(ok && r2ts_follow(&s), "%s: R2Ts are with their task", scheduler);
	else
		ktap_skip("R2Ts are with their task", "no tracing of kmalloc");

	ok = ok && verify(&s, jobs, 4) && tasks_are_free(&s);
	ktap_result(ok, "%s: data are right when spread", scheduler);

	if (ok && many) {
		ok = !tasks_read(&s, &since);
		ios = fio_pinned(s.disk, 4, 200, NULL, &errors);
		share = own_share(&s, &since);
		ok = ok && !errors && ios == 200LL * cpus && share >= 99 &&
		     every_node_got(&s, &since, 200);
		ktap_note("%.2f %% of the commands got a task of their node", share);
	}
	if (many)
		ktap_result(ok, "%s: commands get tasks of their node", scheduler);
	else
		ktap_skip("commands get tasks of their node", "one node");
	if (logout())
		ktap_note("after spread");
}

/*
 * As many commands in flight as the host has tags, all from one CPU; with tags made
 * flat again also all on one node, which takes the tasks of the others then.
 */
static void test_capacity(const char *placement, const char *tags)
{
	unsigned long long own = 0, foreign = 0;
	int tries, status, node, cpu, others = 0;
	struct tasks t = {}, since;
	struct session s;
	pid_t pid = -1;
	bool ok;

	nodes_cpus(__builtin_ctzll(nodes.owner_mask), &cpu, 1);
	ok = !set_node(-1, placement) && !login(&s) && tasks_are_free(&s) &&
	     attr_reads_int(TAGS, s.sdev, "queue_depth") &&
	     (!many || placement_write(s.disk, tags, 0)) && !tasks_read(&s, &since) &&
	     !run("nsenter --net=/run/netns/target ip link set veth1 down");
	fflush(stdout);
	if (ok) {
		pid = fork();
		if (!pid)
			_exit(hold_tags(s.disk, cpu, TAGS) == TAGS ? 0 : 1);
		ok = pid > 0;
	}
	for (tries = 0; ok && tries < 30; tries++) {
		if (tasks_read(&s, &t) || t.free == CMDS - 1 - TAGS)
			break;
		usleep(100000);
	}
	/* A ping of the connection may have one of the others. */
	if (ok && t.free != CMDS - 1 - TAGS && t.free != CMDS - 2 - TAGS) {
		ktap_note("%d of %d tasks are free with %d commands", t.free, t.nr, TAGS);
		ok = false;
	}
	for (node = 0; ok && node < MAX_NODES; node++) {
		own += t.own[node] - since.own[node];
		foreign += t.foreign[node] - since.foreign[node];
	}
	if (ok && t.pools) {
		ktap_note("%llu commands with a task of their node, %llu with another", own,
			  foreign);
		if (!strcmp(tags, "flat"))
			others = TAGS - (CMDS + nodes.owners - 1) / nodes.owners;
		ok = own + foreign >= TAGS && foreign >= (unsigned long long)others;
	}
	if (run("nsenter --net=/run/netns/target ip link set veth1 up"))
		ok = false;
	if (pid > 0)
		ok = waitpid(pid, &status, 0) == pid && !status && ok;
	ktap_result(ok && tasks_are_free(&s), "%s: one node can use all tags and tasks, tags %s",
		    placement, tags);
	if (logout())
		ktap_note("after capacity");
}

static bool wait_for_state(const struct session *s, const char *want, int seconds)
{
	char line[64] = "";
	int tries;

	for (tries = 0; tries < seconds * 10; tries++) {
		read_line(line, sizeof(line), "/sys/class/iscsi_session/session%d/state", s->id);
		if (!strcmp(line, want))
			return true;
		usleep(100000);
	}
	ktap_note("the session's state is %s, not %s after %d s", line, want, seconds);
	return false;
}

/* A worker that takes the target away and brings it back. */
static int step_target(struct worker *w)
{
	const struct session *s = w->arg;
	bool link = w->done & 1;

	/* Without a word the kernel must find out by its pings. */
	if (link ? run("nsenter --net=/run/netns/target ip link set veth1 down") :
	    write_line("0", TPG "/enable"))
		return worker_fails(w, "can't stop the target: %s", strerror(errno));
	if (!wait_for_state(s, "FAILED", 60))
		return worker_fails(w, "the session doesn't fail");
	if (link ? run("nsenter --net=/run/netns/target ip link set veth1 up") :
	    write_line("1", TPG "/enable"))
		return worker_fails(w, "can't start the target: %s", strerror(errno));
	if (!wait_for_state(s, "LOGGED_IN", 120))
		return worker_fails(w, "the session doesn't come back");
	w->done++;
	return STEP_OK;
}

/* The daemon dies under I/O; the one that comes after it has to find the session by itself. */
static bool restart_iscsid(const struct session *s)
{
	if (kill(iscsid, SIGKILL) || waitpid(iscsid, NULL, 0) != iscsid) {
		ktap_note("can't kill iscsid: %s", strerror(errno));
		return false;
	}
	sleep(2);
	if (!wait_for_state(s, "LOGGED_IN", 1))
		return false;
	run_iscsid();
	sleep(3);
	return true;
}

static void test_recovery(const char *placement)
{
	struct verify v = { .jobs = 4, .depth = 8, .kib = 1024, .roam = true };
	struct session s;
	struct crew *c;
	bool ok;

	ok = !set_node(nodes_last_mem(&nodes), placement) && !login(&s);
	if (ok) {
		v.disk = s.disk;
		c = crew_new();
		ok = crew_add_verify(c, &v);
		crew_add(c, "target gone and back", step_target, &s, ok ? 4 : 1);
		ok &= crew_join(c);
	}
	ktap_result(ok && tasks_are_free(&s) && verify(&s, 2, 8),
		    "%s: the session recovers, data are right", placement);
	if (logout())
		ktap_note("after recovery");
}

static void test_iscsid(void)
{
	struct verify v = { .jobs = 4, .depth = 8, .kib = 1024, .roam = true };
	struct session s;
	struct crew *c;
	bool ok;

	ok = !set_node(nodes_last_mem(&nodes), "flat") && !login(&s);
	if (ok) {
		v.disk = s.disk;
		c = crew_new();
		ok = crew_add_verify(c, &v) && restart_iscsid(&s);
		crew_add(c, "target gone and back", step_target, &s, 1);
		ok &= crew_join(c);
	}
	ktap_result(ok && verify(&s, 2, 8) && !logout(),
		    "iscsid is killed and started again, the session recovers, data are right");
}

/* Reads until it can't any more. */
static int step_read_on(struct worker *w)
{
	int ret = step_read(w);

	return ret == STEP_FAILED ? STEP_ENDED : ret;
}

static int step_logout(struct worker *w)
{
	const struct session *s = w->arg;
	int tries, busy = 0;

	for (tries = 0; tries < 100 && busy <= 0; tries++, usleep(20000))
		busy = blkplace_busy(s->disk);
	if (logout())
		return worker_fails(w, "logout failed");
	w->refused = busy;
	w->done++;
	return STEP_ENDED;
}

static void test_logout(const char *placement)
{
	int i, j, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool ok = true;

	for (i = 0; ok && i < 5; i++) {
		struct session s;
		struct crew *c;

		ok = !set_node(i % 2 ? nodes_last_mem(&nodes) : -1, placement) && !login(&s);
		if (!ok)
			break;
		c = crew_new();
		for (j = 0; j < cpus * 2 && j < 32; j++)
			crew_add(c, "reader", step_read_on, s.disk, 0);
		usleep(500000);
		crew_add(c, "logout", step_logout, &s, 1);
		ok = crew_join(c);
	}
	ktap_result(ok, "%s: logout under load, %d times", placement, i);
}

/* Tags of a session that is there can be placed anew, its tasks stay. */
static int step_toggle(struct worker *w)
{
	if (write_line(w->done & 1 ? "flat" : "spread", "/sys/block/%s/queue/tag_placement",
		       (const char *)w->arg))
		return worker_fails(w, "tag_placement: %s", strerror(errno));
	w->done++;
	usleep(100000);
	return STEP_OK;
}

static void test_toggle(const char *placement)
{
	struct verify v = { .jobs = 4, .depth = 8, .kib = 1024, .roam = true };
	struct session s;
	struct crew *c;
	bool ok;

	if (!many) {
		ktap_skip("tags are placed anew under load", "one node");
		return;
	}
	ok = !set_node(nodes_last_mem(&nodes), placement) && !login(&s);
	if (ok) {
		v.disk = s.disk;
		c = crew_new();
		ok = crew_add_verify(c, &v);
		crew_add(c, "placement", step_toggle, s.disk, 20);
		ok &= crew_join(c);
	}
	ktap_result(ok && tasks_are_free(&s), "%s: tags are placed anew under load",
		    placement);
	if (logout())
		ktap_note("after toggle");
}

static void test_bad_nodes(void)
{
	static const char *const bad[] = { "-2", "63", "1024", "99999999999", "two" };
	char memless[16] = "", text[128];
	unsigned int i;
	struct session s;
	bool ok = !set_params("-1", "flat");
	int node;

	for (node = 0; node < nodes.nr; node++) {
		if (nodes.online[node] && !nodes.mem_kb[node])
			snprintf(memless, sizeof(memless), "%d", node);
	}
	for (i = 0; i <= sizeof(bad) / sizeof(*bad); i++) {
		const char *val = i < sizeof(bad) / sizeof(*bad) ? bad[i] : memless;

		if (!*val)
			continue;
		errno = 0;
		snprintf(text, sizeof(text),
			 "iscsi_tcp: numa_node: '%s' isn't a node with memory, valid are: -1,", val);
		if (!write_line(val, PARAMS "/numa_node") || errno != EINVAL ||
		    !attr_reads("-1", PARAMS, "numa_node") || !console_says(text)) {
			ktap_note("with %s", val);
			ok = false;
		}
	}
	ok = ok && write_line("round", PARAMS "/tag_placement") && errno == EINVAL;
	ktap_result(ok, "a bad node or placement can't be written");

	/* On load it is told, and -1 instead, or the nearest to one without memory. */
	if (*memless)
		snprintf(text, sizeof(text), "%d",
			 __builtin_ctzll(nodes_nearest(&nodes, atoi(memless))));
	else
		strcpy(text, "-1");
	ok = !run("modprobe -r iscsi_tcp") &&
	     !run("modprobe iscsi_tcp numa_node=%s", *memless ? memless : "63") &&
	     attr_reads(text, PARAMS, "numa_node") && !login(&s) && attr_reads(text, s.host, "numa_node");
	ktap_result(ok && verify(&s, 2, 8) && !logout(), "a bad node on load, %s, is told, and %s instead",
		    *memless ? "one without memory" : "63", *memless ? "the nearest" : "-1");
}

/* ---- the work of a session ---- */

struct work_counts {
	unsigned long run[MAX_NODES], missed[MAX_NODES], all, all_missed;
};

static int work_read(const struct session *s, struct work_counts *w)
{
	FILE *f = fopen("/sys/kernel/debug/workqueue_affine", "r");
	unsigned long ran, missed;
	char line[256], name[64], want[64];
	int node;

	memset(w, 0, sizeof(*w));
	if (!f)
		return -1;
	snprintf(want, sizeof(want), "iscsi_q_%s", strstr(s->host, "/host") + 5);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s node %d run %lu missed %lu", name, &node, &ran, &missed) != 4 ||
		    strcmp(name, want) || node >= MAX_NODES)
			continue;
		w->run[node] = ran;
		w->missed[node] = missed;
		w->all += ran;
		w->all_missed += missed;
	}
	fclose(f);
	return 0;
}

/* Read from a CPU of the first node; the items of work that it took, by node. */
static bool work_of_reads(const struct session *s, int nr, struct work_counts *w)
{
	struct work_counts before;
	int node;

	/* What is in flight when the choice is made still goes where it was to go. */
	if (run("taskset 1 dd if=/dev/%s of=/dev/null bs=64k count=20 iflag=direct 2>/dev/null",
		s->disk) || work_read(s, &before) ||
	    run("taskset 1 dd if=/dev/%s of=/dev/null bs=64k count=%d iflag=direct 2>/dev/null",
		s->disk, nr) || work_read(s, w))
		return false;
	for (node = 0; node < nodes.nr; node++) {
		w->run[node] -= before.run[node];
		if (w->run[node])
			ktap_note("%lu items on node %d", w->run[node], node);
	}
	w->all -= before.all;
	w->all_missed -= before.all_missed;
	return w->all >= (unsigned long)nr;
}

static void test_work_with(const char *recvq)
{
	int cpu, first = nodes_of_cpu(&nodes, 0), last = nodes_last_cpus(&nodes, &cpu, 1);
	struct work_counts w;
	struct session s;
	bool ok;

	ok = !write_line(recvq, PARAMS "/recv_from_iscsi_q") && !set_params("-1", "flat") &&
	     !login(&s) && !write_line("1", "/sys/devices/virtual/workqueue/iscsi_q_%s/affinity_strict",
				       strstr(s.host, "/host") + 5) &&
	     !run("printf %%x $((1 << %d)) >/sys/class/net/veth0/queues/rx-0/rps_cpus", cpu) &&
	     attr_reads("[submitter] softirq", s.host, "work_cpu");
	ktap_result(ok && work_of_reads(&s, 200, &w) && !w.all_missed && w.run[first] >= 200,
		    "recv_from_iscsi_q=%s: submitter: work is on the nodes that queue it", recvq);
	ok = ok && !write_line("softirq", "%s/work_cpu", s.host) &&
	     attr_reads("submitter [softirq]", s.host, "work_cpu");
	errno = 0;
	ok = ok && write_line("softirqs", "%s/work_cpu", s.host) && errno == EINVAL &&
	     attr_reads("submitter [softirq]", s.host, "work_cpu");
	ktap_result(ok && work_of_reads(&s, 200, &w) && !w.all_missed && w.run[last] == w.all,
		    "recv_from_iscsi_q=%s: softirq: all work is on its node", recvq);
	if (logout())
		ktap_note("after work");
	write_line("N", PARAMS "/recv_from_iscsi_q");
	run("echo 0 >/sys/class/net/veth0/queues/rx-0/rps_cpus");
}

static void test_work(void)
{
	bool ok;

	ok = write_line("target", PARAMS "/work_cpu") && errno == EINVAL &&
	     attr_reads("submitter", PARAMS, "work_cpu") && !write_line("softirq", PARAMS "/work_cpu") &&
	     attr_reads("softirq", PARAMS, "work_cpu") && !write_line("submitter", PARAMS "/work_cpu");
	ktap_result(ok, "work_cpu can be written, but not with another word");
	test_work_with("N");
	test_work_with("Y");
}

/*
 * Requests complete where the network's softirq runs or, by rq_affinity, on a CPU of the
 * submitter's. Work that sends handles what arrives meanwhile, so it stays near, too.
 */
static void test_affinity(void)
{
	struct session s;
	int cpus[2];
	bool ok;

	if (!nodes_last_cpus(&nodes, cpus, 2)) {
		ktap_skip("rq_affinity, submitter on another node", "one node");
		ktap_skip("rq_affinity, submitter on the softirq's node", "one node");
		return;
	}
	ok = !set_params("-1", "flat") && !login(&s) && !write_line("softirq", "%s/work_cpu", s.host) &&
	     !write_line("1", "/sys/devices/virtual/workqueue/iscsi_q_%s/affinity_strict",
			 strstr(s.host, "/host") + 5) &&
	     !run("printf %%x $((1 << %d)) >/sys/class/net/veth0/queues/rx-0/rps_cpus", cpus[0]);
	ktap_result(ok && completions_are(s.disk, "0", 0, ELSEWHERE, false) &&
		    completions_are(s.disk, "1", 0, CPU, true) &&
		    completions_are(s.disk, "3", 0, CPU, true) &&
		    completions_are(s.disk, "2", 0, CPU, true), "rq_affinity, submitter on another node");
	ktap_result(ok && completions_are(s.disk, "0", cpus[1], NODE, false) &&
		    completions_are(s.disk, "1", cpus[1], NODE, false) &&
		    completions_are(s.disk, "3", cpus[1], NODE, false) &&
		    completions_are(s.disk, "2", cpus[1], CPU, true),
		    "rq_affinity, submitter on the softirq's node");
	if (logout())
		ktap_note("after affinity");
	run("echo 0 >/sys/class/net/veth0/queues/rx-0/rps_cpus");
}

static void test_spread_none(void)
{
	test_spread("none", sysconf(_SC_NPROCESSORS_ONLN));
}

/* Requests, and with them commands, are those of the scheduler's tags then. */
static void test_spread_deadline(void)
{
	test_spread("mq-deadline", 2);
}

static void test_all_capacity(void)
{
	test_capacity("flat", "flat");
	test_capacity("spread", "spread");
	test_capacity("spread", "flat");
}

static void test_both(void (*test)(const char *placement))
{
	test("flat");
	test("spread");
}

static void test_all_recovery(void)
{
	test_both(test_recovery);
}

static void test_all_logout(void)
{
	test_both(test_logout);
}

static void test_all_toggle(void)
{
	test_both(test_toggle);
}

static const struct {
	const char *name;
	unsigned int plan;
	void (*test)(void);
} tests[] = {
	{ "default", 2, test_default },
	{ "nodes", 3, test_nodes },
	{ "spread", 4, test_spread_none },
	{ "deadline", 4, test_spread_deadline },
	{ "capacity", 3, test_all_capacity },
	{ "recovery", 2, test_all_recovery },
	{ "iscsid", 1, test_iscsid },
	{ "logout", 2, test_all_logout },
	{ "toggle", 2, test_all_toggle },
	{ "work", 5, test_work },
	{ "affinity", 2, test_affinity },
	{ "bad", 2, test_bad_nodes },
};

#define NR_TESTS (sizeof(tests) / sizeof(*tests))

static bool wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

/* Arguments are the tests to run, all without. */
int main(int argc, char **argv)
{
	unsigned int i, plan = 0;
	int ret;

	if (nodes_read(&nodes))
		return 1;
	many = nodes.owners > 1;
	for (i = 0; i < NR_TESTS; i++)
		plan += wanted(tests[i].name, argc, argv) * tests[i].plan;

	ret = run("set -eu; . '" NUMASIM "/guest.sh'; . '" NUMASIM "/workloads/iscsi-target.sh'");
	if (ret)
		return ret;
	ktap_start(plan);
	if (start_iscsid()) {
		printf("Bail out! no iscsid\n");
		return 1;
	}
	for (i = 0; i < NR_TESTS; i++)
		if (wanted(tests[i].name, argc, argv))
			tests[i].test();
	if (iscsid > 0)
		kill(iscsid, SIGTERM);
	return ktap_exit();
}
