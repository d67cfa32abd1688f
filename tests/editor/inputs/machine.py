"""machine.py FILE FOLDER: machine code through `flyc lsp` as an editor has it. Unasked, some time after the text was given,
the client is told to ask for the lenses anew; a newer text ends what is compiled; nothing is left in FOLDER, where
temporary files are."""

import os
import sys
import time

path, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
os.environ["TMPDIR"] = folder
from client import Client  # noqa: E402

text = open(path, encoding="utf-8").read()


def machine_lenses(client):
    return [lens["command"]["title"] for lens in client.of_document("codeLens") if "VGPR" in lens["command"]["title"]]


def wait_for_refresh(client):
    began = time.time()
    while True:
        for message in client.waiting:
            if message.get("method") == "workspace/codeLens/refresh":
                client.waiting.remove(message)
                return time.time() - began
        client.waiting.append(client.next())


client = Client(["--arch", "gfx950"], {"workspace": {"codeLens": {"refreshSupport": True}}})
client.open(path, text)
assert client.problems(1) == []
assert machine_lenses(client) == []
print(f"first lens after {wait_for_refresh(client):.2f} s", file=sys.stderr)
titles = machine_lenses(client)
assert len(titles) == 1 and "before the last change" not in titles[0], titles
print(titles[0])
# Versions that follow each other faster than one is compiled: only the last one is told of.
for version in range(2, 8):
    client.change(version, {"text": text + "\n" * version})
    client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
    time.sleep(0.02 * version)
wait_for_refresh(client)
deadline = time.time() + 60
while any("before" in title for title in machine_lenses(client)):
    assert time.time() < deadline
    time.sleep(0.05)
code = client.request("fly/isa", {"textDocument": {"uri": client.uri}, "position": {"line": 0, "character": 0}})
assert code["version"] == 7 and any(kernel["isCurrent"] for kernel in code["kernels"]), code
# One is under way when the client leaves.
client.change(8, {"text": text + "x = 1\n"})
client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
time.sleep(0.1)
print("status", client.close())
print("left", os.listdir(folder))
