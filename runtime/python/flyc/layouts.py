"""Tensors with divided modes, such as shuffled weights: where their elements lie, and copies from and to plain arrays.

    layout = k.moe.layout("w1", tokens=16, hidden=7168, ...)       # the numbers of the launch that the layout depends on
    shuffled = layout.pack(w1)                     # from an array of the layout's shape, to what the kernel takes
    plain = layout.unpack(shuffled)

NumPy does the work, so arrays are in host memory. An element type that NumPy lacks is passed as its bits; one of 4 or 6 bits
as uint8, one element each.
"""
import math

from .types import takes


class Layout:
    def __init__(self, label, type, shape, strides):
        """`shape`, `strides`: a list per mode, the fastest number first."""
        self.label, self.type, self.modes, self.strides = label, type, shape, strides
        self.shape = tuple(math.prod(mode) for mode in shape)
        self.elements = (
            1 + sum((extent - 1) * stride for mode, steps in zip(shape, strides) for extent, stride in zip(mode, steps))
            if 0 not in self.shape
            else 0
        )
        self.nbytes = (self.elements * type.bits + 7) // 8

    def offsets(self):
        """Of each element, in elements: an array of the layout's shape."""
        import numpy

        total = numpy.zeros((), numpy.int64)
        for mode, steps in zip(self.modes, self.strides):
            along = numpy.zeros(1, numpy.int64)
            for extent, stride in zip(mode, steps):  # the first number runs fastest
                along = (numpy.arange(extent, dtype=numpy.int64)[:, None] * stride + along[None, :]).reshape(-1)
            total = total[..., None] + along
        return total

    def pack(self, array):
        """The memory of the layout, as a flat array: what is not an element is 0."""
        import numpy
        from .frameworks import of_numpy

        array = numpy.asarray(array)
        given = of_numpy(array.dtype)
        if (
            array.shape != self.shape
            or given is None
            or not (takes(self.type, given) or self.type.bits < 8 and given.name in ("u8", "i8"))
        ):
            raise ValueError(f"{self.label} has shape {self.shape} of {self.type}, got {array.shape} of {array.dtype}")
        memory = numpy.zeros(self.elements, array.dtype)
        memory[self.offsets()] = array
        return memory if self.type.bits >= 8 else _packed(memory, self.type.bits)

    def unpack(self, memory):
        """The elements in an array of the layout's shape."""
        import numpy

        memory = numpy.asarray(memory).reshape(-1)
        if memory.nbytes < self.nbytes:
            raise ValueError(f"{self.label} has {self.nbytes} bytes, got {memory.nbytes}")
        return (memory if self.type.bits >= 8 else _unpacked(memory, self.type.bits))[self.offsets()]


def _packed(values, bits):
    import numpy

    each = numpy.unpackbits(values.astype(numpy.uint8)[:, None], axis=1, bitorder="little")[:, :bits]
    return numpy.packbits(each.reshape(-1), bitorder="little")


def _unpacked(memory, bits):
    import numpy

    each = numpy.unpackbits(memory.view(numpy.uint8), bitorder="little")
    each = each[: len(each) // bits * bits].reshape(-1, bits)
    return numpy.packbits(each, axis=1, bitorder="little").reshape(-1)
