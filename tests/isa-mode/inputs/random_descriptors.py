"""Gives the kernel descriptors of objects random bits, imports the objects, builds what came out, and compares the 64
bytes of each descriptor, but for the offset of the code.

    python3 random_descriptors.py FOLDER SEED COUNT ARCH...

Half of the descriptors have legal fields of random values, the others random bits at random places: reserved ones as
well.
"""

import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from round_trip import functions, run  # noqa: E402

WAVE = {"gfx942": 64, "gfx950": 64, "gfx1201": 32, "gfx1250": 32}
# (offset, bytes) of the words; the 8 bytes at 16 are the offset of the code.
WORDS = [(0, 4), (4, 4), (8, 4), (12, 4), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (44, 4), (48, 4), (52, 4), (56, 2), (58, 2), (60, 4)]
# (offset of the word, lowest bit, bits): what loaders and assemblers give meanings to.
FIELDS = [
    (48, 0, 6), (48, 6, 4), (48, 12, 2), (48, 14, 2), (48, 16, 2), (48, 18, 2), (48, 21, 1), (48, 23, 1), (48, 26, 1),
    (48, 29, 1), (48, 30, 1), (48, 31, 1), (52, 0, 1), (52, 1, 5), (52, 7, 1), (52, 8, 1), (52, 9, 1), (52, 10, 1),
    (52, 11, 2), (52, 24, 7), (44, 0, 6), (44, 16, 1), (44, 4, 8), (56, 0, 1), (56, 1, 1), (56, 2, 1), (56, 3, 1),
    (56, 4, 1), (56, 5, 1), (56, 6, 1), (56, 11, 1), (58, 0, 7), (58, 7, 9),
]  # fmt: skip


def assembly(arch, count):
    text = f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.text\n'
    for k in range(count):
        text += f".globl k{k}\n.p2align 8\n.type k{k},@function\nk{k}:\n  s_endpgm\n.size k{k}, .-k{k}\n"
    text += ".rodata\n.p2align 6\n"
    for k in range(count):
        text += f".amdhsa_kernel k{k}\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n.amdhsa_kernarg_size 16\n"
        text += ".amdhsa_accum_offset 8\n" if arch in ("gfx942", "gfx950") else ""
        text += ".end_amdhsa_kernel\n"
    return text


def change(descriptor, rng):
    """Never the size of the wave: flyc compiles for one."""
    if rng.random() < 0.5:
        for at, low, bits in rng.sample(FIELDS, rng.randrange(1, 9)):
            (word,) = struct.unpack_from("<I", descriptor, at)
            mask = ((1 << bits) - 1) << low
            struct.pack_into("<I", descriptor, at, word & ~mask | rng.getrandbits(bits) << low)
        for at in (0, 4, 8):
            if rng.random() < 0.3:
                struct.pack_into("<I", descriptor, at, rng.choice([0, 4, 8, 12, 4096, 65536, 163840, 1 << 31]))
    else:
        for at, size in rng.sample(WORDS, rng.randrange(1, 4)):
            for _ in range(rng.randrange(1, 5)):
                bit = rng.randrange(8 * size)
                if (at, bit) != (56, 10):
                    descriptor[at + bit // 8] ^= 1 << bit % 8


def main():
    folder, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    wrong = kernels = words = 0
    for arch in sys.argv[4:]:
        stem = os.path.join(folder, f"descriptors_{arch}")
        open(stem + ".s", "w").write(assembly(arch, count))
        subprocess.run(["clang-22", "-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nostdlib", stem + ".s", "-o", stem + ".hsaco"], check=True)  # fmt: skip
        data = bytearray(open(stem + ".hsaco", "rb").read())
        for _, (_, own) in functions(stem + ".hsaco").items():
            place = data.find(own[:16])
            while data[place + 24 : place + 64] != own[16:] or place % 64:
                place = data.find(own[:16], place + 1)
            break
        for k in range(count):
            one = data[place + 64 * k : place + 64 * (k + 1)]
            change(one, rng)
            data[place + 64 * k : place + 64 * (k + 1)] = one
        open(stem + ".hsaco", "wb").write(data)
        status, _, said = run("flyc", "import", stem + ".hsaco", "-q", "-o", stem + ".fly")
        if status:
            print(f"{arch}: {said.strip()[:1000]}")
            return 1
        words += open(stem + ".fly").read().count("compute_pgm_rsrc")
        made = os.path.join(folder, "made")
        status, _, said = run("flyc", "build", stem + ".fly", "--arch", arch, "-q", "-o", made)
        if status:
            print(f"{arch}: {said.strip()[:2000]}")
            return 1
        after = functions(os.path.join(made, f"descriptors_{arch}.{arch}.hsaco"))
        for name, (_, descriptor) in functions(stem + ".hsaco").items():
            kernels += 1
            if after[name][1] != descriptor:
                wrong += 1
                print(f"{arch}: {name}: {descriptor.hex()} became {after[name][1].hex()}")
    print(f"{kernels} descriptors, {words} words whole, {wrong} wrong")
    return 1 if wrong or not words else 0


sys.exit(main())
