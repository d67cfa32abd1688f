"""What a wave executes for a tile of keys in the loops of decoding, and at which rate it reads: the table of docs/performance.md.

    decode_loops.py flyc            prints it
    decode_loops.py flyc --write    writes it into the page
    decode_loops.py flyc --check    compares with the page; a loop that became longer is a complaint
    decode_loops.py flyc --rates    the modelled rates of launches of up to 2 GiB, which take minutes

The bench of paged_decode.fly runs on the emulator, which counts how often each instruction is executed. Code that a loop has
out of line, for tiles at an edge and for a maximum that rises, is not counted.
"""

import pathlib
import re
import tempfile

from attention_loops import CLASSES, number
from generated_section import Section, loops_command, run_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECTION = Section("decode_loops.py")
FILE = ROOT / "kernels/attention/paged_decode.fly"
ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
COLUMNS = ["cache", "keys", "executed", "matrix", "VALU", "SALU", "memory", "waits", "KiB in flight"]


def name_of(cache):
    T, element, page, kind = re.findall(r"[\w.]+", str(cache))
    return f"{element}, {kind}, pages of {page}"


def bytes_of(text):
    """Of a load, for a lane."""
    words = re.search(r"dwordx(\d)|_b(\d+)", text)
    return 4 if not words else 4 * int(words[1]) if words[1] else int(words[2]) // 8


def loop_of(launch):
    """The counts of an iteration that is not the last one, by class, and the bytes that it loads."""
    loop = max(launch["timing"]["loops"], key=lambda each: each["matrix_cycles"])
    inside = [each for each in launch["listing"] if loop["first"] <= each["address"] <= loop["last"]]
    turns = max(each["executions"] for each in inside)
    counts, loaded = dict.fromkeys(CLASSES, 0), 0
    for each in inside:
        kind = next(name for name, pattern in CLASSES.items() if re.match(pattern, each["text"]))
        if 2 * each["executions"] >= turns:             # the others are out of line
            counts[kind] += 1
            loaded += bytes_of(each["text"]) if re.match(r"(buffer|global)_load", each["text"]) else 0
    return counts, loaded


def rows(flyc, arch):
    found = run_json(flyc, "bench", FILE, "--arch", arch, "--json", "--listing", "--filter", "b=8 ")
    for bench in found["benches"]:
        launch = bench["launches"][0]
        counts, loaded = loop_of(launch)
        lanes = 64 if arch.startswith("gfx9") else 32
        lanes_in_all = launch["resources"]["occupancy"] * 4 * lanes
        of = lambda *names: number(sum(counts[each] for each in names))
        yield [name_of(bench["parameters"]["cache"]), launch["constants"]["BN"], of(*CLASSES), of("matrix"), of("VALU", "exp"),
               of("SALU", "branches"), of("memory"), of("waits"), number(loaded * lanes_in_all / 1024)]


def tables(flyc):
    lines = []
    for arch in ARCHITECTURES:
        lines += [f"### Decoding on {arch}", "", "| " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * (len(COLUMNS) - 1) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows(flyc, arch)] + [""]
    return "\n".join(lines)


def figures(text):
    """What is executed, by architecture and cache."""
    arch, found = "", {}
    for line in text.splitlines():
        if line.startswith("### Decoding on "):
            arch = line.split()[-1]
        elif line.startswith("| ") and not line.startswith("| cache"):
            parts = [cell.strip() for cell in line.strip("|").split("|")]
            found[arch, parts[0]] = float(parts[2].replace(",", ""))
    return found


RATES = """
from paged_decode import CACHES, rate_of


@bench(cache=CACHES[:{caches}], sizes=[{sizes}], bytes=2 * sizes[0] * 8 * sizes[1] * 128 * cache[1].bytes)
def rates(cache, sizes):
    rate_of(*sizes, cache)
"""


def rates(flyc):
    for arch, caches, sizes in (("gfx950", 5, "(1, 8192), (1, 32768), (64, 2048), (64, 8192)"),
                                ("gfx942", 2, "(1, 8192), (64, 2048)")):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "rates.fly"
            path.write_text(RATES.format(caches=caches, sizes=sizes))
            found = run_json(flyc, "bench", path, "--arch", arch, "--json", "-I", FILE.parent)
        for bench in found["benches"]:
            seconds = sum(each["timing"]["maximum_clock"]["seconds"] for each in bench["launches"])
            print(arch, bench["parameters"], f"{seconds * 1e6:.1f} us, {bench['bytes'] / seconds / 1e12:.2f} TB/s")


if __name__ == "__main__":
    loops_command(__doc__.splitlines()[0], SECTION, tables, figures, "instructions",
                  lambda now, was: now > was, {"rates": rates})
