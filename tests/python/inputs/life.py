"""Leaks, threads, forks, and the end of the interpreter. life.py FORMS.json WHAT"""
import gc
import os
import resource
import sys
import threading

import flyc
import numpy as np


def leaks(k):
    """10,000 calls of each way keep no memory: device memory, and that of the process."""
    x, y = np.ones(64, np.float32), np.empty(64, np.float32)
    a, b = flyc.Array(x), flyc.Array(y)

    class Capsule:
        def __dlpack_device__(self):
            return a.__dlpack_device__()

        def __dlpack__(self, **words):
            return a.__dlpack__()
    ways = [lambda: k.scale(x, y, 2), lambda: k.scale(a, b, 2), lambda: k.scale(Capsule(), flyc.empty, 2), lambda: k.add_twice(a, b)]

    def rounds(count):
        for _ in range(count):
            for way in ways:
                way()
        flyc.synchronize()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = rounds(500)
    after = rounds(2500)
    assert after - before < 4096, f"10,000 calls kept {after - before} KiB"
    assert not flyc.dlpack._exported
    print("leaks: none")


def threads(k):
    """Each thread has its own stream and tensors; plans are shared."""
    wrong = []

    def work(number):
        stream, x = flyc.Stream(), np.arange(100, dtype=np.float32)
        a, b = flyc.Array(x), flyc.Array(shape=100, type="f32")
        for i in range(50):
            k.scale(a, b, float(number * i), stream=stream)
            stream.synchronize()
            if not np.array_equal(b.numpy(), x * (number * i)):
                wrong.append((number, i))
            try:
                k.scale(a, flyc.Array(shape=99, type="f32"), 1.0)
                wrong.append("taken")
            except flyc.ArgumentError as error:
                if "(99,)" not in str(error):
                    wrong.append(str(error))
    running = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong, wrong
    print("threads: right")


def fork(k):
    """A child of a process that has used a device is told so; a child that forks before may use it."""
    early = os.fork()
    if early == 0:
        k.scale(np.ones(2, np.float32), flyc.empty, 1)
        os._exit(0)
    assert os.waitpid(early, 0)[1] == 0
    k.scale(np.ones(2, np.float32), flyc.empty, 1)
    sys.stdout.flush()
    late = os.fork()
    if late == 0:
        try:
            k.scale(np.ones(2, np.float32), flyc.empty, 1)
            os._exit(3)
        except flyc.Error as error:
            os._exit(0 if "fork" in str(error) else 4)
    assert os.waitpid(late, 0)[1] == 0
    print("fork: told")


def leave(k):
    """The interpreter ends while a kernel runs, with tensors, streams and graphs alive in module globals."""
    global kept
    stream = flyc.Stream()
    a, b = flyc.Array(np.ones(1 << 16, np.float32)), flyc.Array(shape=1 << 16, type="f32")
    k.scale(a, b, 2, stream=stream)
    with flyc.capture(stream) as graph:
        k.scale(a, b, 2, stream=stream)
    graph.launch()
    kept = stream, a, b, graph
    print("leave: now")


module = flyc.load(sys.argv[1])
{"leaks": leaks, "threads": threads, "fork": fork, "leave": leave}[sys.argv[2]](module)
