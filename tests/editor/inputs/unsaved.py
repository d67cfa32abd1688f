"""unsaved.py FOLDER: a module that is open and not saved is seen by the file that imports it; closed, the one on the disk."""

import os
import sys

from client import Client

folder = os.path.realpath(sys.argv[1])
os.makedirs(folder, exist_ok=True)
with open(f"{folder}/part.fly", "w", encoding="utf-8") as file:
    file.write("def one():\n    return 1\n")
client = Client()
client.open(f"{folder}/whole.fly", "from part import two\n\nx = two()\n")
importer = client.uri
print("on disk:", [problem["code"] for problem in client.problems(1)])
client.open(f"{folder}/part.fly", "def two():\n    return 2\n")


def next_of_importer():
    while True:
        for message in client.waiting:
            if message.get("params", {}).get("uri") == importer:
                client.waiting.remove(message)
                return [problem["code"] for problem in message["params"]["diagnostics"]]
        client.waiting.append(client.next())


print("open:", next_of_importer())
client.change(2, {"text": "def three():\n    return 3\n"})
print("changed:", next_of_importer())
client.change(3, {"text": "def two():\n    return 2\n"})
print("again:", next_of_importer())
client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
print("closed:", next_of_importer())
print("status", client.close())
