"""How each kernel of the points is launched on the model: grid, arguments, options.

A point says file, kernel and shape. What is left to say is here, by file: the grid, the bytes of each buffer, and where
the model is not given all of the shape, what it is given instead. Buffers hold zeros: no kernel here takes longer for
other numbers, and memory that nothing writes costs nothing.
"""

import array
import dataclasses
import functools
import pathlib
import struct
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent.parent
TIME = "tests/benchmark/time"
PROGRAMS = f"{TIME}/programs.fly"
FOLDER = tempfile.TemporaryDirectory(prefix="validate-")
INCLUDES = ["-I", str(ROOT / "kernels/gemm/products")]

TRIPS = 64                              # of micro-benchmarks: of so many trips the mean is that of more
LONG = 512                              # of those whose whole launch is measured, so that its start does not count
SHORT = 1024                            # k of a kernel whose workgroups are many and slow
MICRO = f"{TRIPS} trips"
# Kernels that a host program chooses by size: what a point names, by what the kernel here is called.
CHOSEN = {PROGRAMS: "softmax_backward_{columns}",
          "kernels/gemm/products/skinny.fly": "skinny_32",
          "kernels/gemm/products/preshuffle_gemm.fly": "preshuffled_fp8"}
# Streams without a loop: type, work-items of a workgroup, elements of a work-item, arrays.
ONES = {"stream_copy_f64": ("f64", 256, 1, 2), "stream_babel_copy": ("f64", 1024, 1, 2),
        "stream_babel_add": ("f64", 1024, 1, 3), "stream_add_eight": ("f16", 256, 8, 3)}
# GEMMs: rows and columns of a tile, work-items of a workgroup.
GEMMS = {f"{TIME}/ladder_gfx950.fly": (256, 256), f"{TIME}/ladder_gfx942.fly": (256, 256),
         "kernels/gemm/steps/large_tile.fly": (256, 256), "kernels/gemm/steps/ping_pong.fly": (256, 512),
         "kernels/gemm/steps/fp8_eight_waves.fly": (256, 512), "kernels/gemm/products/mx_gemm.fly": (256, 256),
         "kernels/gemm/steps/naive.fly": (64, 256), "kernels/gemm/steps/lds.fly": (128, 128)}


@dataclasses.dataclass(frozen=True)
class Launch:
    """One run of `flyc run`. Points that ask different things of one run share it."""
    arch: str
    file: str
    kernel: str
    grid: str
    block: int
    arguments: tuple
    options: tuple = ()
    note: str = ""                      # how it differs from the point's launch

    def command(self):
        words = ["run", str(ROOT / self.file), "--arch", self.arch, "--kernel", self.kernel, "--grid", self.grid,
                 "--block", str(self.block), *INCLUDES, "--threads", "1", "--quiet", *self.options]
        for argument in self.arguments:
            words += ["--arg", argument]
        return words


