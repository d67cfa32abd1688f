"""The options of kernels/attention/attention.fly: a covering array for every day, and their product.

The rows of `covers_options` in kernels/attention/options.fly have each pair of values of two options once or more. They are
made here, always the same:

    cover.py                       says whether the file has them
    cover.py --update              writes them there

The product is of types, heads, pages, what changes scores, masks and parts. The other options take turns in it, with few heads and
short sequences: most of its time is that of compilation. A chunk has the rows of one type, head and kind of page, so that each of
its instances is compiled once; chunks come in an order that mixes them, so that a part of them is a sample of all.

    cover.py --product --arch gfx942 [--results FILE] [--seconds N] [--slice 0/2]

The results, product.jsonl, have a line per chunk: how many rows passed, were refused with a message, and were wrong, and by which
commit. What is there already is not run again.
"""

import argparse
import collections
import itertools
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/kernels"))
from covering import covering_array, literal, update  # noqa: E402

FILE = ROOT / "kernels/attention/options.fly"

ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
INSTANCES = ["f16 64", "bf16 128", "bf16 192", "f8 128", "bf16 40 bias", "f16 256 linear", "bf16 96 pieces", "f8 64 shuffled"]
OF_PARTS = ["f16 64", "bf16 96 pieces", "f8 64 shuffled"]
FORMS = ["", "packed", "gaps", "lengths", "packed lengths", "used", "packed used", "lengths used"]
SIZES = ["1", "30", "33", "64", "129", "255", "513", "511"]
LONG = ["129", "255", "511", "513"]
HEADS = [(1, 1), (4, 2), (3, 1), (8, 1), (16, 1)]
MASKS = [(-1, -1), (-1, 0), (16, 0), (30, 5), (5, -1), (0, 3)]
PARTS, SINK, LSE, SCALES = [1, 2, 5], [True, False], [True, False], [0.125, -0.125, 0.0]
OPTIONS = [ARCHITECTURES, INSTANCES, FORMS, SIZES, HEADS, MASKS, PARTS, SINK, LSE, SCALES]

TYPES = ["f16", "bf16", "F8"]
DIMENSIONS = [(64, 64), (128, 128), (192, 128), (256, 256), (96, 96), (40, 40)]
MEMORY = [(0, "rows")] + [(page, kind) for page in (16, 64, 128) for kind in ("linear", "pieces", "shuffled")]
SCORES = ["", "bias", "alibi", "cap", "cap bias alibi"]
OF_PRODUCT = ["1 and 7", "30", "33", "65", "129 and 5", "130 and 3"], [(1, 1), (2, 1), (4, 2), (3, 1)]     # sizes, heads


def allowed(row):
    """Pages have their lengths anyway. Many heads have short sequences, and not each instance several parts."""
    _, instance, form, size, heads, _, parts = row[:7]
    if instance and form and "lengths" in form and re.search("linear|pieces|shuffled", instance):
        return False
    if instance and parts and parts > 1 and instance not in OF_PARTS:
        return False
    return not (size in LONG and heads and heads[0] > 4)


def spread(rows):
    """The same number of rows for each architecture, as far as each pair stays in a row."""
    rows = [list(row) for row in rows]
    pairs = collections.Counter((row[0], i, value) for row in rows for i, value in enumerate(row))
    for row in rows:
        of_row = list(enumerate(row))[1:]
        least = min(ARCHITECTURES, key=lambda arch: pairs[arch, 0, arch])
        if pairs[row[0], 0, row[0]] > pairs[least, 0, least] + 1 and all(pairs[row[0], i, value] > 1 for i, value in of_row):
            pairs.subtract([(row[0], 0, row[0]), *((row[0], i, value) for i, value in of_row)])
            row[0] = least
            pairs.update([(row[0], 0, row[0]), *((row[0], i, value) for i, value in of_row)])
    return sorted(map(tuple, rows), key=lambda row: ARCHITECTURES.index(row[0]))


