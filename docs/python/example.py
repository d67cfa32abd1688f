"""y = factor * x + 1 without metadata: example.py DIRECTORY, with DIRECTORY/hip_kernels.<arch>.hsaco."""
import array
import ctypes
import sys

import flyc

n = 1000
x = flyc.Array(array.array("f", range(n)))
y = flyc.Array(shape=n, type="f32")
kernels = flyc.open_object(f"{sys.argv[1]}/hip_kernels.{flyc.architecture()}.hsaco")
print(list(kernels))
kernels["scale"]((-(-n // 256), 1, 1), (256, 1, 1), x, y, ctypes.c_int32(n), ctypes.c_float(2.0))

result = array.array("f", bytes(4 * n))
y.copy_to(result)
assert all(value == 2.0 * i + 1.0 for i, value in enumerate(result))
print(f"{n} numbers, the last is {result[-1]}")

for wrong in ((x, y, ctypes.c_int32(n)), (x, y, ctypes.c_int64(n), ctypes.c_float(2.0))):
    try:
        kernels["scale"]((4, 1, 1), (256, 1, 1), *wrong)
    except flyc.Error as error:
        print(f"{error.status}: {error}")
flyc.synchronize()
kernels.close()
