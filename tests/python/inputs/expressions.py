"""The package's expressions against those of the C headers (fly/expression.h): each operation on random and corner numbers,
and where a number has no value. expressions.py LIBRARY"""
import ctypes
import math
import random
import sys

from flyc.expressions import Source

library = ctypes.CDLL(sys.argv[1])
INTEGERS = [0, 1, -1, 2, -2, 3, 7, -7, 255, 256, 2**31, -2**31, 2**62, 2**63 - 1, -2**63]
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, -1e300, 5e-324, math.inf, -math.inf, math.nan, 2**53 + 2.0, 0.1]
UNARY, BINARY = ["neg", "abs"], ["add", "sub", "mul", "floor_div", "ceil_div", "mod", "min", "max", "shl", "shr"]
COMPARED = ["lt", "le", "gt", "ge", "eq", "ne"]
FLOAT = ["div", "floor_div", "ceil_div", "mod", "min", "max"]


def compiled(op, count, is_float):
    source = Source([], lambda index, field: is_float)
    args = [{"op": "parameter", "name": "abc"[i], "index": i} for i in range(count)]
    source.lines.append(f"return {source.expression({'op': op, 'args': args})}")
    return source.compile(op)


def in_c(op, values):
    fault, result = ctypes.c_int(0), ctypes.c_int64()
    call = getattr(library, "test_" + op)
    call.argtypes = [ctypes.c_void_p] + [ctypes.c_int64] * len(values)
    call.restype = ctypes.c_int64
    result = call(ctypes.addressof(fault), *values)
    return None if fault.value else result


def in_python(function, values):
    try:
        result = function(values, {}, [0])
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    return result if -2**63 <= result < 2**63 else None  # the headers refuse it at once, a plan at its end


def same(a, b):
    return a == b and (a != 0 or not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b)) or a != a and b != b


compared = 0
for op in UNARY + BINARY + COMPARED:
    count = 1 if op in UNARY else 2
    function = compiled(op, count, False)
    cases = [(a,) for a in INTEGERS] if count == 1 else [(a, b) for a in INTEGERS for b in INTEGERS]
    cases += [tuple(random.randrange(-2**random.randrange(1, 63), 2**random.randrange(1, 63)) for _ in range(count)) for _ in range(300)]
    for values in cases:
        got, right = in_python(function, values), in_c(op, values)
        if op == "shl" and right is None and got is not None:
            continue  # a shift of 63: exact here, beyond 64 bits there
        assert got == right, (op, values, got, right)
        compared += 1
for op in FLOAT:
    function = compiled(op, 2, True)
    call = getattr(library, "test_float_" + op)
    call.argtypes, call.restype = [ctypes.c_double] * 2, ctypes.c_double
    cases = [(a, b) for a in FLOATS for b in FLOATS] + [(random.uniform(-9, 9), random.uniform(-9, 9)) for _ in range(300)]
    for values in cases:
        got, right = function(values, {}, [0]), call(*values)
        assert same(float(got), right), (op, values, got, right)
        compared += 1
print(f"compared {compared}")
