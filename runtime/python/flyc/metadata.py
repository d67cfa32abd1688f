"""NAME.json of a build, as objects: docs/metadata.md describes it."""
import json
import os

from .errors import MetadataError
from .expressions import Source
from .types import BY_NAME

SCHEMA_VERSION = 3


class Parameter:
    """Of a kernel or launch function. `type` is None for what is not an element type: the name of a struct, or of what a
    pointer points to. `fields`: of a struct, as (path, type, offset, lanes) of its numbers and pointers."""

    def __init__(self, data):
        self.name, self.kind, self.type_name = data["name"], data["kind"], data["type"]
        self.type = None if self.kind == "struct" else BY_NAME.get(self.type_name)
        self.offset, self.size = data["offset"], data["size"]
        self.direction, self.alignment = data.get("direction", "in"), data.get("alignment", 1)
        self.shape, self.strides = data.get("shape"), data.get("strides")
        self.used = data.get("used", True)
        self.fields = [
            (path, None if kind == "pointer" else BY_NAME[type], offset, lanes)
            for path, kind, type, offset, lanes in _leaves(data.get("fields", ()))
        ]
        self.by_address = self.kind in ("tensor", "pointer")
        self.is_written = self.by_address and self.direction != "in"
        self.is_nested = bool(self.shape) and any(isinstance(mode, list) for mode in self.shape)

    def trees(self):
        """The expressions of a tensor's shape and strides, in no order."""
        waiting = [*self.shape, *self.strides]
        while waiting:
            tree = waiting.pop()
            if isinstance(tree, list):
                waiting.extend(tree)
            else:
                yield tree


def _leaves(fields, prefix="", base=0):
    for field in fields:
        path, offset = prefix + field["name"], base + field["offset"]
        if field["kind"] == "struct":
            yield from _leaves(field["fields"], path + ".", offset)
        else:
            yield path, field["kind"], field["type"], offset, field.get("lanes", 1)


class Requirement:
    def __init__(self, data):
        self.tree, self.text = data["expr"], data["text"]
        self.place = f"{data['file']}:{data['line']}"


class Sizes:
    """Of one kernel of a plan."""

    def __init__(self, data):
        self.grid, self.block, self.dynamic_lds = data["grid"], data["block"], data["dynamic_lds"]


class Step:
    """Of a plan: a kernel with arguments, or (`kernel` None) memory that is filled. An argument is a dictionary of the
    schema; that of an exported kernel's own plan is its parameter."""

    def __init__(self, data):
        self.when, self.requires = data["when"], [Requirement(item) for item in data["requires"]]
        self.kernel = data.get("kernel")
        if self.kernel is None:
            self.memory, self.bytes, self.byte = data["fill"], data["bytes"], data["byte"]
        else:
            self.arguments, self.sizes = data["arguments"], Sizes(data)


class Function:
    """An exported kernel or a launch function on one architecture. `name` is its symbol, `source_name` that in the source."""

    def __init__(self, module, data, kernels):
        self.module, self.symbol, self.aliases, self.constants = (
            module,
            data["symbol"],
            data["aliases"],
            data["constants"],
        )
        self.is_kernel = "kernel" in data
        self.source_name = data["kernel"] if self.is_kernel else data["function"]
        self.parameters = [Parameter(item) for item in data["parameters"]]
        self.kernels = kernels
        self.requires = [Requirement(item) for item in data["requires"]]
        self.workspace = [part["bytes"] for part in data.get("workspace", ())]
        if self.is_kernel:
            arguments = [{"parameter": index} for index in range(len(self.parameters))]
            self.steps = [
                Step(
                    dict(data, when={"op": "bool", "value": True}, requires=[], kernel=self.symbol, arguments=arguments)
                )
            ]
        else:
            self.steps = [Step(item) for item in data["steps"]]

    def source(self):
        """A writer of Python for this function's expressions."""

        def is_float(index, field):
            parameter = self.parameters[index]
            if field is None:
                return parameter.type is not None and parameter.type.kind == "float"
            return any(type and type.kind == "float" for path, type, _, _ in parameter.fields if field.startswith(path))

        return Source(self.module.expressions, is_float)

    @property
    def label(self):
        return f"{self.module.name}.{self.symbol}"


class Kernel:
    """What a step needs of a kernel: where its arguments lie, and its limit."""

    def __init__(self, data):
        self.parameters = [Parameter(item) for item in data["parameters"]]
        self.max_workgroup_size = data["resources"]["max_workgroup_size"]
        self.argument_bytes = max([item.offset + item.size for item in self.parameters], default=0)


class Architecture:
    def __init__(self, module, data):
        self.name, self.file = data["arch"], data["code_object"]["file"]
        self.kernels = {item["symbol"]: Kernel(item) for item in data["kernels"]}
        shown = [item for item in data["kernels"] if item["exported"]] + data["launches"]
        self.functions = [Function(module, item, self.kernels) for item in shown]


class Metadata:
    """Of a module; `path` is that of the JSON file, beside which the code objects lie."""

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            with open(self.path, encoding="utf-8") as file:
                data = json.load(file)
        except ValueError as error:
            raise MetadataError(f"{self.path} is not the metadata of a build: {error}") from None
        version = data.get("schema_version") if isinstance(data, dict) else None
        if version != SCHEMA_VERSION:
            said = f"has version {version} of the metadata" if version is not None else "is not the metadata of a build"
            raise MetadataError(f"{self.path} {said}; this package reads version {SCHEMA_VERSION}")
        try:
            self.name, self.doc, self.hash = data["module"], data["doc"], int(data["hash"], 16)
            self.expressions = data["expressions"]
            self.architectures = [Architecture(self, item) for item in data["architectures"]]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MetadataError(f"{self.path} is damaged: {type(error).__name__}: {error}") from None
