# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# The controller's one interrupt on the first CPU of its node; completions are counted.

irq=$(awk '/megasas/ { sub(":", "", $1); print $1; exit }' /proc/interrupts)
[ "$irq" ] || fail "no interrupt of the controller"
set_value "/proc/irq/$irq/smp_affinity_list" 4
