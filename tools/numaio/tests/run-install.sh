#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make install: what is there then, and that the ready experiments are found by name.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
build=$(dirname "$NUMAIO")
at=$tmp/image/opt
make -s -C .. -o all BUILD="$build" install DESTDIR="$tmp/image" PREFIX=/opt >"$tmp/out" 2>"$tmp/err"
ok $? "make install DESTDIR= PREFIX="
missing=
for file in ../man/*.rst; do
	[ -s "$at/share/man/man1/$(basename "$file" .rst).1" ] || missing="$missing $file"
done
for file in ../experiments/*; do
	cmp -s "$file" "$at/share/numaio/experiments/$(basename "$file")" || missing="$missing $file"
done
cmp -s ../completion.bash "$at/share/bash-completion/completions/numaio" || missing="$missing completion"
[ -z "$missing" ]
ok $? "man pages, experiments and completion are there${missing:+, but not$missing}"
[ "$(find "$tmp/image" -type f ! -path "$at/*" | wc -l)" = 0 ] && [ -x "$at/bin/numaio" ]
ok $? "nothing is elsewhere"
mkdir "$tmp/elsewhere"
cd "$tmp/elsewhere" || exit 1
"$at/bin/numaio" run --sysroot "$root" matrix-4x4 -n >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^experiment matrix-4x4: 17 variants' "$tmp/out"
ok $? "numaio run matrix-4x4 finds the ready experiment"
"$NUMAIO" run --sysroot "$root" matrix-4x4 -n >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q '^numaio run: matrix-4x4: No such file' "$tmp/err"
ok $? "one that isn't installed doesn't"
cp "$at/share/numaio/experiments/srp-target.ini" "$at/share/numaio/experiments/initiator.fio" .
mv srp-target.ini matrix-4x4
"$at/bin/numaio" run --sysroot "$root" matrix-4x4 -n >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^experiment srp-target: 5 variants' "$tmp/out"
ok $? "a file of that name comes first"
plan
