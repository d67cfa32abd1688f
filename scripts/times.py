#!/usr/bin/env python3
"""Where the time of a build and of the tests goes: tables for docs/building.md.

    scripts/times.py                    of build/: each folder of the sources, each stage of scripts/test.sh
    scripts/times.py --files 20         and the 20 steps of the build that took longest
    scripts/times.py --compare OLD      beside another build folder, with the ratios

Ninja logs when each step began and ended, not how much of a processor it had. On an otherwise idle machine, with as
many jobs as cores, that is the processor time. scripts/build.sh appends the processor time of each of its runs to
build/times.jsonl, and scripts/run_tests.py that of each stage of the tests.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def steps(build):
    """Seconds by output, of each output's last step. One step may have several outputs: it counts once."""
    log = build / ".ninja_log"
    if not log.is_file():
        raise SystemExit(f"times: {log} is missing; scripts/build.sh writes it")
    last = {}
    for line in log.read_text().splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            last[fields[3]] = (int(fields[0]), int(fields[1]), fields[4])
    once = {}
    for output, step in last.items():
        once.setdefault(step, output)
    return {output: (step[1] - step[0]) / 1000 for step, output in once.items()}


def folder(output):
    """Of the sources: `compiler/sema` of `compiler/sema/CMakeFiles/fly_sema.dir/united/x.cpp.o`."""
    if "/CMakeFiles/" in output:
        return output.split("/CMakeFiles/")[0]
    if re.match(r"(bin|unit|fuzz)/|lib/|.*\.(a|so)$", output):
        return "linking"
    return "generating"


def by_folder(build):
    totals, counts = Counter(), Counter()
    for output, seconds in steps(build).items():
        totals[folder(output)] += seconds
        counts[folder(output)] += 1
    return totals, counts


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---|" + "---:|" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_folders(build, old):
    totals, counts = by_folder(build)
    before = by_folder(old)[0] if old else Counter()
    names = sorted(set(totals) | set(before), key=lambda name: -(before[name] if old else totals[name]))
    rows = [(name, totals[name], before[name], counts[name]) for name in names]
    rows.append(("all", sum(totals.values()), sum(before.values()), sum(counts.values())))
    if old:
        print_table(["folder", "before, s", "now, s", "ratio"],
                    [[f"`{name}`" if "/" in name else name, f"{was:.0f}", f"{now:.0f}", f"{now / was:.2f}" if was else ""]
                     for name, now, was, _ in rows])
    else:
        print_table(["folder", "steps", "s"],
                    [[f"`{name}`" if "/" in name else name, str(count), f"{now:.0f}"] for name, now, _, count in rows])


def print_runs(build):
    """What scripts/build.sh and scripts/run_tests.py recorded last."""
    log = build / "times.jsonl"
    if not log.is_file():
        return
    last = {}
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        last.pop(entry["what"], None)
        last[entry["what"]] = entry
    print_table(["run", "processor, s", "waiting, s"],
                [[what, f"{entry['processor']:.0f}", f"{entry['waiting']:.0f}"] for what, entry in last.items()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="build directory")
    parser.add_argument("--compare", type=Path, metavar="OLD", help="another build directory, to compare with")
    parser.add_argument("--files", type=int, default=0, metavar="N", help="also list the N longest steps")
    options = parser.parse_args()
    print_folders(options.build, options.compare)
    if options.files:
        longest = sorted(steps(options.build).items(), key=lambda step: -step[1])[: options.files]
        print_table(["step", "s"], [[f"`{output}`", f"{seconds:.1f}"] for output, seconds in longest])
    print_runs(options.build)


if __name__ == "__main__":
    main()
