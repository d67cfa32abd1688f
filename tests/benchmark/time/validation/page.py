"""The page: tables, one a group of points, and what is said above them."""

import re
import statistics

from validation import figures, launches, remarks
from validation.figures import PER_TILE, counted, error, share_points

LOOPS, SHARE, BANDWIDTH = 0.15, 3, 0.10        # what is a hit: of loops, percentage points, of bytes per second
# Title, and which points; the first group that fits has the point.
GROUPS = [
    ("GEMM ladder of gfx950", lambda p: p["arch"] == "gfx950" and "ladder" in file_of(p) and p["unit"] == "cycles"
     or p["compare"] == PER_TILE and p["arch"] == "gfx950" or p["compare"].startswith("least cycles")),
    ("GEMM ladder of gfx942, and its ablations", lambda p: p["arch"] == "gfx942" and "ladder" in file_of(p)
     and p["unit"] in ("cycles", "ratio")),
    ("LDS and arithmetic", lambda p: "micro_lds" in file_of(p) or "micro_compute" in file_of(p)),
    ("Memory", lambda p: p["unit"] in ("TB/s", "ns") or "micro_memory" in file_of(p)),
    ("One kernel at several sizes", lambda p: "mxfp4-m" in p["id"]),
    ("TFLOPS and times of launches", lambda p: p["kernel"] is not None),
]


def file_of(point):
    return point["kernel"]["file"] if point["kernel"] else ""


def number(value):
    return "" if value is None else f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:.4g}"


def percent(value):
    return "" if value is None else f"{100 * value:+.1f} %"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def kernel_of(point):
    launch = launches.of(point)
    return f"`{launch.kernel}`" + (f" ({launch.note})" if launch.note else "")


def same(point):
    return {True: "yes", False: "no", None: "–"}[point["same_counts"]]


def row(point, result):
    cells = [point["id"], kernel_of(point), f"{number(point['measured'])} {point['unit']}".strip(),
             number(result["value"]), percent(error(point, result["value"]))]
    share = share_points(point, result)
    cells.append(f"{share[0]:.1f} → {share[1]:.1f}: {share[1] - share[0]:+.1f}" if share else "")
    return [*cells, point["role"], point["certainty"], same(point), point["source"].replace("|", "/")]


HEAD = ["point", "our kernel", "measured", "modelled", "error", "matrix share, %: measured → modelled", "role",
        "certainty", "same counts", "source"]


def group_tables(points, results):
    left = [point for point in points if point["id"] in results]
    for title, belongs in GROUPS:
        rows = [row(point, results[point["id"]]) for point in left if belongs(point)]
        left = [point for point in left if not belongs(point)]
        yield f"### {title}\n\n" + table(HEAD, rows)


def limit(point):
    return BANDWIDTH if point["unit"] == "TB/s" else LOOPS


def misses(points, results, loops):
    """Test points that are counted and beyond the limit, the worst first."""
    found = [(abs(error(point, results[point["id"]]["value"])), point) for point in points
             if point["role"] == "test" and counted(point) and point["id"] in results]
    rows = [[point["id"], percent(error(point, results[point["id"]]["value"])), same(point), why(point, loops)]
            for size, point in sorted(found, key=lambda each: -each[0]) if size > limit(point)]
    return rows


def why(point, loops):
    """What the counts say, then what has been found about the point."""
    parts = []
    if loop := loops.get(point["loop"]):
        other = [f"{loop['ours'][name]} {text} a trip for {loop['theirs'][name]}"
                 for name, text in (("valu", "VALU"), ("salu", "SALU"), ("instructions", "instructions"))
                 if loop["theirs"][name] not in (None, loop["ours"][name])]
        parts += ["ours has " + ", ".join(other)] if other else []
        parts += ["the counts are the same"] if point["same_counts"] and not other else []
    found = [text for pattern, text in remarks.WHY if re.search(pattern, point["id"])]
    parts += found or ([point["note"]] if point.get("note") else [])
    return "; ".join(parts) or "not explained"


