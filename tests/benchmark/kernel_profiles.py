"""What the layout kernels execute, from the profiles of their benches, beside FlyDSL's objects and the bytes that must be moved.

    python3 tests/benchmark/kernel_profiles.py build/bin/flyc             the tables, as Markdown
    python3 tests/benchmark/kernel_profiles.py build/bin/flyc --write     the same, into docs/performance.md
    python3 tests/benchmark/kernel_profiles.py build/bin/flyc --check     fails where a kernel has become worse (see `judge`)

A bench launches instances that a check of the file, or of its file of checks, compares with the host. What is printed or written
is counted after the checks of all files have passed for all architectures; `--check` leaves them to tests/kernels, and looks at
bf16 and at two architectures a file alone. The counts are per wave and do not depend on the number of rows.
"""
import argparse, json, os, re, subprocess, sys, zlib
from concurrent.futures import ThreadPoolExecutor

from addresses import addresses
from generated_section import Section, conclude

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
FILES = ["elementwise/vec_add", "elementwise/fused_add_relu", "layout/tiled_copy", "layout/transpose", "layout/transpose_wide",
         "layout/gather_scatter", "normalization/softmax", "normalization/rmsnorm", "normalization/layernorm",
         "normalization/backward", "quantization/per_token", "quantization/per_block", "activation/silu_multiply",
         "moe/routing", "attention/rotary_cache"]
# FlyDSL 0.3.2's kernels for rows of 8192 bf16, which are straight-line code: instructions, VGPRs.
FLYDSL = {
    ("softmax", "gfx942"): (970, 54), ("softmax", "gfx950"): (769, 51), ("softmax", "gfx1201"): (1027, 61),
    ("rmsnorm", "gfx942"): (383, 60), ("rmsnorm", "gfx950"): (336, 60),
    ("layernorm", "gfx942"): (499, 71), ("layernorm", "gfx950"): (448, 71),
}
# Where accesses are below 128 bits, and why: a pattern for "label, shape". Of all others none is.
NARROW = [(re.compile(pattern), names, why) for pattern, names, why in (
    (r"add_scalar|fused_add_relu,|transpose,", "`add_scalar`, `fused_add_relu`, `transpose`", "they demonstrate one element per thread; `add_vector`, "
     "`fused_add_relu_vector` and `transpose_wide` do the same at full width"),
    (r"n=8191", "rows of 8191", "the rest of a row after its last full 128 bits is one access of one element per lane"),
    (r"add_tiled, .*n=1031|transpose_wide, .*n=509", "`add_tiled`, `transpose_wide`", "for rows of odd length, tiled copies access single elements"),
    (r"quantis", "kernels that quantise or dequantise", "128 bits of `bf16` correspond to 64 or 32 quantised bits, and there is a scale"),
    (r"gather_rows|scatter_rows", "`gather_rows`, `scatter_rows`", "they load the index of a row"),
    (r"norm_d[xw]|sum_parts", "`rmsnorm_dx`, `rmsnorm_dw`, the same for layernorm, `sum_parts`", "they load a row's mean and r, or have one column per thread"),
    (r"route,", "`route`", "each lane loads its share of a row's experts, and there are K results"))]
COLUMNS = {  # of the table: the classes of instructions in a profile
    "VALU": ["vector", "transcendental"], "slow": ["transcendental"], "SALU": ["scalar"], "VMEM": ["vector memory"],
    "SMEM": ["scalar memory"], "LDS": ["LDS", "lds"], "waits": ["wait", "barrier", "hint", "message"], "branches": ["branch", "end"],
}
SECTION = Section("kernel_profiles.py")
WIDTHS = [(re.compile(pattern), bytes) for pattern, bytes in (
    (r"x4\b|b128", 16), (r"x3\b|b96", 12), (r"x2\b|b64", 8), (r"byte|[ui]8\b|b8\b", 1), (r"short|16\b", 2), (r"", 4))]


def flyc(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"flyc {' '.join(arguments)}\n{result.stdout}{result.stderr}")
    return result.stdout


