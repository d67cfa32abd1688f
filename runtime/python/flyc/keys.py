"""The fast way into a call: one look at each argument tells whether the call is like one before.

For each function a Python function is made that takes the arguments apart: it returns the key (types, shapes, strides and
device of tensors, and the numbers that a plan depends on), the values (addresses and numbers), and the device. It returns
None for a call that has to go the long way: tensors that are not PyTorch's or not on a device, structs, other numbers.
"""
from .signature import MISSING

_TENSOR = """
    if {a} is None:
        {k}, {v} = None, 0
    elif isinstance({a}, Tensor){condition}:
        where = {a}.device
        {k}, {v} = ({a}.dtype, {a}.shape, {a}.stride(), where), {a}.data_ptr()
    else:
        return None"""

_SCALAR = """
    {k} = {a}.__class__
    if {k} is int or {k} is float:
        {v} = {encoded}{keyed}
    elif {a} is MISSING:
        {k}, {v} = MISSING, 0
    else:
        return None"""


def key_function(parameters, keyed, encoders):
    """`keyed`: whether a number is part of the key; `encoders`: what makes a number what is packed, or None."""
    lines, scope, count = ["def key(arguments, Tensor):", "    where = None"], {"MISSING": MISSING}, len(parameters)
    lines.append("    " + "".join(f"a{index}, " for index in range(count)) + "= arguments" if count else "    pass")
    for index, parameter in enumerate(parameters):
        names = {"a": f"a{index}", "k": f"k{index}", "v": f"v{index}"}
        if parameter.by_address:
            condition = f" and not a{index}.requires_grad" if parameter.is_written else ""
            lines.append(_TENSOR.format(condition=condition, **names))
        else:
            scope[f"encode{index}"] = encoders[index]
            lines.append(
                _SCALAR.format(
                    encoded=f"encode{index}(a{index})" if encoders[index] else f"a{index}",
                    keyed=f"\n        k{index} = a{index}" if keyed[index] else "",
                    **names,
                )
            )
    lines.append("\n    if where is None or where.type == 'cpu':\n        return None")
    lines.append(
        "    return ("
        + "".join(f"k{index}, " for index in range(count))
        + "), ["
        + ", ".join(f"v{index}" for index in range(count))
        + "], where.index or 0"
    )
    exec(compile("\n".join(lines), "<flyc key>", "exec"), scope)  # names by number alone
    return scope["key"]
