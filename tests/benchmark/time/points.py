"""Keeps points.json true.

    points.py flyc            checks the points, and that the loops have the counts that the file says
    points.py flyc --write    writes the counts of the loops, and which points they concern, into the file
    points.py flyc --table    prints the counts beside those of the measured loops

The counts are those of a trip of the main loop, of one wave, as `flyc report` finds them in the machine code.
"""

import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
FILE = HERE / "points.json"

CLASSES = ["matrix", "ds_read", "ds_write", "loads", "barriers", "waits", "valu", "salu", "instructions"]
SAME = ["matrix", "ds_read", "ds_write", "loads", "barriers"]         # what `same_counts` is about
ARCHS = {"gfx942", "gfx950", "gfx1201", "gfx1250"}
UNITS = {"cycles", "ratio", "TFLOPS", "TB/s", "us", "ns"}
LEVELS = {"high", "medium", "low"}
KEYS = {"id", "machine", "arch", "role", "kernel", "compare", "measured", "unit", "certainty", "source", "loop",
        "same_counts", "clock_mhz", "note"}


class Kernels:
    """The kernels of a file for one architecture: their names, and what is in their machine code."""

    def __init__(self, flyc):
        self.flyc, self.reported = flyc, {}

    def run(self, *command):
        done = subprocess.run([str(each) for each in (self.flyc, *command)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        return done.stdout

    @functools.cache
    def reports(self, file, arch):
        objects = json.loads(self.run("report", ROOT / file, "--arch", arch, "--json"))["objects"]
        self.reported[file, arch] = {name: each for part in objects for each in part["kernels"]
                                     for name in [each["name"], *each["aliases"]]}
        return self.reported[file, arch]

    @functools.cache
    def names(self, file, arch):
        """The names of a file's kernels; if there is no report of it, all words of its IR before code generation."""
        if (file, arch) in self.reported:
            return set(self.reported[file, arch])
        return set(re.findall(r"\w+", self.run("build", ROOT / file, "--arch", arch, "--emit=fly", "-o", "-")))

    def counts(self, loop):
        kernel = self.reports(loop["file"], loop["arch"]).get(loop["kernel"])
        if kernel is None:
            sys.exit(f"{loop['id']}: {loop['file']} has no kernel {loop['kernel']}")
        loops = [each["counts"]["classes"] for each in kernel["loops"]]
        count = max(loops, key=lambda each: each["mfma"] + each["wmma"])
        found = {"matrix": count["mfma"] + count["wmma"], "loads": count["lds_dma"] + count["vmem_read"]}
        return {name: found.get(name, count.get(name)) for name in CLASSES}


def same(loop):
    """Whether the loop has the instructions of the measured one, where those are known."""
    return all(loop["theirs"][name] in (None, loop["ours"][name]) for name in SAME)


def complaints(document, kernels):
    loops = {loop["id"]: loop for loop in document["loops"]}
    seen = set()
    for loop in document["loops"]:
        found = kernels.counts(loop)
        if found != loop["ours"]:
            yield f"{loop['id']}: the loop has {found}, the file says {loop['ours']}"
    for point in document["points"]:
        name = point["id"]
        if name in seen:
            yield f"{name}: two points have this id"
        seen.add(name)
        if set(point) - KEYS or point["arch"] not in ARCHS or point["unit"] not in UNITS \
                or point["certainty"] not in LEVELS or point["role"] not in ("fit", "test"):
            yield f"{name}: a field has a name or a value that is not known"
        if point["role"] == "fit" and "its" not in point.get("note", ""):
            yield f"{name}: the note must say what the point fits"
        kernel = point["kernel"]
        if kernel and not (ROOT / kernel["file"]).exists():
            yield f"{name}: there is no {kernel['file']}"
        elif kernel and kernel["name"] and kernel["name"] not in kernels.names(kernel["file"], point["arch"]):
            yield f"{name}: {kernel['file']} has no kernel {kernel['name']}"
        expected = same(loops[point["loop"]]) if point["loop"] else None
        if point["same_counts"] != expected:
            yield f"{name}: same_counts is {point['same_counts']}, the counts say {expected}"


def written(document):
    """The file's text: one loop or point a line."""
    parts = [f' "{key}": [\n' + ",\n".join("  " + json.dumps(each) for each in document[key]) + "\n ]"
             for key in ("loops", "points")]
    return '{\n "about": ' + json.dumps(document["about"]) + ",\n" + ",\n".join(parts) + "\n}\n"


def table(document):
    rows = [["loop", *CLASSES]]
    for loop in document["loops"]:
        cells = [f"{loop['ours'][name]} / {'?' if loop['theirs'][name] is None else loop['theirs'][name]}"
                 for name in CLASSES]
        rows.append([loop["id"], *cells])
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("flyc")
    options.add_argument("--write", action="store_true")
    options.add_argument("--table", action="store_true")
    given = options.parse_args()
    document, kernels = json.loads(FILE.read_text()), Kernels(given.flyc)
    if given.write:
        for loop in document["loops"]:
            loop["ours"] = kernels.counts(loop)
        loops = {loop["id"]: loop for loop in document["loops"]}
        for point in document["points"]:
            point["same_counts"] = same(loops[point["loop"]]) if point["loop"] else None
        FILE.write_text(written(document))
    if given.table:
        print(table(document))
    found = list(complaints(document, kernels))
    print("\n".join(found))
    fits = sum(point["role"] == "fit" for point in document["points"])
    print(f"{len(document['points'])} points, {fits} of them to fit, {len(document['loops'])} loops, "
          f"{len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
