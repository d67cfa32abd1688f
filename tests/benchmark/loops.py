"""Instructions in the loops of flyc's programs, beside those of clang for the same algorithms in C.

    python3 tests/benchmark/loops.py build/bin/flyc                 the tables, as Markdown
    python3 tests/benchmark/loops.py build/bin/flyc --write         the same, into docs/performance.md
    python3 tests/benchmark/loops.py build/bin/flyc --check         fails where flyc's loop is longer (see `judge`)
    python3 tests/benchmark/loops.py build/bin/flyc --show dot      both loops, instruction by instruction

Each program is loops/NAME.fly and loops/NAME.c. Both are built for each architecture and disassembled. A loop is what
lies between the target of a backward branch and the branch; the innermost ones contain no other, and of several the one
that does most counts (most instructions other than waits and branches). What is counted is the code, not its execution:
both sides of a branch inside of the loop.
"""
import argparse, concurrent.futures, os, re, shutil, subprocess, sys, tempfile

from generated_section import Section, conclude

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = ["gfx942", "gfx950", "gfx1201", "gfx1250"]
PROGRAMS = {  # the name of the files and of the kernel: what it shows
    "saxpy": "a stream of 32-bit elements, a grid-stride loop",
    "dot": "128-bit vector loads, multiply-add of vectors",
    "matmul": "one operand is the same for all lanes: scalar loads",
    "stencil": "seven neighbours at constant distances",
    "scan": "LDS and barriers, with a branch in the loop",
    "histogram": "bytes, atomics in LDS",
    "mandelbrot": "a `while` loop that each lane leaves at its own time",
    "search": "a `while` loop whose next address depends on the last load",
    "hash": "64-bit indices, bytes",
    "list_sum": "pointers in memory",
    "horner": "`f64`, scalar loads",
    "bits": "32-bit integers in registers",
}
# By how many instructions flyc's loop may be longer on which architectures, and the reason, which the page gives.
EXCEPTIONS = [
    ("stencil", {"gfx942": 5, "gfx950": 5, "gfx1201": 10, "gfx1250": 5},
     "The index of `x[i - 3 + j]` wraps in 32 bits, as the language defines, so each neighbour costs an addition and a "
     "load. clang assumes no overflow: it uses one address, offsets in the instructions, and one load of four and one of "
     "three. flyc also loads the weights in every iteration, because the caller may pass one array as both `w` and `y`, "
     "which C's `restrict` rules out. With `p = x.pointer(i - 3)` and `p[j]` in the .fly source, flyc's loop has 22, 22, "
     "24 and 24 instructions."),
    ("dot", {"gfx942": 3, "gfx950": 3},
     "The loop carries two scalar pointers, each advanced by two scalar additions where clang has one vector addition. It "
     "also contains a wait for the kernel's arguments, which no longer waits after the first iteration. The vector unit "
     "has less to do than in clang's loop."),
    ("matmul", {"gfx1250": 1},
     "The row's address is computed in scalar registers."),
    ("scan", {"gfx1201": 3},
     "`barrier()` also orders global memory: this adds a wait, and a cache invalidation after each barrier. The C source "
     "orders only LDS."),
    ("mandelbrot", {"gfx942": 2, "gfx950": 2},
     "clang's SLP vectorizer turns four instructions into two packed ones; flyc does not run it."),
]
CLASSES = [  # by the first pattern that matches
    ("branches", r"s_(c?branch|setpc|swappc|endpgm)"),
    ("waits", r"s_(wait|nop|delay_alu|clause|barrier|sleep|set_vgpr_msb)"),
    ("SMEM", r"s_(load|buffer_load|prefetch|store|dcache)"),
    ("SALU", r"s_"),
    ("LDS", r"ds_"),
    ("VMEM", r"(global|flat|buffer|scratch)_"),
    ("VALU", r"v_"),
]
COLUMNS = ["VALU", "SALU", "VMEM", "SMEM", "LDS", "waits", "branches"]
SECTION = Section("loops.py")


class Failure(Exception):
    pass


def fail(text):
    raise Failure(text)


