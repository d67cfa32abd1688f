"""Builds every file of a folder, and calls every function of it from Python, with what the metadata alone tells: numbers that satisfy the preconditions,
tensors of the shapes, types and directions. every_kernel.py FOLDER OUT

Floats are random, integers 0: an index of 0 is valid wherever there is an element. A call must end without a fault, and what
a function only reads must not change. The last line counts the functions, and those that wrote something.
"""
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import flyc
import numpy as np
from flyc import metadata, tensors
from flyc.frameworks import numpy_type

NUMBERS = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 0, 1024, 8192]
MOST_BYTES, MOST_GROUPS, POINTER_BYTES = 1 << 23, 256, 1 << 22


def number(type, most=8192):
    """`most`: for a struct's, whose pointers have extents that the metadata does not tell."""
    return 0.5 if type.kind == "float" else random.choice([item for item in NUMBERS if item <= (1 if type.kind == "bool" else most)])


def struct_of(parameter, fields):
    """As a call takes it: a vector is a list, a pointer a tensor."""
    return {path: np.zeros(POINTER_BYTES, np.uint8) if type is None else fields[path] if lanes == 1
            else [fields[f"{path}.{lane}"] for lane in range(lanes)] for path, type, _, lanes in parameter.fields}


def numbers_of(parameter):
    if parameter.kind == "struct":
        return {path if lanes == 1 else f"{path}.{lane}": 0 if type is None else number(type, 64)
                for path, type, _, lanes in parameter.fields for lane in range(lanes)}
    return None if parameter.by_address else number(parameter.type)


def spread(function, values, facts):
    """Gives scalars that are strides the least numbers with which no tensor's elements overlap."""
    least = {}
    for parameter in function.parameters:
        if parameter.kind != "tensor" or parameter.is_nested:
            continue
        extents = function.binder.extents(parameter, values, facts)
        if None not in extents:
            for tree, stride in zip(parameter.strides, tensors.compact(extents)):
                if tree.get("op") == "parameter" and "field" not in tree:
                    least[tree["index"]] = max(stride, least.get(tree["index"], 0))
    for index, stride in least.items():
        values[index] = stride


def fits(function, values, facts):
    """Whether the plan accepts the numbers, and the tensors and grids are small; what to change, if it names it."""
    for parameter in function.parameters:
        if parameter.kind == "tensor":
            extents = function.binder.extents(parameter, values, facts)
            if None in extents or min(extents, default=0) < 0 or math.prod(extents) * parameter.type.bits // 8 > MOST_BYTES:
                return False, None
    try:
        parts, ready = function.planner(values, facts)
    except flyc.ArgumentError as error:
        return False, error
    if sum(parts) > MOST_BYTES or sum(math.prod(item.grid) for item in ready) > MOST_GROUPS:
        return False, None
    has_work = any(math.prod(item.grid) for item in ready) and all(math.prod(function.binder.extents(item, values, facts)) > 0
                                                                   for item in function.parameters if item.kind == "tensor")
    return has_work, None


def choose(function, facts):
    """Numbers for all parameters: a random walk that changes what a broken precondition names."""
    values = [numbers_of(item) for item in function.parameters]
    scalars = [index for index, item in enumerate(function.parameters) if not item.by_address]
    for _ in range(20000):
        spread(function, values, facts)
        fine, error = fits(function, values, facts)
        if fine:
            return values
        named = [index for index in scalars if error and function.parameters[index].name in str(error)]
        if not scalars:
            return None
        index = random.choice(named or scalars)
        values[index] = numbers_of(function.parameters[index])
        if random.random() < 0.02:
            values = [numbers_of(item) for item in function.parameters]
    return None


def content(type, count):
    """Elements as NumPy has them: random floats, integers of 0. Those of less than 8 bits come as bytes."""
    if type.bits < 8:
        return np.zeros(count * type.bits // 8, np.uint8)
    array = np.zeros(count, numpy_type(type))
    if type.kind == "float" and type.format and type.name != "bf16":
        array[:] = np.random.uniform(-1, 1, count)
    elif type.name == "bf16":
        array[:] = np.random.uniform(-1, 1, count).astype(np.float32).view(np.uint32) >> 16
    elif type.kind == "float":
        array[:] = np.random.randint(0x30, 0x38, count)  # around 1 in all formats of 8 bits
    return array


def tensor(function, parameter, values, facts):
    if parameter.kind == "pointer":
        return np.zeros(POINTER_BYTES, np.uint8).view(numpy_type(parameter.type))
    shape = function.binder.extents(parameter, values, facts)
    if parameter.is_nested:
        layout = function.binder.layout(parameter, {item.name: value for item, value in zip(function.parameters, values)
                                                    if value is not None}, facts)
        return content(parameter.type, layout.elements)
    strides = function.binder._modes(parameter.strides, values, facts)
    reach = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
    memory = content(parameter.type, reach + (-reach * parameter.type.bits // 8) % 8)
    if parameter.type.bits < 8:
        per = 8 / parameter.type.bits
        shape = [int(extent / per) if stride == 1 else extent for extent, stride in zip(shape, strides)]
        strides = [stride if stride == 1 else int(stride / per) for stride in strides]
    return np.lib.stride_tricks.as_strided(memory, shape, [stride * memory.itemsize for stride in strides])


def call(name, function, facts):
    values = choose(function, facts)
    if values is None:
        return None
    arguments = [tensor(function, item, values, facts) if item.by_address
                 else struct_of(item, value) if item.kind == "struct" else value for item, value in zip(function.parameters, values)]
    before = [np.array(item) if isinstance(item, np.ndarray) else None for item in arguments]
    function(*arguments)
    wrote = False
    for parameter, array, old in zip(function.parameters, arguments, before):
        if parameter.kind != "tensor" or array is None:
            continue
        same = np.array_equal(array.reshape(-1).view(np.uint8), old.reshape(-1).view(np.uint8))
        assert same or parameter.is_written, f"{name}: `{parameter.name}` is only read, and has changed"
        wrote = wrote or not same
    return wrote


def built(folder, out):
    """The metadata of all files that have a kernel to compile for the emulated device."""
    for source in sorted(Path(folder).rglob("*.fly")):
        if source.stem.endswith(("_checks", "_bench")) or "comm" in source.parts:  # several devices
            continue
        command = [flyc.jit.compiler(), "build", source, "--arch", flyc.architecture(), "--emit=hsaco,json", "-o", out, "--quiet"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode == 0:
            yield os.path.join(out, source.stem + ".json")
        elif "FLY0933" not in ended.stderr:
            raise SystemExit(ended.stderr)


def main():
    called = wrote = without = 0
    for path in built(*sys.argv[1:]):
        module = flyc.load(path)
        facts = flyc.device.facts()
        data = next((item for item in module._metadata.architectures if item.name == facts.architecture), None)
        for item in data.functions if data else ():
            try:
                outcome = call(item.symbol, flyc.function.Function(item, module._module), facts.values)
            except flyc.Error as error:
                raise SystemExit(f"{item.label}: {error}") from None
            if outcome is None:
                without += 1
                print(f"no numbers for {item.label}", flush=True)
            else:
                called, wrote = called + 1, wrote + outcome
    print(f"called {called}, {wrote} wrote, no numbers for {without}")


if __name__ == "__main__":
    main()
