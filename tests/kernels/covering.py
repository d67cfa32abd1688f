"""Covering arrays: rows of options in which each allowed pair of values of two options occurs."""

import itertools
import json
import random
import re
import sys


def covering_array(options, allowed):
    """Rows such that each allowed pair of values of two options is in one: of 40 random rows, the one with most new pairs, again
    and again. A random row begins with a pair that is not there yet, and takes for each option the value with most new pairs; of those,
    the first, which costs least. `allowed` takes a row whose values may be None, not chosen yet."""
    random_ = random.Random(1)
    left = {(a, x, b, y) for (a, xs), (b, ys) in itertools.combinations(enumerate(options), 2) for x in xs for y in ys}
    empty = [None] * len(options)
    left = {p for p in left if allowed([p[1] if i == p[0] else p[3] if i == p[2] else None for i in range(len(empty))])}

    def new(row, i, value):
        pairs = ((j, row[j], i, value) if j < i else (i, value, j, row[j]) for j in range(len(row)) if j != i)
        return sum(pair in left for pair in pairs)

    rows = []
    while left:
        best = None
        for _ in range(40):
            a, x, b, y = random_.choice(sorted(left, key=repr))
            row = list(empty)
            row[a], row[b] = x, y
            for i in random_.sample(range(len(row)), len(row)):
                if row[i] is None:
                    values = [v for v in options[i] if allowed([*row[:i], v, *row[i + 1:]])]
                    row[i] = max(values, key=lambda v: new(row, i, v))
            pairs = {(i, row[i], j, row[j]) for i in range(len(row)) for j in range(i + 1, len(row))} & left
            if best is None or len(pairs) > len(best[1]):
                best = row, pairs
        rows.append(tuple(best[0]))
        left -= best[1]
    return rows


def literal(value):
    return "(" + ", ".join(map(literal, value)) + ")" if isinstance(value, tuple) else json.dumps(value) if isinstance(value, str) else repr(value)


def with_rows(source, rows, file):
    text = "ROWS = [\n" + "".join(f"    {literal(row)},\n" for row in rows) + "]\n"
    changed, count = re.subn(r"^ROWS = \[\n.*?^\]\n", lambda _: text, source, flags=re.MULTILINE | re.DOTALL)
    if count != 1:
        sys.exit(f"{file} has no ROWS")
    return changed


def update(file, rows, write):
    """Holds the rows of a .fly file against these, or writes them there. 0 if it has them."""
    source = file.read_text()
    changed = with_rows(source, rows, file)
    if write:
        file.write_text(changed)
    same = changed == source or write
    print(f"{len(rows)} rows cover all pairs; {file.name} {'has' if same else 'does not have'} them")
    return 0 if same else 1
