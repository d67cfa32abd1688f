#!/usr/bin/env bash
# Compiles by way of ccache, so that an object may come from another clone's build: CMake puts this before the compiler.
#
# Paths below the source folder are relative to ccache (CCACHE_BASEDIR). A precompiled header has absolute paths in it, so
# by its bytes no user of it would be found in another clone; ccache knows it by FILE.sum instead (CCACHE_PCH_EXTSUM), a
# checksum of what went into it, written here. The header itself is compiled anew: from the cache it would name the
# sources of a clone that may be gone.
set -euo pipefail

export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
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
# All headers in the order in which they were met; CMake's own two files only include ours.
{
  "$compiler" --version
  sed -e 's/^[^ ]*: *//' -e 's/\\$//' "$depfile" | tr -s ' ' '\n' | grep -v -e '^$' -e '/cmake_pch\.hxx' | xargs -d '\n' cat
} | sha256sum >"$output.sum"
