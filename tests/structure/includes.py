"""Holds the includes of a tree against its list of folders, cmake/Folders.cmake.

    includes.py ROOT

A folder may include what its row names, and rows name only folders above them, so includes run one way. What a row names
must be used, so that the list stays true.
"""
import pathlib
import re
import sys

from folders import read, whole

root = pathlib.Path(sys.argv[1])
SOURCES = {".h", ".hpp", ".cpp", ".c", ".def", ".inc"}
table = {name: [whole(root, used) for used in uses] for name, (_, uses) in read(root).items()}
order = list(table)

found = {}
for top in ("compiler", "runtime", "tools"):
    for path in (root / top).rglob("*"):
        folder = str(path.parent.relative_to(root))
        if path.suffix not in SOURCES or folder.startswith("runtime/include"):
            continue
        uses = found.setdefault(folder, {})
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.M):
            used = include.rpartition("/")[0]
            if used == "fly" and top != "runtime":  # the runtime's interface, as generated programs include it
                used = "runtime"
            if used != folder and used.split("/")[0] in ("compiler", "runtime", "tools"):
                uses.setdefault(used, str(path.relative_to(root)) + " includes " + include)

wrong = []
for folder, uses in sorted(found.items()):
    if folder not in table:
        wrong.append(f"{folder} has no row in cmake/Folders.cmake")
        continue
    allowed = table[folder]
    wrong += [f"{place}, but the row of {folder} does not name {used}" for used, place in uses.items() if used not in allowed]
    wrong += [f"the row of {folder} names {name}, which nothing in it includes" for name in allowed if name not in uses]
    wrong += [f"the row of {folder} names {name}, whose row is not above it" for name in allowed
              if name in order and order.index(name) >= order.index(folder)]
wrong += [f"the row of {folder} is about a folder without sources" for folder in order if folder not in found]

print("\n".join(wrong) or f"{len(found)} folders include what they may")
sys.exit(1 if wrong else 0)
