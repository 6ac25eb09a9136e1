#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# numaio report: what it prints of stored records, its errors, its pictures. NUMAIO is the
# binary; UPDATE=1 writes the expected output anew, which is then to be read in the diff.
set -u
export LC_ALL=C
cd "$(dirname "$0")/report" || exit 1
NUMAIO=${NUMAIO:?the binary}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n $2"; else echo "not ok $n $2"; fi
}

skip() {
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# golden NAME ARG...: output and expected/NAME are the same.
golden() {
	local name=$1
	shift
	"$NUMAIO" report "$@" >"$tmp/out" 2>&1 || echo "exit $?" >>"$tmp/out"
	[ "${UPDATE:-}" ] && cp "$tmp/out" "expected/$name"
	# Versions of libsmartcols differ in spaces at the end of a line.
	diff -u <(sed 's/ *$//' "expected/$name") <(sed 's/ *$//' "$tmp/out") >"$tmp/diff"
	result $? "prints $name"
	sed 's/^/# /' "$tmp/diff"
}

# fails EXIT TEXT ARG...: one line on stderr that holds TEXT, nothing on stdout.
fails() {
	local code=$1 text=$2 rc
	shift 2
	"$NUMAIO" report "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[ $rc = "$code" ] && [ ! -s "$tmp/out" ] && grep -qF -- "$text" "$tmp/err" &&
		{ [ "$code" = 2 ] || [ "$(wc -l <"$tmp/err")" = 1 ]; }
	result $? "exit $code: $text"
	[ $rc = "$code" ] || sed "s/^/# exit $rc: /" "$tmp/err"
}

# malformed TEXT SED: small.json so edited is refused with that TEXT.
malformed() {
	sed "$2" small.json >"$tmp/edited.json"
	if cmp -s small.json "$tmp/edited.json"; then
		result 1 "$1: the edit changes nothing"
	else
		fails 1 "$tmp/edited.json: $1" "$tmp/edited.json"
	fi
}

# column NAME VARIANT ARG...: a field of the CSV of the metric iops.
column() {
	local name=$1 variant=$2
	shift 2
	"$NUMAIO" report -o csv "$@" | awk -F, -v name="$name" -v variant="$variant" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) col = i }
		$1 == "iops" && $3 == variant { print $col }'
}

# is WHAT IS SHALL
is() {
	[ "$2" = "$3" ]
	result $? "$1"
	[ "$2" = "$3" ] || echo "# \"$2\" instead of \"$3\""
}

for form in text markdown csv json; do
	golden "full.$form" -o "$form" full.json
	golden "emulated.$form" -o "$form" emulated.json
done
golden small.text small.json
golden matrix.text matrix.json
golden matrix.markdown -o markdown matrix.json
golden srp-1.text srp-1.json
golden srp-2.text srp-2.json --against srp-1.json
golden srp-2.csv -o csv srp-2.json --against srp-1.json
golden srp-2.json -o json srp-2.json --against srp-1.json
golden latency.text full.json --metric clat_p99 --baseline nice

# The published figures: 399385 and 392238 differ by 1.8 %, which is noise.
is "srp: 1.8 % is no difference" "$(column verdict pin4 srp-2.json --against srp-1.json)" \
	"no difference shown"
runs=$(column runs_needed pin4 srp-2.json --against srp-1.json)
[ "${runs:-0}" -gt 3 ]
result $? "srp: more than 3 runs are needed to show it"
"$NUMAIO" report -o csv srp-1.json | grep -qE ',(better|worse),'
result $((! $?)) "srp: 3 runs show nothing better or worse"
is "srp: 12 % with 3 runs" "$(column verdict pin4 srp-1.json)" "too few runs"
is "srp: 1.6 % to another variant" "$(column verdict pin5 srp-1.json --baseline pin4)" \
	"no difference shown"

