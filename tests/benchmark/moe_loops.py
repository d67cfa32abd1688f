"""One trip of the main loops of a mixture of experts, for one wave: the table of docs/performance.md.

    moe_loops.py flyc            prints it
    moe_loops.py flyc --write    writes it into the page
    moe_loops.py flyc --check    compares with the page; a loop that became longer is a complaint

The counts are those of code objects, as `flyc report` describes them. Beside each is the loop of an ordinary product of the same
tile, which finds its rows side by side. Nothing here is a time.
"""

import pathlib
import sys
import tempfile
from dataclasses import dataclass

from generated_section import Section, loops_command, run_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kernels"
SECTION = Section("moe_loops.py")
COLUMNS = ["product", "types", "tile", "k per trip", "instructions", "matrix", "VALU", "SALU", "memory", "LDS", "waits", "barriers",
           "registers", "ordinary product", "others"]

GATHERING = 12                  # instructions more than those of an ordinary product, at most

SOURCE = """
from fly.epilogue import store_shuffled
from fly.matrix import tiled_matrix
from mx_gfx1250 import stage1_grouped
from mx_stages import stage1 as mx1
from mx_streamed import stage1_streamed as mx1_streamed
from parts.formats import FORMATS, Tile
from preshuffle_gemm import multiply_preshuffled
from blockscale_gemm import blockscale_gemm
from fp8_eight_waves import gemm_fp8
from preshuffle import preshuffled
from stages import stage1, stage2


@kernel(block=MMA.threads, grid=(ceil_div(m, TILE[0]), ceil_div(n, TILE[1])),
        requires=(n % 16 == 0, k > 0, k % (2 * TILE[2]) == 0))
def gemm(a: In[T, (m, k)], b: In[T, preshuffled(n, k, T)], c: Out[O, (m, n)], m: i32, n: i32, k: i32,
         *, T: Constexpr[type], O: Constexpr[type] = bf16, TILE: Constexpr, WAVES: Constexpr, MMA=tiled_matrix(T, WAVES)):
    at = (block_id.x, block_id.y)
    acc, memory = multiply_preshuffled(MMA, TILE, a, b, at)
    store_shuffled(MMA, acc, c, at, overlay=memory)


def first(F, *tile):
    return stage1[F=FORMATS[F], TILE=Tile(*tile)]


def second(F, *tile):
    return stage2[F=FORMATS[F], TILE=Tile(*tile), K=8, O=bf16, ATOMIC=True]


def ordinary(F, tokens, columns, waves):
    f = FORMATS[F]
    return gemm[T=f.x, TILE=(tokens, columns, f.unit()), WAVES=(waves[1], waves[0])]


F8, F4 = f8E4M3FN, f4E2M1
"""


@dataclass
class Row:
    arch: str
    product: str
    types: str
    tile: str                   # rows of a block x columns of weights
    kernel: str                 # an expression of SOURCE
    ordinary: str = ""          # the same of an ordinary product
    others: str = ""            # instructions / matrix instructions of FlyDSL's kernel


def staged(arch, types, tokens, columns, waves=(4, 1), others="", product="first", ordinary=None):
    gemm = f"ordinary({types!r}, {tokens}, {columns}, {waves})" if ordinary is None else ordinary
    return Row(arch, product, types, f"{tokens} × {columns}", f"{product}({types!r}, {tokens}, {columns}, {waves})", gemm, others)


def streamed(arch, types, columns, others="", product="first", waves=(4, 1), stages=2):
    return Row(arch, f"{product}, streamed", types, f"16 × {columns}", f"{product}({types!r}, 16, {columns}, {waves}, {stages})", "",
               others)


def mx(rows, types, X, W, ordinary=""):
    return Row("gfx950", "first", types, f"{rows} × 256", f"mx1[X={X}, W={W}, BM={rows}]", ordinary)


