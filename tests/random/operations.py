"""The operations on numbers that random kernels use: how each is written, its types, and what it must give.

Each concrete one is an Operation, such as (name "add", types ("i8", "i8"), result "i8", text "({0} + {1})"). `evaluate`
takes and gives bits and is exact (formats.py). An operation whose result the language leaves open in places is written
so that the open part does not show: the zero that `min(0, -0)` gives gets `+ 0.0`, the sign of a NaN is never copied.
"""

import collections
import itertools

import formats as F
from formats import INF, MINUS_INF, MINUS_ZERO, NAN

Operation = collections.namedtuple("Operation", "name result types text evaluate")

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
FLOATS = ("f16", "bf16", "f32", "f64")
STORED = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "tf32", "e8m0")  # have whole bytes; no arithmetic
PACKED = ("f6E2M3", "f6E3M2", "f4E2M1", "i4", "u4")
VALUES = INTEGERS + FLOATS + STORED[:4] + ("bool",)  # types of variables
BITS_TYPE = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}


def unsigned(T):
    """The type of the bits of T in memory."""
    return "u8" if T == "bool" else BITS_TYPE[F.bits_of(T)]


def element(T):
    """The element type of a vector type ("vec", T, n); other types themselves."""
    return T[1] if isinstance(T, tuple) else T


def spelled(T):
    return f"vec[{T[1]}, {T[2]}]" if isinstance(T, tuple) else T


def constant(T, bits):
    """An expression for a constant of type T with these bits."""
    if T == "bool":
        return f"bool({bits})"
    if T in FLOATS or T in STORED:
        return f"bitcast({T}, {unsigned(T)}({bits:#x}))"
    return f"{T}({F.integer(T, bits)})"


TABLE = []


def define(name, result, types, text, evaluate):
    TABLE.append(Operation(name, result, tuple(types), text, evaluate))


def on_integers(T, compute):
    """From a function of integers to one of bits, wrapping."""
    return lambda *bits: F.wrapped(T, compute(*(F.integer(T, b) for b in bits)))


def on_floats(T, compute):
    return lambda *bits: F.rounded(T, compute(*(F.number(T, b) for b in bits)))


def comparison(T, compute):
    read = (lambda b: F.number(T, b)) if T in FLOATS else (lambda b: F.integer(T, b))
    return lambda x, y: int(compute(read(x), read(y)))


COMPARISONS = {
    "==": (F.same, lambda x, y: x == y),
    "!=": (lambda x, y: not F.same(x, y), lambda x, y: x != y),
    "<": (F.less, lambda x, y: x < y),
    "<=": (lambda x, y: F.less(x, y) or F.same(x, y), lambda x, y: x <= y),
    ">": (lambda x, y: F.less(y, x), lambda x, y: x > y),
    ">=": (lambda x, y: F.less(y, x) or F.same(x, y), lambda x, y: x >= y),
}
COMPARISON_NAMES = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def divide(x, y):
    return x // y if y else 0


def modulo(x, y):
    return x % y if y else 0


