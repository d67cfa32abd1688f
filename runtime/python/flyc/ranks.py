"""Ranks: devices of this process whose kernels work on one problem (kernels/comm, docs/collectives.md).

    ranks = flyc.Ranks([0, 1])                                    # rank r is on the r-th of these devices
    x, out = ranks.allocate((m, n), "bf16"), ranks.allocate((m, n), "bf16")
    for r in ranks:
        with ranks.use(r):
            k.all_reduce_2(x.pointers[r], temporary.pointers[r], ranks.signals[r], out[r], x[r], r, m * n, stream=ranks.streams[r])
    ranks.synchronize()

A kernel that waits for another rank's ends only when that one runs, too. So until all ranks have what belongs together,
nothing may wait: load modules, call functions that need a workspace once (or pass `workspace=`), allocate before, and free after `synchronize`.
"""
import ctypes

from ._library import check, library
from .device import Array, on_device
from .streams import Stream

MOST = 8
_SIGNAL_WORDS = 2 * 512 * MOST + 512  # fly.comm.SIGNALS of every architecture


class Shared:
    """Memory of each rank that all can access: `x[r]` is that of rank r, an Array, and `x.pointers[r]` is the device array of the
    addresses of all, in memory of rank r."""

    def __init__(self, ranks, arrays):
        self._arrays, self.pointers = arrays, []
        addresses = (ctypes.c_uint64 * len(arrays))(*[array.pointer for array in arrays])
        for r in ranks:
            with ranks.use(r):
                self.pointers.append(Array(addresses))
                self.pointers[-1].of = arrays  # which live as long

    def __getitem__(self, rank):
        return self._arrays[rank]

    def __len__(self):
        return len(self._arrays)


class Ranks:
    """`signals[r]` are what the kernels of rank r meet by, `streams[r]` is a stream of its own for each."""

    def __init__(self, devices):
        self.devices = list(devices)
        if len(set(self.devices)) != len(self.devices) or not 1 <= len(self.devices) <= MOST:
            raise ValueError(f"ranks are on 1 to {MOST} different devices, got {self.devices}")
        for r in self:
            with self.use(r):
                for peer in self.devices:
                    if peer != self.devices[r]:
                        check(library.fly_enable_peer_access(ctypes.c_int(peer)))
        zeros = (ctypes.c_uint32 * _SIGNAL_WORDS)()
        self.signals = Shared(self, self._each(lambda: Array(zeros, uncached=True))).pointers
        self.streams = self._each(Stream)

    def _each(self, make):
        found = []
        for r in self:
            with self.use(r):
                found.append(make())
        return found

    def __iter__(self):
        return iter(range(len(self.devices)))

    def __len__(self):
        return len(self.devices)

    def use(self, rank):
        """`with ranks.use(r):` its device is the calling thread's."""
        return on_device(self.devices[rank])

    def allocate(self, shape, type):
        """Memory of each rank, of this shape and element type, for all; its content is undefined."""
        return Shared(self, self._each(lambda: Array(shape=shape, type=type)))

    def synchronize(self):
        """Waits for the streams of all ranks."""
        for stream in self.streams:
            stream.synchronize()
