#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# runner.sh NUMAIO: "numaio run" in the guest, on scsi_debug and, if it is there, on virtio-scsi
# (vmrun -d virtio-scsi@3). What numaio says it set is read by the load, without numaio.
. "$(dirname "$0")/runner.inc"
modprobe scsi_debug host_max_queue=192 submit_queues=8 dev_size_mb=64 delay=0 || exit 1
udevadm settle 2>/dev/null
find_disk()
{
	disk=$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/* 2>/dev/null) &&
		[ -b "/dev/${disk##*/}" ]
}
wait_for find_disk
disk=${disk##*/}
[ "$disk" ] || fail "scsi_debug has no disk"
thread=kswapd0
queue=
for wq in /sys/devices/virtual/workqueue/*/affinity_scope; do
	queue=$(basename "$(dirname "$wq")")
done
wq=/sys/devices/virtual/workqueue/$queue

# All that the experiment below sets, one line each.
look()
{
	echo "placement $(chosen "/sys/block/$disk/queue/tag_placement")"
	echo "rq_affinity $(cat "/sys/block/$disk/queue/rq_affinity")"
	echo "scope $(chosen "$wq/affinity_scope" | sed 's/ .*//') strict $(cat "$wq/affinity_strict")"
	echo "cpumask $(sed 's/^[0,]*//' "$wq/cpumask") nice $(cat "$wq/nice")"
	echo "rps $(sed 's/^[0,]*//' /sys/class/net/lo/queues/rx-0/rps_cpus)"
	echo "thread $(taskset -pc "$(pgrep -x "$thread")" | sed 's/.*: //; s/-/,/')"
	echo "requests $(cat "/sys/block/$disk/queue/nr_requests")"
	echo "load $(taskset -pc $$ | sed 's/.*: //; s/-/,/')"
}

before=$(look)
cat >"$tmp/load" <<END
#!/bin/sh
disk=$disk wq=$wq thread=$thread
$(sed -n '/^chosen()/,/^}/p; /^look()/,/^}/p' "$(dirname "$0")/runner.inc" "$0")
look >$tmp/seen-\$NUMAIO_VARIANT
cat /proc/self/numa_maps 2>/dev/null | awk '{ print \$2 }' | sort | uniq -c >$tmp/maps-\$NUMAIO_VARIANT
END
chmod +x "$tmp/load"

experiment()	# LINES OF [load]
{
	cat >"$tmp/x.ini" <<-END
		[experiment]
		device = $disk
		repetitions = 5
		warm_up = 1
		[matrix]
		node = 0 3
		[load]
		$1
		[metric n]
		pattern = n=([0-9]+)
		[all]
		sysfs = /sys/block/$disk/queue/nr_requests -> 32
		[variant plain]
		[variant node%{node}]
		tag_placement = $disk -> spread
		rq_affinity = $disk -> 2
		workqueue = $queue -> affinity_scope=numa affinity_strict=1 cpumask=node:%{node} nice=-3
		rps = lo -> node:%{node}
		thread = $thread -> cpus=node:%{node}
		cpunodebind = %{node}
		membind = %{node}
	END
}

# as the guest was found
as_before()
{
	[ "$(look)" = "$before" ] && [ ! -e "$r.journal" ] && [ ! -e "$r.tmp" ]
}

seen()	# VARIANT, LINES
{
	[ "$(cat "$tmp/seen-$1")" = "$2" ] || { sed 's/^/# /' "$tmp/seen-$1"; return 1; }
}

fresh
experiment "command = $tmp/load && dd if=/dev/$disk of=/dev/null bs=4k count=500 iflag=direct 2>/dev/null && echo n=1"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.state == "complete" and ([.runs[] | select(.state == "ok")] | length) == 18 and
	([.variants[].settings[] | select(.state != "set")] == []) and ([.runs[].marks[]] == [])'
ok $? "an experiment on scsi_debug: all settings are set, no run is marked"
for node in 0 3; do
	first=$((2 * node)) mask=$(printf %x $((3 << 2 * node)))
	seen node$node "placement spread
rq_affinity 2
scope numa strict 1
cpumask $mask nice -3
rps $mask
thread $first,$((first + 1))
requests 32
load $first,$((first + 1))"
	ok $? "the load of node$node reads all of them itself"
	grep -q "bind:$node" "$tmp/maps-node$node"
	ok $? "and its memory is bound to the node"
