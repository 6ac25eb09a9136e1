# SPDX-License-Identifier: GPL-2.0-only
#
# numaio: every target sets up what it needs itself. "make help" lists them.

CONFIG ?= base
TOPO ?= four
OUT ?= build/series
export KSRC FORCE JOBS STAGE CONFIG

B := build
PART = $(MAKE) --no-print-directory -s -C tools/testing/$(1) BUILD=$(CURDIR)/$(B)/$(2)

.PHONY: help
help: ## list the targets
	@echo "Usage: make TARGET [VARIABLE=VALUE...]"
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | \
		while IFS="$$(printf '\t')" read -r t d; do printf '  %-14s %s\n' "$$t" "$$d"; done
	@echo
	@echo "Variables: CONFIG=base|debug|kasan|nonuma|up  TOPO=one|two|four|...  KSRC=DIR (your own 6.12 tree)"
	@echo "           CMD='...' (for boot)  OUT=DIR (for series)  STAGE='NAME...' (for check)  JOBS=N"

.PHONY: setup tree tree-base refresh series check-series
setup: ## install what is missing (Debian 12 or 13; says what it installs)
	@scripts/setup

tree: setup ## build/linux: the pristine source and one commit a patch
	@scripts/tree

tree-base: setup ## the same, and build/unpatched/linux with the pristine source
	@scripts/tree base

refresh: ## store the commits of build/linux in patches/ and the own files
	@scripts/refresh

series: tree ## OUT=DIR: write the series as mails, with a cover letter
	@scripts/series "$(OUT)"

check-series: tree ## check every prefix of the series: compile, sparse, checkpatch, kernel-doc
	@scripts/check-series

.PHONY: build build-base tools boot run
build: tree tools ## the patched kernel for CONFIG
	@scripts/build "$(CONFIG)"

build-base: tree-base tools ## the unpatched kernel for CONFIG
	@scripts/build -u "$(CONFIG)"

tools: setup ## numaio, and the programs of tools/testing that guests need
	@$(call PART,vm,vm)
	@$(call PART,selftests/numaio,selftests)
	@$(MAKE) --no-print-directory -s -C tools/numaio BUILD=$(CURDIR)/$(B)/numaio

boot: build ## boot it on the topology TOPO: a shell, or CMD='...'
	@scripts/boot "$(TOPO)" "$(CONFIG)" $(CMD)

run: build ## the demonstration: NUMA-aware I/O on an emulated NUMA host
	@scripts/run "$(TOPO)" "$(CONFIG)"

.PHONY: check check-all bench matrix affinity-study
check: build ## the tests
	@scripts/check quick

check-all: build ## the tests, also the long ones
	@scripts/check all

bench: build ## the measurements on the modelled machine
	@$(MAKE) --no-print-directory -C tools/testing/numasim bench

matrix: build ## structures on each node x load on each node, modelled; MATRIX=NAME RUNS=N
	@$(MAKE) --no-print-directory -C tools/testing/numasim matrix

affinity-study: build ## rq_affinity x queue_affinity x submitter, modelled and counted; RUNS=N (50)
	@$(MAKE) --no-print-directory -C tools/testing/numasim affinity-study

.PHONY: clean distclean
clean: ## remove the products of builds, keep the source trees
	@scripts/clean

distclean: ## remove build/
	@scripts/clean all