best=$("$NUMAIO" report -o csv srp-1.json --baseline pin5 | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ratio") col = i }
	$3 == "pin4" { printf "%.1f", 100 * ($col - 1) }')
tr '\n' ' ' <../../experiments/srp-target.rst | grep -qF "best looked $best % better than the next"
result $? "srp-target.rst says by how much the best one was better: $best %"

# Which of two records a remark is about.
"$NUMAIO" report small.json --against small.json >"$tmp/out"
grep -qF '* all variants: irqbalance' "$tmp/out" && grep -qF '* all variants (small.json): irqbalance' "$tmp/out" &&
	grep -qF '* a (small.json): tag_placement' "$tmp/out"
result $? "remarks of the other record name it"

# Options.
sed 's/spread, IRQ pinned/pinned/' full.json >"$tmp/pinned.json"
is "2.1 % with the usual minimum" "$(column verdict pinned "$tmp/pinned.json")" \
	"no difference shown"
is "2.1 % with 2 %" "$(column verdict pinned "$tmp/pinned.json" --min-effect 2)" better
is "the baseline is compared with another" "$(column base flat full.json --baseline nice)" nice
is "and better than that" "$(column verdict flat full.json --baseline nice)" better
sed 's/"better": "higher"/"better": "none"/' full.json >"$tmp/none.json"
is "no direction" "$(column verdict spread "$tmp/none.json")" "no direction: no verdict"
sed 's/"baseline": true/"baseline": false/' full.json >"$tmp/nobase.json"
is "no baseline" "$(column verdict spread "$tmp/nobase.json")" "no baseline"
sed 's/"emulated_cpu": false/"emulated_cpu": true/' srp-1.json >"$tmp/emulated.json"
is "against an emulated CPU" "$(column verdict pin4 srp-2.json --against "$tmp/emulated.json")" \
	"emulated: no verdict"

is "p is 0.015, but one of 16" \
	"$(column verdict 'structures=1 application=2' matrix.json --min-effect 2)" "no difference shown"

# generated N AWK: N runs of each side, whose figures the expression makes of side and run.
generated() {
	awk -v n="$1" 'BEGIN {
		print "{ \"schema\": 1, \"experiment\": { \"name\": \"x\" }, \"state\": \"complete\","
		print "\"environment\": { \"emulated_cpu\": false },"
		print "\"metrics\": [{ \"name\": \"iops\", \"better\": \"higher\", \"primary\": true }],"
		print "\"variants\": [{ \"name\": \"a\" }, { \"name\": \"b\", \"baseline\": true }], \"runs\": ["
		for (i = 0; i < 2 * n; i++) {
			a = i < n; run = i % n
			printf "{ \"variant\": \"%s\", \"state\": \"ok\", \"metrics\": { \"iops\": %s } }%s\n",
				a ? "a" : "b", '"$2"', i < 2 * n - 1 ? "," : "] }"
		}
	}' >"$tmp/generated.json"
}

generated 31 '(a ? (run < 16 ? 10 : 0) : (run < 16 ? 9 : 11))'
is "medians and ranks disagree" "$(column verdict a "$tmp/generated.json")" "no difference shown"
"$NUMAIO" report "$tmp/generated.json" | grep -q "medians and ranks don't agree"
result $? "and that is said"
generated 60 'run + 1 + (a ? 20 : 0)'
is "exact with 120 runs" "$(column p_method a "$tmp/generated.json")" exact
generated 61 'run + 1 + (a ? 20 : 0)'
is "approximated with 122 runs" "$(column p_method a "$tmp/generated.json")" normal
is "which is better" "$(column verdict a "$tmp/generated.json")" better
"$NUMAIO" report "$tmp/generated.json" |
	grep -q 'p is by the normal approximation, corrected for ties: more than 120 runs'
result $? "and that is said"
generated 10 '0'
is "only zeros" "$(column verdict a "$tmp/generated.json")" "no difference shown"

# Nothing of an emulated CPU's throughput is printed, in no form.
grep -o '"iops": [0-9.]*' emulated.json | sed 's/"iops": //; s/\..*//' | sort -u >"$tmp/figures"
for form in text markdown csv json; do
	"$NUMAIO" report -o $form emulated.json >"$tmp/out"
	[ -s "$tmp/figures" ] && ! grep -qFf "$tmp/figures" "$tmp/out" &&
		grep -q "emulated: no verdict" "$tmp/out"
	result $? "emulated: no figure of throughput in $form"
done

# What a reader doesn't know it ignores.
sed 's/"schema": 1,/&\n "later": { "a": [1] },/; s/"block": 0,/& "later": null,/' small.json >"$tmp/small.json"
(cd "$tmp" && "$NUMAIO" report small.json) >"$tmp/out" && diff expected/small.text "$tmp/out" >/dev/null
result $? "unknown keys are ignored"

sed 's/"cell"/"variables"/' matrix.json >"$tmp/matrix.json"
(cd "$tmp" && "$NUMAIO" report matrix.json) >"$tmp/out" && diff expected/matrix.text "$tmp/out" >/dev/null
result $? "variables are a cell"