def define_integers(T):
    signed, width = F.INTEGERS[T]
    low, high = F.bounds(T)

    def two(name, text, compute):
        define(name, T, (T, T), text, on_integers(T, compute))

    two("add", "({0} + {1})", lambda x, y: x + y)
    two("sub", "({0} - {1})", lambda x, y: x - y)
    two("mul", "({0} * {1})", lambda x, y: x * y)
    two("and", "({0} & {1})", lambda x, y: x & y)
    two("or", "({0} | {1})", lambda x, y: x | y)
    two("xor", "({0} ^ {1})", lambda x, y: x ^ y)
    two("min", "min({0}, {1})", min)
    two("max", "max({0}, {1})", max)
    two("shl", "({0} << {1})", lambda x, y: x << (y % width))
    two("shr", "({0} >> {1})", lambda x, y: x >> (y % width))
    two("div", f"({{0}} // divisor({{1}}))", lambda x, y: x // (y or 1))
    two("mod", f"({{0}} % divisor({{1}}))", lambda x, y: x % (y or 1))
    if width >= 32:
        for bits in (22, 23, 24, 25):
            mask = (1 << bits) - 1
            few = lambda x, mask=mask: x & mask
            define_division(T, "few", f"({{0}} & {T}({mask}))", f"divisor({{1}} & {T}({mask}))", few)
            few = lambda x, by=width - bits: x >> by
            define_division(T, "high", f"({{0}} >> {width - bits})", f"divisor({{1}} >> {width - bits})", few)
            text = f"(({{0}} >> {width - bits}) // (({{1}} & {T}(15)) + {T}(1)))"
            define("div_by_small", T, (T, T), text, on_integers(T, lambda x, y, few=few: few(x) // ((y & 15) + 1)))
    two("ceil_div", f"ceil_div({{0}}, divisor({{1}}))", lambda x, y: -(-x // (y or 1)))
    two("rotate_left", "rotate_left({0}, {1})", lambda x, y: rotate(x, y, width))
    two("rotate_right", "rotate_right({0}, {1})", lambda x, y: rotate(x, -y, width))
    two("add_sat", "add_sat({0}, {1})", lambda x, y: max(low, min(high, x + y)))
    two("sub_sat", "sub_sat({0}, {1})", lambda x, y: max(low, min(high, x - y)))
    two("mul_hi", "mul_hi({0}, {1})", lambda x, y: (x * y) >> width)
    define("clamp", T, (T, T, T), "clamp({0}, {1}, {2})", on_integers(T, lambda x, y, z: min(max(x, y), z)))
    define("invert", T, (T,), "(~{0})", on_integers(T, lambda x: ~x))
    define("neg", T, (T,), "(-{0})", on_integers(T, lambda x: -x))
    define("abs", T, (T,), "abs({0})", on_integers(T, abs))
    define("square", T, (T,), "({0} ** 2)", on_integers(T, lambda x: x * x))
    define("cube", T, (T,), "({0} ** 3)", on_integers(T, lambda x: x**3))
    define("bit_reverse", T, (T,), "bit_reverse({0})", lambda b: int(f"{b:0{width}b}"[::-1], 2))
    for amount in sorted({1, 3, width // 2, width - 1}):
        two_known(T, width, amount)
    divisors = (low, -1000000007, -10, -3, -1) * signed + (1, 3, 7, 10, 16, 641, 1000000007, high)
    if width < 32:
        near = {low, low + 1, -7, -3, -1, 1, 2, 3, 5, 7, 10, 16, 100, high}
        divisors = sorted(near & set(range(low, high + 1)) - {0})
    for by in divisors:
        define("div_known", T, (T,), f"({{0}} // {T}({by}))", on_integers(T, lambda x, by=by: divide(x, by)))
        define("mod_known", T, (T,), f"({{0}} % {T}({by}))", on_integers(T, lambda x, by=by: modulo(x, by)))
    for offset, count in ((0, 1), (1, 3), (width // 2 - 1, width // 2), (0, width), (width - 1, 1)):
        define("bit_extract", T, (T,), f"bit_extract({{0}}, {offset}, {count})", extraction(T, offset, count))
    if width < 64:
        wide = f"{T[0]}{2 * width}"
        whole = lambda x, y: F.wrapped(wide, F.integer(T, x) * F.integer(T, y))
        define("mul_wide", wide, (T, T), "mul_wide({0}, {1})", whole)
    define("popcount", "i32", (T,), "popcount({0})", lambda b: bin(b).count("1"))
    define("clz", "i32", (T,), "clz({0})", lambda b: width - b.bit_length())
    define("ctz", "i32", (T,), "ctz({0})", lambda b: (b & -b).bit_length() - 1 if b else width)


def define_division(T, name, x, y, few):
    """A quotient and a remainder of numbers of few bits."""
    define(f"div_{name}", T, (T, T), f"({x} // {y})", on_integers(T, lambda a, b: few(a) // (few(b) or 1)))
    define(f"mod_{name}", T, (T, T), f"({x} % {y})", on_integers(T, lambda a, b: few(a) % (few(b) or 1)))


def two_known(T, width, amount):
    define("shl_known", T, (T,), f"({{0}} << {amount})", on_integers(T, lambda x: x << amount))
    define("shr_known", T, (T,), f"({{0}} >> {amount})", on_integers(T, lambda x: x >> amount))


def rotate(x, amount, width):
    x, amount = x & ((1 << width) - 1), amount % width
    return x << amount | x >> (width - amount)


def extraction(T, offset, count):
    def evaluate(bits):
        part = bits >> offset & ((1 << count) - 1)
        if F.INTEGERS[T][0] and part >> (count - 1):
            part -= 1 << count
        return F.wrapped(T, part)

    return evaluate


def define_floats(T):
    one = on_floats
    zero = f"{T}(0.0)"

    def two(name, text, compute):
        define(name, T, (T, T), text, on_floats(T, compute))

    two("add", "({0} + {1})", F.plus)
    two("sub", "({0} - {1})", lambda x, y: F.plus(x, F.negated(y)))
    two("mul", "({0} * {1})", F.times)
    two("div", "({0} / {1})", F.over)
    two("fmod", "fmod({0}, {1})", F.remainder)
    two("min", f"(min({{0}}, {{1}}) + {zero})", lambda x, y: F.plus(F.number_or(x, y, F.less), F.Fraction(0)))
    more = lambda a, b: F.less(b, a)
    two("max", f"(max({{0}}, {{1}}) + {zero})", lambda x, y: F.plus(F.number_or(x, y, more), F.Fraction(0)))
    define("copysign", T, (T, T), "copysign({0}, number({1}))", lambda x, y: copied_sign(T, x, y))
    define("fma", T, (T, T, T), "fma({0}, {1}, {2})", on_floats(T, lambda x, y, z: F.plus(F.times(x, y), z)))
    define("neg", T, (T,), "(-{0})", one(T, F.negated))
    define("abs", T, (T,), "abs({0})", one(T, lambda x: F.negated(x) if F.negative(x) else x))
    define("square", T, (T,), "({0} ** 2)", one(T, lambda x: F.times(x, x)))
    define("floor", T, (T,), "floor({0})", one(T, lambda x: F.integral(x, lambda v: v.numerator // v.denominator)))
    define("ceil", T, (T,), "ceil({0})", one(T, lambda x: F.integral(x, lambda v: -(-v.numerator // v.denominator))))
    define("trunc", T, (T,), "trunc({0})", one(T, lambda x: F.integral(x, int)))
    define("rint", T, (T,), "rint({0})", one(T, lambda x: F.integral(x, F.to_even)))
    if T in ("f32", "f64"):
        define("sqrt", T, (T,), "sqrt({0})", one(T, F.squared_root))
    by_powers = lambda x, n: scaled(T, x, F.integer("i32", n))
    define("ldexp", T, (T, "i32"), "ldexp({0}, clamp({1}, i32(-2200), i32(2200)))", by_powers)
    for name, compute in (
        ("isnan", lambda x: x == NAN),
        ("isinf", F.infinite),
        ("isfinite", lambda x: x != NAN and not F.infinite(x)),
    ):
        define(name, "bool", (T,), f"{name}({{0}})", lambda b, compute=compute: int(compute(F.number(T, b))))


def copied_sign(T, x, y):
    size, by = F.number(T, x), F.number(T, y)
    return F.rounded(T, F.signed(size, by != NAN and F.negative(by)))


def scaled(T, bits, n):
    x, n = F.number(T, bits), max(-2200, min(2200, n))
    return F.rounded(T, x if isinstance(x, str) or x == 0 else x * F.Fraction(2) ** n)


def conversion_kinds(A, B):
    """(name, text, saturate) of each way to write a conversion from A to B."""
    yield f"to:{A}>{B}", f"{B}({{0}})", None
    if B == "bool" or A == "bool" or B in F.INTEGERS and F.is_float(A) or B == "e8m0" or A == "e8m0":
        return
    yield f"to_sat:{A}>{B}", f"{{0}}.to({B}, saturate=True)", True
    if B in ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"):
        yield f"to_inf:{A}>{B}", f"{{0}}.to({B}, saturate=False)", False


def define_conversions():
    for A in INTEGERS + FLOATS + STORED + ("bool",):
        for B in INTEGERS + FLOATS + STORED[:4] + ("bool",):
            if A == B or A in ("tf32", "e8m0"):
                continue
            for name, text, saturate in conversion_kinds(A, B):
                define(name, B, (A,), text, lambda b, A=A, B=B, s=saturate: F.converted(A, B, b, s))
    for way, compute in (("half_up", lambda b: (b + 0x8000) >> 16), ("truncate", lambda b: b >> 16)):
        compute = lambda b, compute=compute: compute(unsigned_nan("f32", "f4E2M1", b))
        define(f"to_{way}:f32>bf16", "bf16", ("f32",), f'number({{0}}).to(bf16, round="{way}")', compute)
    for A in INTEGERS + FLOATS:  # there and back, for types that no variable has
        for B in PACKED + ("tf32", "e8m0"):
            if A in INTEGERS and B in ("tf32", "e8m0"):
                continue
            back = A if A in FLOATS else "i32"
            if B == "e8m0" and back in ("f16",):
                back = "f32"
            for name, text, saturate in conversion_kinds(A, B):
                if B in F.FLOATS and F.FLOATS[B].special == "none":  # the sign of a NaN would show
                    text = text.replace("{0}", "number({0})") if A in FLOATS else text
                define(
                    name, back, (A,), f"{back}({text})",
                    lambda b, A=A, B=B, back=back, s=saturate: F.converted(
                        B, back, F.converted(A, B, unsigned_nan(A, B, b), s)
                    ),
                )  # fmt: skip


def unsigned_nan(A, B, bits):
    """What `number(x)` is: a NaN becomes 1."""
    if A in FLOATS and B in F.FLOATS and F.FLOATS[B].special == "none" and F.number(A, bits) == NAN:
        return F.rounded(A, F.Fraction(1))
    return bits


def define_narrow():
    """Arithmetic of 16-bit numbers in a wider format, whose result is rounded to 16 bits."""
    narrow = ("f16", "bf16")
    ways = {
        "add": ("{0} + {1}", F.plus),
        "sub": ("{0} - {1}", lambda x, y: F.plus(x, F.negated(y))),
        "mul": ("{0} * {1}", F.times),
        "div": ("{0} / {1}", F.over),
        "fmod": ("fmod({0}, {1})", F.remainder),
    }
    for A, B, T, W in itertools.product(narrow, narrow, narrow, ("f32", "f64")):
        for name, (text, compute) in ways.items():
            text = f"{T}({text})".replace("{0}", f"{W}({{0}})").replace("{1}", f"{W}({{1}})")
            define(f"narrow_{name}", T, (A, B), text, narrowed(A, B, T, W, compute))


def narrowed(A, B, T, W, compute):
    return lambda x, y: F.converted(W, T, F.rounded(W, compute(F.number(A, x), F.number(B, y))))


def define_bits():
    for T in FLOATS + STORED[:4]:
        U = unsigned(T)
        define("bits_of", U, (T,), "bits({0})", lambda b, T=T: canonical(T, b))
        define("from_bits", T, (U,), f"bitcast({T}, {{0}})", lambda b: b)


def canonical(T, bits):
    """The bits that a program may see: of NaN always the same."""
    if T in F.FLOATS and F.number(T, bits) == NAN:
        return nan_bits(T)
    return bits


def nan_bits(T):
    """A pattern for NaN that `bits` in the prelude gives; for f8E4M3FNUZ it is also a number's, which does no harm."""
    return (1 << (F.bits_of(T) - 1)) - 1


def define_bools():
    for name, text, compute in (
        ("and", "({0} and {1})", lambda x, y: x & y),
        ("or", "({0} or {1})", lambda x, y: x | y),
        ("bit_and", "({0} & {1})", lambda x, y: x & y),
        ("bit_or", "({0} | {1})", lambda x, y: x | y),
        ("xor", "({0} ^ {1})", lambda x, y: x ^ y),
        ("eq", "({0} == {1})", lambda x, y: int(x == y)),
        ("ne", "({0} != {1})", lambda x, y: int(x != y)),
    ):
        define(name, "bool", ("bool", "bool"), text, compute)
    define("not", "bool", ("bool",), "(not {0})", lambda x: 1 - x)


def define_all():
    for T in INTEGERS:
        define_integers(T)
    for T in FLOATS:
        define_floats(T)
    define_bools()
    for T in INTEGERS + FLOATS:
        for sign, (floats, integers) in COMPARISONS.items():
            compared = comparison(T, floats if T in FLOATS else integers)
            define(COMPARISON_NAMES[sign], "bool", (T, T), f"({{0}} {sign} {{1}})", compared)
    for T in VALUES:
        define("where", T, ("bool", T, T), "where({0}, {1}, {2})", lambda c, x, y: x if c else y)
        define("if_else", T, ("bool", T, T), "({1} if {0} else {2})", lambda c, x, y: x if c else y)
    define_narrow()
    define_bits()
    define_conversions()


define_all()

APPROXIMATIONS = ("rcp({0})",) + tuple(
    f'{name}({{0}}, fastmath="afn")' for name in ("exp2", "log2", "sqrt", "rsqrt", "sin", "cos")
)


def approximation(random, x, among=APPROXIMATIONS):
    """One or a few instructions of the unit for transcendental functions, of an f32."""
    return random.choice(among).replace("{0}", x)


PRELUDE = {
    "divisor": """
def divisor(x):
    return where(x == 0, type(x)(1), x)
""",
    "in_width": """
def in_width(x):
    return x & type(x)(type(x).bits - 1)
""",
    "number": """
def number(x):
    return where(isnan(x), type(x)(1.0), x)
""",
    "bits": """
def bits(x):
    T = type(x)
    U = {8: u8, 16: u16, 32: u32, 64: u64}[T.bits]
    return where(isnan(f32(x) if T.bits == 8 else x), U((1 << (T.bits - 1)) - 1), bitcast(U, x))
""",
}


def cell(operation):
    """(operation, type) as the table of coverage counts it."""
    if ">" in operation.name:
        return tuple(operation.name.split(":"))
    of_operand = operation.result == "bool" or operation.name == "bits_of"
    return operation.name, operation.types[0] if of_operand else operation.result
