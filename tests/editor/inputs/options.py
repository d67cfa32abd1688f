"""options.py FOLDER: options of a file from fly_compile_commands.json, and files that change on the disk."""

import json
import os
import shutil
import sys

from client import Client

folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
for name in ("src/deep", "lib", "other", "build"):
    os.makedirs(f"{folder}/{name}")


def write(name, text):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
    return f"{folder}/{name}"


def entry(file, archs, *options):
    return {"directory": folder, "file": f"{folder}/{file}", "archs": archs, "options": list(options)}


write("lib/parts.fly", "SIZE = 64\n")
write("other/parts.fly", "SIZE = 128\n")
kernel = write("src/deep/k.fly", """from parts import SIZE

@kernel(grid=1, block=SIZE)
def k(c: Out[f32, (n,)], *, n: Constexpr[int]):
    size = SIZE + n
    c[thread_id.x] = f32(size)
""")
neighbour = write("src/deep/n.fly", "from parts import SIZE\nHALF = SIZE // 2\n")
commands = "build/fly_compile_commands.json"
write(commands, json.dumps([entry("src/deep/k.fly", ["gfx1201", "gfx942"], "-I", "lib", "-D", "n=64", "--host", "none")]))

client = Client(["--arch", "gfx950", "--compile-timeout", "0"],
                {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}, "codeLens": {"refreshSupport": True}}})
print("watched", client.wait_for("client/registerCapability")["registrations"][0]["registerOptions"]["watchers"])


def open_file(path):
    client.open(path, open(path, encoding="utf-8").read())
    print(os.path.basename(path), [problem["code"] for problem in client.problems(1, client.uri)])


def changed(path):
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file://" + path, "type": 2}]})


def show(line):
    hover = client.at("hover", line, 5)["contents"]["value"].split("\n")[1]
    print(hover, [lens["title"] for lens in client.lenses()])


open_file(neighbour)
open_file(kernel)
show(4)
changed(write(commands, json.dumps([entry("src/deep/k.fly", ["gfx950"], f"-I{folder}/other", "-Dn=32")])))
client.wait_for("workspace/codeLens/refresh")
show(4)
changed(write("other/parts.fly", "SIZE = 256\n"))
client.wait_for("workspace/codeLens/refresh")
show(4)
# The nearest list counts; what is no list says nothing.
write("src/fly_compile_commands.json", "[{")
changed(write("src/deep/fly_compile_commands.json", json.dumps([entry("src/deep/k.fly", [], "-I", "lib", "--host=x", "-Dn=2")])))
client.wait_for("workspace/codeLens/refresh")
show(4)
# A file that is missing comes into being.
client.open(kernel.replace("k.fly", "m.fly"), "import absent\nx = absent.SIZE\n")
print(client.problems(1, client.uri)[0]["message"])
changed(write("src/deep/absent.fly", "SIZE = 5\n"))
while client.problems(1, client.uri):
    pass
print("found")
print("status", client.close())
