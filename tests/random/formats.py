"""Numbers of each format, exactly: Python integers and fractions, and one rounding.

A value of a type is its bits, a Python integer from 0. `number(T, bits)` says what they mean, `rounded(T, x)` which
bits are nearest to an exact number. Nothing here knows how flyc, LLVM or the emulator computes: they are apart.

    >>> hex(rounded("f32", Fraction(1, 3)))
    '0x3eaaaaab'
    >>> number("f8E5M2", 0x01)
    Fraction(1, 65536)

What the language leaves open has one value here, and programs must not show the difference: NaN is the positive quiet
one, and `minimum(0, -0)` is one of the two.
"""

from fractions import Fraction
from math import isqrt

NAN, INF, MINUS_INF, MINUS_ZERO = "nan", "inf", "-inf", "-0"  # beside the numbers, which are Fractions


class Float:
    """A float format. `special`: "ieee" has infinities and NaN, "fn" one NaN a sign, "fnuz" one NaN, "none" neither."""

    def __init__(self, exponent, mantissa, bias, special="ieee", shift=0):
        self.exponent, self.mantissa, self.bias, self.special = exponent, mantissa, bias, special
        self.bits, self.shift = 1 + exponent + mantissa + shift, shift  # shift: unused low bits (tf32)
        top = (1 << exponent) - 1
        if special == "ieee":
            self.largest_bits = (top << mantissa) - 1
        elif special == "fn":
            self.largest_bits = (top << mantissa | (1 << mantissa) - 1) - 1
        else:
            self.largest_bits = top << mantissa | (1 << mantissa) - 1
        self.sign = 1 << (exponent + mantissa)
        self.nan = {
            "ieee": (top << mantissa) | 1 << max(mantissa - 1, 0), "fn": self.sign - 1, "fnuz": self.sign
        }.get(special)
        self.least = 1 - bias - mantissa  # the power of two of the last place of the smallest numbers


FLOATS = {
    "f16": Float(5, 10, 15),
    "bf16": Float(8, 7, 127),
    "f32": Float(8, 23, 127),
    "f64": Float(11, 52, 1023),
    "tf32": Float(8, 10, 127, shift=13),
    "f8E4M3FN": Float(4, 3, 7, "fn"),
    "f8E5M2": Float(5, 2, 15),
    "f8E4M3FNUZ": Float(4, 3, 8, "fnuz"),
    "f8E5M2FNUZ": Float(5, 2, 16, "fnuz"),
    "f6E2M3": Float(2, 3, 1, "none"),
    "f6E3M2": Float(3, 2, 3, "none"),
    "f4E2M1": Float(2, 1, 1, "none"),
}
SMALL = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3", "f6E3M2", "f4E2M1", "e8m0")  # these saturate
INTEGERS = {f"{kind}{bits}": (kind == "i", bits) for kind in "iu" for bits in (4, 8, 16, 32, 64)}


def is_float(T):
    return T in FLOATS or T == "e8m0"


def bits_of(T):
    return 1 if T == "bool" else 8 if T == "e8m0" else FLOATS[T].bits if T in FLOATS else INTEGERS[T][1]


# Integers: bits to number and back


def wrapped(T, x):
    """The bits of an integer of any size, in the type T."""
    return x & ((1 << bits_of(T)) - 1)


def integer(T, bits):
    if T == "bool":
        return bits & 1
    signed, width = INTEGERS[T]
    return bits - (1 << width) if signed and bits >> (width - 1) else bits


def bounds(T):
    signed, width = INTEGERS[T]
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def clamped(T, x):
    low, high = bounds(T)
    return wrapped(T, max(low, min(high, x)))


# Floats: bits to number


