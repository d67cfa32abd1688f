"""Calls every instruction that `flyc targets ARCH --instructions=json` lists for compiled kernels, each form once, and
fails if one does not compile or is not in the code.

    every_instruction.py ARCH [PATTERN]
    every_instruction.py ARCH PATTERN --show        prints the calls

The calls are spread over kernels, since flyc compiles a kernel as a whole. Kernels in which something is wrong are
compiled once more, call by call.
"""

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CALLS_OF_KERNEL, KERNELS_OF_FILE = 24, 12

HEAD = """from fly.amd import buffer, isa
"""
# A value of run time for each file: of the lanes, of the wave, of 16 bits.
KERNEL = """

@kernel(block=64, grid=1)
def {name}(x: In[i32, (256,)], h: In[i16, (64,)], y: Out[i32, (64,)], z: Out[i16, (64,)], n: i32):
    i = thread_id.x
    v0, v1, half = x[i], x[i + 64], h[i]
    s0, s1 = n + 1, n * 3
    sum, low = v0, half
"""
TAIL = """    y[i] = sum
    z[i] = low
"""

# Functions of the language with signatures of their own, whose results have a type.
CALLS = {
    "ds_bpermute_b32": "v0, v1", "ds_permute_b32": "v0, v1", "ds_swizzle_b32": "v0, 1",
    "v_mbcnt_hi_u32_b32": "v0, v1", "v_mbcnt_lo_u32_b32": "v0, v1", "v_permlane16_b32": "v0, s0, s1",
    "v_permlane16_swap_b32": "v0, v1", "v_permlane16_var_b32": "v0, v1", "v_permlane32_swap_b32": "v0, v1",
    "v_permlane64_b32": "v0", "v_permlane_bcast_b32": "v0, s0, s1", "v_permlane_down_b32": "v0, s0, s1",
    "v_permlane_up_b32": "v0, s0, s1", "v_permlane_xor_b32": "v0, s0, s1", "v_permlanex16_b32": "v0, s0, s1",
    "v_permlanex16_var_b32": "v0, v1", "v_readfirstlane_b32": "v0", "v_readlane_b32": "v0, s0",
    "v_writelane_b32": "s0, s1, v0",
}
# What LLVM makes of an instruction: the same with its operands exchanged, or with a register of its own for the result.
EXCHANGED = [("_subrev_", "_sub_"), ("_subbrev_", "_subb_"), ("_lt_", "_gt_"), ("_le_", "_ge_"), ("_gt_", "_lt_"),
             ("_ge_", "_le_"), ("_fmac_", "_fma_"), ("_mac_", "_mad_"), ("_mac_", "_mad_legacy_"),
             ("s_movk_", "s_mov_"), ("v_accvgpr_write_b32", "v_accvgpr_write")]
# Distances that LLVM 22 does not keep, so that flyc refuses the code (FLY0941).
REFUSED = {("gfx1250", "v_swmmac_i32_16x16x32_iu8")}
# LLVM merges them with its own, or leaves out those that have nothing to wait for; a wave of 32 has no upper lanes.
UNSEEN = re.compile(r"s_wait|s_delay_alu$|s_clause$|s_version$|s_nop$|v_mbcnt_hi_u32_b32$")


def vector(width, values):
    if width == 1:
        return values[0]
    return f"vec[i32, {width}]({', '.join(values[k % len(values)] for k in range(width))})"


def argument(operand, instruction):
    """What to call it with: by the first of the kinds that is known, in this order."""
    kinds = operand["kinds"]
    widths = {"v": [], "s": [], "a": []}
    for kind in kinds:
        if found := re.fullmatch(r"([vsa])(?:\((\d+)\))?", kind):
            widths[found[1]].append(int(found[2] or 1))
    if operand["name"] == "buffer":
        return "buffer(x)"
    if operand["name"] in ("saddr", "soffset") and "off" in kinds:
        return "None"
    if widths["v"] and operand["name"] == "addr" and instruction["family"].startswith("global"):
        return vector(max(widths["v"]), ["v0", "v1"])
    if widths["v"]:
        return vector(widths["v"][0], ["v0", "v1"])
    if "half of v" in kinds:
        return "half"
    if widths["a"]:
        return vector(widths["a"][0], ["v0", "v1"])
    if widths["s"]:
        return vector(widths["s"][0], ["s0", "s1"])
    return "1" if "a constant" in kinds else "None"


