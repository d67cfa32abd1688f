"""Builds from Python: constants, errors, what is kept and what is compiled again. jit.py FOLDER"""
import os
import sys
import time
from pathlib import Path

import flyc
import numpy as np

folder = Path(sys.argv[1])
os.environ["FLY_PYTHON_CACHE"] = str(folder / "cache")
source = """
import parts


@kernel(block=64, grid=ceil_div(n, 64))
def scale(x: In[T, (n,)], y: Out[T, (n,)], n: i32, *, T: Constexpr[type] = f32):
    i = block_id.x * 64 + thread_id.x
    if i < n:
        y[i] = x[i] * parts.FACTOR
"""
(folder / "scale.fly").write_text(source)
(folder / "parts.fly").write_text("FACTOR = 2\n")
builds = 0
run = flyc.jit._Build.run


def counted(self):
    global builds
    builds += 1
    run(self)


flyc.jit._Build.run = counted
x = np.arange(10, dtype=np.float32)
f = flyc.kernel(folder / "scale.fly")
assert np.array_equal(f(x, flyc.empty), 2 * x) and builds == 1
assert flyc.kernel(folder / "scale.fly") is f and builds == 1
flyc.jit._built.clear()  # as another process
assert np.array_equal(flyc.kernel(folder / "scale.fly")(x, flyc.empty), 2 * x) and builds == 1

(folder / "parts.fly").write_text("FACTOR = 3\n")  # what is imported counts
assert np.array_equal(flyc.kernel(folder / "scale.fly")(x, flyc.empty), 3 * x) and builds == 2
os.utime(folder / "scale.fly")  # another time, the same text
flyc.jit._built.clear()
flyc.kernel(folder / "scale.fly")
assert builds == 2

half = flyc.kernel(folder / "scale.fly", T="f16")
assert half(x.astype(np.float16), flyc.empty).dtype == np.float16 and builds == 3
text = source.replace("import parts\n", "").replace("parts.FACTOR", "5")
assert np.array_equal(flyc.kernel(text)(x, flyc.empty), 5 * x) and builds == 4
modules = flyc.precompile([text, (folder / "scale.fly", {"T": "f16"}), (folder / "scale.fly", {"T": "f64"})])
assert [m.name for m in modules[1:]] == ["scale", "scale"] and builds == 5

before = sorted(os.listdir(folder / "cache"))
try:
    flyc.kernel(text.replace("n: i32", "n: i33"))
except flyc.CompileError as error:
    print(error)
assert sorted(os.listdir(folder / "cache")) == before, "a failed build left something"
try:
    flyc.kernel(text + text.replace("def scale", "def other"))
except ValueError as error:
    print(error)
print("jit: right")
