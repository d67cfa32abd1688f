"""The words of the page: its text around the tables, and what has been found about single points."""

# What is known of a miss beside its counts: a pattern for ids, and a text.
WHY = [
    ("v9-k32768",
     "rows of a and b are 64 KiB apart: which channels and pages that meets is not modelled, so loads do "
     "not stall"),
    ("v5-interleaved$",
     "the other VALU instructions of theirs are copies between registers, which stand between products"),
    ("v9-large-tile",
     "another loop: it waits for all copies at each of its two barriers"),
    ("v5-trace-prologue",
     "nearly half of it waits for the queue of vector memory, whose 12 requests and 32 KB the first 16 "
     "copies of four waves exceed; zeroing accumulators is a fifth"),
    ("gfx942-(interleaved|surplus|two-barriers)-dispatch",
     "beside the main loop the measured launches have 107 000 to 118 000 cycles, the modelled ones a third"
     " of that; what lies around a launch is not modelled"),
    ("gfx942-barrier",
     "the latency of a barrier is fitted to the baseline, and carries what else is missing there"),
    ("gfx942-ablation",
     "the measured ratios are of times, and the clock falls with the load"),
    ("lds-burst",
     "four waves at a time in ours, 4 to 8 cycles in their traces"),
    ("gfx950-(softmax|layernorm)$",
     "the source's kernel is another, with three times as many VALU instructions; a faster kernel of the same source "
     "is at the limit of memory, as ours is"),
    ("softmax-backward",
     "in the form of the measured kernel; how much of what is read again the memory-side cache still has is not known"),
    ("babelstream",
     "what a machine must reach at least"),
    ("sustained",
     "at the measured clock, so the error is that of the dispatch"),
    ("v[3-9].*-tflops|-f16-k|-bf16-k",
     "a clock stands between cycles and TFLOPS, and is not the same in all of these measurements"),
    ("gfx950-(fp8|bf8|fp4|mxfp4)",
     "another kernel than the measured one"),
    ("gfx950-mxfp4-m",
     "ours has tiles of 256 rows whatever m is"),
    ("gfx1201-fp8",
     "a launch of 14.4 us is not in the cycles, and the measurement may contain it"),
    ("gfx1201-bf16",
     "another kernel than the measured one"),
    ("products-peak",
     "16.4 cycles an instruction; the clock of that load is not known"),
]

# Of which points the order is compared: a title, and a pattern for ids.
RANKED = [
    ("the ladder of gfx950", "gfx950-(v3|v4|v5|v5-interleaved|v7-peephole|v9)"),
    ("the ladder of gfx942", "gfx942-(baseline|interleaved|surplus|two-barriers)"),
    ("the ablations of gfx942", "gfx942-ablation-.*"),
    ("the TFLOPS of the ladder of gfx950", "gfx950-(v0|v3|v4|v5|v5-interleaved|v7|v9)-tflops"),
    ("one FP4 kernel at several m", "gfx950-mxfp4-m.*"),
]

PAGE = """# Validation of the time model

This page compares the [time model](../time-model.md) with what others have measured on the hardware. Nothing here was
measured by this project. `tests/benchmark/time/validate.py` writes the page; a test runs a part of it again.

The points and their rule are in [tests/benchmark/time](../../tests/benchmark/time/README.md): roles were decided before
there was a model, and no point is left out because it does not fit. Points of low certainty are printed and not
counted.

## Summary

{summary}
There are no measured variants of tiles of one kernel among the points that a kernel here computes, so no rank
correlation of tile variants can be given. The FP4 kernel at several m is the nearest: its measurements are of tiles
made for few rows, ours has one tile.

The points of LDS come from the source of the constants of LDS, and agree for that reason; so the table has the errors
of loops and launches beside those of all points.

### Misses

{count} test points that count are off by more than {loops} %, bandwidth by more than {bandwidth} %. The worst first:

{misses}

### Before and after

The same points before the rules of what starts beside a matrix instruction and of writes beside reads, and after them.
Kernels that were brought in the form of the measured ones are the new ones after.

{changed}

### The uncertainty that results quote

The rule: all test points of high or medium certainty whose loop has the counts of the measured one, and that compare
cycles of a main loop or of a launch. The uncertainty is the least error, rounded up to a per cent, that 80 % of them do
not exceed. It says nothing about loops of another kind, nor about times, which need a clock.

{uncertainties}

## Points

Cycles of a main loop are those of a SIMD per tile of k, of the real shape, the mean over all trips and waves of one
XCD. The matrix share is the cycles of the matrix instructions by these. TFLOPS are at the clock measured beside the
point, if there is one, else at the machine's sustained clock under matrix load; bytes per second are at the maximum
clock, of the bytes that must be moved once. In parentheses is what our launch has instead of the point's.

{tables}

{not_run}

## Sensitivity

How a few results change if a constant without a measurement is 25 % less / 25 % more, in per cent. The products are of
4096 × 4096 × 1024 and the softmax has 8192 rows, one round of them; in parentheses are the cycles (of products per tile
of k) without a change.

{sensitivity}

## Cost

{cost}
## What the model does not know

From [time-model.md](../time-model.md):

{unknown}
"""
