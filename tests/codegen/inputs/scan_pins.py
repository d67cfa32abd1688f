"""Which instructions of a kernel touch pinned registers: all of a range must be of the kinds that are given.

    scan_pins.py FILE.s KERNEL 'a[0:64] v_mfma v_accvgpr' 'v[128:192] v_mfma ds_read' ...

FILE.s is what `flyc build --emit=isa` prints. The kinds are beginnings of names. A range that nothing touches is an error,
and so is a VGPR or AGPR above the first pinned one that is in no range.
"""

import re
import sys

path, kernel, *rules = sys.argv[1:]


def registers(text):
    """('v', 3) for each register that an instruction names."""
    for file, first, last, one in re.findall(r"\b([vas])(?:\[(\d+):(\d+)\]|(\d+)\b)", text):
        for number in range(int(one or first), int(one or last) + 1):
            yield file, number


allowed = {}
for rule in rules:
    file, first, end, kinds = re.fullmatch(r"([vas])\[(\d+):(\d+)\] (.+)", rule).groups()
    allowed |= {(file, number): (rule, tuple(kinds.split())) for number in range(int(first), int(end))}
lowest = {file: min(number for f, number in allowed if f == file) for file, _ in allowed}

body = re.search(rf"^{kernel}:(.*?)(?=^\w+:|\Z)", open(path).read(), re.S | re.M)[1]
touched, wrong = set(), []
for line in body.splitlines():
    name, _, operands = re.sub(r"[;/].*", "", line).strip().partition(" ")
    for register in set(registers(operands)):
        file, number = register
        rule, kinds = allowed.get(register, (None, ()))
        if rule:
            touched.add(rule)
        if rule and not name.startswith(kinds) or not rule and number >= lowest.get(file, 1 << 30) and file != "s":
            wrong.append(f"{file}{number}: {line.strip()}")
wrong += [f"nothing touches {rule}" for rule in rules if rule not in touched]
print("\n".join(wrong) or f"{len(rules)} ranges: only what may touch them does")
