#!/usr/bin/env python3
"""Puts the tables of options that `flyc doc --command-line` prints into docs/command-line.md, between the lines
`<!-- options of flyc COMMAND -->` and `<!-- end -->`. Everything else on the page is written by hand.

    scripts/command_line_page.py            writes the page; a flyc on the PATH
    scripts/command_line_page.py --check    fails if the page is not what flyc prints now; a test does this
"""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "command-line.md"
REGION = re.compile(r"(<!-- options of (.+?) -->\n\n).*?\n?(<!-- end -->)", re.S)


def tables():
    """The table of each command, by `flyc build`; of the options that all have, by `all commands`."""
    text = subprocess.run(["flyc", "doc", "--command-line"], check=True, capture_output=True, text=True).stdout
    found = {}
    for section in re.split(r"^#+ ", text, flags=re.M)[1:]:
        title, _, table = section.partition("\n")
        found[title.removeprefix("Options of ")] = table.strip() + "\n"
    return found


def main():
    known = tables()
    text = PAGE.read_text()
    regions = {name for _, name, _ in REGION.findall(text)}
    for name in sorted(regions ^ set(known)):
        what = "has no options, but the page has a table of them" if name in regions else "has no table on the page"
        sys.exit(f"{name} {what}: docs/command-line.md")
    fresh = REGION.sub(lambda region: region[1] + known[region[2]] + "\n" + region[3], text)
    if "--check" in sys.argv[1:]:
        if fresh != text:
            sys.exit("docs/command-line.md is out of date: run scripts/command_line_page.py")
        return
    PAGE.write_text(fresh)


if __name__ == "__main__":
    main()
