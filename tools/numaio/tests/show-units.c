// SPDX-License-Identifier: GPL-2.0-only
/*
 * What show reads, in the forms that kernels write and in some that they don't.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "show.h"
#include "show-irq.h"
#include "show-parts.h"
#include "show-tags.h"
#include "show-wq.h"

static int nr, bad;

static void ok(bool good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++nr, name);
	bad += !good;
}

/* ---- text ---- */

static bool list_is(const char *text, const char *want)
{
	struct cpus c;
	char *list = cpus_parse_list(&c, text) ? NULL : cpus_list(&c);
	bool same = want ? list && !strcmp(list, want) : !list;

	if (!same)
		printf("# list \"%s\" is \"%s\"\n", text, list ? list : "(refused)");
	free(list);
	return same;
}

static bool mask_is(const char *text, const char *want)
{
	struct cpus c;
	char *list = cpus_parse_mask(&c, text) ? NULL : cpus_list(&c);
	bool same = want ? list && !strcmp(list, want) : !list;

	if (!same)
		printf("# mask \"%s\" is \"%s\"\n", text, list ? list : "(refused)");
	free(list);
	return same;
}

static void test_lists(void)
{
	ok(list_is("0-3,8", "0-3,8") && list_is("", "") && list_is("0, 1, 2, 6", "0-2,6") &&
	   list_is("5,4,3", "3-5") && list_is("8191", "8191"), "lists of CPUs");
	ok(list_is("3-1", NULL) && list_is("8192", NULL) && list_is("0-", NULL) &&
	   list_is("x", NULL) && list_is("-1", NULL) && list_is("1;2", NULL) &&
	   list_is("99999999999999999999", NULL), "lists that are none are refused");
	ok(mask_is("ff", "0-7") && mask_is("00000000", "") && mask_is("1,00000000", "32") &&
	   mask_is("80000000,00000005", "0,2,63"), "masks of CPUs");
	ok(mask_is("", NULL) && mask_is("fg", NULL) && mask_is("0x1", NULL),
	   "masks that are none are refused");
}

static void test_lines(void)
{
	char name[32];
	long long n = 0;
	struct wq_line w;
	char *host;

	ok(tags_value("word=1 bits=8-15 owner=-1 memory=2", "owner", &n) && n == -1 &&
	   tags_value("node=3 own=7 foreign=9", "own", &n) && n == 7 &&
	   !tags_value("owner=1", "own", &n) && !tags_value("towner=1", "owner", &n) &&
	   !tags_value("owner=", "owner", &n), "values of a line by their whole key");
	ok(tags_heading("sched_tags: placement=flat depth=4", name, sizeof(name)) &&
	   !strcmp(name, "sched_tags") && tags_heading("tags:", name, sizeof(name)) &&
	   !tags_heading("word=1 bits=0-7", name, sizeof(name)) &&
	   !tags_heading(":", name, sizeof(name)), "headings of maps");
	ok(!wq_parse("iscsi_q_3 node 1 run 22 missed 4", &w) && !strcmp(w.name, "iscsi_q_3") &&
	   w.node == 1 && w.run == 22 && w.missed == 4 &&
	   !wq_parse("a node b node 0 run 1 missed 0", &w) && !strcmp(w.name, "a node b") &&
	   wq_parse("iscsi_q_3 node x run 22 missed 4", &w) && wq_parse("", &w),
	   "lines of workqueue_affine");
	ok(!strcmp(irq_action("PCI-MSIX-0000:00:02.0   1-edge      virtio0-req.0"),
		   "virtio0-req.0") &&
	   !strcmp(irq_action("IO-APIC   9-fasteoi   acpi, thing"), "acpi, thing") &&
	   !strcmp(irq_action("GICv3  27 Level     arch_timer"), "arch_timer") &&
	   !strcmp(irq_action("IO-APIC  11-fasteoi"), ""), "names of interrupts");
	host = host_of_path("/sys/devices/pseudo_0/adapter0/host13/target13:0:0/block/sda");
	ok(host && !strcmp(host, "host13") && !host_of_path("/sys/devices/hostile/block/sda") &&
	   !host_of_path("/a/host12b/c"), "the host in a path");
	free(host);
}

/* ---- a tree ---- */

static char dir[] = "/tmp/numaio-show-units-XXXXXX";

static void put(const char *path, const char *text)
{
	char whole[512];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s%s", dir, path);
	for (char *at = whole + strlen(dir) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(whole, 0755);
		*at = '/';
	}
	f = fopen(whole, "w");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *path, const char *to)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", dir, path);
	if (symlink(to, whole))
		printf("# %s: %s\n", whole, strerror(errno));
}

static bool reads(const char *path, const char *want, int err)
{
	char *text = sys_read("%s", path);
	bool good = want ? text && !strcmp(text, want) : !text && errno == err;

	if (!good)
		printf("# %s: \"%s\" %s\n", path, text ? text : "-", text ? "" : strerror(errno));
	free(text);
	return good;
}

