#!/usr/bin/env bash
# Configures and builds flyc with clang-22 and Ninja; the programs are in build/bin.
#
#   scripts/build.sh             everything, tests included
#   scripts/build.sh flyc        one target
#
# FLY_BUILD_DIR names another build directory, FLY_JOBS how many compilations run at once.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}
jobs=${FLY_JOBS:-$(nproc)}

export NINJA_STATUS='[%f/%t, %e s] '

for tool in cmake ninja clang-22 clang++-22; do
  if ! command -v "$tool" >/dev/null; then
    echo "build: $tool is missing; run scripts/setup.sh first" >&2
    exit 1
  fi
done

if [[ ! -f $build/build.ninja ]]; then
  cmake -S "$root" -B "$build" -G Ninja \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_BUILD_TYPE=Release
fi
ninja -C "$build" -j "$jobs" "$@"
