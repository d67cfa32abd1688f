#!/usr/bin/env python3
"""Writes the table of folders in docs/architecture.md from cmake/Folders.cmake.

    scripts/folder_table.py            writes it anew
    scripts/folder_table.py --check    fails if the page has another one; a test does this
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
HEAD = "| folder | does | may include |\n|---|---|---|\n"


def folders(root=ROOT):
    """Of each folder, in order: what it does, and the names of those that it uses, as the list writes them."""
    text = (root / "cmake" / "Folders.cmake").read_text()
    calls = re.findall(r'^fly_folder\((\S+)\s+DOES "((?:\\.|[^"\\])*)"(?:\s+USES ([^)]*))?\)', text, re.M)
    return {name: (re.sub(r"\\(.)", r"\1", does), uses.split()) for name, does, uses in calls}


def table():
    rows = (f"| `{name}` | {does} | {', '.join(f'`{used}`' for used in uses) or 'nothing'} |\n"
            for name, (does, uses) in folders().items())
    return HEAD + "".join(rows)


def main():
    page = PAGE.read_text()
    begin = page.index(HEAD)
    end = page.index("\n\n", begin) + 1
    wanted = page[:begin] + table() + page[end:]
    if "--check" not in sys.argv:
        PAGE.write_text(wanted)
    elif wanted != page:
        sys.exit("docs/architecture.md is stale: run scripts/folder_table.py")


if __name__ == "__main__":
    main()
