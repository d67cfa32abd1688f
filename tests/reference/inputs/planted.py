"""A fault after each pass: `flyc test --reference` must find it, and blame that pass.

    planted.py FLYC SOURCE
"""

import subprocess
import sys

flyc, source = sys.argv[1:]
PASSES = """fly-finish-kernel fly-expand-products fly-expand-copies fly-interleave-streams fly-lower-layouts
convert-scf-to-cf fly-promote-slots canonicalize cse fly-expand-bf16""".split()
for name in PASSES:
    command = [flyc, "test", source, "--reference", "--plant-fault", name]
    run = subprocess.run(command, capture_output=True, text=True)
    wanted = [
        "`y` differs from the reference: element 0 is",
        f"`{name}` changes what the kernel computes",
        "it differs with all memory 0",
    ]
    missing = [text for text in wanted if text not in run.stdout]
    if run.returncode != 1 or missing:
        sys.exit(f"{name}: status {run.returncode}, without {missing}\n{run.stdout}{run.stderr}")
print(f"{len(PASSES)} passes are blamed")
