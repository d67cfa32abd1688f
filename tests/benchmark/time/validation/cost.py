"""What the model costs: beside the plain emulator, of one large product, and what simulating a part of the chip changes."""

import dataclasses

from validation import launches
from validation.sensitivity import point

LADDER = f"{launches.TIME}/ladder_gfx950.fly"


def launch(file, kernel, shape, options):
    return dataclasses.replace(launches.of(point("gfx950", file, kernel, shape)), options=tuple(options))


# All workgroups are executed and timed, so that both do the same work.
BESIDE_EMULATOR = {
    "`gemm_v5`, 1024 × 1024 × 1024":
        launch(LADDER, "gemm_v5", {"m": 1024, "n": 1024, "k": 1024}, ["--matrix", "fast"]),
    "`softmax_bf16_8192`, 512 rows":
        launch("kernels/normalization/softmax.fly", "softmax_bf16_8192", {"rows": 512, "columns": 8192}, []),
    "`mx_gemm_f4E2M1`, 1024 × 1024 × 2048":
        launch("kernels/gemm/mx_gemm.fly", "mx_gemm_f4E2M1", {"m": 1024, "n": 1024, "k": 2048}, ["--matrix", "fast"]),
}
LARGE = launch("kernels/gemm/large_tile.fly", "gemm_large_f16", {"m": 4096, "n": 4096, "k": 4096},
               ["--sample", "--matrix", "fast"])
SAMPLED = {
    "`gemm_v5`, 4096 × 4096 × 1024":
        launch(LADDER, "gemm_v5", {"m": 4096, "n": 4096, "k": 1024}, ["--matrix", "fast"]),
    "`gemm_v5`, 3072 × 2560 × 1024":
        launch(LADDER, "gemm_v5", {"m": 3072, "n": 2560, "k": 1024}, ["--matrix", "fast"]),
    "`softmax_bf16_8192`, 4096 rows":
        launch("kernels/normalization/softmax.fly", "softmax_bf16_8192", {"rows": 4096, "columns": 8192}, []),
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
        found = runs.all([whole, part])
        sampled[name] = [found[whole]["cycles"], found[part]["cycles"]]
    runs.call(*LARGE.command())
    large = runs.seconds(*LARGE.command(), *MODEL)
    return {"beside_emulator": beside, "sampled": sampled, "large_gemm": large}