done
seen plain "$(echo "$before" | sed 's/^requests .*/requests 32/')"
ok $? "the load of plain sees what was before, but for the setting of all variants"
as_before
ok $? "after the end all is as before"
record '[.runs[].interrupts[] | select(.per_node | length == 4) | select((.per_node | add) == (.per_cpu | add))] | length > 50'
ok $? "interrupts by node are those by CPU"
record '.environment.emulated_cpu and (.environment.nodes | length) == 4 and (.environment.config_sha256 | length) == 64'
ok $? "the environment: emulated CPU, four nodes, the kernel's configuration"

# fio
cat >"$tmp/job.fio" <<-END
	[read]
	filename=/dev/$disk
	rw=randread
	bs=4k
	ioengine=libaio
	iodepth=8
	direct=1
	number_ios=500
END
fresh
experiment "fio = job.fio"
sed -i '/^\[metric/,/^pattern/d; s/^repetitions.*/repetitions = 1/; s/^warm_up.*/warm_up = 0/' "$tmp/x.ini"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '[.runs[].metrics | .iops > 0 and .bw > 4000 * .iops] | all' && as_before
ok $? "fio as the load"
fresh
experiment "command = fio --output-format=json --name=x --filename=/dev/$disk --rw=read --time_based --runtime=60 & sleep 0.5; kill -9 \$!; pkill -9 -x fio; wait \$!"
run "$tmp/x.ini" -o "$r"
[ $status = 1 ] && record '.state == "failed" and .runs[0].state == "failed"' && as_before && ! pgrep -x fio >/dev/null
ok $? "kill -9 of fio"

# signals
fresh
experiment "command = sleep 0.1; echo n=1"
i=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	fresh
	"$numaio" run "$tmp/x.ini" -o "$r" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	after=$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%.2f", 0.3 + $1 / 65536 * 4 }')
	sleep "$after"
	kill -INT $pid
	wait $pid
	as_before && { [ ! -e "$r" ] || record '.state == "interrupted" or .state == "complete"'; }
	ok $? "SIGINT after $after s"
done
fresh
experiment "command = sleep 100; echo n=1"
sed -i 's/^\[variant plain\]/[variant zero]\ntag_placement = '"$disk"' -> spread/' "$tmp/x.ini"
"$numaio" run "$tmp/x.ini" -o "$r" >"$tmp/out" 2>"$tmp/err" &
pid=$!
wait_for pgrep -f 'sleep 100' >/dev/null
kill -9 $pid
wait $pid 2>/dev/null
[ "$(chosen "/sys/block/$disk/queue/tag_placement")" = spread ]
ok $? "kill -9 of numaio leaves its settings"
run --restore "$r"
[ $status = 0 ] && as_before && ! pgrep -f 'sleep 100' >/dev/null
ok $? "--restore takes them back"

# a full disk
mkdir "$tmp/small"
if mount -t tmpfs -o size=64k none "$tmp/small"; then
	experiment "command = head -c 100000 /dev/zero >$tmp/small/fill 2>/dev/null; echo n=1"
	run "$tmp/x.ini" -o "$tmp/small/r.json"
	[ $status = 1 ] && jq -e '.schema == 1' "$tmp/small/r.json" >/dev/null && grep -q 'No space left' "$tmp/err" && as_before
	ok $? "a full disk: restored, the last record is valid"
	umount "$tmp/small"
else
	skip "a full disk" "no tmpfs"
fi

# changes under us
if [ -w /sys/devices/system/cpu/cpu5/online ]; then
	fresh
	experiment "command = [ \$NUMAIO_BLOCK != 1 ] || echo 0 >/sys/devices/system/cpu/cpu5/online; echo n=1"
	run "$tmp/x.ini" -o "$r"
	echo 1 >/sys/devices/system/cpu/cpu5/online
	record '.state == "complete" and ([.runs[].marks[] | select(. == "CPUs online changed: 0-7, now 0-4,6-7")] | length) == 1'
	ok $? "a CPU that goes offline marks the run"
	as_before
	ok $? "and all is as before when it is back"
else
	skip "a CPU that goes offline" "no CPU hotplug"
fi

