"""hot.py: of a listing of `flyc bench --hot`, whether the cycles of its instructions are those of a trip."""
import re
import sys

text = sys.stdin.read()
trip = re.search(r"hot loop .*: ([0-9.]+) cycles per iteration", text).group(1)
cycles = [float(c) for c in re.findall(r"^ +([0-9.]+)  [0-9a-f]{6}   ", text, re.MULTILINE)]
# The first trip is in the means of the instructions, and not in that of the loop.
print("they add up" if abs(sum(cycles) - float(trip)) < 2 else f"{sum(cycles)} of {trip}")
