// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of which command of megaraid_sas belongs to which tag
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/module.h>

#include "megaraid_sas_node.h"

#define MFI_CMDS	11	/* 8 of the driver, 3 of ioctls */
#define KDUMP_DEPTH	100

/* What firmware reports, and what comes out of it. */
static const struct {
	const char *what;
	u16 reported, limit;
	bool peers;
	struct megasas_cmd_layout l;
} cases[] = {
	{ "Thunderbolt", 1008, U16_MAX, false, { 1007, 996, 1007 } },
	{ "Invader, one queue depth", 928, U16_MAX, false, { 927, 916, 927 } },
	{ "Invader, the second queue depth", 5101, U16_MAX, false, { 5100, 5089, 5100 } },
	{ "Ventura", 4077, U16_MAX, true, { 4076, 4065, 8152 } },
	{ "Aero", 5101, U16_MAX, true, { 5100, 5089, 10200 } },
	{ "kdump", 4077, KDUMP_DEPTH, false, { 99, 88, 99 } },
	{ "kdump with peers", 4077, KDUMP_DEPTH, true, { 99, 88, 198 } },
	{ "fewer than kdump wants", 64, KDUMP_DEPTH, true, { 63, 52, 126 } },
	{ "one tag", 13, U16_MAX, false, { 12, 1, 12 } },
	{ "one tag with a peer", 13, U16_MAX, true, { 12, 1, 24 } },
	{ "no tag", 12, U16_MAX, true, { 11, 0, 22 } },
	{ "most without peers", U16_MAX, U16_MAX, false, { 65534, 65523, 65534 } },
	{ "most that can have peers", 32768, U16_MAX, true, { 32767, 32756, 65534 } },
	/* The driver's numbers wrap, and always did. */
	{ "too many for peers", 32769, U16_MAX, true, { 32768, 32757, 0 } },
	{ "nothing reported", 0, U16_MAX, false, { 65535, 65524, 65535 } },
};

static struct megasas_cmd_layout make(int i)
{
	return megasas_make_layout(megasas_usable_cmds(cases[i].reported, cases[i].limit),
				   MFI_CMDS, cases[i].peers);
}

static void test_layout(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct megasas_cmd_layout l = make(i);

		KUNIT_EXPECT_EQ_MSG(test, l.fw_cmds, cases[i].l.fw_cmds, "%s", cases[i].what);
		KUNIT_EXPECT_EQ_MSG(test, l.scsi_cmds, cases[i].l.scsi_cmds, "%s",
				    cases[i].what);
		KUNIT_EXPECT_EQ_MSG(test, l.mpt_cmds, cases[i].l.mpt_cmds, "%s",
				    cases[i].what);
	}
}

/* Each tag has the command of its number, and a peer if there are any. */
static void test_tags(struct kunit *test)
{
	u32 i, tag, index, off;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct megasas_cmd_layout l = make(i);

		for (tag = off = 0; tag < l.scsi_cmds; tag++) {
			off += megasas_index_tag(&l, tag) != tag;
			index = megasas_peer_index(&l, tag);
			off += index != tag + l.fw_cmds;
			off += megasas_index_tag(&l, index) != tag;
		}
		KUNIT_EXPECT_EQ_MSG(test, off, 0, "%s", cases[i].what);
	}
}

/* No command in the list has two tags, and none a tag that there isn't. */
static void test_cmds(struct kunit *test)
{
	unsigned long *first, *second;
	u32 i, index, tag, off;

	first = bitmap_zalloc(U16_MAX + 1, GFP_KERNEL);
	second = bitmap_zalloc(U16_MAX + 1, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, first && second);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct megasas_cmd_layout l = make(i);

		bitmap_zero(first, U16_MAX + 1);
		bitmap_zero(second, U16_MAX + 1);
		for (index = off = 0; index < l.mpt_cmds; index++) {
			tag = megasas_index_tag(&l, index);
			if (tag == MEGASAS_NO_CMD)
				continue;
			off += tag >= l.scsi_cmds;
			off += test_and_set_bit(tag & U16_MAX,
						index < l.fw_cmds ? first : second);
		}
		KUNIT_EXPECT_EQ_MSG(test, off, 0, "%s", cases[i].what);
		KUNIT_EXPECT_EQ_MSG(test, bitmap_weight(first, U16_MAX + 1),
				    min(l.scsi_cmds, l.mpt_cmds), "%s", cases[i].what);
		KUNIT_EXPECT_EQ_MSG(test, bitmap_weight(second, U16_MAX + 1),
				    l.mpt_cmds > l.fw_cmds ? l.scsi_cmds : 0, "%s",
				    cases[i].what);
	}
	bitmap_free(first);
	bitmap_free(second);
}

/* Commands with a tag carry no MFI command, those in between all of them. */
static void test_mfi(struct kunit *test)
{
	u32 i, index, off;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct megasas_cmd_layout l = make(i);

		for (index = off = 0; index < l.mpt_cmds; index++) {
			u32 mfi = megasas_index_mfi(&l, index);
			bool carries = index >= l.scsi_cmds && index < l.fw_cmds;

			off += mfi != (carries ? index - l.scsi_cmds : MEGASAS_NO_CMD);
			off += carries && mfi >= MFI_CMDS;
			off += carries && megasas_index_tag(&l, index) != MEGASAS_NO_CMD;
		}
		KUNIT_EXPECT_EQ_MSG(test, off, 0, "%s", cases[i].what);
	}
}

static struct kunit_case megaraid_sas_node_cases[] = {
	KUNIT_CASE(test_layout),
	KUNIT_CASE(test_tags),
	KUNIT_CASE(test_cmds),
	KUNIT_CASE(test_mfi),
	{}
};

static struct kunit_suite megaraid_sas_node_suite = {
	.name = "megaraid_sas_node",
	.test_cases = megaraid_sas_node_cases,
};

kunit_test_suite(megaraid_sas_node_suite);

MODULE_DESCRIPTION("KUnit tests of megaraid_sas' commands and tags");
MODULE_LICENSE("GPL");
