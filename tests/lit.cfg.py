"""How lit runs the tests: shell commands in comments of .fly, .mlir, .test and .c files.

    # RUN: flyc build %s --arch gfx942 --emit=fly -o - | FileCheck %s

flyc and fly-opt of this build and the tools of LLVM (FileCheck, not, llvm-objdump, ...) are first on PATH, so a
RUN line reads and works as typed. Files that tests read but that are not tests lie in folders named inputs or regressions.

With `--param round_trip=1`, fly-opt prints and parses the IR again around its passes and compares.
"""

import os
import platform
import shutil

import lit.formats

config.name = "flyc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".fly", ".mlir", ".test", ".c"]
config.excludes = ["Inputs", "inputs", "regressions"]
config.test_source_root = os.path.join(config.fly_source_root, "tests")
config.test_exec_root = os.path.join(config.fly_build_root, "tests")

programs = os.path.join(config.fly_build_root, "bin")
config.environment["PATH"] = os.pathsep.join([programs, config.llvm_tools, os.environ.get("PATH", "")])
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=annotation"
for name in ("HOME", "TMPDIR", "FLY_CHROMIUM"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Without a cache: a test compiles what it is about, and nobody's own cache is touched. Folders whose tests are about what
# kernels compute share one (lit.local.cfg); its entries are those of one flyc, by its build id.
config.environment["FLY_CACHE_DIR"] = ""

round_trip = lit_config.params.get("round_trip", "0") == "1"
config.substitutions += [
    ("%host_cc", config.host_cc),
    ("%host_cxx", config.host_cxx),
    ("%root", config.fly_source_root),
    ("%build", config.fly_build_root),
    ("%kernels", os.path.join(config.fly_source_root, "kernels")),
    ("%verify", config.python + " " + os.path.join(config.fly_source_root, "tests", "verify-diagnostics.py")),
    ("%python", config.python),
    (r"\bfly-opt\b(?!\.)", "fly-opt --verify-roundtrip" if round_trip else "fly-opt"),
]

# A test that needs a program this build does not have says `REQUIRES: fly-opt`.
if os.path.isdir(programs):
    config.available_features.update(os.listdir(programs))
if os.path.exists("/dev/kfd"):
    config.available_features.add("amdgpu")
config.available_features.add(platform.machine())
# Pages are used in a browser where there is one: Debian's `chromium`, which scripts/setup.sh installs, or FLY_CHROMIUM.
# Else those tests say that `chromium` is missing.
if os.environ.get("FLY_CHROMIUM") or shutil.which("chromium"):
    config.available_features.add("chromium")
# scripts/format.sh formats the files that git knows.
if shutil.which("clang-format-22") and os.path.exists(os.path.join(config.fly_source_root, ".git")):
    config.available_features.add("clang-format")
