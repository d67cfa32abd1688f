"""Holds what objects call against the list of folders, cmake/Folders.cmake.

    symbols.py ROOT BUILD [--object FOLDER=FILE.o ...]

A symbol of ours that an object of a folder needs must be defined in that folder, or in one that its row reaches. A linker
does not notice: it sees archives, and objects of several folders in one. An include does not tell either, because a
header can declare what another folder defines. --object: another object, as if it were one of the folder.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from folders import read, whole

parser = argparse.ArgumentParser()
parser.add_argument("root", type=pathlib.Path)
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--object", action="append", default=[])
options = parser.parse_args()
root, build = options.root.resolve(), options.build.resolve()

reached = {}  # the rows, with what they reach
for folder, (_, uses) in read(root).items():
    named = {whole(root, name) for name in uses}
    reached[folder] = named.union(*(reached[name] for name in named))


def folder_of(source):
    """Of a file that compiles sources of one folder together, that folder; of a generated one, whose it is."""
    if not source.is_relative_to(build):
        return str(source.parent.relative_to(root)) if source.is_relative_to(root) else None
    if source.parent.name == "united":
        return re.search(r'#include "([^"]+)/[^/"]+"', source.read_text()).group(1)
    return str(source.parent.relative_to(build))


objects = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    made = re.search(r" -o (\S+\.o)\b", entry["command"])
    path = pathlib.Path(entry["directory"], made.group(1)) if made else None
    folder = folder_of(pathlib.Path(entry["file"])) if path and path.exists() else None
    if folder in reached:
        objects[os.path.normpath(path)] = folder
for each in options.object:
    folder, _, path = each.partition("=")
    objects[os.path.abspath(path)] = folder

nm = shutil.which("llvm-nm-22") or shutil.which("nm")
listed = subprocess.run([nm, "-A", "--format=posix", *objects], capture_output=True, text=True, check=True).stdout
defined, needed = {}, {}
for line in listed.splitlines():
    match = re.match(r"(.*\.o): (\S+) ([A-Za-z])\b", line)
    if not match:
        continue
    path, symbol, kind = match.groups()
    if kind in "TDBRC":
        defined.setdefault(symbol, set()).add(objects[path])
    elif kind == "U":
        needed.setdefault(symbol, set()).add(path)

wrong = set()
for symbol in needed.keys() & defined.keys():
    for path in needed[symbol]:
        folder = objects[path]
        if not defined[symbol] & (reached[folder] | {folder}):
            wrong.add((folder, min(defined[symbol]), symbol, os.path.basename(path)))
filt = shutil.which("llvm-cxxfilt-22") or shutil.which("c++filt")
names = subprocess.run([filt], input="\n".join(each[2] for each in sorted(wrong)), capture_output=True, text=True).stdout
for (folder, other, _, path), name in zip(sorted(wrong), names.splitlines()):
    print(f"{folder} ({path}) needs {name} of {other}, which its row in cmake/Folders.cmake does not reach")
print(f"{len(objects)} objects of {len(set(objects.values()))} folders call what they may" if not wrong else
      f"{len(wrong)} call{' runs' if len(wrong) == 1 else 's run'} the wrong way")
sys.exit(1 if wrong else 0)
