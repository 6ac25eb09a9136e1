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

# load_module NAME PARAMS...: unknown parameters are an error, not ignored. Without
# the parameter, flat is what there is.
load_module()
{
	module=$1
	shift
	modprobe "$module" "$@" || fail "modprobe $module $* failed"
	for param in "$@"; do
		file=/sys/module/$module/parameters/${param%%=*}
		[ -e "$file" ] || [ "$param" = tag_placement=flat ] || skip "this kernel's $module has no parameter ${param%%=*}"
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

# What is in force, not what was asked for.
note_placement()	# DEVICE...
{
	for dev in "$@"; do
		file=/sys/block/${dev#/dev/}/queue/tag_placement
		[ -e "$file" ] || continue
		sed 's/.*\[\(.*\)\].*/\1/' "$file"
	done | sort -u | tr '\n' ' ' >/run/out/placement
}
