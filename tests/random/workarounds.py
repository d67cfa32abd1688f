#!/usr/bin/env python3
"""How many random kernels it takes to find a fault of LLVM again, with what avoids it left out.

    workarounds.py --flyc build/bin/flyc --most 20000 --jobs 2 [PASS ...]

For each pass of docs/trust.md, kernels are made until one fails that passes with it, at most so many. Prints a line for
each pass. A kernel fails in one of these ways:

    build   `flyc build`: LLVM's verifier of machine code, or flyc's, refuses it
    run     `flyc test --reference`: it does not compile, the emulator finds a fault, or the results differ
    verify  `flyc verify` finds a wait or a distance that is missing, which flyc would insert without the option. The
            emulator cannot see all of these: it never translates an address twice
    pairs   LLVM's llc, without flyc's passes in the backend, pairs an instruction too near to a transcendental one
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import generate
import program

# The pass, architectures that have the fault, kinds of kernels that are likely to show it, how, and further options.
# Waits that are missing are inserted into the finished code unless their rules are off.
PASSES = {
    "fly-hide-narrow-sources": ("gfx942,gfx1201", "families", "run", ()),
    "fly-keep-roundings": ("gfx942,gfx1250", "families", "run", ()),
    "fly-divisions": ("gfx942", "families", "run", ()),
    "fly-float-atomics": ("gfx942,gfx1201", "soup", "run", ()),
    "fly-stale-scc": ("gfx942", "soup", "build", ()),
    "fly-dpp-products": ("gfx1201,gfx1250", "soup", "build", ()),
    "fly-dpp-bit-operations": ("gfx1250", "soup", "run", ()),
    "fly-dpp-sources": ("gfx1201,gfx1250", "soup", "run", ()),
    "fly-all-ones": ("gfx1250", "soup", "run", ()),
    "fly-wide-constants": ("gfx942,gfx1201", "soup", "run", ()),
    "fly-rewrite-mistaken": ("gfx942", "families", "run", ()),
    "fly-tied-operands": ("gfx1201,gfx1250", "families", "build", ()),
    "fly-high-vgprs": ("gfx1250", "large", "run", ()),
    "fly-address-waits": ("gfx1250", "soup", "verify", ("-W", "no-verify=wait-source")),
    "fly-copy-waits": ("gfx942", "stages", "build", ()),
    "Mending.h": ("gfx942,gfx950", "products", "verify", ("-W", "no-verify")),
    "Mending.h, copies to LDS": ("gfx942", "stages", "run", ("-W", "no-verify")),
    "PairHazards.h": ("gfx1250", "large,soup", "pairs", ()),
}
FILE = 25  # kernels of a file: of each seed, for each architecture and job


def is_file(name):
    """A part of the compiler that is no pass and has no switch of its own."""
    return ".h" in name


def without(name, further):
    return list(further) + ([] if is_file(name) else ["--without", name])


# By running


def failures(out):
    """Kernels that fail, those of the first files first."""
    found = [path for path in glob.glob(os.path.join(out, "failures", "*", "*.fly")) if "reduced" not in path]
    return sorted(found, key=place)


def place(path):
    """(file, kernel in it): 1000003.k12.gfx942.fly is kernel 12 of file 3 of seed 1."""
    found = re.match(r"(\d+)\.k(\d+)\.", os.path.basename(path))
    return int(found[1]) % 1000000, int(found[2])


def keep(path, folder):
    """A kernel that fails with the pass as well: a find of its own."""
    for each in glob.glob(path.replace(".fly", ".*")) if folder else []:
        os.makedirs(folder, exist_ok=True)
        shutil.copy(each, folder)


def by_running(name, row, options):
    """(kernels, the message) of the first one that fails without the pass and passes with it; else no message."""
    archs, features, _, further = row
    deadline = time.time() + options.time
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.py")
    made, count, seed = 0, len(archs.split(",")), options.seed
    while made < options.most and time.time() < deadline:
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, runner, "--flyc", options.flyc, "--seed", str(seed), "--archs", archs]
            command += ["--features", features, "--count", str(FILE * options.jobs), "--jobs", str(options.jobs)]
            command += ["--time", "600", "--reduce", "0", "--out", out]
            command += [f"--option={option}" for option in without(name, further)]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            for path in failures(out):
                arch = path.split(".")[-2]
                command = [options.flyc, "test", path, "--arch", arch, "--reference", "-q"]
                command += () if is_file(name) else further
                if subprocess.run(command, capture_output=True).returncode != 0:
                    keep(path, options.keep)
                    continue
                file, kernel = place(path)
                with open(path.replace(".fly", ".txt")) as text:
                    line = re.sub(r"^\S+?:\d+:\d+: ", "", text.read().splitlines()[0])
                    return made + count * (FILE * file + kernel + 1), line
            with open(os.path.join(out, "state.json")) as file:
                made += json.load(file)["checks"]
        seed += 1
    return made, None


# By reading the code or the compiler's message


def one_by_one(name, row, options, judge):
    """As by_running; `judge(folder, kernels, arch)`: (kernel's name, message) of one that shows the fault, or None."""
    archs, features, _, _ = row
    deadline = time.time() + options.time
    made, seed, weights = 0, options.seed, generate.parse_features(features)
    while made < options.most and time.time() < deadline:
        for arch in archs.split(","):
            kernels = generate.make_kernels(seed, range(FILE), arch, weights)
            with tempfile.TemporaryDirectory() as folder:
                found = judge(folder, kernels, arch)
            if found:
                return made + [kernel.name for kernel in kernels].index(found[0]) + 1, f"{arch}: {found[1]}"
            made += len(kernels)
        seed += 1
    return made, None


def written(folder, kernels):
    path = os.path.join(folder, "kernels.fly")
    with open(path, "w") as file:
        file.write(program.file_text(kernels))
    return path


def verified(flyc, folder, kernels, arch, further):
    """The first finding of `flyc verify` in each kernel, or None if they do not compile."""
    command = [flyc, "build", written(folder, kernels), "--arch", arch, "-q", "-j", "1", "--no-cache", *further]
    subprocess.run([*command, "--emit", "hsaco", "-o", folder], capture_output=True)
    code = os.path.join(folder, f"kernels.{arch}.hsaco")
    if not os.path.exists(code):
        return None
    text = subprocess.run([flyc, "verify", code, "--color", "never"], capture_output=True, text=True).stdout
    return dict(re.findall(r"^(\w+): \d+ errors?,.*\n\s*error: (.*)", text, re.M))


def by_verifying(name, row, options):
    further = row[3]

    def judge(folder, kernels, arch):
        found = verified(options.flyc, folder, kernels, arch, without(name, further))
        if found is None and len(kernels) > 1:  # one of them
            each = (judge(folder, [kernel], arch) for kernel in kernels)
            return next((one for one in each if one), None)
        for kernel in kernels:
            if kernel.name in (found or {}):
                with tempfile.TemporaryDirectory() as other:
                    kept = () if is_file(name) else further
                    if verified(options.flyc, other, [kernel], arch, kept) == {}:
                        return kernel.name, found[kernel.name]
        return None

    return one_by_one(name, row, options, judge)


TRANSCENDENTAL = re.compile(r"v_(?:s_)?(?:exp|log|rcp|rsq|sqrt|sin|cos|tanh)\w*_f\w+ (v\d+), \|?-?\|?(\w+)")
PAIR = re.compile(r"v_dual_\w+ (v\d+), (.*?) +:: v_dual_\w+ (v\d+), (.*?) *(?://|$)")


def near_pair(code):
    """Two instructions of a disassembly, of which the second is a pair and reads or overwrites what the first writes, or
    overwrites what it reads. Code that names more than 256 VGPRs is left out: its names depend on a mode."""
    if "s_set_vgpr_msb" in code:
        return None
    before = None
    for line in (line.strip() for line in code.splitlines()):
        pair = PAIR.match(line)
        if before and pair:
            results, sources = {pair[1], pair[3]}, set(re.findall(r"v\d+", pair[2] + pair[4]))
            if before[1] in results | sources or before[2] in results:
                return f"{before[0]}; {pair[0].split(' //')[0]}"
        if line.startswith("v_"):
            before = TRANSCENDENTAL.match(line)
        elif line.endswith(":") or line.startswith(("s_cbranch", "s_branch")):
            before = None
    return None


def by_building(name, row, options):
    further = row[3]

    def refusal(folder, kernels, arch, options_of_build):
        command = [options.flyc, "build", written(folder, kernels), "--arch", arch, "-q", "-j", "1", "--no-cache"]
        command += ["--emit", "hsaco", "-o", folder, "--color", "never", *options_of_build]
        made = subprocess.run(command, capture_output=True, text=True)
        return re.search(r"^error\[\w+\]: (.*`(\w+)`.*)", made.stderr, re.M) if made.returncode else None

    def judge(folder, kernels, arch):
        found = refusal(folder, kernels, arch, without(name, further))
        kernel = [kernel for kernel in kernels if found and kernel.name == found[2]]
        if not kernel or refusal(folder, kernel, arch, further):
            return None
        return found[2], found[1]

    return one_by_one(name, row, options, judge)


def by_pairs(name, row, options):
    def judge(folder, kernels, arch):
        listing = os.path.join(folder, "all.ll")
        command = [options.flyc, "build", written(folder, kernels), "--arch", arch, "-q", "-j", "1", "--no-cache"]
        subprocess.run([*command, "--stop-after", "fly-settle-vgprs", "-o", listing], capture_output=True)
        if not os.path.exists(listing):
            return None
        with open(listing) as file:
            modules = re.split(r"(?m)^(?=; ModuleID)", file.read())[1:]
        found = {}
        for module in modules:
            kernel = re.search(r"amdgpu_kernel void @(\w+)\(", module)[1]
            command = [options.llc, "-O3", "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", "-o", "-"]
            made = subprocess.run(command, input=module.encode(), capture_output=True).stdout
            code = os.path.join(folder, "one.o")
            with open(code, "wb") as file:
                file.write(made)
            command = [options.llc.replace("llc", "llvm-objdump"), "-d", f"--mcpu={arch}", code]
            message = near_pair(subprocess.run(command, capture_output=True, text=True).stdout)
            if message:
                found[kernel] = message
        return next(((kernel.name, found[kernel.name]) for kernel in kernels if kernel.name in found), None)

    return one_by_one(name, row, options, judge)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flyc", required=True)
    parser.add_argument("--llc", default="llc", help="of the LLVM that flyc has, with llvm-objdump beside it")
    parser.add_argument("--most", type=int, default=20000, help="kernels for each pass")
    parser.add_argument("--seed", type=int, default=1, help="the first one; each is good for a file")
    parser.add_argument("--jobs", type=int, default=1, help="of kernels that run")
    parser.add_argument("--time", type=float, default=1e9, help="seconds for each pass")
    parser.add_argument("--keep", metavar="FOLDER", help="for what fails with the pass as well")
    parser.add_argument("passes", nargs="*", metavar="PASS", help="default: all of docs/trust.md")
    options = parser.parse_args()
    ways = {"run": by_running, "build": by_building, "verify": by_verifying, "pairs": by_pairs}
    for name in options.passes or PASSES:
        row = PASSES[name]
        made, message = ways[row[2]](name, row, options)
        found = f"within {made} kernels: {message}" if message else f"not within {made} kernels"
        print(f"{name}: {found}", flush=True)


if __name__ == "__main__":
    main()
