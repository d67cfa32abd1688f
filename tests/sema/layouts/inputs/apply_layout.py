"""Does what the help of bank-conflicts says: writes the layout that it names in the place of LAYOUTS's entry of each case, until
there is nothing left to say. Prints the layouts; fails where a conflict remains that the help promised to be gone.

    apply_layout.py FILE FLYC ARCH
"""
import re
import subprocess
import sys
import tempfile

path, flyc, arch = sys.argv[1:]
text = open(path, encoding="utf-8").read()
HELP = re.compile(r"= help: the layout `([^`]*)` has no conflicts")


def warnings(source, case):
    with tempfile.NamedTemporaryFile("w", suffix=".fly", encoding="utf-8") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([flyc, "build", file.name, "-Wperf", "-Wno-uncoalesced-access", f"-DCASE={case}", "--arch", arch, "--emit=fly", "-o", "-"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stderr


def conflicts(told):
    """Of the warnings, those of the banks."""
    return "\n".join(line for line in told.splitlines() if "FLY0652" in line)


cases = re.findall(r"^    # case (\d+)\n    (.*),$", text, re.MULTILINE)
assert cases
for case, old in cases:
    before = warnings(text, case)
    assert "accesses to `tile[" in conflicts(before), f"case {case} on {arch}: no conflicts to begin with"
    layouts = set(HELP.findall(before))
    assert len(layouts) == 1, f"case {case} on {arch}: {before}"
    new = layouts.pop()
    after = warnings(text.replace(f"    # case {case}\n    {old},", f"    # case {case}\n    {new},"), case)
    assert "accesses to `tile[" not in conflicts(after), f"case {case} on {arch}: {new} still has conflicts\n{after}"
    print(f"{arch} {case}: {new}")
