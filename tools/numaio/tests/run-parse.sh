#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Errors in an experiment: each names file, line and key, and nothing is changed.
cd "$(dirname "$0")" || exit 1
. ./run-tree.inc
echo "KTAP version 1"
make_tree
snapshot >"$tmp/before"

good='[experiment]
repetitions = 7
[load]
command = true
[metric m]
pattern = m=([0-9]+)
[variant a]
'

# bad NAME LINE TEXT EXPECTED: what the error in that line of the file says
bad()
{
	printf '%s' "$3" >"$tmp/x.ini"
	run "$tmp/x.ini" -o "$tmp/r.json"
	[ "$status" = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ] &&
		[ ! -e "$tmp/r.json" ] && [ ! -e "$tmp/r.json.journal" ] &&
		[ ! -e "$tmp/r.json.tmp" ] &&
		grep -qF "numaio run: $tmp/x.ini:$2: $4" "$tmp/err"
	ok $? "$1"
}

printf '%s' "$good" >"$tmp/x.ini"
run "$tmp/x.ini" -n
ok $status "the file that the cases below damage is good"

bad "unknown section" 8 "${good}[foo]
x = 1
" '[foo] no such section; there are: experiment, parameters, matrix'
bad "unknown key of [experiment]" 3 '[experiment]
name = x
repetition = 3
' '[experiment] repetition: no such key; there are: name, question,'
bad "no number" 2 '[experiment]
repetitions = many
' '[experiment] repetitions: "many" is no whole number of 1 .. 10000'
bad "number out of range" 2 '[experiment]
repetitions = 10001
' '[experiment] repetitions: "10001" is no whole number of 1 .. 10000'
bad "number with a rest" 2 '[experiment]
cool_down = 5s
' '[experiment] cool_down: "5s" is no number of 0 .. 3600'
bad "negative seed" 2 '[experiment]
seed = -1
' '[experiment] seed: the seed is a whole number of 0 .. 9223372036854775807'
bad "key twice" 3 '[experiment]
seed = 1
seed = 2
' '[experiment] seed: the key is already in line 2'
bad "section twice" 8 "${good}[load]
" '[load] the section is already in line 3'
bad "variant twice" 8 "${good}[variant a]
" '[variant a] the section is already in line 7'
bad "variant twice after expansion" 10 "${good}[matrix]
n = 1 a
[variant %{n}]
" '[variant %{n}] there are two variants "a"'
bad "key in no section" 1 'seed = 1
' 'seed: the key is in no section'
bad "no key and no section" 2 '[experiment]
hello
' '"hello" is no section, comment or KEY = VALUE'
bad "section without ]" 1 '[experiment
' '"[experiment": a section ends with ]'
bad "text after a section" 1 '[experiment] x
' '"x" after the section'
bad "indented section" 1 ' [experiment]
' 'a section starts in the first column'
bad "no variant" 5 '[load]
command = true
[metric m]
pattern = (a)

