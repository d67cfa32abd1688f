"""`.fly` files as sources of a target: a program with two modules, their headers, options, architectures; and what is
compiled again.

    language.py PREFIX WORK CXX GENERATOR
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

prefix, work, cxx, generator = sys.argv[1:]
work = pathlib.Path(work)
shutil.rmtree(work, ignore_errors=True)
source, out = work / "source dir", work / "out"
(source / "shared").mkdir(parents=True)
(source / "shared" / "sizes.fly").write_text("BLOCK = 64\n")
(source / "fill.fly").write_text("""from sizes import BLOCK

@kernel(block=BLOCK, grid=ceil_div(n, BLOCK))
def fill(a: Out[i32, (n,)], n: i32, *, WITH: Constexpr[int] = 1, SCALE: Constexpr[int] = 1):
    i = block_id.x * BLOCK + thread_id.x
    if i < n:
        a[i] = WITH * SCALE
""")
(source / "twice.fly").write_text("""
@kernel(block=64, grid=ceil_div(n, 64))
def twice(a: InOut[i32, (n,)], n: i32, *, SCALE: Constexpr[int] = 1):
    i = block_id.x * 64 + thread_id.x
    if i < n:
        a[i] = SCALE * a[i]
""")
(source / "main.cpp").write_text("""#include "fill.h"
#include "twice.h"
#include <cstdio>
int main() {
  void *a;
  int values[100], right = 0;
  fly_status status = fly_malloc(&a, sizeof values);
  status = status ? status : fill_fill(nullptr, (int32_t *)a, 100);
  status = status ? status : twice_twice(nullptr, (int32_t *)a, 100);
  status = status ? status : fly_copy_to_host(values, a, sizeof values);
  if (status) return std::puts(fly_error()), 1;
  for (int value : values) right += value == 84;
  std::printf("%d of 100 right\\n", right);
}
""")
(source / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.23)
project(language LANGUAGES CXX)
enable_testing()
find_package(Fly REQUIRED)
set(FLY_ARCHITECTURES gfx942 gfx1201)
enable_language(FLY)
add_library(kernels STATIC fill.fly twice.fly)
target_include_directories(kernels PRIVATE shared)
set_source_files_properties(fill.fly PROPERTIES COMPILE_OPTIONS -DWITH=21)
set_target_properties(kernels PROPERTIES FLY_OPTIONS "-DSCALE=2;--color=never")
target_fly_headers(kernels)
target_link_libraries(kernels PUBLIC Fly::runtime)
add_executable(app main.cpp)
target_compile_definitions(app PRIVATE UNRELATED=1)
target_link_libraries(app PRIVATE kernels)
add_fly_test(NAME app COMMAND app ARCHS gfx942 gfx1201)
""")


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


def objects():
    text = run("cmake", "--build", out)
    return " ".join(name for name in ("fill", "twice") if f"Building FLY object CMakeFiles/kernels.dir/{name}.fly.o" in text)


run("cmake", "-S", source, "-B", out, "-G", generator, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}")
print("first:", objects())
print("again:", objects())
time.sleep(1.1)
os.utime(source / "shared" / "sizes.fly")
print("an import:", objects())
print(run("ctest", "--test-dir", out, "-V"))