def up(a, b):
    return -(-a // b)


def zeros(name, elements, type):
    return f"{name}=zeros:{type}[{int(elements)}]"


def values(**integers):
    return [f"{name}=i32:{value}" for name, value in integers.items()]


def gemm(point, m, n, k, rounds=None):
    """c = a @ b.T, with scales where the kernel has them."""
    file, name, arch = point["kernel"]["file"], point["kernel"]["name"], point["arch"]
    tile, block = GEMMS[file]
    grid, options, note = f"{up(m, tile)},{up(n, tile)}", ["--sample", "--matrix", "fast"], ""
    if name.startswith("mx"):                                               # two elements of 4 bits a byte
        arguments = [zeros("a", m * k // 2, "u8"), zeros("b", n * k // 2, "u8"),
                     zeros("sa", up(m, tile) * tile * k // 32, "e8m0"),
                     zeros("sb", up(n, tile) * tile * k // 32, "e8m0"), zeros("c", m * n, "bf16")]
    elif "fp8" in name:
        type = "f8E5M2" if name.endswith("e5m2") else "f8E4M3FN"
        arguments = [zeros("a", m * k, type), zeros("b", n * k, type), zeros("row_scale", m, "f32"),
                     zeros("column_scale", n, "f32"), zeros("c", m * n, "bf16")]
    else:
        type = "bf16" if name.endswith("bf16") else "f16"
        arguments = [zeros("a", m * k, type), zeros("b", n * k, type), zeros("c", m * n, type)]
    if rounds:
        options += ["--rounds", str(rounds)]
        note = f"{rounds} rounds of workgroups, extrapolated"
    return Launch(arch, file, name, grid, block, (*arguments, *values(m=m, n=n, k=k)), tuple(options), note)


def compute(point, trips):
    name = point["kernel"]["name"]
    type = name.split("_")[1]
    arguments = [zeros("a", 16 * 128, type), zeros("b", 16 * 128, type),
                 zeros("c", 8 * 16 * 16, "i32" if type == "i8" else "f32")]
    return Launch(point["arch"], point["kernel"]["file"], name, "1", 64, (*arguments, *values(trips=TRIPS)), (), MICRO)


def lds(point, trips):
    name = point["kernel"]["name"]
    waves, trips = 4 if name.endswith("4") else 1, min(trips, TRIPS)
    return Launch(point["arch"], point["kernel"]["file"], name, "1", 64 * waves,
                  (zeros("y", 1024, "i32"), *values(trips=trips)), (), MICRO if trips > 1 else "")


@functools.cache
def ring(n, step):
    """A file with the byte offset of the element `step` later for each of n: what `chase` follows."""
    path = pathlib.Path(FOLDER.name) / f"ring_{n}_{step}.npy"
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({n},), }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
                     + array.array("i", ((i + step) % n * 4 for i in range(n))).tobytes())
    return path


def memory(point, n=None, step=None, trips=None, workgroups=None):
    name, file, arch = point["kernel"]["name"], point["kernel"]["file"], point["arch"]
    if name == "chase":
        trips = 4096
        return Launch(arch, file, name, "1", 64, (f"next={ring(n, step)}", zeros("y", 64, "i32"),
                                                  *values(n=n, trips=trips)), (), f"{trips} trips")
    if name.startswith("strided"):
        return Launch(arch, file, name, str(workgroups), 1024,
                      (zeros("x", n, "i32"), zeros("y", 1024 * workgroups, "i32"),
                       *values(n=n, step=step, trips=LONG, workgroups=workgroups)), (), f"{LONG} trips")
    if name in ONES:
        type, block, elements, arrays = ONES[name]
        buffers = [zeros(each, n, type) for each in "xyz"[:arrays]]
        return Launch(arch, file, name, str(up(n, block * elements)), block, (*buffers, *values(n=n)),
                      ("--sample", "--rounds", "4"), "4 rounds of workgroups, extrapolated")
    part, note = 4 * 1024 * workgroups, ""
    if arch == "gfx1201":
        n, note = n // 8, "an eighth of the bytes, which is twice the caches"
    elif n % part:
        n, note = up(n, part) * part, f"{up(n, part) * part >> 18} MiB: whole trips"
    y = n if name == "stream_copy" else 256 * workgroups
    return Launch(arch, file, name, str(workgroups), 256,
                  (zeros("x", n, "f32"), zeros("y", y, "f32"), *values(n=n, workgroups=workgroups)),
                  ("--sample",), note)


def rows(point, rows, columns):
    name, elements = point["kernel"]["name"], rows * columns
    arguments = [zeros("x", elements, "bf16"), zeros("y", elements, "bf16"), *values(m=rows, n=columns)]
    if name.startswith("layernorm"):
        arguments += [zeros("w", columns, "bf16"), zeros("b", columns, "bf16"), "eps=f32:0.00001"]
    return Launch(point["arch"], point["kernel"]["file"], name, str(rows), 256, tuple(arguments),
                  ("--sample", "--rounds", "4"), "4 rounds of workgroups, extrapolated")


def softmax_backward(point, rows, columns):
    buffers = [zeros(name, rows * columns, "bf16") for name in ("y", "dy", "dx")]
    return Launch(point["arch"], PROGRAMS, f"softmax_backward_{columns}", str(rows), 256,
                  (*buffers, *values(m=rows)), ("--sample", "--rounds", "4"),
                  "4 rounds of workgroups, extrapolated")


def skinny(point, m, n, k):
    arguments = [zeros("a", m * k, "bf16"), zeros("b", n * k, "bf16"), "epilogue=bytes:0000803f",
                 zeros("c", m * n, "bf16"),
                 *values(m=m, n=n, k=k, batch=1, lda=k, ldb=k, ldc=n, step_a=0, step_b=0, step_c=0, splits=1)]
    return Launch(point["arch"], PROGRAMS, "skinny_32", f"{up(n, 32)},1,1", 256, tuple(arguments),
                  ("--sample", "--matrix", "fast"))


def preshuffled(point, m, n, k):
    arguments = [zeros("a", m * k, "f8E4M3FN"), zeros("b", n * k, "f8E4M3FN"), zeros("row_scale", m, "f32"),
                 zeros("column_scale", n, "f32"), zeros("bias", n, "f32"), zeros("c", m * n, "bf16"),
                 *values(m=m, n=n, k=k)]
    return Launch(point["arch"], PROGRAMS, "preshuffled_fp8", f"{up(m, 64)},{up(n, 256)}", 256, tuple(arguments),
                  ("--sample", "--matrix", "fast"))


def of(point):
    """The launch of a point, or None if it has no kernel."""
    if not point["kernel"]:
        return None
    file, shape = point["kernel"]["file"], dict(point["kernel"]["shape"])
    if file.endswith("naive.fly"):
        launch = gemm(point, **{**shape, "k": SHORT}, rounds=2)
        return dataclasses.replace(launch, note=f"k {SHORT}, {launch.note}")
    if file in GEMMS:
        return gemm(point, **shape, rounds=needs_rounds(point))
    kinds = {f"{TIME}/micro_compute.fly": compute, f"{TIME}/micro_lds.fly": lds, f"{TIME}/micro_memory.fly": memory,
             "kernels/normalization/softmax.fly": rows, "kernels/normalization/layernorm.fly": rows,
             PROGRAMS: softmax_backward, "kernels/gemm/products/skinny.fly": skinny,
             "kernels/gemm/products/preshuffle_gemm.fly": preshuffled}
    return kinds[file](point, **shape)


def needs_rounds(point):
    """Two rounds are enough for a launch with several times as many workgroups; None: all of them."""
    shape, (tile, _) = point["kernel"]["shape"], GEMMS[point["kernel"]["file"]]
    return 2 if up(shape["m"], tile) * up(shape["n"], tile) >= 1024 else None
