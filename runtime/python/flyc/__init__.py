"""flyc's kernels from Python, on the tensors of PyTorch, NumPy, JAX and CuPy.

    import flyc, torch

    k = flyc.load("out/softmax.json")              # or flyc.build("softmax.fly")
    y = torch.empty_like(x)
    k.softmax(x, y)                                # on the current stream; y = k.softmax(x, flyc.empty) allocates

Tensors on an AMD GPU are used where they are. Without a GPU the emulator runs the same code, on tensors in host memory.
"""
from ._library import Error, kernels_folder
from .device import Array, architecture, current_device, device_count, emulate, on_device, set_device, synchronize
from .errors import ArgumentError, ArgumentTypeError, CompileError, MetadataError
from .jit import build, kernel, precompile
from .module import Module, load
from .objects import open_object
from .ranks import Ranks
from .signature import Empty, empty
from .streams import Graph, Stream, capture

kernels = kernels_folder()  # flyc.build(flyc.kernels / "normalization/softmax.fly")
Tensor = object  # what stubs call a tensor of any library

__all__ = [
    "Array",
    "ArgumentError",
    "ArgumentTypeError",
    "CompileError",
    "Empty",
    "Error",
    "Graph",
    "MetadataError",
    "Module",
    "Ranks",
    "Stream",
    "Tensor",
    "architecture",
    "build",
    "capture",
    "current_device",
    "device_count",
    "emulate",
    "empty",
    "kernel",
    "kernels",
    "load",
    "on_device",
    "open_object",
    "precompile",
    "set_device",
    "synchronize",
]
