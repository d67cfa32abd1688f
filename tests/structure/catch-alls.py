"""Counts the uses of the diagnostics whose text the caller composes, and compares them with ceilings.

    catch-alls.py ROOT wrong_value=NUMBER wrong_argument_type=NUMBER

A message of its own is a row of Diagnostics.def with named arguments, as docs/adding-a-diagnostic.md says. Whoever gives
one of the remaining uses such a row lowers the ceiling.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
code = {p: p.read_text() for p in sorted((root / "compiler").rglob("*")) if p.suffix in {".cpp", ".h"}}
complaints = []
for name, ceiling in (argument.split("=") for argument in sys.argv[2:]):
    uses = [(path, text.count("\n", 0, use.start()) + 1) for path, text in code.items() for use in re.finditer(rf"\bdiag::{name}\b", text)]
    print(f"{name}: {len(uses)} uses, {ceiling} allowed")
    if len(uses) > int(ceiling):
        complaints += [f"  {path.relative_to(root)}:{line}" for path, line in uses]
        complaints.append(f"{name} is used {len(uses)} times, and {ceiling} are allowed: give the new message a row of its own")
print("\n".join(complaints))
sys.exit(bool(complaints))
