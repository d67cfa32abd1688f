"""flyc's functions as operators of PyTorch, so that torch.compile, torch.export and autograd see them.

    import flyc.torch
    ops = flyc.torch.register(k, backward={"softmax_rows": "softmax_backward"})
    y = ops.softmax_rows(x)                 # allocates its outputs, has a fake implementation, and a gradient
    torch.ops.flyc_softmax.softmax_rows_(x, y)             # writes into y

For each function there are two operators in the namespace `flyc_MODULE`: NAME, which allocates the tensors that the
function writes alone and returns them, and NAME_, which takes all. Numbers that follow from the tensors may be left out.

A backward function finds what it needs by name: `x` is the forward function's x (or its output of that name), `dy` the
gradient of its output `y`; its outputs `dx`, `dw` are the gradients of `x`, `w`.
"""
import torch

from .signature import MISSING, empty

_libraries = []  # operators live as long as their library object


def _schema_type(parameter, is_derived):
    if parameter.by_address:
        return "Tensor?"
    kind = {"float": "float", "bool": "bool"}.get(parameter.type.kind, "int")
    return kind + "?" if is_derived else kind


class _Operator:
    """One function of a module; all its instances have the same parameters."""

    def __init__(self, name, call, function):
        self.name, self.call, self.parameters = name, call, function.parameters
        shapes = [tree for item in self.parameters if item.kind == "tensor" for tree in item.trees()]
        self.derived = {
            item.name
            for index, item in enumerate(self.parameters)
            if item.kind == "scalar"
            and any(tree == {"op": "parameter", "name": item.name, "index": index} for tree in shapes)
        }
        self.outputs = [item for item in self.parameters if item.kind == "tensor" and item.direction == "out"]
        self.functional = bool(self.outputs) and not any(
            item.direction == "inout" for item in self.parameters if item.by_address
        )

    def schema(self, mutating):
        """Tensors first in their order, then numbers; those that may be left out last."""
        tensors = [item for item in self.parameters if item.by_address and (mutating or item not in self.outputs)]
        scalars = sorted(
            (item for item in self.parameters if not item.by_address), key=lambda item: item.name in self.derived
        )
        words, mark = [], 0
        for item in tensors:
            kind = _schema_type(item, False)
            if mutating and item.is_written:
                kind = f"Tensor({chr(97 + mark)}!)?"
                mark += 1
            words.append(f"{kind} {item.name}")
        for item in scalars:
            derived = item.name in self.derived
            words.append(f"{_schema_type(item, derived)} {item.name}" + ("=None" if derived else ""))
        self.order = [item.name for item in [*tensors, *scalars]]
        result = (
            "()"
            if mutating
            else "Tensor"
            if len(self.outputs) == 1
            else "(" + ", ".join(["Tensor"] * len(self.outputs)) + ")"
        )
        return f"({', '.join(words)}) -> {result}"

    def _named(self, arguments, order):
        given = dict(zip(order, arguments))
        return {name: MISSING if value is None and name in self.derived else value for name, value in given.items()}

    def mutating(self, order):
        def run(*arguments):
            self.call(**self._named(arguments, order))

        return run

    def allocating(self, order):
        def run(*arguments):
            with torch.no_grad():
                return self.call(**self._named(arguments, order), **{item.name: empty for item in self.outputs})

        return run

    def fake(self, order):
        """The outputs' shapes and types alone; what cannot be called is refused as in a call."""

        def run(*arguments):
            found = self.call.outputs(**self._named(arguments, order), **{item.name: empty for item in self.outputs})
            return found[0] if len(found) == 1 else tuple(found)

        return run


