#!/usr/bin/env bash
# Installs the Debian packages that flyc needs. Debian 12 (bookworm) with its security archive, which has LLVM 22; no
# other package source. Idempotent, and immediate if nothing is missing. Installing needs root: as another user, sudo is
# used. For the tests of the VS Code extension, packages of npm are added (scripts/node.sh); where they cannot be
# fetched, those tests do not run.
#
#   scripts/setup.sh          what building and testing need
#   scripts/setup.sh build    what building needs, and nothing else
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
building=(
  # LLVM, MLIR and lld as static libraries, with their table generators
  llvm-22 llvm-22-dev libmlir-22-dev mlir-22-tools liblld-22-dev
  # the compiler and the linker that build flyc
  clang-22 lld-22 g++
  # the grammar's generator and its C++ runtime
  antlr4 libantlr4-runtime-dev default-jre-headless
  # libraries: command line, JSON, compression; the HIP headers
  libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libamdhip64-dev
  # the build itself
  cmake ninja-build ccache git
)
testing=(
  # FileCheck, lit; the runtime of sanitizers and of libFuzzer; the formatter
  llvm-22-tools libclang-rt-22-dev clang-format-22
  # unit tests, benchmarks, references of mathematics
  libgtest-dev libbenchmark-dev libmpfr-dev
  # tests of scripts, bindings and generated build files
  python3 python3-numpy python3-jsonschema make
  # the tokenizer of docs/example/llm
  libpcre2-dev
  # the Python package: PyTorch's tensors, pytest's plugin, the wheel
  python3-torch python3-pytest python3-build python3-setuptools python3-wheel python3-pip python3-venv
  # conventions of others: packages of Debian, hooks of pre-commit, a project of Meson, an action (YAML, jq)
  lintian pre-commit meson pkg-config python3-yaml jq
  # readers of Perfetto's traces and of debug information
  protobuf-compiler lldb-22
  # the editors that read the files of editors/ (60 MB)
  vim neovim emacs-nox
  # the browser in which pages are tested (400 MB)
  chromium
)

# Node with npm for the extension of VS Code (200 MB), unless a newer one is there already
command -v node >/dev/null && command -v npm >/dev/null || testing+=(nodejs npm)

case ${1-} in
  '') packages=("${building[@]}" "${testing[@]}") ;;
  build) packages=("${building[@]}") ;;
  *)
    echo "setup: \`$1\` is unknown; it takes \`build\`, or nothing" >&2
    exit 2
    ;;
esac

# What is not from Debian. Without it everything but the tests of VS Code works.
node_packages() {
  if [[ ${1-} == build ]]; then return; fi
  timeout 600 "$root/scripts/node.sh" ||
    echo "setup: the tests of the VS Code extension will not run: scripts/node.sh has no packages for them" >&2
}

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $status == ii* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#packages[@]} packages are installed"
  node_packages "$@"
  exit 0
fi

echo "setup: ${#missing[@]} of ${#packages[@]} packages are missing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: installing packages needs root, and sudo is missing; run this script as root" >&2
    exit 1
  fi
  echo "setup: installing packages needs root; using sudo"
  as_root=(sudo)
fi

"${as_root[@]}" apt-get update -q
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"; then
  echo "setup: the packages could not be installed. LLVM 22 comes from Debian 12's security archive:" >&2
  echo "setup:   deb http://deb.debian.org/debian-security bookworm-security main" >&2
  exit 1
fi
echo "setup: installed ${#missing[@]} packages"
node_packages "$@"
