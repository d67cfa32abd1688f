"""Reads a picture of `flyc layout`, SVG or HTML, checks its geometry and prints what it shows.

    picture.py FILE [KEY=VALUE ...]      the facts of the cells for which these hold (HTML)

Checked: well-formed; nothing sticks out of the picture; cells do not overlap; every text of a cell fits into it, as
wide as a monospaced font makes it; HTML has facts for each cell and loads nothing.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"


def walk(element, x, y, size, visit):
    for child in element:
        dx = dy = 0.0
        if move := child.get("transform"):
            dx, dy = map(float, re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", move).groups())
        child_size = float(child.get("font-size", size))
        visit(child, x + dx, y + dy, child_size, element)
        walk(child, x + dx, y + dy, child_size, visit)


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    facts = None
    if text.startswith("<!DOCTYPE html>"):
        facts = json.loads(re.search(r'<script type="application/json" id="cells">(.*?)</script>', text, re.S).group(1))
        assert not re.search(r'(src|href)\s*=|@import|url\(', text), "the page loads something"
        text = re.search(r"<svg.*?</svg>", text, re.S).group(0)
    root = xml.fromstring(text)
    width, height = float(root.get("width")), float(root.get("height"))
    cells, texts = [], []

    def visit(element, x, y, size, parent):
        if element.tag == SVG + "rect" and element.get("x") is not None:
            left, top = x + float(element.get("x")), y + float(element.get("y"))
            cells.append((left, top, left + float(element.get("width")), top + float(element.get("height")), element))
        elif element.tag == SVG + "text":
            long = len(element.text) * 0.602 * size
            anchor = {"start": 0, "middle": 0.5, "end": 1}[parent.get("text-anchor")]
            left = x + float(element.get("x")) - long * anchor
            base = y + float(element.get("y"))
            texts.append((left, base - 0.75 * size, left + long, base, element.text))

    walk(root, 0.0, 0.0, 0.0, visit)
    slack = 0.02
    for box in cells + texts:
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height, f"{box} sticks out"
    places = {(round(box[0], 1), round(box[1], 1)) for box in cells}
    assert len(places) == len(cells), "cells lie on one another"
    shown = {}
    for left, top, right, bottom, content in texts:
        across, down = (left + right) / 2, (top + bottom) / 2
        for i, box in enumerate(cells):
            if box[0] < across < box[2] and box[1] < down < box[3]:
                assert left >= box[0] - slack and right <= box[2] + slack and top >= box[1] and bottom <= box[3], f"`{content}` does not fit its cell"
                shown.setdefault(i, []).append(content)
                break
    print(f"{len(cells)} cells, {len({c[4].get('fill') for c in cells})} colours")
    line, last = [], None
    for i, box in enumerate(cells):
        if last is not None and box[1] != last:
            print(" ".join(line))
            line = []
        last = box[1]
        line.append("".join(shown.get(i, ["."])))
    print(" ".join(line))
    if facts is not None:
        numbers = [int(box[4].get("data-cell")) for box in cells]
        assert all(facts[n] is not None for n in numbers) and len(set(numbers)) == len(numbers)
        for n in numbers:
            if all(str(facts[n].get(key)) == value for key, value in (a.split("=", 1) for a in sys.argv[2:])):
                print(json.dumps(facts[n]))


main()
