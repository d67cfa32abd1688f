"""Imports code objects into ISA mode, builds what came out, and compares machine code and descriptors of each kernel.

    python3 round_trip.py [--most=PERCENT] FOLDER FILE...          files: assembly, objects, code objects

Prints the totals. The status is 1 if a kernel has other bytes, or more than PERCENT (1) of all instructions became
bytes.
"""

import os
import re
import struct
import subprocess
import sys


def functions(path):
    """Code and kernel descriptor by the name of a kernel; the offset of the code in the descriptor is left out."""
    data = open(path, "rb").read()
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    symbols = {}
    for kind, start, length, link in ((s[1], s[4], s[5], s[6]) for s in sections):
        if kind != 2:  # SHT_SYMTAB
            continue
        strings = sections[link][4]
        for at in range(start, start + length, 24):
            name, info, _, index, value, extent = struct.unpack_from("<IBBHQQ", data, at)
            text = data[strings + name : data.index(b"\0", strings + name)].decode()
            symbols[text] = (info & 15, index, value, extent)

    def bytes_of(index, value, extent):
        begin = value - sections[index][3] + sections[index][4]
        return data[begin : begin + extent]

    out = {}
    for name, (kind, index, value, extent) in symbols.items():
        if kind != 2 or name + ".kd" not in symbols:
            continue
        descriptor = bytes_of(*symbols[name + ".kd"][1:3], 64)
        if not extent:  # to the next code, or to the end of the section
            isOwn = lambda n, k: k in (1, 2) or n + ".kd" in symbols  # noqa: E731
            later = [v for n, (k, i, v, _) in symbols.items() if isOwn(n, k) and i == index and v > value]
            extent = min(later + [sections[index][3] + sections[index][5]]) - value
        out[name] = bytes_of(index, value, extent), descriptor[:16] + descriptor[24:]
    return out


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


PADDING = (0x00000000, 0xBF800000, 0xBF9F0000)


def is_padding(code):
    return all(struct.unpack_from("<I", code, at)[0] in PADDING for at in range(0, len(code) - 3, 4))


def main():
    most = 1.0
    if sys.argv[1].startswith("--most="):
        most = float(sys.argv.pop(1).split("=")[1])
    folder, files = sys.argv[1], sys.argv[2:]
    instructions = raw = kernels = 0
    bad = False
    for path in files:
        stem = "i_" + re.sub(r"\W", "_", os.path.basename(path))
        source = os.path.join(folder, stem + ".fly")
        status, _, said = run("flyc", "import", path, "-o", source)
        if status:
            print(f"{path}: {said.strip()}")
            bad = True
            continue
        for counted in re.finditer(r"^.*: (\d+) instructions, (\d+) as bytes", said, re.M):
            instructions += int(counted[1])
            raw += int(counted[2])
        arch = re.search(r'arch="(\w+)"', open(source).read())[1]
        status, _, said = run("flyc", "build", source, "--arch", arch, "-q", "-o", folder)
        if status:
            print(f"{path}: {said.strip()[:2000]}")
            bad = True
            continue
        original = path
        if not open(path, "rb").read(20)[:4] == b"\x7fELF":
            original = os.path.join(folder, stem + ".hsaco")
            named = re.search(r'\.amdgcn_target "amdgcn-amd-amdhsa--([^"]+)"', open(path).read())
            cpu = "-mcpu=" + (named[1] if named else arch)
            run("clang-22", "-x", "assembler", "--target=amdgcn-amd-amdhsa", cpu, "-nostdlib", path, "-o", original)
        before = functions(original)
        after = functions(os.path.join(folder, f"{stem}.{arch}.hsaco"))
        for name, (code, descriptor) in before.items():
            own = name if re.fullmatch(r"[A-Za-z_]\w*", name) else re.sub(r"\W", "_", name).lstrip("_")
            made, made_descriptor = after.get(own, (None, None))
            kernels += 1
            if made_descriptor != descriptor:
                print(f"{path}: {name} has another descriptor")
                bad = True
            if made is None or not code.startswith(made) or not is_padding(code[len(made) :]):
                print(f"{path}: {name} has other bytes")
                bad = True
    share = 100 * raw / max(1, instructions)
    print(f"{kernels} kernels, {instructions} instructions, {raw} as bytes ({share:.2f} %)")
    return 1 if bad or share > most or kernels == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
