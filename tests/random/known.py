"""Faults that are known and not yet mended: what random kernels leave out so that they find others. Empty is best.

`--known` of generate.py and run.py makes them all the same.
"""

import operations as O

SKIPPED = True  # changed by --known


def skipped(operation):
    """Why an operation is not used, or None."""
    if not SKIPPED:
        return None
    A, B = operation.types[0], operation.result
    if operation.name == "fma" and B == "bf16":
        return "rounds twice: to f32, then to bf16"
    if operation.name.startswith("to_sat:"):
        target = operation.name.split(">")[1]
        if A in O.INTEGERS and target == "f16":
            return "an integer beyond f16 becomes an infinity"
        if A in O.FLOATS + O.STORED[:4] and target in O.FLOATS and O.F.bits_of(A) <= O.F.bits_of(target):
            return "an infinity stays one"
    return None


def skipped_constant(operation):
    """Why an operation is not used on constants."""
    if SKIPPED and operation.name in ("min", "max") and operation.result in O.FLOATS:
        return "a signalling NaN wins over a number"
    if SKIPPED and operation.name == "ldexp" and operation.result == "bf16":
        return "what overflows becomes NaN"
    return None


def constant_shifts_in_range():
    """`u32(1) << u32(33)` is neither refused nor taken modulo the width."""
    return SKIPPED


def votes_after_exits():
    """Whether lanes that come to a vote on two ways are together there, if others have left by `return`, `break` or
    `continue` from inside of an `if`: the manual does not say, and the reference and the machine code do not agree."""
    return not SKIPPED