class _Gradient:
    """autograd.Function of an operator and a backward function."""

    def __init__(self, operator, backward, order):
        self.operator, self.backward, self.order = operator, backward, order
        outputs = [item.name for item in operator.outputs]
        names = [item.name for item in _data(backward).parameters]
        self.gradients = {
            item.name: item.name[1:] for item in _data(backward).parameters if item.by_address and item.is_written
        }
        unknown = [name for name, of in self.gradients.items() if not name.startswith("d") or of not in operator.order]
        known = {*operator.order, *outputs, *("d" + name for name in outputs)}
        unknown += [
            item.name
            for item in _data(backward).parameters
            if item.by_address and not item.is_written and item.name not in known
        ]
        if unknown:
            raise ValueError(
                f"`{backward.__name__}` is not the backward function of `{operator.name}`: it has `{unknown[0]}`; its "
                f"tensors are called {', '.join(sorted(known))}, and d and the name of an argument for a gradient"
            )
        self.needs = [name for name in names if name in known]

    def function(self, forward):
        gradient = self

        class Apply(torch.autograd.Function):
            @staticmethod
            def forward(context, *arguments):
                found = forward(*arguments)
                outputs = found if isinstance(found, tuple) else (found,)
                given = dict(zip(gradient.order, arguments))
                given.update(zip((item.name for item in gradient.operator.outputs), outputs))
                saved = [name for name in gradient.needs if isinstance(given.get(name), torch.Tensor)]
                context.save_for_backward(*[given[name] for name in saved])
                context.saved = saved
                context.numbers = {
                    name: given[name]
                    for name in gradient.needs
                    if name in given and not isinstance(given[name], torch.Tensor)
                }
                return found

            @staticmethod
            def backward(context, *gradients):
                named = dict(zip(context.saved, context.saved_tensors))
                named.update({name: value for name, value in context.numbers.items() if value is not None})
                for item, value in zip(gradient.operator.outputs, gradients):
                    if "d" + item.name in gradient.backward_names:
                        named["d" + item.name] = value.contiguous()
                outputs = list(gradient.gradients)
                found = gradient.backward(**named, **{name: empty for name in outputs})
                of = dict(zip(gradient.gradients.values(), found if isinstance(found, tuple) else (found,)))
                return tuple(of.get(name) for name in gradient.order)

        return Apply.apply

    @property
    def backward_names(self):
        return {item.name for item in _data(self.backward).parameters}


def _data(call):
    """The metadata of one instance of a call."""
    return next(iter(call._instances.values()))[0]


class Operators:
    """The operators of one module, as attributes."""


def register(module, namespace=None, backward=None):
    """Registers the functions of a module; those with structs are left out, as PyTorch has no type for them. `backward`:
    {function: its backward function}, a name of the same module or a function of another: flyc.load("backward.json").f.
    """
    namespace = namespace or f"flyc_{module.name}"
    library = torch.library.Library(namespace, "DEF")
    _libraries.append(library)
    shown = Operators()
    for name in module:
        call = module[name]
        function = _data(call)
        if any(item.kind == "struct" for item in function.parameters):
            continue
        operator = _Operator(name, call, function)
        _define(library, namespace, operator, shown, (backward or {}).get(name), module)
    for name in backward or ():
        if not hasattr(shown, name):
            raise ValueError(f"`{name}` of backward= is not an operator of `{module.name}`")
    return shown


def _define(library, namespace, operator, shown, backward, module):
    name = operator.name
    schema = operator.schema(mutating=True)
    order = list(operator.order)
    library.define(f"{name}_{schema}")
    for key in ("CPU", "CUDA"):
        library.impl(f"{name}_", operator.mutating(order), key)
    library.impl(f"{name}_", lambda *arguments: None, "Meta")
    setattr(shown, f"{name}_", getattr(getattr(torch.ops, namespace), f"{name}_"))
    if not operator.functional:
        return
    schema = operator.schema(mutating=False)
    order = list(operator.order)
    library.define(f"{name}{schema}")
    for key in ("CPU", "CUDA"):
        library.impl(name, operator.allocating(order), key)
    library.impl(name, operator.fake(order), "Meta")
    packet = getattr(getattr(torch.ops, namespace), name)
    setattr(shown, name, packet)
    if backward is not None:
        backward = module[backward] if isinstance(backward, str) else backward

        def below(*arguments):
            guard = torch._C._AutoDispatchBelowAutograd()  # until it is deleted; PyTorch 1.13 has it in this form alone
            try:
                return packet(*arguments)
            finally:
                del guard

        operator.order = order
        library.impl(name, _Gradient(operator, backward, order).function(below), "Autograd")


__all__ = ["Operators", "register"]
