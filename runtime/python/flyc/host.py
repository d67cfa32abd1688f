"""Tensors of host memory, for the emulator: copied to the device, and what is written back."""
from . import device as devices


class HostCopies:
    """Replaces the addresses in `values` by those of copies. A tensor's copy has all memory from its first to its last
    element, so strides stay. Tensors that share memory share the copy."""

    def __init__(self, bound, parameters, slots, values):
        self.copies = []  # (first address, end, address of the copy, whether it is written)
        spans = []
        for index, view in enumerate(bound.views):
            if view is not None and not view.is_empty:
                low, high = view.reach()
                spans.append((view.address + low, view.address + high, parameters[index].is_written))
        for view in bound.pointers.values():  # a struct does not say what is written
            low, high = view.reach()
            spans.append((view.address + low, view.address + high, not view.read_only))
        self.spans = _merged(spans)
        self.places = [(slots.of[index], view) for index, view in enumerate(bound.views) if view is not None]
        self.places += [
            (slots.of[index] + slots.paths[index][path][2], view) for (index, path), view in bound.pointers.items()
        ]
        self.values = values

    def __enter__(self):
        try:
            for first, end, written in self.spans:
                skew = first % 256  # alignment stays as it is
                base = devices.malloc(end - first + skew)
                self.copies.append((first, end, base, base + skew, written))
                devices.copy_to_device(base + skew, first, end - first)
        except BaseException:
            self._free()
            raise
        for slot, view in self.places:
            self.values[slot] = self._moved(view)
        return self

    def _moved(self, view):
        for first, end, _, copy, _ in self.copies:
            if first <= view.address < end:
                return copy + view.address - first
        return 0 if view.is_empty else view.address

    def back(self):
        """Waits for the kernels, and copies what they wrote."""
        devices.synchronize()
        for first, end, _, copy, written in self.copies:
            if written:
                devices.copy_to_host(first, copy, end - first)

    def _free(self):
        for _, _, base, _, _ in self.copies:
            devices.free(base)
        self.copies = []

    def __exit__(self, *_):
        self._free()


def _merged(spans):
    found = []
    for first, end, written in sorted(spans):
        if found and first < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]), written or found[-1][2])
        else:
            found.append((first, end, written))
    return found