def number(T, bits):
    """A Fraction, or NAN, INF, MINUS_INF or MINUS_ZERO."""
    if T == "e8m0":
        return NAN if bits == 255 else Fraction(2) ** (bits - 127)
    f = FLOATS[T]
    bits >>= f.shift
    negative, rest = bool(bits & f.sign), bits & (f.sign - 1)
    power, part = rest >> f.mantissa, rest & ((1 << f.mantissa) - 1)
    if f.special == "ieee" and power == (1 << f.exponent) - 1:
        return NAN if part else MINUS_INF if negative else INF
    if f.special == "fn" and rest == f.sign - 1 or f.special == "fnuz" and bits == f.sign:
        return NAN
    if rest == 0:
        return MINUS_ZERO if negative else Fraction(0)
    size = (part + (1 << f.mantissa if power else 0)) * Fraction(2) ** (max(power, 1) - 1 + f.least)
    return -size if negative else size


def floor_log2(x):
    """The largest e with 2**e <= x, for a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def to_even(x):
    """The nearest integer to a Fraction, ties to even."""
    low = x.numerator // x.denominator
    rest = x - low
    return low + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and low % 2 == 1)


def rounded(T, x, saturate=None, to_integer=to_even):
    """The bits in T of an exact number: nearest, ties to even. `saturate` is what the conversion of this name says."""
    if saturate is None:
        saturate = T in SMALL
    if T == "e8m0":
        return rounded_to_power(x, saturate)
    f = FLOATS[T]
    minus = x in (MINUS_INF, MINUS_ZERO) if isinstance(x, str) else x < 0
    sign = f.sign if minus else 0
    if x == NAN:
        return (f.largest_bits if f.nan is None else f.nan) << f.shift
    if x == MINUS_ZERO or x == 0:
        return (0 if f.special == "fnuz" else sign) << f.shift
    overflow = sign | f.largest_bits
    if not saturate and f.special == "ieee":
        overflow = sign | (((1 << f.exponent) - 1) << f.mantissa)
    elif not saturate and f.nan is not None:
        overflow = f.nan if f.special == "fnuz" else sign | f.nan
    if isinstance(x, str):  # an infinity
        return overflow << f.shift
    x = abs(x)
    place = max(floor_log2(x) - f.mantissa, f.least)
    units = to_integer(x / Fraction(2) ** place)
    if units >> (f.mantissa + 1):
        units, place = units >> 1, place + 1
    rest = units + ((place - f.least) << f.mantissa)  # an implicit one adds one to the exponent field by itself
    if rest > f.largest_bits:
        return overflow << f.shift
    if rest == 0 and f.special == "fnuz":
        sign = 0
    return (sign | rest) << f.shift


def rounded_to_power(x, saturate):
    """`e8m0`: a power of two, nearest with ties to even; no sign, no zero."""
    if x == NAN or x == MINUS_INF:
        return 255
    if x == INF:
        return 254 if saturate else 255
    if x == MINUS_ZERO or x == 0:
        return 0
    if x < 0:
        return 255
    e = floor_log2(x)
    part = x / Fraction(2) ** e
    field = e + 127
    if part > Fraction(3, 2) or part == Fraction(3, 2) and field % 2 == 1:
        field += 1
    return 0 if field < 0 else (254 if saturate else 255) if field > 254 else field


def root(x, bits=80):
    """The square root of a positive Fraction, exact or with a last bit that says `more`: enough for one rounding."""
    shift = 2 * (bits + max(0, -floor_log2(x)))
    scaled = x * 2**shift
    whole = scaled.numerator // scaled.denominator
    low = isqrt(whole)
    exact = low * low == whole and scaled.denominator == 1
    return Fraction(2 * low + (not exact), 2 ** (shift // 2 + 1))


# Arithmetic on what `number` gives


def finite(x):
    """Zero for both zeros; only for what is no NaN and no infinity."""
    return Fraction(0) if x == MINUS_ZERO else x


def infinite(x):
    return x in (INF, MINUS_INF)


def negative(x):
    return x in (MINUS_INF, MINUS_ZERO) if isinstance(x, str) else x < 0


def negated(x):
    swapped = {INF: MINUS_INF, MINUS_INF: INF, MINUS_ZERO: Fraction(0), NAN: NAN}
    return swapped[x] if isinstance(x, str) else MINUS_ZERO if x == 0 else -x


def signed(x, minus):
    return negated(x) if x != NAN and negative(x) != minus else x


def less(x, y):
    """x < y; false for NaN."""
    if NAN in (x, y) or x == INF or y == MINUS_INF:
        return False
    if x == MINUS_INF or y == INF:
        return x != y
    return finite(x) < finite(y)


def same(x, y):
    if NAN in (x, y):
        return False
    return x == y if infinite(x) or infinite(y) else finite(x) == finite(y)


def plus(x, y):
    if NAN in (x, y) or infinite(x) and infinite(y) and x != y:
        return NAN
    if infinite(x) or infinite(y):
        return x if infinite(x) else y
    if x == MINUS_ZERO and y == MINUS_ZERO:
        return MINUS_ZERO
    return finite(x) + finite(y)


def times(x, y):
    if NAN in (x, y) or infinite(x) and finite_zero(y) or infinite(y) and finite_zero(x):
        return NAN
    minus = negative(x) != negative(y)
    return signed(INF if infinite(x) or infinite(y) else finite(x) * finite(y), minus)


def finite_zero(x):
    return x == MINUS_ZERO or x == 0


def over(x, y):
    if NAN in (x, y) or infinite(x) and infinite(y) or finite_zero(x) and finite_zero(y):
        return NAN
    minus = negative(x) != negative(y)
    return signed(
        INF if infinite(x) or finite_zero(y) else Fraction(0) if infinite(y) else finite(x) / finite(y), minus
    )


def remainder(x, y):
    """C's fmod."""
    if NAN in (x, y) or infinite(x) or finite_zero(y):
        return NAN
    if infinite(y) or finite_zero(x):
        return x
    size, by = abs(x), abs(y)
    return signed(size - by * (size // by), negative(x))


def squared_root(x):
    if x == NAN or negative(x) and x != MINUS_ZERO:
        return NAN
    return x if infinite(x) or finite_zero(x) else root(x)


def integral(x, to_integer):
    """floor, ceil, trunc, rint: keeps the sign of a zero."""
    if isinstance(x, str):
        return x
    return signed(Fraction(to_integer(x)), negative(x))


def number_or(x, y, pick):
    """minimum and maximum: a number wins over NaN."""
    if x == NAN:
        return y
    return x if y == NAN or pick(x, y) else y


# Conversions


def to_integer(T, x):
    """Toward zero, saturating, NaN to 0."""
    low, high = bounds(T)
    if isinstance(x, str):
        return wrapped(T, {NAN: 0, INF: high, MINUS_INF: low, MINUS_ZERO: 0}[x])
    return clamped(T, abs(x).numerator // abs(x).denominator * (-1 if x < 0 else 1))


def holds(B, A):
    """Whether the float format B has all numbers of A."""
    f, g = FLOATS[A], FLOATS[B]
    largest, other = number(A, f.largest_bits << f.shift), number(B, g.largest_bits << g.shift)
    return f.mantissa <= g.mantissa and f.least >= g.least and largest <= other


def converted(A, B, bits, saturate=None):
    """The bits of `B(x)` for an x of type A with these bits."""
    if A == B:
        return bits
    if is_float(A):
        x = number(A, bits)
        if B == "bool":
            return int(not same(x, Fraction(0)))
        if not is_float(B):
            return to_integer(B, x)
        if x == NAN and B in FLOATS and FLOATS[B].special == "none":
            f = FLOATS[B]
            return f.largest_bits | (f.sign if bits >> (bits_of(A) - 1) and A != "e8m0" else 0)
        if infinite(x) and B in FLOATS and FLOATS[B].special == "ieee" and holds(B, A):  # nothing is out of range
            saturate = False
        return rounded(B, x, saturate)
    x = integer(A, bits)
    if B == "bool":
        return int(x != 0)
    if not is_float(B):
        return clamped(B, x) if saturate else wrapped(B, x)
    if B in SMALL or B == "tf32":  # through f32
        x = number("f32", rounded("f32", Fraction(x)))
        return rounded(B, x, saturate)
    return rounded(B, Fraction(x), saturate)
