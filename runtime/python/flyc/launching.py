"""A plan as the runtime takes it: steps, and one block of memory with the arguments of all of them.

What changes from call to call (addresses, scalars that no expression uses) is packed anew; all else stays. So a call with
shapes that were there before costs one dictionary lookup, one struct.pack_into and one call of the runtime.
"""
import ctypes
import struct
import threading
from operator import itemgetter

from . import signature
from ._library import STEP_FILL, Step, check, library
from .errors import ArgumentError

_launch_function = library.fly_module_launch_function
_launch_function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p]
_INT64 = 1 << 63


class Slots:
    """Where the values of a call stand in one list: an address or number per parameter, the parts of structs one by one,
    and the workspace last."""

    def __init__(self, function):
        self.of, self.paths, count = [], [], 0
        for parameter in function.parameters:
            self.of.append(count)
            self.paths.append(_paths(parameter))
            count += len(self.paths[-1]) if parameter.kind == "struct" else 1
        self.workspace = count
        self.count = count + 1


def _paths(parameter):
    """Path -> (type, offset in the struct, place) of a struct's numbers."""
    found = {}
    for path, type, offset, lanes in parameter.fields:
        for lane in range(lanes):
            name = path if lanes == 1 else f"{path}.{lane}"
            found[name] = type, offset + lane * (type.bits // 8 if type else 8), len(found)
    return found


class _Block:
    """The arguments of all steps: a format for `struct`, and for each number its place in the values or a constant."""

    def __init__(self, slots):
        self.format, self.sources, self.size = ["<"], [], 0
        self.constants, self.slots = [], slots

    def at(self, offset, format, source):
        """`source`: (slot, bytes to add), or a list with the constant."""
        if offset > self.size:
            self.format.append(f"{offset - self.size}x")
        self.format.append(format)
        self.size = offset + struct.calcsize("<" + format)
        self.sources.append(source)


class Plan:
    """Of a function, for the values of the parameters that its expressions use, on one device."""

    def __init__(self, function, slots, module, parts, ready):
        self.function, self.module, self.slots = function, module, slots
        self.workspace_bytes, self.part_offsets = _workspace(function, parts)
        self.count, self.name = len(ready), function.symbol.encode()
        self.lock = threading.Lock()
        block, self.fills = _Block(slots), []
        self.steps = (Step * max(1, self.count))()
        begins = []
        for index, item in enumerate(ready):
            begins.append(self._step(index, item, block))
        self.arguments = ctypes.create_string_buffer(max(8, block.size))
        base = ctypes.addressof(self.arguments)
        for step, begin in zip(self.steps, begins):
            if begin is not None:
                step.launch.arguments = base + begin
        self._sources(block)
        self.steps_address, self.module_address = ctypes.addressof(self.steps), ctypes.addressof(module)

    def _step(self, index, item, block):
        declared, step = self.function.steps[item.step], self.steps[index]
        values = iter(item.values)
        if declared.kernel is None:
            step.kernel, step.memory_bytes, step.memory_byte = (
                STEP_FILL,
                self._size(item.bytes, "the bytes of a fill"),
                declared.byte,
            )
            self.fills.append((index, self._address(declared.memory, values)))
            return None
        kernel = self.function.kernels[declared.kernel]
        step.kernel, launch = self.module.index[declared.kernel], step.launch
        for axis in range(3):
            launch.grid[axis] = self._size(item.grid[axis], f"grid.{'xyz'[axis]}")
            launch.block[axis] = self._size(item.block[axis], f"block.{'xyz'[axis]}")
        launch.dynamic_lds, launch.max_workgroup_size = (
            self._size(item.dynamic_lds, "dynamic LDS"),
            kernel.max_workgroup_size,
        )
        launch.argument_bytes = kernel.argument_bytes
        begin = (block.size + 15) // 16 * 16
        for parameter, argument in zip(kernel.parameters, declared.arguments):
            self._argument(block, begin + parameter.offset, parameter, argument, values)
        if block.size < begin + kernel.argument_bytes:
            block.at(begin + kernel.argument_bytes - 1, "x", None)
            block.sources.pop()
        return begin

    def _size(self, value, what):
        if not -_INT64 <= value < _INT64:
            raise ArgumentError(self.function.label, None, "range", f"{what} is {value}, which does not fit in 64 bits")
        return value

    def _address(self, argument, values):
        if "value" in argument:
            return [next(values)]
        added = next(values) if "offset" in argument else 0
        if "parameter" in argument:
            return self.slots.of[argument["parameter"]] + self._member(argument), added
        return self.slots.workspace, self.part_offsets[argument["workspace"]] + added

    def _member(self, argument):
        """Of a pointer in a struct: its place among the struct's."""
        if "member" not in argument:
            return 0
        paths = self.slots.paths[argument["parameter"]].values()
        return next(place for _, offset, place in paths if offset == argument["member"])

    def _argument(self, block, offset, parameter, argument, values):
        if parameter.by_address:
            block.at(offset, "Q", self._address(argument, values))
        elif parameter.kind == "struct":
            self._struct(block, offset, parameter, argument, values)
        elif "parameter" in argument:
            block.at(offset, parameter.type.format or "B", (self.slots.of[argument["parameter"]], 0))
        else:
            block.at(offset, parameter.type.format or "B", [_packable(parameter.type, next(values))])

    def _struct(self, block, offset, parameter, argument, values):
        paths = _paths(parameter)
        if "parameter" in argument:
            first = self.slots.of[argument["parameter"]]
            for type, place, index in paths.values():
                block.at(offset + place, type.format or "B" if type else "Q", (first + index, 0))
            return
        fields = iter(_flat(argument))
        for type, place, _ in paths.values():
            field = next(fields)
            if type is None:
                block.at(offset + place, "Q", self._address(field, values))
            elif "parameter" in field:
                block.at(offset + place, type.format or "B", (self.slots.of[field["parameter"]], 0))
            else:
                block.at(offset + place, type.format or "B", [_packable(type, next(values))])

    def _sources(self, block):
        """Places of all numbers in (values, sums of values and offsets, constants)."""
        added = {
            source: None
            for source in [*block.sources, *(source for _, source in self.fills)]
            if not isinstance(source, list) and source[1]
        }
        self.sums = list(added)
        place = {source: self.slots.count + index for index, source in enumerate(self.sums)}
        self.constants = []

        def position(source):
            if isinstance(source, list):
                self.constants.append(source[0])
                return self.slots.count + len(self.sums) + len(self.constants) - 1
            return place[source] if source[1] else source[0]

        positions = [position(source) for source in block.sources]
        self.fills = [(index, position(source)) for index, source in self.fills]
        self.pack = struct.Struct("".join(block.format)).pack_into
        self.pick = itemgetter(*positions) if len(positions) > 1 else (lambda values: [values[p] for p in positions])

    def launch(self, values, stream):
        """Queues it. `values` as `Slots` orders them."""
        for slot, offset in self.sums:
            values.append(values[slot] + offset if values[slot] else 0)
        values += self.constants
        with self.lock:
            self.pack(self.arguments, 0, *self.pick(values))
            for index, position in self.fills:
                self.steps[index].memory = values[position] or None
            code = _launch_function(self.module_address, self.name, self.steps_address, self.count, stream)
        if code:
            check(code)


def _flat(argument):
    for field in argument["struct"]:
        if "struct" in field:
            yield from _flat(field)
        else:
            yield field


def _packable(type, value):
    encode = signature.encode(type)
    if type.kind == "int":
        value = int(value)  # a comparison is a bool
    return encode(value) if encode else value


def _workspace(function, parts):
    total, offsets = 0, []
    for size in parts:
        if size < 0:
            raise ArgumentError(function.label, None, "range", f"a part of the workspace has {size} bytes")
        offsets.append((total + 255) // 256 * 256)
        total = offsets[-1] + size
    if total >= _INT64:
        raise ArgumentError(function.label, None, "range", f"the workspace has {total} bytes")
    return total, offsets
