"""The files that generate.test has made have the distributions they should have."""
import numpy as np

u, i, n, m = (np.load(name + ".npy") for name in "uinm")
assert u.min() >= 2 and u.max() < 3 and abs(u.mean() - 2.5) < 0.05
assert i.dtype == np.int16 and set(i.tolist()) == set(range(-5, 6))
assert abs(n.mean()) < 0.03 and abs(n.std() - 1) < 0.03 and abs((n**3).mean()) < 0.1 and 2.8 < (n**4).mean() < 3.2
assert abs(m.mean() - 10) < 0.02 and abs(m.std() - 0.5) < 0.02
print("as expected")
