#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh NUMAIO SCENARIO: in a guest, as root: set up devices, capture, print the tree as a text
# between two lines. Made the captures here, for example:
#   scripts/boot four base $PWD/tools/numaio/tests/captures/guest.sh $PWD/build/numaio/numaio iscsi |
#	sed '1,/^-----$/d; /^-----$/,$d' >tools/numaio/tests/captures/four-iscsi.cap
set -u
here=$(dirname "$0") numaio=$1 scenario=$2

die()
{
	echo "not ok: $*"
	exit 1
}

# load DISK: some I/O of each CPU.
load()
{
	local cpu
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" dd if="/dev/$1" of=/dev/null bs=4k count=16 iflag=direct \
			status=none || die "dd from $1"
	done
}

count()
{
	local file
	for file in /sys/kernel/debug/block/"$1"/hctx*/{tag_gets,completions}; do
		[ ! -e "$file" ] || echo 1 >"$file"
	done
}

null_blk()
{
	modprobe null_blk "$@" || die null_blk
	udevadm settle 2>/dev/null || sleep 0.2
	load nullb0
}

scsi_debug()
{
	modprobe scsi_debug delay=0 dev_size_mb=8 "$@" || die scsi_debug
	sleep 1
}

iscsi()
{
	local iqn=iqn.2020-01.test:target target=/sys/kernel/config/target attr
	local tpgt=$target/iscsi/$iqn/tpgt_1
	for module in veth target_core_mod iscsi_target_mod iscsi_tcp; do
		modprobe $module || die $module
	done
	mkdir -p /run/netns
	ip netns add target || die netns
	ip link add veth0 type veth peer name veth1 netns target || die veth
	ip addr add 10.9.0.1/24 dev veth0
	ip link set veth0 up
	nsenter --net=/run/netns/target ip addr add 10.9.0.2/24 dev veth1
	nsenter --net=/run/netns/target ip link set veth1 up
	mkdir -p $target/core/rd_mcp_0/disk
	echo rd_pages=1024 >$target/core/rd_mcp_0/disk/control
	echo 1 >$target/core/rd_mcp_0/disk/enable
	mkdir -p $tpgt/lun/lun_0
	nsenter --net=/run/netns/target mkdir -p $tpgt/np/10.9.0.2:3260 || die portal
	ln -s $target/core/rd_mcp_0/disk $tpgt/lun/lun_0/disk
	for attr in authentication=0 generate_node_acls=1 cache_dynamic_acls=1; do
		echo ${attr#*=} >$tpgt/attrib/${attr%=*}
	done
	echo 1 >$tpgt/enable
	echo 10 >/sys/class/net/veth0/queues/rx-0/rps_cpus	# node 2 of four
	for attr in tag_placement=spread work_cpu=softirq; do
		[ ! -e /sys/module/iscsi_tcp/parameters/${attr%=*} ] ||
			echo ${attr#*=} >/sys/module/iscsi_tcp/parameters/${attr%=*}
	done
	iscsistart -i iqn.2020-01.test:initiator -t $iqn -g 1 -a 10.9.0.2 >/dev/null 2>&1 ||
		die session
	sleep 1
	for attr in /sys/devices/virtual/workqueue/iscsi_q_*/affinity_strict; do
		[ ! -e "$attr" ] || echo 1 >"$attr"
	done
	load sda
}

case $scenario in
nothing) ;;
null_blk) null_blk queue_mode=2 nr_devices=1 submit_queues=2 hw_queue_depth=32 irqmode=0 ;;
shared) null_blk queue_mode=2 nr_devices=1 submit_queues=4 hw_queue_depth=64 \
	shared_tag_bitmap=1 tag_placement=spread irqmode=0 ;;
scsi) scsi_debug host_max_queue=32 submit_queues=4 tag_placement=spread num_tgts=2
	echo mq-deadline >/sys/block/sdb/queue/scheduler
	count sda; load sda ;;
pci) modprobe megaraid_sas || die megaraid_sas
	modprobe virtio_scsi || die virtio_scsi
	sleep 1
	for disk in /sys/block/sd*; do load "${disk##*/}"; done ;;
iscsi) iscsi ;;
unprivileged) null_blk queue_mode=2 nr_devices=1 submit_queues=2 hw_queue_depth=32 irqmode=0
	mkdir -m 777 /run/tree.d
	set -- setpriv --reuid=65534 --regid=65534 --clear-groups ;;
*) die "no scenario $scenario" ;;
esac

[ "$scenario" = unprivileged ] || set --
"$@" "$numaio" capture /run/tree.d/tree >/run/capture.out 2>&1 ||
	"$@" "$numaio" capture /run/tree >/run/capture.out 2>&1 || die "$(cat /run/capture.out)"
[ -d /run/tree.d/tree ] && ln -s /run/tree.d/tree /run/tree
cat /run/capture.out
"$numaio" show >/run/live
"$numaio" show --sysroot /run/tree >/run/captured
diff /run/live /run/captured
echo -----
"$here/pack" /run/tree/
echo -----
