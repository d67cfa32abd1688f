"""Looks for RUN lines with a path in double quotes, which has backslashes too many where the path has spaces.

    run-lines.py FOLDER

tests/shell_words.py says why, and what to write instead.
"""
import pathlib
import re
import sys

PATH = re.compile(r"%(?:s|S|t|root|build|kernels|verify|python|host_cc|host_cxx)(?![a-z])")
QUOTED = re.compile(r"""\\.|'[^']*'|"((?:\\.|[^"\\])*)\"""")

folder = pathlib.Path(sys.argv[1])
lines, wrong = 0, []
for path in sorted(p for p in folder.rglob("*") if p.suffix in {".fly", ".mlir", ".test", ".c"}):
    if "inputs" in path.relative_to(folder).parts: # what tests read
        continue
    command = ""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        _, run, text = line.partition("RUN:")
        if not run:
            continue
        lines += 1
        command += text.rstrip()
        if command.endswith("\\"):
            command = command[:-1]
            continue
        for quoted in QUOTED.finditer(command):
            if quoted[1] and (found := PATH.search(quoted[1])):
                wrong.append(f"{path.relative_to(folder)}:{number}: {found[0]} is in double quotes")
        command = ""
print("\n".join(wrong + [f"{lines} RUN lines"]))
sys.exit(bool(wrong))
