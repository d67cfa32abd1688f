"""survive.py [--steps N] [--seed N] FILE...: what files are while they are typed, through `flyc lsp`: prefixes, the whole
without a character or a piece, with a word too many, and bursts of edits and questions, some of them cancelled, without
waiting. Each question has one answer, in time; the process that answers never ends; and when all is undone the text is
what it was, without errors.

Each run draws anew. The seed is printed, and `--seed` repeats its run."""

import argparse
import os
import random
import sys
import time

from client import Client, position
from processes import workers

QUESTIONS = ["hover", "completion", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename", "rename",
             "documentSymbol", "foldingRange", "codeLens", "semanticTokens/full", "inlayHint", "codeAction", "formatting", "isa",
             "symbol"]
WORDS = ["(", ")", "[", "]", "{", ":", ",", ".", "=", "*", "@", "\n", "\n    ", "#", '"', '"""', "'", "\\", "if ", "for ", "def ",
         "lambda ", "import ", "return ", "@kernel", "x", "0", "1 << 80", "-", "None", "é", "𝄞", "\t", "\0"]
OPTIONAL = (-32800, -32801) # cancelled; for an older text
SLOWEST = 9.0 # seconds: flyc lsp itself gives up after ten


class Author:
    """One file, and what it is now."""

    def __init__(self, client, path, draw):
        self.client, self.path, self.draw = client, os.path.abspath(path), draw
        self.whole = self.text = open(path, encoding="utf-8").read()
        self.version, self.waiting = 1, {}
        client.open(self.path, self.whole)
        assert client.problems(1) == [], path

    def edit(self, begin, end, new):
        """Replaces a part, as an editor tells it."""
        change = {"range": {"start": position(self.text, begin), "end": position(self.text, end)}, "text": new}
        self.text = self.text[:begin] + new + self.text[end:]
        self.version += 1
        self.client.change(self.version, change)

    def become(self, text):
        """The smallest edit."""
        begin = next((i for i, (a, b) in enumerate(zip(self.text, text)) if a != b), min(len(self.text), len(text)))
        most = min(len(self.text), len(text)) - begin
        tail = next((i for i in range(most) if self.text[-1 - i] != text[-1 - i]), most)
        self.edit(begin, len(self.text) - tail, text[begin:len(text) - tail])

    def ask(self, question, offset):
        place = position(self.text, min(offset, len(self.text)))
        method = {"isa": "fly/isa", "symbol": "workspace/symbol"}.get(question, "textDocument/" + question)
        number = self.client.ask(method, {
            "textDocument": {"uri": self.client.uri}, "position": place, "newName": "other", "query": "s", "options": {},
            "context": {"diagnostics": []}, "range": {"start": {"line": 0, "character": 0}, "end": place}})
        self.waiting[number] = (question, time.time())
        return number

    def settle(self):
        """All questions have answers."""
        while self.waiting:
            message = self.client.next()
            if "method" in message or "id" not in message:
                continue
            question, began = self.waiting.pop(message["id"])
            code = message.get("error", {}).get("code", 0)
            assert code in (0, -32803, *OPTIONAL), (self.path, question, message)
            self.slowest = max(getattr(self, "slowest", 0), time.time() - began)

    def step(self):
        draw, size = self.draw, len(self.whole)
        at, kind = draw.randrange(size), draw.random()
        if kind < 0.4:
            self.become(self.whole[:at])
        elif kind < 0.6:
            self.become(self.whole[:at] + self.whole[at + 1:])
        elif kind < 0.7:
            self.become(self.whole[:at] + self.whole[at + draw.randrange(1, 200):])
        elif kind < 0.8:
            self.become(self.whole[:at] + draw.choice(WORDS) + self.whole[at:])
        else:
            return self.burst(at)
        self.ask(draw.choice(QUESTIONS), at)
        self.settle()

    def burst(self, at):
        self.become(self.whole)
        for _ in range(self.draw.randrange(2, 12)):
            at = min(at, len(self.text))
            if self.draw.random() < 0.3 and at > 0:
                self.edit(at - 1, at, "")
                at -= 1
            else:
                word = self.draw.choice(WORDS)
                self.edit(at, at, word)
                at += len(word)
            number = self.ask(self.draw.choice(QUESTIONS), at)
            if self.draw.random() < 0.4:
                self.client.notify("$/cancelRequest", {"id": number})
        self.settle()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000, help="of all files together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    print("seed", options.seed)
    draw = random.Random(options.seed)
    client = Client(["--arch", "gfx950", "--compile-timeout=0"])
    before, slowest = workers(client), 0.0
    for path in options.files:
        author = Author(client, path, draw)
        began = time.time()
        for _ in range(options.steps // len(options.files)):
            author.step()
        author.become(author.whole + "\n")
        author.become(author.whole)
        problems = client.problems(author.version)
        assert problems == [], (path, problems)
        client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
        slowest = max(slowest, author.slowest)
        print(f"{path}: {time.time() - began:.1f} s, slowest answer {author.slowest * 1000:.0f} ms", file=sys.stderr)
    assert workers(client) == before, "the process that answers has ended"
    assert client.close() == 0
    assert slowest < SLOWEST, f"an answer took {slowest:.1f} s"
    print(f"{options.steps} steps")


main()
