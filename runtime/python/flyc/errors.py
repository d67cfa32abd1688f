"""What is wrong with the arguments of a call, or with a file."""
from ._library import Error


class ArgumentError(ValueError):
    """A call was refused before anything was launched. `function` and `argument` name the place, `rule` is a word: "shape",
    "strides", "type", "device", "alignment", "read-only", "overlap", "requires", "range", "missing"."""

    def __init__(self, function, argument, rule, text):
        super().__init__(f"{function}: {text}")
        self.function, self.argument, self.rule = function, argument, rule


class ArgumentTypeError(ArgumentError, TypeError):
    """The same, of a type: also a TypeError."""


class MetadataError(ValueError):
    """A file of metadata that cannot be used."""


class CompileError(RuntimeError):
    """flyc could not build a source; the text is what flyc said."""


__all__ = ["ArgumentError", "ArgumentTypeError", "CompileError", "Error", "MetadataError"]
