"""The metadata's expressions as Python functions.

A function of the module (a kernel or a launch function) becomes one Python function `plan(p, device, at)`: `p` has its
parameters' values, `device` what the device reports, and `at[0]` says which part is being computed when something is
wrong. Integers are exact. What occurs several times is computed at most once, and only where it is needed: a division may
stand after the test of its divisor.
"""
import math

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floor_div": "//",
    "mod": "%",
    "bit_and": "&",
    "bit_or": "|",
    "bit_xor": "^",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
_BOOLEAN = {"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"}


def _shl(a, b):
    if b < 0:
        raise ValueError("a shift by a negative number")
    if a and b > 63:
        raise OverflowError("a shift beyond 64 bits")
    return a << b


def _shr(a, b):
    if b < 0:
        raise ValueError("a shift by a negative number")
    return a >> min(b, 63)


def _float_div(a, b):
    if b:
        return a / b
    return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _floor(a):
    whole = float(math.floor(a)) if math.isfinite(a) else a
    return a if whole == a else whole  # keeps the sign of zero


def _float_mod(a, b):
    return a - b * _floor(_float_div(a, b))


def _float_min(a, b):
    return b if a != a else a if b != b or a < b else b


def _float_max(a, b):
    return b if a != a else a if b != b or a > b else b


_SCOPE = {
    "shl": _shl,
    "shr": _shr,
    "float_div": _float_div,
    "floor": _floor,
    "float_mod": _float_mod,
    "float_min": _float_min,
    "float_max": _float_max,
    "inf": math.inf,
    "nan": math.nan,
    "__builtins__": {"min": min, "max": max, "float": float, "abs": abs},
}
_UNSET = object()


class Source:
    """Writes the source of one Python function from trees of the metadata."""

    def __init__(self, shared, is_float):
        """`shared`: the module's `expressions`. `is_float(index, field)`: whether a parameter is a float."""
        self.shared, self.is_float = shared, is_float
        self.used, self.floats, self.lines, self.parameters = {}, {}, [], set()

    def expression(self, tree):
        """The Python expression of a tree."""
        return self._visit(tree)[0]

    def compile(self, name, scope=()):
        lines = ["def plan(p, device, at):"]
        lines += [f"    m = [U] * {len(self.used)}"] if self.used else []
        for index, text in self.used.items():
            slot = list(self.used).index(index)
            lines += [
                f"    def r{index}():",
                f"        v = m[{slot}]",
                f"        if v is U: v = m[{slot}] = {text}",
                "        return v",
            ]
        scope = dict(_SCOPE, U=_UNSET, **dict(scope))
        exec(
            compile("\n".join(lines + ["    " + line for line in self.lines]), f"<{name}>", "exec"), scope
        )  # numbers and names of ours
        return scope["plan"]

    def _visit(self, tree):
        if "ref" in tree:
            return self._reference(tree["ref"])
        op = tree["op"]
        if op in ("int", "bool"):
            return f"({tree['value']!r})" if isinstance(tree["value"], (int, bool)) else _refuse(tree), False
        if op == "float":
            return f"({float(tree['value'])!r})", True
        if op == "parameter":
            return self._parameter(int(tree["index"]), tree.get("field"))
        if op == "device":
            return f"device[{str(tree['name'])!r}]", False
        visited = [self._visit(argument) for argument in tree["args"]]
        return self._operation(op, [text for text, _ in visited], [is_float for _, is_float in visited])

    def _reference(self, index):
        if index not in self.used:
            self.used[index] = None
            text, self.floats[index] = self._visit(self.shared[index])
            del self.used[index]
            self.used[index] = text
        return f"r{index}()", self.floats[index]

    def _parameter(self, index, field):
        self.parameters.add(index)
        text = f"p[{index}]" if field is None else f"p[{index}][{field!r}]"
        return text, self.is_float(index, field)

    def _operation(self, op, args, floats):
        is_float = any(floats)
        if op == "select":
            return f"({args[1]} if {args[0]} else {args[2]})", any(floats[1:])
        if op in ("and", "or"):
            return f"({args[0]} {op} {args[1]})", False
        if op == "not":
            return f"(not {args[0]})", False
        if op in ("neg", "invert"):
            return f"({'-' if op == 'neg' else '~'}{args[0]})", is_float
        if op == "to_float":
            return f"float({args[0]})", True
        if op == "abs":
            return f"abs({args[0]})", is_float
        if op in ("min", "max"):
            return f"{'float_' if is_float else ''}{op}({args[0]}, {args[1]})", is_float
        if op in ("shl", "shr"):
            return f"{op}({args[0]}, {args[1]})", False
        if op == "ceil_div":
            return (
                f"-floor(-float_div({args[0]}, {args[1]}))" if is_float else f"(-(-{args[0]} // {args[1]}))"
            ), is_float
        if op == "div":
            return f"float_div({args[0]}, {args[1]})", True
        if is_float and op == "floor_div":
            return f"floor(float_div({args[0]}, {args[1]}))", True
        if is_float and op == "mod":
            return f"float_mod({args[0]}, {args[1]})", True
        if op not in _BINARY:
            _refuse({"op": op})
        return f"({args[0]} {_BINARY[op]} {args[1]})", is_float and op not in _BOOLEAN


def values_in(tree, shared, values):
    """(name, value) of the parameters of a tree, each once."""
    found, done, waiting = {}, set(), [tree]
    while waiting:
        tree = waiting.pop()
        if "ref" in tree:
            if tree["ref"] not in done:
                done.add(tree["ref"])
                waiting.append(shared[tree["ref"]])
        elif tree["op"] == "parameter":
            value = values[tree["index"]]
            found[tree["index"], tree["name"]] = value if tree.get("field") is None else value[tree["field"]]
        else:
            waiting.extend(tree.get("args", ()))
    return [(name, value) for (_, name), value in sorted(found.items(), key=lambda item: item[0])]


def text_of(tree, shared):
    """A tree as an author would write it."""
    if "ref" in tree:
        return text_of(shared[tree["ref"]], shared)
    op = tree["op"]
    if "value" in tree:
        return str(tree["value"])
    if op in ("parameter", "device"):
        return tree["name"] if op == "parameter" else f"device.{tree['name']}"
    args = [text_of(argument, shared) for argument in tree["args"]]
    if op == "select":
        return f"({args[1]} if {args[0]} else {args[2]})"
    sign = {**_BINARY, "and": "and", "or": "or", "shl": "<<", "shr": ">>"}.get(op)
    return f"({args[0]} {sign} {args[1]})" if sign else f"{op}({', '.join(args)})"


def _refuse(tree):
    raise ValueError(f"an expression that this version does not know: {tree}")
