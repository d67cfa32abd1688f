"""Mistakes in a CMakeLists.txt: each is refused when CMake runs, in words that say what to do.

    cmake_errors.py PREFIX WORK CXX
"""

import pathlib
import re
import shutil
import subprocess
import sys

prefix, work, cxx = sys.argv[1:]
work = pathlib.Path(work)
kernel = "@kernel(block=64, grid=1)\ndef one(a: Out[f32, (1,)]):\n    a[0] = 1.0\n"

CASES = {
    "add_fly_kernel(k SOURCES one.fly ARCHS gfx9420)": "add_fly_kernel(k): unknown architecture `gfx9420`; flyc knows gfx942",
    "add_fly_kernel(k SOURCES one.fly ARCHS gfx90a)": "unknown architecture `gfx90a`; flyc knows gfx942;gfx950;gfx1201;gfx1250 Call",
    "add_fly_kernel(k SOURCES one.fly)": "add_fly_kernel(k): ARCHS is missing; flyc knows gfx942",
    "add_fly_kernel(k ARCHS gfx942)": "add_fly_kernel(k): SOURCES is missing",
    "add_fly_kernel(k SOURCES none.fly ARCHS gfx942)": "add_fly_kernel(k): there is no file `none.fly` in",
    "add_fly_kernel(k SOURCES sub ARCHS gfx942)": "add_fly_kernel(k): source `sub` is a folder",
    "add_fly_kernel(k SOURCES main.cpp ARCHS gfx942)": "add_fly_kernel(k): source `main.cpp` is not a .fly file",
    "add_fly_kernel(k one.fly ARCHS gfx942)": "add_fly_kernel(k): unknown argument `one.fly`; after the target come SOURCES",
    "add_fly_kernel(k SOURCES one.fly sub/one.fly ARCHS gfx942)":
        "add_fly_kernel(k): two sources would make the header `one.h`, the second one is `sub/one.fly`",
    "add_fly_kernel(k SOURCES one.fly ARCHS gfx942 TVM_FFI)":
        "add_fly_kernel(k): TVM_FFI compiles a C source; add C to the LANGUAGES of project()",
    "add_fly_test(NAME t ARCHS gfx942)": "add_fly_test(t): NAME and COMMAND are needed",
    "add_fly_test(NAME t COMMAND app ARCHS gfx942 DEVICES 17)": "add_fly_test(t): DEVICES is a number from 1 to 16, not `17`",
    "add_fly_test(NAME t COMMAND app ARCHS gfx1)": "add_fly_test(t): unknown architecture `gfx1`",
    # Two targets with a header of the same name in one program.
    "add_fly_kernel(k SOURCES one.fly ARCHS gfx942)\nadd_fly_kernel(l SOURCES sub/one.fly ARCHS gfx942)\n"
    "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE k l)": "INTERFACE_FLY_HEADER_one property of \"l\" does not agree",
    "set(CMAKE_FLY_COMPILER /bin/true)\nenable_language(FLY)": "enable_language(FLY): `/bin/true` is not flyc",
    "enable_language(FLY)\nadd_library(k STATIC main.cpp)\ntarget_fly_headers(k)": "target_fly_headers(k): the target has no .fly files",
}

failures = 0
for number, (text, expected) in enumerate(CASES.items()):
    folder = work / str(number)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "sub").mkdir(parents=True)
    for path in "one.fly", "sub/one.fly":
        (folder / path).write_text(kernel)
    (folder / "main.cpp").write_text("int main() {}\n")
    (folder / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CXX)\nfind_package(Fly REQUIRED)\n{text}\n")
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "out", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                           f"-DCMAKE_CXX_COMPILER={cxx}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 0 or expected not in re.sub(r"\s+", " ", done.stdout):
        failures += 1
        print(f"--- {text}\nexpected: {expected}\ngot ({done.returncode}): {done.stdout}")
print(f"{len(CASES) - failures} of {len(CASES)} refused as expected")
