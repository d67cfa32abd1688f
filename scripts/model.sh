#!/usr/bin/env bash
# From a fresh clone to a whole model: builds and installs flyc, builds the program of docs/example/llm from that
# installation, writes a small model with random weights, and runs it. Without a GPU it runs on the emulator. At the end
# there are text, what the program did, and the time of each kernel.
#
#   scripts/model.sh [FOLDER]       `model-out` unless named
#   LLM_ARCHS=gfx942                compile the kernels for these architectures, separated by semicolons
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}
out=$(mkdir -p "${1:-$root/model-out}" && cd "${1:-$root/model-out}" && pwd)
example=$root/docs/example/llm
python=/usr/bin/python3 # Debian's, which has NumPy; another may be first on the PATH
[[ -x $python ]] || python=python3
run() {
  printf '$ %s\n' "$*"
  "$@"
}

"$root/scripts/setup.sh"
"$root/scripts/build.sh" distribution
cmake --install "$build" --prefix "$out/flyc" >/dev/null
cmake -S "$example" -B "$out/build" -G Ninja -DCMAKE_PREFIX_PATH="$out/flyc" -DLLM_ARCHS="${LLM_ARCHS:-gfx942}"
cmake --build "$out/build"
run "$python" "$example/make_model.py" "$out/model"
FLY_TRACE=$out/trace.json run "$out/build/llm" "$out/model" --tokens 24 "def main():" "import"
run "$out/flyc/bin/flyc" trace "$out/trace.json"