def changed(points, results, before):
    """How many of the points that were run both times hit, and each value that has changed by more than a per cent."""
    both = [point for point in points if point["id"] in before and point["id"] in results]
    tests = [point for point in both if point["role"] == "test" and counted(point)]

    def off(point, values):
        return abs(error(point, values[point["id"]]["value"]))

    rows = []
    for title, chosen in (("loops with the same counts", [p for p in tests if figures.of_uncertainty(p)]),
                          ("bandwidth", [p for p in tests if p["unit"] == "TB/s"]), ("all", tests)):
        was, now = ([off(point, values) for point in chosen] for values in (before, results))
        inside = [sum(size <= limit(point) for size, point in zip(sizes, chosen)) for sizes in (was, now)]
        rows.append([title, len(chosen), *(f"{100 * statistics.median(sizes):.1f} %" for sizes in (was, now)),
                     *(f"{hits} of {len(chosen)}" for hits in inside)])
    moved = [[point["id"], point["role"], f"{number(point['measured'])} {point['unit']}".strip(),
              *(f"{number(values[point['id']]['value'])}: {percent(error(point, values[point['id']]['value']))}"
                for values in (before, results))]
             for point in both if point["measured"]
             and abs(results[point["id"]]["value"] / before[point["id"]]["value"] - 1) > 0.01]
    return (table(["test points", "number", "median error before", "after", "within the limit before", "after"], rows)
            + "\n\n" + table(["point", "role", "measured", "before", "after"], moved))


def share_of(points, hit):
    return f"{sum(map(hit, points))} of {len(points)}"


def summary(points, results, machines):
    run = [point for point in points if point["id"] in results]
    tests = [point for point in run if point["role"] == "test" and counted(point)]
    steps = [point for point in tests if point["compare"] == PER_TILE and point["same_counts"]]
    rows = []

    def off(point):
        return abs(error(point, results[point["id"]]["value"]))

    def near(point):
        measured, modelled = share_points(point, results[point["id"]])
        return abs(modelled - measured) <= SHARE

    for arch, machine in machines.items():
        errors = [off(point) for point in tests if point["arch"] == arch]
        loops = [off(point) for point in tests if point["arch"] == arch and figures.of_uncertainty(point)]
        fitted = [name for name, each in machine["constants"].items() if each["certainty"] == "fitted"]
        fits = [point for point in points if point["arch"] == arch and point["role"] == "fit"]
        rows.append([f"{machine['name']} ({arch})", len(fits),
                     f"{len(fitted)}: {', '.join(f'`{name}`' for name in fitted)}" if fitted else "none",
                     len([p for p in points if p["arch"] == arch and p["role"] == "test"]), len(errors),
                     *spread(errors), len(loops), *spread(loops)])
    text = table(["machine", "fit points", "fitted constants", "test points", "of them run and counted",
                  "median error", "worst", "loops and launches with the same counts", "median error of these",
                   "worst"], rows)
    bandwidth = [point for point in tests if point["unit"] == "TB/s"]
    return (text + "\n\nOf the test points of high or medium certainty:\n\n"
            f"- {share_of(steps, near)} ladder steps with the same counts are within {SHARE} points of matrix share.\n"
            f"- {share_of(steps, lambda p: off(p) <= LOOPS)} of these loops are within {100 * LOOPS:.0f} %.\n"
            f"- {share_of(bandwidth, lambda p: off(p) <= BANDWIDTH)} bandwidth-bound kernels are within "
            f"{100 * BANDWIDTH:.0f} %. Few are the measured kernels themselves.\n" + correlations(points, results))


def spread(errors):
    return [f"{100 * statistics.median(errors):.1f} %", f"{100 * max(errors):.1f} %"] if errors else ["", ""]


def correlations(points, results):
    lines = []
    for title, pattern in remarks.RANKED:
        chosen = [point for point in points if re.fullmatch(pattern, point["id"]) and point["id"] in results]
        found = figures.spearman([(point["measured"], results[point["id"]]["value"]) for point in chosen])
        if found is not None:
            lines.append(f"- Rank correlation (Spearman) of {title}: {found:.2f}, {len(chosen)} values.")
    return "\n".join(lines) + "\n"


