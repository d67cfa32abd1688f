"""The examples of rows with named arguments: the first has the mistake of its page, and no other; the second has none.

    explain_examples.py ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1]) / "compiler" / "diagnostics"
rows = re.findall(r'^FLY_ROW\(\w+, "(FLY\d{4})", (\w+)', (folder / "Diagnostics.def").read_text(), re.MULTILINE)
codes = [code for code, _ in rows]
WARNINGS = {code for code, severity in rows if severity == "Warning"}
OF_MACHINE_CODE = WARNINGS | {"FLY0428"}
NO_KERNELS = "FLY0933"  # of an example that is about values alone


def reported(code, example, page, path):
    """The codes of the errors, and of the warnings on a page about one, which may come from machine code."""
    path.write_text(example)
    named = re.search(r"with `--arch=([^`]*)`", page)
    emit = ["-q", "-o", path.parent] if code in OF_MACHINE_CODE else ["--emit=fly", "-o", "-"]
    command = ["test", path, "-q"] if "@check" in example else ["build", path, *emit]
    if "with `flyc import`" in page:
        command = ["import", path, "-q"]
    if "with `flyc tune`" in page:
        command = ["tune", path, "-q", "--dry-run"]
    run = subprocess.run(["flyc", *command, "--arch", named[1] if named else "gfx942"], capture_output=True, text=True)
    severities = "error|warning" if code in WARNINGS else "error"
    found = re.findall(rf"^(?:{severities})\[(FLY\d{{4}})\]", run.stdout + run.stderr, re.MULTILINE)
    return [code for code in found if code != NO_KERNELS] + (["a crash"] if run.returncode < 0 else [])


complaints = []
with tempfile.TemporaryDirectory() as scratch:
    for code in codes:
        page = (folder / "explain" / f"{code}.md").read_text()
        examples = re.findall(r"```(?:python|asm)\n(.*?)```", page, re.DOTALL)
        found = [reported(code, example, page, pathlib.Path(scratch) / f"{code}.fly") for example in examples]
        if found != [[code], []]:
            complaints.append(f"{code}.md: its examples report {found}, and should report {[[code], []]}")
print("\n".join(complaints) or f"the examples of {len(codes)} pages are right")
sys.exit(bool(complaints or not codes))
