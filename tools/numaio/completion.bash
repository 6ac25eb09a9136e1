# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Completion of numaio's command line.

_numaio_devices()
{
	local path
	for path in /sys/block/* /sys/class/scsi_host/host*; do
		[[ -e $path ]] && echo "${path##*/}"
	done
	echo all
}

_numaio_options()
{
	case $1 in
	show) echo "--sysroot --output --help" ;;
	capture) echo "--help" ;;
	watch) echo "--interval --count --enable --output --sysroot --help" ;;
	# What the command itself says it has.
	*) { echo --help; numaio "$1" --help 2>/dev/null; } | grep -oE -- '--[a-z][a-z-]*' |
		sort -u ;;
	esac
}

_numaio_words()
{
	local words=$1 word=$2
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

_numaio_files()
{
	local kind=$1 word=$2
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen "$kind" -- "$word")
}

# Beside the command: PREFIX/bin and PREFIX/share.
_numaio_experiments()
{
	local numaio file
	numaio=$(type -P numaio) || return
	for file in "${numaio%/*}"/../share/numaio/experiments/*.ini; do
		[[ -e $file ]] && basename "$file" .ini
	done
}

_numaio_run()
{
	local files names
	_numaio_files -f "$1"
	files=("${COMPREPLY[@]}")
	_numaio_words "$(_numaio_experiments)" "$1"
	names=("${COMPREPLY[@]}")
	COMPREPLY=("${files[@]}" "${names[@]}")
}

_numaio()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_numaio_words "show capture watch run report --help --version" "$word"
		return
	fi
	case $command:$before in
	show:--sysroot | show:-s | watch:--sysroot | watch:-s) _numaio_files -d "$word"; return ;;
	report:--output | report:-o) _numaio_words "text json csv markdown" "$word"; return ;;
	show:--output | show:-o | watch:--output | watch:-o)
		_numaio_words "text json" "$word"; return ;;
	watch:--interval | watch:-i | watch:--count | watch:-n) return ;;
	esac
	if [[ $word == -* ]]; then
		_numaio_words "$(_numaio_options "$command")" "$word"
		return
	fi
	case $command in
	show | watch) _numaio_words "$(_numaio_devices)" "$word" ;;
	capture) _numaio_files -d "$word" ;;
	run) _numaio_run "$word" ;;
	report) _numaio_files -f "$word" ;;
	esac
}

complete -F _numaio numaio
