"""Runs random kernels on flyc's emulator, collects failures and counts what was covered.

    run.py --flyc build/bin/flyc --seed 1 --count 2000 --archs gfx942,gfx1201 --jobs 2 --time 600 --out random-out

Each file of kernels is run on all architectures. A kernel fails if it does not compile, if the emulator finds a fault,
if a result differs from what the generator or the reference interpreter computes, or if two architectures disagree. A
failing kernel is written to OUT by itself, with its tree beside it, and the first ones of each class are reduced. A
second run with the same OUT and seed continues.

    OUT/state.json      which files were done, of all seeds, and the counts of each cell (operation|type|architecture):
                        `--steer` reads it
    OUT/<class>/        failing kernels: .fly, .json (the tree), .txt (the message), .reduced.fly
"""

import argparse
import collections
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import time

import generate
import judge
import known
import operations as O
import program

SAMPLE = 8  # in every eighth file it is counted what the reference compared
HERE = os.path.dirname(os.path.abspath(__file__))


def run_file(job):
    """(number, checks, operations, cells, failures, compared) of a file; failures: (arch, k, class, detail, tree)."""
    number, seed, options, counts = job
    flyc = judge.Flyc(options["flyc"], options["reference"], options["timeout"], options["options"])
    sizes, cells, failures, digests = [], collections.Counter(), [], {}
    checks, compared = 0, collections.Counter()
    for arch in options["archs"]:
        kernels = generate.make_kernels(seed, range(options["per_file"]), arch, options["features"], counts.get(arch))
        path = os.path.join(options["out"], "files", f"{seed}.{arch}.fly")
        with open(path, "w") as file:
            file.write(
                program.file_text(kernels, f"generate.py --seed {seed} --count {options['per_file']} --arch {arch}")
            )
        outcomes, printed, whole = flyc.test(path, arch)
        if whole:  # one by one, to know which
            outcomes, printed = one_by_one(flyc, kernels, path, arch)
        for kernel in kernels:
            checks += 1
            outcome, detail = outcomes.get(kernel.name, ("lost", whole or "the check did not run"))
            if outcome == "passed":
                for (operation, type), count in kernel.counted().items():
                    cells[f"{operation}|{type}|{arch}"] += count
                sizes.append(kernel.operations())
            else:
                failures.append((arch, kernel.name, judge.message_class(detail), detail, program.to_json(kernel)))
            if kernel.portable and not counts and kernel.name in printed:  # which kernels there are depends on counts
                digests.setdefault(kernel.name, []).append((arch, printed[kernel.name], kernel))
        if flyc.reference and number % SAMPLE == 0 and not whole:
            done, launches, reasons = flyc.compared(path, arch)
            compared.update({"": launches, "compared": done})
            compared.update({reason: int(count) for count, reason in reasons})
        if not options["keep"]:
            os.remove(path)
    for name, found in digests.items():
        arch, first, kernel = found[0]
        for other, second, _ in found[1:]:
            differ = judge.differing(first, second)
            if differ:
                detail = f"{arch} and {other} differ in {', '.join(differ)}"
                failures.append((f"{arch}+{other}", name, "architectures differ", detail, program.to_json(kernel)))
                break
    return number, checks, sizes, cells, failures, compared


def one_by_one(flyc, kernels, path, arch):
    outcomes, printed = {}, {}
    for kernel in kernels:
        with open(path, "w") as file:
            file.write(program.file_text([kernel]))
        outcome, digest, whole = flyc.test(path, arch)
        outcomes.update({kernel.name: ("lost", whole)} if whole else outcome)
        printed.update(digest)
    return outcomes, printed


def folder_of(out, kind):
    return os.path.join(out, "failures", re.sub(r"\W+", "-", kind).strip("-").lower()[:60] or "unknown")


def write_failure(options, seed, failure):
    arch, name, kind, detail, tree = failure
    folder = folder_of(options["out"], kind)
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"{seed}.{name}.{arch}")
    with open(stem + ".json", "w") as file:
        json.dump({"arch": arch, "class": kind, "kernel": tree}, file)
    with open(stem + ".fly", "w") as file:
        file.write(program.file_text([program.from_json(tree)], f"{arch}: {kind}"))
    with open(stem + ".txt", "w") as file:
        file.write(detail)
    return stem


