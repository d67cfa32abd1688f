"""runs.py FILE COPY: checks and benches that the server runs; COPY of FILE is changed."""

import shutil
import sys

from client import Client

path, copy = sys.argv[1:]
shutil.copy(path, copy)
text = open(copy, encoding="utf-8").read()
client = Client(["--arch", "gfx950", "--compile-timeout", "0"],
                {"window": {"workDoneProgress": True}, "workspace": {"codeLens": {"refreshSupport": True}}},
                initialization={"notifications": ["fly/checked"]})
print("own", client.capabilities["executeCommandProvider"])
client.open(copy, text)
assert client.problems(1) == []


def lenses():
    return [lens["title"] for lens in client.lenses() if lens["title"] not in ("run check", "run bench")]


def run(command, name):
    assert client.run(command, client.uri, name) is None
    token = client.wait_for("window/workDoneProgress/create")["token"]
    begin, end = client.wait_for("$/progress"), client.wait_for("$/progress")
    assert begin["token"] == end["token"] == token
    print("progress", begin["value"]["title"], begin["value"]["kind"], end["value"]["kind"], end["value"]["message"])


print("lenses", lenses(), [lens["arguments"][1] for lens in client.lenses() if lens["title"].startswith("run")])
run("fly.runCheck", "writes_ones")
print("told", client.wait_for("fly/checked"))
run("fly.runCheck", "writes_n")
run("fly.runCheck", "gives_halves")
run("fly.runCheck", "nothing")
client.waiting.clear()
print("lenses", lenses())
client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
for problem in sorted(client.problems(1), key=lambda problem: problem["range"]["start"]["line"]):
    print("problem", dict(sorted(problem["range"].items())), problem["source"], problem["message"].split("\n")[0])
client.notify("fly/checked", {"uri": client.uri, "check": "writes_n", "arch": "gfx942", "passed": 2, "failed": 1, "milliseconds": 2500})
run("fly.runBench", "long_and_short")
print("lenses", lenses())
place = {"textDocument": {"uri": client.uri}, "position": {"line": 5, "character": 0}}
for bench in client.request("fly/time", place)["benches"]:
    print("time", bench["bench"], bench["arch"], bench["isCurrent"],
          [(launch["kernel"], launch["instance"], launch["parameters"], launch["machine"], launch["cycles"] > 0)
           for launch in bench["launches"]])

# Of a text that is not saved nothing is run; results are those of the last text.
client.change(2, {"text": text + "\n\n"})
assert client.problems(2) == []
print("unsaved", client.run("fly.runCheck", client.uri, "writes_ones")["message"])
print("old", [title for title in lenses() if "before" in title])

# Cancelled, it ends at once.
client.change(3, {"text": text.replace("[64, 4096]", "[2 ** 24]")})
client.problems(3)
open(copy, "w", encoding="utf-8").write(text.replace("[64, 4096]", "[2 ** 24]"))
client.waiting.clear()
number = client.ask("workspace/executeCommand", {"command": "fly.runBench", "arguments": [client.uri, "long_and_short"],
                                                 "workDoneToken": 7})
assert client.wait_for("$/progress")["token"] == 7
client.notify("window/workDoneProgress/cancel", {"token": 7})
print("cancelled", client.wait_for("$/progress"))
print("status", client.close())
