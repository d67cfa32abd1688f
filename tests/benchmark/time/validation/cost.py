"""What the model costs, beside the plain emulator and for a large product, and what simulating one XCD changes."""

import dataclasses

from validation import launches
from validation.sensitivity import point

LADDER = f"{launches.TIME}/ladder_gfx950.fly"


def launch(file, kernel, shape, options):
    return dataclasses.replace(launches.of(point("gfx950", file, kernel, shape)), options=tuple(options))


# All workgroups are executed and timed, so that both do the same work.
BESIDE_EMULATOR = {
    "`gemm_v5`, 2048 × 2048 × 2048":
        launch(LADDER, "gemm_v5", {"m": 2048, "n": 2048, "k": 2048}, ["--matrix", "fast"]),
    "`softmax_bf16_8192`, 8192 rows":
        launch("kernels/normalization/softmax.fly", "softmax_bf16_8192", {"rows": 8192, "columns": 8192}, []),
    "`mx_gemm_f4E2M1`, 2048 × 2048 × 4096":
        launch("kernels/gemm/products/mx_gemm.fly", "mx_gemm_f4E2M1", {"m": 2048, "n": 2048, "k": 4096},
               ["--matrix", "fast"]),
}
LARGE = launch("kernels/gemm/steps/large_tile.fly", "gemm_large_f16", {"m": 4096, "n": 4096, "k": 4096},
               ["--sample", "--matrix", "fast"])
# 8 workgroups on each XCD: with a few more, `--cus all` runs out of memory.
SAMPLED = {
    f"`{kernel}`, 4096 × 4096 × 512": launch(LADDER, kernel, {"m": 4096, "n": 4096, "k": 512}, ["--matrix", "fast"])
    for kernel in ("gemm_v3", "gemm_v5")
}
MODEL = ("--time-model=json", "--time-out", "/dev/null")


def measure(runs):
    beside = {}
    for name, each in BESIDE_EMULATOR.items():
        runs.call(*each.command())                                          # compiles
        plain = min(runs.seconds(*each.command())[0] for _ in range(2))
        beside[name] = [plain, min(runs.seconds(*each.command(), *MODEL)[0] for _ in range(2))]
    sampled = {}
    for name, each in SAMPLED.items():
        whole, part = (each, ("--cus", "all")), (each, ("--cus", "xcd", "--sample"))
        found = {**runs.all([whole]), **runs.all([part])}           # one at a time: a whole chip's trace is large
        sampled[name] = [found[whole]["cycles"], found[part]["cycles"]]
    runs.call(*LARGE.command())
    large = runs.seconds(*LARGE.command(), *MODEL)
    return {"beside_emulator": beside, "sampled": sampled, "large_gemm": large}
