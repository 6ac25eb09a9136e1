# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# Where the session's work ran, warm-up included.

works=/sys/module/numasim_iscsiwork/parameters/counts
if [ -e $works ]; then
	cat $works >"${note:?}"
fi
