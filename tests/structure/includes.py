"""Holds the includes of a tree against the table of folders in docs/architecture.md.

    includes.py ROOT

A folder may include what its row lists, and rows list only folders above them, so includes run one way. What a row lists
must be used, so that the table stays true. Each room of compiler/sema and runtime/emulator says the same in its Room.h.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
SOURCES = {".h", ".hpp", ".cpp", ".c", ".def", ".inc"}


def whole(name):
    """`layout` of the table as compiler/layout, `emulator/wave` as runtime/emulator/wave."""
    for prefix in ("", "compiler/", "runtime/"):
        if (root / (prefix + name)).is_dir():
            return prefix + name
    return name


table = {}
for line in (root / "docs/architecture.md").read_text().splitlines():
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    if line.startswith("| `") and len(cells) == 3 and (root / cells[0].strip("`")).is_dir():
        table[cells[0].strip("`")] = (cells[1], [whole(name) for name in re.findall(r"`([^`]+)`", cells[2])])
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
            if used != folder and used.split("/")[0] in ("compiler", "runtime", "tools"):
                uses.setdefault(used, str(path.relative_to(root)) + " includes " + include)

wrong = []
for folder, uses in sorted(found.items()):
    if folder not in table:
        wrong.append(f"{folder} has no row in docs/architecture.md")
        continue
    allowed = table[folder][1]
    wrong += [f"{place}, but the row of {folder} does not list {used}" for used, place in uses.items() if used not in allowed]
    wrong += [f"the row of {folder} lists {name}, which nothing in it includes" for name in allowed if name not in uses]
    wrong += [f"the row of {folder} lists {name}, whose row is not above it" for name in allowed
              if name in order and order.index(name) >= order.index(folder)]
wrong += [f"the row of {folder} is about a folder without sources" for folder in order if folder not in found]

for folder, (does, allowed) in table.items():
    if not re.match(r"(compiler/sema|runtime/emulator)/", folder):
        continue
    room = root / folder / "Room.h"
    text = " ".join(line.lstrip("/ ") for line in room.read_text().splitlines()) if room.exists() else ""
    name = folder.split("/", 2)[2]
    for sentence in (f"Room `{name}`: {does}.", f"May include: {', '.join(allowed) or 'nothing of ours'}."):
        if sentence not in text:
            wrong.append(f"{folder}/Room.h does not say: {sentence}")

print("\n".join(wrong) or f"{len(found)} folders include what they may")
sys.exit(1 if wrong else 0)
