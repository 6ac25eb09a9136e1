#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test.sh BUILD VMBUILD KERNEL: known answers of the model, in guests; KTAP.
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
bin=$1
vm=$2
kernel=$3
topo=$here/../vm/topologies
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=ktap.sh
. "$here/ktap.sh"

# guest OUT TOPOLOGY OPTIONS COMMAND...: as vmrun, with the plugin
guest()
{
	out=$1 name=$2 options=$3
	shift 3
	mkdir -p "$out"
	"$vm/vmrun" -k "$kernel" -t "$name" -T 200 -o "$out" -q -plugin \
		-q "$bin/numasim.so,topo=$topo/$name.topo,out=$out$options" -- "$@" \
		>"$out/log" 2>&1
}

# known NAME TOPOLOGY OPTIONS [CACHE_KIB [cpu]]
known()
{
	title=$1 name=$2 options=$3
	shift 3
	guest "$work/$nr" "$name" ",user=count,top=1000000$options" \
		"$bin/known" /run/out "$@" &&
		"$bin/known-check" "$work/$nr" >"$work/$nr/ktap"
	status=$?
	[ "$status" -eq 0 ] || sed 's/^/# /' "$work/$nr/log"
	[ ! -f "$work/$nr/ktap" ] || sed "s/^ok/    &/; s/^not ok/    &/; /^KTAP/d; s/^1\\.\\./    &/" "$work/$nr/ktap"
	result "$status" "$title"
}

# refused NAME PATTERN OPTIONS: QEMU must not even start, and say why
refused()
{
	timeout 20 qemu-system-x86_64 -machine none -accel tcg -smp 1 -display none \
		-monitor none -serial none -plugin "$bin/numasim.so$3" \
		>"$work/refused" 2>&1
	status=$?
	if [ "$status" -eq 1 ] && grep -q "$2" "$work/refused"; then
		result 0 "$1"
	else
		sed 's/^/# /' "$work/refused"
		result 1 "$1"
	fi
}

# fails NAME PATTERN COMMAND...
fails()
{
	title=$1 pattern=$2
	shift 2
	"$@" >"$work/fails" 2>&1
	status=$?
	if [ "$status" -eq 1 ] && grep -q "$pattern" "$work/fails"; then
		result 0 "$title"
	else
		sed 's/^/# /' "$work/fails"
		result 1 "$title"
	fi
}

echo "KTAP version 1"
refused "a topology with another number of CPUs is refused" "8 CPUs, the guest 1" \
	",topo=$topo/four.topo,out=$work"
refused "a topology file that is not there is refused" "No such file" \
	",topo=$work/none.topo,out=$work"
refused "an unknown option is refused" "no such option" \
	",topo=$topo/four.topo,out=$work,nodes=4"
refused "a bad value is refused, with the good ones" "number from 1 to 255" \
	",topo=$topo/four.topo,out=$work,cache=64,ways=0"
refused "a directory that is not there is refused" "out=$work/none" \
	",topo=$topo/four.topo,out=$work/none"

known "four nodes" four ""
known "four nodes, a cache for each CPU" four ",unit=cpu" 0 cpu
known "four nodes, caches of 256 KiB" four ",cache=256" 256
known "lopsided nodes" lopsided ""
known "four nodes, vCPUs that take turns" four ",slice=200"

guest "$work/closed" four "" true
fails "a window that was never opened is no zero" "never opened" \
	"$bin/numasim-report" -n 1 show "$work/closed"

cat >"$work/wrong.sh" <<END
modprobe null_blk nr_devices=1 2>/dev/null || insmod "$(dirname "$kernel")/../../../drivers/block/null_blk/null_blk.ko" nr_devices=1 || exit 4
exec "$bin/ioload" -n 20 -w 20 -o /run/out /dev/nullb0
END
mkdir -p "$work/wrong"
"$vm/vmrun" -k "$kernel" -t four -T 200 -o "$work/wrong" -q -plugin \
	-q "$bin/numasim.so,topo=$topo/eight.topo,out=$work/wrong" -- \
	sh "$work/wrong.sh" >"$work/wrong/log" 2>&1
fails "a node map that is not the guest's is found out" "but not in the plugin" \
	"$bin/numasim-report" show "$work/wrong"

echo "1..$nr"
[ "$failed" -eq 0 ]
