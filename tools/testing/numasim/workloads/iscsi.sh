# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# A session with the target of iscsi-target.sh. Its network softirq runs on node
# 2 (CPU 4, by RPS, the "interrupt"); the target keeps to node 3. iscsistart needs
# no daemon.
#
# What a workload may let: rps=MASK of the softirq's CPU; recvq=Y, data is received by
# the session's work, else by the softirq; work_cpu=softirq, work is queued for that
# CPU; strict=1, work keeps to the node that it is queued for; wq=plain, the session's
# workqueue is of the kind that mainline's is.

set_value /sys/class/net/veth0/queues/rx-0/rps_cpus "${rps:-10}"
set_value /sys/module/iscsi_tcp/parameters/recv_from_iscsi_q "${recvq:-N}"
if [ "${work_cpu:-}" ]; then
	[ -e /sys/module/iscsi_tcp/parameters/work_cpu ] || skip "this kernel has no work_cpu"
	set_value /sys/module/iscsi_tcp/parameters/work_cpu "$work_cpu"
fi

# Tasks are where the placement says that there is at login.
if [ "$placement" ] && [ -e /sys/module/iscsi_tcp/parameters/tag_placement ]; then
	set_value /sys/module/iscsi_tcp/parameters/tag_placement "$placement"
fi

# shellcheck disable=SC2154 # of iscsi-target.sh
iscsistart -i iqn.2020-01.test:initiator -t "$iqn" -g 1 -a 10.9.0.2 ||
	fail "no iSCSI session"
queues="iscsi_q_*"
if [ "$modules" ] && [ -e "$modules/numasim_iscsiwork.ko" ]; then
	host=$(basename /sys/class/iscsi_host/host*)
	[ "${wq:-}" != plain ] || queues="iscsi_q_1???"
	insmod "$modules/numasim_iscsiwork.ko" host="${host#host}" ${wq:+plain=1} ||
		fail "cannot count the work of $host"
elif [ "${wq:-}" ]; then
	skip "no module that changes the workqueue"
fi
if [ "${strict:-}" ]; then
	for queue in /sys/devices/virtual/workqueue/$queues; do
		set_value "$queue/affinity_scope" numa
		set_value "$queue/affinity_strict" 1
	done
fi
# the target's threads: on node 3, so that they are not what moves
for task in $(pgrep '^iscsi_t[tr]x$'); do
	taskset -pc 6-7 "$task" >/dev/null || fail "cannot pin the target's threads"
done
