"""beside.py: of the benches of beside.fly as JSON, the cycles of a product with what is behind it."""
import json
import sys

cycles = {}
for bench in json.load(sys.stdin)["benches"]:
    p = {name: value.strip('"') for name, value in bench["parameters"].items()}
    timing = bench["launches"][0]["timing"]
    cycles[bench["arch"], p["SHAPE"], p["CASE"], int(p["COUNT"])] = timing["loops"][0]["cycles"]
for arch, shape, case, count in cycles:
    if count == 8:
        each = (cycles[arch, shape, case, 16] - cycles[arch, shape, case, 8]) / 8
        print(f"{arch} {shape} + {case}: {each:g}")
