#!/usr/bin/env python3
"""What a call from Python costs beside the C function that the header has, and what a compilation costs.

    tests/benchmark/python_calls.py BUILD [--write]

Without a launch: the runtime's call is replaced by one that does nothing, in C too, so that what is measured is what comes
before it. Times are medians of rounds, as ratios to the C function; docs/python.md has the table (`--write`).
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated_section import Section

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
@kernel(block=64, grid=ceil_div(n, 64), requires=n % 2 == 0)
def scale(x: In[f32, (n,)], y: Out[f32, (n,)], by: f32, n: i32):
    i = block_id.x * 64 + thread_id.x
    if i < n:
        y[i] = x[i] * by
"""
PROGRAM = r"""
#include "scale.h"
#include <stdio.h>
#include <time.h>
static fly_status nothing(fly_module *m, uint32_t k, const fly_launch *l, fly_stream s) {
  (void)m, (void)k, (void)s; __asm__ volatile("" : : "r"(l) : "memory"); return FLY_OK; }
#define fly_module_launch nothing
#undef FLY_MODULE_scale_H
#define scale_module scale_module_2
#define scale_scale scale_scale_2
#include "scale.h"
int main(void) {
  float *x, *y;
  struct timespec a, b;
  if (fly_malloc((void **)&x, 4096) || fly_malloc((void **)&y, 4096)) return 1;
  for (int round = 0; round < 9; ++round) {
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 200000; ++i) if (scale_scale_2(NULL, x, y, 2.0f, 1000)) return puts(fly_error()), 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%g\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 200000 / 1e3);
  }
  return 0;
}
"""


def median_of(call, count, rounds=9):
    """Microseconds of a call."""
    found = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        found.append((time.perf_counter() - begin) / count * 1e6)
    return statistics.median(found)


def in_c(build, folder):
    (folder / "program.c").write_text(PROGRAM)
    command = ["cc", "-O2", "-w", f"-I{folder}", f"-I{ROOT}/runtime/include", folder / "program.c", "-o", folder / "program",
               f"-L{build}/lib", "-lfly_runtime", f"-Wl,-rpath,{build}/lib"]
    subprocess.run(command, check=True)
    return statistics.median(map(float, subprocess.run([folder / "program"], capture_output=True, text=True, check=True).stdout.split()))


def in_python(folder):
    import flyc
    import numpy as np
    import torch
    from flyc import launching

    class OnDevice(torch.Tensor):
        """A PyTorch tensor of a ROCm device: attributes as fast as the real ones but for two."""
        __torch_function__ = torch._C._disabled_torch_function_impl
        device = property(lambda self, found=torch.device("cuda:0"): found)

        def data_ptr(self):
            return self.address

    class Capsule:
        """A producer that takes no time: its capsule is made once, since flyc does not consume it."""

        def __init__(self, array):
            self.array, self.capsule = array, array.__dlpack__()

        def __dlpack_device__(self):
            return 10, 0

        def __dlpack__(self, stream=None, max_version=None):
            return self.capsule
    k = flyc.load(folder / "scale.json")
    arrays = [flyc.Array(shape=1000, type="f32") for _ in range(2)]
    tensors = [torch.zeros(1000).as_subclass(OnDevice) for _ in range(2)]
    for tensor, array in zip(tensors, arrays):
        tensor.address = array.pointer
    capsules = [Capsule(array) for array in arrays]
    for pair in (tensors, capsules):
        k.scale(*pair, 2.0)
    flyc.synchronize()
    real, launching._launch_function = launching._launch_function, _Nothing()
    rows = [("two PyTorch tensors", median_of(lambda: k.scale(tensors[0], tensors[1], 2.0), 5000)),
            ("the same, all by name", median_of(lambda: k.scale(x=tensors[0], y=tensors[1], by=2.0), 5000)),
            ("two tensors by DLPack, without the producer's part", median_of(lambda: k.scale(capsules[0], capsules[1], 2.0), 1000)),
            ("two `flyc.Array`", median_of(lambda: k.scale(arrays[0], arrays[1], 2.0), 1000))]
    launching._launch_function = real
    return rows


class _Nothing:
    """In place of the runtime's call, with what ctypes costs."""

    def __init__(self):
        import ctypes
        self.call = ctypes.CDLL(None).abs
        self.call.argtypes = [ctypes.c_int]

    def __call__(self, *arguments):
        return self.call(0)


def compilation():
    """(first call from nothing, from what is kept by another process, in this process) in seconds."""
    import flyc
    os.environ["FLY_CACHE_DIR"] = ""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLY_PYTHON_CACHE"] = folder
        times = []
        for prepare in (lambda: None, flyc.jit._built.clear, lambda: None):
            prepare()
            begin = time.perf_counter()
            flyc.kernel(SOURCE)._choose((), {})
            times.append(time.perf_counter() - begin)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--write", action="store_true", help="into docs/python.md")
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ.update(FLY_DEVICE="emulator", FLY_EMULATE="gfx942", FLYC=str(build / "bin/flyc"), FLY_RUNTIME_LIBRARY=str(build / "lib/libfly_runtime.so"))
    sys.path.insert(0, str(ROOT / "runtime/python"))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "scale.fly").write_text(SOURCE)
        subprocess.run([build / "bin/flyc", "build", folder / "scale.fly", "-o", folder, "--quiet"], check=True)
        base = in_c(build, folder)
        rows = in_python(folder)
    cold, kept, warm = compilation()
    lines = ["| call, without the launch | microseconds | of the C function |", "|---|---:|---:|", f"| the C function of the header | {base:.2f} | 1 |"]
    lines += [f"| {name} | {value:.1f} | {value / base:.0f} |" for name, value in rows]
    lines += ["", "| compilation of the kernel above, and its first use | milliseconds |", "|---|---:|", f"| `flyc.kernel` from nothing | {cold * 1e3:.0f} |",
              f"| kept by an earlier process | {kept * 1e3:.1f} |", f"| again in the same process | {warm * 1e3:.2f} |", "",
              "FlyDSL takes 230 ms from nothing, and 5 us per launch. These are from another machine, so compare orders of magnitude."]
    text = "\n".join(lines)
    print(text)
    if options.write:
        Section("python_calls", ROOT / "docs/python.md").write(text)


if __name__ == "__main__":
    main()