' 'there is no [variant NAME] section'
bad "no load" 3 '[metric m]
pattern = (a)
[variant a]
' '[variant a] no load: neither fio nor command is given'
bad "both loads" 3 '[load]
fio = x.fio
command = true
' '[load] command: fio is given, too'
bad "no metric" 1 '[load]
command = true
[variant a]
' 'there is no [metric NAME] section'
bad "metric without group" 2 '[metric m]
pattern = abc
' '[metric m] pattern: "abc" has 0 groups in parentheses, 1 is valid'
bad "metric with two groups" 2 '[metric m]
pattern = (a)(b)
' '[metric m] pattern: "(a)(b)" has 2 groups in parentheses, 1 is valid'
bad "no regular expression" 2 '[metric m]
pattern = (a
' '[metric m] pattern: "(a" is no regular expression:'
bad "better" 3 '[metric m]
pattern = (a)
better = bigger
' '[metric m] better: the value is none of higher, lower, none'
bad "metric without pattern" 1 '[metric m]
unit = s
' '[metric m] pattern: the key is missing'
bad "unknown variable" 8 "${good}irq = x%{y} -> 0
" '[variant a] irq: %{y} is neither in [parameters] nor in [matrix]'
bad "matrix variable that the name hasn't" 11 "[matrix]
n = 0 1
$good
cpunodebind = %{n}
" '[variant a] cpunodebind: %{n} is of [matrix]: it has to be in the variant'"'s name, too"
bad "parameter without a value" 2 '[parameters]
device =
' '[parameters] device: it has no default: give one with -D NAME=VALUE'
bad "variable with a bad name" 2 '[parameters]
a-b = 1
' '[parameters] a-b: a variable has a name of letters, digits and _'
bad "two variables of a name" 4 '[parameters]
a = 1
[matrix]
a = 1 2
' '[matrix] a: there is another variable of that name'
bad "too many variants" 8 '[load]
command = true
[matrix]
a = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
b = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
c = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17

[variant %{a}%{b}%{c}]
' '[variant %{a}%{b}%{c}] more than 4096 variants'
bad "baseline" 2 "[experiment]
baseline = b
[load]
command = true
[metric m]
pattern = (a)
[variant a]
" '[experiment] baseline: there is no variant "b"'
bad "primary" 2 "[experiment]
primary = x
[load]
command = true
[metric m]
pattern = (a)
[variant a]
" '[experiment] primary: there is no metric "x"'

# bad settings; they are in line 8
bad_key()
{
	bad "$1 = $2" 8 "$good$1 = $2
" "[variant a] $1: $3"
}

bad_key colour red 'no such key; there are: irq, thread,'
bad_key irq nvme '"nvme" is not of the form PATTERN -> CPUS'
bad_key irq 'nvme -> 9' '"9" is no list of CPUs (0-3,8), node:N or all; this host has CPUs 0-7'
bad_key irq 'nvme -> node:4' '"4" is no list of nodes; this host has 0-3'
bad_key irq 'nvme -> 3-1' '"3-1" is no list of CPUs'
bad_key irq 'nvme[ -> 0' '"nvme[" is no regular expression:'
bad_key irq 'a{1,200} -> 0' '"a{1,200}...": a pattern has at most'
bad_key thread 'x -> 0' '"0" is neither cpus=CPUS nor nice=N, once each'
bad_key thread 'x -> nice=20' '"nice=20": nice is -20 .. 19'
bad_key workqueue 'x -> affinity_scope=node' '"affinity_scope=node": a scope is default, cpu,'
bad_key workqueue 'x -> affinity_strict=2' '"affinity_strict=2": affinity_strict is 0 or 1'
bad_key workqueue 'x -> cpumask=ff' '"ff" is no list of CPUs'
bad_key workqueue 'x -> prio=1' '"prio=1" is none of affinity_scope=,'
bad_key rq_affinity 'sda -> 4' '"4": rq_affinity is 0 .. 3'
bad_key tag_placement 'sda -> node' '"node": tag_placement is flat or spread'
bad_key module 'a/b -> x=1' '"a/b" is no name of a module'
bad_key module 'x -> y' '"y" is no PARAMETER=VALUE'
bad_key rps 'eth0' '"eth0" is not of the form INTERFACE[/rx-N] -> CPUS'
bad_key irqbalance start '"start": irqbalance can only be "stop"'
bad_key sysfs '/etc/passwd -> x' '"/etc/passwd" is no path below /sys/ or /proc/'
bad_key sysfs '/sys/../etc/passwd -> x' '"/sys/../etc/passwd" is no path below'
bad_key shell 'true' '"true" is not of the form COMMAND -> COMMAND THAT UNDOES IT'
bad_key cpunodebind 4 '"4" is no list of nodes; this host has 0-3'
bad_key membind x '"x" is no list of nodes; this host has 0-3'
bad_key physcpubind 8 '"8" is no list of CPUs'
bad_key timeout -1 '"-1" is no number of 0 .. 1000000'
bad_key client host 'only fio can run on other hosts'

printf 'x\000y' >"$tmp/nul"
cp "$tmp/nul" "$tmp/x.ini"
run "$tmp/x.ini" -n
[ $status = 2 ] && grep -qF "x.ini:1: the line has a NUL character" "$tmp/err"
ok $? "NUL character"
printf '[experiment]\nname = \377\n' >"$tmp/x.ini"
run "$tmp/x.ini" -n
[ $status = 2 ] && grep -qF "x.ini:2: the line is no UTF-8" "$tmp/err"
ok $? "no UTF-8"
{ echo "[experiment]"; printf 'name = '; head -c 5000 /dev/zero | tr '\0' x; } >"$tmp/x.ini"
run "$tmp/x.ini" -n
[ $status = 2 ] && grep -qF "x.ini:2: the line is longer than 4000 characters" "$tmp/err"
ok $? "line too long"
run "$tmp/none.ini" -n
[ $status = 2 ] && grep -qF "none.ini: No such file or directory" "$tmp/err"
ok $? "no file"
printf '%s' "$good" >"$tmp/x.ini"
run "$tmp/x.ini" -n -D y=1
[ $status = 2 ] && grep -qF -- "-D y: [parameters] has no such name" "$tmp/err"
ok $? "-D of no parameter"
run "$tmp/x.ini"
[ $status = 2 ] && grep -qF -- "--output RECORD is missing" "$tmp/err"
ok $? "no --output"
run "$tmp/x.ini" -n --seed x
[ $status = 2 ] && grep -qF -- "--seed x: valid are 0 .. 9223372036854775807" "$tmp/err"
ok $? "--seed"

snapshot >"$tmp/after"
cmp -s "$tmp/before" "$tmp/after"
ok $? "nothing was changed"

for path in /sys/.. /proc/../x /sys/a/../b; do
	bad "sysfs of $path" 8 "${good}sysfs = $path -> 1
" "[variant a] sysfs: \"$path\" is no path below /sys/ or /proc/"
done
printf '%ssysfs = /sys/.?/nothing -> 1\n' "$good" >"$tmp/x.ini"
: >"$root/nothing"
run "$tmp/x.ini" -n
[ "$status" = 0 ] && grep -qF 'sysfs /sys/.?/nothing: 1: no such file' "$tmp/out"
ok $? "a pattern doesn't lead out of /sys either"
rm "$root/nothing"
bad "nice of a workqueue with a fraction" 8 "${good}workqueue = a -> nice=0.5
" '[variant a] workqueue: "nice=0.5": nice is -20 .. 19'
bad "an attribute of a workqueue twice" 8 "${good}workqueue = a -> nice=1 affinity_strict=1 nice=2
" '[variant a] workqueue: "nice=1" and "nice=2": once each'

# few REPETITIONS LINES-OF-VARIANTS WORDS: what is said of few repetitions
few()
{
	printf '%s%s' "$good" "$2" | sed "s/^repetitions.*/repetitions = $1/" >"$tmp/x.ini"
	run "$tmp/x.ini" -n
	if [ "$3" ]; then grep -qF -- "$3" "$tmp/err"; else [ ! -s "$tmp/err" ]; fi
	ok $? "$1 repetitions: ${3:-nothing is said}"
}
matrix='[matrix]
x = 1 2 3 4 5 6
[variant x%{x}]
'
few 3 '[variant b]
' "that can't show any difference: p is at least 0.1; it takes 4"
few 4 '[variant b]
' 'that can show a difference only if all figures of a variant are beyond all of the other one (p 0.029)'
few 4 "$matrix" "that can't show any difference: p is at least 0.029, corrected for 6 comparisons 0.17; it takes 5"
few 5 "$matrix" ''
few 5 "${matrix}[variant b]
" "p is at least 0.0079, corrected for 7 comparisons 0.056; it takes 6"

bad "a metric that every run has" 8 "${good}[metric p_system]
pattern = (.)
" '[metric p_system] every run has a metric of that name already'
bad "a metric that fio has" 5 '[load]
fio = run-parse.sh
[metric m]
pattern = (.)
[metric iops]
pattern = (.)
[variant a]
' "[metric iops] is a metric of fio's already"

# refused WORDS ARG...: exit 2, and nothing is written
refused()
{
	words=$1
	shift
	run "$@"
	[ "$status" = 2 ] && grep -qF -- "$words" "$tmp/err" && [ ! -s "$tmp/out" ] && [ ! -e "$tmp/r.json" ]
	ok $? "refused: $words"
}
printf '[load]\nfio = x.fio nojob.fio\n[variant a]\n' >"$tmp/x.ini"
: >"$tmp/x.fio"
refused "x.ini: variant a: fio: $tmp/nojob.fio: No such file" "$tmp/x.ini" -o "$tmp/r.json"
printf '%s[parameters]\np = 1\n' "$good" >"$tmp/x.ini"
refused 'it is no UTF-8' "$tmp/x.ini" -D "$(printf 'p=\377')" -o "$tmp/r.json"
run "$tmp/x.ini" -n -D "p=$(printf '\303\251')"
ok $status "-D with UTF-8"
"$NUMAIO" run --sysroot "$root" "$tmp/x.ini" -n >/dev/full 2>"$tmp/err"
[ $? = 1 ] && grep -q 'No space left' "$tmp/err"
ok $? "a dry run that can't be printed fails"

refused '--restore needs only the record' --restore "$tmp/x.ini" --seed 1

# What numaio run takes, numaio report takes: odd names of files, large figures.
odd=$(printf '%s/\377 "x"\n.ini' "$tmp")
printf '%s' "$good" | sed 's/^command.*/command = echo m=7/' >"$odd"
run "$odd" -o "$tmp/r.json" -r 4
[ "$status" = 0 ] && "$NUMAIO" report "$tmp/r.json" >/dev/null &&
	jq -e '(.experiment.file | contains("? \"x\"")) and (.experiment.name | startswith("?"))' "$tmp/r.json" >/dev/null
ok $? "a file whose name is no UTF-8"
rm -f "$tmp"/r.json*
for figure in 1e99 1e101; do
	printf '%s' "$good" | sed "s/^command.*/command = echo m=$figure/; s/^pattern.*/pattern = m=(.*)/" >"$tmp/x.ini"
	run "$tmp/x.ini" -o "$tmp/r.json" -r 4
	expected=0
	[ $figure = 1e99 ] || expected=1
	[ "$status" = $expected ] && "$NUMAIO" report "$tmp/r.json" >/dev/null
	ok $? "figure $figure: the run ends with $expected, and the record can be read"
	rm -f "$tmp"/r.json*
done
plan
