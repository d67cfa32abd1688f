"""perf.py: advice of -Wperf: of elaboration with its fix, of the machine code after a save."""

import sys

from client import Client

TEXT = """T = f32

@kernel(block=64, grid=1)
def transposes(x: In[T, (64, 64)], y: Out[T, (64, 64)]):
    tile = shared(T, layout[(64, 64):(64, 1)])
    for i in range(64):
        tile[i, thread_id.x] = x[i, thread_id.x]
    barrier()
    for j in range(64):
        y[thread_id.x, j] = tile[thread_id.x, j]
"""


def fixes(client):
    whole = {"start": {"line": 4, "character": 0}, "end": {"line": 10, "character": 0}}
    return [action for action in client.of_document("codeAction", range=whole, context={"diagnostics": []})
            if action["diagnostics"][0]["code"] == "FLY0652"]


client = Client(["--arch", "gfx950", "-W", "perf", "-W", "no-uncoalesced-access"])
client.open("/none/t.fly", TEXT)
told = [problem for problem in client.problems(1) if problem["code"] == "FLY0652"]
print("told", [(problem["severity"], problem["message"].split("\n")) for problem in told])
action = fixes(client)[0]
edit = action["edit"]["changes"][client.uri][0]
print("fix", action["kind"], action["isPreferred"], edit)
client.change(2, {"range": edit["range"], "text": edit["newText"]})
print("mended", client.problems(2))

# In what it is compiled to.
client.open("/none/p.fly", open(sys.argv[1], encoding="utf-8").read())
print("elaborated", client.problems(1))
client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri}})
while not (found := client.problems(1)):
    pass
print("machine", [(problem["code"], problem["range"]["start"]["line"]) for problem in found])
client.change(2, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\n"})
print("changed", client.problems(2))
print("status", client.close())
