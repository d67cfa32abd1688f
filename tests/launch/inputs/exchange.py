"""exchange.py FLYC K.hsaco: copies arrays of every type and several shapes through the kernel `copy`."""
import subprocess
import sys

import numpy as np
from numpy.lib import format as npy

flyc, hsaco = sys.argv[1:]
random = np.random.default_rng(1)


def run(*arguments):
    subprocess.run([flyc, "run", hsaco, "--kernel", "copy", "--block", "64", "--quiet", *arguments], check=True)


def bytes_of(shape, dtype):
    return random.integers(0, 256, (*shape, np.dtype(dtype).itemsize), dtype=np.uint8).reshape(-1).view(dtype).reshape(shape)


cases = []
for dtype in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "V1", "V2"]:
    for shape in [(10,), (3, 5)]:
        cases.append((dtype, shape, "C", (1, 0)))
cases += [(dtype, shape, "F", (1, 0)) for dtype in ["i2", "f4", "V2"] for shape in [(3, 5), (2, 3, 4)]]
cases += [("f4", (), "C", (1, 0)), ("f8", (2, 2, 1, 3), "C", (1, 0))]
cases += [("f4", (3, 5), order, version) for order in "CF" for version in [(1, 0), (2, 0), (3, 0)]]

for dtype, shape, order, version in cases:
    a = (random.integers(0, 2, shape).astype("?") if dtype == "?" else bytes_of(shape, dtype)).copy(order=order)
    with open("in.npy", "wb") as file:
        npy.write_array(file, np.asarray(a), version=version)
    size = ",".join(map(str, shape))
    form = {"?": "bool", "f2": "f16", "f4": "f32", "f8": "f64", "c8": "u64", "c16": None, "V1": "u8", "V2": "u16"}.get(dtype, dtype.replace("i", "i"))
    names = {"i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64"}
    form = names.get(dtype, form)
    grid = str(max(1, (a.nbytes + 63) // 64))
    # The same file in, written again: the reader and the writer with one type.
    run("--grid", grid, "--arg", "in.npy", "--arg", "in.npy", "--arg", f"i32:{a.nbytes}", "--out", "0=same.npy")
    same = np.load("same.npy")
    assert same.dtype == a.dtype and same.shape == a.shape and same.tobytes() == a.tobytes("C"), (dtype, shape, order)
    # A new array.
    if form:
        run("--grid", grid, "--arg", f"out.npy:zeros:{form}[{size}]", "--arg", "in.npy", "--arg", f"i32:{a.nbytes}")
        out = np.load("out.npy")
        assert out.shape == a.shape and out.tobytes() == a.tobytes("C"), (dtype, shape, order)
print(len(cases), "arrays copied")
