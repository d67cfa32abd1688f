"""Element types: flyc's names, their sizes, and what other libraries call them.

An element type that a library lacks is passed as its bits: a tensor of unsigned or signed integers of the same size. So
NumPy's uint16 is taken for bf16, and torch's uint8 for an 8-bit float. Types of 4 and 6 bits lie several in a byte; their
tensors are uint8, with the fastest mode counted in bytes.
"""
import struct


class ElementType:
    """`format` is that of `struct` for a scalar argument; `dlpack` is (code, bits * lanes) of DLPack 1.1, if it has the type."""

    def __init__(self, name, bits, kind, format, aliases=(), dlpack=None):
        self.name, self.bits, self.kind, self.format = name, bits, kind, format
        self.aliases, self.dlpack = {name, *aliases}, dlpack

    def __repr__(self):
        return self.name


_ROWS = [
    ElementType("bool", 8, "bool", "?", dlpack=(6, 8)),
    ElementType("i8", 8, "int", "b", ["int8"], (0, 8)),
    ElementType("u8", 8, "int", "B", ["uint8"], (1, 8)),
    ElementType("i16", 16, "int", "h", ["int16"], (0, 16)),
    ElementType("u16", 16, "int", "H", ["uint16"], (1, 16)),
    ElementType("i32", 32, "int", "i", ["int32"], (0, 32)),
    ElementType("u32", 32, "int", "I", ["uint32"], (1, 32)),
    ElementType("i64", 64, "int", "q", ["int64"], (0, 64)),
    ElementType("u64", 64, "int", "Q", ["uint64"], (1, 64)),
    ElementType("f16", 16, "float", "e", ["float16"], (2, 16)),
    ElementType("bf16", 16, "float", "H", ["bfloat16"], (4, 16)),
    ElementType("f32", 32, "float", "f", ["float32"], (2, 32)),
    ElementType("f64", 64, "float", "d", ["float64"], (2, 64)),
    ElementType("f8E4M3FN", 8, "float", None, ["float8_e4m3fn"], (10, 8)),
    ElementType("f8E4M3FNUZ", 8, "float", None, ["float8_e4m3fnuz"], (11, 8)),
    ElementType("f8E5M2", 8, "float", None, ["float8_e5m2"], (12, 8)),
    ElementType("f8E5M2FNUZ", 8, "float", None, ["float8_e5m2fnuz"], (13, 8)),
    ElementType("e8m0", 8, "float", None, ["float8_e8m0fnu", "f8E8M0FNU"], (14, 8)),
    ElementType("f6E2M3", 6, "float", None),
    ElementType("f6E3M2", 6, "float", None),
    ElementType("f4E2M1", 4, "float", None),
    ElementType("f4E2M1x2", 8, "pair", None, ["float4_e2m1fn_x2"], (17, 8)),
    ElementType("i4", 4, "int", None),
    ElementType("u4", 4, "int", None),
]
BY_NAME = {alias: row for row in _ROWS for alias in row.aliases}
BY_DLPACK = {row.dlpack: row for row in _ROWS if row.dlpack}


def bfloat16_bits(value):
    """The bits of a number in bf16, rounded to nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if bits & 0x7FFFFFFF > 0x7F800000:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def takes(parameter, given):
    """Whether a tensor of elements `given` may be passed for elements of `parameter`: the same, or their bits."""
    if parameter is given:
        return True
    if parameter.bits < 8:
        return given.name in ("u8", "i8") or parameter.name + "x2" == given.name
    native = parameter.name in ("f16", "f32", "f64", "bool") or parameter.kind == "int"
    return not native and given.kind == "int" and given.bits == parameter.bits
