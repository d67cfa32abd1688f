#!/usr/bin/env python3
"""Writes docs/generated/diagnostics.md, the index of the pages that `flyc explain` prints, from compiler/diagnostics/explain/.

    scripts/diagnostics_page.py            writes the page
    scripts/diagnostics_page.py --check    fails if the page is not what the pages say now; a test does this
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPLAIN = ROOT / "compiler" / "diagnostics" / "explain"
PAGE = ROOT / "docs" / "generated" / "diagnostics.md"

HEAD = """# Diagnostics

Each error and each warning of flyc has a number and a name, and a page with an example that has the mistake and one that
does not. `flyc explain FLY0203`, `flyc explain 203` and `flyc explain unknown-name` print the page; editors link to it.
The first two digits are the subject. `scripts/diagnostics_page.py` writes this list from those pages.
"""

# As at the top of compiler/diagnostics/Diagnostics.def.
SUBJECTS = {"01": "Syntax", "02": "Names", "03": "Types", "04": "Control and binding time", "05": "Kernels and decorators",
            "06": "Memory", "07": "Resources", "08": "Targets", "09": "Checks, files and the code generator"}


def first_sentence(text):
    """Of the first paragraph; not cut within code."""
    paragraph = " ".join(text.split("\n\n")[1].split())
    match = re.match(r"(?:`[^`]*`|[^`])*?[.:](?= |$)", paragraph)
    return (match[0] if match else paragraph).rstrip(":.") + "."


def page():
    lines, subject = [HEAD.strip()], None
    for path in sorted(EXPLAIN.glob("FLY*.md")):
        text = path.read_text()
        code, name = text.splitlines()[0].removeprefix("# ").split(" ", 1)
        if code[3:5] != subject:
            subject = code[3:5]
            lines += ["", f"## {SUBJECTS[subject]}", "", "| number | name | what it means |", "|---|---|---|"]
        meaning = first_sentence(text).replace("|", "\\|")
        lines.append(f"| [{code}](../../compiler/diagnostics/explain/{code}.md) | `{name}` | {meaning} |")
    return "\n".join(lines) + "\n"


def main():
    if "--check" not in sys.argv[1:]:
        return PAGE.write_text(page())
    if PAGE.read_text() != page():
        sys.exit("docs/generated/diagnostics.md is out of date: run scripts/diagnostics_page.py")


if __name__ == "__main__":
    main()
