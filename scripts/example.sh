#!/usr/bin/env bash
# What a project that uses flyc does, from a fresh clone: builds flyc, installs it into a folder, builds docs/example
# from that installation, and runs its tests on the emulator. No GPU.
#
#   scripts/example.sh [FOLDER]      `example-out` unless named
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}
out=$(mkdir -p "${1:-$root/example-out}" && cd "${1:-$root/example-out}" && pwd)

"$root/scripts/setup.sh"
"$root/scripts/build.sh" distribution
cmake --install "$build" --prefix "$out/flyc" >/dev/null
cmake -S "$root/docs/example" -B "$out/build" -G Ninja -DCMAKE_PREFIX_PATH="$out/flyc"
cmake --build "$out/build"
ctest --test-dir "$out/build" --output-on-failure
