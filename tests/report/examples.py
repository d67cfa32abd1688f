"""Runs the `$ ...` blocks of docs/report.md in a copy of tests/report/inputs and compares; --write puts the outputs in.

A block may have several commands, as when an object is compiled first; `clang` is the one of this LLVM.
"""
import os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "report.md")
flyc, write = os.path.abspath(sys.argv[1]), "--write" in sys.argv
tools = {"flyc": flyc, "clang": shutil.which("clang-22") or "clang"}
page = open(PAGE).read()
folder = os.path.join(tempfile.mkdtemp(), "inputs")
shutil.copytree(os.path.join(HERE, "inputs"), folder)


def run(command):
    tool, *arguments = command.split()
    done = subprocess.run([tools[tool], *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"$ {command}\n{done.stdout}"


def made(block):
    return "```console\n" + "".join(run(line[2:]) for line in block[1].splitlines() if line.startswith("$ ")) + "```\n"


result = re.sub(r"```console\n((?:.*\n)*?)```\n", made, page)
shutil.rmtree(os.path.dirname(folder))
if write:
    open(PAGE, "w").write(result)
elif result != page:
    sys.exit("docs/report.md is not what flyc prints; run tests/report/examples.py build/bin/flyc --write")
print(f"{len(re.findall('```console', page))} examples")
