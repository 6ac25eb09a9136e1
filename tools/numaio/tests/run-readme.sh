#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What README.md and the man page tell to do, as they tell it.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
cd .. || exit 1
top=$PWD
PATH=$(dirname "$NUMAIO"):$PATH
sed -n '/^    \[load\]/,/^[^ ]/s/^    //p' README.md >"$tmp/hello.ini"
cd "$tmp" || exit 1
numaio run hello.ini -n >out 2>err &&
	[ ! -s err ] && grep -q '^variant first:' out
ok $? "README: numaio run hello.ini -n"
numaio run hello.ini -o hello.json >out 2>err &
pid=$!
i=0
until [ "$(jq '.runs | length' hello.json 2>/dev/null || echo 0)" -gt 1 ] || [ $i = 200 ]; do
	sleep 0.05
	i=$((i + 1))
done
kill -INT $pid
wait $pid
[ $? = 1 ] && jq -e '.state == "interrupted"' hello.json >/dev/null
ok $? "README: ^C"
numaio run hello.ini --resume hello.json >out 2>err &&
	jq -e '.state == "complete" and ([.runs[] | select(.state == "ok")] | length) == 22 and
	([.runs[] | select(.variant == "first") | .marks[]] == [])' hello.json >/dev/null
ok $? "README: numaio run hello.ini --resume hello.json"
for form in text json csv markdown; do
	numaio report hello.json -o $form >out 2>err &&
		[ ! -s err ] && grep -q first out
	ok $? "README: numaio report hello.json, $form"
done
sed -n '/^EXAMPLE/,/^EXIT STATUS/s/^  //p' "$top/man/numaio-run.rst" >man.ini
numaio run --sysroot "$root" man.ini -n >out 2>err &&
	[ ! -s err ] && grep -q '^    tag_placement sda: spread (now flat)' out
ok $? "the example of numaio-run(1)"
# shellcheck disable=SC2016
names=$(sed -n 's/^`experiments\/` has/&/p' "$top/README.md" | wc -l)
missing=
for e in "$top"/experiments/*.ini; do
	grep -qF "\`$(basename "$e" .ini)\`" "$top/README.md" || missing="$missing $e"
done
for file in "$top"/*.c; do
	case $(basename "$file") in cmd-*) continue ;; esac
	grep -qF "\`$(basename "$file")\`" "$top/README.md" || missing="$missing $file"
done
[ "$names" = 1 ] && [ -z "$missing" ]
ok $? "README names each ready experiment and each source file${missing:+, but not$missing}"
plan
