"""package.py WORK ROOT CC CXX: what the package in WORK/made holds, and what can be done with it."""

import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

work, root, cc, cxx = sys.argv[1:]
work, root = pathlib.Path(work), pathlib.Path(root)


def run(*command, **environment):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {k: str(v) for k, v in environment.items()})
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


(package,) = (work / "made").glob("*.deb")
needs = run("dpkg-deb", "-f", package, "Depends").strip()
print("needs:", needs)

# The same bytes again: every file has one time, and nothing is of whoever packed it.
times, strangers = set(), []
for part in "--ctrl-tarfile", "--fsys-tarfile":
    packed = subprocess.run(["dpkg-deb", part, package], stdout=subprocess.PIPE, check=True).stdout
    for file in tarfile.open(fileobj=io.BytesIO(packed)):
        times.add(file.mtime)
        if (file.uid, file.gid, file.mode & 0o022) != (0, 0, 0) and not file.issym():
            strangers.append(file.name)
if len(times) != 1 or strangers:
    sys.exit(f"files have {len(times)} times; not root's, or for others to write: {strangers}")
print("files: one time, all root's")
if shutil.which("lintian"):  # without what looks for misspelt words in 100 MB of LLVM
    run("lintian", "--allow-root", "--fail-on", "error,warning", "--dont-check-part", "binaries/spelling", package)
    print("lintian: no errors, no warnings")
else:
    print("lintian: SKIPPED, it is missing")

bare = pathlib.Path(__file__).with_name("bare_debian.py")
print(run(sys.executable, bare, package, root, work.parent / "debian-packages"), end="")

prefix = work / "root" / "usr"
run("dpkg-deb", "-x", package, work / "root")
flyc = prefix / "bin" / "flyc"
print(re.match(r"flyc [0-9.]+", run(flyc, "--version"))[0])
script = prefix / "share/bash-completion/completions/flyc"
completed = run("bash", "-c", f'source {shlex.quote(str(script))}; COMP_WORDS=(flyc bui) COMP_CWORD=1; _flyc; echo "${{COMPREPLY[@]}}"')
page = run("gzip", "-dc", prefix / "share/man/man1/flyc.1.gz")
if completed.strip() != "build" or ".TH FLYC 1" not in page:
    sys.exit(completed + page)
for other in ("share/zsh/vendor-completions/_flyc", "share/fish/vendor_completions.d/flyc.fish"):
    if not (prefix / other).exists():
        sys.exit(f"no {other}")
print("completion, manual page")

shown, copyright = run(flyc, "--licenses"), (prefix / "share/doc/flyc/copyright").read_text()
for name in ("LICENSE", "THIRD-PARTY-NOTICES.txt"):
    if (prefix / "share/doc/fly" / name).read_text().strip("\n") not in shown:
        sys.exit(f"flyc --licenses does not show {name}")
if "\nFiles: usr/bin/flyc\n" not in copyright or run("dpkg-deb", "-f", package, "Maintainer").strip() not in copyright:
    sys.exit(copyright)
print("licences: LICENSE, THIRD-PARTY-NOTICES.txt, copyright")

out = work / "kernels"
emulated = {"FLY_HIP_LIBRARY": prefix / "lib/libfly_hip_emulated.so", "FLY_EMULATE": "gfx942"}
run(flyc, "build", root / "kernels/elementwise/vec_add.fly", "--arch", "gfx942", "-o", out, "-q")
flags = shlex.split(run("pkg-config", "--cflags", "--libs", "fly", PKG_CONFIG_PATH=prefix / "lib/pkgconfig"))
program = work / "program"
run(cc, "-std=c11", f"-I{out}", root / "tests/runtime/inputs/vec_add_host.c", *flags, "-o", program)
text = run(program, LD_LIBRARY_PATH=prefix / "lib", **emulated)
print("pkg-config:", text.strip().splitlines()[-1])

python = prefix / "share/doc/fly/python"
run(flyc, "build", python / "hip_kernels.fly", "--arch", "gfx942", "-o", out, "-q")
text = run(sys.executable, python / "example.py", out, PYTHONPATH=prefix / "lib/python3/dist-packages", PYTHONDONTWRITEBYTECODE="1", **emulated)
print("python:", text.splitlines()[1])

build = work / "example"
run("cmake", "-S", root / "docs/example", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
    f"-DCMAKE_CXX_COMPILER={cxx}")
run("cmake", "--build", build)
print("example:", re.search(r"100% tests passed", run("ctest", "--test-dir", build))[0])

steps = (root / "packaging/Containerfile").read_text()
copied = re.search(r"^COPY (\S+) /tmp/$", steps, re.M)[1]
if not package.match(copied) or not steps.splitlines()[-2].startswith("ENTRYPOINT"):
    sys.exit(f"the container file does not fit {package.name}")
print("container: the package is copied")
