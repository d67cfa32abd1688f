"""Applies the safe fixes of all programs with mistakes, and looks at what they became: a line that was edited has no
error that the program did not have before, and at least some programs were changed.

    fix_all.py TESTS
"""
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ERROR = re.compile(r"^error\[(FLY\d{4})\]: (.*?)  \[[a-z0-9-]+\]\n +--> (.*):(\d+):\d+$", re.MULTILINE)


def errors(path):
    """(line, message) of each error in the file itself."""
    run = subprocess.run(["flyc", "build", path, "--emit=fly", "-o", "/dev/null"], capture_output=True)
    text = run.stderr.decode("utf-8", "replace")
    return [(int(line), f"{code}: {message}") for code, message, file, line in ERROR.findall(text) if file == str(path)]


changed, complaints = 0, []
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch) / "tests"
    for part in ("sema", "syntax", "commands", "launch", "search"):
        shutil.copytree(pathlib.Path(sys.argv[1]) / part, folder / part, ignore=lambda _, names: [n for n in names if n.endswith((".cpp", ".hsaco"))])
    for path in sorted(folder.rglob("*.fly")):
        before = path.read_bytes()
        if subprocess.run(["flyc", "fix", path, "--dry-run"], capture_output=True).stdout == b"":
            continue
        known = {message for _, message in errors(path)}
        subprocess.run(["flyc", "fix", path], capture_output=True)
        lines = [text.decode("utf-8", "replace").splitlines() for text in (before, path.read_bytes())]
        edited = {number for tag, _, _, begin, end in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
                  if tag != "equal" for number in range(begin + 1, end + 1)}
        changed += 1
        for line, message in errors(path):
            if line in edited and message not in known:
                complaints.append(f"{path.relative_to(folder)}:{line}: fixed to `{lines[1][line - 1].strip()}`: {message}")
print("\n".join(complaints) or f"{changed} programs were fixed, and no fix made a new mistake")
sys.exit(bool(complaints or changed < 10))
