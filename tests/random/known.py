"""Faults that are known and not yet mended: what random kernels leave out so that they find others. Empty is best.

`--known` of generate.py and run.py makes them all the same.
"""

import operations as O

SKIPPED = True  # changed by --known


def skipped(operation):
    """Why an operation is not used, or None."""
    return None


def skipped_constant(operation):
    """Why an operation is not used on constants."""
    if SKIPPED and operation.name in ("min", "max") and operation.result in O.FLOATS:
        return "a signalling NaN wins over a number"
    return None
