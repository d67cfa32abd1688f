"""Checkpoints as they are published: config.json and *.safetensors, with weights in bf16, f16, f32 or e4m3 with scales.

Weights of 8 bits have a scale for each row: weight[i, :] is scale[i] * e4m3[i, :]. Published ones have `NAME.weight_scale` of shape (n, 1),
(n) or one number. e4m3 is OCP's type there; gfx942 has FNUZ, where the same bits are half the number, and those of -0 are NaN.
"""
import json
from pathlib import Path

import numpy as np

TYPES = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "F8_E4M3": np.uint8}
LARGEST = 448.0  # of e4m3


def to_bfloat16(x):
    """The bits of float32 numbers in bf16, rounded to nearest even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def of_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_e4m3(x):
    """The bits of float32 numbers up to 448 in e4m3, rounded to nearest even."""
    x = np.ascontiguousarray(x, np.float32)
    bits = x.view(np.uint32)
    magnitude = bits & 0x7FFFFFFF
    normal = (magnitude + 0x7FFFF + (magnitude >> 20 & 1) >> 20) - (120 << 3)
    subnormal = np.rint(np.abs(x) * 512).astype(np.uint32)
    return (np.where(np.abs(x) < 2.0**-6, subnormal, normal) | bits >> 24 & 0x80).astype(np.uint8)


def of_e4m3(codes):
    codes = np.asarray(codes, np.uint32)
    exponent, fraction = codes >> 3 & 15, codes & 7
    x = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent.astype(np.int32) - 10))
    x = np.where(codes & 0x7F == 0x7F, np.nan, x)
    return np.where(codes & 0x80, -x, x).astype(np.float32)


def quantised(x):
    """(codes, scales) of rows of float32: the largest number of a row becomes 448."""
    scales = np.maximum(np.abs(x).max(1) / np.float32(LARGEST), np.float32(2.0**-126))
    return to_e4m3(np.clip(x / scales[:, None], -LARGEST, LARGEST)), scales


def to_fnuz(codes, scales):
    """The same numbers for hardware that has FNUZ."""
    nan = codes & 0x7F == 0x7F
    return np.where(nan, 0x80, np.where(codes == 0x80, 0, codes)).astype(np.uint8), scales * np.float32(2)


class Checkpoint:
    """Tensors by name, in host memory. They are read from the files as they are asked for."""

    def __init__(self, folder):
        self.config, self.places = json.loads((Path(folder) / "config.json").read_text()), {}
        if self.config.get("rope_scaling"):
            raise ValueError("rope_scaling is not supported")
        for path in sorted(Path(folder).glob("*.safetensors")):
            content = np.memmap(path, np.uint8, "r")
            length = int(content[:8].view(np.uint64)[0])
            for name, item in json.loads(content[8 : 8 + length].tobytes()).items():
                if name != "__metadata__":
                    begin, end = item["data_offsets"]
                    self.places[name] = content[8 + length + begin : 8 + length + end], item["dtype"], item["shape"]

    def raw(self, name):
        memory, type, shape = self.places[name]
        if type not in TYPES:
            raise ValueError(f"{name} has elements of {type}; {', '.join(TYPES)} are supported")
        return np.frombuffer(memory.tobytes(), TYPES[type]).reshape(shape), type

    def float32(self, name):
        array, type = self.raw(name)
        if type == "F8_E4M3":
            return of_e4m3(array) * self.scales(name, len(array))[:, None]
        return of_bfloat16(array) if type == "BF16" else array.astype(np.float32)

    def bfloat16(self, name):
        array, type = self.raw(name)
        return array if type == "BF16" else to_bfloat16(self.float32(name))

    def e4m3(self, name):
        """(codes, scales) of a weight, which is quantised if it is not yet."""
        array, type = self.raw(name)
        return (array, self.scales(name, len(array))) if type == "F8_E4M3" else quantised(self.float32(name))

    def scales(self, name, rows):
        if name + "_scale" not in self.places:
            raise ValueError(f"{name} has no `weight_scale`; scales of blocks (`weight_scale_inv`) are not supported")
        found = self.float32(name + "_scale").reshape(-1)
        if len(found) not in (1, rows):
            raise ValueError(f"{name} has {rows} rows and {len(found)} scales; one, or one for each row, are supported")
        return np.array(np.broadcast_to(found, rows))

    def is_quantised(self):
        return any(type == "F8_E4M3" for _, type, _ in self.places.values())
