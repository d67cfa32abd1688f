"""Reports every code object of Debian's librocrand1 and librocsparse0: counts, time and memory.

    python3 tests/benchmark/debian_objects.py build/bin/flyc [FOLDER]

The packages are fetched with `apt-get download` into FOLDER (a temporary one if it is left out) and unpacked there, nothing
is installed. Each library is summarised and then reported in full; a status other than 0 ends this with 1.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

flyc = pathlib.Path(sys.argv[1]).resolve()
scratch = tempfile.TemporaryDirectory() if len(sys.argv) < 3 else None
folder = pathlib.Path(scratch.name if scratch else sys.argv[2])


def library(package):
    """The path of the package's library, fetched and unpacked if it is not there."""
    to = folder / ("x-" + package)
    if not to.exists():
        subprocess.run(["apt-get", "download", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = folder.glob(package + "_*.deb")
        subprocess.run(["dpkg", "-x", archive, to], check=True)
    return max(to.rglob("*.so*"), key=lambda path: path.stat().st_size if not path.is_symlink() else 0)


def measured(*arguments):
    """Status, seconds of the processor, most memory in MB, and the last line."""
    with subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, text=True) as child:
        last = ""
        for line in child.stdout:
            last = line
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, last.strip()


bad = 0
print("| library | MB | objects and kernels | summary | full report | memory |")
print("|---|---:|---|---:|---:|---:|")
for package in ("librocrand1", "librocsparse0"):
    path = library(package)
    status, processor, _, total = measured(flyc, "report", "--summary", path)
    found, = re.findall(r"(\d+ objects?, \d+ kernels?)", total)
    full, longer, memory, _ = measured(flyc, "report", path)
    bad |= status | full
    print(f"| {package} | {path.stat().st_size >> 20} | {found} | {processor:.1f} s | {longer:.0f} s | {memory} MB |", flush=True)
sys.exit(bad)