def chunks():
    """(type, heads, memory) and its rows: what `covers` of options.fly takes."""
    turn = itertools.count()
    found = []
    for T, (D, DV), memory in itertools.product(TYPES, DIMENSIONS, MEMORY):
        D, DV = (48, 48) if T == "F8" and D == 40 else (D, DV)
        rows = []
        for scores, parts, mask in itertools.product(SCORES, (1, 3), MASKS):
            i = next(turn)
            forms = [form for form in FORMS if "lengths" not in form] if memory[0] else FORMS
            sizes, heads = OF_PRODUCT
            O = "bf16" if T == "F8" else T
            rows.append((f"({T}, {O}, ({D}, {DV}), {literal(memory)}, {literal(scores)}, 5)", forms[i % len(forms)], sizes[i // 3 % len(sizes)],
                         heads[i // 7 % len(heads)], mask, parts, i // 2 % 2 == 0, i // 4 % 2 == 0, SCALES[i // 5 % 3]))
        found.append((f"{T} {D}/{DV} {memory[1]} {memory[0]}", rows))
    random.Random(1).shuffle(found)
    return found


def run_chunk(rows, options, folder):
    """The outcomes of rows: passed; refused, with the message; wrong, with the first line of what is. None if flyc was ended by others."""
    file = Path(folder) / "product.fly"
    texts = [f"    ({row[0]}, " + ", ".join(map(literal, row[1:])) + "),\n" for row in rows]
    file.write_text("from fly.attention import F8\nfrom options import covers\n\nROWS = [\n" + "".join(texts) +
                    "]\n\n\n@check(row=ROWS)\ndef product(row):\n    covers(*row)\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([options.flyc, "test", file, "--arch", options.arch, "-I", FILE.parent, "--order", "ascending", "--json",
                            "--timeout", "86400"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=os.environ | {"FLY_CACHE_DIR": folder})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        cases = json.loads(ended.stdout)["runs"][0]["cases"]
    except (ValueError, KeyError, IndexError):
        cases = []
    if len(cases) != len(rows) and re.search("Terminated|Killed|Interrupt|took longer", ended.stderr):
        return None
    refusals, wrong = collections.Counter(), []
    for case in cases:
        if case["outcome"] != "passed":
            line = case["detail"].splitlines()[0] if case["detail"] else ""
            if re.match(r"FLY\d+: ", line) or "launch refused" in line:
                refusals[re.sub(r"^\S*options\.fly:\S* ", "", line)] += 1
            else:
                wrong.append(f"{case['name']}: {line}"[:300])
    passed = sum(case["outcome"] == "passed" for case in cases)
    entry = {"passed": passed, "refused": refusals.total(), "wrong": len(rows) - passed - refusals.total(),
             "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1)}
    if refusals:
        entry["refusals"] = dict(refusals)
    if wrong or len(cases) != len(rows):
        entry["rows"] = wrong or [ended.stderr[-1000:]]
    return entry


def run_product(options):
    done = {}
    if options.results.is_file():
        for line in options.results.read_text().splitlines():
            entry = json.loads(line)
            done[entry["arch"], entry["chunk"]] = entry
    which, of = map(int, options.slice.split("/"))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:           # also of the objects that chunks share
        for n, (name, rows) in enumerate(chunks()):
            if n % of != which or (options.arch, name) in done:
                continue
            if options.seconds and time.monotonic() - begin > options.seconds:
                break
            commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
            entry = run_chunk(rows, options, folder)
            if entry is None:
                continue
            entry = {"arch": options.arch, "chunk": name, "commit": commit} | entry
            done[options.arch, name] = entry
            with open(options.results, "a") as out:
                print(json.dumps(entry), file=out)
            print(f"{options.arch} {name}: {entry['passed']} passed, {entry['refused']} refused, {entry['wrong']} wrong, "
                  f"{entry['seconds']} s", flush=True)
    mine = [entry for (arch, _), entry in done.items() if arch == options.arch]
    passed, refused, wrong = (sum(entry[key] for entry in mine) for key in ("passed", "refused", "wrong"))
    total = sum(len(rows) for _, rows in chunks())
    print(f"{options.arch}: {total} rows, {passed} passed, {refused} refused, {wrong} wrong, {total - passed - refused - wrong} not run")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the covering array into options.fly")
    parser.add_argument("--product", action="store_true", help="run the product")
    parser.add_argument("--arch", default="gfx942")
    parser.add_argument("--flyc", type=Path, default=ROOT / "build/bin/flyc")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("product.jsonl"))
    parser.add_argument("--seconds", type=int, default=0, help="begin no chunk after so long")
    parser.add_argument("--slice", default="0/1", metavar="I/N", help="only each Nth chunk, from the Ith")
    options = parser.parse_args()
    if options.product:
        return run_product(options)
    return update(FILE, spread(covering_array(OPTIONS, allowed)), options.update)


if __name__ == "__main__":
    sys.exit(main())
