"""spoil.py: results on standard input, with a noisy measurement, one that is missing, and one that is far off."""
import json
import sys

results = json.load(sys.stdin)
results["measurements"] = [m for m in results["measurements"] if m["name"] != "chase_l1"]
for m in results["measurements"]:
    if m["name"] == "packed_8_64":
        m["spread"] = [0.5, 0.5]
    if m["name"] == "chase_memory":
        m["seconds"][1] *= 20
print(json.dumps(results))
