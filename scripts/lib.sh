# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# What the scripts of the patch queue share. To be sourced, not run.
#
# Names used everywhere:
#   TOP    the repository; a test sets NUMAIO_TOP to work on a scratch one
#   BUILD  everything that is made, never committed
#   QUEUE  patches/6.12: series, BASE and the patches
#   LINUX  build/linux: a git repository, tag "base" is the pristine source and
#          each commit after it is one patch of the queue
#   UNPATCHED  build/unpatched: the pristine source as linux, and its builds as obj/CONFIG;
#          laid out like build/ itself, so that the relative paths of both builds are the
#          same and ccache finds the objects of one for the other
#   STATE  what tree or refresh last brought into agreement (see save_state)

set -euo pipefail

KVER=6.12
TOP=${NUMAIO_TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)}
BUILD=${NUMAIO_BUILD:-$TOP/build}
QUEUE=$TOP/patches/$KVER
LINUX=$BUILD/linux
UNPATCHED=$BUILD/unpatched
STATE=$LINUX/.git/numaio
PACKAGE=linux-source-$KVER
TARBALL=${NUMAIO_TARBALL:-/usr/src/$PACKAGE.tar.xz}
ME=${0##*/}

# The caller's git settings must not change what is written: a stray diff.noprefix
# or core.autocrlf would end up in the patches. The guest of sudo may own nothing.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_PREFIX
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_OPTIONAL_LOCKS=0 LC_ALL=C
# Variables of our command line (make CONFIG=debug) must not reach the makes that we start.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# One author and one date for every commit: the same queue on the same source gives
# the same hashes on every machine.
export GIT_AUTHOR_NAME=numaio GIT_AUTHOR_EMAIL=numaio@localhost
export GIT_COMMITTER_NAME=numaio GIT_COMMITTER_EMAIL=numaio@localhost
export GIT_AUTHOR_DATE='1731888000 +0000' GIT_COMMITTER_DATE='1731888000 +0000'

DIFF=(--no-renames --no-color --no-ext-diff --no-textconv --full-index
      --diff-algorithm=myers --indent-heuristic --inter-hunk-context=0
      --src-prefix=a/ --dst-prefix=b/)

say() { printf '%s: %s\n' "$ME" "$*"; }
warn() { printf '%s: %s\n' "$ME" "$*" >&2; }
die() { warn "$@"; exit 1; }

# git on build/linux, and on nothing else: without --git-dir a missing build/linux
# would make git find the repository around it. From its top: in a directory below, git
# apply leaves out what lies outside of that directory.
kgit() { git -C "$LINUX" --git-dir="$LINUX/.git" --work-tree="$LINUX" "$@"; }

need_linux() {
	[ -d "$LINUX/.git" ] || die "there is no $LINUX yet: run 'make tree'"
}

# worktree DIR COMMIT: a second working tree of build/linux, with that commit.
worktree() {
	if [ ! -e "$1/.git" ]; then
		say "making ${1#"$TOP"/}"
		kgit worktree prune
		mkdir -p "${1%/*}"
		kgit worktree add -q --detach "$1" "$2"
		return
	fi
	# Both sides name each other by absolute paths, which are wrong after a move.
	kgit worktree repair "$1" >/dev/null 2>&1 || true
	[ "$(git -C "$1" rev-parse HEAD)" = "$(kgit rev-parse "$2")" ] ||
		git -C "$1" checkout -q --detach "$(kgit rev-parse "$2")"
}

# A scratch directory that goes away with the script.
scratch() {
	mkdir -p "$BUILD"
	TMP=$(mktemp -d "$BUILD/.$ME.XXXXXX")
	trap 'rm -rf "$TMP"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# One writer at a time: several people and make targets share build/.
lock() {
	mkdir -p "$BUILD"
	exec 9>>"$BUILD/.lock.$1"
	if ! flock -n 9; then
		say "another run holds build/.lock.$1: waiting for it"
		flock 9
	fi
}

hash_of() { sha256sum | cut -d' ' -f1; }

series() {
	[ -f "$1/series" ] || return 0
	sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$1/series"
}

# ---- a patch file -----------------------------------------------------------------
# Header fields, a blank line, the message's body, a line "---", Own-file lines, the
# diff. Only the first "---" counts: a removed line "--" looks the same in a diff.

patch_subject() { sed -n -e '/^$/q' -e 's/^Subject: //p' "$1"; }
patch_body() { sed -e '1,/^$/d' "$1" | sed -e '/^---$/,$d'; }
patch_own() { sed -e '1,/^---$/d' -e '/^diff --git /,$d' "$1" | sed -n 's/^Own-file: //p'; }
patch_diff() { sed -e '1,/^---$/d' "$1" | sed -n '/^diff --git /,$p'; }

patch_message() {
	local body
	patch_subject "$1"
	body=$(patch_body "$1"; echo .)
	[ "$body" = . ] || printf '\n%s' "${body%.}"
}

# ---- the queue as commits -----------------------------------------------------------

mode_of() { if [ -x "$1" ]; then echo 100755; else echo 100644; fi; }

# Name patch, file and hunk of what git apply complains about on standard input.
explain_apply() {
	local patch=$1 diff=$2 line file at hunk said=
	while IFS= read -r line; do
		case $line in
		"error: patch failed: "*)
			file=${line#error: patch failed: } at=${file##*:} file=${file%:*}
			hunk=$(awk -v want="+++ b/$file" -v at="-$at" '
				/^diff --git / { on = 0 }
				$0 == want { on = 1; n = 0 }
				on && /^@@ / { n++; split($2, a, ","); if (a[1] == at) { print n; exit } }' "$diff")
			warn "$patch: $file: hunk ${hunk:-?} (line $at) does not apply"
			said=1 ;;
		*"does not exist in index")
			file=${line#error: }
			warn "$patch: ${file%: does not exist in index}: this kernel has no such file"
			said=1 ;;
		*"patch does not apply") ;;
		*)	[ -n "$said" ] || warn "$patch: $line" ;;
		esac
	done
}

# build_chain QUEUE ROOT BASE: commit the queue of QUEUE, with the own files under ROOT,
# on top of BASE without touching a working tree. Leaves the commits in CHAIN. A prefix
# that was built before is taken from the list of STATE.
build_chain() {
	local queue=$1 root=$2 parent=$3 key=$3 idx=$TMP/index
	local name own patch tree commit made loaded=""
	local -a owns
	CHAIN=()
	while IFS= read -r name; do
		patch=$queue/$name
		[ -f "$patch" ] || die "series names $name, which does not exist"
		[ -n "$(patch_subject "$patch")" ] || die "$name: no Subject: line"
		grep -qx -e '---' "$patch" || die "$name: no line '---' after the message"
		mapfile -t owns < <(patch_own "$patch")
		for own in "${owns[@]}"; do
			case /$own/ in
			*/../* | *//*) die "$name: Own-file: $own: not a plain path" ;;
			esac
			[ ! -h "$root/$own" ] || die "$name: Own-file: $own: is a symbolic link"
			[ -f "$root/$own" ] || die "$name: Own-file: $own: no such file"
		done
		key=$({ echo "$key"; cat "$patch"; for own in "${owns[@]}"; do
			echo "$own $(mode_of "$root/$own")"; cat "$root/$own"; done; } | hash_of)
		commit=$(sed -n "s/^$key //p" "$STATE/chain" 2>/dev/null | tail -n 1)
		if [ -n "$commit" ] && kgit cat-file -e "$commit" 2>/dev/null; then
			CHAIN+=("$commit") parent=$commit loaded=
			continue
		fi
		if [ -z "$loaded" ]; then
			GIT_INDEX_FILE=$idx kgit read-tree "$parent"
			loaded=1
		fi
		patch_diff "$patch" >"$TMP/diff"
		if [ -s "$TMP/diff" ]; then
			made=$(kgit apply --summary "$TMP/diff" 2>/dev/null || true)
			[ -z "$made" ] || die "$name: only edits of kernel files may stand in a diff, not:$made"
			if ! GIT_INDEX_FILE=$idx kgit apply --cached --whitespace=nowarn "$TMP/diff" 2>"$TMP/err"; then
				explain_apply "$name" "$TMP/diff" <"$TMP/err"
				return 1
			fi
		fi
		for own in "${owns[@]}"; do
			if kgit cat-file -e "base:$own" 2>/dev/null; then
				die "$name: Own-file: $own: the kernel has a file of that name"
			fi
			GIT_INDEX_FILE=$idx kgit update-index --add --cacheinfo \
				"$(mode_of "$root/$own"),$(kgit hash-object -w --no-filters "$root/$own"),$own"
		done
		tree=$(GIT_INDEX_FILE=$idx kgit write-tree)
		patch_message "$patch" >"$TMP/msg"
		commit=$(kgit commit-tree "$tree" -p "$parent" -F "$TMP/msg")
		mkdir -p "$STATE"
		echo "$key $commit" >>"$STATE/chain"
		CHAIN+=("$commit") parent=$commit
	done < <(series "$queue")
}

# Every file of the repository that the queue consists of, with its hash and mode.
manifest() {
	local name own
	{
		[ ! -f "$QUEUE/series" ] || echo "patches/$KVER/series"
		series "$QUEUE" | while IFS= read -r name; do
			echo "patches/$KVER/$name"
			[ ! -f "$QUEUE/$name" ] || patch_own "$QUEUE/$name"
		done
	} | while IFS= read -r own; do
		if [ -f "$TOP/$own" ]; then
			printf '%s %s %s\n' "$(hash_of <"$TOP/$own")" "$(mode_of "$TOP/$own")" "$own"
		else
			printf 'missing - %s\n' "$own"
		fi
	done
}

# STATE: "manifest" is the manifest, "head" the commit of build/linux that agreed with it
# and "base" the commit under it.
save_state() {
	mkdir -p "$STATE"
	manifest >"$STATE/manifest.new"
	mv "$STATE/manifest.new" "$STATE/manifest"
	kgit rev-parse base >"$STATE/base"
	kgit rev-parse HEAD >"$STATE/head"
}

# Paths whose entry differs between two manifests.
manifest_diff() { sort "$1" "$2" | uniq -u | cut -d' ' -f3- | sort -u; }

dirty_files() {
	kgit -c core.quotePath=false status --porcelain --untracked-files=all --no-renames | cut -c4-
}

in_progress() {
	[ -d "$LINUX/.git/rebase-merge" ] || [ -d "$LINUX/.git/rebase-apply" ] ||
		[ -f "$LINUX/.git/MERGE_HEAD" ] || [ -f "$LINUX/.git/CHERRY_PICK_HEAD" ]
}

# A field of the base commit's message: Package, Version, Tarball-sha256, Source.
base_fact() { kgit log -1 --format=%B base | sed -n "s/^$1: //p"; }

# hunk_hashes COMMIT: for each hunk that COMMIT makes in a kernel file, with three lines of
# context: "HASH PATH LINE". The hash leaves out line numbers.
hunk_hashes() {
	local path diff n i at
	kgit diff-tree -r --no-commit-id --name-only --diff-filter=M "$1" | while IFS= read -r path; do
		rm -rf "$TMP/hunks"
		mkdir "$TMP/hunks"
		kgit diff-tree -p -U3 "${DIFF[@]}" "$1^" "$1" -- "$path" |
			awk -v dir="$TMP/hunks" '
				/^@@ / { n++; split($3, a, ","); print substr(a[1], 2) >(dir "/at" n); next }
				n { print >(dir "/" n) }'
		for ((i = 1; ; i++)); do
			[ -f "$TMP/hunks/$i" ] || break
			n=$(hash_of <"$TMP/hunks/$i") at=$(cat "$TMP/hunks/at$i")
			printf '%s %s %s\n' "${n:0:16}" "$path" "$at"
		done
	done
}
