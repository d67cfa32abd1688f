"""What a wave executes in the main loops of attention, and how long that takes: the table of docs/performance.md.

    attention_loops.py flyc            prints it
    attention_loops.py flyc --write    writes it into the page
    attention_loops.py flyc --check    compares with the page; a loop that became longer is a complaint
    attention_loops.py flyc --shapes   the modelled rates of larger launches, which take a minute

The benches of kernels/attention run on the emulator, which counts how often each instruction is executed. Code that a
loop has out of line, for a maximum that rises, is not counted; cycles are those of the time model, all waves of a SIMD
together.
"""

import pathlib
import re
import tempfile
from dataclasses import dataclass

from generated_section import Section, loops_command, run_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECTION = Section("attention_loops.py")


@dataclass
class Row:
    arch: str
    filter: str             # words of a case of the file's bench
    name: str
    keys: int               # of which the counts are, for the queries of a wave; or, if `turn` is 0, matrix instructions
    turn: int               # keys of an iteration
    others: str = ""        # the best known loop for the same: what it executes, and its cycles


ROWS = [
    Row("gfx942", "causal=False", "128, bf16", 64, 128, "498 truncating, 642 to nearest (AITER)"),
    Row("gfx950", "causal=False heads=(64, ROUNDED=False", "64, bf16", 128, 512, "3,250 cycles"),
    Row("gfx950", "causal=False heads=(64, ROUNDED=True", "64, bf16, `ROUNDED`", 128, 512),
    Row("gfx950", "causal=False heads=(128, bf16 ROUNDED=False", "128, bf16", 128, 256,
        "498 (FlyDSL); 549, 4,293 cycles (Gluon); 603 (AITER)"),
    Row("gfx950", "causal=False heads=(128, bf16 ROUNDED=True", "128, bf16, `ROUNDED`", 128, 256),
    Row("gfx950", "causal=False heads=(128, f8E4M3FN ROUNDED=False", "128, f8E4M3FN", 256, 512,
        "833, 6,752 cycles (AITER)"),
    Row("gfx950", "causal=False heads=(192, ROUNDED=False", "192 and 128, bf16", 256, 256, "1,104"),
    Row("gfx950", "causal=False heads=(192, ROUNDED=True", "192 and 128, bf16, `ROUNDED`", 256, 256),
    Row("gfx1201", "causal=False ROUNDED=False LSE=True", "128, bf16", 16, 0),
    Row("gfx1201", "causal=False ROUNDED=True LSE=False", "128, bf16, `ROUNDED`, no lse", 16, 0),
    Row("gfx1250", "causal=False", "128, bf16", 64, 0, "487 for as many WMMA (AITER)"),
]

CLASSES = {
    "matrix": r"v_(s?mfma|s?wmma|smfmac)", "exp": r"v_exp", "LDS": r"ds_", "memory": r"(buffer|global|flat|tensor)_",
    "waits": r"s_wait", "barriers": r"s_barrier", "nops": r"[sv]_nop", "priorities": r"s_setprio", "msb": r"s_set_vgpr_msb",
    "branches": r"s_c?branch", "SALU": r"s_", "VALU": r"v_",
}
COLUMNS = ["heads", "keys", "executed", "matrix", "VALU", "exp of these", "LDS", "memory", "waits", "barriers", "cycles",
           "of the matrix unit", "best known"]


def launches(flyc, arch, words, *options):
    """The launches of a bench of the kernel of an architecture."""
    path = ROOT / "kernels" / "attention" / f"flash_{arch}.fly"
    found = run_json(flyc, "bench", path, "--arch", arch, "--json", "--filter", words, *options)
    return [launch for bench in found["benches"] for launch in bench["launches"]]


def number(x):
    return f"{x:,.1f}".removesuffix(".0")


def cells(flyc, row):
    launch = launches(flyc, row.arch, row.filter, "--listing")[0]
    loop = max(launch["timing"]["loops"], key=lambda each: each["matrix_cycles"])
    inside = [each for each in launch["listing"] if loop["first"] <= each["address"] <= loop["last"]]
    turns = max(each["executions"] for each in inside)
    counts = dict.fromkeys(CLASSES, 0.0)
    for each in inside:
        kind = next(name for name, pattern in CLASSES.items() if re.match(pattern, each["text"]))
        counts[kind] += each["executions"] / turns
    part = row.keys / row.turn if row.turn else row.keys / counts["matrix"]
    of = lambda *names: number(part * sum(counts[name] for name in names))
    return [row.name, f"{row.keys}" if row.turn else f"{row.keys} WMMA", of(*CLASSES), of("matrix"),
            of("VALU", "exp"), of("exp"), of("LDS"), of("memory"), of("waits"), of("barriers"),
            number(part * loop["cycles"]), number(part * loop["matrix_cycles"]), row.others]


def tables(flyc):
    lines = []
    for arch in dict.fromkeys(row.arch for row in ROWS):
        lines += [f"### Attention on {arch}", "", "| " + " | ".join(COLUMNS) + " |",
                  "|---" + "|--:" * (len(COLUMNS) - 2) + "|---|"]
        lines += ["| " + " | ".join(cells(flyc, row)) + " |" for row in ROWS if row.arch == arch]
        lines.append("")
    return "\n".join(lines)


def figures(text):
    """What is executed, and cycles, by architecture and heads."""
    arch, found = "", {}
    for line in text.splitlines():
        if line.startswith("### Attention on "):
            arch = line.split()[-1]
        elif line.startswith("| ") and not line.startswith("| heads"):
            parts = [cell.strip() for cell in line.strip("|").split("|")]
            found[arch, parts[0]] = tuple(float(parts[i].replace(",", "")) for i in (2, 10))
    return found


SHAPES = """
from flash_{arch} import run


@bench(heads=[{heads}], flops=2 * s * s * 128 * 2 * heads[0] // 2, s=[8192])
def causal(heads, s):
    (h, hk), D = heads, 128
    q, k, v = random((1, s, h, D), bf16, seed=1), random((1, s, hk, D), bf16, seed=2), random((1, s, hk, D), bf16, seed=3)
    run(q, k, v, bf16, {more}0.088, -1, 0)
"""


def shapes(flyc):
    """Causal launches of 8,192 keys, with and without grouped heads, that fill the machine more than once. More sequences add
    workgroups, and change no rate."""
    for arch, more in (("gfx942", ""), ("gfx950", "False, "), ("gfx950", "True, ")):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "shapes.fly"
            path.write_text(SHAPES.format(arch=arch, more=more, heads="(32, 32), (64, 8)"))
            found = run_json(flyc, "bench", path, "--arch", arch, "--json", "--sample", "--rounds", "1", "-I",
                             ROOT / "kernels" / "attention")
            for bench in found["benches"]:
                timing = bench["launches"][0]["timing"]
                rate = bench["flops"] / timing["sustained_clock"]["seconds"] / 1e12
                best = bench["flops"] / timing["maximum_clock"]["seconds"] / 1e12
                print(arch, more, bench["parameters"]["heads"], f"{rate:.0f} TFLOPS, {best:.0f} at the highest clock,",
                      f"{100 * timing['busy']['matrix']:.0f} % of the matrix unit")


if __name__ == "__main__":
    loops_command(__doc__.splitlines()[0], SECTION, tables, figures, "instructions and cycles",
                  lambda now, was: any(a > b for a, b in zip(now, was)), {"shapes": shapes})