def uncertainties(points, results):
    lines = []
    for arch in ("gfx942", "gfx950"):
        value, count = figures.uncertainty(points, results, arch)
        lines.append(f"| {arch} | {100 * value:.0f} % | 80 % of {count} points are within |")
    return "| machine | uncertainty | note |\n| --- | --- | --- |\n" + "\n".join(lines)


def sensitivity(results, machines):
    parts = []
    for arch, found in results["sensitivity"].items():
        constants = machines[arch]["constants"]
        moved = {name: each for name, each in found["changes"].items()
                 if any(abs(change) >= 0.001 for both in each.values() for change in both)}
        rows = [[f"`{name}`", f"{constants[name]['value']:g}", constants[name]["certainty"],
                 *(f"{100 * low:+.1f} / {100 * high:+.1f}" for low, high in each.values())]
                for name, each in sorted(moved.items(), key=lambda item: -largest(item[1]))]
        still = sorted(name for name in found["changes"] if name not in moved)
        idle = [name for name in still if constants[name]["certainty"] == "fitted"]
        zero = sorted(name for name, each in constants.items() if each["value"] == 0 and name != "uncertainty"
                      and each["certainty"] in ("assumed", "fitted"))
        head = ["constant", "value", "certainty",
                *(f"{name} ({number(value)})" for name, value in found["base"].items())]
        parts.append(f"### {machines[arch]['name']} ({arch})\n\n" + table(head, rows)
                     + ("\n\nThese move nothing by 0.1 %: " + ", ".join(f"`{name}`" for name in still) + "."
                        if still else "")
                     + ("\n\n**Fitted, and moves none of these:** " + ", ".join(f"`{name}`" for name in idle)
                        + ". Its fit points do not determine it." if idle else "")
                     + ("\n\nZero, so that a quarter of it is nothing: " + ", ".join(f"`{name}`" for name in zero) + "."
                        if zero else ""))
    return "\n\n".join(parts)


def largest(changes):
    return max(abs(change) for both in changes.values() for change in both)


def cost(found):
    beside = table(["one thread, everything executed", "emulator, s", "with the time model, s", "factor"],
                   [[name, f"{plain:.1f}", f"{timed:.1f}", f"{timed / plain:.1f}"]
                    for name, (plain, timed) in found["beside_emulator"].items()])
    sampled = table(["launch", "cycles, whole chip (`--cus all`)", "cycles, one XCD (`--sample`)", "difference"],
                    [[name, number(whole), number(part), percent(part / whole - 1)]
                     for name, (whole, part) in found["sampled"].items()])
    cpu, clock = found["large_gemm"]
    return (f"{beside}\n\nA product of 4096 × 4096 × 4096 in f16 (`gemm_large_f16`, gfx950, `--sample`, one thread) "
            f"takes {clock:.1f} s on the clock, {cpu:.1f} s of a CPU.\n\n{sampled}\n")


def unknown():
    """The section of docs/time-model.md with this title."""
    page = (launches.ROOT / "docs/time-model.md").read_text()
    return re.search(r"## What it does not know\n\n(.*?)\n\n## ", page, re.DOTALL).group(1)


def not_run(points, results):
    left = [point for point in points if point["id"] not in results]
    kernels = [point for point in left if point["kernel"]]
    text = (f"{len(left)} points of {len(points)} are not run. {len(left) - len(kernels)} have no kernel here: "
            + ", ".join(point["id"] for point in left if not point["kernel"]) + ".")
    if kernels:
        text += " What is not among the results of a run: " + ", ".join(point["id"] for point in kernels) + "."
    return text


def text(document, results, machines, before):
    points, found = document["points"], results["points"]
    loops = {loop["id"]: loop for loop in document["loops"]}
    bad = misses(points, found, loops)
    return remarks.PAGE.format(
        summary=summary(points, found, machines), count=len(bad),
        misses=table(["point", "error", "same counts", "why"], bad), loops=f"{100 * LOOPS:.0f}",
        bandwidth=f"{100 * BANDWIDTH:.0f}", uncertainties=uncertainties(points, found),
        changed=changed(points, found, before),
        tables="\n\n".join(group_tables(points, found)), not_run=not_run(points, found),
        sensitivity=sensitivity(results, machines), cost=cost(results["cost"]), unknown=unknown())
