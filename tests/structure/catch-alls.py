"""Counts what is to disappear from the diagnostics, and compares it with numbers that only shrink.

    catch-alls.py ROOT rows=NUMBER wrong_value=NUMBER wrong_argument_type=NUMBER

`rows` are those of Diagnostics.def whose arguments are numbered (FLY_DIAG), the others are uses of diagnostics whose text
the caller composes. A message of its own is a row with named arguments, as docs/adding-a-diagnostic.md says. A change
that leaves fewer of one kind writes the new number into catch-alls.test, so that it stays reached.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
code = {p: p.read_text() for p in sorted((root / "compiler").rglob("*")) if p.suffix in {".cpp", ".h"}}
complaints = []
for name, given in (argument.split("=") for argument in sys.argv[2:]):
    if name == "rows":
        table = root / "compiler/diagnostics/Diagnostics.def"
        found, what = {table: table.read_text()}, r"^FLY_DIAG\("
        advice = "declare the new row as a FLY_ROW"
    else:
        found, what = code, rf"\bdiag::{name}\b"
        advice = "give the new message a row of its own"
    uses = [(path, text.count("\n", 0, use.start()) + 1) for path, text in found.items() for use in re.finditer(what, text, re.M)]
    print(f"{name}: {len(uses)}, {given} allowed")
    if len(uses) > int(given):
        complaints += [f"  {path.relative_to(root)}:{line}" for path, line in uses]
        complaints.append(f"{name}: there are {len(uses)}, and {given} are allowed: {advice}")
    elif len(uses) < int(given):
        complaints.append(f"{name}: there are only {len(uses)}: lower the number in catch-alls.test, which is {given}")
print("\n".join(complaints))
sys.exit(bool(complaints))
