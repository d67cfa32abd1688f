"""damage.py FLYC K.hsaco: many runs with something wrong; each ends with the status 0, 1 or 2."""
import pathlib
import random
import subprocess
import sys

import numpy as np

flyc, hsaco = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
random.seed(3)
np.save("good.npy", np.arange(64, dtype="i4"))
array = pathlib.Path("good.npy").read_bytes()
count = 0


def run(code, *arguments):
    global count
    done = subprocess.run([flyc, "run", code, "--grid", "1", "--block", "64", "--limit", "20000", *arguments], capture_output=True, timeout=60)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"status {done.returncode}: {code} {arguments}\n{done.stderr.decode(errors='replace')}")
    count += 1


def damaged(data):
    data = bytearray(data)
    if random.random() < 0.3:
        return data[: random.randrange(len(data))]
    for _ in range(random.choice((1, 3, 20))):
        data[random.randrange(len(data))] = random.randrange(256)
    return data


for _ in range(40):
    pathlib.Path("bad.hsaco").write_bytes(damaged(hsaco))
    run("bad.hsaco", "--kernel", "add", "--arg", "zeros:f32[64]", "--arg", "zeros:f32[64]", "--arg", "zeros:f32[64]", "--arg", "i32:64", "--profile")
for _ in range(20):
    pathlib.Path("bad.npy").write_bytes(damaged(array))
    run("k.hsaco", "--kernel", "increment", "--arg", "bad.npy", "--out", "0=out.npy", "--print", "0[:3]")
pieces = ["x", "0", "=", ":", "[", "]", ",", "-1", "i32", "f16", "zeros", "random", "bytes", "lds", "null", "@", ".npy", "good", "1e9", "99999999999999999999"]
for _ in range(60):
    text = "".join(random.choice(pieces) for _ in range(random.randrange(1, 9)))
    run("k.hsaco", "--kernel", "increment", random.choice(("--arg=", "--out=", "--print=")) + text, "--arg", "0=zeros:i32[64]")
print(count, "runs")
