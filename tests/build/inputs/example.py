"""The example project of docs/, built as a user does: from an installation that was moved, in a folder with a space in
its name, with Ninja or with Make; and what is compiled again after which change.

    example.py BUILD ROOT WORK CXX GENERATOR
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

build, root, work, cxx, generator = sys.argv[1:]
root, work = pathlib.Path(root), pathlib.Path(work)


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
run("cmake", "--install", build, "--prefix", work / "first")
prefix = work / "moved prefix"
(work / "first").rename(prefix)
source, out = work / "my project", work / "my build"
shutil.copytree(root / "docs" / "example", source)

page = (root / "docs" / "cmake.md").read_text()
snippet = re.search(r"```cmake\n(.*?)```", page, re.S).group(1)
if snippet != (source / "CMakeLists.txt").read_text():
    sys.exit("the first CMake text of docs/cmake.md is not docs/example/CMakeLists.txt")

run("cmake", "-S", source, "-B", out, "-G", generator, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}",
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")


def compiled():
    """The kernels that a build compiles."""
    return sorted(re.findall(r"Compiling (\w+)\.fly", run("cmake", "--build", out)))


def after(what, *paths):
    time.sleep(1.1)  # Make compares whole seconds on some file systems
    for path in paths:
        os.utime(path)
    print(f"{what}: {' '.join(compiled()) or 'nothing'}")


print("first:", " ".join(compiled()))
after("again")
after("a source", source / "saxpy.fly")
after("an import", source / "lines.fly")
after("flyc", prefix / "bin" / "flyc")
after("again")
print(run("ctest", "--test-dir", out, "--output-on-failure"))

# Outside of ctest, without a variable, the program finds the emulator.
clean = {name: value for name, value in os.environ.items() if not name.startswith("FLY_") and name != "LD_LIBRARY_PATH"}
run(out / "example", env=clean)
print("by itself: emulated")

header = out / "kernels.fly" / "softmax.h"
header.unlink()
after("a header is gone")
(source / "saxpy.fly").write_text("@kernel(block=64, grid=1)\ndef saxpy(y: Out[f32, (1,)]):\n    y[0] = nothing\n")
failed = subprocess.run(["cmake", "--build", out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print("broken:", failed.returncode != 0, "FLY0203" in failed.stdout or failed.stdout)
