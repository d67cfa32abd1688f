"""The examples of rows with named arguments: the first has the mistake of its page, and no other; the second has none.

    explain_examples.py ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1]) / "compiler" / "diagnostics"
codes = re.findall(r'^FLY_ROW\(\w+, "(FLY\d{4})"', (folder / "Diagnostics.def").read_text(), re.MULTILINE)
NO_KERNELS = "FLY0933"  # of an example that is about values alone


def reported(example, path):
    """The codes of the errors."""
    path.write_text(example)
    command = ["test", path, "--arch", "gfx942", "-q"] if "@check" in example else ["build", path, "--arch", "gfx942", "--emit=fly", "-o", "-"]
    run = subprocess.run(["flyc", *command], capture_output=True, text=True)
    found = re.findall(r"^error\[(FLY\d{4})\]", run.stdout + run.stderr, re.MULTILINE)
    return [code for code in found if code != NO_KERNELS] + (["a crash"] if run.returncode < 0 else [])


complaints = []
with tempfile.TemporaryDirectory() as scratch:
    for code in codes:
        examples = re.findall(r"```python\n(.*?)```", (folder / "explain" / f"{code}.md").read_text(), re.DOTALL)
        found = [reported(example, pathlib.Path(scratch) / f"{code}.fly") for example in examples]
        if found != [[code], []]:
            complaints.append(f"{code}.md: its examples report {found}, and should report {[[code], []]}")
print("\n".join(complaints) or f"the examples of {len(codes)} pages are right")
sys.exit(bool(complaints or not codes))
