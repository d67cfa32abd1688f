"""offers.py: what completion offers for an architecture: instructions, members, products, keywords. Instructions are
there at once after a pause, and before that, who asks waits for them."""

import os
import time

from client import Client
from processes import workers

TEXT = """from fly.amd import MFMA, WMMA, isa

@kernel(grid=1, block=64)
def k(c: Out[f32, (64,)]):
    tile = layout[(8, 8):(8, 1)]
    x = 1.0
    {}
    c[thread_id.x] = isa.v_add_f32(x, x)
"""


def offer(line):
    """Labels where the line ends, or at its `|`."""
    global version
    version += 1
    at = line.find("|") if "|" in line else len(line)
    client.change(version, {"text": TEXT.replace("{}", line.replace("|", ""))})
    return [item["label"] for item in client.at("completion", 6, 4 + at)["items"]]


for arch, instruction, other, product in (("gfx950", "v_mfma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_f16", "MFMA("),
                                          ("gfx1201", "v_wmma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_f16", "WMMA(")):
    client = Client(["--arch", arch, "--compile-timeout", "0"])
    version = 1
    client.open("/none/k.fly", TEXT.replace("{}", "y = 2.0"))
    client.problems(1)
    client.at("hover", 7, 27)  # the list of instructions has been read after that
    labels = offer("y = isa.v_|")
    print(arch, instruction in labels, other in labels, "v_add_f32" in labels)
    print(arch, "v_permlane32_swap_b32" in labels)
    print(arch, [label for label in offer("y = isa.v_add_f32|") if label.startswith("v_add")])
    print(arch, [label for label in offer("y = tile.s|") if label.startswith("s")])
    labels = offer(f"y = {product}|)")
    print(arch, [label for label in labels if label.endswith(", f16")], "type_b=" in labels, "k=" in labels)
    print("status", client.close())


def processor_time(worker):
    """Seconds that it has computed."""
    with open(f"/proc/{worker}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


client = Client(["--arch", "gfx942", "--compile-timeout", "0"])
client.open("/none/k.fly", TEXT.replace("{}", "y = 2.0"))
client.problems(1)
[worker] = workers(client)
before, rested, deadline = -1.0, 0, time.time() + 60
while rested < 8 and time.time() < deadline: # until it does nothing
    time.sleep(0.25)
    now = processor_time(worker)
    rested, before = (rested + 1, now) if now == before else (0, now)
assert "v_add_f32" in client.at("hover", 7, 27)["contents"]["value"]
spent = processor_time(worker) - before
print("first hover", "at once" if spent < before / 4 else f"took {spent:.2f} s, reading {before:.2f} s")
print("status", client.close())

# Who asks before the list is read waits for it, longer than a step of work may take.
client = Client(["--arch", "gfx1250", "--compile-timeout", "0", "--answer-timeout", "1"])
client.open("/none/k.fly", TEXT.replace("{}", "y = isa.v_"))
question = {"textDocument": {"uri": client.uri}, "position": {"line": 6, "character": 14}}
for attempt in range(2): # the first one may be lost on a machine that has no time
    answer = client.answer(client.ask("textDocument/completion", question))
    if "result" in answer:
        break
print("v_add_f32" in [item["label"] for item in answer["result"]["items"]])
print("status", client.close())
