#!/usr/bin/env bash
# Formats the C and C++ files of the repository with clang-format-22, as .clang-format says. What .clang-format-ignore
# lists stays as it is.
#
#   scripts/format.sh            formats all files that git knows, in place
#   scripts/format.sh --check    changes nothing: prints the files that differ, and fails if there are any
#
# FLY_JOBS says how many batches run at a time.
set -euo pipefail

usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
check=
case "${1-}" in
  "") ;;
  --check) check=1 ;;
  --help | -h) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${FLY_JOBS:-$(nproc)}
if ! command -v clang-format-22 >/dev/null; then
  echo "format: clang-format-22 is missing; install it with: apt-get install clang-format-22" >&2
  exit 1
fi

files() { git ls-files -z -- '*.c' '*.cpp' '*.h' '*.hpp'; }
if [[ -z $check ]]; then
  files | xargs -0 -r -P "$jobs" -n 50 clang-format-22 -i --
  exit 0
fi
# clang-format warns of each place, `FILE:LINE:COLUMN: warning: ...`. A batch prints its files in one piece, since
# several run at once.
differing=$(files | xargs -0 -r -P "$jobs" -n 50 bash -c '
  text=$(clang-format-22 --dry-run -- "$@" 2>&1) || { echo "$text" >&2; exit 1; }
  found=$(sed -n "s/^\(.*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p" <<<"$text" | uniq)
  [[ -z $found ]] || echo "$found"' batch | sort)
if [[ -n $differing ]]; then
  echo "$differing"
  echo "format: these files are not formatted; run scripts/format.sh" >&2
  exit 1
fi
