"""What the tests of add_fly_kernel(... OPTIONS ... CHECKS) run, and that they pass; a source without checks is skipped.

    check_options.py PREFIX ROOT WORK CXX
"""

import json
import pathlib
import shutil
import subprocess
import sys

prefix, root, work, cxx = sys.argv[1:]
work = pathlib.Path(work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
for name in "norm.fly", "lines.fly":
    shutil.copy(pathlib.Path(root) / "docs/example" / name, work)
(work / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
enable_testing()
find_package(Fly REQUIRED)
add_fly_kernel(k SOURCES norm.fly ARCHS gfx942 gfx1201 CHECKS
               OPTIONS --host aarch64 -W perf --host=x86_64 -j 2 -j3 -DPARTS=2 -MP -MT x --fix --no-cache)
add_fly_kernel(l SOURCES none.fly ARCHS gfx942 CHECKS)
add_fly_kernel(d SOURCES none.fly ARCHS gfx950 DEFINES "S=f(1,\\"a\\")" INCLUDE_DIRECTORIES lib)
enable_language(FLY)
add_library(m STATIC lines.fly)
target_include_directories(m PRIVATE lib)
set_target_properties(m PROPERTIES FLY_ARCHITECTURES "gfx942;gfx950" FLY_OPTIONS "-W;perf")
target_fly_headers(m)
""")
(work / "none.fly").write_text("@kernel(block=64, grid=1)\ndef one(a: Out[f32, (1,)]):\n    a[0] = 1.0\n")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return done.stdout


run("cmake", "-S", work, "-B", work / "out", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}")
for test in json.loads(run("ctest", "--test-dir", work / "out", "--show-only=json-v1"))["tests"]:
    print(*(word.replace(f"{work}/", "") for word in test["command"][1:]))
print(run("ctest", "--test-dir", work / "out"))
# What editors read: each source, with its options.
for entry in json.loads((work / "out/fly_compile_commands.json").read_text()):
    print("entry", *(entry[part].replace(f"{work}", "WORK") for part in ("directory", "file")), entry["archs"], [option.replace(f"{work}", "WORK") for option in entry["options"]])
