#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# watch: command lines, rates of counts that this script changes, how it stops.
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=show-ktap.inc
. ./show-ktap.inc

refused "an interval of 0" "-i 0: the interval must be 0.1 to 3600 seconds" watch -i 0
refused "no number" "-i 1x: the interval must be 0.1 to 3600 seconds" watch -i 1x
refused "not a number" "-i nan: the interval" watch -i nan
refused "a count of 0" "-n 0: the count must be 1 to" watch -n 0
refused "a count below" "-n -1: the count must be 1 to" watch -n -1
refused "a format" "-o csv: the format must be text or json" watch -o csv
refused "a disk that isn't there" 'no disk or SCSI host "nosuch"' watch nosuch
refused "writing to a capture" "--enable and --sysroot" watch --enable --sysroot "$tmp"

numaio watch --enable -n 1 -i 0.1
name="--enable where nothing can be counted"
if ls /sys/kernel/debug/block/*/hctx0/tag_gets >"$tmp/files" 2>"$tmp/files"; then
	n=$((n + 1))
	echo "ok $n $name # SKIP this kernel counts"
else
	ok "$code $(wc -c <"$tmp/out") $(wc -l <"$tmp/err")" = "4 0 1"
fi

# put PATH: standard input into a file of the tree.
put()
{
	mkdir -p "$(dirname "$tmp/tree$1")"
	cat >"$tmp/tree$1"
}

hctx=/sys/kernel/debug/block/sda/hctx0
irq_line='PCI-MSIX-0000:00:02.0   1-edge      virtio0-req.0'

# state OWN FOREIGN CPU ELSEWHERE IRQ RUN: the counts of a machine with two nodes, all on node 1.
state()
{
	printf 'tags: counting=1\nnode=0 own=0 foreign=0\nnode=1 own=%s foreign=%s\n' "$1" "$2" |
		put $hctx/tag_gets
	printf 'counting=1\ncpu=%s node=0 elsewhere=%s ipi=0\n' "$3" "$4" | put $hctx/completions
	printf '      CPU0 CPU1\n 24: 5 %s %s\n' "$5" "$irq_line" | put /proc/interrupts
	printf 'iscsi_q_0 node 0 run 0 missed 0\niscsi_q_0 node 1 run %s missed 1\n' "$6" |
		put /sys/kernel/debug/workqueue_affine
}

pci=/sys/devices/pci0000:00/0000:00:02.0
echo 0-1 | put /sys/devices/system/node/online
echo 0 | put /sys/devices/system/node/node0/cpulist
echo 1 | put /sys/devices/system/node/node1/cpulist
echo 1 | put $pci/numa_node
echo msix | put $pci/msi_irqs/24
echo 64 | put $pci/host0/block/sda/size
echo 0-1 | put $pci/host0/block/sda/mq/0/cpu_list
mkdir -p "$tmp/tree/sys/block" "$tmp/tree/sys/class/scsi_host" "$tmp/tree/sys/class/iscsi_session" \
	"$tmp/tree/sys/class/iscsi_connection" "$tmp/tree$pci/host0/session1/iscsi_session/session1" \
	"$tmp/tree$pci/host0/scsi_host/host0"
ln -s ../devices/pci0000:00/0000:00:02.0/host0/block/sda "$tmp/tree/sys/block/sda"
ln -s ../../devices/pci0000:00/0000:00:02.0/host0/scsi_host/host0 \
	"$tmp/tree/sys/class/scsi_host/host0"
ln -s ../../../host0 "$tmp/tree$pci/host0/scsi_host/host0/device"
ln -s ../../devices/pci0000:00/0000:00:02.0/host0/session1/iscsi_session/session1 \
	"$tmp/tree/sys/class/iscsi_session/session1"
ln -s ../../../session1 "$tmp/tree$pci/host0/session1/iscsi_session/session1/device"
echo 1 | put /sys/devices/virtual/workqueue/iscsi_q_0/max_active

# added PATTERN: the count a second, times the seconds of the interval: what was added, rounded.
added()
{
	awk -v re="$1" '{
		match($0, /"seconds":[0-9.]+/); s = substr($0, RSTART + 10, RLENGTH - 10)
		if (!match($0, re "[0-9.]+")) { print "none"; exit }
		v = substr($0, RSTART, RLENGTH); sub(/.*:/, "", v)
		printf "%.0f\n", v * s; exit }' "$tmp/out"
}

# change ARG...: of state(), in the middle of the one interval of a watch.
change()
{
	state 100 10 50 5 1000 7
	"$NUMAIO" watch --sysroot "$tmp/tree" -i 2 -n 1 -o json >"$tmp/out" 2>"$tmp/err" &
	sleep 1
	state "$@"
	wait $!
	code=$?
}

change 400 40 250 105 1600 31
name="one interval, one line, nothing to say"
ok "$code $(wc -l <"$tmp/out") $(wc -c <"$tmp/err")" = "0 1 0"
name="own tags of node 1"; ok "$(added '"node_id":1,"own":')" = 300
name="foreign tags of node 1"; ok "$(added '"node_id":1,"own":[0-9.]+,"foreign":')" = 30
name="tags of node 0"; ok "$(added '"node_id":0,"own":')" = 0
name="completions on the CPU"; ok "$(added '"same_cpu":')" = 200
name="completions on other nodes"; ok "$(added '"other_node":')" = 100
name="interrupts of node 1"; ok "$(added '"virtio0-req.0","node_id":1,"count":')" = 600
name="interrupts of node 0"; ok "$(added '"virtio0-req.0","node_id":0,"count":')" = 0
name="work items of node 1"; ok "$(added '"iscsi_q_0","node_id":1,"run":')" = 24
change 3 0 250 105 1600 31
name="counts that began anew have no rate"
ok "$code $(grep -c '"own":null,"foreign":null' "$tmp/out")" = "0 1"

state 100 10 50 5 1000 7
sed -i s/counting=1/counting=0/ "$tmp/tree$hctx"/*
numaio watch --sysroot "$tmp/tree" -i 0.1 -n 1
name="says that nothing is counted, and how it would be"
ok "$code $(grep -c "not counted; --enable, or echo 1 >$hctx" "$tmp/err")" = "0 2"

for sig in INT TERM HUP; do
	: >"$tmp/out"
	# A background command of a script ignores SIGINT; env gives it back.
	env --default-signal "$NUMAIO" watch --sysroot "$tmp/tree" -i 0.1 >"$tmp/out" 2>"$tmp/err" &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$tmp/out" ] && break
		sleep 0.5
	done
	kill -s $sig $!
	wait $!
	code=$?
	name="SIG$sig ends it well"
	ok "$code $(grep -c ' s$' "$tmp/out" | grep -c '[1-9]')" = "0 1"
done
"$NUMAIO" watch --sysroot "$tmp/tree" -i 0.1 >/dev/full 2>"$tmp/err"
code=$?
name="a full disk"
ok "$code $(grep -c "No space left" "$tmp/err")" = "1 1"
finish
