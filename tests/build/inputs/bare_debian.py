"""bare_debian.py PACKAGE ROOT DOWNLOADS: whether the package works on a Debian 12 that has nothing but what it needs.

The steps of packaging/Containerfile, as far as they can be taken without a container:

    install   apt-get's own answer for a system on which nothing is installed: what it would unpack, none of it LLVM's
    run       flyc builds, tests and checks kernels in a root into which only these packages were unpacked

Both need apt's lists of Debian 12, and the second one needs root and a mirror; without these it says what it skips.
Packages are downloaded to DOWNLOADS once.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

package, root, downloads = (pathlib.Path(argument).absolute() for argument in sys.argv[1:])
work = package.parent


def run(command, **keywords):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120, **keywords)
    return done.stdout, done.returncode


def commands_of(text):
    """The commands of all RUN lines, as lists of words."""
    lines = text.replace("\\\n", " ").splitlines()
    steps = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    return [command.split() for step in steps for command in step.split("&&")]


def installed(command):
    """What the container file's apt-get install unpacks where nothing is installed: (name, version, origin). None
    without lists; ends the test if it cannot be installed."""
    if not any(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*")):
        return None
    words = [package if re.fullmatch(r"/tmp/flyc_\*\.deb", word) else word for word in command[1:]]
    with tempfile.NamedTemporaryFile() as nothing:
        options = ["-s", "-o", f"Dir::State::status={nothing.name}", "-o", "Debug::NoLocking=1"]
        text, status = run(["apt-get", *options, *words])
    found = re.findall(r"^Inst (\S+) (?:\[\S*\] )?\((\S+) (.*?) \[", text, re.M)
    if status or "flyc" not in [name for name, _, _ in found]:
        sys.exit(f"on a bare system: {' '.join(map(str, words))} failed:\n{text}")
    return [entry for entry in found if entry[0] != "flyc"]


def download(packages):
    """Their files; none if there is no mirror."""
    downloads.mkdir(exist_ok=True)
    paths = []
    for name, version, _ in packages:
        have = list(downloads.glob(f"{name}_{version.replace(':', '%3a')}_*.deb"))
        if not have:
            try:
                impatient = ["-o", "Acquire::http::Timeout=5", "-o", "Acquire::Retries=0"]
                run(["apt-get", *impatient, "download", f"{name}={version}"], cwd=downloads)
            except subprocess.TimeoutExpired:
                return None
            have = list(downloads.glob(f"{name}_{version.replace(':', '%3a')}_*.deb"))
        if not have:
            return None
        paths += have
    return paths


steps = commands_of((root / "packaging/Containerfile").read_text())
install = [command for command in steps if command[:2] == ["apt-get", "install"]]
others = [command for command in steps if command[:2] not in (["apt-get", "install"], ["apt-get", "update"])]
if len(install) != 1 or any(command[0] != "rm" for command in others):
    sys.exit(f"the container file has steps that nobody has tried: {steps}")
needed = installed(install[0])
if needed is None:
    print("bare Debian: SKIPPED, apt has no lists of packages")
    print("bare Debian: SKIPPED, nothing to unpack")
    sys.exit(0)
if wrong := [name for name, _, _ in needed if re.search("llvm|mlir|clang|lld", name)]:
    sys.exit(f"the package brings {wrong} to a bare system")
if not all(origin.startswith("Debian") for _, _, origin in needed):
    sys.exit(f"not all of these are Debian's: {needed}")
print(f"bare Debian: installs with {len(needed)} packages, none of them LLVM's")

bare = work / "bare"
paths = download(needed) if os.geteuid() == 0 and any("Debian:12" in origin for _, _, origin in needed) else None
if not paths:
    print("bare Debian: SKIPPED, running there needs root, Debian 12 and a mirror")
    sys.exit(0)
shutil.rmtree(bare, ignore_errors=True)
for path in [*paths, package]:
    text, status = run(["dpkg-deb", "-x", path, bare])
    if status:
        sys.exit(text)
# What a container has besides: a place for temporary files, and as far as flyc needs them /dev and /proc.
for folder in "tmp", "dev", "proc/self":
    (bare / folder).mkdir(parents=True, exist_ok=True)
(bare / "dev/null").touch()
(bare / "proc/self/exe").symlink_to("/usr/bin/flyc")
for source in "elementwise/vec_add.fly", "normalization/softmax.fly":
    shutil.copy(root / "kernels" / source, bare / "tmp")
environment = {"FLY_CACHE_DIR": "/tmp/cache", "PATH": "/usr/bin"}
emulated = {"FLY_HIP_LIBRARY": "/usr/lib/libfly_hip_emulated.so", "FLY_EMULATE": "gfx942"}
full = ["doctor", "--full", "-o", "/tmp/report.json", "--only"]
for command, variables, expected, outcome in (
        (["--version"], {}, 0, r"flyc [0-9.]+"),
        (["build", "/tmp/vec_add.fly", "--arch", "gfx942,gfx1250", "-o", "/tmp/out", "-q"], {}, 0, r"^$"),
        (["test", "/tmp/vec_add.fly", "/tmp/softmax.fly", "-q"], {}, 0, r"\d+ passed, 0 failed; 2 runs"),
        (["doctor"], {}, 1, r"problem  there is no /dev/kfd(.|\n)*problems: kernels run on the emulator meanwhile"),
        ([*full, "first checks"], {}, 2, r"there is no GPU that flyc can use"),
        ([*full, "kernels elementwise/vec_add"], emulated, 0, r"kernels +\d+ passed\nno suspects")):
    text, status = run(["/usr/sbin/chroot", bare, "/usr/bin/flyc", *command], env=environment | variables)
    if status and "chroot" in text and "Operation not permitted" in text:
        print("bare Debian: SKIPPED, no other root may be entered here")
        sys.exit(0)
    if status != expected or not re.search(outcome, text):
        sys.exit(f"on a bare system: flyc {' '.join(command)}: status {status}\n{text}")
if not (bare / "tmp/out/vec_add.gfx1250.hsaco").exists():
    sys.exit("on a bare system: flyc build wrote nothing")
shutil.rmtree(bare)
print("bare Debian: flyc builds, tests and checks kernels")
