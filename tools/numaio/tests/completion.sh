#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the shell completes, and whether shellcheck likes it.
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=show-ktap.inc
. ./show-ktap.inc
: >"$tmp/out"
: >"$tmp/err"
# shellcheck source=../completion.bash disable=SC1091
. ../completion.bash
compopt() { :; }	# only within a completion
PATH=$(dirname "$NUMAIO"):$PATH
code=0

# completes WANT WORD...: is WANT among what the last word becomes? -WANT: is it not?
completes()
{
	local want=$1
	shift
	COMP_WORDS=(numaio "$@") COMP_CWORD=$#
	_numaio
	printf '%s\n' "${COMPREPLY[@]:-}" >"$tmp/out"
	name="${COMP_WORDS[*]} completes ${want}"
	if [[ $want == !* ]]; then
		ok "$(grep -cFx -e "${want#!}" "$tmp/out")" = 0
	else
		ok "$(grep -cFx -e "$want" "$tmp/out")" = 1
	fi
}

mkdir -p "$tmp/p/bin" "$tmp/p/share/numaio/experiments"
ln -s "$NUMAIO" "$tmp/p/bin/numaio"
: >"$tmp/p/share/numaio/experiments/ready-one.ini"
PATH=$tmp/p/bin:$PATH
completes ready-one run rea
completes "$tmp/out" run "$tmp/o"
for command in show capture watch run report; do
	completes $command "${command:0:3}"
done
completes all show a
completes all show sda a
completes "$(find /sys/block -mindepth 1 -printf '%f\n' | head -n 1)" watch ""
completes --sysroot show --s
completes --enable watch --e
completes '!--enable' show --e
completes json show -o j
completes json watch --output ''
completes markdown report -o m
completes --help run --h
completes --help report --h
completes '!show' watch -i s
mkdir "$tmp/x"
completes "$tmp/x" capture "$tmp/"
completes "$tmp/x" show --sysroot "$tmp/"
completes "$tmp/out" report "$tmp/o"

if command -v shellcheck >/dev/null; then
	shellcheck ../completion.bash >"$tmp/out"
	code=$?
	name=shellcheck
	ok $code = 0
else
	n=$((n + 1))
	echo "ok $n shellcheck # SKIP not installed"
fi
finish
