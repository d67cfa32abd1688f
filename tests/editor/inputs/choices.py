"""choices.py: the instance and the architecture whose values are shown are chosen."""

import time

from client import Client

TEXT = """@kernel(grid=1, block=64)
def ones(c: Out[T, (64,)], *, T: Constexpr[type] = f32):
    n = T.bytes * (64 if target.has("mfma") else 32)
    c[thread_id.x] = T(n)

@kernel(grid=1, block=64, arch=["gfx942", "gfx950"])
def twos(c: Out[f32, (64,)]):
    c[thread_id.x] = 2.0

ones_f16 = ones[T=f16]
ones_f64 = ones[T=f64]
"""

refresh = {"workspace": {what: {"refreshSupport": True} for what in ("codeLens", "inlayHint", "semanticTokens")}}
client = Client(["--arch", "gfx950"], refresh,
                initialization={"archs": ["gfx942", "gfx1201"], "commands": ["fly.chooseInstance", "fly.showIsa"]})
print("own", [name for name in client.capabilities["executeCommandProvider"]["commands"] if "choose" in name])
client.open("/none/ones.fly", TEXT)
assert client.problems(1) == []


def show():
    hover = client.at("hover", 2, 5)["contents"]["value"].replace("\n", " ")
    hints = client.of_document("inlayHint", range={"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}})
    return hover, [hint["label"] for hint in hints], [lens["title"] for lens in client.lenses() if "VGPR" not in lens["title"]]


def ask(line):
    return client.request("fly/instances", {"textDocument": {"uri": client.uri}, "position": {"line": line, "character": 5}})


def machine(count):
    """The lenses of machine code, when there are so many of the text that is there now."""
    deadline = time.time() + 60
    while time.time() < deadline:
        found = [lens for lens in client.lenses() if "VGPR" in lens["title"]]
        if len(found) == count:
            return found
        time.sleep(0.05)
    return found


print("first", show())
print("ask", ask(2))
print("nothing", ask(4), ask(9))
print("named", client.run("fly.chooseInstance", client.uri, "ones", "ones_f64"))
for what in ("codeLens", "inlayHint", "semanticTokens"):
    client.wait_for(f"workspace/{what}/refresh")
print("second", show())
client.run("fly.chooseInstance", client.uri, "ones")
print("next", show()[2])
client.run("fly.chooseInstance", client.uri, "ones", "ones_f16")
client.run("fly.chooseArch", client.uri, "gfx1201")
print("arch", show())
client.run("fly.chooseArch", client.uri)
print("next arch", ask(0)["arch"])
client.run("fly.chooseArch", client.uri, "gfx950")
for arguments in (("gfx1",), ("",)):
    print("refused", client.run("fly.chooseArch", client.uri, *arguments)["message"])
print("refused", client.run("fly.chooseInstance", client.uri, "ones", "twos")["message"])
print("refused", client.run("fly.chooseInstance", client.uri, "no", "twos")["message"])
print("refused", client.run("fly.chooseInstance", "file:///other.fly", "ones")["message"])
print("refused", client.run("fly.none", client.uri)["message"])

# Machine code: of each architecture that the client named; a lens chooses it. A kernel that is not for it has no lens.
client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
lenses = machine(5)
print(*(f"machine {lens['title']} {lens['command']}" for lens in lenses), sep="\n")
print("isa", [lens["arguments"][1] for lens in client.lenses() if lens["title"] == "show ISA"])
code = client.request("fly/isa", {"textDocument": {"uri": client.uri}, "position": {"line": 3, "character": 5}})
print("code", [(kernel["kernel"], kernel["instance"], kernel["arch"], len(kernel["instructions"]) > 0)
               for kernel in code["kernels"]])
lens = next(lens for lens in lenses if lens["title"].startswith("gfx942"))
client.run(lens["command"], *lens["arguments"])
print("chosen", ask(2)["arch"])
print("status", client.close())
