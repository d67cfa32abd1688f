"""Every row of Diagnostics.def is emitted by the compiler, has a page of its own and is provoked by a test."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folder = root / "compiler" / "diagnostics"
PROPERTIES = r"(?:\.\w+ = [^,\n]+(?:, )?)+"
ROW = re.compile(r'^FLY_(?:DIAG|ROW)\((\w+), "(FLY\d{4})", \w+, "([a-z0-9-]+)", "(.*)"'
                 rf'(?:, FLY_NO_ARG|,\n((?: +FLY_ARG.*\n?)+)|)(?:,\s+{PROPERTIES})?\)?$', re.MULTILINE)
rows = ROW.findall((folder / "Diagnostics.def").read_text())


def texts(top, endings):
    return "\n".join(p.read_text(errors="replace") for p in sorted((root / top).rglob("*")) if p.suffix in endings)


code = texts("compiler", {".cpp", ".h"})
tests = texts("tests", {".fly", ".test", ".cpp", ".c", ".mlir", ".py"})
emitted = set(re.findall(r"\bdiag::(\w+)\b", code))
tested = set(re.findall(r"\bFLY\d{4}\b", tests))
tested_by_name = set(re.findall(r"\bdiag::(\w+)\b", tests))
complaints = []
if len(rows) != len(re.findall(r"\bFLY\d{4}\b", (folder / "Diagnostics.def").read_text())):
    complaints.append("a row has another form than these")
if len(rows) < 50:
    complaints.append(f"only {len(rows)} rows were found")
if [row[1] for row in rows] != sorted({row[1] for row in rows}):
    complaints.append("the rows are not sorted by code, or a code stands twice")
for identifier, number, name, message, arguments in rows:
    page = folder / "explain" / f"{number}.md"
    if identifier not in emitted:
        complaints.append(f"{number} {identifier}: nothing emits it")
    if number not in tested and identifier not in tested_by_name:
        complaints.append(f"{number} {identifier}: no test mentions it")
    if not page.exists():
        complaints.append(f"{number} {identifier}: there is no page {page.name}")
    elif not page.read_text().startswith(f"# {number} {name}\n"):
        complaints.append(f"{page.name} does not start with `# {number} {name}`")
    declared = re.findall(r"FLY_ARG\(\w+, (\w+)\)", arguments)
    if sorted(set(re.findall(r"\{([a-z]+)\}", message))) != sorted(declared):
        complaints.append(f"{number} {identifier}: the message does not name exactly its arguments {declared}")
    if message.endswith(".") or re.match(r"[A-Z][a-z]", message):
        complaints.append(f"{number} {identifier}: the message is a sentence; it starts lower case and has no full stop")
for page in sorted((folder / "explain").glob("*.md")):
    if page.stem not in {row[1] for row in rows}:
        complaints.append(f"{page.name} explains no row")
print("\n".join(complaints) or f"{len(rows)} rows are in order")
sys.exit(bool(complaints))
