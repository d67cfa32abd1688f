"""How lit runs the tests: shell commands in comments of .fly, .mlir, .test and .c files.

    # RUN: flyc build %s --arch gfx942 --emit=fly -o - | FileCheck %s

flyc and fly-opt of this build and the tools of LLVM (FileCheck, not, llvm-objdump, ...) are first on PATH, so a
RUN line reads and works as typed. Files that tests read but that are not tests lie in folders named inputs or regressions.

What holds on every architecture is tested with `--arch %archs`: all that flyc compiles for, with commas between them, in
the order of the table in compiler/target/Target.cpp. A test names architectures only where it is about these, so a new
row of the table needs no edit of the others.

`%s`, `%S`, `%t` and the paths below are one word each, whatever is in them, so a RUN line does not quote them, and must not
(tests/shell_words.py).

With `--param round_trip=1`, fly-opt prints and parses the IR again around its passes and compares.
"""

import json
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(config.fly_source_root, "tests"))
from shell_words import ShTest, word

config.name = "flyc"
config.test_format = ShTest(execute_external=False)
config.suffixes = [".fly", ".mlir", ".test", ".c"]
config.excludes = ["Inputs", "inputs", "regressions", "workspace"]
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


def architectures():
    """The rows of the target table as a value of --arch, from flyc; a build without flyc has no test that needs them."""
    flyc = os.path.join(programs, "flyc")
    if not os.path.exists(flyc):
        return ""
    rows = json.loads(subprocess.check_output([flyc, "targets", "--json"]))["targets"]
    return ",".join(row["name"] for row in rows)


round_trip = lit_config.params.get("round_trip", "0") == "1"
python, kernels = word(config.python), os.path.join(config.fly_source_root, "kernels")
config.substitutions += [
    (r"\bfly-opt\b(?!\.)", "fly-opt --verify-roundtrip" if round_trip else "fly-opt"), # first: a path may contain it
    ("%host_cc", word(config.host_cc)),
    ("%host_cxx", word(config.host_cxx)),
    ("%root", word(config.fly_source_root)),
    ("%build", word(config.fly_build_root)),
    ("%kernels", word(kernels)),
    ("%verify", python + " " + word(os.path.join(config.fly_source_root, "tests", "verify-diagnostics.py"))),
    ("%python", python),
    ("%archs", architectures()),
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
# Files for editors and for other tools are read by these where they are installed. Else those tests say what is missing.
config.available_features.update(name for name in ("emacs", "nvim", "meson", "pre-commit", "protoc", "lldb-22") if shutil.which(name))
if shutil.which("vim") and b"+syntax" in subprocess.run(["vim", "--version"], stdout=subprocess.PIPE).stdout:
    config.available_features.add("vim")
# The grammar by VS Code's tokenizer, and the extension in VS Code: where scripts/node.sh, which scripts/setup.sh calls,
# has installed the packages of npm. `%node` is its Node.
node = os.path.join(config.fly_source_root, "scripts", "node.sh")
for name in ("FLY_NODE_DIR", "FLY_CODE_SERVER", "XDG_CACHE_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.substitutions.append(("%node", word(node) + " node"))
if os.path.exists(os.path.join(config.fly_source_root, "editors/vscode/node_modules/.fly-lock")):
    config.available_features.add("npm-packages")
readers = subprocess.run([node, "--readers"], stdout=subprocess.PIPE, text=True).stdout.strip()
if os.path.exists(os.path.join(readers, "node_modules/.fly-lock")):
    config.environment["FLY_ACTIONS_PARSER"] = readers
    config.environment["FLY_SARIF_MULTITOOL"] = os.path.join(readers, "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool")
if os.path.exists(os.path.join(config.fly_source_root, "site/node_modules/.fly-lock")):
    config.available_features.add("site-packages")
code_server = subprocess.run([node, "--code-server"], stdout=subprocess.PIPE, text=True).stdout.strip()
if os.path.exists(os.path.join(code_server, "node_modules/.fly-lock")):
    config.available_features.add("code-server")
# scripts/format.sh formats the files that git knows.
if shutil.which("clang-format-22") and os.path.exists(os.path.join(config.fly_source_root, ".git")):
    config.available_features.add("clang-format")
