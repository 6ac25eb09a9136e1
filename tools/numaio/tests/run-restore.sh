#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Settings are restored and the record is valid, however an experiment ends.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
fake_modprobe 4
snapshot >"$tmp/before"
r=$tmp/r.json

# experiment LOAD: two variants and settings of every kind that is a file
experiment()
{
	cat >"$tmp/x.ini" <<-END
		[experiment]
		device = sda
		repetitions = ${2:-5}
		warm_up = 1
		seed = 3
		[load]
		command = $1
		[metric m]
		pattern = m=([0-9]+)
		better = higher
		[all]
		sysfs = /sys/block/sd?/queue/nr_requests -> 128
		sysfs = /sys/block/sda/queue/scheduler -> mq-deadline
		[variant a]
		[variant b]
		irq = nvme0q.* -> node:1
		workqueue = iscsi_q_.* -> affinity_scope=numa affinity_strict=1 cpumask=node:2 nice=-5
		rq_affinity = sda -> 2
		queue_affinity = sda -> node:3
		tag_placement = sd. -> spread
		tag_placement = host3 -> spread
		rps = eth0 -> node:2
		module = fakemod -> depth=9 spread=1
	END
}

# The host as it was (a file of a choice gets what was chosen), and nothing of ours beside the record.
restored()
{
	snapshot | sed 's/scheduler none/scheduler [none] mq-deadline/
		s/scope default$/scope default (cache)/' >"$tmp/after"
	echo '[none] mq-deadline' >"$root/sys/block/sda/queue/scheduler"
	echo 'default (cache)' >"$root/sys/devices/virtual/workqueue/iscsi_q_3/affinity_scope"
	cmp -s "$tmp/before" "$tmp/after" && [ ! -e "$r.journal" ] && [ ! -e "$r.tmp" ] &&
		! pgrep -f "$tmp/load-marker" >/dev/null
}

# record FILTER: it is valid and the filter is true
record()
{
	jq -e "$1" "$r" >/dev/null
}

fresh()
{
	rm -f "$r" "$r".*
}

experiment "echo m=1\$NUMAIO_BLOCK"
run -n "$tmp/x.ini"
[ $status = 0 ] && [ ! -e "$r" ] && restored && [ ! -e "$tmp/modprobe.log" ]
ok $? "a dry run changes nothing"

run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && [ ! -s "$tmp/err" ] && restored && record '.state == "complete" and
	(.runs | length) == 12 and ([.runs[] | select(.state == "ok")] | length) == 12 and
	([.runs[] | select(.warm_up)] | length) == 2 and ([.variants[].marks[]] | length) == 0 and
	([.runs[].marks[]] | length) == 0 and .finished and .runs[11].metrics.m == 15'
ok $? "success: restored, complete"
record '.variants[1].settings | map(select(.state != "set")) == [] and
	(map({(.kind + " " + .target): [.asked, .was, .read_back]}) | add) == {
	"irq 24 (nvme0q1)": ["2-3", "0-7", "2-3"], "irq 25 (nvme0q2)": ["2-3", "0-7", "2-3"],
	"workqueue iscsi_q_3 affinity_scope": ["numa", "default", "numa"],
	"workqueue iscsi_q_3 affinity_strict": ["1", "0", "1"],
	"workqueue iscsi_q_3 cpumask": ["30", "ff", "30"],
	"workqueue iscsi_q_3 nice": ["-5", "0", "-5"], "rq_affinity sda": ["2", "1", "2"],
	"queue_affinity sda": ["6-7", "0-7", "6-7"], "tag_placement sda": ["spread", "flat", "spread"],
	"tag_placement sdb": ["spread", "flat", "spread"],
	"tag_placement host3": ["spread", "flat", "spread"], "rps eth0/rx-0": ["30", "0", "30"],
	"rps eth0/rx-1": ["30", "0", "30"],
	"module fakemod": ["depth=9 spread=1", "not loaded", "depth=9 spread=Y"]}'
ok $? "every setting is recorded as asked, as it was and as it reads back"
record '[.restored[] | select(.state != "restored")] == [] and (.restored | length) == 17 and
	.restored[0].kind == "module" and .settings[2].asked == "mq-deadline" and
	.settings[2].was == "none"'
