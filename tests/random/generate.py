"""Writes a .fly file of random kernels, each with a check: the same for the same options.

    generate.py --seed 1 --count 20 --arch gfx942 > random.fly

Kernel k of a seed does not depend on the others, so `--only k` writes it alone. Only kernels that use what one
architecture has depend on --arch. `--features` chooses kinds of kernels, as `exact=3,soup=5`. `--steer FILE` leans to
what the table of an earlier run (run.py) has least of.
"""

import argparse
import collections
import json
import os
import random
import sys

import kinds
import known
import program

ARCHS = ("gfx942", "gfx950", "gfx1201", "gfx1250")


def make_kernel(seed, k, arch, features=None, counts=None):
    """Kernel k of the seed."""
    source = random.Random(f"{seed}:{k}")
    weights = features or kinds.WEIGHTS
    names = sorted(weights)
    kind = source.choices(names, [weights[name] for name in names])[0]
    return kinds.KINDS[kind](source, counts, f"k{k}", arch)


def make_kernels(seed, numbers, arch, features=None, counts=None):
    """Those of the seed with these numbers that are for the architecture."""
    kernels = [make_kernel(seed, k, arch, features, counts) for k in numbers]
    return [kernel for kernel in kernels if not kernel.archs or arch in kernel.archs]


def parse_features(text):
    """"exact=3,soup" as weights; kinds that are not named have none."""
    if not text:
        return None
    found = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        if name not in kinds.KINDS:
            raise SystemExit(f"unknown feature {name}; there are {', '.join(sorted(kinds.KINDS))}")
        found[name] = float(weight or 1)
    return found


def read_counts(path, arch):
    """(operation, type): how often there was one on the architecture."""
    if not path:
        return None
    if not os.path.exists(path):  # before the first run
        return collections.Counter()
    with open(path) as file:
        table = json.load(file)["cells"]
    counts = collections.Counter()
    for name, count in table.items():
        operation, type, where = name.split("|")
        if where == arch:
            counts[operation, type] += count
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--arch", default="gfx942", choices=ARCHS)
    parser.add_argument("--features", help="kinds of kernels and their weights")
    parser.add_argument("--steer", metavar="FILE", help="the table of an earlier run")
    parser.add_argument("--only", type=int, metavar="K", help="write kernel K alone")
    parser.add_argument("--json", action="store_true", help="write the trees, for reduce.py")
    parser.add_argument("--known", action="store_true", help="also make what has known faults")
    options = parser.parse_args()
    known.SKIPPED = not options.known
    counts, features = read_counts(options.steer, options.arch), parse_features(options.features)
    numbers = range(options.count) if options.only is None else [options.only]
    found = make_kernels(options.seed, numbers, options.arch, features, counts)
    if options.json:
        json.dump([program.to_json(kernel) for kernel in found], sys.stdout)
    else:
        sys.stdout.write(program.file_text(found, f"generate.py {' '.join(sys.argv[1:])}"))


if __name__ == "__main__":
    main()
