"""Builds from Python: `flyc.build`, `flyc.kernel`, `flyc.precompile`.

flyc compiles in a process of its own. What it wrote is kept by content: of the source, of every file that it imports, of
flyc itself, and the options. FLY_PYTHON_CACHE is the folder, else `flyc/python` in XDG_CACHE_HOME or ~/.cache.
"""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

from . import device as devices
from ._library import beside
from .errors import CompileError
from .module import Module

_built = {}  # key -> (state of the files that were read, Module)


def compiler():
    """The path of flyc: FLYC, or what belongs to this package, or what PATH finds."""
    named = os.environ.get("FLYC")
    found = (
        named
        or next((path for path in beside("bin", "flyc") if os.access(path, os.X_OK)), None)
        or shutil.which("flyc")
    )
    if not found:
        raise CompileError("flyc is not found; set FLYC to its path")
    return found


def cache_folder():
    chosen = os.environ.get("FLY_PYTHON_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return chosen or os.path.join(base, "flyc", "python")


def spelled(value):
    """A constant as .fly writes it: f16 for torch.float16 or "f16", True, 8."""
    from .types import BY_NAME

    name = (
        str(value)[len("torch.") :]
        if type(value).__module__ == "torch"
        else getattr(value, "__name__", None)
        if isinstance(value, type)
        else None
    )
    if name in BY_NAME:
        return BY_NAME[name].name
    return value if isinstance(value, str) else repr(value)


def _state(path):
    """What changes when a file does."""
    try:
        info = os.stat(path)
        return info.st_mtime_ns, info.st_size
    except OSError:
        return None


def _content(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


class _Build:
    """One source with its options; the paths of what it becomes."""

    def __init__(self, source, arch, constants, options):
        self.arch = devices.architecture() if arch == "native" else arch if isinstance(arch, str) else ",".join(arch)
        self.is_text = isinstance(source, str) and "\n" in source
        self.flyc = compiler()
        self.source = source if self.is_text else os.path.abspath(os.fspath(source))
        self.options = [
            item for name, value in constants.items() for item in ("-D", f"{name}={spelled(value)}")
        ] + list(options)
        told = json.dumps([self.source, self.arch, self.options, self.flyc, _state(self.flyc), 1])
        self.key = hashlib.sha256(told.encode()).hexdigest()[:32]
        self.folder = os.path.join(cache_folder(), self.key)
        self.name = f"kernel_{self.key[:8]}" if self.is_text else os.path.splitext(os.path.basename(self.source))[0]
        self.metadata = os.path.join(self.folder, self.name + ".json")
        self.manifest = os.path.join(self.folder, "manifest.json")

    def read_files(self):
        """{path: (state, content)} of what the kept build has read, or None if it is not there or something changed."""
        try:
            with open(self.manifest, encoding="utf-8") as file:
                files = json.load(file)
        except (OSError, ValueError):
            return None
        for path, (state, content) in files.items():
            now = _state(path)
            if now is None or list(now) != state and _content(path) != content:
                return None
        return files

    def run(self):
        os.makedirs(cache_folder(), exist_ok=True)
        folder = tempfile.mkdtemp(prefix=self.key + ".", dir=cache_folder())
        try:
            source = self.source
            if self.is_text:
                source = os.path.join(folder, self.name + ".fly")
                with open(source, "w", encoding="utf-8") as file:
                    file.write(self.source)
            command = [
                self.flyc,
                "build",
                source,
                "--arch",
                self.arch,
                "-o",
                folder,
                "--quiet",
                "--MD",
                "--emit",
                "hsaco,json",
                *self.options,
            ]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            if ended.returncode:
                said = (ended.stderr or ended.stdout).strip() or f"{self.flyc} ended with status {ended.returncode}"
                raise CompileError(said.replace(source, "<source>") if self.is_text else said)
            files = {
                path: (_state(path), _content(path)) for path in _dependencies(folder) if not path.startswith(folder)
            }
            with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as file:
                json.dump(files, file)
            self._put(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _put(self, folder):
        """In place at once; of two processes that build the same, either may be the one."""
        stale = folder + ".stale"
        try:
            os.rename(folder, self.folder)
        except OSError:
            os.rename(self.folder, stale)
            os.rename(folder, self.folder)
            shutil.rmtree(stale, ignore_errors=True)

    def module(self):
        known = _built.get(self.key)
        if known is not None and all(_state(path) == state for path, state in known[0].items()):
            return known[1]
        if self.read_files() is None:
            self.run()
        module = Module(self.metadata)
        _built[self.key] = {path: _state(path) for path in self.read_files() or ()}, module
        return module


def _dependencies(folder):
    """The files of the rules that `--MD` wrote."""
    found = []
    for name in os.listdir(folder):
        if name.endswith(".d"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read().replace("\\\n", " ").replace("\\ ", "\0")
            found += [word.replace("\0", " ").replace("$$", "$") for word in text.split(":", 1)[1].split()]
    return found


def build(source, arch="native", options=(), **constants):
    """The module of a .fly file (a path, or its text), compiled if it has changed. `arch` "native" is that of the current
    device; a name, or a list. `constants` are Constexpr parameters or constants of the file: build("gemm.fly", T="f16").
    """
    return _Build(source, arch, constants, options).module()


def kernel(source, name=None, arch="native", options=(), **constants):
    """A function of a source: that called `name`, or the only one. kernel("scale.fly", T="f16")(x, y)"""
    module = build(source, arch, options, **constants)
    names = list(module)
    if name is None and len(names) != 1:
        raise ValueError(f"the source has several functions, say which by name=: {', '.join(names)}")
    return module[name or names[0]]


def precompile(wanted, arch="native", jobs=None):
    """Compiles a list ahead: of sources, or of (source, {constant: value}); several at a time. Returns the modules."""
    from concurrent.futures import ThreadPoolExecutor

    items = [(item, {}) if isinstance(item, (str, os.PathLike)) else item for item in wanted]
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return list(pool.map(lambda item: build(item[0], arch, **item[1]), items))


def main():
    """The wheel's command `flyc`: the compiler, in place of this process."""
    import sys

    program = compiler()
    os.execv(program, [program, *sys.argv[1:]])
