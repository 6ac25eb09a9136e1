# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# Sourced in the guest by the script that numasim-bench writes for a run.
# Whatever does not take effect ends the run: 1 is a failure, 4 means that this
# kernel cannot do it.

fail()
{
	echo "$*" >&2
	exit 1
}

skip()
{
	echo "$*" >&2
	exit 4
}

wait_for()	# PATH
{
	i=0
	while [ ! -e "$1" ]; do
		i=$((i + 1))
		[ $i -le 100 ] || fail "$1 did not appear within 10 s"
		sleep 0.1
	done
}

# load_module NAME PARAMS...: unknown parameters are an error, not ignored
load_module()
{
	module=$1
	shift
	modprobe "$module" "$@" || fail "modprobe $module $* failed"
	for param in "$@"; do
		[ -e "/sys/module/$module/parameters/${param%%=*}" ] ||
			skip "this kernel's $module has no parameter ${param%%=*}"
	done
}

# set_value PATH VALUE: written and read back
set_value()
{
	wait_for "$1"
	echo "$2" >"$1" || fail "$1 refuses $2"
	now=$(cat "$1")
	case "$now" in
	"$2" | *"[$2]"*) ;;
	*) fail "$1: wrote $2, reads $now" ;;
	esac
}

# place PLACEMENT DEVICE...: where the queue offers it; and note what is in force then,
# not what was asked for.
place()
{
	how=$1
	shift
	for dev in "$@"; do
		file=/sys/block/${dev#/dev/}/queue/tag_placement
		if [ ! -e "$file" ]; then
			[ "$how" != spread ] || skip "this kernel has no tag_placement"
			continue
		fi
		case $(cat "$file") in
		*spread*) [ -z "$how" ] || set_value "$file" "$how" ;;
		esac
		sed 's/.*\[\(.*\)\].*/\1/' "$file" >>/run/out/placements
	done
	[ ! -e /run/out/placements ] ||
		sort -u /run/out/placements | tr '\n' ' ' >/run/out/placement
}
