"""Calls of kernels and launch functions.

A call whose tensors are PyTorch's, with types, shapes, strides and numbers that were there before, takes the fast way: a
dictionary has its plan. Every other call is bound and checked anew (binding.py), and its plan is kept. Addresses are
checked each time: alignment, and that what is written overlaps nothing.
"""
import struct
import threading

from . import device as devices
from . import frameworks, signature, tensors
from .binding import Binder
from .errors import ArgumentError
from .expressions import text_of
from .host import HostCopies
from .keys import key_function
from .launching import Plan, Slots
from .planner import Planner
from .signature import MISSING
from .workspaces import workspace_for

_KEPT = 4096  # plans per function; beyond, all are dropped


class Prepared:
    """What a call with one key needs: the plan, and the checks of addresses."""

    def __init__(self, plan, aligned, pairs, constants, views):
        self.plan, self.aligned, self.pairs, self.constants, self.views = plan, aligned, pairs, constants, views


class Function:
    """One instance on one architecture; `k.softmax(x, y)`."""

    def __init__(self, data, module):
        self.data, self.module, self.label = data, module, data.label
        self.parameters, self.count = data.parameters, len(data.parameters)
        self.slots, self.binder = Slots(data), Binder(data)
        self.__name__, self.__doc__ = data.symbol, describe(data)
        self._prepared, self._planner, self._lock = {}, None, threading.Lock()
        self._key = self._keyed = None  # with a struct there are none
        self._left_out = [(MISSING,) * (self.count - given) for given in range(self.count + 1)]
        self._encoders = [signature.encode(item.type) if item.kind == "scalar" else None for item in self.parameters]

    @property
    def planner(self):
        with self._lock:
            if self._planner is None:
                self._planner = Planner(self.data)
                uses = self._planner.uses
                tied = {
                    index
                    for item in self.parameters
                    if item.kind == "tensor"
                    for tree in item.trees()
                    for index in self.binder.indices(tree)
                }
                # numbers that are part of the key: those that the plan or a shape depends on
                keyed = [
                    item.kind == "scalar" and (index in uses or index in tied)
                    for index, item in enumerate(self.parameters)
                ]
                if not any(item.kind == "struct" for item in self.parameters):
                    self._key, self._keyed = key_function(self.parameters, keyed, self._encoders), keyed
        return self._planner

    def __repr__(self):
        return f"<flyc function {self.label}>"

    def __call__(self, *arguments, stream=None, workspace=None, overlap=False, **named):
        """Queues the kernels. Returns the tensors that were allocated for `flyc.empty`: none, one, or a tuple."""
        if named or len(arguments) > self.count:
            arguments = signature.in_order(self.data, arguments, named)
        elif len(arguments) != self.count:
            arguments += self._left_out[len(arguments)]
        if stream is not None and stream.__class__ is not int:
            stream = handle_of(stream)
        try:
            if self._again(arguments, stream, workspace, overlap):
                return None
        except struct.error:  # a number does not fit in its type, which binding says in words
            pass
        return self._slow(arguments, stream, workspace, overlap)

    def _again(self, arguments, stream, workspace, overlap):
        """Launches a call like one before; False if there was none."""
        torch = frameworks.torch()
        if torch is not None and self._key is not None:
            found = self._key(arguments, torch.Tensor)
            prepared = self._prepared.get(found[0]) if found is not None else None
            if prepared is not None:
                _, values, index = found
                self._check(prepared, values, overlap)
                if stream is None:
                    stream = frameworks.torch_stream(index)
                self._launch(prepared, values, stream, workspace, index)
                return True
        if self._keyed is not None:
            found = self._view_key(arguments, stream or 0)
            prepared = self._prepared.get(found[0]) if found is not None else None
            if prepared is not None:
                _, values, index, views = found
                self._check(prepared, values, overlap)
                kinds = {view.kind for view in views}
                self._launch(prepared, values, self._stream(kinds, stream, index), workspace, index)
                return True
        return False

    def _view_key(self, arguments, stream):
        """As keys.py, of tensors that are on a device and of any library: (key, values, device, views). The views hold the
        memory until the launch is queued."""
        key, values, views, device = [], [], [], None
        for index, (argument, parameter) in enumerate(zip(arguments, self.parameters)):
            if argument is None and parameter.by_address:
                key.append(None)
                values.append(0)
            elif parameter.by_address:
                try:
                    view = tensors.read(argument, stream)
                except (TypeError, BufferError):
                    return None
                if view is None or view.type is None or view.device is None or view.device == tensors.META:
                    return None
                device = view.device
                key.append((view.type.name, view.shape, view.strides, device, parameter.is_written and view.read_only))
                values.append(view.address)
                views.append(view)
            elif argument is MISSING:
                key.append(MISSING)
                values.append(0)
            elif argument.__class__ is int or argument.__class__ is float:
                encode = self._encoders[index]
                key.append(argument if self._keyed[index] else argument.__class__)
                values.append(encode(argument) if encode else argument)
            else:
                return None
        return None if device is None else (tuple(key), values, device, views)

    def _slow(self, arguments, stream, workspace, overlap):
        module = self.module
        planner = self.planner
        bound = self.binder.bind(arguments, stream or 0, module.facts().values)
        if bound.device == tensors.META:
            raise ArgumentError(self.label, None, "device", "the tensors are on the device meta: they have no memory")
        facts = module.facts(bound.device)
        if bound.device is None and bound.has_tensors and not facts.is_emulated:
            first = next(
                (parameter.name for parameter, view in zip(self.parameters, bound.views) if view is not None),
                "a tensor",
            )
            raise ArgumentError(
                self.label,
                first,
                "device",
                f"`{first}` is in host memory, and the device is {facts.name}: move it there "
                "(`x.cuda()`, `flyc.Array(x)`), or set FLY_DEVICE=emulator",
            )
        with devices.on_device(facts.device):
            parts, ready = planner(bound.values, facts.values)
            self._check_null(bound, ready)
            plan = Plan(self.data, self.slots, module.loaded, parts, ready)
            prepared = self._prepare(plan, bound)
            values = self._values(bound)
            stream = self._stream({view.kind for view in bound.views if view is not None}, stream, facts.device)
            if bound.device is None and bound.has_tensors:
                self._check(prepared, values, overlap, alignment=False)
                self._on_host(prepared, bound, values, stream)
            else:
                self._check(prepared, values, overlap)
                self._launch(prepared, values, stream, workspace, facts.device)
        self._keep(arguments, prepared, bound)
        return (
            None if not bound.allocated else bound.allocated[0] if len(bound.allocated) == 1 else tuple(bound.allocated)
        )

    def _keep(self, arguments, prepared, bound):
        """Makes the plan that of the next call like this one."""
        if self._key is None or bound.device is None or bound.allocated:
            return
        torch = frameworks.torch()
        found = self._key(arguments, torch.Tensor) if torch is not None else None
        found = found or self._view_key(arguments, 0)
        if found is None:
            return
        if len(self._prepared) >= _KEPT:
            self._prepared.clear()
        self._prepared[found[0]] = prepared

    def _stream(self, kinds, stream, device):
        if stream is not None:
            return stream
        if "torch" in kinds:
            return frameworks.torch_stream(device)
        return frameworks.cupy_stream() if "dlpack" in kinds else 0

    def _prepare(self, plan, bound):
        slots, aligned, written = self.slots, [], []
        for index, (parameter, view) in enumerate(zip(self.parameters, bound.views)):
            if view is None:
                continue
            if parameter.alignment > 1 and not view.is_empty:
                aligned.append((slots.of[index], parameter.alignment - 1, index))
        for index, parameter in enumerate(self.parameters):
            if parameter.is_written and bound.views[index] is not None:
                written.append(index)
        pairs = []
        for index in written:
            for other, view in enumerate(bound.views):
                if view is None or other == index or other in written and other < index:
                    continue
                a, b = bound.views[index], view
                if not a.is_empty and not b.is_empty:
                    pairs.append((slots.of[index], slots.of[other], a.reach(), b.reach(), index, other))
        constants = [(slots.of[index], self._encoded(index, bound.values[index])) for index in bound.derived]
        return Prepared(plan, aligned, pairs, constants, [view and view.form() for view in bound.views])

    def _encoded(self, index, value):
        encode = self._encoders[index]
        return encode(value) if encode else value

    def _values(self, bound):
        values = []
        for index, parameter in enumerate(self.parameters):
            if parameter.by_address:
                values.append(bound.views[index].address if bound.views[index] is not None else 0)
            elif parameter.kind == "struct":
                values += self._struct(index, bound)
            else:
                values.append(self._encoded(index, bound.values[index]))
        return values

    def _struct(self, index, bound):
        found = []
        for path, (type, _, _) in self.slots.paths[index].items():
            value, encode = bound.values[index][path], signature.encode(type)
            value = encode(value) if encode else value
            found.append(value)
        return found

    def _check(self, prepared, values, overlap, alignment=True):
        """What depends on addresses."""
        if alignment:
            for slot, mask, index in prepared.aligned:
                if values[slot] & mask:
                    name = self.parameters[index].name
                    raise ArgumentError(
                        self.label,
                        name,
                        "alignment",
                        f"`{name}` must be aligned to {mask + 1} bytes, its address is {values[slot]:#x}",
                    )
        if overlap:
            return
        for slot, other, reach, far, index, second in prepared.pairs:
            a, b = values[slot], values[other]
            if (
                a + reach[0] < b + far[1]
                and b + far[0] < a + reach[1]
                and tensors.overlap(prepared.views[index], a, prepared.views[second], b)
            ):
                first, second = self.parameters[index].name, self.parameters[second].name
                raise ArgumentError(
                    self.label,
                    first,
                    "overlap",
                    f"`{first}` is written by the kernel and overlaps `{second}`; pass overlap=True "
                    "if the kernel reads each element before it writes it",
                )

    def _check_null(self, bound, ready):
        """A kernel's tensor may be None if it does not use it, or if it is empty."""
        absent = {
            index
            for index, parameter in enumerate(self.parameters)
            if parameter.by_address and bound.views[index] is None
        }
        for item in ready if absent else ():
            step = self.data.steps[item.step]
            if step.kernel is None or 0 in item.grid:
                continue
            kernel = self.data.kernels[step.kernel]
            for parameter, argument in zip(kernel.parameters, step.arguments):
                index = argument.get("parameter")
                if (
                    index in absent
                    and parameter.kind == "tensor"
                    and parameter.used
                    and self._has_elements(index, bound)
                ):
                    name = self.parameters[index].name
                    raise ArgumentError(
                        self.label, name, "missing", f"`{name}` is None, but the kernel `{step.kernel}` uses it"
                    )

    def _has_elements(self, index, bound):
        if self.parameters[index].kind == "pointer":
            return True
        extents = self.binder.extents(self.parameters[index], bound.values, {})
        return all(extent is None or extent > 0 for extent in extents)

    def _launch(self, prepared, values, stream, workspace, device):
        for slot, value in prepared.constants:
            values[slot] = value
        plan, kept = prepared.plan, None
        if plan.workspace_bytes:
            kept, address = workspace_for(self, plan.workspace_bytes, workspace, stream, device)
            values.append(address)
        else:
            values.append(0)
        if self.module.several_devices:
            with devices.on_device(device):
                plan.launch(values, stream)
        else:
            plan.launch(values, stream)

    def _on_host(self, prepared, bound, values, stream):
        with HostCopies(bound, self.parameters, self.slots, values) as copies:
            self._launch(prepared, values, stream, None, devices.current_device())
            copies.back()

    def layout(self, name, **numbers):
        """Where the elements of a tensor lie, from the numbers of the launch that its shape and strides depend on."""
        parameter = next((item for item in self.parameters if item.name == name and item.kind == "tensor"), None)
        if parameter is None:
            raise ArgumentError(self.label, name, "missing", f"it has no tensor `{name}`")
        return self.binder.layout(parameter, numbers, self.module.facts().values)

    def outputs(self, arguments):
        """The tensors that a call would allocate; nothing runs. The arguments may be PyTorch's on the device meta."""
        return self.binder.bind(arguments, 0, self.module.facts().values).allocated

    def workspace_bytes(self, *arguments, **named):
        """Bytes that a launch with these arguments needs beside its tensors."""
        ordered = signature.in_order(self.data, arguments, named)
        planner = self.planner
        facts = self.module.facts()
        bound = self.binder.bind(ordered, 0, facts.values)
        parts, ready = planner(bound.values, self.module.facts(bound.device).values)
        return Plan(self.data, self.slots, self.module.loaded, parts, ready).workspace_bytes


def handle_of(stream):
    """The hipStream_t of a stream of flyc, PyTorch or CuPy, as an integer."""
    return int(getattr(stream, "cuda_stream", getattr(stream, "ptr", stream)))


def describe(data):
    """The text of help(): the parameters with their shapes, and the author's preconditions."""
    shared, lines = data.module.expressions, []
    for parameter in data.parameters:
        if parameter.kind == "tensor":
            shape = ", ".join(_mode_text(mode, shared) for mode in parameter.shape)
            lines.append(f"{parameter.name}: {parameter.type_name} ({shape}), {parameter.direction}")
        elif parameter.kind == "pointer":
            lines.append(f"{parameter.name}: a pointer to {parameter.type_name}, {parameter.direction}")
        else:
            lines.append(f"{parameter.name}: {parameter.type_name}")
    return f"{data.label}({', '.join(item.name for item in data.parameters)})\n\n" + "\n".join(lines)


def _mode_text(mode, shared):
    if isinstance(mode, list):
        return "(" + ", ".join(_mode_text(item, shared) for item in mode) + ")"
    return text_of(mode, shared)
