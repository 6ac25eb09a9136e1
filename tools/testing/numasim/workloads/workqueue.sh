# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# An ordered workqueue. What a workload may let: kind=affine, one whose items follow the
# node; items=N of a write.

[ "$modules" ] || skip "no module numasim_wq for this kernel"
insmod "$modules/numasim_wq.ko" kind="${kind:-plain}" items="${items:-1}" ||
	skip "this kernel has no such workqueue"
