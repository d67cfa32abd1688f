"""survive.py FILE STRIDE: what a file is while it is typed, through `flyc lsp`: every prefix, and the whole without one
character, each as a version, with questions at the place. Of all these every STRIDE-th. The server must live, answer each
question, and tell the diagnostics of the last version, which is the whole file: none."""

import sys
import time

from client import Client

path, stride = sys.argv[1], int(sys.argv[2])
text = open(path, encoding="utf-8").read()
client = Client(["--arch", "gfx950"])
client.open(path, text)
assert client.problems(1) == [], client.problems
versions = [(text[:end], end) for end in range(len(text) + 1)]
versions += [(text[:at] + text[at + 1:], at) for at in range(len(text))]
questions = ["hover", "completion", "signatureHelp", "definition", "prepareRename"]
version, slowest = 1, 0.0
for number, (changed, offset) in enumerate(versions[::stride]):
    version += 1
    client.change(version, {"text": changed})
    line, character = changed[:offset].count("\n"), offset - (changed[:offset].rfind("\n") + 1)
    began = time.time()
    client.at(questions[number % len(questions)], line, character)
    if number % 5 == 0:
        client.of_document("documentSymbol")
        client.of_document("foldingRange")
        client.of_document("codeLens")
        client.of_document("semanticTokens/full")
        client.at("rename", line, character, newName="other")
        client.request("workspace/symbol", {"query": "s"})
        client.request("fly/isa", {"textDocument": {"uri": client.uri},
                                   "position": {"line": line, "character": character}})
        formatted = client.of_document("formatting", options={})
        assert isinstance(formatted, list) or "syntax errors" in formatted["message"], formatted
        client.of_document("codeAction", range={"start": {"line": 0, "character": 0},
                                                "end": {"line": line, "character": character}}, context={})
        client.of_document("inlayHint", range={"start": {"line": 0, "character": 0},
                                               "end": {"line": line, "character": character}})
    slowest = max(slowest, time.time() - began)
client.change(version + 1, {"text": text})
assert client.problems(version + 1) == []
assert client.close() == 0
print(f"{len(versions[::stride])} versions")
assert slowest < 10, f"an answer took {slowest:.1f} s"
print(f"slowest answer {slowest * 1000:.0f} ms", file=sys.stderr)
