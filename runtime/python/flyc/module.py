"""Modules: the functions of one build, for the device that a call's tensors are on."""
import ctypes
import os
import threading

from . import device as devices
from . import signature, tensors
from ._library import ABI_VERSION, CodeObject, ModuleData, check, library, start
from .errors import ArgumentTypeError, MetadataError
from .function import Function, describe
from .metadata import Metadata
from .types import takes


class Loaded(ModuleData):
    """fly_module, with what it points to. It is never freed: the runtime keeps pointers to it."""

    def __init__(self, metadata):
        folder = os.path.dirname(metadata.path)
        self.contents = []
        objects = (CodeObject * len(metadata.architectures))()
        for item, row in zip(metadata.architectures, objects):
            path = os.path.join(folder, item.file)
            try:
                with open(path, "rb") as file:
                    content = file.read()
            except OSError as error:
                raise MetadataError(f"{metadata.path} names the code object {item.file}: {error.strerror}") from None
            self.contents.append(content)
            row.architecture, row.bytes, row.size = (
                item.name.encode(),
                ctypes.cast(content, ctypes.c_void_p),
                len(content),
            )
        names = list(dict.fromkeys(name for item in metadata.architectures for name in item.kernels))
        self.index = {name: number for number, name in enumerate(names)}
        self.symbols = (ctypes.c_char_p * len(names))(*[name.encode() for name in names])
        # another order of kernels than in the header, so another identity
        super().__init__(
            ABI_VERSION,
            metadata.name.encode(),
            metadata.hash ^ 0x707974686F6E,
            len(objects),
            objects,
            len(names),
            self.symbols,
        )
        self.objects = objects


_alive = []  # of all modules


class Module:
    """`k = flyc.load("softmax.json")`; `k.softmax(x, y)` is a kernel or launch function by its symbol or its name in the
    source. Of several instances of one source function, that whose element types are those of the tensors is called."""

    def __init__(self, path):
        self._metadata = Metadata(path)
        self._functions, self._lock, self._loaded = {}, threading.Lock(), None
        self.__doc__ = self._metadata.doc
        self._names = {}  # name -> {architecture: [Function data]}
        for item in self._metadata.architectures:
            for function in item.functions:
                for name in dict.fromkeys([function.symbol, *function.aliases, function.source_name]):
                    self._names.setdefault(name, {}).setdefault(item.name, []).append(function)

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.__dict__.get("_names", {}):
            raise AttributeError(
                f"the module `{self._metadata.name}` has no function `{name}`; it has {', '.join(self)}"
            )
        call = Call(self, name, self._names[name])
        self.__dict__[name] = call  # found without this method from now on
        return call

    def __getitem__(self, name):
        """The same, of a function that is called as something that a module has: `k["load"]`."""
        return self.__dict__.get(name) or self.__getattr__(name)

    def __iter__(self):
        return iter(sorted(self._names))

    def __dir__(self):
        return [*super().__dir__(), *self._names]

    def __repr__(self):
        return f"<flyc module {self._metadata.name}: {', '.join(self)}>"

    @property
    def name(self):
        return self._metadata.name

    @property
    def architectures(self):
        return [item.name for item in self._metadata.architectures]

    def load(self):
        """Loads the code onto the current device: before a graph is captured, or a time is measured."""
        start()
        check(library.fly_module_load(ctypes.byref(self._module.loaded)))

    @property
    def _module(self):
        with self._lock:
            if self._loaded is None:
                self._loaded = OnDevices(self._metadata)
        return self._loaded


class OnDevices:
    """What functions need of their module."""

    def __init__(self, metadata):
        self.loaded = Loaded(metadata)
        _alive.append(self.loaded)
        self.several_devices = devices.device_count() > 1

    def facts(self, device=None):
        return devices.facts(device)


