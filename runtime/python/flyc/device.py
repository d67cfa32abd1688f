"""Devices, streams and device memory."""
import ctypes
import math
import os

from . import dlpack
from ._library import check, library, start
from .types import BY_NAME

_known = {}  # device -> what it reports


class Facts:
    """Of a device: `values` are those that expressions may use."""

    def __init__(self, device):
        text, count = ctypes.create_string_buffer(128), ctypes.c_int64()
        self.device = device
        check(library.fly_device_architecture(text, ctypes.c_size_t(len(text))))
        self.architecture = text.value.decode()
        check(library.fly_device_name(text, ctypes.c_size_t(len(text))))
        self.name = text.value.decode()
        check(library.fly_device_compute_units(ctypes.byref(count)))
        self.values = {"compute_units": count.value}
        self.is_emulated = self.name.startswith("flyc emulator")


def device_count():
    start()
    count = ctypes.c_int()
    check(library.fly_device_count(ctypes.byref(count)))
    return count.value


def current_device():
    start()
    device = ctypes.c_int()
    check(library.fly_get_device(ctypes.byref(device)))
    return device.value


def set_device(device):
    start()
    check(library.fly_set_device(ctypes.c_int(device)))


class on_device:
    """`with on_device(d):` the calling thread's device is `d`, and what it was afterwards."""

    def __init__(self, device):
        self.device = device

    def __enter__(self):
        self.before = current_device()
        if self.before != self.device:
            set_device(self.device)

    def __exit__(self, *_):
        if self.before != self.device:
            set_device(self.before)


def facts(device=None):
    """Of a device, or of the current one."""
    device = current_device() if device is None else device
    if device not in _known:
        with on_device(device):
            _known[device] = Facts(device)
    return _known[device]


def architecture():
    """Of the current device: "gfx942"."""
    return facts().architecture


def emulate(wish):
    """Runs on the emulator from now on: emulate("gfx950"), emulate("gfx942:2") for two devices. To be called before
    anything uses a device."""
    if _known:
        raise RuntimeError(
            "this process uses a device already; call flyc.emulate before, or set FLY_DEVICE and FLY_EMULATE"
        )
    os.environ["FLY_DEVICE"], os.environ["FLY_EMULATE"] = "emulator", wish
    architecture()


def synchronize():
    """Waits for all work on the current device, and writes what kernels printed."""
    start()
    check(library.fly_synchronize())


def malloc(size, uncached=False):
    start()
    pointer, allocate = ctypes.c_void_p(), library.fly_malloc_uncached if uncached else library.fly_malloc
    check(allocate(ctypes.byref(pointer), ctypes.c_size_t(size)))
    return pointer.value or 0


def free(pointer):
    check(library.fly_free(ctypes.c_void_p(pointer)))


def copy_to_device(pointer, host, size):
    check(library.fly_copy_to_device(ctypes.c_void_p(pointer), ctypes.c_void_p(host), ctypes.c_size_t(size)))


def copy_to_host(host, pointer, size):
    check(library.fly_copy_to_host(ctypes.c_void_p(host), ctypes.c_void_p(pointer), ctypes.c_size_t(size)))


class Array:
    """Device memory in C order: of a shape and an element type (flyc's name, or NumPy's), or with the content of an object
    that has a buffer (NumPy arrays, array.array, bytes). PyTorch, CuPy and JAX take it by DLPack. `uncached`: no cache keeps it, so that
    kernels of several devices see each other's stores while they run."""

    def __init__(self, content=None, shape=None, type=None, uncached=False):
        view = None if content is None else memoryview(content)
        if view is not None:
            shape = view.shape if shape is None else tuple(shape)
            type = buffer_type(view) if type is None else BY_NAME[type]
        else:
            shape, type = (shape,) if isinstance(shape, int) else tuple(shape), BY_NAME[str(type)]
        self.shape, self.type, self.device = shape, type, current_device()
        self.size = math.prod(shape)
        self.nbytes = (self.size * type.bits + 7) // 8
        if view is not None and view.nbytes != self.nbytes:
            raise ValueError(f"shape {shape} of {type} has {self.nbytes} bytes, the content {view.nbytes}")
        self.pointer = malloc(max(1, self.nbytes), uncached)
        if view is not None:
            self._fill(view)

    def _fill(self, view):
        if self.nbytes:
            host = (ctypes.c_char * self.nbytes).from_buffer_copy(view.cast("B") if view.contiguous else view.tobytes())
            copy_to_device(self.pointer, ctypes.addressof(host), self.nbytes)

    def copy_from(self, content):
        """From an object with a buffer of as many bytes, such as the inputs of a graph before it is launched again. Waits for the default
        stream, and for no other."""
        view = memoryview(content)
        if view.nbytes != self.nbytes:
            raise ValueError(f"the array has {self.nbytes} bytes, the content {view.nbytes}")
        self._fill(view)

    def copy_to(self, content):
        """Into an object with a writable buffer of as many bytes."""
        view = memoryview(content).cast("B")
        if view.nbytes != self.nbytes:
            raise ValueError(f"the array has {self.nbytes} bytes, the target {view.nbytes}")
        if self.nbytes:
            copy_to_host(ctypes.addressof((ctypes.c_char * self.nbytes).from_buffer(view)), self.pointer, self.nbytes)

    def tobytes(self):
        content = bytearray(self.nbytes)
        self.copy_to(content)
        return bytes(content)

    def numpy(self):
        """A copy as a NumPy array; bits where NumPy lacks the type."""
        import numpy
        from .frameworks import numpy_type

        return numpy.frombuffer(bytearray(self.tobytes()), numpy_type(self.type)).reshape(self.shape)

    @property
    def dtype(self):
        return self.type.name

    @property
    def __cuda_array_interface__(self):
        kind = {"bool": "b", "int": "i", "float": "f"}[self.type.kind]
        typestr = f"<{'u' if self.type.name[0] == 'u' else kind}{self.type.bits // 8}"
        return {"version": 3, "data": (self.pointer, False), "shape": self.shape, "typestr": typestr, "strides": None}

    def __dlpack_device__(self):
        return dlpack.ROCM, self.device

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        if self.type.dlpack is None:
            raise BufferError(f"DLPack has no elements of {self.type}")
        if stream != -1:  # of which stream the content is, is not known
            synchronize()
        return dlpack.export(self, self.pointer, self.device, self.type.dlpack, self.shape)

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"flyc.Array(shape={self.shape}, type={self.type}, device={self.device})"

    def __del__(self):
        if getattr(self, "pointer", 0):
            library.fly_free(ctypes.c_void_p(self.pointer))


_BUFFER_KINDS = {"e": "f16", "f": "f32", "d": "f64", "?": "bool", "c": "u8"}


def buffer_type(view):
    """The element type of a memoryview."""
    format = view.format.lstrip("@=<")
    if format in _BUFFER_KINDS:
        return BY_NAME[_BUFFER_KINDS[format]]
    if len(format) == 1 and format in "bhilqBHILQ":
        return BY_NAME[f"{'u' if format.isupper() else 'i'}{view.itemsize * 8}"]
    raise TypeError(f"elements of the format {view.format!r} are not an element type")
