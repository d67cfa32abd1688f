#!/usr/bin/env python3
"""Writes docs/generated/instructions/ARCH.md, one table per family, from what `flyc targets ARCH --instructions=json`
lists.

    scripts/instruction_pages.py            writes the pages of all architectures; a flyc on the PATH
    scripts/instruction_pages.py --check    fails if one is not what flyc lists now; a test does this
"""

import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "generated" / "instructions"

HEAD = """# Instructions of {arch}

The {count} instructions that can be called by name, in [compiled kernels](../../machine-code.md) and in
[ISA mode](../../isa-mode.md), with the operands in the assembler's order.
`flyc targets {arch} --instructions='{pattern}'` prints those that fit a pattern. `scripts/instruction_pages.py` writes
this page from what the assembler takes.

`v`, `s` and `a` are a VGPR, an SGPR and an AGPR; `v(4)` is four of them. An operand is read unless the table says
"written"; d is the result. "With m0": the instruction reads M0, which a compiled kernel passes as `m0=`. The mark ◆
means that the instruction exists in ISA mode only; the reason follows the mark.
"""


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def operands(form):
    """`d` v(4) or a(4) written, `a` v(2), ... with what is needed."""
    parts = []
    for operand in form["operands"]:
        kinds = operand["kinds"]
        text = f"{operand['name']}: {', '.join(kinds[:-1]) + ' or ' if len(kinds) > 1 else ''}{kinds[-1]}"
        if operand["writes"] and (operand["reads"] or operand["name"] != "d"):
            text += " (read and written)" if operand["reads"] else " (written)"
        parts.append(text)
    needs = "with " + ", ".join(form["needs"]) if form["needs"] else ""
    if form["reads_m0"]:
        needs += ", m0" if needs else "with m0"
    return cell("; ".join(parts + [needs] if needs else parts)) or "none"


def page(arch):
    run = subprocess.run(["flyc", "targets", arch, "--instructions=json"], check=True, capture_output=True, text=True)
    listed = json.loads(run.stdout)
    lines = [HEAD.format(arch=arch, count=len(listed["instructions"]), pattern="v_cvt_*")]
    for family in listed["families"]:
        members = [i for i in listed["instructions"] if i["family"] == family["name"]]
        title = family["name"] if family["name"][1:2].isupper() else family["name"][0].upper() + family["name"][1:]
        lines += [f"## {title}\n", *([family["note"] + "\n"] if family["note"] else []),
                  "| instruction | what it does | operands | modifiers |", "|---|---|---|---|"]
        for i in members:
            meaning = cell(i["meaning"]) + (f" ◆ it {cell(i['not_in_kernel'])}" if i["not_in_kernel"] else "")
            forms = "<br>".join(operands(form) for form in i["forms"])
            lines.append(f"| {i['name']} | {meaning} | {forms} | {cell(' '.join(i['modifiers']))} |")
        lines.append("")
    return "\n".join(lines)


def main():
    targets = json.loads(subprocess.run(["flyc", "targets", "--json"], check=True, capture_output=True).stdout)
    archs = [target["name"] for target in targets["targets"]]
    wrong = []
    with ThreadPoolExecutor() as pool:
        pages = list(pool.map(page, archs))
    for arch, text in zip(archs, pages):
        path = FOLDER / f"{arch}.md"
        if "--check" in sys.argv[1:]:
            wrong += [path.name] if not path.is_file() or path.read_text() != text else []
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if wrong:
        sys.exit(f"docs/generated/instructions: {', '.join(wrong)} is not what flyc lists; "
                 "run scripts/instruction_pages.py")


if __name__ == "__main__":
    main()
