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
refuses 1 "there are iscsi" -a a=good -w null_blk
echo "1..$nr"
[ "$failed" -eq 0 ]
