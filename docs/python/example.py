"""y = factor * x + 1 on the device: example.py DIRECTORY, with DIRECTORY/hip_kernels.<arch>.hsaco."""
import array
import ctypes
import sys

import fly_kernels as fly

n = 1000
x = fly.Array(array.array("f", range(n)))
y = fly.Array(array.array("f", bytes(4 * n)))
kernels = fly.open(f"{sys.argv[1]}/hip_kernels.{fly.architecture()}.hsaco")
print(list(kernels))
kernels["scale"]((-(-n // 256), 1, 1), (256, 1, 1), x, y, ctypes.c_int32(n), ctypes.c_float(2.0))

result = array.array("f", bytes(4 * n))
y.copy_to(result)
assert all(value == 2.0 * i + 1.0 for i, value in enumerate(result))
print(f"{n} numbers, the last is {result[-1]}")

for wrong in ((x, y, ctypes.c_int32(n)), (x, y, ctypes.c_int64(n), ctypes.c_float(2.0))):
    try:
        kernels["scale"]((4, 1, 1), (256, 1, 1), *wrong)
    except fly.Error as error:
        print(f"{error.status}: {error}")
fly.synchronize()
kernels.close()
