"""Compiles kernels with clang for every architecture that flyc only reads, and holds flyc's report against LLVM's tools.

    read_only_architectures.py FLYC CLANG OBJDUMP SOURCES SCRATCH

For each code object: the listing has the instructions that llvm-objdump prints, in number and text; registers, scratch, LDS
and occupancy are those that clang reports; no wait is missing. Then bytes of the code are replaced by chance, and flyc
must end with status 0 or 1.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

flyc, clang, objdump, sources, scratch = sys.argv[1:]
sources, scratch = pathlib.Path(sources).resolve(), pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)
text = subprocess.run([flyc, "targets"], check=True, capture_output=True, text=True).stdout
architectures = re.findall(r"^  (gfx\S+)", text[text.index("read only"):], re.M)
assert len(architectures) > 30, text
everything = scratch / "everything.c"
everything.write_text("".join(f'#include "{sources / name}.c"\n'
                              for name in ("arithmetic", "memory", "control", "registers")))
NO_PROCESSOR = {"gfx940": 0x40, "gfx941": 0x4B}  # LLVM 22 has none: an object for gfx942 with another number


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done


def compile_for(arch):
    """The path of the code object, and clang's remarks by kernel."""
    path = scratch / f"everything.{arch}.hsaco"
    remarks = run(clang, "-x", "c", "--target=amdgcn-amd-amdhsa", "-mcpu=" + ("gfx942" if arch in NO_PROCESSOR else arch),
                  "-nogpulib", "-O2", "-gline-tables-only", "-Rpass-analysis=kernel-resource-usage",
                  "-DKERNEL=__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256)))",
                  *(["-mcode-object-version=6"] if "generic" in arch else []),
                  everything, "-o", path).stderr
    if arch in NO_PROCESSOR:
        content = bytearray(path.read_bytes())
        content[48] = NO_PROCESSOR[arch]
        path.write_bytes(content)
    kernels = {}
    for key, value in re.findall(r"remark: (?:\S+: )?\s*(Function Name|[\w ]+?)(?: \[[^\]]*\])?: (\S+)", remarks):
        if key == "Function Name":
            current = kernels.setdefault(value, {})
        else:
            current[key] = value
    return path, kernels


def normal(line):
    """What both printers agree on: no comments, no targets of branches, one blank."""
    line = re.sub(r"\s*(//|;).*", "", line)
    line = re.sub(r"\s+", " ", line).strip()
    return line.split(" ")[0] if re.match(r"s_c?branch|s_call|s_subvector_loop", line) else line


def hold(arch):
    path, remarks = compile_for(arch)
    (document,) = json.loads(run(flyc, "report", path, "--json", "--listing").stdout)["objects"]
    assert document["arch"] == arch, (arch, document["arch"])
    dumped = {}
    if arch not in NO_PROCESSOR:
        for line in run(objdump, "-d", "--mattr=+real-true16", path).stdout.splitlines():
            if symbol := re.match(r"^[0-9a-f]+ <(\S+)>:", line):
                current = dumped.setdefault(symbol.group(1), [])
            elif line.startswith("\t"):
                current.append(normal(line))
    kernels = 0
    for kernel in document["kernels"]:
        for each in [kernel["name"], *kernel["aliases"]]:
            kernels += 1
            known, where = remarks[each], f"{arch} {each}"
            counted = kernel["resources"]
            assert counted["scratch_bytes"] == int(known["ScratchSize"]), where
            assert counted["lds_bytes"] == int(known["LDS Size"]), where
            assert counted["vgprs"] == int(known["VGPRs"]), (where, counted, known)
            assert counted["agprs"] == int(known.get("AGPRs", 0)), (where, counted, known)
            assert kernel["findings"] == [], (where, kernel["findings"][0])
            assert kernel["occupancy"]["waves"] == int(known["Occupancy"]), (where, kernel["occupancy"], known)
        if arch in NO_PROCESSOR:
            continue
        listing, lines = [normal(one["text"]) for one in kernel["listing"]], dumped[kernel["name"]]
        assert listing == lines[:len(listing)], (arch, kernel["name"], [p for p in zip(listing, lines) if p[0] != p[1]][:3])
        padding = set(lines[len(listing):])
        assert padding <= {"s_code_end", "s_nop 0", ""} or "..." in padding, (arch, kernel["name"], padding)
    assert kernels == len(remarks), (arch, remarks.keys())
    damage(arch, path)
    return kernels


def damage(arch, path):
    """Random words in the code: an error or a report, no crash."""
    content, chance = path.read_bytes(), random.Random(arch + path.name)
    sections = int.from_bytes(content[40:48], "little")
    for at in range(sections, len(content) - 63, 64):
        kind, flags = (int.from_bytes(content[at + o:at + o + s], "little") for o, s in ((4, 4), (8, 8)))
        if kind == 1 and flags & 4:
            start, size = (int.from_bytes(content[at + o:at + o + 8], "little") for o in (24, 32))
    broken = bytearray(content)
    for _ in range(size // 256 + 1):
        word = start + chance.randrange(size // 4) * 4
        broken[word:word + 4] = chance.randbytes(4)
    other = path.with_suffix(".damaged")
    other.write_bytes(broken)
    done = subprocess.run([flyc, "report", other], capture_output=True, text=True)
    assert done.returncode in (0, 1), (arch, path, done.returncode, done.stderr)


with ThreadPoolExecutor(2) as pool:
    total = sum(pool.map(hold, architectures))
print(f"{total} kernels of {len(architectures)} architectures")
