# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Sourced by the tests of this directory: they report with result, and end with
# "1..$nr" and [ $failed -eq 0 ].
nr=0
failed=0

result()	# STATUS NAME
{
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr $2"
	else
		echo "not ok $nr $2"
		failed=$((failed + 1))
	fi
}