def label_of(bench, launch):
    """The kernel, where one source is several with what makes the difference."""
    given, kernel = bench["parameters"], launch["kernel"]
    if "CENTRED" in given:
        kernel = ("layernorm" if given["CENTRED"] == "True" else "rmsnorm") + kernel.removeprefix("norm")
    made_of = [kernel, given.get("Q"), "interleaved" if given.get("INTERLEAVED") == "True" else None]
    return " ".join(filter(None, made_of))


def shape_of(bench):
    return " ".join(f"{name}={value}" for name, value in bench["parameters"].items()
                    if name not in ("T", "Q", "CENTRED", "INTERLEAVED"))


def mean(listing, places, value):
    """Of what is executed at these places."""
    times = sum(listing[i]["executions"] for i in places)
    return sum(listing[i]["executions"] * value(i) for i in places) / times if times else 0


class Row:
    """What a launch executes."""

    def __init__(self, bench, launch):
        self.label, self.type, self.shape, self.arch = label_of(bench, launch), bench["parameters"]["T"], shape_of(bench), bench["arch"]
        total, self.resources = launch["total"], launch["resources"]
        self.instructions = total["executions"] / launch["waves"]
        self.classes = {name: sum(launch["mix"].get(each, 0) for each in classes) / launch["waves"] for name, classes in COLUMNS.items()}
        self.over_floor = (total["global_read_bytes"] + total["global_written_bytes"]) / bench["bytes"]
        listing = launch["listing"]
        computing, accesses, looped = addresses(listing)
        width = lambda i: next(bytes for name, bytes in WIDTHS if name.search(listing[i]["text"].split()[0]))
        self.width = mean(listing, accesses, width)
        self.addresses = self.share(listing, computing, accesses)
        inside = accesses & looped
        self.looped = self.share(listing, computing & looped, inside) if any(listing[i]["executions"] for i in inside) else None

    @staticmethod
    def share(listing, computing, accesses):
        executed = lambda places: sum(listing[i]["executions"] for i in places)
        return executed(computing) / executed(accesses)

    def address_cell(self):
        return ratio(self.addresses) + ("" if self.looped is None else f", loop {ratio(self.looped)}")


def two_of(name):
    """One architecture with waves of 64 lanes and one with 32, which the name chooses."""
    choice = zlib.crc32(name.encode())
    return [ARCHITECTURES[choice & 1], ARCHITECTURES[2 + (choice >> 1 & 1)]]


def measure(program, checked):
    """(rows of the first tables, all others) from the benches, after all checks; of what `--check` looks at, without them."""
    def of_file(name):
        path = os.path.join(ROOT, "kernels", name + ".fly")
        architectures = ["--arch", ",".join(two_of(name) if checked else ARCHITECTURES)]
        if not checked:
            checks = path.replace(".fly", "_checks.fly")
            flyc(program, "test", path if not os.path.exists(checks) else checks, *architectures, "-q")
        text = flyc(program, "bench", path, *architectures, "--json", "--listing", *(["--filter", "T=bf16"] if checked else []))
        return [Row(bench, launch) for bench in json.loads(text)["benches"] for launch in bench["launches"]]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = sum(pool.map(of_file, FILES), [])
    shapes = {}
    for row in rows:
        if row.type == "bf16":
            shapes.setdefault(row.label, row.shape)
    main = [row for row in rows if row.type == "bf16" and row.shape == shapes[row.label]]
    return main, [row for row in rows if row not in main]


def number(x):
    return f"{x:.0f}" if x >= 10 or x == int(x) else f"{x:.1f}"


def ratio(x):
    return f"{x:.2f}".rstrip("0").rstrip(".")


def table(rows, arch):
    text = [f"### Kernels on {arch}", "",
            "| kernel | shape | instructions | FlyDSL | " + " | ".join(COLUMNS)
            + " | addresses | bytes per access | bytes / floor | VGPRs | occupancy |",
            "|---|---|" + "--:|" * (len(COLUMNS) + 7)]
    for row in rows:
        if row.arch != arch:
            continue
        theirs = FLYDSL.get((row.label, arch))
        vgprs = row.resources["vgprs"]
        cells = [f"`{row.label}`", row.shape, number(row.instructions), str(theirs[0]) if theirs else "", *map(number, row.classes.values()),
                 row.address_cell(), f"{row.width:.1f}", f"{row.over_floor:.2f}", f"{vgprs} / {theirs[1]}" if theirs else str(vgprs),
                 str(row.resources["occupancy"])]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def cell(row):
    return f"{number(row.instructions)} · {row.address_cell()} · {row.width:.1f} · {row.resources['vgprs']}"


