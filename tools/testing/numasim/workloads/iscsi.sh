# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# A session with the target of iscsi-target.sh. Its network softirq runs on node
# 2 (CPU 4, by RPS, the "interrupt"); the target keeps to node 3. iscsistart needs
# no daemon.

set_value /sys/class/net/veth0/queues/rx-0/rps_cpus "${RPS:-10}"

# Tasks are where the placement says that there is at login.
if [ "$placement" ] && [ -e /sys/module/iscsi_tcp/parameters/tag_placement ]; then
	set_value /sys/module/iscsi_tcp/parameters/tag_placement "$placement"
fi

# shellcheck disable=SC2154 # of iscsi-target.sh
iscsistart -i iqn.2020-01.test:initiator -t "$iqn" -g 1 -a 10.9.0.2 ||
	fail "no iSCSI session"
# the target's threads: on node 3, so that they are not what moves
for task in $(pgrep '^iscsi_t[tr]x$'); do
	taskset -pc 6-7 "$task" >/dev/null || fail "cannot pin the target's threads"
done
