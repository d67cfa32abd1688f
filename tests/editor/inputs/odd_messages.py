"""Messages that make no sense, each with the code of the error that answers it."""

import json

from client import Client


def code(answer):
    return answer.get("error", {}).get("code")


def raw(client, text):
    client.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
    client.process.stdin.flush()
    return client.next()


class Early(Client):
    """Says something before `initialize`."""

    def request(self, method, params):
        if method == "initialize":
            self.early = [code(raw(self, b"{]")), code(raw(self, b"[1]")),
                          code(self.answer(self.ask("textDocument/hover", {})))]
        return super().request(method, params)


client = Early()
for name, found in zip(["parse error", "not an object", "before initialize"], client.early):
    print(name, found)
print("unknown method", code(client.answer(client.ask("fly/nothing", {}))))
print("no document", code(client.answer(client.ask("textDocument/hover", {"textDocument": {"uri": "file:///a.fly"}}))))
print("twice", code(client.answer(client.ask("initialize", {}))))
client.open("/none/a.fly", "x = 1\n")
for changes in (3, [3], [{}], [{"text": 3}], [{"text": "y", "range": 1}],
                [{"text": "y", "range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}}],
                [{"text": "y", "range": {"start": {"line": 9, "character": 9}, "end": {"line": 0, "character": 0}}}]):
    client.notify("textDocument/didChange", {"textDocument": {"uri": client.uri, "version": 2}, "contentChanges": changes})
client.notify("textDocument/didChange", {})
client.notify("textDocument/didOpen", {"textDocument": 3})
print("bad changes", code(client.answer(client.ask("textDocument/hover", {
    "textDocument": {"uri": client.uri}, "position": {"line": 99999, "character": 99999}}))))
# The first request takes a while, so that the second one still waits when it is cancelled.
slow = "def f(n):\n    return sum([i * i for i in range(n)])\n\nx = " + " + ".join(f"f({20000 + i})" for i in range(12)) + "\n"
client.open("/none/slow.fly", slow)
document = {"textDocument": {"uri": client.uri}, "position": {"line": 0, "character": 5}}
first = client.ask("textDocument/hover", document)
second = client.ask("textDocument/hover", document)
client.notify("$/cancelRequest", {"id": second})
client.answer(first)
print("cancelled", code(client.answer(second)))
client.request("shutdown", {})
print("after shutdown", code(client.answer(client.ask("textDocument/hover", document))))
client.notify("exit", {})
print("status", client.process.wait(timeout=60))