def reduce_failures(options, deadline):
    """The first ones of each class, while there is time."""
    root = os.path.join(options["out"], "failures")
    for folder in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        trees = sorted(name for name in os.listdir(os.path.join(root, folder)) if name.endswith(".json"))
        for name in trees[: options["reduce"]]:
            stem = os.path.join(root, folder, name.removesuffix(".json"))
            left = deadline - time.time()
            if os.path.exists(stem + ".reduced.fly") or left < 5:
                continue
            command = [sys.executable, os.path.join(HERE, "reduce.py"), stem + ".json", "--flyc", options["flyc"]]
            command += ["-o", stem + ".reduced.fly", "--time", str(int(left))]
            subprocess.run(command, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flyc", required=True)
    parser.add_argument("--count", type=int, default=1000, help="kernels, on each architecture")
    parser.add_argument("--per-file", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--archs", default=",".join(generate.ARCHS))
    parser.add_argument("--features", help="as for generate.py")
    parser.add_argument("--steer", metavar="FILE", help="lean to what this table has least of")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time", type=float, default=600, help="seconds")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a file")
    parser.add_argument("--out", required=True)
    parser.add_argument("--below", type=int, default=5, help="list cells with fewer than this")
    parser.add_argument("--list", type=int, default=20, help="how many of them")
    parser.add_argument("--reduce", type=int, default=2, help="how many of each class to reduce")
    parser.add_argument("--no-reference", action="store_true", help="do not run the reference interpreter")
    parser.add_argument("--keep", action="store_true", help="keep the files of kernels that pass")
    parser.add_argument("--option", action="append", default=[], help="a further option for `flyc test`")
    parser.add_argument("--known", action="store_true", help="also make what has known faults")
    options = vars(parser.parse_args())
    known.SKIPPED = not options["known"]
    options["archs"] = options["archs"].split(",")
    options["features"] = generate.parse_features(options["features"])
    options["reference"] = False if options["no_reference"] else None
    options["options"] = options.pop("option")
    os.makedirs(os.path.join(options["out"], "files"), exist_ok=True)
    start = time.time()
    deadline = start + options["time"]
    state_path = os.path.join(options["out"], "state.json")
    state = {"done": [], "checks": 0, "sizes": {}, "cells": {}, "failures": 0, "reference": {}}
    if os.path.exists(state_path):
        with open(state_path) as file:
            state = json.load(file)
    done = set(state["done"])
    counts = {}
    if options["steer"]:
        counts = {arch: generate.read_counts(options["steer"], arch) for arch in options["archs"]}
    files = -(-options["count"] // options["per_file"])
    first = options["seed"] * 1000000
    jobs = ((k, first + k, options, counts) for k in range(files) if first + k not in done)
    classes = collections.Counter()
    cells = collections.Counter(state["cells"])
    sizes = collections.Counter({int(k): v for k, v in state["sizes"].items()})
    reference = collections.Counter(state["reference"])  # of every SAMPLE-th file
    before = state["checks"]
    reserve = 0.2 * options["time"]  # for reducing
    with multiprocessing.Pool(options["jobs"]) as pool:
        for number, checks, found, counted, failures, compared in pool.imap_unordered(run_file, jobs):
            state["done"].append(first + number)
            state["checks"] += checks
            sizes.update(found)
            cells.update(counted)
            reference.update(compared)
            for failure in failures:
                classes[failure[2]] += 1
                state["failures"] += 1
                write_failure(options, first + number, failure)
            state["cells"], state["sizes"], state["reference"] = dict(cells), dict(sizes), dict(reference)
            with open(state_path + ".new", "w") as file:
                json.dump(state, file)
            os.replace(state_path + ".new", state_path)
            rate = (state["checks"] - before) / (time.time() - start)
            print(
                f"{state['checks']} checks, {rate:.1f} a second, {state['failures']} failures",
                file=sys.stderr,
                flush=True,
            )
            if time.time() > deadline - reserve * bool(classes):
                pool.terminate()
                break
    seconds = time.time() - start
    if options["reduce"]:
        reduce_failures(options, deadline)
    report(state, sizes, cells, classes, seconds, before, options)
    return 1 if state["failures"] else 0


def report(state, sizes, cells, classes, seconds, before, options):
    median = statistics.median(sizes.elements()) if sizes else 0
    made = state["checks"] - before
    rate = f"{made / seconds:.1f} a second with {options['jobs']} jobs"
    print(f"{state['checks']} checks of kernels, median {median:.0f} operations, {rate}")
    rare = sorted((count, name) for name, count in cells.items() if count < options["below"])
    operations = [operation for operation in O.TABLE if not known.skipped(operation)]
    every = {"|".join((*O.cell(operation), arch)) for operation in operations for arch in options["archs"]}
    missing = sorted(every - set(cells))
    told = f"{len(rare)} below {options['below']}, {len(missing)} of scalars without one"
    print(f"{len(cells)} cells (operation, type, architecture), {told}")
    for count, name in ([(0, name) for name in missing] + rare)[: options["list"]]:
        print(f"    {name.replace('|', ' ')}: {count}")
    launches, compared = state["reference"].get("", 0), state["reference"].get("compared", 0)
    if launches:
        print(f"the reference compared {compared} of {launches} launches of a sample")
        for reason, count in sorted(state["reference"].items(), key=lambda item: -item[1])[2:8]:
            print(f"    {count} not: {reason}")
    print(f"{state['failures']} failures")
    for kind, count in classes.most_common():
        print(f"    {count} {kind}")


if __name__ == "__main__":
    sys.exit(main())
