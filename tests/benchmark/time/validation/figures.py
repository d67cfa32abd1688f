"""Errors of points and what is said of many of them."""

import math
import statistics

PER_TILE = "cycles of a SIMD per tile of k of the main loop"
DISPATCH = "cycles of the whole dispatch"


def error(point, value):
    """Relative; None where nothing was measured."""
    return value / point["measured"] - 1 if point["measured"] else None


def counted(point):
    """Points of low certainty are printed and not counted."""
    return point["certainty"] != "low" and point["measured"] is not None


def share_points(point, result):
    """Measured and modelled share of the matrix unit, in per cent; None for other points."""
    if point["compare"] != PER_TILE or not point["measured"]:
        return None
    return 100 * result["matrix"] / point["measured"], 100 * result["matrix"] / result["value"]


def percentile(values, share):
    """The least of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    return [statistics.mean(i for i, other in enumerate(sorted(values), 1) if other == value) for value in values]


def spearman(pairs):
    """Rank correlation; None of fewer than three."""
    if len(pairs) < 3:
        return None
    return statistics.correlation(*map(ranks, zip(*pairs)))


def of_uncertainty(point):
    """Whether a point counts for the uncertainty of a machine: of a loop or launch with the measured counts."""
    return (point["role"] == "test" and counted(point) and point["same_counts"] is True
            and point["compare"] in (PER_TILE, DISPATCH))


def uncertainty(points, results, arch):
    """The relative error within which 80 % of the points are, rounded up to a per cent, and their number."""
    errors = [abs(error(point, results[point["id"]]["value"])) for point in points
              if point["arch"] == arch and of_uncertainty(point) and point["id"] in results]
    return (math.ceil(100 * percentile(errors, 0.8)) / 100, len(errors)) if errors else (0, 0)