ROWS = [
    staged("gfx942", "bf16", 128, 128),
    staged("gfx942", "fp8_token", 64, 128),
    staged("gfx942", "fp8_token", 64, 256, others="6,210 / 4,096, unrolled"),
    staged("gfx942", "fp8_token", 64, 256, product="second", others="111 / 64"),
    staged("gfx942", "fp8_block", 64, 256, ordinary="blockscale_gemm"),
    staged("gfx942", "int8_token", 64, 256),
    staged("gfx942", "int4_a16", 64, 128, ordinary=""),
    streamed("gfx942", "fp8_token", 128, "1,209 / 384, unrolled"),
    streamed("gfx942", "fp8_token", 64, "282 / 32, unrolled", "second"),
    staged("gfx950", "bf16", 128, 128),
    staged("gfx950", "fp8_token", 64, 256),
    staged("gfx950", "fp8_block", 64, 256, ordinary="blockscale_gemm"),
    staged("gfx950", "int4_a16", 64, 128, ordinary=""),
    streamed("gfx950", "bf16", 128),
    streamed("gfx950", "int4_a16", 64, waves=(4, 2), stages=3),
    mx(256, "mxfp8", "F8", "F8", "gemm_fp8"),
    mx(256, "a8w4", "F8", "F4"),
    mx(256, "a4w4", "F4", "F4"),
    mx(64, "mxfp8", "F8", "F8"),
    Row("gfx950", "first, streamed", "a16w4", "16 × 64", "mx1_streamed[X=bf16, W=F4]"),
    staged("gfx1201", "bf16", 64, 128, (4, 2)),
    staged("gfx1201", "fp8_token", 64, 128, (4, 2)),
    staged("gfx1250", "bf16", 64, 128, (4, 2)),
    staged("gfx1250", "fp8_token", 64, 128, (4, 2)),
    Row("gfx1250", "first, side by side", "mxfp8", "128 × 128", "stage1_grouped"),
    Row("gfx1250", "first, side by side", "a8w4", "128 × 128", "stage1_grouped[W=F4]"),
]


def loops(flyc, arch, expressions):
    """Of each kernel its loop with most matrix instructions, and its resources."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "loops.fly"
        path.write_text(SOURCE + "".join(f'export("k{i}_", {each})\n' for i, each in enumerate(expressions)))
        folders = [KERNELS / "moe", KERNELS / "gemm" / "products", KERNELS / "gemm" / "steps"]
        found = run_json(flyc, "report", path, "--arch", arch, "--json", *[word for each in folders for word in ("-I", each)])
    kernels = found["objects"][0]["kernels"]
    for i in range(len(expressions)):
        kernel = next(each for each in kernels if each["name"].startswith(f"k{i}_"))
        yield max(kernel["loops"], key=lambda each: each["counts"]["work"]["matrix_flop"])["counts"], kernel["resources"]


def matrix(counts):
    return sum(each["count"] for each in counts["matrix"])


def tables(flyc):
    lines = []
    for arch in dict.fromkeys(row.arch for row in ROWS):
        rows = [row for row in ROWS if row.arch == arch]
        names = list(dict.fromkeys([row.kernel for row in rows] + [row.ordinary for row in rows if row.ordinary]))
        found = dict(zip(names, loops(flyc, arch, names)))
        lines += [f"### Experts on {arch}", "", "| " + " | ".join(COLUMNS) + " |", "|---|---|---|" + "--:|" * (len(COLUMNS) - 5) + "---|---|"]
        for row in rows:
            counts, resources = found[row.kernel]
            classes, tile = counts["classes"], [int(n) for n in row.tile.split(" × ")]
            waves = resources["max_workgroup_size"] // resources["wave_size"]
            agprs = f" + {resources['agprs']}" if resources["agprs"] else ""
            beside = ""
            if row.ordinary:
                other = found[row.ordinary][0]
                trips = matrix(counts) / matrix(other)          # of the other, for as many matrix instructions
                beside = f"{trips * other['classes']['instructions']:.0f} / {matrix(counts)}"
                if classes["instructions"] > trips * other["classes"]["instructions"] + GATHERING:
                    sys.exit(f"{arch}, {row.product}, {row.types}, {row.tile}: {classes['instructions']} instructions, an ordinary "
                             f"product has {beside}")
            lines.append("| " + " | ".join([
                row.product, row.types, row.tile, str(counts["work"]["matrix_flop"] * waves // (2 * tile[0] * tile[1])),
                str(classes["instructions"]), str(matrix(counts)), str(classes["valu"]), str(classes["salu"]), str(classes["vmem"]),
                str(classes["ds"]), str(classes["waits"]), str(classes["barriers"]), f"{resources['vgprs']}{agprs}", beside,
                f"FlyDSL {row.others}" if row.others else ""]) + " |")
        lines.append("")
    return "\n".join(lines)


def figures(text):
    """Instructions by architecture, product, types and tile."""
    arch, found = "", {}
    for line in text.splitlines():
        if line.startswith("### Experts on "):
            arch = line.split()[-1]
        elif line.startswith("| ") and not line.startswith("| product"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found[arch, *cells[:3]] = int(cells[4])
    return found


if __name__ == "__main__":
    loops_command(__doc__.splitlines()[0], SECTION, tables, figures, "instructions", lambda now, was: now > was, {})
