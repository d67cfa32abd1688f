"""Every result of tests/layout/facts through `flyc eval`, all in one run of it.

    layout_facts.py FACTS.json EXAMPLES.txt

The facts name operations with CuTe's text; here they become expressions: `layout("((8),4):((1),8)")`. A tiler by modes
`<4:1;1:1>` may have been made of extents or of layouts, which CuTe treats differently where an extent is 1; the file does
not say which, so either may give the result.
"""

import json
import pathlib
import re
import subprocess
import sys


def layout(text):
    return f'layout("{text}")'


def tilers(text):
    if not text.startswith("<"):
        return [layout(text)]
    parts = text[1:-1].split(";")
    return [f'make_tile("{text}")', "(" + ", ".join(map(layout, parts)) + ",)"]


def expressions(fact):
    op, a = fact["op"], layout(fact["a"]) if "a" in fact else ""
    if op == "swizzle":
        function = f"swizzle({', '.join(map(str, fact['swizzle']))})"
        return ["(" + ", ".join(f"{function}({offset})" for offset in fact["offsets"]) + ",)"]
    if op == "size_cosize":
        return [f"(size({a}), cosize({a}))"]
    if op == "crd2idx":
        return [f'crd2idx(make_coord("{fact["coord"]}"), {a})', f'{a}(make_coord("{fact["coord"]}"))']
    if op == "idx2crd":  # the number of a coordinate in the shape
        return [f"idx2crd({fact['index']}, {a}.shape)"]
    if op == "slice":
        return [f'slice_and_offset(make_coord("{fact["coord"]}"), {a})']
    if op == "complement":
        return [f"complement({a}, {fact['cotarget']})"]
    if op in ("upcast", "downcast"):
        return [f"{op}({a}, {fact['n']})"]
    if "b" in fact:
        return [f"{op}({a}, {tiler})" for tiler in tilers(fact["b"])]
    return [f"{op}({a})"]


def plain(text):
    return re.sub(r",\)", ")", text.replace(" ", ""))


cases = []  # (expressions, expected)
for fact in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    cases.append((expressions(fact), fact["result"]))
for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
    if line and not line.startswith("#"):
        expression, expected = line.rsplit(" => ", 1)
        cases.append(([expression], expected))

lines = [line for choices, _ in cases for choice in choices for line in ('"next"', choice)]
done = subprocess.run(["flyc", "eval", "-"], input="\n".join(lines), capture_output=True, text=True)
answers = [answer.strip() for answer in done.stdout.split('"next"\n')[1:]]
answers = iter(answers)
errors, failed, seen = done.stderr, 0, set()
for choices, expected in cases:
    results = [next(answers) for _ in choices]
    if expected.startswith("! "):
        good = results == [""] and expected[2:] in errors
    else:
        good = plain(expected) in map(plain, results)
    if not good:
        failed += 1
        print(f"{choices[0]}: expected {expected}, got {results}")
print(f"{len(cases)} results, {failed} failed")
sys.exit(failed != 0)
