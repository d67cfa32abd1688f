"""Compares what flyc reports with what a test file expects, to the column.

    # RUN: %verify %s -- flyc build %s --emit=rocdl -o -

    total = x + y
    #         ^ FLY0301: `+` takes operands of one type, got f32 and f16; convert one of them

The notation is that of `fly-parse --verify`: carets under the line (an expectation in column 1 starts with `#<`, of
which each `<` and `^` is a caret), then the code and the whole message. Beyond it, in the first column:

    #! FLY0933: ...               a diagnostic that has no place
    #@ other.fly:3:5 FLY0301: ... one in another file, which is named without its folder

A diagnostic that is not expected, or expected and absent, is a failure, and so is an end by a signal. With
`--annotate` before the file, it is printed with the expectations that hold now, to be reviewed as a diff.
"""

import os
import re
import subprocess
import sys

HEAD = re.compile(r"^(?:error|warning|note)\[(FLY\d{4})\]: (.*?)  \[[a-z0-9-]+\]$")
PLACE = re.compile(r"^ +--> (.*):(\d+):(\d+)$")
MARK = re.compile(r"^#(?:(<[\^<]*)|( *)(\^+)) (FLY\d{4}: .*)$")


def reported(text):
    """(file, line, column, carets, text) of each diagnostic; file is None where it has no place."""
    out = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        head = HEAD.match(line)
        if not head:
            continue
        message = f"{head[1]}: {head[2]}"
        place = PLACE.match(lines[at + 1]) if at + 1 < len(lines) else None
        if not place:
            out.append((None, 0, 0, 0, message))
            continue
        number, column, carets = place[2], int(place[3]), 0
        for below in range(at + 2, len(lines)):
            if HEAD.match(lines[below]):
                break
            if re.match(rf"^ *{number} \| ", lines[below]):
                under = lines[below + 1].split("| ", 1)[-1] if below + 1 < len(lines) else ""
                run = re.match(r"\^+", under[column - 1:])
                carets = len(run[0]) if run else 0
                break
        out.append((place[1], int(number), column, carets, message))
    return out


def expected(path):
    """The same tuples, from the comments of a file, and its lines without them."""
    out, code, code_line = [], [], 0
    for number, line in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        mark = MARK.match(line)
        if mark:
            column = 1 if mark[1] else len(mark[2]) + 2
            out.append((path, code_line, column, len(mark[1] or mark[3]), mark[4]))
        elif line.startswith("#! FLY"):
            out.append((None, 0, 0, 0, line[3:]))
        elif other := re.match(r"^#@ (\S+):(\d+):(\d+) (FLY\d{4}: .*)$", line):
            out.append((other[1], int(other[2]), int(other[3]), None, other[4]))
        else:
            code_line = number
            code.append((number, line))
    return out, code


def annotated(path, code, found):
    same = lambda d: d[0] is not None and os.path.basename(d[0]) == os.path.basename(path)
    for number, line in code:
        print(line)
        for _, _, column, carets, message in (d for d in found if same(d) and d[1] == number):
            carets = max(1, carets)
            print("#" + ("<" * carets if column == 1 else " " * (column - 2) + "^" * carets), message)
    for file, line, column, _, message in (d for d in found if not same(d)):
        print(f"#! {message}" if file is None else f"#@ {os.path.basename(file)}:{line}:{column} {message}")


def main():
    arguments = sys.argv[1:]
    annotate = arguments[0] == "--annotate"
    path, dashes, *command = arguments[annotate:]
    assert dashes == "--" and command, __doc__
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    text = run.stderr.decode("utf-8", "replace")
    found = reported(text.replace(path, os.path.basename(path)))
    wanted, code = expected(path)
    if annotate:
        annotated(path, code, found)
        return 0
    failed = False
    if run.returncode < 0 or (run.returncode == 0 and re.search(r"^error\[", text, re.MULTILINE)):
        print(f"{command[0]} ended with {run.returncode}")
        failed = True
    for file, line, column, carets, message in found:
        for want in wanted:
            here = file is not None and want[0] is not None
            met = (file is None) == (want[0] is None) and message == want[4]
            if met and here:
                place = os.path.basename(file) == os.path.basename(want[0]) and (line, column) == want[1:3]
                met = place and want[3] in (None, carets)
            if met:
                wanted.remove(want)
                break
        else:
            print(f"not expected: {file}:{line}:{column} ({carets} carets) {message}")
            failed = True
    for file, line, column, carets, message in wanted:
        print(f"not found: {file}:{line}:{column} ({carets} carets) {message}")
        failed = True
    if failed:
        print(text)
    return int(failed)


sys.exit(main())
