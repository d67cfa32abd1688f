"""launches.py: kernels that only launch functions call have values, lenses and machine code."""

import time

from client import Client

TEXT = """@kernel(grid=1, block=64)
def part(c: Out[T, (64,)], *, T: Constexpr[type], N: Constexpr[int]):
    size = N * T.bytes
    c[thread_id.x] = T(size)

@launch
def both(c: Out[f32, (64,)], d: Out[f16, (64,)]):
    part[T=f32, N=2](c)
    part[T=f16, N=3](d)
    part[T=f32, N=2](c)

@kernel(grid=1, block=64)
def unused(c: Out[T, (64,)], *, T: Constexpr[type]):
    c[thread_id.x] = T(1)
"""

client = Client(["--arch", "gfx950"])
client.open("/none/part.fly", TEXT)
assert client.problems(1) == []


def lenses():
    return [lens["title"] for lens in client.lenses()]


def place(line):
    return {"textDocument": {"uri": client.uri}, "position": {"line": line, "character": 4}}


print("hover", client.at("hover", 2, 5)["contents"]["value"].replace("\n", " "))
print("lenses", lenses())
print("instances", client.request("fly/instances", place(2))["instances"])
client.run("fly.chooseInstance", client.uri, "part")
client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
deadline = time.time() + 60
while not any("VGPR" in title for title in lenses()) and time.time() < deadline:
    time.sleep(0.05)
print("machine", [title for title in lenses() if "VGPR" in title])
for kernel in client.request("fly/isa", place(3))["kernels"]:
    print("isa", kernel["kernel"], kernel["instance"], [line["text"].split()[0] for line in kernel["instructions"] if "store" in line["text"]])
# An error in one that is launched is told.
client.change(2, {"text": TEXT.replace("T(size)", "T(size) + fewer")})
print([problem["code"] for problem in client.problems(2)])
client.change(3, {"text": TEXT.replace("size = N * T.bytes", "assert N == 2, \"not two\"; size = N")})
print([problem["message"] for problem in client.problems(3)])
print("status", client.close())
