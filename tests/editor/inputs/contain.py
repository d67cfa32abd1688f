"""A text that ends the process which answers, or makes it endless or huge: the server says so, lives, and goes on with the
next text. Other documents, and what the editor has told before, are as they were."""

import os
import signal
import time

from client import Client
from processes import kill, workers

GOOD = "x = 1\n\n\n@kernel(block=64, grid=1)\ndef k(a: Out[f32, (64,)]):\n    i = thread_id.x\n    a[i] = 1.0\n"


def words(client, method):
    """The messages of that kind that were told until now."""
    return [message["params"]["message"] for message in client.told if message.get("method") == method]


class Told(Client):
    """Keeps what it was told."""
    told = ()

    def next(self):
        message = super().next()
        self.told = [*self.told, message]
        return message


def at(line, character, uri):
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def shown(client, uri):
    """What the editor shows of the name at the start; asked anew if the question was lost with the process."""
    while "error" in (answer := client.answer(client.ask("textDocument/hover", at(0, 0, uri)))):
        assert answer["error"]["code"] == -32603, answer
    return answer["result"]["contents"]["value"].split("\n")[1]


OPTIONS = ["--arch", "gfx950", "--faults", "--compile-timeout=0"]
client = Told([*OPTIONS, "--answer-timeout=2"])
client.open("/none/good.fly", "")
good = client.uri
client.change(2, {"text": GOOD})
client.change(3, {"text": "y", "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}})
print("good", client.problems(3))

# A crash, an endless loop and memory, each in a version of its own, mended by the next.
version = 100
client.open("/none/bad.fly", "x = 1\n")
bad = client.uri
for fault in ("crash", "hang"):
    version += 1
    client.change(version, {"text": f"x = 1\n# fault: {fault}\n"})
    problems = client.problems(version)
    print(fault, [problem["message"] for problem in problems])
    lost = client.answer(client.ask("textDocument/hover", at(0, 0, bad)))
    print("a question about it:", lost["error"]["code"])
    print("about the other:", shown(client, good))
    version += 1
    client.change(version, {"text": "x = unknown_name\n"})
    print("mended", [problem["message"] for problem in client.problems(version)])
print("in sight:", len(words(client, "window/showMessage")), "in the log:", len(words(client, "window/logMessage")))

# A question that waits when the process ends is answered. The text is given to the next process once more.
version += 1
client.change(version, {"text": "x = 1\n# fault: hang\n"})
number = client.ask("textDocument/hover", at(0, 0, bad))
print("lost:", client.answer(number)["error"]["code"])
client.problems(version)
# Closed, it is forgotten, with its diagnostic; opened anew, it is read anew.
client.notify("textDocument/didClose", {"textDocument": {"uri": bad}})
while not ((message := client.next()).get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == bad):
    pass
print("closed", message["params"]["diagnostics"])

# Killed, and stopped, from outside: nobody's text is to blame, and all that was edited is there.
client.uri = good
for number, sign in enumerate((signal.SIGKILL, signal.SIGSEGV, signal.SIGKILL, signal.SIGSTOP)):
    while not (before := workers(client)):
        pass
    client.change(10 + number, {"text": "y = 1\n" + GOOD})
    os.kill(before[0], sign)
    while workers(client) in ([], before):
        value = shown(client, good)
    print(sign.name, value)

# Edits and cancelled questions, interleaved with ends of the process: each question has one answer.
client.uri, version, asked = good, 1000, []
for turn in range(60):
    version += 1
    client.change(version, {"text": GOOD + f"# {turn}\n"})
    for method in ("hover", "completion", "definition"):
        asked.append(client.ask("textDocument/" + method, at(5, 6, good)))
        if turn % 3 == 0:
            client.notify("$/cancelRequest", {"id": asked[-1]})
    if turn % 20 == 10:
        kill(workers(client))
answers = {}
while len(answers) < len(asked):
    message = client.next()
    if "id" in message and "method" not in message:
        assert message["id"] not in answers and message["id"] in asked, message
        answers[message["id"]] = message.get("error", {}).get("code", 0)
print("answers", len(answers), "codes", sorted(set(answers.values()) - {-32800, -32801, -32603, 0}))
client.change(version + 1, {"text": GOOD})
print("at the end", client.problems(version + 1), "status", client.close())
left = [pid for pid in before if os.path.exists(f"/proc/{pid}")]
print("left", left)

client = Told([*OPTIONS, "--memory-limit=500"])
client.open("/none/bad.fly", "x = 1\n# fault: memory\n")
print("memory", [problem["message"] for problem in client.problems(1)], client.close())

# An author who thinks for longer than a question may take: the process that has waited is not to blame.
client = Told([*OPTIONS, "--answer-timeout=2"])
time.sleep(4)
for question in range(2):
    answer = client.answer(client.ask("workspace/symbol", {"query": "none"}))
    time.sleep(0.5)
print("after a rest", answer.get("result"), words(client, "window/showMessage"), client.close())
