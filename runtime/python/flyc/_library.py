"""libfly_runtime.so through ctypes: where it is, its structures, and its errors.

The library is looked for in this order: FLY_RUNTIME_LIBRARY, this package (a wheel), the installation that this package
belongs to, and the loader's path. It opens HIP, or the emulator, at the first call that needs a device.
"""
import ctypes
import os
import pathlib
import sys

ABI_VERSION = 3
MAX_DEVICES = 64
STEP_FILL = 0xFFFFFFFF
_NAME = f"libfly_runtime.so.{ABI_VERSION}"


class Error(RuntimeError):
    """What the runtime refused, or a fault of a kernel. `status` is the name of the code: "FLY_ERROR_LAUNCH"."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class CodeObject(ctypes.Structure):  # fly_code_object
    _fields_ = [("architecture", ctypes.c_char_p), ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class ModuleData(ctypes.Structure):  # fly_module
    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("hash", ctypes.c_uint64),
        ("code_object_count", ctypes.c_uint32),
        ("code_objects", ctypes.POINTER(CodeObject)),
        ("kernel_count", ctypes.c_uint32),
        ("kernels", ctypes.POINTER(ctypes.c_char_p)),
        ("loaded", ctypes.c_void_p * MAX_DEVICES),
    ]


class Launch(ctypes.Structure):  # fly_launch
    _fields_ = [
        ("grid", ctypes.c_int64 * 3),
        ("block", ctypes.c_int64 * 3),
        ("dynamic_lds", ctypes.c_int64),
        ("max_workgroup_size", ctypes.c_uint32),
        ("arguments", ctypes.c_void_p),
        ("argument_bytes", ctypes.c_size_t),
    ]


class Step(ctypes.Structure):  # fly_step
    _fields_ = [
        ("kernel", ctypes.c_uint32),
        ("launch", Launch),
        ("memory", ctypes.c_void_p),
        ("memory_bytes", ctypes.c_int64),
        ("memory_byte", ctypes.c_int),
    ]


def beside(*parts):
    """The paths `PACKAGE/parts` and `PREFIX/parts`, for a package in PREFIX/lib/python3/dist-packages/flyc or alike."""
    package = os.path.dirname(os.path.abspath(__file__))
    places, prefix = [package], package
    for _ in range(5):
        prefix = os.path.dirname(prefix)
        places.append(prefix)
    return [os.path.join(place, *parts) for place in places]


def kernels_folder():
    """The kernels that came with this package: in a wheel, an installation or a source tree."""
    places = [path for folder in (("kernels",), ("share", "fly", "kernels")) for path in beside(*folder)]
    return pathlib.Path(next((path for path in places if os.path.isdir(os.path.join(path, "normalization"))), places[0]))


def _candidates():
    named = os.environ.get("FLY_RUNTIME_LIBRARY")
    if named:
        return [named]
    multiarch = getattr(sys.implementation, "_multiarch", "x86_64-linux-gnu")
    found = [
        path for folder in (("lib",), ("lib", multiarch)) for path in beside(*folder, _NAME) if os.path.exists(path)
    ]
    return [*found, _NAME]


def _use_loaded_hip():
    """A process has one HIP: that of a PyTorch which brings its own, if it is loaded already."""
    if os.environ.get("FLY_HIP_LIBRARY") or os.environ.get("FLY_DEVICE") == "emulator":
        return
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/libamdhip64.so" in line}
    except OSError:
        return
    if len(paths) == 1:
        os.environ["FLY_HIP_LIBRARY"] = paths.pop()


def _open():
    reasons = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
            continue
        library.fly_abi_version.restype = ctypes.c_uint32
        version = library.fly_abi_version()
        if version != ABI_VERSION:
            raise ImportError(
                f"{path} is version {version} of flyc's runtime, this package needs version {ABI_VERSION}"
            )
        return library
    raise ImportError(f"flyc's runtime is not found: {'; '.join(reasons)}. Set FLY_RUNTIME_LIBRARY to {_NAME}")


library = _open()
for _function in ("fly_error", "fly_status_name", "fly_object_kernel_name"):
    getattr(library, _function).restype = ctypes.c_char_p
for _function in ("fly_object_kernel_count", "fly_kernel_parameter_count"):
    getattr(library, _function).restype = ctypes.c_uint32
_started = False


def check(code):
    """Raises the calling thread's error if `code` is not FLY_OK."""
    if code:
        raise Error(library.fly_error().decode(), library.fly_status_name(code).decode())


def start():
    """To be called before the first use of a device: chooses the HIP that the process has."""
    global _started
    if not _started:
        _use_loaded_hip()
        _started = True
