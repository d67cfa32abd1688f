#!/usr/bin/env python3
"""Mutants of machine code: do `flyc verify` and the emulator see what is missing?

A mutant is a code object with one instruction changed in place:

    wait      a wait is replaced by `s_nop 0`
    count     one counter of a wait may have one more operation outstanding
    alu       an `s_wait_alu` for SGPRs is replaced by `s_nop 0`
    nop       `s_nop N` becomes `s_nop N-1`; `s_nop 0` and `v_nop` change places with the next instruction
    barrier   a barrier, its signal or its wait is replaced by `s_nop 0`
    lds       the offset of an access to LDS is one element of its own width larger, or smaller
    init      a move of a constant to VGPRs is replaced by `s_nop 0`

`flyc verify` has killed it if it reports an error that the file as it is does not have. With `--run`, each mutant is
also executed by the emulator, which has killed it if the status is not 0, or if what it printed differs.

    scripts/mutate_code.py out/softmax.gfx942.hsaco
    scripts/mutate_code.py out/gemm.gfx942.hsaco --kernel gemm --run "--grid 4 --block 256 --arg ..." --show

Some survivors are right: a wait that orders stores for other waves says nothing of registers (the emulator's race check
is about that), and compilers keep a longer distance than the documents demand.
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
S_NOP = 0xBF800000
# gfx9's s_waitcnt: per counter its bits, from the low ones; all ones wait for nothing.
GFX9 = {"vmcnt": [0, 1, 2, 3, 14, 15], "expcnt": [4, 5, 6], "lgkmcnt": [8, 9, 10, 11]}
BITS = {"loadcnt": 6, "storecnt": 6, "samplecnt": 6, "bvhcnt": 3, "expcnt": 3, "dscnt": 6, "kmcnt": 5, "xcnt": 6,
        "asynccnt": 6, "tensorcnt": 6}
# Of s_wait_alu: sa_sdst, va_vcc, va_sdst.
SGPR_WRITES = [[0], [1], [9, 10, 11]]
LINE = re.compile(r"^\s+(\S+)(.*)// ([0-9A-F]{12}): ((?:[0-9A-F]{8} ?)+)")


def fields(mnemonic):
    """The counters of a wait: name, bits."""
    if mnemonic == "s_waitcnt":
        return GFX9
    names = mnemonic.removeprefix("s_wait_").split("_")
    if not mnemonic.startswith("s_wait_") or any(n not in BITS for n in names):
        return {}
    if len(names) == 1:
        return {names[0]: list(range(BITS[names[0]]))}
    return {names[0]: list(range(8, 14)), names[1]: list(range(6))}


def get(word, bits):
    return sum((word >> b & 1) << k for k, b in enumerate(bits))


def put(word, bits, value):
    for k, b in enumerate(bits):
        word = word & ~(1 << b) | (value >> k & 1) << b
    return word


def text_section(data):
    """Address and file offset of the executable segment."""
    phoff, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for k in range(count):
        kind, flags, offset, address = struct.unpack_from("<IIQQ", data, phoff + 56 * k)
        if kind == 1 and flags & 1:
            return address, offset
    sys.exit("no executable segment")


def instructions(path):
    """(kernel, mnemonic, operands, address, words) of each line of the disassembly."""
    listing = subprocess.run(["llvm-objdump-22", "-d", path], check=True, capture_output=True, text=True).stdout
    symbol = ""
    for line in listing.splitlines():
        if found := re.match(r"[0-9a-f]+ <(.+)>:", line):
            symbol = found[1]
        elif found := LINE.match(line):
            yield symbol, found[1], found[2].strip(), int(found[3], 16), [int(w, 16) for w in found[4].split()]


def is_initialisation(name, operands):
    """Whether it writes constants alone to VGPRs or AGPRs, as one instruction."""
    if not name.startswith(("v_mov_b32", "v_mov_b64", "v_accvgpr_write", "v_dual_mov_b32")):
        return False
    sources = [half.split(",")[1].strip() for half in re.sub(r"::\s*\S+", "::", operands).split("::")]
    return all(re.fullmatch(r"-?[0-9][0-9a-fx.]*", source) for source in sources)


def with_other_offset(name, word):
    """The first word of an access to LDS, its offset changed by what a lane accesses; a pair of offsets: by one."""
    pair = re.match(r"ds_(read|write)2|ds_(load|store)_2addr", name)
    width = re.search(r"[bui](8|16|32|64|96|128)(_|$)", name)
    step = 1 if pair else int(width[1]) // 8 if width else 4
    bits = 8 if pair else 16
    offset = word & ((1 << bits) - 1)
    return word - step if offset >= step else word + step


def mutants(path, data, kernel):
    """(class, what, new bytes)"""
    base, offset = text_section(data)
    code = [i for i in instructions(path) if not kernel or i[0] == kernel]
    for k in range(len(code) - 1, -1, -1):  # what pads the end of a kernel
        last = k + 1 == len(code) or code[k + 1][0] != code[k][0]
        if last and code[k][1] in ("s_nop", "s_code_end"):
            del code[k]

    def with_words(address, words):
        out = bytearray(data)
        struct.pack_into(f"<{len(words)}I", out, address - base + offset, *words)
        return bytes(out)

    for k, (symbol, name, operands, address, words) in enumerate(code):
        where = f"{symbol} 0x{address:x} {name}"
        counters = {c: b for c, b in fields(name).items() if get(words[0], b) != (1 << len(b)) - 1}
        if counters:
            yield "wait " + "+".join(counters), where, with_words(address, [S_NOP])
            for counter, bits in counters.items():
                yield "count " + counter, f"{where} {counter}", with_words(
                    address, [put(words[0], bits, get(words[0], bits) + 1)])
        elif name == "s_wait_alu" and any(get(words[0], b) == 0 for b in SGPR_WRITES):
            yield "alu", where, with_words(address, [S_NOP])
        elif name == "s_nop" and words[0] & 15:
            yield "nop", where, with_words(address, [words[0] - 1])
        elif name in ("s_barrier", "s_barrier_signal", "s_barrier_wait"):
            yield name.replace("s_", "").replace("_", " "), where, with_words(address, [S_NOP])
        elif name.startswith("ds_"):
            yield "lds offset", where, with_words(address, [with_other_offset(name, words[0]), *words[1:]])
        elif is_initialisation(name, operands):
            yield "init", where, with_words(address, [S_NOP] * len(words))
        elif name in ("s_nop", "v_nop", "v_nop_e32") and k + 1 < len(code):
            after = code[k + 1]
            if not after[1].startswith(("s_cbranch", "s_branch", "s_endpgm", "s_code_end", "s_getpc")):
                yield "nop", where, with_words(address, after[4] + words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--flyc", default=str(ROOT / "build/bin/flyc"))
    parser.add_argument("--kernel", default="")
    parser.add_argument("--run", default="", help="options of `flyc run` after the file")
    parser.add_argument("--show", action="store_true", help="list the mutants that survive `flyc verify`")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    environment = {**os.environ, "FLY_CACHE_DIR": ""}
    with tempfile.TemporaryDirectory() as work:
        for path in arguments.files:
            data = pathlib.Path(path).read_bytes()

            def verify(file):
                command = [arguments.flyc, "verify", file, "--quiet"]
                done = subprocess.run(command, capture_output=True, text=True, env=environment)
                return len(re.findall(r"^  error:", done.stdout, re.M))

            def execute(file):
                command = [arguments.flyc, "run", file, *shlex.split(arguments.run)]
                done = subprocess.run(command, capture_output=True, env=environment)
                return done.returncode, done.stdout.replace(os.fsencode(file), b"")

            before = verify(path)
            right = execute(path) if arguments.run else None
            if right and right[0]:
                sys.exit(f"{path} does not run unchanged: {arguments.run}")

            def judge(numbered):
                number, (kind, where, changed) = numbered
                file = os.path.join(work, f"{number}.hsaco")
                pathlib.Path(file).write_bytes(changed)
                result = kind, where, verify(file) > before, right is not None and execute(file) != right
                os.remove(file)
                return result

            with ThreadPoolExecutor(arguments.jobs) as pool:
                for kind, where, seen, emulated in pool.map(judge, enumerate(mutants(path, data, arguments.kernel))):
                    row = table[kind]
                    row["mutants"] += 1
                    row["verify"] += seen
                    row["emulator"] += emulated
                    row["either"] += seen or emulated
                    if arguments.show and not seen:
                        print(f"{kind}: {where} survives{' `flyc verify`, the emulator finds it' if emulated else ''}")
    columns = ["mutants", "verify"] + (["emulator", "either"] if arguments.run else [])
    print(f"{'class':28}" + "".join(f"{column:>10}" for column in columns))
    for kind, row in sorted(table.items()):
        print(f"{kind:28}" + "".join(f"{row[column]:10}" for column in columns))


if __name__ == "__main__":
    main()
