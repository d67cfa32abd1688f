"""Sums over devices of this process, launched and from graphs; arrays that are written again; what is refused."""
import sys

import flyc
import numpy as np

k = flyc.load(sys.argv[1] + "/parallel.json")
random = np.random.default_rng(1)


def refused(call):
    try:
        call()
    except ValueError as error:
        print("refused:", error)
    else:
        print("not refused")


def bits(x):
    """Small integers in bf16 are exact, and so are their sums."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def sums(world, n, runs):
    """How many numbers are wrong, of eager launches and of as many launches of graphs."""
    ranks, wrong = flyc.Ranks(range(world)), 0
    x, out = ranks.allocate((n,), "bf16"), ranks.allocate((n,), "bf16")
    temporary, sum_of, graphs = ranks.allocate((2 * n + 8 * world,), "bf16"), k[f"sum_{world}"], []

    def queue(r):
        pointers = x.pointers[r], temporary.pointers[r], ranks.signals[r]
        sum_of(*pointers, out[r], x[r], rank=r, n=n, stream=ranks.streams[r])

    for r in ranks:
        with ranks.use(r):
            k.load()
            with flyc.capture(ranks.streams[r]) as graph:
                queue(r)
            graphs.append(graph)
    for run in range(2 * runs):
        given = random.integers(-20, 20, (world, n))
        for r in ranks:
            with ranks.use(r):
                x[r].copy_from(bits(given[r]))
                out[r].copy_from(np.full(n, 0x7FC0, np.uint16))
        for r in ranks:
            with ranks.use(r):
                graphs[r].launch() if run % 2 else queue(r)
        ranks.synchronize()
        for r in ranks:
            wrong += int((out[r].numpy() != bits(given.sum(0))).sum())
    return wrong


print("devices:", flyc.device_count())
for world, n in ((2, 1), (2, 4099), (4, 4099), (4, 200_000)):
    print(f"{world} ranks, {n} numbers: {sums(world, n, 2)} wrong")
with flyc.on_device(3):
    print("on device", flyc.current_device(), flyc.Array(shape=(1,), type="f32").device)
print("on device", flyc.current_device())
refused(lambda: flyc.Ranks([0, 0]))
refused(lambda: flyc.Ranks([]))
refused(lambda: flyc.Array(np.zeros(3, np.float32)).copy_from(np.zeros(4, np.float32)))
