#!/usr/bin/env bash
# Compiles with ccache, so that an object may come from another clone's build: CMake puts this before the compiler.
#
# Paths below the source folder are relative to ccache (CCACHE_BASEDIR). A precompiled header contains absolute paths,
# so if ccache hashed its bytes, no object that uses it would be found from another clone. ccache hashes FILE.sum
# instead (CCACHE_PCH_EXTSUM), a checksum of its inputs, written here. The header itself is always compiled: from the
# cache it would name the sources of a clone that may no longer exist.
set -euo pipefail

export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
# The compiler's own list of headers (-MD) says what an object depends on, so nothing is preprocessed twice. Not with a
# precompiled header: that list has the file itself, and ccache would hash its bytes.
[[ " $* " == *" -include-pch "* ]] || export CCACHE_DEPEND=1
CCACHE_BASEDIR=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
export CCACHE_BASEDIR

[[ " $* " == *" -emit-pch "* ]] || exec ccache "$@"

"$@"
compiler=$1 output='' depfile=''
while (($#)); do
  case $1 in
    -o) output=$2 ;;
    -MF) depfile=$2 ;;
  esac
  shift
done
# All headers in the order in which they were met; CMake's own two files only include ours. In the file that the compiler
# wrote for Make, a space within a path has a backslash before it: it is a tab while the paths become lines.
{
  "$compiler" --version
  sed -e '1s/^[^:]*: *//' -e 's/\\$//' -e 's/\\ /\t/g' -e 's/\\#/#/g' -e 's/\$\$/$/g' "$depfile" |
    tr -s ' ' '\n' | tr '\t' ' ' | grep -v -e '^$' -e '/cmake_pch\.hxx' | xargs -d '\n' cat
} | sha256sum >"$output.sum"
