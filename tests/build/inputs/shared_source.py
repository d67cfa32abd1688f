"""How often the mistake of a source in three targets is reported, by each generator and each way of making targets.

    shared_source.py PREFIX WORK CXX
"""

import pathlib
import shutil
import subprocess
import sys

prefix, work, cxx = sys.argv[1:]
KERNEL = """N = 1


@kernel(block=64, grid=1)
def one(a: Out[f32, (N,)]):
    a[0] = {}
"""


def build(folder):
    done = subprocess.run(["cmake", "--build", folder / "out", "-j2", "--", "-k"] + (["0"] if folder.name == "Ninja" else []),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    errors = done.stdout.count("error[FLY")
    return f"{errors} {'error' if errors == 1 else 'errors'}, status {done.returncode}"


# The text of the folder, and of the folder below it.
PROJECTS = {
    "add_fly_kernel": ("""cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES CXX)
find_package(Fly REQUIRED)
add_fly_kernel(a SOURCES one.fly ARCHS gfx942)
add_fly_kernel(b SOURCES one.fly ARCHS gfx942 gfx1201 DEFINES N=2)
add_subdirectory(below)
""", """add_fly_kernel(c SOURCES ../one.fly ARCHS gfx942 DEFINES N=3)
"""),
    "target_fly_headers": ("""cmake_minimum_required(VERSION 3.23)
project(p LANGUAGES CXX)
find_package(Fly REQUIRED)
enable_language(FLY)
function(add name source)
  add_library(${name} STATIC ${source})
  set_target_properties(${name} PROPERTIES FLY_OPTIONS "${ARGN}")
  target_fly_headers(${name})
  target_link_libraries(${name} PUBLIC Fly::runtime)
endfunction()
add(a one.fly)
add(b one.fly -DN=2)
add_subdirectory(below)
""", """add(c ../one.fly -DN=3)
"""),
}


for kind, (above, below) in PROJECTS.items():
    for generator in "Ninja", "Unix Makefiles":
        folder = pathlib.Path(work) / kind / generator
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "below").mkdir(parents=True)
        source = folder / "one.fly"
        source.write_text(KERNEL.format("nothing"))
        (folder / "CMakeLists.txt").write_text(above)
        (folder / "below/CMakeLists.txt").write_text(below)
        subprocess.run(["cmake", "-S", folder, "-B", folder / "out", "-G", generator, f"-DCMAKE_PREFIX_PATH={prefix}",
                        f"-DCMAKE_CXX_COMPILER={cxx}"], stdout=subprocess.DEVNULL, check=True)
        broken = build(folder)
        source.write_text(KERNEL.format("1.0"))
        repaired = build(folder)
        source.write_text(KERNEL.format("1.0 if N < 3 else nothing"))
        print(f"{kind}, {generator}: {broken}; after the repair: {repaired}; "
              f"after a mistake for one target alone: {build(folder)}")
