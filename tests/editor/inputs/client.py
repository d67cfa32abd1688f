"""A client of `flyc lsp`: starts it, sends messages, and waits for answers and for the diagnostics of a version.

    client = Client(["--arch", "gfx950"])
    client.open("/tmp/a.fly", text)
    problems = client.problems(version=1)
    hover = client.at("hover", line=3, character=5)
    status = client.close()
"""

import json
import queue
import subprocess
import threading
import urllib.parse


def position(text, offset):
    """The place of an offset in a text; columns count UTF-16 code units."""
    line = text[text.rfind("\n", 0, offset) + 1:offset]
    return {"line": text.count("\n", 0, offset), "character": len(line.encode("utf-16-le")) // 2}


class Client:
    def __init__(self, options=(), capabilities=None, timeout=60, initialization=None):
        self.timeout, self.number, self.received, self.waiting = timeout, 0, queue.Queue(), []
        self.process = subprocess.Popen(["flyc", "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self.read, daemon=True).start()
        initialize = {"capabilities": capabilities or {}, "initializationOptions": initialization or {}}
        self.capabilities = self.request("initialize", initialize)["capabilities"]
        self.notify("initialized", {})

    def read(self):
        while True:
            length = None
            while line := self.process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                return self.received.put(None)
            body = self.process.stdout.read(length)
            try:
                self.received.put(json.loads(body.decode()))
            except ValueError as error:
                return self.received.put(ValueError(f"{error} in {body}"))

    def next(self):
        message = self.received.get(timeout=self.timeout)
        if isinstance(message, ValueError):
            raise message
        if message is None:
            raise EOFError(f"flyc lsp ended with status {self.process.wait()}")
        return message

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """Sends a request without waiting; its number."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def answer(self, number):
        """The whole answer to a request."""
        for message in self.waiting:
            if message.get("id") == number:
                self.waiting.remove(message)
                return message
        while (message := self.next()).get("id") != number:
            self.waiting.append(message)
        return message

    def request(self, method, params):
        answer = self.answer(self.ask(method, params))
        return answer["result"] if "result" in answer else answer["error"]

    def problems(self, version, uri=None):
        """The first diagnostics that are told of a version; those of others are forgotten."""
        def is_it(message):
            told = message.get("params") if message.get("method") == "textDocument/publishDiagnostics" else None
            return told and told.get("version") == version and told["uri"] == (uri or told["uri"])
        for message in self.waiting:
            if is_it(message):
                break
        else:
            while not is_it(message := self.next()):
                if "id" in message:
                    self.waiting.append(message)
        self.waiting = [other for other in self.waiting if "id" in other]
        return message["params"]["diagnostics"]

    def open(self, path, text):
        self.uri = "file://" + urllib.parse.quote(path)
        document = {"uri": self.uri, "languageId": "fly", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, version, *changes):
        self.notify("textDocument/didChange",
                    {"textDocument": {"uri": self.uri, "version": version}, "contentChanges": list(changes)})

    def of_document(self, method, **more):
        return self.request("textDocument/" + method, {"textDocument": {"uri": self.uri}, **more})

    def at(self, method, line, character, **more):
        return self.of_document(method, position={"line": line, "character": character}, **more)

    def run(self, command, *arguments):
        """The answer to a command of the server."""
        return self.request("workspace/executeCommand", {"command": command, "arguments": list(arguments)})

    def lenses(self):
        """The commands of all lenses."""
        return [lens["command"] for lens in self.of_document("codeLens")]

    def wait_for(self, method):
        """The parameters of the next message with this method."""
        for message in self.waiting:
            if message.get("method") == method:
                self.waiting.remove(message)
                return message.get("params")
        while (message := self.next()).get("method") != method:
            self.waiting.append(message)
        return message.get("params")

    def close(self):
        self.request("shutdown", {})
        self.notify("exit", {})
        return self.process.wait(timeout=self.timeout)
