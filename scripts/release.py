#!/usr/bin/env python3
"""Makes all that a release of flyc publishes, into one folder, from a clean clone whose commit has the version's tag.

    scripts/release.py                     into build-release/flyc-0.1.0, built in build-release
    scripts/release.py --draft -o OUT      also without the tag, or of a changed clone, to see what a release would be
    scripts/release.py --only wheel,notes  some of the parts

    package    flyc_0.1.0_amd64.deb       the Debian package
    wheel      flyc-0.1.0-*.whl           the Python package, with flyc in it
    extension  fly-0.1.0.vsix             for VS Code; left out where Node is missing
    source     flyc-0.1.0.tar.gz          what git has of the commit
    container  Containerfile              an image with the Debian package
    notes      NOTES.md                   the section of CHANGELOG.md; FLY_REPOSITORY=https://... is where its links lead

SHA256SUMS has the sums of all. The same commit gives the same bytes, on the same machine: the time in every archive is
that of the commit. docs/release.md has the steps before and after.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable  # Debian's has what wheels need


def run(*command, **environment):
    """Runs a command of the release in the clone; its output, or the end with what it said."""
    ended = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if ended.returncode:
        sys.exit(f"release: `{' '.join(map(str, command))}` failed\n{ended.stdout[-4000:]}")
    return ended.stdout


def git(*words):
    ended = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return ended.stdout.strip() if ended.returncode == 0 else ""


def section(version):
    """The title and the text of the version's section of the changelog; `Unreleased` counts if it has none."""
    parts = re.split(r"^## (.*)\n", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    own = next((title for title in sections if title.split()[0] == version), None)
    title = own or next((title for title in sections if title.lower().startswith("unreleased")), None)
    return (title, sections[title].strip() + "\n") if title else (None, "")


def problems(version, title):
    """Why this commit is not a release."""
    found = []
    if changes := git("status", "--porcelain").splitlines():
        found.append(f"the clone has changes: {changes[0].strip()}" + (f" and {len(changes) - 1} more" if changes[1:] else ""))
    tag, head = git("rev-parse", "--verify", "--quiet", f"v{version}^{{commit}}"), git("rev-parse", "HEAD")
    if not tag:
        found.append(f"there is no tag v{version}, the version in CMakeLists.txt")
    elif tag != head:
        found.append(f"the tag v{version} is on another commit, {tag[:12]}")
    if not title or not re.fullmatch(re.escape(version) + r" - \d{4}-\d\d-\d\d", title):
        found.append(f"CHANGELOG.md has no section `{version} - DATE`, but `{title}`")
    return found


def package(made, options, version):
    run("cpack", "-G", "DEB", "--config", options.build / "CPackConfig.cmake", "-B", made / "cpack")
    return [next((made / "cpack").glob("*.deb"))]


def wheel(made, options, version):
    run(PYTHON, "scripts/wheel.py", options.build, "-o", made / "wheel")
    return [next((made / "wheel").glob("*.whl"))]


def extension(made, options, version):
    if not shutil.which("npm"):
        print("release: no npm, so no extension for VS Code")
        return []
    run("scripts/vscode.sh")
    return [shutil.copy(ROOT / "editors/vscode/fly.vsix", made / f"fly-{version}.vsix")]


def source(made, options, version):
    archive = made / f"flyc-{version}.tar.gz"
    run("git", "archive", "--format=tar.gz", f"--prefix=flyc-{version}/", "-o", archive, "HEAD")
    return [archive]


def container(made, options, version):
    return [shutil.copy(ROOT / "packaging/Containerfile", made)]


def away(text, version):
    """Notes are read without the files beside them: links lead to FLY_REPOSITORY, else there are only their texts."""
    repository = os.environ.get("FLY_REPOSITORY", "").rstrip("/")

    def one(link):
        if re.match(r"[a-z]+:", link[2]):
            return link[0]
        place = f"CHANGELOG.md{link[2]}" if link[2].startswith("#") else link[2]
        return f"[{link[1]}]({repository}/blob/v{version}/{place})" if repository else link[1]

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", one, text)


def notes(made, options, version):
    text = away(section(version)[1], version)
    if options.draft:
        changes = git("status", "--porcelain").splitlines()
        text = f"A draft, of commit {git('rev-parse', 'HEAD')}{' with changes' if changes else ''}.\n\n{text}"
    (made / "NOTES.md").write_text(text)
    return [made / "NOTES.md"]


PARTS = {part.__name__: part for part in (package, wheel, extension, source, container, notes)}
COMPILED = {"package", "wheel"}


def build(options):
    """flyc and what is packed with it, told the commit; in a folder of its own, where a configuration stays."""
    commit = git("rev-parse", "HEAD") + ("-changed" if git("status", "--porcelain") else "")
    place = ["-B", options.build] if (options.build / "build.ninja").exists() else ["--preset", "release", "-B", options.build]
    run("cmake", *place, f"-DFLY_COMMIT={commit}")
    run("ninja", "-C", options.build, "distribution")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draft", action="store_true", help="whatever the state of the clone")
    parser.add_argument("--build", type=Path, default=ROOT / "build-release", help="the build folder")
    parser.add_argument("--no-build", action="store_true", help="take what the build folder has")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,...", help="of " + ", ".join(PARTS))
    parser.add_argument("-o", "--output", type=Path, help="the folder for all files: a new one, or empty")
    options = parser.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    options.build = options.build.absolute()

    version = re.search(r"^project\(flyc VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    if not git("rev-parse", "HEAD"):
        sys.exit("release: this is no clone of git")
    found = [] if options.draft else problems(version, section(version)[0])
    extension_version = json.loads((ROOT / "editors/vscode/package.json").read_text())["version"]
    if extension_version != version:
        found.append(f"editors/vscode/package.json has version {extension_version}, CMakeLists.txt has {version}")
    output = (options.output or options.build / f"flyc-{version}").absolute()
    if output.exists() and any(output.iterdir()):
        found.append(f"{output} is not empty")
    if found:
        sys.exit("\n".join(f"release: {problem}" for problem in found))

    os.environ["SOURCE_DATE_EPOCH"] = git("log", "-1", "--format=%ct")
    if COMPILED & set(chosen) and not options.no_build:
        build(options)
    with tempfile.TemporaryDirectory() as temporary:
        files = [Path(path) for name in PARTS if name in chosen for path in PARTS[name](Path(temporary), options, version)]
        output.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, output)
    sums = [(hashlib.sha256(path.read_bytes()).hexdigest(), path.name) for path in sorted(output.iterdir())]
    (output / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for digest, name in sums))
    for digest, name in sums:
        print(f"{digest[:12]}  {(output / name).stat().st_size:>10}  {name}")
    print(output)


if __name__ == "__main__":
    main()
