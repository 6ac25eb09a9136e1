#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Settings that can't be made, changes under us, modules, threads, irqbalance, fio.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
fake_modprobe 4
r=$tmp/r.json

# experiment LOAD [LINE OF VARIANT B]...
experiment()
{
	rm -f "$r" "$r".*
	cat >"$tmp/x.ini" <<-END
		[experiment]
		device = sda
		repetitions = 5
		warm_up = 0
		[load]
		command = $1
		[metric m]
		pattern = m=([0-9]+)
		[variant a]
		[variant b]
	END
	shift
	printf '%s\n' "$@" >>"$tmp/x.ini"
	snapshot >"$tmp/before"
}

record()
{
	jq -e "$1" "$r" >/dev/null
}

same()
{
	snapshot | cmp -s - "$tmp/before" && [ ! -e "$r.journal" ]
}

# refused NAME LINE MARK: the variant is marked, all runs are done, the next setting is made
refused()
{
	experiment 'echo m=1' "$2" 'irq = nvme0q2 -> 3'
	run "$tmp/x.ini" -o "$r"
	[ $status = 0 ] && same && jq -e --arg mark "$3" '.state == "complete" and
		([.runs[] | select(.state == "ok")] | length) == 10 and .variants[0].marks == [] and
		(.variants[1].marks | length) == 1 and (.variants[1].marks[0] | startswith($mark)) and
		([.runs[] | select(.variant == "b") | .marks[]] | length) == 5 and
		(.variants[1].settings[-1] | .target == "25 (nvme0q2)" and .state == "set")' "$r" >/dev/null
	ok $? "$1"
}

refused "no such interrupt" 'irq = nothing -> 1' 'refused: irq nothing: no interrupt has such a name'
refused "no such device" 'rq_affinity = sdz -> 1' 'refused: rq_affinity sdz: no such device'
refused "no such workqueue" 'workqueue = nothing -> nice=1' 'refused: workqueue nothing: no workqueue in sysfs'
refused "no such thread" 'thread = no-such-thread -> nice=1' 'refused: thread no-such-thread: no thread has'
refused "no such interface" 'rps = eth9 -> 1' 'refused: rps eth9: no receive queue'
refused "no such file" 'sysfs = /sys/none -> 1' 'refused: sysfs /sys/none: no such file'
rm "$root/sys/block/sdb/queue/tag_placement"
refused "an attribute that this kernel hasn't (ENOENT)" 'tag_placement = sdb -> spread' \
	'refused: tag_placement sdb: No such file or directory'
mkdir "$root/sys/block/sdb/queue/tag_placement"
refused "a directory" 'tag_placement = sdb -> spread' 'refused: tag_placement sdb: Is a directory'
rmdir "$root/sys/block/sdb/queue/tag_placement"
ln -s /dev/full "$root/sys/block/sdb/queue/tag_placement"
refused "a write that fails (ENOSPC)" 'tag_placement = sdb -> spread' \
	'refused: tag_placement sdb: No space left on device'
# boot_id can be read, but root can't write it either
ln -sf /proc/sys/kernel/random/boot_id "$root/sys/block/sdb/queue/tag_placement"
refused "a write that fails (EACCES)" 'tag_placement = sdb -> spread' \
	'refused: tag_placement sdb: Permission denied'
# reading address 0 of our own memory is an EIO
ln -sf /proc/self/mem "$root/proc/irq/26/smp_affinity_list"
rm -f "$root/sys/block/sdb/queue/tag_placement"
refused "a file that can't be read (EIO)" 'irq = eth0-rx-0 -> 1' \
	'refused: irq 26 (eth0-rx-0): Input/output error'
rm "$root/proc/irq/26/smp_affinity_list"
put /proc/irq/26/smp_affinity_list 0-7
# a file that reads as something else than what was written
ln -s /dev/null "$root/sys/block/sdb/queue/tag_placement"
experiment 'echo m=1' 'tag_placement = sdb -> spread'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.variants[1].settings[0].state == "differs" and
	.variants[1].marks == ["differs: tag_placement sdb: reads back as \"\""]'
ok $? "a write that has no effect is told by reading back"
rm "$root/sys/block/sdb/queue/tag_placement"
put /sys/block/sdb/queue/tag_placement flat

