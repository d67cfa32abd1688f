"""Which Python is used while a python3 without NumPy is first on the PATH.

    other_python.py ROOT WORK

The build's is what its own line of tests/CMakeLists.txt finds, that of scripts/test.sh what the lines that choose it say.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

root, work = map(pathlib.Path, sys.argv[1:])
shutil.rmtree(work, ignore_errors=True)
(work / "bin").mkdir(parents=True)
other = work / "bin/python3"
other.write_text("#!/bin/sh\necho 'no NumPy'\nexit 1\n")
other.chmod(0o755)
environment = os.environ | {"PATH": f"{work / 'bin'}:{os.environ['PATH']}"}


def run(*command):
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True).stdout.strip()


def described(python):
    return f"{python}, {run(python, '-c', 'import numpy; print(numpy.__doc__.split()[0])')}"


print("on the PATH:", run("python3", "-c", "import numpy"))
(line,) = re.findall(r"^find_program\(FLY_PYTHON .*?\)", (root / "tests/CMakeLists.txt").read_text(), re.M)
(work / "CMakeLists.txt").write_text(
    f'cmake_minimum_required(VERSION 3.20)\nproject(p NONE)\n{line}\nmessage(STATUS "found:${{FLY_PYTHON}}")\n')
print("the build's:", described(re.search("found:(.*)", run("cmake", "-S", work, "-B", work / "out"))[1]))
chosen = re.findall(r"^python=.*|^\[\[ -x \$python .*", (root / "scripts/test.sh").read_text(), re.M)
print("of scripts/test.sh:", described(run("bash", "-c", "\n".join([*chosen, 'echo "$python"']))))
