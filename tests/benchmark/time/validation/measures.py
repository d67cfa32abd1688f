"""What of a run is compared with a point: one function for each `compare` of points.json.

A run is what `flyc run --time-model=json` prints. Each function returns the modelled value in the point's unit.
"""

import statistics

from validation import launches


def main_loop(run):
    """The loop where the launch spends its time."""
    return max(run["loops"], key=lambda loop: loop["iterations"] * loop["cycles"])


def inside(run, unit):
    loop = main_loop(run)
    return [each for each in run["instructions"]
            if each["unit"] == unit and loop["first"] <= each["address"] <= loop["last"] and each["executions"]]


def spent(instruction):
    """Cycles of one execution: issue, and all that it waits before."""
    return (instruction["issue_cycles"] + sum(instruction["stalls"].values())) / instruction["executions"]


def of_wave(run, chosen):
    waves = run["instructions"][0]["executions"]
    return sum(spent(each) * each["executions"] for each in run["instructions"]
               if each["executions"] and chosen(each["address"], main_loop(run))) / waves


def per_tile(point, run):
    return main_loop(run)["cycles"] / point["tiles_per_trip"]


def per_instruction(count):
    return lambda point, run: main_loop(run)["cycles"] / count


def burst(point, run):
    reads = [each for each in run["instructions"] if each["text"].startswith("ds_read_b128")]
    return statistics.mean(spent(each) for each in reads[1:8])


def barrier(point, run):
    return statistics.mean(spent(each) for each in inside(run, "barrier"))


def satisfied(point, run):
    return statistics.median(spent(each) for each in inside(run, "wait"))


def per_load(point, run):
    """16 waves have 16 loads a trip each."""
    return run["cycles"] / (16 * 16 * launches.LONG)


def seconds(point, run):
    """At the clock measured beside the point, else under matrix load the sustained one, else the maximum."""
    clock = "sustained_clock" if run["matrix_flops"] else "maximum_clock"
    megahertz = point.get("clock_mhz") or run[clock]["megahertz"]
    return run["cycles"] / (megahertz * 1e6)


def tflops(point, run):
    shape = point["kernel"]["shape"]
    k = launches.SHORT if point["kernel"]["file"].endswith("naive.fly") else shape["k"]
    return 2 * shape["m"] * shape["n"] * k / seconds(point, run) / 1e12


def bandwidth(point, run):
    """Of the bytes that the launch must move: each element of its arrays once."""
    shape, name = point["kernel"]["shape"], point["kernel"]["file"].split("/")[-1]
    if name == "skinny.fly":
        bytes = 2 * shape["n"] * shape["k"]
    elif name == "micro_memory.fly":
        bytes = run["read_bytes"] + run["written_bytes"]
    else:
        rows, arrays = shape["rows"], 3 if name == "programs.fly" else 2
        bytes = arrays * 2 * rows * shape["columns"]
    return bytes / (run["cycles"] / (run["maximum_clock"]["megahertz"] * 1e6)) / 1e12


def stream(point, run):
    """A matrix instruction on each SIMD of the chip: the atom's operations by its cycles and the sustained clock."""
    k = {"f16": 32, "bf16": 32, "i8": 64}[point["kernel"]["name"].split("_")[1]]
    flops = 2 * 16 * 16 * k * 32 / main_loop(run)["cycles"]
    return flops * 4 * run["compute_units"] * run["sustained_clock"]["megahertz"] * 1e6 / 1e12


def microseconds(point, run):
    return 1e6 * seconds(point, run)


def nanoseconds_per_load(point, run):
    return main_loop(run)["cycles"] / 8 / run["maximum_clock"]["megahertz"] * 1e3


# A second launch that a point is relative to: the same point with another kernel.
RELATIVE = {"time of the launch, relative to the one with products alone": "ablation_",
            "TFLOPS of 16x16x32 relative to 16x16x128": "products128_f8E4M3FN_4"}

MEASURES = {
    "cycles of a SIMD per tile of k of the main loop": per_tile,
    "cycles of a wave before the main loop": lambda point, run: of_wave(run, lambda at, loop: at < loop["first"]),
    "cycles of a wave after the main loop": lambda point, run: of_wave(run, lambda at, loop: at > loop["last"]),
    "whether copies to LDS stall the loop: they do at k 16384, and do not in v9": per_tile,
    "cycles of the whole dispatch": lambda point, run: run["cycles"],
    "mean distance of two matrix instructions of a wave in the main loop": per_instruction(256),
    "time of the launch, relative to the one with products alone":
        lambda point, run, base: run["cycles"] / base["cycles"],
    "least cycles of a trip of two tiles": per_instruction(1),
    "cycles of a SIMD per read of the main loop": per_instruction(32),
    "cycles from a read to its result: 50 to 70": per_instruction(32),
    "cycles from one read to the next of a wave, for the first 8": burst,
    "cycles of a SIMD per write of the main loop": per_instruction(32),
    "cycles of a SIMD per write, one wave": per_instruction(32),
    "cycles per matrix instruction of the main loop": per_instruction(32),
    "cycles of a wait for what has arrived: in the loop of two_barriers": satisfied,
    "mean cycles at a barrier in the loop of two_barriers (37 with three)": barrier,
    "cycles of a compute unit per load, neighbours side by side, in the L1 cache": per_load,
    "bytes of b per second": bandwidth,
    "bytes read and written per second": bandwidth,
    "bytes read per second, 128 MiB, second pass": bandwidth,
    "bytes read per second, 4 GB": bandwidth,
    "time per load of the main loop, 128 MiB": nanoseconds_per_load,
    "TFLOPS of the launch": tflops,
    "TFLOPS of a stream of matrix instructions on all compute units": stream,
    "TFLOPS of 16x16x32 relative to 16x16x128":
        lambda point, run, base: (32 / main_loop(run)["cycles"]) / (128 / main_loop(base)["cycles"]),
    "time of the launch": microseconds,
}
