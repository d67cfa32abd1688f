"""emit-asm.py FOLDER ARCH FILE.fly: builds the standard assembly and the code object, assembles and links the text as its
first line says, and compares: sections, symbols, and the source line of each instruction by llvm-objdump."""
import re
import subprocess
import sys
from pathlib import Path

LLVM = Path("/usr/lib/llvm-22/bin")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def section(path, name):
    """Its bytes; none if there is no such section."""
    out = path.with_suffix(".section")
    ended = subprocess.run([LLVM / "llvm-objcopy", f"--dump-section={name}={out}", path, "/dev/null"], capture_output=True)
    return out.read_bytes() if ended.returncode == 0 else None


def symbols(path):
    """Name, address, size and type of what a loader sees."""
    text = run(LLVM / "llvm-readelf", "--dyn-syms", "-W", path)
    return sorted(line.split()[1:] for line in text.splitlines() if re.match(r"\s*[1-9]\d*:", line) and "_DYNAMIC" not in line)


def lines(path):
    """Each instruction with its source line."""
    text = run(LLVM / "llvm-objdump", "-d", "-l", "--no-show-raw-insn", path)
    return [line for line in text.splitlines() if line and "file format" not in line]


folder, arch, source = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
run("flyc", "build", source, "--arch", arch, "--emit=asm,hsaco", "-o", folder, "-q")
text = folder / f"{source.stem}.{arch}.asm.s"
wanted, made = folder / f"{source.stem}.{arch}.hsaco", folder / f"{source.stem}.{arch}.again.hsaco"
first = text.read_text().splitlines()[0]
assemble, link = first.removeprefix("# ").split(" && ")
for tool, command in (("llvm-mc", assemble), ("ld.lld", link)):
    files = {"FILE.s": text, "FILE.o": f"{text}.o", "FILE.hsaco": made}
    words = [files.get(word, word) for word in command.split()]
    assert words[0] == tool, first
    run(LLVM / tool, *words[1:])
for name in (".text", ".rodata", ".note"):
    assert section(wanted, name) and section(wanted, name) == section(made, name), f"{name} differs"
assert symbols(wanted) == symbols(made), (symbols(wanted), symbols(made))
assert lines(wanted) == lines(made), "the line tables differ"
assert any(line.startswith("; ") and source.name in line for line in lines(made)), "no source lines"