# Drift
drift()	# NAME, LOAD OF VARIANT b, MARK
{
	experiment 'echo m=1' 'irq = nvme0q1 -> 1' "command = { $2; } >/dev/null; echo m=1"
	run "$tmp/x.ini" -o "$r"
	jq -e --arg mark "$3" '.state == "complete" and
		([.runs[] | select(.variant == "b") | .marks | any(startswith($mark))] | any) and
		([.runs[] | select(.variant == "a" and .block == 0) | .marks[]] | length) == 0' "$r" >/dev/null
	ok $? "$1"
}

put /sys/devices/system/cpu/online 0-7
drift "drift: affinity" "echo 5 >$root/proc/irq/24/smp_affinity_list" \
	'irq 24 (nvme0q1) changed during the run: "1", now "5"'
[ $status = 0 ] && same
ok $? "drift: the affinity is restored all the same"
put /proc/irq/24/effective_affinity_list 6
experiment 'echo m=1' 'irq = nvme0q1 -> 1'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '[.runs[].marks[]] == []'
ok $? "an interrupt that doesn't occur may not have moved yet"
put /proc/irq/24/effective_affinity_list 1
cp "$root/proc/interrupts" "$tmp/interrupts"
drift "drift: an interrupt is served outside of its mask" \
	"echo 6 >$root/proc/irq/24/effective_affinity_list; sed -i '/nvme0q1/s/      0/      9/' $root/proc/interrupts" \
	'irq 24 (nvme0q1) goes to CPU 6, not 1'
record '.variants[1].settings[0].effective == "6"'
ok $? "and that is recorded"
rm "$root/proc/irq/24/effective_affinity_list"
cp "$tmp/interrupts" "$root/proc/interrupts"
drift "drift: a CPU goes offline" "echo 0-6 >$root/sys/devices/system/cpu/online" 'CPUs online changed: 0-7, now 0-6'
put /sys/devices/system/cpu/online 0-7
cp "$(command -v sleep)" "$tmp/bin/irqbalance"
drift "drift: irqbalance is started" \
	"[ -e $tmp/irqbalance.pid ] || { setsid $tmp/bin/irqbalance 5 & echo \$! >$tmp/irqbalance.pid; ln -s /proc/\$! $root/proc/; until grep -q irqbalance /proc/\$!/comm; do sleep 0.05; done; }" \
	'irqbalance started'
