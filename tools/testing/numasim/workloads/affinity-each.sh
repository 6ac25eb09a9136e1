# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# What a variant lets: cpu=N of the submitter, rq=VALUE of rq_affinity, queue=LIST of
# queue_affinity.

settings=/sys/block/sda/queue
cpu=${cpu:-5}
set_value $settings/rq_affinity "${rq:-1}"
if [ -e $settings/queue_affinity ]; then
	set_value $settings/queue_affinity "${queue:-0-7}"
elif [ "${queue:-}" ]; then
	skip "this kernel has no queue_affinity"
fi
completions=/sys/kernel/debug/block/sda/hctx0/completions
[ ! -e $completions ] || echo 1 >$completions || fail "completions aren't counted"
cat /proc/interrupts /proc/stat >/run/before
# shellcheck disable=SC2034 # affinity-after.sh reads it
reads=$(awk '{ print $1 }' /sys/block/sda/stat)