def tool(name):
    found = shutil.which(name + "-22") or shutil.which(name)
    if not found:
        fail(f"{name}-22 is not installed")
    return found


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        fail(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def class_of(mnemonic):
    return next(name for name, pattern in CLASSES if re.match(pattern, mnemonic))


class Code:
    """A kernel's instructions, its innermost loop, and what it takes."""

    def __init__(self, path, kernel):
        self.kernel = kernel
        self.code = self.disassemble(path)
        headers = run([tool("llvm-readelf"), "--notes", "--symbols", "--wide", path])
        notes = next(part for part in headers.split("\n  - ")[1:] if re.search(rf"    \.name: +{kernel}\n", part))
        note = lambda key: int(re.search(rf"\.{key}: +(\d+)", notes).group(1))
        self.scratch, self.vgprs, self.sgprs = note("private_segment_fixed_size"), note("vgpr_count"), note("sgpr_count")
        self.bytes = int(re.search(rf"(\d+) FUNC .* {kernel}\n", headers).group(1))
        self.loop = self.innermost_loop()
        self.counts = {column: 0 for column in COLUMNS}
        for _, text, _ in self.loop:
            self.counts[class_of(text)] += 1

    def disassemble(self, path):
        """(address, text, target of a branch or None) of each instruction"""
        lines = run([tool("llvm-objdump"), "-d", f"--disassemble-symbols={self.kernel}", path]).splitlines()
        found = []
        for line in lines:
            match = re.match(r"\t(\S.*?)\s+// ([0-9A-F]+):[0-9A-F ]*(?:<[^>+]*(?:\+0x([0-9a-f]+))?>)?$", line)
            if match:
                found.append((int(match[2], 16), match[1], line.endswith(">") and int(match[3] or "0", 16)))
        if not found:
            fail(f"{path}: kernel {self.kernel} has no code")
        first = found[0][0]
        return [(at, text, first + target if class_of(text) == "branches" and target is not False else None)
                for at, text, target in found]

    def innermost_loop(self):
        ends = {}
        for at, _, target in self.code:
            if target is not None and target <= at:
                ends[target] = at
        loops = [(first, last) for first, last in ends.items()
                 if not any((a, b) != (first, last) and first <= a and b <= last for a, b in ends.items())]
        if not loops:
            fail(f"kernel {self.kernel} has no loop")
        bodies = [[each for each in self.code if first <= each[0] <= last] for first, last in loops]
        return max(bodies, key=lambda body: sum(class_of(text) not in ("waits", "branches") for _, text, _ in body))


def build(flyc, name, architectures, folder):
    """[((program, architecture), (flyc's code, clang's code)), ...]"""
    source, results = os.path.join(HERE, "loops", name), []
    run([flyc, "build", source + ".fly", "--arch", ",".join(architectures), "-q", "-o", folder])
    for arch in architectures:
        compiled = os.path.join(folder, f"{name}.{arch}.o")
        run([tool("clang"), "-x", "c", "-std=gnu23", "-O3", "-Wall", "-Werror", "-ffp-contract=off", "-nogpulib",
             "--target=amdgcn-amd-amdhsa", "-mcpu=" + arch, "-mcode-object-version=5", "-o", compiled, source + ".c"])
        results.append(((name, arch), (Code(os.path.join(folder, f"{name}.{arch}.hsaco"), name), Code(compiled, name))))
    return results


def table(results, arch):
    text = [f"### {arch}", "", "| program | loop | " + " | ".join(COLUMNS) + " | bytes | VGPRs | SGPRs |",
            "|---|" + "--:|" * (len(COLUMNS) + 4)]
    for name in PROGRAMS:
        mine, clang = results[name, arch]
        cells = [(len(mine.loop), len(clang.loop))] + [(mine.counts[c], clang.counts[c]) for c in COLUMNS]
        cells += [(mine.bytes, clang.bytes), (mine.vgprs, clang.vgprs), (mine.sgprs, clang.sgprs)]
        text.append(f"| `{name}` | " + " | ".join(f"{a} / {b}" for a, b in cells) + " |")
    return "\n".join(text) + "\n"


def allowed_excess(name, arch):
    return sum(extra.get(arch, 0) for program, extra, _ in EXCEPTIONS if program == name)


def exceptions():
    return "".join(f"- `{name}` on {', '.join(f'{arch} (+{more})' for arch, more in extra.items())}: {reason}\n"
                   for name, extra, reason in EXCEPTIONS)


def page_text(results):
    shows = "".join(f"- [`{name}`](../tests/benchmark/loops/{name}.fly): {what}\n" for name, what in PROGRAMS.items())
    longer = exceptions()
    longer = "flyc's loop is longer in these programs:\n\n" + longer if longer else "None of flyc's loops is longer.\n"
    return "\n".join([shows, longer] + [table(results, arch) for arch in ARCHITECTURES])


def lengths_on_page():
    """{(program, architecture): flyc's instructions} that the page states"""
    found, arch = {}, None
    for line in SECTION.read().splitlines():
        if line.startswith("### "):
            arch = line[4:]
        row = re.match(r"\| `(\w+)` \| (\d+) / ", line)
        if row and arch:
            found[row[1], arch] = int(row[2])
    return found


def judge(results):
    """No scratch; no loop is longer than clang's and its exception allow; the page does not say it is shorter."""
    complaints, stated = [], lengths_on_page()
    for (name, arch), (mine, clang) in results.items():
        length, allowed = len(mine.loop), len(clang.loop) + allowed_excess(name, arch)
        if mine.scratch:
            complaints.append(f"{name} on {arch}: {mine.scratch} bytes of scratch")
        if length > allowed:
            complaints.append(f"{name} on {arch}: {length} instructions, {allowed} allowed")
        if length > stated.get((name, arch), -1):
            complaints.append(f"{name} on {arch}: {length} instructions, docs/performance.md says "
                              f"{stated.get((name, arch), 'nothing')}")
    return complaints


def show(name, results, architectures):
    for arch in architectures:
        for whose, code in zip(("flyc", "clang"), results[name, arch]):
            print(f"\n{name} on {arch}, {whose}: {len(code.loop)} instructions")
            for at, text, target in code.loop:
                print(f"  {at:6x}  {class_of(text):9}{text}" + (f"  -> {target:x}" if target is not None else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="PROGRAM", choices=PROGRAMS)
    parser.add_argument("--arch", default=",".join(ARCHITECTURES))
    options = parser.parse_args()
    architectures = ARCHITECTURES if options.write or options.check else options.arch.split(",")
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            built = pool.map(lambda name: build(options.flyc, name, architectures, folder),
                             [options.show] if options.show else PROGRAMS)
            results = {key: codes for each in built for key, codes in each}
    if options.show:
        return show(options.show, results, architectures)
    if options.write:
        SECTION.write(page_text(results))
    elif options.check:
        conclude(judge(results), f"{len(results)} loops, none too long")
    else:
        print("\n".join(table(results, arch) for arch in architectures))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
