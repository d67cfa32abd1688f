"""trace.py LAUNCHES.json [fault]: launches of Python, for FLY_TRACE: a kernel, a launch function, a graph."""
import sys

import flyc
import numpy as np

k = flyc.load(sys.argv[1])
n = 5000
x, y = flyc.Array(np.arange(n, dtype=np.float32)), flyc.Array(shape=n, type="f32")
k.scale(x, y, by=2.0)
stream = flyc.Stream()
flyc.synchronize()
k.load()
past = 1 if sys.argv[2:] else 0
work = flyc.Array(shape=n, type="f32")
with flyc.capture(stream) as graph:
    k.three(x, y, past=past, stream=stream, workspace=work)
    k.scale(x, y, by=3.0, stream=stream)
try:
    graph.launch()
    graph.launch()
    flyc.synchronize()
    print("result:", y.numpy()[-1])
except flyc.Error as error:
    print(error.status, str(error).splitlines()[-1])
    sys.exit(1)
