"""Compares the time model with the points of points.json, and writes docs/generated/time-model-validation.md.

    python3 tests/benchmark/time/validate.py build/bin/flyc --write     runs everything; some 15 minutes of two cores
    python3 tests/benchmark/time/validate.py build/bin/flyc --write --only REGEX
                                                                        the points whose id matches; the rest stays
    python3 tests/benchmark/time/validate.py build/bin/flyc --write --part points|sensitivity|cost
    python3 tests/benchmark/time/validate.py build/bin/flyc --page      the page anew from what was found before
    python3 tests/benchmark/time/validate.py build/bin/flyc --check     a quick part; fails where it is not what the
                                                                        page says

results.json has what the model gave, the page is made from it. `--write` also writes the uncertainty that the machines
of runtime/emulator/timing/machines quote; build flyc after it. The steps are in validation/: launches.py (how a kernel
is launched), measures.py (what of its times is compared), figures.py (errors), sensitivity.py, cost.py, page.py.
"""

import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from validation import cost, figures, launches, measures, page, sensitivity                      # noqa: E402
from validation.runs import Runs                                                                 # noqa: E402

RESULTS = HERE / "results.json"
PAGE = launches.ROOT / "docs/generated/time-model-validation.md"
MACHINES = launches.ROOT / "runtime/emulator/timing/machines"
QUICK = (f"{launches.TIME}/micro_lds.fly", f"{launches.TIME}/micro_compute.fly")                 # of --check
QUICK_HEADLINE = ("gfx950", "v9")
ROUNDING = 0.001
BATCH = 12                              # points, after which results are kept
PARTS = ["points", "sensitivity", "cost"]
VALIDATED = ("gfx942", "gfx950")        # have test points, so their machines quote an uncertainty


def document():
    """points.json, each point with the tiles that a trip of its loop has."""
    read = json.loads((HERE / "points.json").read_text())
    tiles = {loop["id"]: loop["tiles_per_trip"] for loop in read["loops"]}
    for point in read["points"]:
        point["tiles_per_trip"] = tiles.get(point["loop"], 1)
    return read


def base_of(point):
    """The same point with the kernel that its measurement is relative to, if it is."""
    kernel = measures.RELATIVE.get(point["compare"])
    return {**point, "kernel": {**point["kernel"], "name": kernel}} if kernel is not None else None


def modelled(runs, points):
    """By id of each point that can be run: its value, and of a loop the cycles of its matrix instructions."""
    points = [point for point in points if point["kernel"] and point["compare"] in measures.MEASURES]
    wanted = {point["id"]: [(launches.of(each), ()) for each in (point, base_of(point)) if each] for point in points}
    found = runs.all([each for launch in wanted.values() for each in launch], progress=runs.jobs > 1)
    results = {}
    for point in points:
        taken = [found[each] for each in wanted[point["id"]]]
        result = {"value": round(measures.MEASURES[point["compare"]](point, *taken), 4)}
        if point["compare"] == figures.PER_TILE:
            result["matrix"] = measures.main_loop(taken[0])["matrix_cycles"] / point["tiles_per_trip"]
        results[point["id"]] = result
    return results


def uncertainty(points, results, arch):
    """What a machine that has test points quotes: `uncertainty` and `uncertainty_note`."""
    value, number = figures.uncertainty(points, results, arch)
    return value, f"80 % of {number} points are within" if number else "not validated"


def write_uncertainty(points, results):
    """Into the machines that have test points: only `uncertainty` and `uncertainty_note`."""
    for arch in VALIDATED:
        value, note = uncertainty(points, results, arch)
        path = MACHINES / f"{arch}.json"
        text = path.read_text()
        text = re.sub(r'"uncertainty_note": "[^"]*"', f'"uncertainty_note": "{note}"', text)
        text = re.sub(r'"uncertainty": \{[^}]*\}', f'"uncertainty": {{"value": {value:g}, "certainty": "derived", '
                      '"source": "docs/generated/time-model-validation.md"}', text)
        path.write_text(text)


def write(runs, points, only, parts):
    """Everything, or the points that are asked for, or parts; what is found is kept as it comes."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}

    def keep():
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")

    if "points" in parts:
        known, chosen = results.setdefault("points", {}), [each for each in points if re.search(only or "", each["id"])]
        for first in range(0, len(chosen), BATCH):
            known.update(modelled(runs, chosen[first:first + BATCH]))
            keep()
        if not only:                                                    # in their order, without those that are gone
            results["points"] = {each["id"]: known[each["id"]] for each in points if each["id"] in known}
    if "sensitivity" in parts and not only:
        results["sensitivity"] = {arch: sensitivity.measure(runs, arch) for arch in sensitivity.HEADLINES}
        keep()
    if "cost" in parts and not only:
        results["cost"] = cost.measure(runs)
    keep()
    write_uncertainty(points, results["points"])


def check(runs, points, results, machines):
    """What the quick part gives differently, and what the machines quote differently."""
    for arch in VALIDATED:
        quoted = machines[arch]["constants"]["uncertainty"]["value"], machines[arch]["uncertainty_note"]
        found = uncertainty(points, results["points"], arch)
        if quoted != found:
            yield f"{arch}: its machine quotes {quoted}, the results give {found}"
    quick = [point for point in points if point["kernel"] and point["kernel"]["file"] in QUICK]
    arch, headline = QUICK_HEADLINE
    before = {name: each["value"] for name, each in results["points"].items()}
    before[f"{arch} {headline}"] = results["sensitivity"][arch]["base"][headline]
    after = {name: each["value"] for name, each in modelled(runs, quick).items()}
    after[f"{arch} {headline}"] = sensitivity.base(runs, arch, [headline])[headline]
    for name, value in after.items():
        if name not in before or abs(value - before[name]) > ROUNDING * abs(before[name]):
            yield f"{name}: the model gives {value:g}, the page has {before.get(name)}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("flyc")
    options.add_argument("--write", action="store_true")
    options.add_argument("--only", metavar="REGEX")
    options.add_argument("--part", action="append", choices=PARTS)
    options.add_argument("--page", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("-j", type=int, default=2, help="runs at a time")
    given = options.parse_args()
    read = document()
    points, runs = read["points"], Runs(given.flyc, 1 if given.check else given.j)
    if given.write:
        write(runs, points, given.only, given.part or PARTS)
    results = json.loads(RESULTS.read_text())
    if missing := [part for part in PARTS if part not in results]:
        print(f"no page yet: results.json has no {' and no '.join(missing)}")
        return 1
    machines = {arch: json.loads((MACHINES / f"{arch}.json").read_text()) for arch in (*VALIDATED, "gfx1201")}
    before = json.loads((HERE / "before.json").read_text())
    text = page.text(read, results, machines, before)
    if given.write or given.page:
        PAGE.write_text(text)
    found = []
    if given.check:
        found = list(check(runs, points, results, machines))
        if PAGE.read_text() != text:
            found.append(f"{PAGE.name} is not what results.json, points.json and the machines give")
        print("\n".join(found))
        print(f"{len(found)} differences")
        if found:
            print("rewrite results and page: python3 tests/benchmark/time/validate.py build/bin/flyc --write\n"
                  "the page alone:           python3 tests/benchmark/time/validate.py build/bin/flyc --page")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