# Nodes needn't be dense; what a terminal would obey isn't printed.
sed 's/"node": 1,/"node": 2,/; s/"per_node": \[0, 5\]/"per_node": [1, 0, 5]/' small.json >"$tmp/sparse.json"
"$NUMAIO" report "$tmp/sparse.json" | grep -A1 '^VARIANT *ALL' | tr -s ' ' >"$tmp/out"
printf 'VARIANT ALL NODE 0 NODE 2\nflat 6 1 (16.7%%) 5 (83.3%%)\n' | diff - "$tmp/out" >/dev/null
result $? "nodes 0 and 2"
sed 's/"name": "small"/"name": "x\\u001b[2J\\u009b2J\\u00e9"/; s/"name": "b"/"name": "\\u001b\\u009b\\u00e9"/
	s/"variant": "b"/"variant": "\\u001b\\u009b\\u00e9"/' small.json >"$tmp/escape.json"
for locale in C C.UTF-8; do
	LC_ALL=$locale "$NUMAIO" report "$tmp/escape.json" >"$tmp/out" && head -1 "$tmp/out" | grep -q '^x?\[2J?.2J' &&
		! grep -q "$(printf '\033\|\302\233')" "$tmp/out"
	result $? "no escapes, $locale"
done
LC_ALL=C.UTF-8 "$NUMAIO" report "$tmp/escape.json" | grep -q 'x1b.*é'
result $? "names in UTF-8"

# Errors name the file, the place, what is there and what was expected.
malformed 'schema: 2, expected 1 to 1' 's/"schema": 1/"schema": 2/'
malformed 'schema: missing, expected a number' 's/"schema": 1,//'
malformed 'schema: a string, expected a number' 's/"schema": 1/"schema": "1"/'
malformed 'runs[2].metrics.iops: a string, expected a number' 's/"iops": 1200,/"iops": "1200",/'
malformed 'runs[2].metrics.iops: 1e+200, expected a number from -1e+100 to 1e+100' \
	's/"iops": 1200,/"iops": 1e200,/'
sed 's/"iops": 1200,/"iops": 1e999,/' small.json >"$tmp/large.json"
fails 1 "large.json:$(grep -n 1e999 "$tmp/large.json" | cut -d: -f1):171: real number overflow" \
	"$tmp/large.json"
malformed 'runs[0].variant: "c", expected the name of a variant' '0,/"variant": "flat"/s//"variant": "c"/'
malformed 'runs[0].state: "fine", expected one of: ok failed interrupted' \
	'0,/"state": "ok"/s//"state": "fine"/'
malformed 'runs[0].warm_up: a number, expected true or false' '0,/"warm_up": true/s//"warm_up": 1/'
malformed 'runs[0].marks: a string, expected an array' '0,/}\], "marks": \[\]/s//}], "marks": "x"/'
malformed 'runs[0].interrupts[0].per_node[1]: -5, expected a number from 0 to 1e+100' \
	'0,/"per_node": \[0, 5\]/s//"per_node": [0, -5]/'
malformed 'metrics[0].better: "more", expected one of: higher lower none' 's/"higher"/"more"/'
malformed 'variants[2].name: "a" a second time' 's/"name": "b"/"name": "a"/'
malformed 'variants[1].baseline: true, but "flat" is the baseline' 's/"baseline": false/"baseline": true/'
malformed 'variants[1].settings[0].state: "no", expected one of: set differs refused' \
	's/"state": "refused"/"state": "no"/'
malformed 'environment.emulated_cpu: missing, expected true or false' 's/"emulated_cpu": false,//'
malformed 'environment.nodes[0].node: -1, expected 0 to 1023' 's/"node": 0,/"node": -1,/'
malformed 'variants[1].cell.x: null, expected a string' '0,/"x": "1"/s//"x": null/'
malformed 'state: "done", expected one of: running complete interrupted failed' \
	's/"state": "interrupted"/"state": "done"/'
