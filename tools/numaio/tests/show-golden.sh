#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What show makes of each capture, exactly. UPDATE=1 writes what is expected instead.
set -u
cd "$(dirname "$0")/captures" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

result()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		bad=$((bad + 1))
		echo "not ok $n $2"
	fi
}

# show FILE ARG...: compare what it prints with FILE.
show()
{
	want=$1; shift
	"$NUMAIO" show --sysroot "$tmp/tree" "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	sed -i 's/"tool": "numaio [^"]*"/"tool": "numaio VERSION"/' "$tmp/out"
	if [ "${UPDATE:-}" ]; then
		cp "$tmp/out" "$want"
	fi
	if [ "$code" = 0 ] && [ ! -s "$tmp/err" ] && [ -s "$want" ] &&
	   diff "$want" "$tmp/out" >"$tmp/diff"; then
		result 0 "$want"
	else
		sed 's/^/# /' "$tmp/diff" "$tmp/err"
		result 1 "$want: exit $code"
	fi
}

echo "KTAP version 1"
for cap in *.cap; do
	name=${cap%.cap}
	rm -rf "$tmp/tree"
	./unpack "$cap" "$tmp/tree" || { result 1 "$cap can't be unpacked"; continue; }
	show "$name.txt"
	show "$name.json" -o json
	# NAME@DISK.txt: what one disk or host is shown with.
	for only in "$name"@*.txt; do
		[ -f "$only" ] || continue
		arg=${only#"$name"@}
		show "$only" "${arg%.txt}"
	done
done
echo "1..$n"
exit $((bad != 0))
