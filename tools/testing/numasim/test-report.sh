#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# test-report.sh BUILD: numasim-report on stored records; KTAP.
# UPDATE=1 writes the expected output instead of comparing with it.
set -u

cd -- "$(dirname -- "$0")/testdata" || exit 1
report=$1/numasim-report
bench=$1/numasim-bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=ktap.sh
. ../ktap.sh

prints()	# FILE ARGUMENTS...: exactly this
{
	file=$1
	shift
	"$report" -s ../stack.conf "$@" >"$work/out" 2>&1
	status=$?
	if [ "${UPDATE:-}" ]; then
		cp "$work/out" "$file"
	elif ! diff -u "$file" "$work/out" >"$work/diff"; then
		sed 's/^/# /' "$work/diff"
		status=1
	fi
	result $status "$*"
}

fails()	# CODE PATTERN ARGUMENTS...
{
	code=$1 pattern=$2
	shift 2
	"$report" -s ../stack.conf "$@" >"$work/out" 2>&1
	status=$?
	if [ $status -eq "$code" ] && grep -q -- "$pattern" "$work/out"; then
		result 0 "refused: $*"
	else
		echo "# exit $status, expected $code and '$pattern'"
		sed 's/^/# /' "$work/out"
		result 1 "refused: $*"
	fi
}

echo "KTAP version 1"
prints show.txt show -m good/System.map good
prints sites.txt sites good
prints lines.txt lines good
prints show.json show -o json -i arm=flat good
prints compare.txt compare show.json other.json
prints compare.json compare -o json show.json other.json
fails 1 "the record is cut" show cut
fails 1 "the window was not closed" show open
fails 1 "never opened" show good -w 2
fails 1 "booted without nokaslr" show -m good/System.map-moved good
fails 1 "No such file" show -k none good
fails 1 "not a numasim-report" compare compare.json show.json
fails 2 "number from 1" show -n 0 good
fails 2 "table or json" show -o xml good
fails 2 "show, sites or lines" shwo good
fails 2 "NAME=VALUE" show -i flat good
# refuses CODE PATTERN ARGUMENTS...: numasim-bench
refuses()
{
	code=$1 pattern=$2
	shift 2
	"$bench" -b "$work" -V "$work" -o "$work/out" "$@" >"$work/out.txt" 2>&1
	status=$?
	if [ $status -eq "$code" ] && grep -q -- "$pattern" "$work/out.txt"; then
		result 0 "bench refused: $*"
	else
		echo "# exit $status, expected $code and '$pattern'"
		sed "s/^/# /" "$work/out.txt"
		result 1 "bench refused: $*"
	fi
}

refuses 2 "no --arm given" -r 5
refuses 2 "number from 1 to 100" -a a=good -r 0
refuses 2 "give NAME=DIR" -a good
refuses 2 "No such file" -a a=none
refuses 1 "bzImage: No such file" -a a=good -w null_blk-shared
refuses 1 "there are affinity iscsi" -a a=good -w null_blk

# A kernel that nobody boots: which cells has a matrix?
mkdir -p "$work/kernel/arch/x86/boot" "$work/kernel/mods/lib/modules/x/kernel"
touch "$work/kernel/arch/x86/boot/bzImage" "$work/kernel/System.map" "$work/kernel/.config" \
	"$work/kernel/mods/lib/modules/x/kernel/a.ko"
has_cells()	# TOPOLOGY ROWS COLUMNS
{
	"$bench" -b "$work" -V "$work" -o "$work/matrix" -a "a=$work/kernel" -n -m scsi_debug \
		-t "$1" >"$work/out.txt" 2>/dev/null
	status=$?
	table=$(sed -n '/another node.s cache/,/^$/p' "$work/out.txt")
	rows=$(echo "$table" | awk 'NR > 2 { printf "%s ", $1 }')
	columns=$(echo "$table" | sed -n 2p | grep -o 'on [a-z0-9]*' | awk '{ printf "%s ", $2 }')
	[ $status -eq 0 ] && [ "$rows" = "$2 " ] && [ "$columns" = "$3 " ]
	result $? "matrix on $1: ${rows}x ${columns}"
}

has_cells two "default node0 node1 spread" "node0 node1 all"
has_cells memless "default node0 node2 node3 spread" "node0 node1 node2 node3 all"

# Variants are workloads that run only if they are named.
names()	# ARGUMENTS...: of the workloads in a report
{
	"$bench" -b "$work" -V "$work" -o "$work/names" -a "a=$work/kernel" -n "$@" 2>/dev/null |
		sed -n 's/^\([a-z_-]*\): .*/\1/p' | grep -v '^same$' | tr '\n' ' '
}

[ "$(names -w 'workqueue*')" = "workqueue workqueue-affine workqueue-batch workqueue-batch-affine " ]
result $? "a pattern names variants"
[ "$(names | tr ' ' '\n' | grep -c '^workqueue\|^iscsi')" -eq 2 ]
result $? "without a name there are no variants"
refuses 1 "workload workqueue-none: there are" -a "a=$work/kernel" -w iscsi -w workqueue-none
refuses 1 "none.conf: No such file" -a "a=$work/kernel" -m none
echo "1..$nr"
[ "$failed" -eq 0 ]
