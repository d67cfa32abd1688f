"""compare_loops.py OUTPUT...: the loops of two benches of `flyc bench`, of which the first one must take at most 3/4 of the cycles."""
import re
import sys

for path in sys.argv[1:]:
    pinned, scheduled = [float(cycles) for cycles in re.findall(r"([\d.]+) cycles per iteration", open(path).read())]
    print("faster" if pinned <= 0.75 * scheduled else f"{pinned} and {scheduled} cycles")
