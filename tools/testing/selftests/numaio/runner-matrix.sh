#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# runner-matrix.sh NUMAIO: the experiment matrix-4x4 in the guest, on megaraid_sas (vmrun -d megasas@2).
# The load reads for itself where the host and its interrupt are and where it runs.
. "$(dirname "$0")/runner.inc"
modprobe megaraid_sas || fail "no megaraid_sas"
wait_for test -b /dev/sda
[ -b /dev/sda ] || { echo "ok 1 matrix-4x4 # SKIP no disk: use vmrun -d megasas@2"; echo "1..1"; exit 4; }

cat >"$tmp/load" <<END
#!/bin/sh
i=0
until [ -b /dev/sda ] || [ \$i = 50 ]; do
	sleep 0.2
	i=\$((i + 1))
done
echo "host \$(cat /sys/class/scsi_host/host*/numa_node) load \$(taskset -pc \$\$ | sed 's/.*: //; s/-/,/')" \
	>$tmp/seen-\$NUMAIO_VARIANT
dd if=/dev/sda of=/dev/null bs=4k count=100 iflag=direct 2>/dev/null && echo n=100
END
chmod +x "$tmp/load"
before="$(cat /sys/class/scsi_host/host*/numa_node) $(cat /sys/module/megaraid_sas/parameters/numa_node)"
sed -e "s|^fio = .*|command = $tmp/load|" -e '/^args/d' -e '/^settle/d' -e 's/^warm_up = .*/warm_up = 0/' \
	"$(dirname "$0")/../../../numaio/experiments/matrix-4x4.ini" >"$tmp/x.ini"
cat >>"$tmp/x.ini" <<-END
	[metric n]
	pattern = n=([0-9]+)
END
run "$tmp/x.ini" -o "$r" -r 1
[ "$status" = 0 ] && record '.state == "complete" and ([.runs[] | select(.state == "ok")] | length) == 17 and
	([.variants[].settings[] | select(.state != "set")] == [])'
ok $? "17 variants, all settings are set"
record '[.runs[].marks[]] == []'
ok $? "no run is marked"
for s in 0 1 2 3; do
	for a in 0 1 2 3; do
		[ "$(cat "$tmp/seen-s$s-a$a")" = "host $s load $((2 * a)),$((2 * a + 1))" ]
		ok $? "structures on node $s, application on node $a: the load reads so itself"
	done
done
record '[.runs[] | select(.interrupts | map(select(.per_node | add > 50)) | length > 0)] | length == 17'
ok $? "each run has the controller's interrupts, by node"
[ "$(cat /sys/class/scsi_host/host*/numa_node) $(cat /sys/module/megaraid_sas/parameters/numa_node)" = "$before" ]
ok $? "after the end the driver is loaded as before"
"$numaio" report "$r" >"$tmp/report" 2>&1
grep -qi "emulated" "$tmp/report"
ok $? "the report says that the CPU is emulated"
echo "1..$tests"
