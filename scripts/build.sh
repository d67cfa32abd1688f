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
# How long it took, for scripts/times.py: `times` counts the processor time of all that Ninja started.
begin=$(date +%s)
ninja -C "$build" -j "$jobs" "$@"
processor=$(times | tail -1 | awk '{ split($1, user, /[ms]/); split($2, system, /[ms]/)
  printf "%.1f", 60 * user[1] + user[2] + 60 * system[1] + system[2] }')
printf '{"what": "scripts/build.sh%s", "processor": %s, "waiting": %s}\n' \
  "${*:+ $*}" "$processor" "$(($(date +%s) - begin))" >>"$build/times.jsonl"
