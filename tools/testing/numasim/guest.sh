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

# count_interrupts PATTERN before|after: which nodes served those whose line in
# /proc/interrupts has PATTERN, as NODE:PERCENT,...
count_interrupts()
{
	grep -F "$1" /proc/interrupts >/run/out/interrupts-"$2" || fail "no interrupt $1"
	[ "$2" = after ] || return 0
	for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		echo "${cpu##*cpu} $(basename "$cpu"/node[0-9]*)"
	done | awk '
		FILENAME == "-" { node[$1] = substr($2, 5); cpus++; next }
		{ for (i = 2; i < cpus + 2; i++) sum[node[i - 2]] += FILENAME ~ /after$/ ? $i : -$i }
		END {
			for (n = 0; n < 64; n++) all += sum[n]
			for (n = 0; n < 64; n++)
				if (sum[n] > 0)
					out = out (out ? "," : "") n ":" int(100 * sum[n] / all + .5)
			print out ? out : "none"
		}' - /run/out/interrupts-before /run/out/interrupts-after >/run/out/interrupts
}
