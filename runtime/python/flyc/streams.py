"""Streams, events and graphs, for programs that have no framework's."""
import ctypes

from ._library import check, library, start


class Stream:
    """Work that runs in order, beside that of other streams: `k.softmax(x, y, stream=s)`."""

    def __init__(self):
        start()
        self._handle = ctypes.c_void_p()
        check(library.fly_stream_create(ctypes.byref(self._handle)))
        self.ptr = self._handle.value or 0

    def __int__(self):
        return self.ptr

    def synchronize(self):
        check(library.fly_stream_synchronize(self._handle))

    def __del__(self):
        if getattr(self, "ptr", 0):
            library.fly_stream_destroy(self._handle)


class Graph:
    """What a stream is given within `with flyc.capture(stream) as graph:`, launched as a whole by `graph.launch(stream)`."""

    def __init__(self, stream):
        self._stream, self._handle = stream, None

    def __enter__(self):
        check(library.fly_graph_begin(ctypes.c_void_p(int(self._stream))))
        return self

    def __exit__(self, kind, error, trace):
        handle = ctypes.c_void_p()
        code = library.fly_graph_end(ctypes.c_void_p(int(self._stream)), ctypes.byref(handle))
        if kind is None:
            check(code)
        self._handle = handle if handle.value else None

    def launch(self, stream=None):
        if self._handle is None:
            raise ValueError("the graph is not captured yet, or its capture failed")
        check(library.fly_graph_launch(self._handle, ctypes.c_void_p(int(self._stream if stream is None else stream))))

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            library.fly_graph_destroy(self._handle)


def capture(stream):
    """Load the modules before (`k.load()`), and call each launch function once, so that its workspace is there."""
    return Graph(stream)
