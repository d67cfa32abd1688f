"""The exact evaluator against values that are known otherwise: Python's own floats and the formats' specifications."""

import math
import random
import struct
from fractions import Fraction

import formats as F
import operations as O
from formats import INF, MINUS_INF, MINUS_ZERO, NAN


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of_double(x):
    return F.FLOATS["f64"].nan if x != x else struct.unpack("<Q", struct.pack("<d", x))[0]


def operation(name, *types):
    return next(o for o in O.TABLE if o.name == name and o.types == types)


def test_formats_against_python(source):
    """Python's struct has f16, f32 and f64."""
    for T, code, width in (("f16", "e", 16), ("f32", "f", 32), ("f64", "d", 64)):
        for _ in range(2000):
            bits = source.getrandbits(width)
            value = struct.unpack("<" + code, bits.to_bytes(width // 8, "little"))[0]
            ours = F.number(T, bits)
            if value != value:
                assert ours == NAN
            elif math.isinf(value):
                assert ours == (INF if value > 0 else MINUS_INF)
            else:
                assert F.finite(ours) == Fraction(value) and F.rounded(T, ours) == bits
        for _ in range(2000):  # rounding of a double
            value = double(source.getrandbits(64))
            try:
                packed = struct.pack("<" + code, value)
            except OverflowError:
                packed = None
            if value == value and packed is not None:
                assert F.rounded(
                    T, F.number("f64", bits_of_double(value))
                ) == int.from_bytes(packed, "little"), (T, value)


def test_arithmetic_against_python(source):
    """Doubles of the machine follow IEEE."""
    corners = [
        0,
        1 << 63,
        1,
        0x7FEFFFFFFFFFFFFF,
        0x7FF0000000000000,
        0xFFF0000000000000,
        0x7FF8000000000000,
        0x3FF0000000000000,
    ]

    def pick():
        return source.choice(corners) if source.random() < 0.3 else source.getrandbits(64)

    def guarded(compute):
        def inner(x, y):
            try:
                return compute(x, y)
            except ZeroDivisionError:
                return math.nan if x != x or x == 0 else math.copysign(math.inf, x) * math.copysign(1, y)
            except ValueError:
                return math.nan

        return inner

    for name, compute in (
        ("add", lambda x, y: x + y),
        ("sub", lambda x, y: x - y),
        ("mul", lambda x, y: x * y),
        ("div", guarded(lambda x, y: x / y)),
        ("fmod", guarded(math.fmod)),
    ):
        evaluate = operation(name, "f64", "f64").evaluate
        for _ in range(1500):
            x, y = pick(), pick()
            if name == "fmod" and abs((x >> 52 & 2047) - (y >> 52 & 2047)) > 200:
                continue
            assert evaluate(x, y) == bits_of_double(compute(double(x), double(y))), (name, hex(x), hex(y))
    root = operation("sqrt", "f64").evaluate
    for _ in range(1500):
        x = pick()
        value = double(x)
        assert root(x) == bits_of_double(math.sqrt(value) if value >= 0 or value != value else math.nan)
    for sign in "== != < <= > >=".split():
        name = O.COMPARISON_NAMES[sign]
        for _ in range(300):
            x, y = pick(), pick()
            assert operation(name, "f64", "f64").evaluate(x, y) == int(
                eval(f"a {sign} b", {"a": double(x), "b": double(y)})
            )


def test_specifications():
    """Tables of the OCP documents and of PyTorch's types."""
    for T, bits, value in (
        ("f8E4M3FN", 0x7E, Fraction(448)),
        ("f8E4M3FN", 0x7F, NAN),
        ("f8E4M3FN", 0x01, Fraction(1, 512)),
        ("f8E4M3FN", 0x38, Fraction(1)),
        ("f8E5M2", 0x7B, Fraction(57344)),
        ("f8E5M2", 0x7C, INF),
        ("f8E5M2", 0xFE, NAN),
        ("f8E5M2", 0x01, Fraction(1, 65536)),
        ("f8E4M3FNUZ", 0x7F, Fraction(240)),
        ("f8E4M3FNUZ", 0x80, NAN),
        ("f8E4M3FNUZ", 0x40, Fraction(1)),
        ("f8E5M2FNUZ", 0x7F, Fraction(57344)),
        ("f8E5M2FNUZ", 0x01, Fraction(1, 131072)),
        ("f6E2M3", 0x1F, Fraction(15, 2)),
        ("f6E3M2", 0x3F, Fraction(-28)),
        ("f4E2M1", 0x7, Fraction(6)),
        ("f4E2M1", 0x9, Fraction(-1, 2)),
        ("e8m0", 0, Fraction(1, 2**127)),
        ("bf16", 0x3F80, Fraction(1)),
        ("bf16", 0x8000, MINUS_ZERO),
        ("tf32", 0x3F802000, Fraction(1025, 1024)),
    ):
        assert F.number(T, bits) == value, (T, hex(bits))
    for T, value, bits in (
        ("f8E4M3FN", Fraction(464), 0x7E),  # a tie above the largest: saturates
        ("f8E4M3FN", Fraction(-1000), 0xFE),
        ("f8E4M3FN", INF, 0x7E),
        ("f8E4M3FNUZ", Fraction(-1, 10000), 0x00),  # no negative zero
        ("f4E2M1", Fraction(5), 0x6),  # a tie: to 4, which is even
        ("f4E2M1", Fraction(1, 4), 0x0),
        ("f4E2M1", Fraction(7, 2), 0x6),
        ("f6E3M2", Fraction(100), 0x1F),
        ("e8m0", Fraction(3), 0x80),
        ("e8m0", Fraction(-1), 0xFF),
        ("bf16", Fraction(257, 256), 0x3F80),
        ("bf16", Fraction(259, 256), 0x3F82),
        ("f16", Fraction(65519), 0x7BFF),
        ("f16", Fraction(65520), 0x7C00),
        ("f32", Fraction(16777217), 0x4B800000),
        ("f32", Fraction(1, 2**150), 0),
        ("f32", Fraction(3, 2**150), 2),
    ):
        assert F.rounded(T, value) == bits, (T, value, hex(F.rounded(T, value)))


def test_fma():
    """Cases in which two roundings give another number."""
    f = operation("fma", "f32", "f32", "f32").evaluate
    one_up = 0x3F800001
    assert f(one_up, one_up, 0xBF800002) == 0x28800000  # (1 + e)^2 - (1 + 2e) = e^2
    assert operation("fma", "bf16", "bf16", "bf16").evaluate(0x5F08, 0x5F08, 0x5F08) == 0x7E91


def test_integers():
    for name, types, bits, expected in (
        ("add", ("i8", "i8"), (127, 1), 0x80),
        ("div", ("i8", "i8"), (0xF9, 2), 0xFC),  # floor(-7 / 2) is -4
        ("mod", ("i8", "i8"), (0xF9, 2), 1),
        ("div", ("i32", "i32"), (0x80000000, 0xFFFFFFFF), 0x80000000),  # wraps
        ("shr", ("i16", "i16"), (0x8000, 3), 0xF000),
        ("shl", ("u32", "u32"), (1, 33), 2),
        ("rotate_left", ("u8", "u8"), (0x81, 1), 0x03),
        ("add_sat", ("i8", "i8"), (100, 100), 127),
        ("sub_sat", ("u16", "u16"), (1, 2), 0),
        ("mul_hi", ("i32", "i32"), (0xFFFFFFFF, 2), 0xFFFFFFFF),
        ("mul_wide", ("u32", "u32"), (0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFE00000001),
        ("clz", ("u16",), (1,), 15),
        ("ctz", ("i64",), (0,), 64),
        ("ceil_div", ("i16", "i16"), (7, 2), 4),
        ("abs", ("i8",), (0x80,), 0x80),
    ):
        assert operation(name, *types).evaluate(*bits) == expected, (name, types)
    for A, B, bits, expected in (
        ("f32", "i8", 0x43000000, 127),
        ("f32", "u8", 0xBF800000, 0),
        ("f32", "i32", 0x7FC00000, 0),
        ("f64", "i64", 0x43E0000000000000, 2**63 - 1),
        ("i64", "f32", 2**24 + 1, 0x4B800000),
        ("i32", "i8", 0x1FF, 0xFF),
        ("i8", "u32", 0xFF, 0xFFFFFFFF),
        ("f32", "bool", 0x80000000, 0),
        ("f32", "bool", 0x7FC00000, 1),
    ):
        assert F.converted(A, B, bits) == expected, (A, B, hex(bits))
    for A, B, bits, expected in (  # an infinity is out of range only if other numbers may be
        ("f16", "f32", 0xFC00, 0xFF800000),
        ("bf16", "tf32", 0x7F80, 0x7F800000),
        ("f8E5M2", "f16", 0x7C, 0x7C00),
        ("f16", "bf16", 0x7C00, 0x7F7F),
        ("f32", "f16", 0x7F800000, 0x7BFF),
    ):
        assert F.converted(A, B, bits, True) == expected, (A, B, hex(bits))


if __name__ == "__main__":
    source = random.Random(1)
    test_formats_against_python(source)
    test_arithmetic_against_python(source)
    test_specifications()
    test_fma()
    test_integers()
    print("the evaluator agrees")