ok $? "what was restored is recorded, last set first"
run "$tmp/x.ini" -o "$r"
[ $status = 2 ] && grep -q "is there already, it is not overwritten" "$tmp/err" && record '.state == "complete"'
ok $? "a record is not overwritten"

fresh
if command -v script >/dev/null; then
	script -qec "'$NUMAIO' run --sysroot '$root' '$tmp/x.ini' -o '$r'" /dev/null >"$tmp/out" 2>&1
	grep -q "12/12 [ab], [0-9]*:[0-9][0-9] left" "$tmp/out" && restored
	ok $? "a terminal sees progress and the time left"
	fresh
fi
# What the variant asks for is there while its load runs: the load looks by itself.
fresh
experiment "cat $root/proc/irq/24/smp_affinity_list $root/sys/block/sda/queue/tag_placement $root/sys/module/fakemod/parameters/depth >$tmp/seen-\$NUMAIO_VARIANT 2>/dev/null; echo m=1" 1
run "$tmp/x.ini" -o "$r" -r 1
[ $status = 0 ] && [ "$(cat "$tmp/seen-b")" = "2-3
spread
9" ] && [ "$(cat "$tmp/seen-a")" = "0-7
flat" ] && grep -q "repetitions: 1; that can't show any difference: p is at least 1; it takes 4" "$tmp/err" && restored
ok $? "a variant's settings are in force during its runs only; few repetitions are warned of"

fresh
experiment 'echo broken >&2; exit 3'
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && restored && record '.state == "failed" and (.runs | length) == 3 and
	.runs[0].state == "failed" and .runs[0].error == "the load ended with 3: broken"' &&
	grep -q "3 runs in a row failed" "$tmp/err"
ok $? "a failing load: restored, the experiment ends after three failures"

fresh
experiment "test \$NUMAIO_BLOCK != 2 && echo m=1"
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && restored && record '.state == "complete" and (.runs | length) == 12 and
	([.runs[] | select(.state == "failed")] | length) == 2'
ok $? "a run that fails is recorded, the others go on"

fresh
experiment 'echo nothing'
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && restored && record '.runs[0].error | startswith("metric m: no number in the output")'
ok $? "no metric in the output is a failure"

fresh
experiment 'kill -9 $$'
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && restored && record '.runs[0].error | startswith("the load was killed by signal 9")'
ok $? "kill -9 of the load: restored"

fresh
experiment "sh -c 'sleep 99; : $tmp/load-marker' & echo m=1; exit"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && restored
ok $? "what the load leaves behind is ended"

fresh
experiment "sleep 99; : $tmp/load-marker"
echo 'timeout = 0.2' >"$tmp/timeout"
sed -i "/^command/r $tmp/timeout" "$tmp/x.ini"
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && restored && record '.runs[0].error == "still running after 0.2 s (timeout)"'
ok $? "timeout"

# started: numaio in the background, $pid
started()
{
	"$NUMAIO" run --sysroot "$root" "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
}

# Until there is the record, valid each time that it is looked at.
valid_until()
{
	while kill -0 $pid 2>/dev/null; do
		[ ! -e "$r" ] || jq -e '.schema == 1 and (.runs | type) == "array"' "$r" >/dev/null || return 1
		sleep 0.02
	done
}

experiment "sleep 0.05; echo m=1; : $tmp/load-marker"
i=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	fresh
	started "$tmp/x.ini" -o "$r"
	# 0 .. 1 s, from the kernel's random numbers
	after=$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%.3f", $1 / 65536 }')
	( sleep "$after"; kill -INT $pid ) 2>/dev/null &
	valid_until
	valid=$?
	wait $pid
	status=$?
	if [ -e "$r" ]; then
		record '.state == "interrupted" or .state == "complete"' || valid=1
	fi
	[ $valid = 0 ] && restored && { [ $status -le 1 ] || [ $status = 130 ]; }
	ok $? "SIGINT after $after s: restored, the record was valid all the time (exit $status)"
	wait
done

fresh
started "$tmp/x.ini" -o "$r"
sleep 0.5
kill -TERM $pid
wait $pid
[ $? = 1 ] && restored && record '.state == "interrupted" and .finished == null' &&
	grep -q "interrupted by signal 15" "$tmp/err"
ok $? "SIGTERM: restored"

grep -qF "\"numaio run --resume $r $tmp/x.ini\" goes on" "$tmp/err"
ok $? "and how to go on is said"

# Resume: first what isn't the same experiment.
run "$tmp/x.ini" --resume "$r" --seed 4
[ $status = 2 ] && grep -q "the seed was 3, not 4" "$tmp/err"
ok $? "resume with another seed is refused"
run "$tmp/x.ini" --resume "$r" -r 6
[ $status = 2 ] && grep -q "there were to be 5 repetitions, not 6" "$tmp/err"
ok $? "resume with other repetitions is refused"
cp "$tmp/x.ini" "$tmp/y.ini"
echo >>"$tmp/y.ini"
run "$tmp/y.ini" --resume "$r"
[ $status = 2 ] && grep -q "isn't the text that the record was begun with" "$tmp/err"
ok $? "resume with another text is refused"
put /proc/sys/kernel/osrelease other
run "$tmp/x.ini" --resume "$r"
[ $status = 2 ] && grep -q "the kernel was another" "$tmp/err"
ok $? "resume on another kernel is refused"
put /proc/sys/kernel/osrelease 6.12.0-fake
n=$(jq '.runs | length' "$r")
run "$tmp/x.ini" --resume "$r"
[ $status = 0 ] && restored && [ "$n" -gt 0 ] && record '.state == "complete" and
	([.runs[] | select(.state == "ok") | "\(.block) \(.variant)"] | (length == 12) and
	(unique | length == 12))'
ok $? "resume after $n runs: each variant once in each block"
jq -r '[.runs[] | select(.state == "ok")] | sort_by(.block, .position)[] | "\(.block) \(.variant)"' "$r" >"$tmp/order"
run "$tmp/x.ini" -n
sed -n 's/^block \([0-9]*\)[^:]*: /\1 /p' "$tmp/out" | tr -d , |
	awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | cmp -s - "$tmp/order"
ok $? "the order is that of the seed"
run "$tmp/x.ini" --resume "$r"
[ $status = 2 ] && grep -q "it is complete" "$tmp/err"
ok $? "a complete record isn't resumed"

# -r, --seed and -D need not be given again.
sed -i 's/^\[load\]/[parameters]\nwhat =\n&/' "$tmp/x.ini"
fresh
started "$tmp/x.ini" -o "$r" -r 6 --seed 4 -D what=ever
sleep 0.5
kill -TERM $pid
wait $pid
run "$tmp/x.ini" --resume "$r" -D what=else
[ $status = 2 ] && grep -q "the parameters (-D) were others" "$tmp/err"
ok $? "resume with other parameters is refused"
run "$tmp/x.ini" --resume "$r"
[ $status = 0 ] && restored && record '.state == "complete" and .seed == 4 and .repetitions == 6 and
	.parameters.what == "ever"'
ok $? "seed, repetitions and parameters are those of the record"

# kill -9 of numaio itself
fresh
experiment "sleep 30; echo m=1; : $tmp/load-marker"
put /sys/module/fakemod/initstate live
put /sys/module/fakemod/parameters/depth 7
put /sys/module/fakemod/parameters/spread N
snapshot >"$tmp/with-module"
# a seed whose first run is that of variant b
seed=0
while "$NUMAIO" run --sysroot "$root" -n --seed $seed "$tmp/x.ini" | grep -q '^block 0 (warm-up): a'; do
	seed=$((seed + 1))
done
started "$tmp/x.ini" -o "$r" --seed $seed
i=0
until pgrep -f "$tmp/load-marker" >/dev/null || [ $i = 100 ]; do
	sleep 0.05
	i=$((i + 1))
done
run --restore "$r"
[ $status = 1 ] && grep -q "another numaio is running this experiment" "$tmp/err"
ok $? "--restore is refused while the experiment runs"
kill -9 $pid
wait $pid 2>/dev/null
[ "$(get /proc/irq/24/smp_affinity_list)" = 2-3 ] && [ "$(get /sys/module/fakemod/parameters/depth)" = 9 ] &&
	[ -e "$r.journal" ] && record '.state == "running"'
ok $? "kill -9: settings are still there, and the journal"
run "$tmp/x.ini" -o "$tmp/r.json"
[ $status = 2 ]
ok $? "the experiment isn't begun anew over a journal"
printf '{"entry": 99, "kind": "irq", "st' >>"$r.journal"	# a line that was cut off
run --restore "$r"
mv "$tmp/before" "$tmp/without-module"
mv "$tmp/with-module" "$tmp/before"
[ $status = 0 ] && restored && record '.state == "interrupted" and (.restored | length) > 10 and
	([.restored[] | select(.state != "restored")] == [])'
ok $? "--restore: all is as it was, the module's parameters, too; the load is ended"
run --restore "$r"
[ $status = 0 ] && grep -q "nothing is left" "$tmp/err"
ok $? "--restore a second time does nothing"
rm -rf "$root/sys/module"
mv "$tmp/without-module" "$tmp/before"

# kill -9, then resume
fresh
experiment "sleep 0.05; echo m=1; : $tmp/load-marker"
started "$tmp/x.ini" -o "$r"
sleep 0.6
kill -9 $pid
wait $pid 2>/dev/null
run "$tmp/x.ini" --resume "$r"
[ $status = 0 ] && restored && record '.state == "complete"'
ok $? "resume after kill -9 restores first, then goes on"

# Records that are damaged
run "$tmp/x.ini" -o "$tmp/whole.json" -r 5 --seed 0
damaged()	# NAME, FILTER, ERROR OF --resume
{
	fresh
	jq "$2" "$tmp/whole.json" >"$r"
	run "$tmp/x.ini" --resume "$r" --seed 0
	[ $status = 2 ] && grep -qF "r.json can't be resumed: $3" "$tmp/err" && restored
	ok $? "a record with $1 isn't resumed"
}
damaged "a newer schema" '.schema = 2' "$tmp/r.json: schema: 2; this numaio knows 1 .. 1"
damaged "no runs" 'del(.runs)' "$tmp/r.json: it is no record of numaio's"
damaged "other variants" '.variants[0].name = 3' "the variants were others"
damaged "no text" '.experiment = []' "$tmp/x.ini isn't the text"
fresh
head -c 500 "$tmp/whole.json" >"$r"
run "$tmp/x.ini" --resume "$r"
[ $status = 2 ] && grep -q "r.json can't be resumed: $tmp/r.json:[0-9]*: " "$tmp/err"
ok $? "half a record isn't resumed"
fresh
jq '.state = "running" | .restored = [1, {}, {state: 5}, {state: "failed"}] | .variants[1].marks = [7] | .runs = [1, {}]' \
	"$tmp/whole.json" >"$r"
run "$tmp/x.ini" --resume "$r" --seed 0
[ $status = 0 ] && restored && record '.state == "complete"'
ok $? "nonsense in a record's lists is passed over"
fresh
echo 3-4 >"$root/proc/irq/24/smp_affinity_list"
echo '{"entry": 1, "kind": "irq", "store": "list", "target": "24", "where": "/proc/irq/24/smp_affinity_list", "asked": "1", "was": "0-7"}
{"entry": 2, "kind": "irq", "store": "nonsense", "where": 3}
[]
{"done": 7}' >"$r.journal"
echo '{' >"$r"
run --restore "$r"
[ $status = 0 ] && grep -q "settings are restored all the same" "$tmp/err" && restored
ok $? "--restore needs only the journal"

# A disk that is full.
fresh
experiment "test \$NUMAIO_BLOCK != 2 || ln -sf /dev/full $r.tmp; echo m=1"
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && rm -f "$r.tmp" && restored && record '.state != "complete" and (.runs | length) >= 4' &&
	grep -q "the record can't be written, the experiment ends: .*No space left" "$tmp/err"
ok $? "disk full in the middle: restored, the record is the last good one"
fresh
ln -s /dev/full "$r.tmp"
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && rm -f "$r.tmp" && restored && [ ! -e "$r" ] && [ ! -s "$tmp/seen" ]
ok $? "disk full at the start: nothing is changed"
fresh
( ulimit -f 1; "$NUMAIO" run --sysroot "$root" "$tmp/x.ini" -o "$r" >"$tmp/out" 2>"$tmp/err" )
[ $? = 1 ] && restored
ok $? "file size limit: restored"
run "$tmp/x.ini" -o "$tmp/none/r.json"
[ $status = 1 ] && grep -q "none/r.json.journal: No such file" "$tmp/err" && restored
ok $? "no such directory"
plan
