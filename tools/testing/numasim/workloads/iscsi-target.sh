# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# An iSCSI target in a network namespace of its own, reached over veth: a LIO
# RAM disk. The initiator is in the first namespace.
# nsenter --net instead of ip netns exec, which would hide configfs.

iqn=iqn.2020-01.test:target
target=/sys/kernel/config/target

for module in veth target_core_mod iscsi_target_mod iscsi_tcp; do
	modprobe "$module" || skip "no module $module"
done
command -v iscsistart >/dev/null || skip "no iscsistart (package open-iscsi)"

mkdir -p /run/netns
ip netns add target || fail "no network namespace"
ip link add veth0 type veth peer name veth1 netns target || fail "no veth"
ip addr add 10.9.0.1/24 dev veth0
ip link set veth0 up
nsenter --net=/run/netns/target ip addr add 10.9.0.2/24 dev veth1
nsenter --net=/run/netns/target ip link set veth1 up

mkdir -p $target/core/rd_mcp_0/disk
echo rd_pages=16384 >$target/core/rd_mcp_0/disk/control
echo 1 >$target/core/rd_mcp_0/disk/enable
mkdir -p $target/iscsi/$iqn/tpgt_1/lun/lun_0
nsenter --net=/run/netns/target mkdir -p $target/iscsi/$iqn/tpgt_1/np/10.9.0.2:3260 ||
	fail "no portal"
ln -s $target/core/rd_mcp_0/disk $target/iscsi/$iqn/tpgt_1/lun/lun_0/disk
for attr in authentication=0 generate_node_acls=1 cache_dynamic_acls=1 \
	demo_mode_write_protect=0; do
	echo "${attr#*=}" >"$target/iscsi/$iqn/tpgt_1/attrib/${attr%%=*}"
done
echo 1 >$target/iscsi/$iqn/tpgt_1/enable
