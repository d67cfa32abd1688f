"""What the kernels that work on rows execute, from the profiles of their benches, beside FlyDSL's objects.

    python3 tests/benchmark/row_kernels.py build/bin/flyc             the tables, as Markdown
    python3 tests/benchmark/row_kernels.py build/bin/flyc --write     the same, into docs/performance.md
    python3 tests/benchmark/row_kernels.py build/bin/flyc --check     fails where a kernel got longer (see `judge`)

A bench launches instances that a check compares with the host; all modes run those checks first. The counts are per wave and
do not depend on the number of rows.
"""
import argparse, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
PAGE = os.path.join(ROOT, "docs", "performance.md")
KERNELS = os.path.join(ROOT, "kernels")
ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
FILES = {  # and the checks that launch what their benches launch
    "normalization/softmax": "agrees_with_a_known_length n=8192",
    "normalization/rmsnorm": "agrees_with_a_known_length n=8192",
    "normalization/layernorm": "agrees_with_a_known_length n=8192",
    "normalization/backward": "size=(1, 8192) T=bf16",
    "quantization/per_token": "agrees_with_a_known_length",
    "quantization/per_block": "mxfp8_agrees m=1 blocks=64 T=bf16",
    "activation/silu_multiply": "agrees m=1 n=8192 T=bf16",
    "gating/topk_softmax": "agrees m=9 E=256 K=8 T=bf16",
    "attention/rotary_cache": "agrees tokens=5 heads=32 kv_heads=2 D=128 T=bf16",
}
# FlyDSL 0.3.2's kernels for rows of 8192 bf16, which are straight-line code: instructions, VGPRs.
FLYDSL = {
    ("softmax", "gfx942"): (970, 54), ("softmax", "gfx950"): (769, 51), ("softmax", "gfx1201"): (1027, 61),
    ("rmsnorm", "gfx942"): (383, 60), ("rmsnorm", "gfx950"): (336, 60),
    ("layernorm", "gfx942"): (499, 71), ("layernorm", "gfx950"): (448, 71),
}
COLUMNS = {  # of the table: the classes of instructions in a profile
    "VALU": ["vector", "transcendental"], "of them slow": ["transcendental"], "SALU": ["scalar"], "VMEM": ["vector memory"],
    "SMEM": ["scalar memory"], "LDS": ["LDS"], "waits": ["wait", "barrier", "hint", "message"], "branches": ["branch", "end"],
}
BEGIN, END = "<!-- row_kernels.py begin -->", "<!-- row_kernels.py end -->"


def flyc(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"flyc {' '.join(arguments)}\n{result.stdout}{result.stderr}")
    return result.stdout


def measure(program):
    """{(kernel, architecture): launch} of the benches, each kernel's first launch, with the bench's bytes."""
    found = {}
    for name, checks in FILES.items():
        path = os.path.join(KERNELS, name + ".fly")
        flyc(program, "test", path, "--arch", ",".join(ARCHITECTURES), "-q", "--filter", checks)
        for bench in json.loads(flyc(program, "bench", path, "--arch", ",".join(ARCHITECTURES), "--json"))["benches"]:
            for launch in bench["launches"]:
                kernel = launch["kernel"]
                if kernel == "norm_backward":
                    kernel = bench["bench"].split("_")[0] + kernel.removeprefix("norm")
                launch["floor"] = bench["bytes"] if len(bench["launches"]) == 1 else None
                found.setdefault((kernel, bench["arch"]), launch)
    return found


def per_wave(launch, classes):
    return sum(launch["mix"].get(each, 0) for each in classes) / launch["waves"]


def number(x):
    return f"{x:.0f}" if x >= 10 or x == int(x) else f"{x:.1f}"


def table(results, arch):
    text = [f"### Rows on {arch}", "",
            "| kernel | instructions | FlyDSL | " + " | ".join(COLUMNS) + " | bytes an access | bytes / floor | VGPRs | occupancy |",
            "|---|" + "--:|" * (len(COLUMNS) + 6)]
    for kernel in dict.fromkeys(key[0] for key in results):
        launch = results[kernel, arch]
        total, resources = launch["total"], launch["resources"]
        theirs = FLYDSL.get((kernel, arch))
        lanes = total["global_accesses"] * (64 if arch.startswith("gfx9") else 32)
        moved = total["global_read_bytes"] + total["global_written_bytes"]
        cells = [number(total["executions"] / launch["waves"]), str(theirs[0]) if theirs else ""]
        cells += [number(per_wave(launch, classes)) for classes in COLUMNS.values()]
        # What all rows share (weights) is read by each row, but comes from the caches: the floor counts it once.
        cells += [f"{moved / lanes:.1f}", f"{moved / launch['floor']:.2f}" if launch["floor"] else ""]
        cells += [f"{resources['vgprs']} / {theirs[1]}" if theirs else str(resources["vgprs"]), str(resources["occupancy"])]
        text.append(f"| `{kernel}` | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


def lengths_on_page(page):
    found, arch = {}, None
    for line in page.split(BEGIN)[1].split(END)[0].splitlines():
        if line.startswith("### "):
            arch = line.split()[-1]
        row = re.match(r"\| `(\w+)` \| ([\d.]+) \|", line)
        if row and arch:
            found[row[1], arch] = row[2]
    return found


def judge(results, page):
    """No scratch; no more instructions than the page states, nor than FlyDSL's object has; 128-bit accesses."""
    complaints, stated = [], lengths_on_page(page)
    for (kernel, arch), launch in results.items():
        length = launch["total"]["executions"] / launch["waves"]
        if launch["resources"]["scratch_bytes"]:
            complaints.append(f"{kernel} on {arch}: {launch['resources']['scratch_bytes']} bytes of scratch")
        if float(number(length)) > float(stated.get((kernel, arch), -1)):
            complaints.append(f"{kernel} on {arch}: {number(length)} instructions a wave, docs/performance.md says "
                              f"{stated.get((kernel, arch), 'nothing')}")
        if length > FLYDSL.get((kernel, arch), (1e9,))[0]:
            complaints.append(f"{kernel} on {arch}: {number(length)} instructions a wave, FlyDSL's has {FLYDSL[kernel, arch][0]}")
    return complaints


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    results = measure(options.flyc)
    page = open(PAGE).read()
    text = "\n".join(table(results, arch) for arch in ARCHITECTURES)
    if options.write:
        before, rest = page.split(BEGIN)
        with open(PAGE, "w") as out:
            out.write(before + BEGIN + "\n\n" + text + "\n" + END + rest.split(END)[1])
    elif options.check:
        complaints = judge(results, page)
        print("\n".join(complaints) or f"{len(results)} kernels, none too long")
        sys.exit(bool(complaints))
    else:
        print(text)


if __name__ == "__main__":
    main()