class Call:
    """A name of a module. Chooses the architecture and the instance."""

    def __init__(self, module, name, instances):
        self._module, self._instances, self._made = module, instances, {}
        self.__name__ = name
        self.__doc__ = "\n\n".join(describe(item) for item in next(iter(instances.values())))
        self._loaded, self._single, self._chosen = None, None, {}  # the only function, or that for types of arguments

    def __call__(self, *arguments, **named):
        single = self._single
        if single is not None:
            return single(*arguments, **named)
        return self._choose(arguments, named)(*arguments, **named)

    def _types(self, arguments, named):
        """What decides about the instance, or None if only reading the tensors tells."""
        device = devices.current_device() if self._loaded is None or self._loaded.several_devices else 0
        found = [device]
        for name, item in [*enumerate(arguments), *named.items()]:
            cls = item.__class__
            dtype = getattr(item, "dtype", None)
            if dtype is None and tensors.reader(cls) is not None:
                return None
            found.append((name, cls if dtype is None else dtype))
        return tuple(found)

    def workspace_bytes(self, *arguments, **named):
        return self._choose(arguments, named).workspace_bytes(*arguments, **named)

    def layout(self, name, **numbers):
        """Where the elements of a tensor with divided modes lie: layouts.py."""
        functions = self._functions()
        exact = [function for function in functions if function.data.symbol == self.__name__]
        return (exact or functions)[0].layout(name, **numbers)

    def outputs(self, *arguments, **named):
        """The tensors that a call would allocate, without running it."""
        function = self._choose(arguments, named)
        return function.outputs(signature.in_order(function.data, arguments, named))

    def _functions(self):
        """Of the current device's architecture."""
        name = devices.architecture()
        if name not in self._made:
            if name not in self._instances:
                raise MetadataError(
                    f"{self._module.name}.{self.__name__} is not there for {name}; it is for {', '.join(self._instances)}"
                    " (FLY_EMULATE, or flyc.emulate, choose what the emulator is)"
                )
            module = self._loaded = self._module._module
            self._made[name] = [Function(item, module) for item in self._instances[name]]
            if len(self._instances[name]) == 1 and not module.several_devices:
                self._single = self._made[name][0]
        return self._made[name]

    def _choose(self, arguments, named):
        types = self._types(arguments, named)
        if types is None:
            return self._find(arguments, named)
        if types not in self._chosen:
            self._chosen[types] = self._find(arguments, named)
        return self._chosen[types]

    def _find(self, arguments, named):
        functions = self._functions()
        if len(functions) == 1:
            return functions[0]
        fitting = [function for function in functions if _fits(function.data, arguments, named)]
        exact = [
            function
            for function in fitting
            if function.data.symbol == self.__name__ or self.__name__ in function.data.aliases
        ]
        if len(exact) == 1 or len(fitting) == 1:
            return (exact or fitting)[0]
        what = "several instances take" if fitting else "no instance takes"
        raise ArgumentTypeError(
            f"{self._module.name}.{self.__name__}",
            None,
            "type",
            f"{what} these tensors; they are "
            + "; ".join(_instance_text(function.data) for function in fitting or functions),
        )

    def __repr__(self):
        return f"<flyc function {self._module.name}.{self.__name__}>"


def _fits(data, arguments, named):
    for index, parameter in enumerate(data.parameters):
        argument = arguments[index] if index < len(arguments) else named.get(parameter.name)
        if not parameter.by_address or parameter.type is None or argument is None:
            continue
        try:
            view = tensors.read(argument)
        except (TypeError, BufferError):
            continue
        if view is not None and (view.type is None or not takes(parameter.type, view.type)):
            return False
    return len(arguments) <= len(data.parameters)


def _instance_text(data):
    types = ", ".join(f"{item.name}: {item.type_name}" for item in data.parameters if item.by_address)
    return f"`{data.symbol}` ({types})"


def load(path):
    """The module of a build: the path of its NAME.json, beside which its code objects lie."""
    return Module(path)
