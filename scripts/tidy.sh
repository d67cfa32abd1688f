#!/usr/bin/env bash
# Looks for mistakes with clang-tidy-22 and the checks of .clang-tidy. Fails if it finds one. A file takes some ten
# seconds.
#
#   scripts/tidy.sh            the sources that differ from origin/main
#   scripts/tidy.sh FILE...    these sources
#
# It needs a build, which has the generated headers and the commands: FLY_BUILD_DIR names it, else build/. FLY_JOBS says
# how many files are looked at at a time.
set -euo pipefail

case ${1-} in
  --help | -h) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath -m "${FLY_BUILD_DIR:-$root/build}")
if ! command -v clang-tidy-22 >/dev/null; then
  echo "tidy: clang-tidy-22 is missing; install it with: apt-get install clang-tidy-22" >&2
  exit 1
fi
if [[ ! -f $build/compile_commands.json ]]; then
  echo "tidy: $build has no compile_commands.json; run scripts/build.sh first" >&2
  exit 1
fi

if [[ $# -gt 0 ]]; then
  files=()
  for file in "$@"; do
    files+=("$(realpath "$file")")
  done
else
  cd "$root"
  base=$(git merge-base HEAD origin/main)
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- '*.c' '*.cpp' | sed "s|^|$root/|")
fi

# The commands of these files. A source may be compiled several times, as the fuzzers do: the first command counts. Files
# that are compiled together have the command of the file that includes them. A header that is not precompiled yet is
# included as it is.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
python3 - "$build" "$commands" "${files[@]}" <<'PYTHON'
import json
import os
import re
import sys

build, out, files = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(os.path.join(build, "CMakeCache.txt")) as cache:
    source = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read(), re.MULTILINE)[1]
wanted, found = set(files), {}
for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
    sources = [entry["file"]]
    if os.path.basename(os.path.dirname(entry["file"])) == "united":
        with open(entry["file"]) as united:
            sources = [os.path.join(source, path) for path in re.findall(r'#include "(.*)"', united.read())]
    for path in sources:
        file = os.path.realpath(path)
        if file not in wanted or file in found:
            continue
        command = entry["command"].replace(entry["file"], file)
        header = re.search(r"-Xclang -include-pch -Xclang (\S+)", command)
        if header and not os.path.exists(header[1]):
            command = command.replace(header[0], "-include " + header[1].removesuffix(".pch"))
        found[file] = {"directory": entry["directory"], "command": command, "file": file}
with open(os.path.join(out, "compile_commands.json"), "w") as database:
    json.dump(list(found.values()), database)
with open(os.path.join(out, "files"), "w") as names:
    names.write("".join(file + "\0" for file in sorted(found)))
for file in sorted(wanted - found.keys()):
    print(f"tidy: {file} is not compiled in this build", file=sys.stderr)
PYTHON

xargs -0 -r -P "${FLY_JOBS:-$(nproc)}" -n 1 clang-tidy-22 --config-file="$root/.clang-tidy" -p "$commands" --quiet \
  --warnings-as-errors='*' <"$commands/files" || exit 1
