"""Launches kernels from Python through libfly_runtime.so, with ctypes alone.

    import ctypes, fly_kernels as fly

    kernels = fly.open(f"out/vec_add.{fly.architecture()}.hsaco")
    kernels["add_f32"]((4, 1, 1), (256, 1, 1), a, b, c, ctypes.c_int32(1000))

A kernel takes device arrays, which are objects with `__cuda_array_interface__` (those of CuPy and PyTorch on ROCm, and
fly.Array), and numbers as ctypes values, whose sizes are compared with what the code object says. It is queued on the
default stream, or on `stream=` (a hipStream_t as an integer, `torch.cuda.current_stream().cuda_stream`).
Arrays lie in C order without gaps, others are a TypeError. A code object does not tell which of its arguments a kernel
writes, so the read-only flag of an array is not looked at.
FLY_RUNTIME_LIBRARY names the library where the loader does not find it.
"""
import ctypes
import os

_library = ctypes.CDLL(os.environ.get("FLY_RUNTIME_LIBRARY", "libfly_runtime.so.3"))
_library.fly_error.restype = _library.fly_status_name.restype = _library.fly_object_kernel_name.restype = ctypes.c_char_p
_library.fly_abi_version.restype = _library.fly_object_kernel_count.restype = ctypes.c_uint32
_library.fly_kernel_parameter_count.restype = ctypes.c_uint32

ABI_VERSION = 3
if _library.fly_abi_version() != ABI_VERSION:
    raise ImportError(f"this file is for version {ABI_VERSION} of the runtime, the library is version {_library.fly_abi_version()}")


class Error(RuntimeError):
    """What the runtime refused: `status` is the name of its code."""

    def __init__(self, code):
        super().__init__(_library.fly_error().decode())
        self.status = _library.fly_status_name(code).decode()


def _check(code):
    if code:
        raise Error(code)


class _Launch(ctypes.Structure):  # fly_launch
    _fields_ = [("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3), ("dynamic_lds", ctypes.c_int64),
                ("max_workgroup_size", ctypes.c_uint32), ("arguments", ctypes.c_void_p), ("argument_bytes", ctypes.c_size_t)]


def architecture():
    """Of the current device: "gfx942"."""
    name = ctypes.create_string_buffer(32)
    _check(_library.fly_device_architecture(name, ctypes.c_size_t(32)))
    return name.value.decode()


def synchronize():
    """Waits for the device, and writes what kernels printed."""
    _check(_library.fly_synchronize())


class Array:
    """Device memory with the content of an object with a buffer (bytes, array.array, numpy); `copy_to` brings it back."""

    def __init__(self, content):
        view = memoryview(content)
        self.bytes, self._typestr, self._shape = view.nbytes, f"<{_KINDS[view.format]}{view.itemsize}", view.shape
        pointer = ctypes.c_void_p()
        _check(_library.fly_malloc(ctypes.byref(pointer), ctypes.c_size_t(self.bytes)))
        self.pointer = pointer.value or 0
        host = (ctypes.c_char * self.bytes).from_buffer_copy(view.cast("B"))
        _check(_library.fly_copy_to_device(ctypes.c_void_p(self.pointer), host, ctypes.c_size_t(self.bytes)))

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "data": (self.pointer, False), "shape": tuple(self._shape), "typestr": self._typestr, "strides": None}

    def copy_to(self, content):
        view = memoryview(content).cast("B")
        if view.nbytes != self.bytes:
            raise ValueError(f"the array has {self.bytes} bytes, the target {view.nbytes}")
        host = (ctypes.c_char * self.bytes).from_buffer(view)
        _check(_library.fly_copy_to_host(host, ctypes.c_void_p(self.pointer), ctypes.c_size_t(self.bytes)))

    def __del__(self):
        if getattr(self, "pointer", 0):
            _library.fly_free(ctypes.c_void_p(self.pointer))


_KINDS = {"f": "f", "d": "f", "e": "f", "b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "B": "u", "H": "u", "I": "u", "L": "u",
          "Q": "u", "?": "b", "c": "u"}


def _check_layout(interface):
    """Strides are bytes; those of modes of one element, and of empty arrays, have no meaning."""
    shape, strides, expected = tuple(interface["shape"]), interface.get("strides"), int(interface["typestr"][2:])
    if strides is None or 0 in shape:
        return
    for extent, stride in reversed(list(zip(shape, strides))):
        if extent != 1 and stride != expected:
            raise TypeError(f"an array of shape {shape} with strides {tuple(strides)}: kernels take arrays in C order without gaps")
        expected *= extent


def _value(argument):
    """An argument as a ctypes value."""
    interface = getattr(argument, "__cuda_array_interface__", None)
    if interface is not None:
        _check_layout(interface)
        return ctypes.c_void_p(interface["data"][0])
    if isinstance(argument, (ctypes._SimpleCData, ctypes.Structure)):
        return argument
    raise TypeError(f"{argument!r}: neither a device array nor a ctypes value")


class Kernel:
    def __init__(self, owner, name):
        self._owner, self.name = owner, name  # the object stays loaded as long as its kernels are there
        self._kernel = ctypes.c_void_p()
        _check(_library.fly_object_kernel(owner._opened(), name.encode(), ctypes.byref(self._kernel)))

    def __call__(self, grid, block, *arguments, dynamic_lds=0, stream=0):
        self._owner._opened()
        values = [_value(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        sizes = (ctypes.c_size_t * len(values))(*[ctypes.sizeof(value) for value in values])
        launch = _Launch((ctypes.c_int64 * 3)(*grid), (ctypes.c_int64 * 3)(*block), dynamic_lds)
        _check(_library.fly_kernel_launch_values(self._kernel, ctypes.byref(launch), ctypes.c_void_p(stream),
                                                 ctypes.c_uint32(len(values)), pointers, sizes))


class open:  # noqa: A001: fly.open(path), as a file is opened
    """A code object, loaded on the current device; `kernels[name]` is a kernel, len() and iteration give the names. After
    `close` all of them, and its kernels, raise ValueError."""

    def __init__(self, path):
        self._object = ctypes.c_void_p()
        _check(_library.fly_object_open(ctypes.byref(self._object), os.fsencode(path)))
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
        return _library.fly_object_kernel_count(self._opened())

    def __iter__(self):
        return iter([_library.fly_object_kernel_name(self._opened(), ctypes.c_uint32(i)).decode() for i in range(len(self))])

    def close(self):
        """Unloads it; no kernel of it can be launched any more. While a stream is captured that launches one it stays open,
        and the refusal is raised."""
        code = _library.fly_object_close(self._object)
        if _library.fly_status_name(code) != b"FLY_ERROR_CAPTURE":
            self._object = ctypes.c_void_p()
            self._kernels = {}
        _check(code)
