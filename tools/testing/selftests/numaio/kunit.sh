#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kunit.sh SUITE: run a KUnit suite that is the module SUITE_kunit, in the guest.
set -eu
modprobe "${1}_kunit"
cat "/sys/kernel/debug/kunit/$1/results"
rmmod "${1}_kunit"
