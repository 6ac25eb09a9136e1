#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The ready experiments can be run (dry) on a host with four nodes, and have what they need beside them.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
snapshot >"$tmp/before"

dry()	# NAME, NUMBER OF VARIANTS, OF RUNS OF EACH, A LINE OF THE OUTPUT
{
	run -n "../experiments/$1.ini"
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ] && [ "$(grep -c '^variant ' "$tmp/out")" = "$2" ] &&
		[ "$(grep -c '^block [0-9]*:' "$tmp/out")" = "$3" ] && grep -qxF -- "$4" "$tmp/out"
	ok $? "$1: $2 variants, $3 runs each"
}

dry matrix-4x4 17 10 '    module megaraid_sas: numa_node=3 (now not loaded)'
dry affinity-2008 6 50 '    queue_affinity sda: 0-1 (now 0-7)'
dry srp-target 5 20 '    irq 24 (nvme0q1): 0-1 (now 0-7)'
dry iscsi-softirq 48 10 '    workqueue iscsi_q_3 affinity_strict: 1 (now 0)'

# On a host with two nodes a matrix is smaller.
put /sys/devices/system/node/online 0,2
run -n ../experiments/matrix-4x4.ini
[ "$status" = 0 ] && [ "$(grep -c '^variant ' "$tmp/out")" = 5 ] && grep -q '^variant s2-a0:' "$tmp/out"
ok $? "matrix-4x4 on nodes 0 and 2"

for e in ../experiments/*.ini; do
	name=$(basename "$e" .ini)
	page=../experiments/$name.rst
	missing=
	sed -n 's/^fio = //p' "$e" >"$tmp/jobs"
	while read -r job; do
		[ -f "../experiments/$job" ] || missing="$missing $job"
	done <"$tmp/jobs"
	[ -f "$page" ] && [ -z "$missing" ] && [ -s "$tmp/jobs" ] && grep -q '^Question$' "$page" &&
		grep -q '^How to run it on your host$' "$page" && grep -q '^How to read it$' "$page"
	ok $? "$name has its page and its jobs"
done
for job in ../experiments/*.fio; do
	! command -v fio >/dev/null || NUMAIO_device=null fio --parse-only "$job" >"$tmp/err" 2>&1
	ok $? "fio takes $(basename "$job")"
done
snapshot | cmp -s - "$tmp/before"
ok $? "nothing was changed"
plan
