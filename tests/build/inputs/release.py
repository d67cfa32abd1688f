"""release.py WORK ROOT: ROOT/scripts/release.py in a clone made for this, in WORK."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

work, root = map(pathlib.Path, sys.argv[1:])
clone, programs = work / "clone", work / "programs"
identity = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
dates = {"GIT_AUTHOR_DATE": "1800000000 +0000", "GIT_COMMITTER_DATE": "1800000000 +0000"}
environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | identity | dates | {
    "PATH": f"{programs}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": "/dev/null"}
environment.pop("SOURCE_DATE_EPOCH", None)
environment.pop("FLY_REPOSITORY", None)


def run(*command, status=0):
    done = subprocess.run([str(word) for word in command], cwd=clone, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def release(*options, status=0):
    return run(sys.executable, clone / "scripts/release.py", "--build", work / "build", *options, status=status)


def refused(*options):
    lines = release(*options, status=1).splitlines()
    print("refused:", "; ".join(line.removeprefix("release: ") for line in lines))


def write(path, text, executable=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if executable else 0o644)


def commit():
    run("git", "add", "-A")
    run("git", "commit", "-qm", "A commit")


# What is called takes an output folder, and writes the time it was given.
stamp = "import os, pathlib, sys\nfolder = pathlib.Path(sys.argv[-1])\nfolder.mkdir(parents=True, exist_ok=True)\n"
for name, file in ("cpack", "flyc_1.2.3_amd64.deb"), ("wheel.py", "flyc-1.2.3-py3-none-any.whl"):
    place = (clone / "scripts" if name == "wheel.py" else programs) / name
    write(place, f"#!{sys.executable}\n{stamp}(folder / '{file}').write_text(os.environ['SOURCE_DATE_EPOCH'])\n", True)
for name in "cmake", "ninja":
    write(programs / name, f'#!/bin/sh\necho {name} "$@" >> "{work}/log"\n', True)
write(programs / "npm", "#!/bin/sh\n", True)
write(clone / "scripts/vscode.sh", '#!/bin/sh\necho "$SOURCE_DATE_EPOCH" > editors/vscode/fly.vsix\n', True)
shutil.copy(root / "scripts/release.py", clone / "scripts")
write(clone / ".gitignore", "*.vsix\n__pycache__\n")
write(clone / "CMakeLists.txt", "project(flyc VERSION 1.2.3 LANGUAGES C)\n")
write(clone / "packaging/Containerfile", "FROM debian:12-slim\n")
package = clone / "editors/vscode/package.json"
write(package, json.dumps({"version": "1.2.3"}))
changes = "# Changelog\n\n## 1.2.3 - {}\n\n- Something new ([page.md](docs/page.md), [form](https://keepachangelog.com)).\n\n## 1.2.2 - 2026-01-01\n\n- Something old.\n"
write(clone / "CHANGELOG.md", changes.format("unreleased"))

run("git", "init", "-q", "-b", "main")
commit()
refused("-o", work / "first")
write(clone / "CHANGELOG.md", changes.format("2026-12-01"))
commit()
run("git", "tag", "-a", "v1.2.3", "-m", "flyc 1.2.3")
write(clone / "stray", "")
refused("-o", work / "first")
(clone / "stray").unlink()
run("git", "commit", "-q", "--allow-empty", "-m", "Another")
refused("-o", work / "first")
write(package, json.dumps({"version": "1.2.2"}))
refused("--draft", "-o", work / "first")
run("git", "checkout", "-q", "v1.2.3", "--force")
write(work / "first/something", "")
refused("-o", work / "first")
(work / "first/something").unlink()
if (work / "log").exists():
    sys.exit("it built something that it refused to release")

release("-o", work / "first")
log, head = (work / "log").read_text(), run("git", "rev-parse", "HEAD").strip()
if log != f"cmake --preset release -B {work}/build -DFLY_COMMIT={head}\nninja -C {work}/build distribution\n":
    sys.exit(log)
print("built with the commit")
print("files:", *sorted(path.name for path in (work / "first").iterdir()))
subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=work / "first", check=True)
print("sums: right")
print("notes:", (work / "first/NOTES.md").read_text().strip())
with tarfile.open(work / "first/flyc-1.2.3.tar.gz") as archive:
    names = sorted(file.name for file in archive if file.isfile() and file.mtime == 1800000000)
if names != sorted(f"flyc-1.2.3/{name}" for name in run("git", "ls-files").splitlines()):
    sys.exit(f"{names}")
print("source: without what is not committed")
release("-o", work / "second")
run("diff", "-r", work / "first", work / "second")
print("the same bytes twice")
write(clone / "stray", "")
environment["FLY_REPOSITORY"] = "https://example.org/flyc/"
release("--draft", "--only", "notes,container", "--no-build", "-o", work / "draft")
print("links:", (work / "draft/NOTES.md").read_text().splitlines()[-1])
print("draft:", (work / "draft/NOTES.md").read_text().splitlines()[0])
