#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# runner-iscsi.sh NUMAIO: "numaio run" in the guest, on iSCSI: submitter x softirq, on nodes 0 and 2.
. "$(dirname "$0")/runner.inc"
numasim=$(dirname "$0")/../../numasim

# shellcheck disable=SC2317 # of iscsi-target.sh
skip()
{
	echo "ok 1 iSCSI # SKIP $*"
	echo "1..1"
	exit 4
}

# shellcheck source=../../numasim/workloads/iscsi-target.sh
. "$numasim/workloads/iscsi-target.sh"
iscsistart -i iqn.2020-01.test:initiator -t "$iqn" -g 1 -a 10.9.0.2 >"$tmp/login" 2>&1 ||
	fail "no iSCSI session"
find_disk()
{
	disk=$(echo /sys/class/iscsi_session/session*/device/target*/*/block/*)
	[ -e "$disk" ]
}
wait_for find_disk
disk=${disk##*/}
[ -b "/dev/$disk" ] || fail "no disk"
host=$(basename /sys/class/iscsi_host/host*)
rps=/sys/class/net/veth0/queues/rx-0/rps_cpus

cat >"$tmp/load" <<END
#!/bin/sh
{
	echo "rps \$(sed 's/^[0,]*//' $rps)"
	echo "work_cpu \$(sed 's/.*\[\(.*\)\].*/\1/' /sys/class/scsi_host/$host/work_cpu)"
	for q in /sys/devices/virtual/workqueue/iscsi_q_*; do
		echo "scope \$(sed 's/ .*//' \$q/affinity_scope) strict \$(cat \$q/affinity_strict)"
	done
	echo "load \$(taskset -pc \$\$ | sed 's/.*: //; s/-/,/')"
} >$tmp/seen-\$NUMAIO_VARIANT 2>&1
dd if=/dev/$disk of=/dev/null bs=64k count=100 iflag=direct 2>/dev/null && echo n=100
END
chmod +x "$tmp/load"
NUMAIO_VARIANT=before "$tmp/load" >/dev/null

# the ready experiment, on fewer nodes and with a shorter load
sed -e 's/= nodes/= 0 2/' -e "s|^fio = .*|command = $tmp/load|" -e '/^args/d' -e '/^settle/d' \
	-e 's/^irq = .*//' -e 's/^interrupts.*//' \
	"$(dirname "$0")/../../../numaio/experiments/iscsi-softirq.ini" >"$tmp/x.ini"
cat >>"$tmp/x.ini" <<-END
	[metric n]
	pattern = n=([0-9]+)
END
run "$tmp/x.ini" -D "device=$disk" -D interface=veth0 -o "$r" -r 2
[ "$status" = 0 ] && record '.state == "complete" and ([.runs[] | select(.state == "ok")] | length) == 36 and
	([.variants[].settings[] | select(.state != "set")] == []) and ([.runs[].marks[]] == [])'
ok $? "the experiment iscsi-softirq: all settings are set, no run is marked"
before_scope=$(sed -n 's/^scope //p' "$tmp/seen-before")
before_cpu=$(sed -n 's/^work_cpu //p' "$tmp/seen-before")
for t in 0 2; do
	for q in 0 2; do
		mask=$(printf %x $((3 << 2 * q)))
		cpus=$((2 * t)),$((2 * t + 1))
		[ "$(cat "$tmp/seen-stock-t$t-q$q")" = "rps $mask
work_cpu $before_cpu
scope $before_scope
load $cpus" ] && [ "$(cat "$tmp/seen-numa-t$t-q$q")" = "rps $mask
work_cpu $before_cpu
scope numa strict 1
load $cpus" ] && [ "$(cat "$tmp/seen-follow-t$t-q$q")" = "rps $mask
work_cpu softirq
scope numa strict 1
load $cpus" ]
		ok $? "submitter on node $t, softirq on node $q: the load reads so itself"
	done
done
NUMAIO_VARIANT=after "$tmp/load" >/dev/null
cmp -s "$tmp/seen-before" "$tmp/seen-after"
ok $? "after the end all is as before"
echo "1..$tests"
