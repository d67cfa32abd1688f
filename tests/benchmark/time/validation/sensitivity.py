"""How much a few results depend on constants that nobody has measured: each is 25 % less and 25 % more."""

import dataclasses

from validation import launches, measures

LADDER = {"m": 4096, "n": 4096, "k": launches.SHORT}
ROWS = {"rows": 8192, "columns": 8192}


def point(arch, file, kernel, shape):
    return {"arch": arch, "kernel": {"file": file, "name": kernel, "shape": shape}}


def ladder(arch, kernel, tiles=1):
    launch = launches.of(point(arch, f"{launches.TIME}/ladder_{arch}.fly", kernel, LADDER))
    return launch, lambda run: measures.main_loop(run)["cycles"] / tiles


# What is looked at, by machine: a name, its launch, and the figure of it.
HEADLINES = {
    "gfx950": {"v3": ladder("gfx950", "gemm_v3"), "v4": ladder("gfx950", "gemm_v4"),
               "v5 interleaved": ladder("gfx950", "gemm_v5_interleaved"), "v9": ladder("gfx950", "gemm_v9", 2),
               "softmax": (dataclasses.replace(
                   launches.of(point("gfx950", "kernels/normalization/softmax.fly", "softmax_bf16_8192", ROWS)),
                   options=("--sample", "--rounds", "1")), lambda run: run["cycles"])},
    "gfx942": {"baseline": ladder("gfx942", "gemm_baseline"),
               "two barriers": ladder("gfx942", "gemm_two_barriers")},
}


def varied(machine):
    """Constants without a measurement, except that of the uncertainty itself and those of links, which move no launch."""
    return {name: each for name, each in machine["constants"].items()
            if each["certainty"] in ("assumed", "fitted") and name != "uncertainty" and not name.startswith("link")}


def base(runs, arch, names=None):
    chosen = {name: HEADLINES[arch][name] for name in names or HEADLINES[arch]}
    found = runs.all([(launch, ()) for launch, _ in chosen.values()])
    return {name: figure(found[launch, ()]) for name, (launch, figure) in chosen.items()}


def measure(runs, arch):
    """By constant and headline: the relative change for 25 % less and for 25 % more."""
    before, options = base(runs, arch), {}
    for name, constant in varied(runs.machine(arch)).items():
        if constant["value"]:
            options[name] = [("--machine", runs.machine_with(arch, name, constant["value"] * factor))
                             for factor in (0.75, 1.25)]
    runs.all([(launch, each) for both in options.values() for each in both for launch, _ in HEADLINES[arch].values()],
             progress=True)
    changes = {name: {headline: [figure(runs.done[launch, each]) / before[headline] - 1 for each in both]
                      for headline, (launch, figure) in HEADLINES[arch].items()}
               for name, both in options.items()}
    return {"base": before, "changes": changes}
