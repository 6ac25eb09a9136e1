#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each file of a capture in turn is rubbish, empty or missing: show says less, but it says it.
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=show-ktap.inc
. ./show-ktap.inc

captures/unpack captures/made-up.cap "$tmp/tree" || exit 1

# Is what show prints a whole document, without a word on stderr?
try()
{
	numaio show --sysroot "$tmp/tree" -o json
	[ "$code,$(head -c 1 "$tmp/out")$(tail -n 1 "$tmp/out")" = "0,{}" ] && [ ! -s "$tmp/err" ]
}

try_text()
{
	numaio show --sysroot "$tmp/tree"
	[ $code = 0 ] && [ ! -s "$tmp/err" ] && grep -q '^Linux' "$tmp/out"
}

spoil()
{
	case $1 in
	0) printf '' ;;
	1) printf '%s\n' '-1' ;;
	2) printf '18446744073709551616 =,:[ 9999999999-1 %%s\n: : :\nCPU CPU0 CPU99999999\n 1: x\n' ;;
	3) printf '\377\376\300\200 node=\377 owner= \303(\n=\n' ;;
	4) printf '[[[none] ]]]\nnode=1000000 own=1 foreign=1\n 30: 1 2 3 4 5 6 7 8 9\n' ;;
	esac
}

failed='' files=0
(cd "$tmp/tree" && find . -type f) | sort >"$tmp/files"
while read -r f; do
	mv "$tmp/tree/$f" "$tmp/kept"
	kind=$((files % 6))
	[ $kind = 5 ] || spoil $kind >"$tmp/tree/$f"
	try || failed="$failed $f($kind)"
	cp "$tmp/kept" "$tmp/tree/$f"
	files=$((files + 1))
done <"$tmp/files"
name="$files files, one at a time"
ok "$((files > 100))$failed" = 1

failed=''
for kind in 0 1 2 3 4; do
	while read -r f; do
		spoil $kind >"$tmp/tree/$f"
	done <"$tmp/files"
	try || failed="$failed $kind"
	try_text || failed="$failed $kind(text)"
done
name="all files at once"
ok "$failed" = ""
finish
