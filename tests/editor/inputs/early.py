"""early.py: what is told of a kernel with two mistakes, far from each other, and when: `version: [lines]` per time."""

from client import Client

TEXT = """@kernel(block=64, grid=1)
def k(c: Out[f32, (64,)]):
    first = 1 + "a"
    sum = 0
    for n in unroll(2000):
        sum = sum + n * n
    second = 1 + "b"
    c[thread_id.x] = f32(sum)
"""


def told(version):
    return sorted(problem["range"]["start"]["line"] + 1 for problem in client.problems(version))


client = Client(["--arch", "gfx950", "--compile-timeout=0"])
client.open("/none/k.fly", TEXT)
print("opened:", told(1), told(1))
# Nothing that was told before vanishes and comes back.
client.change(2, {"text": TEXT.replace("n * n", "n * 2")})
print("still wrong:", told(2))
client.change(3, {"text": TEXT.replace(' + "b"', "")})
print("one is mended:", told(3))
client.change(4, {"text": TEXT})
print("and made again:", told(4), told(4))
client.change(5, {"text": TEXT.replace(' + "a"', "").replace(' + "b"', "")})
print("both are mended:", told(5), "status", client.close())
