"""pictures.py: hovers with pictures, for a client that shows them."""

import base64
import re
import xml.etree.ElementTree as ET

from client import Client

TEXT = """from fly.matrix import tiled_matrix

@kernel(grid=1, block=256)
def k(c: Out[f16, (256,)]):
    small = layout[(4, 8):(8, 1)]
    wide = layout[(64, 512):(1, 64)]
    long = layout[(4, 64):(100000, 1)]
    swizzle = swizzle(2, 0, 3)
    atom = UniversalCopy(128, f16)
    tiled = tiled_copy(atom, layout[(32, 8):(8, 1)], layout[(1, 8):(8, 1)])
    product = tiled_matrix(f16, (2, 2))
    n = 8
    c[thread_id.x] = f16(n)
"""


def show(client, line):
    value = client.at("hover", line, 5)["contents"]["value"]
    name = re.search(r"\n(\w+)", value).group(1)
    found = re.search(r"!\[(\w+)\]\(data:image/svg\+xml;base64,([A-Za-z0-9+/=]*)\)", value)
    if not found:
        return print(name, "no picture", "table" if "|" in value else "")
    svg = base64.b64decode(found.group(2)).decode()
    root = ET.fromstring(svg)
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    remarks = [word for word in words if " " in word]
    boxes = sum(1 for _ in root.iter("{http://www.w3.org/2000/svg}rect"))
    assert float(root.get("width")) <= 700 and 'width="100%"' not in svg and len(svg) < 200_000, (name, root.attrib)
    print(name, found.group(1), round(float(root.get("width"))) < 700, "cells", boxes, "table" if "|" in value else "", remarks)


for pictures in (True, False):
    client = Client(["--arch", "gfx950", "--compile-timeout", "0"], initialization={"pictures": pictures})
    client.open("/none/k.fly", TEXT)
    problems = client.problems(1)
    assert problems == [], problems
    for line in range(4, 12):
        show(client, line)
    print("status", client.close())
