#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# runner-remote.sh NUMAIO: "numaio run" with the load on two other hosts, which are network namespaces
# with a link and a fio server each. Whether both did their share is read from the disk's statistics.
. "$(dirname "$0")/runner.inc"

start_server()	# N: fio on host N
{
	nsenter --net=/run/netns/host"$1" fio --server="10.8.$1.2" >"$tmp/server$1" 2>&1 &
	wait_for listens "$1"
}

listens()
{
	nsenter --net=/run/netns/host"$1" ss -ltn 2>/dev/null | grep -q :8765
}

modprobe -a veth null_blk 2>/dev/null
mkdir -p /run/netns
for n in 1 2; do
	if ! { ip netns add host$n && ip link add veth$n type veth peer name eth0 netns host$n &&
		ip addr add 10.8.$n.1/24 dev veth$n && ip link set veth$n up &&
		nsenter --net=/run/netns/host$n ip addr add 10.8.$n.2/24 dev eth0 &&
		nsenter --net=/run/netns/host$n ip link set eth0 up; }; then
		fail "no network namespace"
	fi
	start_server $n
done
mkdir /sys/kernel/config/nullb/numaio || fail "no null_blk"
for attr in memory_backed=0 blocksize=4096 size=64 submit_queues=4 hw_queue_depth=32 power=1; do
	echo ${attr#*=} >/sys/kernel/config/nullb/numaio/${attr%=*} || fail "no $attr"
done
wait_for test -b /dev/numaio
place=/sys/block/numaio/queue/tag_placement
affinity=/sys/block/numaio/queue/rq_affinity
before="$(cat $place) $(cat $affinity)"
as_before()
{
	[ "$(cat $place) $(cat $affinity)" = "$before" ] && [ ! -e "$r.journal" ] && [ ! -e "$r.tmp" ]
}

cat >"$tmp/job.fio" <<-END
	[read]
	filename=/dev/numaio
	rw=randread
	bs=4k
	ioengine=libaio
	iodepth=4
	direct=1
	number_ios=300
END
experiment()	# LINES OF [load]
{
	cat >"$tmp/x.ini" <<-END
		[experiment]
		device = numaio
		repetitions = 5
		warm_up = 0
		[load]
		fio = job.fio
		client = 10.8.1.2 10.8.2.2
		$1
		[variant plain]
		[variant spread]
		tag_placement = numaio -> spread
		rq_affinity = numaio -> 2
	END
}
reads()
{
	awk '{ print $1 }' /sys/block/numaio/stat
}

experiment ""
was=$(reads)
run "$tmp/x.ini" -o "$r"
[ $status = 0 ] && record '.state == "complete" and ([.runs[] | select(.state == "ok" and .metrics.iops > 0)] | length) == 10 and
	([.variants[].settings[] | select(.state != "set")] == [])' && as_before
ok $? "ten runs on two hosts, settings of this one"
done=$(($(reads) - was))
[ $done -ge 6000 ] && [ $done -lt 6100 ]
ok $? "both hosts did all of their I/Os: 6000, $done seen by the disk"

# a host after the other
fresh
sed -i 's/^client = .*/client = 10.8.1.2/' "$tmp/x.ini"
was=$(reads)
run "$tmp/x.ini" -o "$r" -r 1
done=$(($(reads) - was))
[ $status = 0 ] && [ $done -ge 600 ] && [ $done -lt 700 ]
ok $? "one host did half of it: 600, $done seen by the disk"

# where the load runs can't be said for another host
fresh
experiment "cpunodebind = 1"
run "$tmp/x.ini" -o "$r"
[ $status = 2 ] && grep -q "x.ini:.*client" "$tmp/err" && [ ! -e "$r" ]
ok $? "no node for a load on other hosts: the file, the line and the key are named"

# a host that goes
fresh
experiment ""
sed -i 's/^number_ios=.*/time_based=1\nruntime=60/' "$tmp/job.fio"
"$numaio" run "$tmp/x.ini" -o "$r" -r 1 >"$tmp/out" 2>"$tmp/err" &
pid=$!
was=$(reads)
reads_more()
{
	[ "$(reads)" -gt $((was + 100)) ]
}
wait_for reads_more
# fio's server has a process for each connection
pkill -9 -f 'fio --server=10.8.2.2'
wait $pid
status=$?
[ $status = 1 ] && record '[.runs[] | select(.state == "failed" and (.error | length) > 0)] | length > 0' && as_before
ok $? "a host that goes fails its run, and all is restored"
pkill -9 -f 'fio --server=10.8.1.2'
wait
fresh
run "$tmp/x.ini" -o "$r" -r 1
[ $status = 1 ] && record '.runs | (length > 0 and all(.state == "failed"))' && as_before
ok $? "no host there: every run fails, and all is restored"
echo "1..$tests"
