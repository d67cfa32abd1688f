#!/usr/bin/env bash
# Configures and builds flyc with clang-22 and Ninja, by the preset `release` of CMakePresets.json; the programs are in
# build/bin. docs/building.md has the other presets, and what a build costs.
#
#   scripts/build.sh             everything, tests included if scripts/setup.sh has installed what they need
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

# Again where GoogleTest was missing: it may be there now, and with it the tests.
if [[ ! -f $build/build.ninja ]] || grep -q '^GTest_DIR:PATH=GTest_DIR-NOTFOUND' "$build/CMakeCache.txt"; then
  (cd "$root" && cmake --preset release -B "$build")
fi
# How long it took, for scripts/times.py. The second line of `times` counts all that Ninja started; in a pipe it would
# count that of the pipe's shell.
begin=$(date +%s)
ninja -C "$build" -j "$jobs" "$@"
waiting=$(($(date +%s) - begin))
times >"$build/times.txt"
awk -v what="scripts/build.sh${*:+ $*}" -v waiting="$waiting" 'NR == 2 {
  split($1, own, /[ms]/); split($2, kernel, /[ms]/)
  printf "{\"what\": \"%s\", \"processor\": %.1f, \"waiting\": %d}\n", what,
         60 * (own[1] + kernel[1]) + own[2] + kernel[2], waiting
}' "$build/times.txt" >>"$build/times.jsonl"
