"""garbage.py SERVER.cpp: each request and notification that the server's table has, with parameters that make no sense: types,
missing parts, places that are not there, documents that nobody opened, halves of characters. Each request has one answer,
and the process that answers is the same at the end: it did not crash."""

import re
import sys

from client import Client
from processes import workers

TEXT = "from fly.reduce import warp_reduce\n\nx = 1\n\n\n@kernel(block=64, grid=1)\ndef k(a: Out[f32, (64,)]):\n    i = thread_id.x\n    a[i] = 1.0 + x\n"
source = open(sys.argv[1]).read()
requests = re.findall(r'\{"([^"]+)", &Server::', source.split("Server::requests[]")[1].split("};")[0])
notifications = re.findall(r'\{"([^"]+)", &Server::', source.split("Server::notifications[]")[1].split("};")[0])
assert "textDocument/rename" in requests and "fly/isa" in requests and "textDocument/didChange" in notifications

client = Client(["--arch", "gfx950", "--compile-timeout=0"], {"workspace": {"codeLens": 3}, "general": {"positionEncodings": [3]}})
client.open("/none/a.fly", TEXT)
assert client.problems(1) == []
before = workers(client)
known = {"uri": client.uri}
strange = [None, 3, -1, 0.5, 1e300, 2**63, True, "", "x", "\ud800", "\0", [], [[]], {}, {"line": 1}]
places = strange + [{"line": line, "character": character} for line, character in
                    [("0", 0), (0, None), (-1, 0), (0, -1), (0.5, 0), (2**31, 2**31), (2**63, 2**63), (1e300, 0), (8, 2**32 - 1),
                     (99999, 0), (7, 7)]]
ends = [{"line": 7, "character": 5}, {"line": 0, "character": 0}, {"line": 99999, "character": 99999}, None, 3]


def variants():
    yield from strange
    for document in [*strange, {"uri": 3}, {"uri": ""}, {"uri": "file:///none/other.fly"}, {"uri": "file://%zz%"},
                     {"uri": "fly-std:///../../etc/passwd"}, {"uri": "fly-std:///"}, {"uri": "fly-explain:///FLY0000.md"},
                     {"uri": "\ud800"}, {"uri": None, "text": 3}]:
        yield {"textDocument": document, "position": ends[0]}
    for place in places:
        yield {"textDocument": known, "position": place, "newName": "other", "context": {}, "query": "k"}
    for start in ends:
        for end in ends:
            yield {"textDocument": known, "range": {"start": start, "end": end}, "context": {"diagnostics": 3, "only": 3}}
    for other in strange:
        yield {"textDocument": known, "position": ends[0], "newName": other, "context": other, "query": other, "options": other,
               "command": other, "arguments": other, "range": other, "settings": other}
        yield {"command": "fly.runCheck", "arguments": [other, other], "textDocument": known, "position": ends[0], "instance": other,
               "arch": other, "kernel": other}


asked = 0
for method in requests:
    if method in ("initialize", "shutdown"):
        continue
    numbers = [client.ask(method, params) for params in variants()]
    for number in numbers:
        answer = client.answer(number)
        assert ("result" in answer) != ("error" in answer), (method, answer)
        assert answer.get("error", {}).get("code", -32602) in (-32602, -32803, -32601), (method, answer)
    asked += len(numbers)
print(len(requests) > 15, asked > 1000, workers(client) == before)

told = 0
for method in notifications:
    for params in variants():
        client.notify(method, params)
        told += 1
for changes in [*strange, *[[each] for each in strange], [{"text": other} for other in strange],
                [{"text": "y", "range": other} for other in strange],
                *[[{"text": "y", "range": {"start": start, "end": end}}] for start in places for end in ends],
                *[[{"text": other, "range": {"start": ends[1], "end": ends[1]}}] for other in strange]]:
    client.notify("textDocument/didChange", {"textDocument": {**known, "version": 2}, "contentChanges": changes})
for version in strange:
    client.notify("textDocument/didChange", {"textDocument": {**known, "version": version}, "contentChanges": [{"text": TEXT}]})
client.notify("textDocument/didClose", {"textDocument": {"uri": ""}})
client.open("/none/a.fly", TEXT) # again: it takes the place of the first
client.change(7000, {"text": TEXT + "unknown_name\n"})
print([problem["message"] for problem in client.problems(7000)], workers(client) == before)


def raw(body, header=b"Content-Length: %d\r\n\r\n"):
    client.process.stdin.write((header % len(body) if b"%d" in header else header) + body)
    client.process.stdin.flush()
    while "id" not in (message := client.next()):
        pass
    return message.get("error", message.get("result"))


hover = b'{"jsonrpc":"2.0","id":"h","method":"textDocument/hover","params":{"textDocument":{"uri":"%s"},"position":{"line":2,"character":0}}}'
hover %= client.uri.encode()
for name, body in {"truncated": hover[:60], "not UTF-8": hover.replace(b"hover", b"hov\xff"), "half": hover.replace(b'"h"', b'"\xed\xa0\x80"'),
                   "deep": b"[" * 1000000, "deep objects": b'{"a":' * 100000, "words": b"hello", "empty list": b"[]", "two": hover + hover,
                   "numbers": b'{"id":1e999,"method":"a"}'}.items():
    print(name, raw(body).get("code"))
for name, header in {"small letters": b"content-length: %d\r\n\r\n", "line feeds": b"Content-Length: %d\n\n",
                     "more": b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:%d\r\n\r\n"}.items():
    print(name, "contents" in raw(hover, header))
print("half in a text", raw(hover.replace(b'"position"', b'"\\udc00\\ud800":"\\ud83d","position"'))["contents"]["kind"])
client.notify("textDocument/didChange", {"textDocument": {**known, "version": 7001}, "contentChanges": [{"text": "x = '\ud800'\n"}]})
print("half in a document", len(client.problems(7001)), workers(client) == before, client.close())
