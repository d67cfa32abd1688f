"""Code objects without metadata, of any compiler: kernels by name, with grids, blocks and arguments as they are.

    kernels = flyc.open_object("vec_add.gfx942.hsaco")
    kernels["add_f32"]((4, 1, 1), (256, 1, 1), a, b, c, ctypes.c_int32(1000))

A kernel takes tensors on the device in C order without gaps, and numbers as ctypes values, whose sizes are compared with
what the code object says. A code object does not tell which of its arguments a kernel writes, so whether a tensor is
read-only is not looked at.
"""
import ctypes
import os

from . import tensors
from ._library import Launch, check, library, start


def _value(argument):
    """An argument as a ctypes value."""
    if isinstance(argument, (ctypes._SimpleCData, ctypes.Structure)):
        return argument
    view = tensors.read(argument)
    if view is None:
        raise TypeError(f"{argument!r}: neither a tensor nor a ctypes value")
    if view.device is None:
        raise TypeError(
            f"a tensor of shape {view.shape} in host memory: a code object's kernels take tensors on the device (flyc.Array)"
        )
    if not view.is_compact():
        raise TypeError(
            f"a tensor of shape {view.shape} with strides {view.strides}: it must be in C order without gaps"
        )
    return ctypes.c_void_p(view.address)


class Kernel:
    def __init__(self, owner, name):
        self._owner, self.name = owner, name  # the object stays loaded as long as its kernels are there
        self._kernel = ctypes.c_void_p()
        check(library.fly_object_kernel(owner._opened(), name.encode(), ctypes.byref(self._kernel)))

    def __call__(self, grid, block, *arguments, dynamic_lds=0, stream=0):
        self._owner._opened()
        values = [_value(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        sizes = (ctypes.c_size_t * len(values))(*[ctypes.sizeof(value) for value in values])
        launch = Launch((ctypes.c_int64 * 3)(*grid), (ctypes.c_int64 * 3)(*block), dynamic_lds)
        check(
            library.fly_kernel_launch_values(
                self._kernel,
                ctypes.byref(launch),
                ctypes.c_void_p(int(stream)),
                ctypes.c_uint32(len(values)),
                pointers,
                sizes,
            )
        )


class Object:
    """A code object, loaded on the current device; `kernels[name]` is a kernel, len() and iteration give the names. After
    `close` all of them, and its kernels, raise ValueError."""

    def __init__(self, path):
        start()
        self._object = ctypes.c_void_p()
        check(library.fly_object_open(ctypes.byref(self._object), os.fsencode(path)))
        self._kernels = {}

    def _opened(self):
        if not self._object:
            raise ValueError("the code object is closed")
        return self._object

    def __getitem__(self, name):
        if name not in self._kernels:
            self._kernels[name] = Kernel(self, name)
        return self._kernels[name]

    def __len__(self):
        return library.fly_object_kernel_count(self._opened())

    def __iter__(self):
        return iter(
            [library.fly_object_kernel_name(self._opened(), ctypes.c_uint32(i)).decode() for i in range(len(self))]
        )

    def close(self):
        """Unloads it; no kernel of it can be launched any more. While a stream is captured that launches one it stays open,
        and the refusal is raised."""
        code = library.fly_object_close(self._object)
        if library.fly_status_name(code) != b"FLY_ERROR_CAPTURE":
            self._object = ctypes.c_void_p()
            self._kernels = {}
        check(code)


def open_object(path):
    """The kernels of a code object."""
    return Object(path)