static void make_tree(void)
{
	put("/sys/a/b/file", "text\nmore\n");
	put("/sys/empty", "");
	put("/sys/long", "");
	put_link("/sys/relative", "a/b");
	put_link("/sys/absolute", "/sys/a/b/file");
	put_link("/sys/out", "../../../../../../etc/passwd");
	put_link("/sys/abs-out", "/etc/passwd");
	put_link("/sys/loop", "loop");
	put("/" SYS_CAPTURE_FILE, SYS_CAPTURE_HEAD
	    "\nEACCES /sys/kernel/debug\nEBUSY /sys/busy\nrubbish\nENONE /sys/none\n");
	put("/proc/net/route",
	    "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
	    "eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
	    "eth1\t00000000\t0100000A\t0003\t0\t0\t50\t00000000\t0\t0\t0\n"
	    "veth0\t0000090A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
	    "down\t0000090A\t00000000\t0000\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n"
	    "*\t0000080A\t00000000\t0201\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");
	put("/proc/net/ipv6_route",
	    "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
	    "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
	    "20010db8000000000000000000000000 23 00000000000000000000000000000000 00 "
	    "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth2\n");
}

static void test_reader(void)
{
	long long n;

	ok(reads("/sys/a/b/file", "text\nmore", 0) && reads("/sys/empty", "", 0) &&
	   reads("/sys/relative/file", "text\nmore", 0) &&
	   reads("/sys/absolute", "text\nmore", 0), "files and links of a captured tree");
	ok(reads("/sys/out", NULL, ENOENT) && reads("/sys/abs-out", NULL, ENOENT) &&
	   reads("/sys/loop", NULL, ELOOP) && reads("/../../../../etc/passwd", NULL, ENOENT),
	   "no link leads out of a captured tree");
	ok(reads("/sys/busy", NULL, EBUSY) && reads("/sys/none", NULL, ENOENT) &&
	   reads("/sys/a", NULL, EISDIR), "a file fails as it did when it was captured");
	ok(!sys_read_int(&n, "/sys/a/b/file") && !sys_read_int(&n, "/sys/empty"),
	   "what isn't a number");
}

static bool route_is(const char *address, const char *want)
{
	char *device = net_device_for(address);
	bool same = want ? device && !strcmp(device, want) : !device;

	if (!same)
		printf("# %s: %s\n", address, device ? device : "-");
	free(device);
	return same;
}

static void test_routes(void)
{
	ok(route_is("10.9.0.2", "veth0") && route_is("10.9.1.2", "eth1") &&
	   route_is("10.8.0.1", "eth1"), "the longest prefix that is up, then the smallest metric");
	ok(route_is("fe80::1", "eth0") && route_is("2001:db8:1fff::1", "eth2") &&
	   route_is("2001:db8:2000::1", NULL) && route_is("2002::1", NULL), "IPv6");
	ok(route_is("host.example", NULL) && route_is("", NULL), "what isn't an address");
}

static void test_size(void)
{
	char path[512];
	char *text;

	snprintf(path, sizeof(path), "%s/sys/long", dir);
	ok(!truncate(path, SYS_FILE_MAX + 1LL) && !(text = sys_read("/sys/long")) &&
	   errno == EFBIG, "a file that is too long");
	ok(!truncate(path, 10) && !(text = sys_read("/sys/long")) && errno == EILSEQ,
	   "a file that isn't text");
}

/* Tables of which lines are cut off, or have fewer counts than there are CPUs. */
static void test_tables(void)
{
	struct irq_table t;
	const struct irq_line *line;

	put("/proc/interrupts", "           CPU0       CPU3\n"
	    " 24:        1         12  PCI-MSIX-0000:00:02.0   1-edge   a\n"
	    "ERR:        7\nMIS\n 25:   3\n 26:  4 5x  chip 1-edge b\n");
	ok(!irq_table_read(&t, "/proc/interrupts") && t.nr_cpus == 2 && t.cpus[1] == 3 &&
	   t.nr == 4 && (line = irq_table_find(&t, "24")) && line->counts[1] == 12 &&
	   (line = irq_table_find(&t, "ERR")) && line->counts[0] == 7 && !line->counts[1] &&
	   (line = irq_table_find(&t, "26")) && line->counts[0] == 4 && !line->counts[1],
	   "counts of interrupts");
	irq_table_free(&t);
	put("/proc/interrupts", "");
	ok(irq_table_read(&t, "/proc/interrupts") && !t.nr && !irq_table_find(&t, "24"),
	   "no interrupts at all");
}

static void test_this_machine(void)
{
	json_t *doc = show_placement();

	ok(json_integer_value(json_object_get(doc, "schema")) == SHOW_SCHEMA &&
	   json_is_array(json_object_get(doc, "nodes")) && json_text(doc, "kernel"),
	   "the document of this machine");
	json_decref(doc);
}

int main(void)
{
	char command[128];

	puts("KTAP version 1");
	test_lists();
	test_lines();
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	make_tree();
	if (sys_set_root(dir)) {
		printf("Bail out! %s\n", strerror(errno));
		return 1;
	}
	test_reader();
	test_routes();
	test_size();
	test_tables();
	sys_reset();
	test_this_machine();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		bad++;
	printf("1..%d\n", nr);
	return bad != 0;
}