head -c 500 small.json >"$tmp/short.json"
fails 1 "$tmp/short.json:" "$tmp/short.json"
: >"$tmp/empty.json"
fails 1 "$tmp/empty.json:1:0:" "$tmp/empty.json"
echo '[]' >"$tmp/array.json"
fails 1 "$tmp/array.json: the document: an array, expected an object" "$tmp/array.json"
echo '{"schema": 1, "schema": 1}' >"$tmp/twice.json"
fails 1 'duplicate object key near' "$tmp/twice.json"
fails 1 "$tmp/none: No such file or directory" "$tmp/none"
fails 1 "$tmp: Is a directory" "$tmp"
fails 1 "$tmp/none: No such file or directory" small.json --against "$tmp/none"
fails 2 'small.json: no metric "lat"' small.json --metric lat
fails 2 'small.json: no variant "c"' small.json --baseline c
fails 2 'srp-1.json: no variant "c"' small.json --against srp-1.json --baseline c
fails 2 '-o xml: the format must be text, json, csv or markdown' small.json -o xml
fails 2 '--min-effect 3%: valid are 0 .. 100' small.json --min-effect 3%
fails 2 'which RESULT?'
fails 2 'one RESULT, not also "full.json"' small.json full.json
fails 2 'unrecognized option' small.json --bogus
"$NUMAIO" report --help >"$tmp/out" && grep -q -- --against "$tmp/out"
result $? "--help"
for form in text markdown csv json; do
	"$NUMAIO" report -o $form small.json >/dev/full 2>"$tmp/err"
	[ $? = 1 ] && grep -q 'standard output: No space left on device' "$tmp/err"
	result $? "a full disk, $form"
done

# Pictures.
mkdir "$tmp/bin"
printf '#!/bin/sh\ncat >%s/script\nexit 3\n' "$tmp" >"$tmp/bin/gnuplot"
chmod +x "$tmp/bin/gnuplot"
PATH=$tmp/bin:$PATH "$NUMAIO" report matrix.json --plot "$tmp/p" >/dev/null 2>"$tmp/err"
[ $? = 1 ] && grep -q 'gnuplot failed' "$tmp/err"
result $? "gnuplot fails"
"$NUMAIO" report emulated.json --plot "$tmp/e" >/dev/null 2>"$tmp/err"
[ $? = 4 ] && grep -q 'emulated: no picture' "$tmp/err" && [ ! -e "$tmp/e-iops.png" ]
result $? "no picture of an emulated CPU"
mkdir "$tmp/nothing"
PATH=$tmp/nothing "$NUMAIO" report small.json --plot "$tmp/p" >/dev/null 2>"$tmp/err"
[ $? = 4 ] && grep -q 'gnuplot: No such file' "$tmp/err"
result $? "without gnuplot"

if ! command -v gnuplot >/dev/null; then
	skip "pictures" "no gnuplot"
else
	"$NUMAIO" report matrix.json --plot "$tmp/m" >/dev/null 2>"$tmp/err"
	result $? "pictures of a matrix"
	sed 's/^/# /' "$tmp/err"
	for f in m-iops m-iops-matrix; do
		[ "$(head -c 4 "$tmp/$f.png" | tail -c 3)" = PNG ] && [ "$(wc -c <"$tmp/$f.png")" -gt 5000 ]
		result $? "$f.png"
		grep -q '^</svg>' "$tmp/$f.svg" && grep -q 'structures and application by node' "$tmp/$f.svg"
		result $? "$f.svg"
	done
	grep -c '<text>structures=[0-3] application=[0-3]</text>' "$tmp/m-iops.svg" >"$tmp/bars"
	is "a bar for each cell" "$(cat "$tmp/bars")" 16
	is "a field for each cell" "$(grep -cE '<text>[+-][0-9.]+ %</text>' "$tmp/m-iops-matrix.svg")" 16
	"$NUMAIO" report srp-2.json --against srp-1.json --plot "$tmp/s" >/dev/null 2>"$tmp/err" &&
		grep -q 'the other record' "$tmp/s-iops.svg"
	result $? "picture of two records"
	# Names in a record are no commands.
	sed "s|\"name\": \"a\"|\"name\": \"'\`touch $tmp/evil1\`\\\\\"\\\\nEOD\\\\nsystem('touch $tmp/evil2')\"|
		s|\"variant\": \"a\"|\"variant\": \"'\`touch $tmp/evil1\`\\\\\"\\\\nEOD\\\\nsystem('touch $tmp/evil2')\"|
		s|\"name\": \"small\"|\"name\": \"'; system('touch $tmp/evil3') \`touch $tmp/evil4\`\"|" \
		small.json >"$tmp/evil.json"
	"$NUMAIO" report "$tmp/evil.json" --plot "$tmp/it's" >/dev/null 2>"$tmp/err" &&
		[ -s "$tmp/it's-iops.png" ] && ! ls "$tmp"/evil? >/dev/null 2>&1
	result $? "names are no commands"
	sed 's/^/# /' "$tmp/err"
fi
echo "1..$n"
