"""Runs `flyc build --stop-after=PASS -o -` for each pass that flyc names."""

import re
import subprocess
import sys

flyc, source = sys.argv[1:]


def build(name):
    return subprocess.run([flyc, "build", source, f"--stop-after={name}", "-o", "-"], capture_output=True, text=True)


refused = build("?").stderr
names = re.search(r"the passes are (.*?)  \[", refused)[1].split(", ")
for name in dict.fromkeys(names):
    run = build(name)
    kernels = ("fly.kernel @", "llvm.func @", "define amdgpu_kernel void @", "\nbody: ")  # MLIR, LLVM IR, MIR
    good = run.returncode == 0 and any(kernel in run.stdout for kernel in kernels)
    print(name, "ok" if good else f"FAILED\n{run.stderr}{run.stdout[:400]}")
    if not good:
        sys.exit(1)
assert len(names) > 3, refused
