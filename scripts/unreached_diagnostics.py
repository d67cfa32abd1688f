#!/usr/bin/env python3
"""Lists the places that report a diagnostic and that no test reaches.

    cmake --preset coverage && cmake --build --preset coverage --target flyc fly-parse syntax_test
    scripts/unreached_diagnostics.py build-coverage

A place is a `diag::kind` in a folder that FLY_COVERAGE counts (CMakeLists.txt). It is reached if the region of the source
it stands in was executed: clang's source coverage knows the regions to the column, so `if (wrong) fail(...)` on one line
counts as two. The lit tests and the unit tests that are built run with one profile that all processes merge into; a test
that fails does not matter here, and nor does a program that was not built.

    --filter REGEX   the tests to run, as lit's; without it those of the front end
    --keep           count what earlier runs of this script executed as well
    --list           all places with their counts, not only those without one

The status is 1 if a place is not reached.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["compiler/diagnostics", "compiler/syntax", "compiler/host", "compiler/analysis", "compiler/sema", "compiler/object_checks",
           "compiler/compilation", "compiler/launch", "compiler/search", "compiler/calibrate", "compiler/commands"]
FRONT_END = r"^(?!.*fuzz).*(sema|syntax|calibrate|commands|launch|search|docs|language)/"
PLACE = re.compile(r"\bdiag::([a-z_]+)\b")


def places():
    """(path, line, column, kind) of each `diag::kind` that is an argument of a report."""
    kinds = set(re.findall(r"^FLY_(?:DIAG|ROW)\((\w+)", (ROOT / "compiler/diagnostics/Diagnostics.def").read_text(), re.M))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = line.split("//")[0]
                for found in PLACE.finditer(code):
                    if found[1] in kinds and "==" not in code[: found.start()]:
                        yield str(path.relative_to(ROOT)), number, found.start() + 1, found[1]


def counts(build):
    """The segments of each file: (line, column, count), in order; each holds until the next one."""
    profile = build / "coverage" / "merged.profdata"
    raw = [str(p) for p in (build / "coverage").glob("*.profraw")]
    subprocess.run(["llvm-profdata-22", "merge", "--sparse", "-o", profile, *raw], check=True)
    programs = [build / "bin" / name for name in ("flyc", "fly-parse") if (build / "bin" / name).exists()] + unitTests(build)
    command = ["llvm-cov-22", "export", f"--instr-profile={profile}", programs[0]]
    for other in programs[1:]:
        command += ["--object", other]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    out = {}
    for file in json.loads(text)["data"][0]["files"]:
        name = os.path.normpath(file["filename"])
        name = os.path.relpath(name, ROOT) if os.path.isabs(name) else name
        out[name] = [tuple(segment[:3]) for segment in file["segments"]]
    return out


def unitTests(build):
    return [build / "unit" / name for name in ("syntax_test", "host_test") if (build / "unit" / name).exists()]


def countAt(segments, line, column):
    """How often the region around a place ran; None if the compiler knows no code there."""
    last = None
    for segment in segments:
        if (segment[0], segment[1]) > (line, column):
            break
        last = segment[2]
    return last


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--filter", default=FRONT_END)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    (build / "coverage").mkdir(exist_ok=True)
    if not arguments.keep:
        for old in (build / "coverage").glob("*.profraw"):
            old.unlink()
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(build / "coverage" / "%4m.profraw")) # lit hands it on
    subprocess.run(["lit-22", "-q", str(build / "tests"), "--filter", arguments.filter], env=environment)
    for program in unitTests(build):
        subprocess.run([program], env=environment, stdout=subprocess.DEVNULL)
    segments = counts(build)
    total = missing = 0
    for path, line, column, kind in places():
        if path not in segments:
            continue # not linked into what was built
        count = countAt(segments[path], line, column)
        total += 1
        missing += not count
        if arguments.list or not count:
            print(f"{path}:{line}:{column}: {kind}" + (f" {count}" if arguments.list else ""))
    print(f"{missing} of {total} places are reached by no test")
    return int(missing != 0)


sys.exit(main())
