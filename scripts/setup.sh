#!/usr/bin/env bash
# Installs every Debian package that building and testing flyc needs. Debian 12 (bookworm) with its security
# archive, which carries LLVM 22; no other package source. Idempotent, and immediate when nothing is missing.
# Installing needs root: as another user, sudo is used.
set -euo pipefail

packages=(
  # LLVM, MLIR and lld as static libraries; FileCheck, lit, llvm-mc, llvm-objdump
  llvm-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev lld-22
  # the compiler that builds flyc, with the runtime of its sanitizers and of libFuzzer
  clang-22 libclang-rt-22-dev g++
  # the grammar's generator and its C++ runtime
  antlr4 libantlr4-runtime-dev default-jre-headless
  # libraries: command line, JSON, compression; the HIP headers
  libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libamdhip64-dev
  # building
  cmake ninja-build make ccache git
  # testing
  libgtest-dev libbenchmark-dev libmpfr-dev python3 python3-numpy python3-jsonschema
  # testing pages: the browser that uses them (400 MB)
  chromium
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $status == ii* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi

echo "setup: ${#missing[@]} of ${#packages[@]} packages are missing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: installing packages needs root, and there is no sudo; run this script as root" >&2
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
