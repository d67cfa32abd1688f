"""A large matrix product on the emulator, all of it compared with the host's: by default 4096^3 in f16 on gfx950.

    python3 tests/benchmark/gemm_4096.py build/bin/flyc
    python3 tests/benchmark/gemm_4096.py build/bin/flyc --kernel double_buffered --arch gfx942 --size 1024 --size 2048
    python3 tests/benchmark/gemm_4096.py build/bin/flyc --size 4096,1000,8192 --values random
    python3 tests/benchmark/gemm_4096.py build/bin/flyc --kernel fp8_eight_waves --size 2048

Factors are small integers, so that every sum is exact and c must be right to the bit, or `--values random` ones in
[-1, 1), compared within the tolerance of docs/gemm.md. It is not part of the test suite; docs/gemm.md says how long it takes.
"""
import argparse, os, subprocess, sys, tempfile, time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(ROOT, "kernels", "gemm", "steps")
KERNELS = {  # a kernel's name, the types of its operands, and its call
    **{file: (kernel, ("f16", "bf16"), "{kernel}[T=T](a, b, c, m, n, k)") for file, kernel in (
        ("naive", "gemm_naive"), ("lds", "gemm_lds"), ("double_buffered", "gemm_double_buffered"),
        ("direct_to_lds", "gemm_direct"), ("large_tile", "gemm_large"), ("large_preshuffle", "gemm_large_preshuffle"))},
    "fp8_eight_waves": ("gemm_fp8", ("f8E4M3FN", "f8E5M2"),
                        "{kernel}[A=T](a, b, full((m,), 2.0, f32), full((n,), 0.5, f32), c, m, n, k)"),
}
CHECK = """\
from fly.matrix import product_tolerance
from {file} import {kernel}


@check
def multiplies():
    m, n, k, T = {m}, {n}, {k}, {type}
    C = bf16 if T.bits == 8 else T
    a, b, c = {a}, {b}, empty((m, n), C)
    {call}
    {expectation}
"""
VALUES = {  # an operand of a shape and a seed, and what is expected of c
    "integers": ("random({shape}, i8, seed={seed}, lo=-4, hi=5).to(T)", "expect_equal(c, (a @ b.T).to(C))"),
    "random": ("random({shape}, T, seed={seed})", "expect_close(c, a @ b.T, rtol=ulp(C) / 2, atol=product_tolerance(k))"),
}


def extents(text):
    numbers = [int(part) for part in text.split(",")]
    if len(numbers) not in (1, 3):
        raise argparse.ArgumentTypeError("expected S or M,N,K")
    return numbers * 3 if len(numbers) == 1 else numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("flyc")
    parser.add_argument("--kernel", choices=KERNELS, default="direct_to_lds")
    parser.add_argument("--arch", default="gfx950")
    parser.add_argument("--type", help="of the operands; default: the first that the kernel has")
    parser.add_argument("--values", choices=VALUES, default="integers")
    parser.add_argument("--size", action="append", type=extents, metavar="S|M,N,K", help="repeatable; default: 4096")
    options = parser.parse_args()
    operand, expectation = VALUES[options.values]
    kernel, types, call = KERNELS[options.kernel]
    T = options.type or types[0]
    if T not in types:
        parser.error(f"{options.kernel} takes {' and '.join(types)}")
    for m, n, k in options.size or [[4096] * 3]:
        print(f"{options.kernel}, {options.arch}, {T}, {options.values}, {m} x {n} x {k}: ", end="", flush=True)
        source = CHECK.format(file=options.kernel, kernel=kernel, call=call.format(kernel=kernel), m=m, n=n, k=k, type=T,
                              a=operand.format(shape="(m, k)", seed=1), b=operand.format(shape="(n, k)", seed=2), expectation=expectation)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "product.fly")
            with open(file, "w") as out:
                out.write(source)
            begin = time.monotonic()
            result = subprocess.run([options.flyc, "test", file, "-I", FOLDER, "--arch", options.arch], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            took = time.monotonic() - begin
        if result.returncode:
            sys.exit("FAILED\n" + result.stdout)
        print(f"right, {took:.1f} s", flush=True)


if __name__ == "__main__":
    main()
