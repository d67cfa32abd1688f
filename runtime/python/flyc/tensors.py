"""What a call may pass as a tensor, and what flyc sees of it.

A PyTorch tensor is read by its attributes, which takes 0.5 us; NumPy arrays and objects with a buffer by theirs; all
others by DLPack, or by `__cuda_array_interface__`.
"""
import ctypes
import math

from . import dlpack, frameworks
from .device import Array, buffer_type
from .types import BY_DLPACK, BY_NAME


META = "meta"  # the device of PyTorch's tensors that have a shape, but no memory


class View:
    """Strides count elements. `device` is None in host memory. `kept` holds the memory."""

    __slots__ = ("address", "type", "type_text", "shape", "strides", "device", "read_only", "kind", "kept")

    def __init__(self, kind, address, type, type_text, shape, strides, device, read_only, kept=None):
        self.kind, self.address, self.type, self.type_text, self.shape = kind, address, type, type_text, tuple(shape)
        self.strides = compact(self.shape) if strides is None else tuple(strides)
        self.device, self.read_only, self.kept = device, read_only, kept

    @property
    def is_empty(self):
        return 0 in self.shape

    def reach(self):
        """(first, end) in bytes of what it has in memory, relative to its address."""
        if self.is_empty:
            return 0, 0
        size = self.type.bits // 8 if self.type else 1
        spans = [(extent - 1) * stride * size for extent, stride in zip(self.shape, self.strides)]
        return sum(min(span, 0) for span in spans), sum(max(span, 0) for span in spans) + size

    def form(self):
        """The same without the memory that it holds, for what outlives a call."""
        return View(self.kind, 0, self.type, self.type_text, self.shape, self.strides, self.device, self.read_only)

    def is_compact(self):
        """Whether it lies in C order without gaps."""
        return self.is_empty or all(
            extent == 1 or stride == expected
            for extent, stride, expected in zip(self.shape, self.strides, compact(self.shape))
        )


def compact(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _torch(tensor, stream):
    where, module = tensor.device, frameworks.torch()
    if where.type == "cuda" and getattr(module.version, "cuda", None):
        raise TypeError("the tensor is of a PyTorch for CUDA; flyc's kernels run on AMD GPUs (ROCm)")
    if where.type not in ("cuda", "cpu", "meta"):
        raise TypeError(f"the tensor is on the device {where}")
    if tensor.layout is not module.strided:
        raise TypeError(f"the tensor's layout is {tensor.layout}, it must be strided")
    # what autograd records would not see that a kernel writes
    read_only = "requires grad" if tensor.requires_grad and module.is_grad_enabled() else ""
    return View(
        "torch",
        tensor.data_ptr(),
        frameworks.of_torch(tensor.dtype),
        str(tensor.dtype),
        tensor.shape,
        tensor.stride(),
        {"cuda": where.index or 0, "cpu": None, "meta": META}[where.type],
        read_only,
    )


def _numpy(array, stream):
    size = array.dtype.itemsize
    strides = [stride // size for stride in array.strides]
    if 0 not in array.shape and any(stride * size != given for stride, given in zip(strides, array.strides)):
        raise TypeError(f"the strides {array.strides} are not multiples of an element's {size} bytes")
    return View(
        "numpy",
        array.__array_interface__["data"][0],
        frameworks.of_numpy(array.dtype),
        str(array.dtype),
        array.shape,
        strides,
        None,
        "" if array.flags.writeable else "read-only",
    )


def _array(array, stream):
    return View("flyc", array.pointer, array.type, array.type.name, array.shape, None, array.device, "")


def _buffer(content, stream):
    view = memoryview(content)
    if not view.c_contiguous:
        raise TypeError("a buffer must be in C order without gaps")
    if view.readonly:
        flat = view.tobytes()
        kept = ctypes.c_char_p(flat)
        address = ctypes.cast(kept, ctypes.c_void_p).value
    else:
        kept = (
            (ctypes.c_char * view.nbytes).from_buffer(view.cast("B") if view.nbytes else bytearray(1))
            if view.nbytes
            else None
        )
        address = ctypes.addressof(kept) if kept is not None else 0
    return View(
        "buffer",
        address,
        buffer_type(view),
        view.format,
        view.shape,
        None,
        None,
        "read-only" if view.readonly else "",
        kept,
    )


def _capsule(tensor, stream):
    kind, device = tensor.__dlpack_device__()
    on_device = kind in (dlpack.ROCM, dlpack.CUDA)  # PyTorch and CuPy on ROCm say either
    capsule = dlpack.request(tensor, (stream or 0) if on_device else None)
    address, kind, device, element, shape, strides, read_only = dlpack.read(capsule)
    if kind not in (dlpack.ROCM, dlpack.CUDA, dlpack.CPU, dlpack.ROCM_HOST):
        raise TypeError(f"the tensor is on a device of DLPack's kind {kind}; flyc takes ROCm (10) and CPU (1)")
    return View(
        "dlpack",
        address,
        BY_DLPACK.get(element),
        f"DLPack's type {element}",
        shape,
        strides,
        None if kind in (dlpack.CPU, dlpack.ROCM_HOST) else device,
        "read-only" if read_only else "",
        capsule,
    )


def _interface(tensor, stream):
    data = tensor.__cuda_array_interface__
    kind, size = data["typestr"][1], int(data["typestr"][2:])
    name = "bool" if kind == "b" else {"i": "i", "u": "u", "f": "f"}.get(kind, "?") + str(8 * size)
    strides = data.get("strides")
    return View(
        "interface",
        data["data"][0],
        BY_NAME.get(name),
        data["typestr"],
        data["shape"],
        None if strides is None else [stride // size for stride in strides],
        0,
        "read-only" if data["data"][1] else "",
    )


_readers = {Array: _array}  # class -> how its tensors are read; None: not a tensor


def reader(cls):
    """How objects of a class are read, or None if they are not tensors."""
    if cls in _readers:
        return _readers[cls]
    module, numbers = frameworks.torch(), frameworks.numpy()
    found = None
    if module is not None and issubclass(cls, module.Tensor):
        found = _torch
    elif numbers is not None and issubclass(cls, numbers.ndarray):
        found = _numpy
    elif numbers is not None and issubclass(cls, numbers.generic):
        found = None
    elif hasattr(cls, "__dlpack__") and hasattr(cls, "__dlpack_device__"):
        found = _capsule
    elif hasattr(cls, "__cuda_array_interface__"):
        found = _interface
    elif cls not in (int, float, bool, str, tuple, list, dict):
        found = _buffer if _has_buffer(cls) else None
    _readers[cls] = found
    return found


def _has_buffer(cls):
    import array

    return issubclass(cls, (bytes, bytearray, memoryview, array.array, ctypes.Array))


def read(tensor, stream=None):
    """The view of a tensor, or None if it is not one. Raises TypeError for what cannot be passed to a kernel."""
    found = reader(type(tensor))
    if found is not None:
        return found(tensor, stream)
    if hasattr(tensor, "__cuda_array_interface__"):  # of the object, not of its class
        return _interface(tensor, stream)
    return None


def allocate(like, type, shape):
    """A new tensor of the kind of `like` (a pair of tensor and view), where that is."""
    tensor, view = like if like else (None, None)
    stored = tuple(shape)
    if view is not None and view.kind == "torch":
        return frameworks.torch().empty(stored, dtype=frameworks.torch_type(type), device=tensor.device)
    if view is not None and view.device is None and frameworks.numpy() is not None:
        return frameworks.numpy().empty(stored, frameworks.numpy_type(type))
    return Array(shape=stored, type=type.name if type.bits >= 8 else "u8")


def overlap(a, first_a, b, first_b):
    """Whether two views share memory, at addresses `first_a` and `first_b`. Exact for tensors that are parts of one in rows;
    where it is unsure, it says True."""
    if a.is_empty or b.is_empty:
        return False
    low_a, high_a = a.reach()
    low_b, high_b = b.reach()
    if first_a + high_a <= first_b + low_b or first_b + high_b <= first_a + low_a:
        return False
    modes_a, modes_b = _modes(a), _modes(b)
    return _meet(modes_a, modes_b, first_b + low_b - first_a - low_a)


def self_overlap(view):
    """Whether two elements of a view may share memory."""
    (span, _), *others = _modes(view)
    for extent, stride in others:
        if stride < span:
            return True
        span = (extent - 1) * stride + span
    return False


def _modes(view):
    """(extent, stride in bytes), the bytes of an element first, larger strides later; negative strides turned round, modes
    that continue each other as one."""
    size = view.type.bits // 8
    found = [(size, 1)]
    for stride, extent in sorted(
        (abs(stride) * size, extent) for extent, stride in zip(view.shape, view.strides) if extent > 1
    ):
        if stride == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * extent, found[-1][1])
        else:
            found.append((extent, stride))
    return found


def _span(modes):
    return sum((extent - 1) * stride for extent, stride in modes)


def _meet(a, b, distance):
    """Whether a sum of modes `a` equals `distance` plus one of modes `b`."""
    if -_span(b) > distance or distance > _span(a):
        return False
    step = max(a[-1][1], b[-1][1])
    if step == 1:
        return True
    extent_a, inner_a = (a[-1][0], a[:-1]) if a[-1][1] == step else (1, a)
    extent_b, inner_b = (b[-1][0], b[:-1]) if b[-1][1] == step else (1, b)
    nearest = math.floor(distance / step)
    reach = (_span(inner_a) + _span(inner_b)) // step + 1
    if reach > 1000:
        return True
    for steps in range(nearest - reach, nearest + reach + 1):  # index in a minus index in b
        if -extent_b < steps < extent_a and _meet(inner_a, inner_b, distance - steps * step):
            return True
    return False
