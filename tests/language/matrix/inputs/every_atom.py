"""Runs the checks beside this file with all atoms that `flyc targets ARCH --json` lists, in all pairs of types.

    every_atom.py ARCH

Prints the checks that failed and how many passed; the status is that of the checks.
"""

import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
arch = sys.argv[1]
listed = subprocess.run(["flyc", "targets", arch, "--json"], capture_output=True, text=True, check=True).stdout
atoms = json.loads(listed)["targets"][0]["matrix_atoms"]


def run(file, some):
    """The checks of a file with these atoms; the number that passed."""
    if not some:
        return 0
    cases = [(atom["name"], a["type"], b["type"]) for atom in some for a in atom["a"] for b in atom["b"]]
    text = ", ".join(f'("{name}", {a}, {b})' for name, a, b in cases)
    done = subprocess.run(["flyc", "test", FOLDER / file, "--arch", arch, "-W", "no-single-element-copy",
                           "-D", f"ATOMS=[{text}]"], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    failed = [line for line in lines if not line.startswith("ok ")][:-1]
    if done.returncode or failed:
        print("\n".join(failed), done.stderr, sep="\n")
        sys.exit(1)
    passed = sum(line.startswith("ok ") for line in lines)
    assert passed >= len(cases), done.stdout
    return passed


total = run("every_atom.fly", [atom for atom in atoms if not atom["scale_block"]])
total += run("scaled.fly", [atom for atom in atoms if atom["scale_block"]])
total += run("broadcasts.fly", [atom for atom in atoms if "cbsz" in atom["modifiers"]])
print(f"{len(atoms)} atoms of {arch}, {total} checks passed")
