"""add_fly_kernel(... VALIDATE): a build says what it did not compare, and fails where machine code differs.

    validate_option.py PREFIX SOURCE WORK CXX
"""

import pathlib
import shutil
import subprocess
import sys

prefix, source, work, cxx = sys.argv[1:]
work = pathlib.Path(work)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
shutil.copy(source, work / "add.fly")
(work / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
find_package(Fly REQUIRED)
add_fly_kernel(right SOURCES add.fly ARCHS gfx942 VALIDATE)
add_fly_kernel(wrong SOURCES add.fly ARCHS gfx942 VALIDATE OPTIONS --plant-fault fly-promote-slots)
""")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


made = run("cmake", "-S", work, "-B", work / "out", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}")
if made.returncode:
    sys.exit(made.stdout)
for target in "right", "wrong":
    built = run("cmake", "--build", work / "out", "--target", target)
    print(target, built.returncode, (work / "out" / f"{target}.fly" / "add.json").exists())
    print(built.stdout)