def result(operand, instruction, wave):
    """Its type: None where it is a mask of lanes."""
    kind = operand["kinds"][0]
    if kind == "half of v":
        return "i16"
    width = int((re.search(r"\((\d+)\)", kind) or [0, 1])[1])
    is_mask = instruction.startswith("v_cmp") or operand["name"] in ("carry", "mask")
    if kind.startswith("s") and is_mask and width * 32 == wave:
        return None
    return "i32" if width == 1 else f"vec[i32, {width}]"


def keyword(need):
    name, _, value = need.partition(":")
    return f"{name}=" + (value if re.fullmatch(r"\d+", value) else f'"{value}"' if value else "True")


def call(number, instruction, form, wave):
    """The lines of one call, whose results are added up."""
    name = instruction["name"]
    arguments = [argument(o, instruction) for o in form["operands"] if o["reads"] or not o["writes"]]
    keywords = [keyword(need) for need in form["needs"]] + (["m0=s0"] if form["reads_m0"] else [])
    types = [result(o, name, wave) for o in form["operands"] if o["writes"]]
    if "buffer" in name and any(o["name"] == "addr" for o in form["operands"]):
        keywords.append("offen=True")
    typed = {t for t in types if t}
    if len(typed) == 1: # else types follow from the name
        keywords.append(f"type={typed.pop()}")
    text = f"isa.{name}({CALLS.get(name, ', '.join(arguments + keywords))})"
    if not types:
        return [f"    {text}"]
    names = [f"r{number}_{k}" for k in range(len(types))]
    lines = [f"    {', '.join(names)} = {text}"]
    for value, type in zip(names, types):
        word = f"where({value}, 1, 0)" if not type else value if type == "i32" else f"{value}[0]"
        lines.append(f"    low ^= {value}" if type == "i16" else f"    sum ^= {word}")
    return lines


def build(arch, kernels, folder, name):
    """Status, code, errors of a file of these kernels, each a list of calls."""
    path = Path(folder) / f"{name}.fly"
    parts = [HEAD]
    for number, calls in enumerate(kernels):
        parts += [KERNEL.format(name=f"k{number}"), *(line + "\n" for lines in calls for line in lines), TAIL]
    path.write_text("".join(parts))
    run = subprocess.run(["flyc", "build", str(path), "--arch", arch, "--emit=isa", "-o", "-", "--no-cache"],
                         capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def is_in(name, code):
    if UNSEEN.match(name) or re.search(rf"^\s*{name}(_e32|_e64|_dpp|_sdwa)?\b", code, re.M):
        return True
    others = [f"v_dual_{name[2:]}"] + [name.replace(one, other) for one, other in EXCHANGED if one in name]
    return any(re.search(rf"\b{other}", code) for other in others)


def chunks(items, size):
    return [items[k:k + size] for k in range(0, len(items), size)]


def main():
    arch, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "*"
    listed = json.loads(subprocess.run(["flyc", "targets", arch, f"--instructions={pattern}", "--json"], check=True,
                                       capture_output=True, text=True).stdout)
    wave = 64 if arch.startswith("gfx9") else 32
    calls = []
    for instruction in listed["instructions"]:
        if instruction["not_in_kernel"] or (arch, instruction["name"]) in REFUSED:
            continue
        for form in instruction["forms"]:
            calls.append((instruction["name"], call(len(calls), instruction, form, wave)))
    if "--show" in sys.argv:
        print("\n".join(lines[0].strip() for _, lines in calls))
        return
    wrong = []

    def check(numbered, folder):
        number, some = numbered
        status, code, errors = build(arch, [[lines for _, lines in kernel] for kernel in chunks(some, CALLS_OF_KERNEL)],
                                     folder, f"f{number}")
        if status == 0:
            return [f"{name}: not in the code of `{lines[0].strip()}`" for name, lines in some if not is_in(name, code)]
        if len(some) > 1: # which of them?
            half = len(some) // 2
            return check((f"{number}a", some[:half]), folder) + check((f"{number}b", some[half:]), folder)
        said = re.findall(r"error.*", errors)
        return [f"{some[0][0]}: `{some[0][1][0].strip()}`: {said[0] if said else f'status {status}'}"]

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        files = chunks(calls, CALLS_OF_KERNEL * KERNELS_OF_FILE)
        for found in pool.map(lambda numbered: check(numbered, folder), enumerate(files)):
            wrong += found
    if wrong:
        sys.exit(f"{arch}: {len(wrong)} of {len(calls)} calls are wrong:\n" + "\n".join(wrong))
    print(f"{arch}: {len(calls)} calls of {len({name for name, _ in calls})} instructions")


if __name__ == "__main__":
    main()
