#!/usr/bin/env python3
"""Makes a wheel of the Python package, with flyc, its runtime, the emulator and kernels/ in it.

    scripts/wheel.py BUILD [-o OUT]            pip install OUT/flyc-0.1.0-py3-none-manylinux_2_36_x86_64.whl

BUILD is the build folder. The wheel's platform is the glibc of this machine: flyc is linked with it. The programs in it
may need no other library than those that every system with this glibc has. The same build gives the same bytes; times
are SOURCE_DATE_EPOCH's.
"""
import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = {"bin/flyc": "bin/flyc", "lib/libfly_runtime.so.3": "lib/libfly_runtime.so.3", "lib/libfly_hip_emulated.so": "lib/libfly_hip_emulated.so"}
# zip files have times, and builds of the same source must be the same
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", 1577836800))  # 2020-01-01


# Those that PEP 600 lets a wheel expect, and zstd, which packages of every distribution of this age are compressed with.
EXPECTED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "libzstd.so.1"}


def needed(program):
    """The libraries that a program is linked with, without the loader."""
    shown = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
    return {name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", shown) if not name.startswith("ld-linux")}


def not_kernels(folder, names):
    """Of a folder of kernels/: what `cmake --install` leaves out, too."""
    return [name for name in names if not (Path(folder, name).is_dir() or name.endswith((".fly", ".json", ".md")))]


def stage(build, folder):
    """The sources of the wheel in `folder`."""
    package = folder / "flyc"
    shutil.copytree(ROOT / "runtime/python/flyc", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "kernels", package / "kernels", ignore=not_kernels)
    for file in "pyproject.toml", "setup.py":
        shutil.copy(ROOT / "runtime/python" / file, folder)
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(ROOT / "docs/python.md", folder / "README.md")
    version = subprocess.run([build / "bin/flyc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    (folder / "VERSION").write_text(version + "\n")
    notices = subprocess.run([build / "bin/flyc", "--licenses"], capture_output=True, text=True, check=True).stdout
    (folder / "THIRD-PARTY-NOTICES.txt").write_text(notices)
    for source, target in PROGRAMS.items():
        (package / target).parent.mkdir(exist_ok=True)
        subprocess.run(["strip", "--strip-unneeded", "-o", package / target, (build / source).resolve()], check=True)
        (package / target).chmod(0o755)
        if missing := needed(package / target) - EXPECTED:
            sys.exit(f"wheel: {target} needs {', '.join(sorted(missing))}, which not every system has")
    for path in sorted(folder.rglob("*")):
        os.utime(path, (TIME, TIME))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("."))
    options = parser.parse_args()
    name, version = platform.libc_ver()
    if name != "glibc":
        sys.exit("wheel: this machine has no glibc, so there is no platform tag for it")
    tag = f"manylinux_{version.replace('.', '_')}_{platform.machine()}"
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "source"
        folder.mkdir()
        stage(options.build.resolve(), folder)
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", made, "--config-setting=--build-option=--plat-name",
                   f"--config-setting=--build-option={tag}", folder]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})
        if ended.returncode:
            sys.exit(f"wheel: the build failed\n{ended.stdout[-4000:]}{ended.stderr[-4000:]}")
        wheel = next(Path(made).glob("*.whl"))
        if zipfile.ZipFile(wheel).testzip():
            sys.exit(f"wheel: {wheel.name} is damaged")
        print(shutil.copy(wheel, options.output / wheel.name))


if __name__ == "__main__":
    main()
