#!/usr/bin/env python3
"""How many random kernels it takes to find a fault of LLVM again, with what avoids it left out.

    workarounds.py --flyc build/bin/flyc --most 20000 --jobs 2 [PASS ...]

For each pass of docs/trust.md, kernels are made until one fails that passes with it, at most so many. Prints a line for
each pass.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# The pass, architectures that have the fault, the kinds of kernels that are likely to show it, and further options.
# Waits that are missing are inserted into the finished code unless their rules are off; the emulator then finds them.
PASSES = {
    "fly-hide-narrow-sources": ("gfx942,gfx1201", "families", ()),
    "fly-keep-roundings": ("gfx942,gfx1250", "families", ()),
    "fly-divisions": ("gfx942", "families", ()),
    "fly-float-atomics": ("gfx942,gfx1201", "soup", ()),
    "fly-stale-scc": ("gfx942", "soup", ()),
    "fly-dpp-products": ("gfx1201,gfx1250", "soup", ()),
    "fly-dpp-bit-operations": ("gfx1250", "soup", ()),
    "fly-dpp-sources": ("gfx1201,gfx1250", "soup", ()),
    "fly-all-ones": ("gfx1250", "soup", ()),
    "fly-wide-constants": ("gfx942,gfx1201", "soup", ()),
    "fly-rewrite-mistaken": ("gfx942", "families", ()),
    "fly-tied-operands": ("gfx1201,gfx1250", "families", ()),
    "fly-address-waits": ("gfx1250", "soup,copies", ("-W", "no-verify=wait-source")),
    "Mending.h": ("gfx942,gfx950", "matrix,amd,soup", ("-W", "no-verify")),
}
STEP = 200


def failures(out):
    return sorted(path for path in glob.glob(os.path.join(out, "failures", "*", "*.fly")) if "reduced" not in path)


def keep(path, folder):
    """A kernel that fails with the pass as well: a find of its own."""
    for each in glob.glob(path.replace(".fly", ".*")) if folder else []:
        os.makedirs(folder, exist_ok=True)
        shutil.copy(each, folder)


def search(flyc, name, archs, features, further, options):
    """(kernels, the message) of the first one that fails without the pass and passes with it; else no message."""
    deadline = time.time() + options.time
    runner = os.path.join(os.path.dirname(__file__), "run.py")
    without = list(further) + ([] if name.endswith(".h") else ["--without", name])
    made = 0
    for seed in range(1, options.most // STEP + 1):
        if time.time() > deadline:
            break
        with tempfile.TemporaryDirectory() as out:
            command = [
                sys.executable, runner, "--flyc", flyc, "--seed", str(seed), "--archs", archs, "--features", features
            ]
            command += ["--count", str(STEP // len(archs.split(","))), "--jobs", str(options.jobs), "--time", "600"]
            command += ["--reduce", "0", "--out", out, *(f"--option={option}" for option in without)]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            with open(os.path.join(out, "state.json")) as file:
                made += json.load(file)["checks"]
            for path in failures(out):
                arch = path.split(".")[-2]
                command = [
                    flyc, "test", path, "--arch", arch, "--reference", "-q", *(() if name.endswith(".h") else further)
                ]
                if subprocess.run(command, capture_output=True).returncode != 0:
                    keep(path, options.keep)
                else:
                    with open(path.replace(".fly", ".txt")) as file:
                        return made, file.read().splitlines()[0]
    return made, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flyc", required=True)
    parser.add_argument("--most", type=int, default=20000, help="kernels for each pass")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time", type=float, default=1e9, help="seconds for each pass")
    parser.add_argument("--keep", metavar="FOLDER", help="for what fails with the pass as well")
    parser.add_argument("passes", nargs="*", metavar="PASS", help="default: all of docs/trust.md")
    options = parser.parse_args()
    for name in options.passes or PASSES:
        archs, features, further = PASSES[name]
        made, message = search(options.flyc, name, archs, features, further, options)
        found = f"within {made} kernels: {message}" if message else f"not within {made} kernels"
        print(f"{name}: {found}", flush=True)


if __name__ == "__main__":
    main()
