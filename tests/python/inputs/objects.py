"""What kernels of code objects refuse: tensors that are not in C order or not on the device, and what is closed."""
import array
import ctypes
import sys

import flyc


class View:
    """Another array's memory with a shape and strides of its own."""

    def __init__(self, of, shape, strides):
        self.__cuda_array_interface__ = dict(of.__cuda_array_interface__, shape=shape, strides=strides)


def refused(call):
    try:
        call()
        print("taken")
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")


x = flyc.Array(array.array("f", range(600)))
y = flyc.Array(array.array("f", bytes(2400)))
kernels = flyc.open_object(f"{sys.argv[1]}/hip_kernels.{flyc.architecture()}.hsaco")
scale = kernels["scale"]


def launch(source):
    scale((1, 1, 1), (256, 1, 1), source, y, ctypes.c_int32(200), ctypes.c_float(2.0))


for shape, strides in (((20, 30), None), ((20, 30), (120, 4)), ((20, 1, 30), (120, 7, 4)), ((0, 30), (1, 1))):
    refused(lambda: launch(View(x, shape, strides)))
for shape, strides in (((300,), (8,)), ((20, 30), (4, 80)), ((10, 30), (240, 4)), ((600,), (-4,))):
    refused(lambda: launch(View(x, shape, strides)))
refused(lambda: launch(array.array("f", range(600))))
flyc.synchronize()
names = iter(kernels)
kernels.close()
kernels.close()
refused(lambda: launch(x))
refused(lambda: kernels["scale"])
refused(lambda: len(kernels))
refused(lambda: list(kernels))
print(list(names))
