#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Command lines of show and capture, and what they make of a machine that is not as it should be.
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=show-ktap.inc
. ./show-ktap.inc

refused "show: a disk that isn't there" 'no disk or SCSI host "nosuch"; there are:' show nosuch
refused "show: a path is no disk" 'no disk or SCSI host "/dev/../etc"' show /dev/../etc
refused "show: an empty name" 'no disk or SCSI host ""' show ""
refused "show: a format" '-o xml: the format must be text or json' show -o xml
refused "show: no captured tree" "--sysroot $tmp: No such file or directory" show --sysroot "$tmp"
refused "show: no directory" "--sysroot $tmp/no: No such file" show --sysroot "$tmp/no"
refused "show: an option" "unrecognized option '--nosuch'" show --nosuch
refused "capture: no directory" "which directory?" capture
refused "capture: two directories" 'one directory, not also "b"' capture a b
echo >"$tmp/file"
refused "capture: a file" "$tmp/file: Not a directory" capture "$tmp/file"
refused "capture: no parent" "$tmp/no/dir: No such file" capture "$tmp/no/dir"
mkdir "$tmp/full"
echo kept >"$tmp/full/x"
refused "capture: a directory that isn't empty" "$tmp/full: Directory not empty" capture "$tmp/full"
name="and it is as it was"
ok "$(ls -A "$tmp/full") $(cat "$tmp/full/x")" = "x kept"

# What doesn't move from one moment to the next is the same in a capture of this machine.
steady()
{
	awk 'NF == 0 { skip = 0 } /^(Interrupts|Workqueues|Work items|iSCSI tasks)/ { skip = 1 } !skip'
}
numaio capture "$tmp/tree"
name="capture of this machine"
ok "$code $(wc -c <"$tmp/err")" = "0 0"
name="its head"
ok "$(head -n 1 "$tmp/tree/numaio-capture")" = "# numaio capture 1"
numaio show
steady <"$tmp/out" >"$tmp/live"
numaio show --sysroot "$tmp/tree"
steady <"$tmp/out" >"$tmp/captured"
name="shows what the machine does"
diff "$tmp/live" "$tmp/captured" >"$tmp/err"
ok "$code $? $(grep -c '^Nodes$' "$tmp/live")" = "0 0 1"
name="partitions are names in it, too"
ok "$(ls "$tmp/tree/sys/class/block")" = "$(ls /sys/class/block)"
name="has only text, directories and links"
ok "$(find "$tmp/tree" ! -type f ! -type d ! -type l | wc -l)" = 0
name="no link in it is absolute, or leads out of it"
ok "$(find "$tmp/tree" -type l | while read -r l; do
	case $(readlink "$l") in /*) echo absolute ;; esac
	case $(realpath -m "$l") in "$(realpath "$tmp/tree")"/*) ;; *) echo "$l" ;; esac
done)" = ""
mkdir "$tmp/empty"
chmod 2755 "$tmp/empty"
numaio capture "$tmp/empty"
name="into a directory that is empty, whose mode stays"
ok "$code $(stat -c %a "$tmp/empty")" = "0 2755"

# Nothing but /sys: neither nodes nor disks.
mkdir -p "$tmp/bare/sys"
numaio show --sysroot "$tmp/bare"
name="a kernel without anything"
ok "$code $(grep -c 'a kernel without CONFIG_NUMA' "$tmp/out")" = "0 1"
numaio show --sysroot "$tmp/bare" -o json
name="is valid JSON, too"
ok "$code $(head -c 1 "$tmp/out") $(tail -n 1 "$tmp/out")" = "0 { }"
printf '# numaio capture 1\nEACCES /sys/kernel/debug\n' >"$tmp/bare/numaio-capture"
mkdir -p "$tmp/bare/sys/kernel/debug"
numaio show --sysroot "$tmp/bare"
name="what could not be read is said"
ok "$(grep -cx '/sys/kernel/debug: Permission denied' "$tmp/out")" = 1

"$NUMAIO" show >/dev/full 2>"$tmp/err"
code=$?
name="show: a full disk"
ok "$code $(grep -c "No space left" "$tmp/err")" = "1 1"
finish
