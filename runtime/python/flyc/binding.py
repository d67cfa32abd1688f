"""A call's arguments held against the parameters: what is left out is derived, what is wrong is refused."""
import math

from . import signature, tensors
from .errors import ArgumentError, ArgumentTypeError
from .expressions import text_of, values_in
from .layouts import Layout
from .signature import MISSING, empty
from .types import takes


class Bound:
    """The values of all parameters (of tensors: None), the tensors with their views, and what was allocated."""

    def __init__(self, function):
        count = len(function.parameters)
        self.values, self.tensors, self.views, self.allocated = [None] * count, [None] * count, [None] * count, []
        self.derived = set()  # scalars that were left out
        self.like = None  # a tensor and its view: what is allocated is of its kind
        self.pointers = {}  # tensors for the pointers of structs: (parameter, path) -> view
        self.device = None  # None: host memory

    @property
    def has_tensors(self):
        return bool(self.pointers) or any(view is not None for view in self.views)


class Binder:
    """Of one function. Expressions of shapes and strides are compiled once."""

    def __init__(self, function):
        self.function, self.shared = function, function.module.expressions
        self._compiled = {}

    def bind(self, arguments, stream, device_values):
        bound = Bound(self.function)
        for index, (parameter, argument) in enumerate(zip(self.function.parameters, arguments)):
            if parameter.by_address:
                self._read(bound, index, parameter, argument, stream)
            elif argument is not MISSING:
                bound.values[index] = self._scalar(parameter, argument)
                if parameter.kind == "struct":
                    self._pointers(bound, index, parameter, stream)
        self._device(bound)
        self._derive(
            bound, [parameter for parameter, argument in zip(self.function.parameters, arguments) if argument is empty]
        )
        for index, parameter in enumerate(self.function.parameters):
            if arguments[index] is empty:
                self._allocate(bound, index, parameter, device_values)
        for index, parameter in enumerate(self.function.parameters):
            if bound.views[index] is not None:
                self._check_layout(bound, index, parameter, device_values)
        return bound

    def _refuse(self, parameter, rule, text, kind=ArgumentError):
        raise kind(self.function.label, parameter.name, rule, text)

    def _scalar(self, parameter, argument):
        if parameter.kind == "struct":
            return signature.fields_of(self.function, parameter, argument)
        value = signature.number(self.function, parameter.name, parameter.type, argument)
        return signature.as_seen(parameter.type, value)

    def _pointers(self, bound, index, parameter, stream):
        """The pointers of a struct: addresses, tensors or None."""
        fields = bound.values[index]
        for path in [path for path, type, _, _ in parameter.fields if type is None]:
            if isinstance(fields[path], int) or fields[path] is None:
                fields[path] = fields[path] or 0
                continue
            try:
                view = tensors.read(fields[path], stream)
            except (TypeError, BufferError) as error:
                self._refuse(parameter, "type", f"`{parameter.name}.{path}`: {error}", ArgumentTypeError)
            if view is None:
                self._refuse(
                    parameter,
                    "type",
                    f"`{parameter.name}.{path}` is a tensor, an address or None, got {fields[path]!r}",
                    ArgumentTypeError,
                )
            bound.like = fields[path], view
            bound.pointers[index, path], fields[path] = view, view.address

    def _read(self, bound, index, parameter, argument, stream):
        if argument is empty:
            if not parameter.is_written:
                self._refuse(
                    parameter, "missing", f"`{parameter.name}` is read by the kernel: it cannot be `flyc.empty`"
                )
            return
        if argument is MISSING:
            hint = "; pass a tensor, or `flyc.empty` to have it allocated" if parameter.direction == "out" else ""
            self._refuse(parameter, "missing", f"`{parameter.name}` is missing{hint}", ArgumentTypeError)
        if argument is None:
            return
        try:
            view = tensors.read(argument, stream)
        except (TypeError, BufferError) as error:
            self._refuse(parameter, "type", f"`{parameter.name}`: {error}", ArgumentTypeError)
        if view is None:
            self._refuse(
                parameter,
                "type",
                f"`{parameter.name}` is a tensor of {parameter.type_name}, got {type(argument).__name__}",
                ArgumentTypeError,
            )
        if view.type is None or parameter.type is not None and not takes(parameter.type, view.type):
            self._refuse(
                parameter,
                "type",
                f"`{parameter.name}` has elements of {parameter.type_name}, got {view.type_text}",
                ArgumentTypeError,
            )
        if parameter.is_written and view.read_only:
            said = (
                "is read-only"
                if view.read_only == "read-only"
                else "requires grad; call it under torch.no_grad(), or pass `.detach()`"
            )
            self._refuse(parameter, "read-only", f"`{parameter.name}` is written by the kernel, but {said}")
        bound.tensors[index], bound.views[index] = argument, view
        bound.like = bound.like or (argument, view)

    def _device(self, bound):
        """All tensors are on one device, or all in host memory."""
        first = None
        found = [(parameter, parameter.name, view) for parameter, view in zip(self.function.parameters, bound.views)]
        found += [
            (self.function.parameters[index], f"{self.function.parameters[index].name}.{path}", view)
            for (index, path), view in bound.pointers.items()
        ]
        for parameter, name, view in found:
            if view is None:
                continue
            if first is None:
                first, bound.device = name, view.device
            elif view.device != bound.device:
                self._refuse(
                    parameter, "device", f"`{first}` is {_place(bound.device)}, but `{name}` {_place(view.device)}"
                )

    # --- what is left out -----------------------------------------------------------------------------------------

    def _derive(self, bound, allocated):
        """Scalars that are missing, from shapes and strides; in rounds, as one may need another. Tensors that will be
        allocated lie in C order."""
        missing = {
            index
            for index, parameter in enumerate(self.function.parameters)
            if parameter.kind == "scalar" and bound.values[index] is None
        }
        bound.derived = set(missing)
        while missing:
            before = len(missing)
            for parameter, view in zip(self.function.parameters, bound.views):
                if view is not None and parameter.kind == "tensor":
                    for tree, extent in self._equations(parameter, view):
                        self._solve(tree, extent, bound.values, missing)
            for parameter in allocated if len(missing) == before else ():
                shape = (
                    self.extents(parameter, bound.values, {})
                    if parameter.kind == "tensor" and not parameter.is_nested
                    else [None]
                )
                if None not in shape:
                    for tree, stride in zip(parameter.strides, tensors.compact(shape)):
                        self._solve(tree, stride, bound.values, missing)
            if len(missing) == before:
                name = self.function.parameters[min(missing)].name
                raise ArgumentTypeError(
                    self.function.label, name, "missing", f"`{name}` is missing, and does not follow from the tensors"
                )

    def _equations(self, parameter, view):
        """(expression, number) of what a tensor says of the scalars."""
        if len(view.shape) != len(parameter.shape):
            return
        extents, strides = self._in_elements(parameter, view)
        for mode, extent in zip(parameter.shape, extents):
            if isinstance(mode, list):
                yield {"op": "product", "args": list(_leaves(mode))}, extent
            else:
                yield mode, extent
        if not parameter.is_nested:
            yield from zip(parameter.strides, strides)

    def _in_elements(self, parameter, view):
        """Shape and strides of a view in the parameter's elements: those of 4 and 6 bits come as bytes."""
        bits, given = parameter.type.bits if parameter.type else view.type.bits, view.type.bits
        if bits == given or parameter.is_nested:
            return view.shape, view.strides
        fastest = next((mode for mode, tree in enumerate(parameter.strides) if tree == {"op": "int", "value": 1}), None)
        shape = [extent * given // bits if mode == fastest else extent for mode, extent in enumerate(view.shape)]
        strides = [stride if mode == fastest else stride * given // bits for mode, stride in enumerate(view.strides)]
        return shape, strides

    def _solve(self, tree, value, values, missing):
        """Gives the only missing parameter of `tree` the value with which the tree is `value`."""
        while True:
            if "ref" in tree:
                tree = self.shared[tree["ref"]]
                continue
            op = tree["op"]
            if op == "parameter":
                if tree["index"] in missing and tree.get("field") is None:
                    values[tree["index"]] = value
                    missing.discard(tree["index"])
                return
            if op not in ("add", "sub", "mul", "product"):
                return
            unknown = [argument for argument in tree["args"] if self.indices(argument) & missing]
            if len(unknown) != 1:
                return
            known = [self._value(argument, values, {}) for argument in tree["args"] if argument is not unknown[0]]
            if any(number is None for number in known):
                return
            if op in ("mul", "product"):
                factor = math.prod(known)
                if factor == 0 or value % factor:
                    return
                value //= factor
            else:
                value = (
                    value - known[0]
                    if op == "add"
                    else known[0] - value
                    if unknown[0] is tree["args"][1]
                    else value + known[0]
                )
            tree = unknown[0]

    def indices(self, tree):
        found, waiting = set(), [tree]
        while waiting:
            tree = waiting.pop()
            if "ref" in tree:
                waiting.append(self.shared[tree["ref"]])
            elif tree["op"] == "parameter":
                found.add(tree["index"])
            else:
                waiting.extend(tree.get("args", ()))
        return found

    # --- shapes ---------------------------------------------------------------------------------------------------

    def _value(self, tree, values, device_values):
        """The number of an expression, or None if it has none."""
        key = id(tree)
        if key not in self._compiled:
            source = self.function.source()
            source.lines.append(f"return {source.expression(tree)}")
            self._compiled[key] = source.compile(self.function.label)
        try:
            return self._compiled[key](values, device_values, None)
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            return None

    def _modes(self, trees, values, device_values):
        return [
            self._modes(tree, values, device_values)
            if isinstance(tree, list)
            else self._value(tree, values, device_values)
            for tree in trees
        ]

    def _said(self, trees):
        """ "(m, n // 2) = (4, 8), with m = 4 and ..."."""
        return (
            "("
            + ", ".join(self._said(tree) if isinstance(tree, list) else text_of(tree, self.shared) for tree in trees)
            + ("," if len(trees) == 1 else "")
            + ")"
        )

    def _with(self, trees, values):
        named = {}
        for tree in _leaves(trees):
            named.update(values_in(tree, self.shared, values))
        return f", with {', '.join(f'{name} = {value}' for name, value in named.items())}" if named else ""

    def extents(self, parameter, values, device_values):
        """The shape that a tensor must have; of divided modes, the product of each. None for what has no value (yet)."""
        return tuple(
            _product(mode) if isinstance(mode, list) else mode
            for mode in self._modes(parameter.shape, values, device_values)
        )

    def layout(self, parameter, numbers, device_values):
        """The layout of a tensor with the given numbers."""
        values = [None] * len(self.function.parameters)
        for index, item in enumerate(self.function.parameters):
            if item.name in numbers:
                values[index] = self._scalar(item, numbers[item.name])
        found = []
        for trees in (parameter.shape, parameter.strides):
            modes = [mode if isinstance(mode, list) else [mode] for mode in self._modes(trees, values, device_values)]
            found.append([list(_leaves(mode)) for mode in modes])
        if any(number is None for mode in found[0] + found[1] for number in mode):
            needed = {
                name
                for trees in (parameter.shape, parameter.strides)
                for tree in _leaves(trees)
                for name, _ in values_in(tree, self.shared, values)
            }
            self._refuse(
                parameter, "missing", f"the layout of `{parameter.name}` depends on {', '.join(sorted(needed))}"
            )
        return Layout(f"{self.function.label}: `{parameter.name}`", parameter.type, *found)

    def _allocate(self, bound, index, parameter, device_values):
        if parameter.kind == "pointer":
            self._refuse(
                parameter, "missing", f"`{parameter.name}` is a pointer, whose extent flyc does not know: allocate it"
            )
        shape = self.extents(parameter, bound.values, device_values)
        if None in shape:
            name = text_of(
                next(tree for tree, extent in zip(_leaves(parameter.shape), shape) if extent is None), self.shared
            )
            self._refuse(parameter, "shape", f"`{parameter.name}` cannot be allocated: `{name}` has no value")
        if parameter.type.bits < 8:
            shape = self._in_bytes(parameter, shape)
        tensor = tensors.allocate(bound.like, parameter.type, shape)
        bound.tensors[index], bound.views[index] = tensor, tensors.read(tensor)
        bound.allocated.append(tensor)
        if bound.like is None:
            bound.device = bound.views[index].device

    def _in_bytes(self, parameter, shape):
        if parameter.is_nested:
            return (math.prod(shape) * parameter.type.bits // 8,)
        return tuple(
            extent * parameter.type.bits // 8 if tree == {"op": "int", "value": 1} else extent
            for extent, tree in zip(shape, parameter.strides)
        )

    def _check_layout(self, bound, index, parameter, device_values):
        view = bound.views[index]
        if parameter.kind == "pointer":
            return
        values, name = bound.values, parameter.name
        shape = self.extents(parameter, values, device_values)
        wanted = f"`{name}` must have shape {self._said(parameter.shape)} = {_text(shape)}{self._with(parameter.shape, values)}"
        if parameter.is_nested:
            bits = math.prod(shape) * parameter.type.bits
            if math.prod(view.shape) * view.type.bits != bits:
                self._refuse(
                    parameter,
                    "shape",
                    f"{wanted}, so {bits // 8} bytes; got {_text(view.shape)}, {math.prod(view.shape) * view.type.bits // 8} bytes",
                )
            if not view.is_compact():
                self._refuse(
                    parameter,
                    "strides",
                    f"`{name}` has a divided layout: it must lie in C order without gaps, got the strides {_text(view.strides)}",
                )
            return
        extents, strides = self._in_elements(parameter, view)
        if tuple(extents) != shape:
            self._refuse(parameter, "shape", f"{wanted}, got {_text(extents)}")
        expected = tuple(self._modes(parameter.strides, values, device_values))
        if 0 in shape:
            return
        if any(extent > 1 and stride != right for extent, stride, right in zip(shape, strides, expected)):
            hint = "; `.contiguous()` makes a copy in C order" if expected == tensors.compact(shape) else ""
            self._refuse(
                parameter,
                "strides",
                f"`{name}` must have strides {self._said(parameter.strides)} = {_text(expected)}"
                f"{self._with(parameter.strides, values)}, got {_text(strides)}{hint}",
            )
        if parameter.is_written and tensors.self_overlap(view):
            self._refuse(
                parameter,
                "overlap",
                f"`{name}` is written by the kernel, but has several elements at one address (strides {_text(strides)})",
            )


def _leaves(trees):
    for tree in trees:
        if isinstance(tree, list):
            yield from _leaves(tree)
        else:
            yield tree


def _product(mode):
    numbers = list(_leaves(mode))
    return None if None in numbers else math.prod(numbers)


def _text(numbers):
    return "(" + ", ".join(map(str, numbers)) + ("," if len(numbers) == 1 else "") + ")"


def _place(device):
    return "in host memory" if device is None else f"on device {device}"
