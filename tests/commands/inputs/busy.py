"""That nothing is busier than always, and that memory gives no more than it has, in each launch of a file of benches.

    busy.py BENCH.json ...
"""

import json
import sys

for path in sys.argv[1:]:
    for bench in json.load(open(path))["benches"]:
        for launch in bench["launches"]:
            timing = launch["timing"]
            busy = {name: round(100 * share) for name, share in timing["busy"].items()}
            most = max(timing["busy"].values())
            rate = timing["memory_bytes"] / timing["cycles"] / timing["peak_memory_bytes_per_cycle"]
            units = busy["valu"] + busy["salu"]
            print(bench["arch"], bench["bench"], timing["bound"],
                  f"VALU and SALU {'above' if units > 100 else 'below'} 100,",
                  "good" if most <= 1 and 0 <= rate <= 1 else f"busy {busy}, {rate:.3f} of the peak")
