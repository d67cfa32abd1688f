#!/usr/bin/env bash
# Sets up, builds everything and runs every test: the GoogleTest programs, the lit tests, and a minute of
# fuzzing beside them. The last line is the count, alone; the status is 0 only if nothing failed.
#
#   scripts/test.sh                everything
#   scripts/test.sh --fuzz 0       without fuzzing; more options: scripts/run_tests.py --help
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}

"$root/scripts/setup.sh"
"$root/scripts/build.sh"
python=/usr/bin/python3 # Debian's, which has NumPy; another may be first on the PATH
[[ -x $python ]] || python=python3
exec "$python" "$root/scripts/run_tests.py" --build "$build" "$@"
