"""The parameters of a function as Python sees them: order, names, and numbers for scalars."""
import operator
import struct

from .errors import ArgumentError, ArgumentTypeError
from .tensors import reader
from .types import bfloat16_bits


class Missing:
    def __repr__(self):
        return "(left out)"


class Empty:
    """An output that flyc shall allocate: `y = k.softmax(x, flyc.empty)`."""

    def __repr__(self):
        return "flyc.empty"


MISSING, empty = Missing(), Empty()


def in_order(function, arguments, named):
    """The arguments in the order of the parameters; MISSING for what was left out."""
    parameters = function.parameters
    if len(arguments) > len(parameters):
        raise ArgumentTypeError(
            function.label, None, "missing", f"it takes {len(parameters)} arguments, not {len(arguments)}"
        )
    ordered = list(arguments) + [MISSING] * (len(parameters) - len(arguments))
    if named:
        places = {parameter.name: index for index, parameter in enumerate(parameters)}
        for name, value in named.items():
            index = places.get(name)
            if index is None:
                raise ArgumentTypeError(
                    function.label, name, "missing", f"it has no parameter `{name}`; they are {', '.join(places)}"
                )
            if index < len(arguments):
                raise ArgumentTypeError(function.label, name, "missing", f"`{name}` is given twice")
            ordered[index] = value
    return ordered


def number(function, name, type, value):
    """A Python number of a scalar's type. Integers must be integers and fit; a float is rounded to its type."""
    if reader(value.__class__) is not None:
        raise ArgumentTypeError(
            function.label, name, "type", f"`{name}` is a number ({type}), got a tensor; pass `.item()`"
        )
    if type.kind == "float":
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                function.label, name, "type", f"`{name}` is a number ({type}), got {value!r}"
            ) from None
    try:
        value = (
            int(value)
            if type.kind == "bool" and value.__class__.__name__ in ("bool_", "bool")
            else operator.index(value)
        )
    except TypeError:
        raise ArgumentTypeError(
            function.label, name, "type", f"`{name}` is an integer ({type}), got {value!r}"
        ) from None
    low = 0 if type.name[0] in "ub" else -(1 << type.bits - 1)
    high = 1 if type.kind == "bool" else (1 << type.bits - (type.name[0] == "i")) - 1
    if not low <= value <= high:
        raise ArgumentError(function.label, name, "range", f"`{name}` is a {type}, from {low} to {high}, got {value}")
    return bool(value) if type.kind == "bool" else value


def as_seen(type, value):
    """A number as the metadata's expressions see it: floats rounded to their type."""
    if type.kind != "float":
        return value
    if type.name == "bf16":
        return struct.unpack("<f", struct.pack("<I", bfloat16_bits(value) << 16))[0]
    return struct.unpack("<" + type.format, pack_number(type, value))[0] if type.format else value


def pack_number(type, value):
    try:
        return struct.pack("<" + type.format, value)
    except OverflowError:  # beyond the type's range
        return struct.pack("<" + type.format, float("inf") if value > 0 else float("-inf"))


def encode(type):
    """How a number becomes what `struct` packs for the type; None: as it is."""
    if type is None or type.kind != "float" or type.name == "f64":
        return None
    if type.name == "bf16":
        return bfloat16_bits
    return lambda value: as_seen(type, value)


def fields_of(function, parameter, value):
    """The numbers and addresses of a struct, by path: from a dictionary, a sequence in the order of its fields, an object
    with attributes, or the number itself if it has one field."""
    fields = parameter.fields
    if (
        len(fields) == 1
        and fields[0][3] == 1
        and not isinstance(value, (dict, list, tuple))
        and not hasattr(value, fields[0][0])
    ):
        value = [value]
    found = {}
    flat = list(value) if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") else None
    if flat is not None and len(flat) != len(fields):
        names = ", ".join(path for path, *_ in fields)
        raise ArgumentTypeError(
            function.label,
            parameter.name,
            "type",
            f"`{parameter.name}` is a struct of {len(fields)} ({names}), got {len(flat)}",
        )
    for index, (path, type, _, lanes) in enumerate(fields):
        item = flat[index] if flat is not None else _field(function, parameter, value, path)
        items = [item] if lanes == 1 else list(item) if hasattr(item, "__iter__") else []
        if len(items) != lanes:
            raise ArgumentTypeError(
                function.label, parameter.name, "type", f"`{parameter.name}.{path}` has {lanes} elements, got {item!r}"
            )
        for lane, single in enumerate(items):
            name = path if lanes == 1 else f"{path}.{lane}"
            found[name] = (
                single if type is None else as_seen(type, number(function, f"{parameter.name}.{name}", type, single))
            )
    return found


def _field(function, parameter, value, path):
    for name in path.split("."):
        try:
            value = value[name] if isinstance(value, dict) else getattr(value, name)
        except (KeyError, AttributeError):
            raise ArgumentTypeError(
                function.label,
                parameter.name,
                "type",
                f"`{parameter.name}` ({parameter.type_name}) lacks the field `{path}`",
            ) from None
    return value
