"""What `flyc build --emit=python` writes, with the package: emitted.py FOLDER, with FOLDER/ffi_kinds.py."""
import ast
import importlib
import pathlib
import sys

import flyc
import numpy as np

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
k = importlib.import_module(f"{folder.name}.ffi_kinds")

# The stub has the parameters of the metadata, in their order, then the options of a call.
known = {name: function for item in k._functions._metadata.architectures for function in item.functions
         for name in (function.symbol, *function.aliases)}
seen = set()
for item in ast.parse((folder / "ffi_kinds.pyi").read_text()).body:
    if isinstance(item, ast.FunctionDef) and item.name in known:
        names = [argument.arg for argument in item.args.args + item.args.kwonlyargs]
        options = ["stream", "workspace", "overlap"] if item.name == "fourfold" else ["stream", "overlap"]
        assert names == [parameter.name for parameter in known[item.name].parameters] + options, (item.name, names)
        seen.add(item.name)
assert seen == set(known), seen ^ set(known)

# What it says may be left out is found, also behind products and where an output is allocated.
x = np.random.default_rng(1).normal(size=(5, 29)).astype(np.float32)
powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
y = np.empty_like(x)
assert k.softmax(x, y) is None and np.abs(y - powers / powers.sum(axis=1, keepdims=True)).max() < 1e-6
assert np.array_equal(k.softmax(x, flyc.empty), y)
assert np.array_equal(k.fourfold(x[0].copy(), flyc.empty), 4 * x[0])
z = k.kinds({"shift": 1, "factor": 2.0}, np.arange(70, dtype=np.int32), np.full(70, 0x3F80, np.uint16), half=1.5, flag=True,
            small=-3, y=flyc.empty, wide=0.25, big=7)
assert np.array_equal(z, -(2.0 + np.arange(70) + 1 + 1.5 + 0.25 - 3 + 7))
w = np.arange(60, dtype=np.uint8).reshape(12, 5)
y = np.empty_like(w)
k.straightens(w, y)
assert np.array_equal(y, w.reshape(3, 5, 4).transpose(0, 2, 1).reshape(12, 5))
print(f"{len(seen)} functions, by their stubs")
