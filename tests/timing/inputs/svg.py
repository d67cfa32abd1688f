"""Reads an SVG of the time model as XML and checks that its shapes are inside of its frame.

    svg.py FILE
"""

import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
root = xml.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}", root.get("viewBox")
assert root.find(SVG + "title") is not None

for element in root.iter():
    points = []
    get = lambda name: float(element.get(name, "0"))
    if element.tag == SVG + "rect" and element.get("x"):
        points = [(get("x"), get("y")), (get("x") + get("width"), get("y") + get("height"))]
    elif element.tag == SVG + "circle":
        points = [(get("cx"), get("cy"))]
    elif element.tag == SVG + "line":
        points = [(get("x1"), get("y1")), (get("x2"), get("y2"))]
    elif element.tag == SVG + "text" and element.get("x"):
        points = [(get("x"), get("y"))]
    elif element.tag == SVG + "path":
        number = r"(-?[\d.]+)"
        for x, y, w, h in re.findall(f"M{number} {number}h{number}v{number}h", element.get("d")):
            points += [(float(x), float(y)), (float(x) + float(w), float(y) + float(h))]
    for x, y in points:
        assert -0.01 <= x <= width + 0.01 and -0.01 <= y <= height + 0.01, (element.tag, element.attrib, x, y)
print(f"inside {root.get('width')} x {root.get('height')}")
