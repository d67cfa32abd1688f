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
import subprocess
import sys
import tempfile
import time

# The pass, architectures that have the fault, and the kinds of kernels that are likely to show it.
PASSES = {
    "fly-hide-narrow-sources": ("gfx942,gfx1201", "soup=2,exact"),
    "fly-keep-roundings": ("gfx942,gfx1250", "soup=2,exact"),
    "fly-divisions": ("gfx942", "soup,exact=2"),
    "fly-float-atomics": ("gfx942,gfx1201", "soup"),
    "fly-stale-scc": ("gfx942", "soup"),
    "fly-dpp-products": ("gfx1201,gfx1250", "soup"),
    "fly-rewrite-mistaken": ("gfx942", "soup=2,exact"),
    "fly-tied-operands": ("gfx1201,gfx1250", "soup,exact"),
    "fly-address-waits": ("gfx1250", "soup,copies"),
    "fly-trust-waits": ("gfx950", "amd,copies"),
}
STEP = 200


def failures(out):
    return sorted(path for path in glob.glob(os.path.join(out, "failures", "*", "*.fly")) if "reduced" not in path)


def search(flyc, name, archs, features, options):
    """(kernels, the message) of the first one that fails without the pass and passes with it; no message if none does."""
    deadline = time.time() + options.time
    runner = os.path.join(os.path.dirname(__file__), "run.py")
    made = 0
    for seed in range(1, options.most // STEP + 1):
        if time.time() > deadline:
            break
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, runner, "--flyc", flyc, "--seed", str(seed), "--count", str(STEP // len(archs.split(",")))]
            command += ["--archs", archs, "--features", features, "--jobs", str(options.jobs), "--reduce", "0", "--out", out]
            command += ["--option=--without", f"--option={name}", "--time", "600"]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            with open(os.path.join(out, "state.json")) as file:
                made += json.load(file)["checks"]
            for path in failures(out):
                arch = path.split(".")[-2]
                if subprocess.run([flyc, "test", path, "--arch", arch, "--reference", "-q"], capture_output=True).returncode == 0:
                    with open(path.replace(".fly", ".txt")) as file:
                        return made, file.read().splitlines()[0]
    return made, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flyc", required=True)
    parser.add_argument("--most", type=int, default=20000, help="kernels for each pass")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time", type=float, default=1e9, help="seconds for each pass")
    parser.add_argument("passes", nargs="*", metavar="PASS", help="default: all of docs/trust.md")
    options = parser.parse_args()
    for name in options.passes or PASSES:
        archs, features = PASSES[name]
        made, message = search(options.flyc, name, archs, features, options)
        found = f"within {made} kernels: {message}" if message else f"not within {made} kernels"
        print(f"{name}: {found}", flush=True)


if __name__ == "__main__":
    main()
