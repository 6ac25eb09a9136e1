# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# KTAP output for tests written in bash. Each test is a function that runs in a subshell of
# its own under "set -e", in an empty directory; what it printed is shown when it fails.
#
#   tests=(name...); run_tests

run_tests() {
	local name n=0 failed=0 top dir rc
	top=$(mktemp -d "${TMPDIR:-/tmp}/numaio-test.XXXXXX")
	chmod 755 "$top"
	# shellcheck disable=SC2064  # now, while top is known
	trap "rm -rf '$top'" EXIT
	[ $# -eq 0 ] || tests=("$@")
	echo "KTAP version 1"
	echo "1..${#tests[@]}"
	for name in "${tests[@]}"; do
		n=$((n + 1))
		dir=$top/$name
		mkdir "$dir"
		(
			set -euo pipefail
			cd "$dir"
			"test_$name"
		) >"$top/log" 2>&1 </dev/null
		rc=$?
		case $rc in
		0) echo "ok $n $name" ;;
		4) echo "ok $n $name # SKIP $(tail -n 1 "$top/log")" ;;
		*)
			failed=$((failed + 1))
			sed 's/^/# /' "$top/log"
			echo "not ok $n $name" ;;
		esac
		rm -rf "$dir"
	done
	[ "$failed" -eq 0 ]
}

fail() { echo "failed: $*"; exit 1; }

# expect_fail TEXT COMMAND...: COMMAND exits with 1 and says TEXT.
expect_fail() {
	local text=$1 out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	printf '%s\n' "$out"
	[ "$rc" -eq 1 ] || fail "$* exited with $rc, not 1"
	says "$text" "$out"
}

# says TEXT OUTPUT: OUTPUT has TEXT somewhere.
says() {
	case $2 in
	*"$1"*) ;;
	*) fail "the output does not say '$1': $2" ;;
	esac
}

same() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }
