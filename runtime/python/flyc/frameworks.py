"""What PyTorch, NumPy and others call element types, their streams, and how they allocate. None of them is imported here:
what a program passes is loaded already."""
import sys

from .types import BY_NAME

_torch_types, _numpy_types = {}, {}  # dtype -> element type


def torch():
    return sys.modules.get("torch")


def numpy():
    return sys.modules.get("numpy")


def of_torch(dtype):
    """The element type, or None."""
    if dtype not in _torch_types:
        _torch_types[dtype] = BY_NAME.get(str(dtype)[len("torch.") :])
    return _torch_types[dtype]


def of_numpy(dtype):
    if dtype not in _numpy_types:
        _numpy_types[dtype] = BY_NAME.get(dtype.name) if dtype.isnative else None
    return _numpy_types[dtype]


def _others(type):
    """What other libraries call the type: flyc's f16 is NumPy's float16, whose f16 has 16 bytes."""
    return sorted(type.aliases - {type.name}) or [type.name]


def _bits_name(type):
    return f"uint{type.bits if type.bits >= 8 else 8}"


def torch_type(type):
    """The dtype that has the element type; where this torch lacks it, integers of as many bits."""
    module = torch()
    names = [*_others(type), _bits_name(type), _bits_name(type)[1:]]  # torch 1.13 has no uint16
    return next(getattr(module, name) for name in names if hasattr(module, name))


def numpy_type(type):
    module = numpy()
    for name in _others(type):
        if name in module.sctypeDict:
            return module.dtype(name)
        extension = sys.modules.get("ml_dtypes")
        if extension is not None and hasattr(extension, name):
            return module.dtype(getattr(extension, name))
    return module.dtype(_bits_name(type))


def torch_stream(device):
    """The current stream of a device as an integer; 0 in a torch without ROCm."""
    module = torch()
    if not getattr(module.version, "hip", None):
        return 0
    raw = getattr(module._C, "_cuda_getCurrentRawStream", None)
    return raw(device) if raw else module.cuda.current_stream(device).cuda_stream


def cupy_stream():
    module = sys.modules.get("cupy")
    return module.cuda.get_current_stream().ptr if module is not None else 0
