# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# What the I/Os since affinity-each.sh took, warm-up included, for each: inter-processor
# interrupts (calls and reschedules), switches of tasks; where they completed, seen from
# the submitter, if the kernel counts that; and what share of the time of all CPUs the kernel took.
# shellcheck disable=SC2154 # what affinity-each.sh and numasim-bench set

cat /proc/interrupts /proc/stat >/run/after
ios=$(($(awk '{ print $1 }' /sys/block/sda/stat) - reads))
{
	[ ! -e "$completions" ] || { echo 0 >"$completions"; cat "$completions"; }
	cat /run/before
	echo after
	cat /run/after
} | awk -v ios=$ios '
	/^cpu=/ {
		for (i = 1; i <= NF; i++) {
			split($i, pair, "=")
			where[pair[1]] = pair[2]
		}
		next
	}
	$1 == "after" { after = 1 }
	{ sign = after ? 1 : -1 }
	$1 == "CAL:" || $1 == "RES:" { for (i = 2; $i ~ /^[0-9]+$/; i++) ipi += sign * $i }
	$1 == "ctxt" { switches += sign * $2 }
	$1 == "cpu" {
		system_ticks += sign * ($4 + $7 + $8)
		for (i = 2; i <= 9; i++) ticks += sign * $i
	}
	END {
		if (ios <= 0)
			exit 1
		if ("cpu" in where) {
			completed = where["cpu"] + where["node"] + where["elsewhere"]
			if (!completed)
				exit 1
			printf "on_cpu %.4f on_node %.4f elsewhere %.4f ", where["cpu"] / completed,
			       where["node"] / completed, where["elsewhere"] / completed
		}
		printf "ipi %.4f switches %.4f system%% %.2f\n", ipi / ios, switches / ios,
		       ticks ? 100 * system_ticks / ticks : 0
	}' >"${counts:?}" || fail "no completion was counted"
