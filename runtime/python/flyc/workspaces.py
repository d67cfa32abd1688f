"""Memory that a launch function needs beside its tensors.

With PyTorch's tensors it comes from PyTorch's allocator, which gives it to others only after the work of the stream. Else
it is kept per device and stream; it grows, and what it was stays too, as a captured graph may use it.
"""
import threading

from . import device as devices
from . import frameworks, tensors
from .errors import ArgumentError

_lock = threading.Lock()
_kept = {}  # (device, stream) -> [(bytes, Array)], the largest last


def workspace_for(function, size, given, stream, device):
    """(what must be kept until the launch is queued, the address)."""
    if given is not None:
        return _checked(function, size, given)
    torch = frameworks.torch()
    if torch is not None and getattr(torch.version, "hip", None):
        memory = torch.empty(size, dtype=torch.uint8, device=torch.device("cuda", device))
        if stream != frameworks.torch_stream(device):
            memory.record_stream(torch.cuda.ExternalStream(stream, device=torch.device("cuda", device)))
        return memory, memory.data_ptr()
    with _lock:
        kept = _kept.setdefault((device, stream), [])
        if not kept or kept[-1].nbytes < size:
            with devices.on_device(device):
                kept.append(devices.Array(shape=(max(size, 2 * kept[-1].nbytes if kept else 0),), type="u8"))
        return kept[-1], kept[-1].pointer


def _checked(function, size, given):
    view = tensors.read(given)
    if view is None or view.type is None or view.device is None or not view.is_compact():
        raise ArgumentError(
            function.label, "workspace", "type", "the workspace is a tensor on the device, in C order without gaps"
        )
    first, end = view.reach()
    if end - first < size:
        raise ArgumentError(
            function.label, "workspace", "shape", f"the workspace has {end - first} bytes, this launch needs {size}"
        )
    if view.address % 256:
        raise ArgumentError(
            function.label,
            "workspace",
            "alignment",
            f"the workspace must be aligned to 256 bytes, its address is {view.address:#x}",
        )
    return view, view.address