# kernel-managed interrupts
modprobe virtio_scsi 2>/dev/null
sleep 2
irq=$(awk '/virtio[0-9]+-request$/ { sub(":", "", $1); print $1; exit }' /proc/interrupts)
if [ "$irq" ]; then
	fresh
	experiment "command = echo n=1"
	echo "irq = virtio[0-9]+-request -> 0" >>"$tmp/x.ini"
	was=$(cat "/proc/irq/$irq/smp_affinity_list")
	run "$tmp/x.ini" -o "$r"
	[ $status = 0 ] && record '.state == "complete" and ([.variants[1, 2].settings[] | select(.kind == "irq") |
		.state == "refused" and (.error | endswith(": the kernel manages this interrupt"))] | length > 0 and all) and
		([.variants[1, 2] | .marks | length > 0] | all) and .variants[0].marks == []' &&
		[ "$(cat "/proc/irq/$irq/smp_affinity_list")" = "$was" ] && as_before
	ok $? "a managed interrupt marks its variants, nothing else"
else
	skip "a managed interrupt" "no virtio-scsi: use vmrun -d virtio-scsi@3"
fi
irq=$(awk '/ttyS0/ { sub(":", "", $1); print $1; exit }' /proc/interrupts)
if [ "$irq" ]; then
	fresh
	experiment "command = cat /proc/irq/$irq/smp_affinity_list >$tmp/irq-\$NUMAIO_VARIANT; echo n=1"
	echo "irq = ttyS0 -> node:%{node}" >>"$tmp/x.ini"
	was=$(cat "/proc/irq/$irq/smp_affinity_list")
	run "$tmp/x.ini" -o "$r"
	[ $status = 0 ] && [ "$(cat "$tmp/irq-node3") $(cat "$tmp/irq-plain")" = "6-7 $was" ] &&
		[ "$(cat "/proc/irq/$irq/smp_affinity_list")" = "$was" ]
	ok $? "the affinity of an interrupt is set and restored"
else
	skip "the affinity of an interrupt" "no interrupt of ttyS0"
fi

# a device that vanishes
fresh
experiment "command = [ \$NUMAIO_BLOCK\$NUMAIO_VARIANT != 2node0 ] || echo 1 >/sys/block/$disk/device/delete; echo n=1"
run "$tmp/x.ini" -o "$r"
record '.state == "complete" and ([.runs[].marks[] | select(startswith("device ") and endswith(" vanished"))] | length) > 0 and
	([.restored[] | select(.state == "failed" and .error == "it has vanished")] | length) > 0' &&
	[ ! -e "$r.journal" ] && [ "$(sed 's/^[0,]*//' /sys/class/net/lo/queues/rx-0/rps_cpus)" = "$(echo "$before" | sed -n 's/^rps //p')" ] &&
	[ "$(cat "$wq/affinity_strict")" = 0 ]
ok $? "a device that vanishes: marked, all others are restored"

# Module parameters: nodes of the host by reloading, seen by the load
rmmod scsi_debug
fresh
cat >"$tmp/x.ini" <<-END
	[experiment]
	repetitions = 1
	[matrix]
	node = nodes
	[load]
	command = cat /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/scsi_host/host*/numa_node >$tmp/seen-\$NUMAIO_VARIANT; echo n=1
	[metric n]
	pattern = n=([0-9]+)
	[variant without]
	module = scsi_debug
	[variant s%{node}]
	module = scsi_debug -> numa_node=%{node} tag_placement=spread
	settle = 0
END
sed -i '/^settle/d' "$tmp/x.ini"
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '[.variants[].settings[].state] | (length == 5 and all(. == "set"))' &&
	[ "$(cat "$tmp/seen-s0" "$tmp/seen-s1" "$tmp/seen-s2" "$tmp/seen-s3" | tr '\n' ' ')" = "0 1 2 3 " ] &&
	[ ! -e /sys/module/scsi_debug ]
ok $? "a module is loaded with each variant's parameters, and unloaded at the end"
modprobe scsi_debug dev_size_mb=16 max_luns=2
run "$tmp/x.ini" -o "$tmp/r2.json"
[ $status = 0 ] && [ "$(cat /sys/module/scsi_debug/parameters/max_luns)" = 2 ] &&
	[ "$(cat /sys/module/scsi_debug/parameters/dev_size_mb)" = 16 ]
ok $? "a module that was loaded gets its parameters back"
rmmod scsi_debug
echo "1..$tests"
rm -rf "$tmp"