def others_table(rows):
    """All other types and shapes, a row each for the four architectures."""
    text = ["### Other types and shapes", "", "Each cell: instructions per wave · VALU instructions for addresses per access · bytes per access · VGPRs.", "",
            "| kernel | type | shape | " + " | ".join(ARCHITECTURES) + " |", "|---|---|---|" + "--:|" * len(ARCHITECTURES)]
    for key in dict.fromkeys((row.label, row.type, row.shape) for row in rows):
        cells = [cell(row) for arch in ARCHITECTURES for row in rows if (row.label, row.type, row.shape, row.arch) == (*key, arch)]
        text.append(f"| `{key[0]}` | {key[1]} | {key[2]} | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def stated():
    """{(label, type, shape, architecture): (instructions, addresses, bytes an access)} of the page, as they stand there."""
    found, arch = {}, None
    for line in SECTION.read().splitlines():
        if line.startswith("### "):
            arch = line.split()[-1] if line.startswith("### Kernels on") else None
        if not line.startswith("| `"):
            continue
        cells = [each.strip() for each in line.strip("|").split("|")]
        label = cells[0].strip("`")
        if arch:
            found[label, "bf16", cells[1], arch] = cells[2], cells[-5], cells[-4]
        else:
            for name, text in zip(ARCHITECTURES, cells[3:]):
                found[label, cells[1], cells[2], name] = tuple(text.split(" · ")[:3])
    return found


def judge(rows):
    """No scratch; no more instructions, no more address arithmetic and no narrower accesses than the page states; in loops at most
    one VALU instruction for the address of an access; no longer than FlyDSL's object."""
    complaints, pages = [], stated()
    for row in rows:
        name = f"{row.label}, {row.type}, {row.shape}, on {row.arch}"
        instructions, of_addresses, width = pages.get((row.label, row.type, row.shape, row.arch), ("-1", "", "17"))
        if row.resources["scratch_bytes"]:
            complaints.append(f"{name}: {row.resources['scratch_bytes']} bytes of scratch")
        if float(number(row.instructions)) > float(instructions):
            complaints.append(f"{name}: {number(row.instructions)} instructions per wave, docs/performance.md says {instructions}")
        if row.address_cell() != of_addresses and numbers(row.address_cell()) > numbers(of_addresses):
            complaints.append(f"{name}: {row.address_cell()} VALU instructions for the address of an access, docs/performance.md says {of_addresses}")
        if (row.looped or 0) > 1:
            complaints.append(f"{name}: {ratio(row.looped)} VALU instructions for the address of an access in the loop")
        if float(f"{row.width:.1f}") < float(width):
            complaints.append(f"{name}: {row.width:.1f} bytes per access, docs/performance.md says {width}")
        if row.width < 16 and not reason(row):
            complaints.append(f"{name}: {row.width:.1f} bytes per access, for which NARROW has no reason")
        if row.type == "bf16" and row.shape.endswith("n=8192") and row.instructions > FLYDSL.get((row.label, row.arch), (1e9,))[0]:
            complaints.append(f"{name}: {number(row.instructions)} instructions per wave, FlyDSL's has {FLYDSL[row.label, row.arch][0]}")
    return complaints


def numbers(text):
    return [float(each) for each in re.findall(r"[\d.]+", text)]


def reason(row):
    return next((why for pattern, _, why in NARROW if pattern.search(f"{row.label}, {row.shape}")), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows, others = measure(options.flyc, options.check)
    if options.check:
        conclude(judge(rows + others), f"{len(rows) + len(others)} profiles, none worse")
    narrow = "\n".join(["Accesses below 128 bits:", ""] + [f"- {names}: {why}." for _, names, why in NARROW]) + "\n"
    text = "\n".join([narrow] + [table(rows, arch) for arch in ARCHITECTURES] + [others_table(others)])
    if options.write:
        SECTION.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