rm -f "$root/proc/$(cat "$tmp/irqbalance.pid")"
mkdir "$tmp/kept"
experiment 'echo m=1' 'rq_affinity = sda -> 2' "command = mv $root/sys/block/sda $tmp/kept; echo m=1"
run "$tmp/x.ini" -o "$r"
jq -e '([.runs[] | select(.variant == "b") | .marks[] | select(. == "device sda vanished")] | length) == 5 and
	([.runs[] | .marks[] | select(startswith("rq_affinity sda: can'"'"'t be read"))] | length) == 1 and
	(.restored == [{kind: "rq_affinity", target: "sda", value: "1", state: "failed",
	error: "it has vanished"}])' "$r" >/dev/null && [ ! -e "$r.journal" ]
ok $? "a device that vanishes: marked, said not to be restored, nothing else fails"
mv "$tmp/kept/sda" "$root/sys/block/"
put /sys/block/sda/queue/rq_affinity 1

experiment 'echo m=1'
sed -i 's/^device.*/device = sda sdz/' "$tmp/x.ini"
run "$tmp/x.ini" -o "$r" -r 4
[ $status = 0 ] && record '[.runs[].marks[]] | unique == ["there is no device sdz"]'
ok $? "a device that was never there is said not to be, not to have vanished"

# Modules
put /sys/module/fakemod/initstate live
put /sys/module/fakemod/parameters/depth 4
put /sys/module/fakemod/parameters/spread N
experiment 'echo m=1' 'module = fakemod -> depth=9'
touch "$tmp/in-use"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && same && record '.variants[1].marks == ["refused: module fakemod: modprobe ended with 1: FATAL: Module fakemod is in use."]'
ok $? "a module in use"
rm "$tmp/in-use"
experiment 'echo m=1' 'module = fakemod -> bad=1'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && same && record '.variants[1].marks == ["refused: module fakemod: modprobe ended with 1: bad parameter"]'
ok $? "a module that doesn't load with this parameter: it is loaded again as it was"
rm "$root/sys/module/fakemod/initstate"
experiment 'echo m=1' 'module = fakemod -> depth=9'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && same && record '.variants[1].marks == ["refused: module fakemod: it is built into the kernel"]'
ok $? "a module that is built in"
rm -r "$root/sys/module/fakemod"
experiment "echo m=1" "shell = echo in >>$tmp/shell-log -> echo out >>$tmp/shell-log"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && same && [ "$(tr '\n' ' ' <"$tmp/shell-log")" = "in out in out in out in out in out " ]
ok $? "a pair of commands: one before each run, the other after it"

# Threads and irqbalance: real processes
start_process numaio-thread
thread=$child
start_process irqbalance
balance=$child
cpus=$(taskset -pc "$thread" | sed 's/.*: //')
nice=$(ps -o ni= -p "$thread" | tr -d ' ')
experiment "echo \$(ps -o ni= -p $thread) \$(taskset -pc $thread) \$(ps -o stat= -p $balance) >$tmp/seen-\$NUMAIO_VARIANT; echo m=1" \
	'thread = numaio-thr.* -> cpus=0 nice=15' 'irqbalance = stop'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && grep -q "^15 .*: 0 T" "$tmp/seen-b" && grep -q "^$nice .*: $cpus S" "$tmp/seen-a"
ok $? "nice and CPUs of a thread are set, irqbalance stands still, in the variant only"
[ "$(ps -o ni= -p "$thread" | tr -d ' ')" = "$nice" ] && [ "$(taskset -pc "$thread" | sed 's/.*: //')" = "$cpus" ] &&
	ps -o stat= -p "$balance" | grep -q ^S && record '([.variants[1].settings[] | .state] | unique) == ["set"]
	and (.variants[1].settings | length) == 3 and .environment.irqbalance == true'
ok $? "threads and irqbalance are as before"
experiment "kill $thread 2>/dev/null; sleep 0.1; echo m=1" 'thread = numaio-thr.* -> nice=15'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && [ ! -e "$r.journal" ]
ok $? "a thread that ends needs no restoring"

# The load's own place, on this machine
experiment "taskset -pc \$\$ >$tmp/seen-\$NUMAIO_VARIANT; echo m=1" 'physcpubind = 0' 'membind = 0'
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && grep -q ': 0$' "$tmp/seen-b" && record '.variants[1].settings |
	length == 2 and .[0].target == "physcpubind" and .[0].read_back == "0" and .[0].state == "set"'
ok $? "physcpubind"
experiment 'echo m=1' 'cpunodebind = 3'
if [ -e /sys/devices/system/cpu/cpu6 ]; then
	tests=$((tests + 1))
	echo "ok $tests cpunodebind of a node that isn't there # SKIP this machine has CPU 6"
else
	run "$tmp/x.ini" -o "$r"
	[ $status = 0 ] && record '.variants[1].settings[0] | .state == "refused" and .error == "Invalid argument"'
	ok $? "cpunodebind of CPUs that aren't there is refused, not fatal"
fi

# Interrupts
cp "$root/proc/interrupts" "$tmp/interrupts"
awk '/nvme0q1/ { $4 = 12; $9 = 7 } /LOC/ { $2 = 5 } { print }' "$tmp/interrupts" >"$tmp/interrupts-after"
experiment "cp $tmp/interrupts-after $root/proc/interrupts; echo m=1"
echo 'interrupts = nvme0q.*' >"$tmp/line"
sed -i "/^device/r $tmp/line" "$tmp/x.ini"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.runs[0].interrupts == [{irq: "24", name: "nvme0q1",
	per_cpu: [0, 0, 12, 0, 0, 0, 0, 7], per_node: [0, 12, 0, 7]}] and .runs[1].interrupts == []'
ok $? "interrupts by CPU and by node"
cp "$tmp/interrupts" "$root/proc/interrupts"

# late WHAT THE LOAD DOES: CPU 7 isn't online at first; per_node of its interrupts is printed
late()
{
	put /sys/devices/system/node/node3/cpulist 6
	experiment "cp $tmp/interrupts-after $root/proc/interrupts; $1; echo m=1"
	sed -i "/^device/r $tmp/line" "$tmp/x.ini"
	run "$tmp/x.ini" -o "$r"
	cp "$tmp/interrupts" "$root/proc/interrupts"
	put /sys/devices/system/node/node3/cpulist 6-7
	jq -c '.runs[0].interrupts[0].per_node' "$r"
}

[ "$(late "echo 6-7 >$root/sys/devices/system/node/node3/cpulist")" = '[0,12,0,7]' ]
ok $? "a CPU that comes online later counts for its own node"
[ "$(late :)" = '[0,12,0,0]' ]
ok $? "a CPU whose node isn't known counts for none"
{ head -1 "$tmp/interrupts"; awk 'BEGIN { for (n = 100; n < 400; n++) printf "%d: %4000s other\n", n, 0 }'; tail -n +2 "$tmp/interrupts-after"; } \
	>"$tmp/interrupts-many"
experiment "cp $tmp/interrupts-many $root/proc/interrupts; echo m=1"
sed -i "/^device/r $tmp/line" "$tmp/x.ini"
run "$tmp/x.ini" -o "$r" -r 4
cp "$tmp/interrupts" "$root/proc/interrupts"
[ "$(wc -c <"$tmp/interrupts-many")" -gt 1200000 ] && record '.runs[0].interrupts[0].per_node == [0, 12, 0, 7]'
ok $? "the last lines of a /proc/interrupts of more than 1 MiB"

# emulation EMULATED SAID NAME: what is recorded and said of the CPU of the tree
emulation()
{
	experiment 'echo m=1'
	run "$tmp/x.ini" -o "$r" -r 4
	[ $status = 0 ] && [ "$(jq .environment.emulated_cpu "$r")" = "$1" ] &&
		if [ "$2" ]; then grep -q "$2" "$tmp/err"; else ! grep -q emulated "$tmp/err"; fi
	ok $? "$3"
}

put /proc/cpuinfo 'model name	: QEMU TCG CPU version 2.5+'
emulation true "the CPU is emulated (its name" "an emulated CPU is recorded and said"
put /proc/cpuinfo 'CPU implementer	: 0x00
CPU part	: 0x051'
emulation true "the CPU is emulated (its maker" "arm64: the CPU named max"
put /proc/cpuinfo 'CPU implementer	: 0x41
CPU part	: 0xd0c'
emulation false "" "arm64: a CPU that somebody makes"
put /proc/device-tree/compatible linux,dummy-virt
emulation false "the CPU may be emulated: the device tree" "arm64: QEMU by the device tree, and nothing says KVM"
record '.environment.emulation | startswith("the device tree")' && "$NUMAIO" report "$r" | grep -q "the CPU may be emulated"
ok $? "that is in the record and in the report"
put /sys/class/dmi/id/sys_vendor QEMU
put /sys/class/dmi/id/product_name 'KVM Virtual Machine'
emulation false "" "arm64: KVM by DMI"
put /sys/class/dmi/id/product_name 'QEMU Virtual Machine'
emulation true "the CPU is emulated (DMI" "arm64: TCG by DMI"
put /sys/class/dmi/id/product_name 'Standard PC (Q35 + ICH9, 2009)'
rm -r "$root/proc/device-tree"
emulation false "the CPU may be emulated: DMI" "QEMU by DMI, and nothing says KVM"
rm -r "$root/sys/class/dmi"
put /proc/cpuinfo 'model name	: A CPU'

# Settings of all variants
experiment 'echo m=1'
sed -i 's/^\[variant a\]/[all]\nrq_affinity = nosuch -> 1\n&/' "$tmp/x.ini"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.settings[0].state == "refused"' && "$NUMAIO" report "$r" >"$tmp/out" &&
	[ "$(grep -cE '^[ab] +5 +variant ' "$tmp/out")" = 2 ] &&
	"$NUMAIO" report "$r" -o json | jq -e '[.result.variants[].setting_missed] | length > 0 and all' >/dev/null
ok $? "a setting of [all] that is refused marks all variants in the report"

# fio itself
cat >"$tmp/job.fio" <<-END
	[global]
	ioengine=null
	size=64m
	bs=4k
	rw=randrw
	[one]
	[two]
END
cat >"$tmp/x.ini" <<-END
	[experiment]
	repetitions = 5
	warm_up = 0
	[load]
	fio = job.fio
	[variant a]
END
rm -f "$r"
if command -v fio >/dev/null; then
	run "$tmp/x.ini" -o "$r"
	[ $status = 0 ] && record '.state == "complete" and ([.metrics[] | select(.primary)] | map(.name)) == ["iops"]
		and ([.runs[].metrics | .iops > 0 and .bw > 4000 * .iops and .bw < 4200 * .iops and
		.clat_mean > 0 and .clat_p99 >= 0 and .fio_ctx >= 0] | all)'
	ok $? "fio: bandwidth is 4096 times IOPS"
	sed 's/^fio = .*/&\nclient = 127.0.0.1,18765/' "$tmp/x.ini" >"$tmp/remote.ini"
	( cd "$tmp" && exec fio --server=127.0.0.1,18765 >/dev/null 2>&1 ) &
	children="$children $!"
	i=0
	until grep -q ' 0100007F:494D 00000000:0000 0A ' /proc/net/tcp || [ $i = 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	rm -f "$r"
	run "$tmp/remote.ini" -o "$r" -r 1
	[ $status = 0 ] && record '.runs[0].metrics | .iops > 0 and .bw > 4000 * .iops and .bw < 4200 * .iops'
	ok $? "fio on a server"
	printf '[x]\nioengine=no-such-engine\n' >"$tmp/job.fio"
	rm -f "$r"
	run "$tmp/x.ini" -o "$r"
	[ $status = 1 ] && record '.runs[0].state == "failed" and (.runs[0].error | startswith("the load ended with 1"))'
	ok $? "fio that fails"
else
	tests=$((tests + 1))
	echo "ok $tests fio # SKIP there is no fio"
fi
cat >"$tmp/bin/fio" <<-END
	#!/bin/sh
	echo "\$@" >>$tmp/fio-args
	echo 'fio: a note'
	echo '{ "client_stats": [ { "jobname": "one", "sys_cpu": 10, "ctx": 5, "error": 0,
		"read": { "iops": 100, "bw_bytes": 1000, "total_ios": 30, "clat_ns": { "mean": 2000, "percentile": { "99.000000": 9000 } } } },
		{ "jobname": "two", "sys_cpu": 20, "ctx": 6, "error": 0,
		"write": { "iops": 50, "bw_bytes": 500, "total_ios": 10, "clat_ns": { "mean": 6000, "percentile": { "99.000000": 7000 } } } },
		{ "jobname": "All clients", "sys_cpu": 15, "ctx": 11, "error": 0, "read": { "iops": 150, "bw_bytes": 1500, "total_ios": 40 } } ] }'
END
chmod +x "$tmp/bin/fio"
sed -i 's/^fio = .*/fio = job.fio\nclient = h1 h2,8765/' "$tmp/x.ini"
rm -f "$r"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.runs[0].metrics | .iops == 150 and .bw == 1500 and .clat_mean == 3 and
	.clat_p99 == 9 and .fio_sys_cpu == 15 and .fio_ctx == 11' &&
	[ "$(head -1 "$tmp/fio-args")" = "--output-format=json --client=h1 $tmp/job.fio --client=h2,8765 $tmp/job.fio" ]
ok $? "fio on other hosts: its clients' jobs are summed, weighted by their I/Os"

# Two experiments at once, on this machine: they set nothing that is there. Another run of these tests may
# be in the way for a moment.
cat >"$tmp/x.ini" <<-END
	[load]
	command = sleep 0.2; echo m=1
	[metric m]
	pattern = m=(.)
	[variant a]
	shell = true -> true
END
i=0
pid=
until [ "$(jq '.runs | length' "$tmp/first.json" 2>/dev/null || echo 0)" -gt 0 ] || [ $i = 200 ]; do
	if [ -z "$pid" ] || ! kill -0 "$pid" 2>/dev/null; then
		rm -f "$tmp/first.json"
		"$NUMAIO" run "$tmp/x.ini" -o "$tmp/first.json" -r 100 2>/dev/null &
		pid=$!
	fi
	sleep 0.1
	i=$((i + 1))
done
rm -f "$r"
"$NUMAIO" run "$tmp/x.ini" -o "$r" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'another experiment is running on this host' "$tmp/err" && [ ! -e "$r" ] && [ ! -e "$r.journal" ]
ok $? "a second experiment at a time is refused"
grep -v ^shell "$tmp/x.ini" >"$tmp/nothing.ini"
"$NUMAIO" run "$tmp/nothing.ini" -o "$r" -r 4 2>"$tmp/err"
ok $? "but not one that sets nothing"
kill -9 "$pid"
wait "$pid" 2>/dev/null
i=0
until grep -q 'interrupted by signal 2' "$tmp/err" || [ $i = 30 ]; do
	"$NUMAIO" run "$tmp/x.ini" --resume "$tmp/first.json" 2>"$tmp/err" &
	pid=$!
	sleep 0.3
	kill -INT $pid 2>/dev/null
	wait $pid
	i=$((i + 1))
done
[ $i -lt 30 ]
ok $? "and after a kill -9 the host is free"
plan
