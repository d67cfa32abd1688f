"""offers.py: what completion offers for an architecture: instructions, members, products, keywords. Instructions are there at
once after a pause."""

import time

from client import Client

TEXT = """from fly.amd import MFMA, WMMA, isa

@kernel(grid=1, block=64)
def k(c: Out[f32, (64,)]):
    tile = layout[(8, 8):(8, 1)]
    x = 1.0
    {}
    c[thread_id.x] = isa.v_add_f32(x, x)
"""


def offer(arch, line):
    """Labels where the line ends, or at its `|`."""
    global version
    version += 1
    at = line.find("|") if "|" in line else len(line)
    client.change(version, {"text": TEXT.replace("{}", line.replace("|", ""))})
    began = time.time()
    labels = [item["label"] for item in client.at("completion", 6, 4 + at)["items"]]
    return labels, time.time() - began


for arch, instruction, other, product in (("gfx950", "v_mfma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_f16", "MFMA("),
                                          ("gfx1201", "v_wmma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_f16", "WMMA(")):
    client = Client(["--arch", arch, "--compile-timeout", "0"])
    version = 1
    client.open("/none/k.fly", TEXT.replace("{}", "y = 2.0"))
    client.problems(1)
    client.at("hover", 7, 27)  # the list of instructions has been read after that
    labels, seconds = offer(arch, "y = isa.v_|")
    print(arch, instruction in labels, other in labels, "v_add_f32" in labels, seconds < 2)
    print(arch, [label for label in offer(arch, "y = isa.v_add_f|")[0] if label == "v_add_f32" or not label.startswith("v_add_f")])
    print(arch, [label for label in offer(arch, "y = tile.s|")[0] if label.startswith("s")])
    labels = offer(arch, f"y = {product}|)")[0]
    print(arch, [label for label in labels if label.endswith(", f16")], "type_b=" in labels, "k=" in labels)
    print(arch, [label for label in offer(arch, "y = tile(0, |)")[0] if "16" in label and "," in label])
    print("status", client.close())

client = Client(["--arch", "gfx942", "--compile-timeout", "0"])
client.open("/none/k.fly", TEXT.replace("{}", "y = 2.0"))
client.problems(1)
time.sleep(8)
began = time.time()
assert "v_add_f32" in client.at("hover", 7, 27)["contents"]["value"]
print("first hover", "fast" if time.time() - began < 1 else f"{time.time() - began:.1f} s")
print("status", client.close())
