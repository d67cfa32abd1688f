#!/usr/bin/env bash
# From a fresh clone to a kernel whose machine code has run: installs what is missing (needs root for that),
# builds flyc, compiles kernels/elementwise/vec_add.fly for gfx942 and runs its checks on the emulator. No GPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${FLY_BUILD_DIR:-$root/build}
kernel=kernels/elementwise/vec_add.fly
arch=gfx942
out=out

step() { printf '\n== %s\n' "$*"; }
run() {
  printf '$ %s\n' "$*"
  "$@"
}

step "packages"
scripts/setup.sh build

step "building flyc (minutes on the first run, seconds after)"
scripts/build.sh flyc
PATH=$build/bin:$PATH

step "compiling $kernel for $arch"
run flyc build "$kernel" --arch "$arch" -o "$out"

step "what it made"
name=$(basename "$kernel" .fly)
for artifact in "$out/$name.$arch.hsaco" "$out/$name.json" "$out/$name.h"; do
  case $artifact in
    *.hsaco) what="machine code, loadable with hipModuleLoad" ;;
    *.json) what="kernels, parameters, launch expressions, resources" ;;
    *) what="C99/C++17 header, code object embedded, one launch function per kernel" ;;
  esac
  printf '%8d bytes  %-28s %s\n' "$(stat -c %s "$artifact")" "$artifact" "$what"
done

step "running its checks on the emulator"
verdict=0
run flyc test "$kernel" --arch "$arch" || verdict=$?

step "next"
if [[ $verdict -ne 0 ]]; then
  echo "The checks failed: see above."
  exit "$verdict"
fi
cat <<TEXT
All checks passed: the machine code of $kernel is right on the emulator.

  build/bin/flyc build $kernel --arch $arch --emit=isa -o -     read the machine code
  build/bin/flyc test $kernel --arch gfx1201                    the same checks in wave32
  build/bin/flyc build $kernel --arch gfx942,gfx950,gfx1201,gfx1250 -o $out
  build/bin/flyc --help
  docs/language.md, kernels/                                     write your own
  scripts/test.sh                                                every test of the project
TEXT
