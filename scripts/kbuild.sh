# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Running the kernel's own build so that it is quiet but visibly alive, and so that ccache
# finds an object again from another checkout. To be sourced after lib.sh.

# The cache lies outside the checkout, and what depends on the checkout's place is kept out
# of it: paths below TOP are made relative, the working directory is not part of the key,
# and the kernel names neither builder nor time.
if [ -z "${CCACHE_DIR:-}" ]; then
	if [ "$(id -u)" = 0 ]; then
		CCACHE_DIR=/var/cache/numaio-ccache
	else
		CCACHE_DIR=$HOME/.cache/numaio-ccache
	fi
fi
export CCACHE_DIR CCACHE_BASEDIR=$TOP CCACHE_NOHASHDIR=1
export KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=numaio KBUILD_BUILD_HOST=numaio
# A setting of the caller would change the kernel, or only the paths.
unset ARCH CROSS_COMPILE LLVM KBUILD_OUTPUT KBUILD_EXTMOD KCFLAGS KCPPFLAGS KAFLAGS W C V O
# Set and empty: no "+" in the release because of the git repository around the source.
export LOCALVERSION=

KMAKE=(make --no-print-directory CC="ccache gcc" HOSTCC="ccache gcc" -j"${JOBS:-$(nproc)}")

# The config tool of tools/testing/vm; its output only when it fails.
mkconfig() {
	local tool=${NUMAIO_MKCONFIG:-$TOP/tools/testing/vm/mkconfig}
	[ -x "$tool" ] || die "there is no $tool"
	BUILD=$BUILD/vm "$tool" "$@" >"$2/mkconfig.log" 2>&1 || {
		cat "$2/mkconfig.log" >&2
		die "mkconfig $3 failed"
	}
}

# What a build depends on: the commit's tree, edits that are not committed, the config, the
# compiler, and how we call kbuild.
kbuild_key() {
	local src=$1 obj=$2
	{
		git -C "$src" rev-parse 'HEAD^{tree}'
		git -C "$src" diff HEAD
		git -C "$src" ls-files -o --exclude-standard -z | (cd "$src" && xargs -0r sha256sum)
		cat "$obj/.config"
		gcc --version
		ld --version
		cat "$TOP/scripts/build" "$TOP/scripts/kbuild.sh"
	} | hash_of
}

# Read kbuild's output: all of it goes to the log, and to the terminal one line about every
# ten seconds, and each warning.
condense() {
	local log=$1 line n=0 start=$SECONDS next=$((SECONDS + 10))
	: >"$log"
	while IFS= read -r line; do
		printf '%s\n' "$line" >&8
		case $line in
		"  "[A-Z]*) n=$((n + 1)) ;;
		*" warning: "* | *" error: "* | *"undefined reference"*) printf '%s\n' "$line" ;;
		esac
		if [ "$SECONDS" -ge "$next" ]; then
			printf '  %4d s  %5d steps  %s\n' $((SECONDS - start)) "$n" "${line#  }"
			next=$((SECONDS + 10))
		fi
	done 8>>"$log"
}

# kbuild SRC OBJ LOG TARGET...: run the kernel's make.
kbuild() {
	local src=$1 obj=$2 log=$3
	shift 3
	mkdir -p "$CCACHE_DIR"
	if ! "${KMAKE[@]}" -C "$src" O="$obj" "$@" 2>&1 </dev/null | condense "$log"; then
		tail -n 20 "$log" >&2
		die "the build in ${obj#"$TOP"/} failed; the whole log is ${log#"$TOP"/}"
	fi
}
