"""Holds what `--emit=python` writes to what Python says of it.

    python_module.py FOLDER MODULE...

The package flyc is one of this file here: what is tested is the module's own text. Prints the signatures of the stubs.
"""
import ast
import importlib
import pathlib
import sys
import types

folder = pathlib.Path(sys.argv[1])


class Functions:
    """What flyc.load gives."""

    def __init__(self, path):
        self.path = path

    def __getattr__(self, name):
        if name not in ("softmax", "lambda"):
            raise AttributeError(f"no function {name}")
        return lambda *arguments: (name, arguments)

    def __dir__(self):
        return ["softmax", "lambda"]


sys.modules["flyc"] = types.SimpleNamespace(load=Functions)
sys.path.insert(0, str(folder.parent))
for name in sys.argv[2:]:
    module = importlib.import_module(f"{folder.name}.{name}")
    assert module._functions.path == str(folder.resolve() / f"{name}.json"), module._functions.path
    assert module.softmax(1, 2) == ("softmax", (1, 2)) and getattr(module, "lambda")() == ("lambda", ())
    assert {"softmax", "lambda"} <= set(dir(module)) and not hasattr(module, "none") and not hasattr(module, "__path__")
    print(repr(module.__doc__))

    stub = ast.parse((folder / f"{name}.pyi").read_text(), type_comments=True)
    compile(stub, f"{name}.pyi", "exec")
    for item in stub.body:
        if isinstance(item, ast.FunctionDef):
            doc = ast.get_docstring(item)
            item.body = [ast.Expr(ast.Constant(...))]
            print(ast.unparse(item).replace("\n    ", " "))
            print("   ", " | ".join(line for line in doc.splitlines() if line))
