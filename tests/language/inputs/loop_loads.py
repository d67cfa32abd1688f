"""loop_loads.py PLAIN.json UNROLLED.json: the hot loop of the second report loads four times as often."""
import json
import sys

plain, unrolled = (
    next(loop for loop in json.load(open(name))["objects"][0]["kernels"][0]["loops"] if loop["hot"])
    for name in sys.argv[1:]
)
loads = [loop["counts"]["classes"]["vmem_read"] for loop in (plain, unrolled)]
if loads[1] != 4 * loads[0]:
    sys.exit(f"{loads[0]} and {loads[1]} loads")
