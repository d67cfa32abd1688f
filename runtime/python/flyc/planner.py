"""What a call launches: the metadata's plan of a function, computed for values of its parameters.

The plan's expressions are compiled to Python at the function's first call (expressions.py). Every guard, and of the steps
whose guard holds every precondition, size and argument, is computed before anything is launched.
"""
from .errors import ArgumentError
from .expressions import values_in


class Refused(Exception):
    """A condition of the plan is false."""


class Ready:
    """One step, computed. `values` are those of its argument expressions, in the order of `value_trees`."""

    __slots__ = ("step", "grid", "block", "dynamic_lds", "values", "bytes")

    def __init__(self, step, grid, block, dynamic_lds, values, bytes=0):
        self.step, self.grid, self.block, self.dynamic_lds, self.values, self.bytes = (
            step,
            grid,
            block,
            dynamic_lds,
            values,
            bytes,
        )


def value_trees(argument):
    """The expressions of an argument of a step, in order."""
    if "struct" in argument:
        return [tree for field in argument["struct"] for tree in value_trees(field)]
    return [argument[key] for key in ("value", "offset") if key in argument]


def _tuple(items):
    return "(" + "".join(item + ", " for item in items) + ")"


class Planner:
    def __init__(self, function):
        self.function, self.parts = function, []  # of what `at` is the number: (text, tree, whether it is a condition)
        source = function.source()
        self.source = source
        for requirement in function.requires:
            self._require(requirement, "")
        sizes = [self._value(tree, "the size of the workspace") for tree in function.workspace]
        source.lines += [f"w = {_tuple(sizes)}", "steps = []"]
        for index, step in enumerate(function.steps):
            self._step(index, step)
        source.lines.append("return w, steps")
        self.uses = set(source.parameters)  # the parameters that the plan depends on
        self._plan = source.compile(function.label, {"Refused": Refused, "Ready": Ready})

    def _at(self, text, tree, indent=""):
        self.source.lines.append(f"{indent}at[0] = {len(self.parts)}")
        self.parts.append((text, tree))

    def _require(self, requirement, indent):
        self._at(requirement.text, requirement.tree, indent)
        self.source.lines.append(f"{indent}if not {self.source.expression(requirement.tree)}: raise Refused")

    def _value(self, tree, text, indent=""):
        if set(tree) != {"op", "value"}:
            self._at(text, tree, indent)
        return self.source.expression(tree)

    def _step(self, index, step):
        lines = self.source.lines
        lines.append(f"if {self._value(step.when, 'the guard of a step')}:")
        for requirement in step.requires:
            self._require(requirement, "    ")
        if step.kernel is None:
            size = self._value(step.bytes, "the bytes of a fill", "    ")
            values = [self.source.expression(tree) for tree in value_trees(step.memory)]
            lines.append(f"    steps.append(Ready({index}, (1, 1, 1), (1, 1, 1), 0, {_tuple(values)}, {size}))")
            return
        parts = [
            [self._value(tree, f"{what}[{axis}]", "    ") for axis, tree in enumerate(trees)]
            for what, trees in (("grid", step.sizes.grid), ("block", step.sizes.block))
        ]
        lds = self._value(step.sizes.dynamic_lds, "the dynamic LDS", "    ")
        self._at("an argument of a step", None, "    ")
        values = [self.source.expression(tree) for argument in step.arguments for tree in value_trees(argument)]
        lines.append(
            f"    steps.append(Ready({index}, {_tuple(parts[0])}, {_tuple(parts[1])}, {lds}, {_tuple(values)}))"
        )

    def __call__(self, values, device):
        """(bytes of the workspace's parts, steps). `values`: of the parameters; those of tensors are not looked at."""
        at = [0]
        try:
            return self._plan(values, device, at)
        except (Refused, ZeroDivisionError, ValueError, OverflowError) as error:
            text, tree = self.parts[at[0]]
            raise self._error(error, text, tree, values) from None

    def _error(self, error, text, tree, values):
        function = self.function
        named = dict(values_in(tree, function.module.expressions, values)) if tree else {}
        said = ", ".join(f"{name} = {value}" for name, value in named.items())
        where = f" ({said})" if said else ""
        if isinstance(error, Refused):
            return ArgumentError(
                function.label, next(iter(named), None), "requires", f"the precondition `{text}` does not hold{where}"
            )
        return ArgumentError(
            function.label, next(iter(named), None), "requires", f"`{text}` has no value: {error}{where}"
        )
