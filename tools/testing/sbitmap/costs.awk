# SPDX-License-Identifier: GPL-2.0-only
#
# awk -v cc=VERSION -f costs.awk base.out flat.out spread.out: from what
# callgrind counted of "count", a table of costs per operation, and in KTAP whether the
# flat layout costs at most one instruction more per word than unpatched, and no further
# cache line. Events: Ir Dr Dw I1mr D1mr D1mw.

# What another compiler makes of the same source is no failure of it.
BEGIN { known = cc == 12 }
FNR == 1 { arm = FILENAME; sub(/.*\//, "", arm); sub(/\.out$/, "", arm) }
/^desc: Trigger: Client Request:/ {
	op = $5; words[op] = $6; nr = $7
	if (arm == "base")
		ops[++nops] = op
}
/^fn=/ { fn = substr($0, 4) }
/^calls=/ { getline; next }
# The callers' own instructions are those of the test.
/^[0-9]/ && fn != "main" && op != "" {
	instr[arm, op] += $2 / nr
	loads[arm, op] += $3 / nr
	lines[arm, op] += ($6 + $7) / nr
	by[arm, op, fn] += $2 / nr
	fns[fn] = 1
}

function blame(op,   fn, text, d) {
	for (fn in fns) {
		d = by["flat", op, fn] - by["base", op, fn]
		if (d > 0.005 || d < -0.005)
			text = text sprintf(" %s %+.2f", fn, d)
	}
	return text
}

function three(what, op) {
	return sprintf("%8.2f %8.2f %8.2f |", what["base", op], what["flat", op], what["spread", op])
}

END {
	head = sprintf("%8s %8s %8s |", "base", "flat", "spread")
	print "KTAP version 1"
	print "1.." 2 * (nops - 1)
	printf "# %-26s | %-26s | %-26s | %-26s |\n", "per operation", "instructions", "loads", "cache lines (cold)"
	printf "# %-26s |%s%s%s\n", "", head, head, head
	for (i = 2; i <= nops; i++) {
		op = ops[i]
		printf "# %-26s |%s%s%s\n", op, three(instr, op), three(loads, op), three(lines, op)
	}
	for (i = 2; i <= nops; i++) {
		op = ops[i]
		more = instr["flat", op] - instr["base", op]
		print "# " op ": by function" blame(op)
		over = more - words[op]
		ok = over <= 0.005 || !known
		if (over > 0.005)
			print "# " op ": BEYOND one instruction per word by " sprintf("%.2f", over)
		printf "%s %d %s: %+.2f instructions for %d words%s\n", ok ? "ok" : "not ok", ++n, op, more, words[op],
			(over > 0.005 && !known ? " # SKIP the limit is for gcc 12, this is gcc " cc : "")
		bad += !ok
		more = lines["flat", op] - lines["base", op]
		ok = more < 0.05
		printf "%s %d %s: %+.2f cache lines\n", ok ? "ok" : "not ok", ++n, op, more
		bad += !ok
	}
	exit bad > 0
}
