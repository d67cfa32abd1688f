"""The examples of the pages of `flyc explain`: the first has the mistake of its page, and no other; the second has none.

    explain_examples.py ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile

folder = pathlib.Path(sys.argv[1]) / "compiler" / "diagnostics"
rows = re.findall(r'^FLY_(?:DIAG|ROW)\(\w+, "(FLY\d{4})", (\w+)', (folder / "Diagnostics.def").read_text(), re.MULTILINE)
codes = [code for code, _ in rows]
WARNINGS = {code for code, severity in rows if severity == "Warning"}
OF_MACHINE_CODE = WARNINGS | {"FLY0428"}
NO_KERNELS = "FLY0933"  # of an example that is about values alone
# Pages with no pair of programs that flyc compiles by itself: their examples are parts of a program, or need a command
# line or a file. A new page is not one of them, and a page whose examples have become right leaves the list.
FRAGMENTS = set("""
FLY0101 FLY0102 FLY0103 FLY0104 FLY0105 FLY0106 FLY0108 FLY0109 FLY0110 FLY0111 FLY0112 FLY0116 FLY0117 FLY0118
FLY0119 FLY0121 FLY0123 FLY0125 FLY0126 FLY0127 FLY0204 FLY0206 FLY0207 FLY0211 FLY0301 FLY0303 FLY0306 FLY0307
FLY0308 FLY0311 FLY0312 FLY0316 FLY0402 FLY0404 FLY0405 FLY0406 FLY0414 FLY0420 FLY0501 FLY0504 FLY0505 FLY0507
FLY0508 FLY0510 FLY0513 FLY0566 FLY0602 FLY0603 FLY0604 FLY0606 FLY0613 FLY0615 FLY0617 FLY0618 FLY0619 FLY0651 FLY0652
FLY0653 FLY0654 FLY0655 FLY0657 FLY0702 FLY0801 FLY0802 FLY0902 FLY0912 FLY0921 FLY0931 FLY0932 FLY0933 FLY0934
FLY0935 FLY0936 FLY0937 FLY0938 FLY0939 FLY0940 FLY0941 FLY0942 FLY0943 FLY0947 FLY0950 FLY0951
""".split())


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
        examples = re.findall(r"```(?:fly|asm)\n(.*?)```", page, re.DOTALL)
        found = [reported(code, example, page, pathlib.Path(scratch) / f"{code}.fly") for example in examples]
        if (found == [[code], []]) == (code in FRAGMENTS):
            complaints.append(f"{code}.md: its examples are right; take it off the list" if code in FRAGMENTS else
                              f"{code}.md: its examples report {found}, and should report {[[code], []]}")
print("\n".join(complaints) or f"the examples of {len(codes) - len(FRAGMENTS)} pages are right")
sys.exit(bool(complaints or not codes))
