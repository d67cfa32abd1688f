#!/usr/bin/env python3
"""Draws a trace of FLY_TRACE as an SVG: a row for each stream, a box for each kernel in a colour of its own, and a legend
with shares of the time. Readable on light and on dark pages.

    scripts/draw_trace.py TRACE.json -o TRACE.svg
    scripts/draw_trace.py TRACE.json --squeeze --most 8 --from 120 --to 480
"""

import argparse
import html
import json
import pathlib
import sys
from collections import defaultdict

# Distinct hues of middle lightness, for white as for black behind them; the last is for what is not in the legend.
COLOURS = ["#3b82c4", "#e08a2e", "#3f9e5b", "#c94f4f", "#8a6bc4", "#b08a3c", "#d06aa8", "#2f9c9c", "#7d8f2f", "#5f6fd6",
           "#c2703f", "#4f8f8a"]
OTHERS = "#8b949e"
EXECUTIONS = ("kernel", "fill", "copy", "graph")
ROW, GAP, LEFT, TOP = 26, 8, 110, 34


class TraceError(Exception):
    """A file that is not a trace, in words."""


def read(path):
    """The executions of each device, by row: {device: {row: [(begin, end, name)]}}, microseconds."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        try:
            events = json.loads(text)
        except json.JSONDecodeError:  # a line that breaks off
            events = json.loads(text[:text.rfind("\n")].rstrip(",\n") + "]")
        events = events["traceEvents"] if isinstance(events, dict) else events
        names = {(e["pid"], e["name"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
        boxes = [e for e in events if e["ph"] == "X" and e["cat"] in EXECUTIONS]
        parts = {(e["pid"], e["args"]["call"]) for e in boxes if "node" in e["args"]}
        found = defaultdict(lambda: defaultdict(list))
        for e in boxes:
            if e["cat"] == "graph" and (e["pid"], e["args"]["call"]) in parts:
                continue  # its nodes are drawn
            row = names.get((e["pid"], "thread_name", e["tid"]), f"row {e['tid']}")
            device = names.get((e["pid"], "process_name", 0), f"device {e['pid']}")
            found[device][row].append((e["ts"], e["ts"] + e["dur"], label(e)))
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path}: not a trace that FLY_TRACE wrote ({type(error).__name__}: {error})") from None
    if not found:
        raise TraceError(f"{path}: nothing was executed")
    return {device: {row: sorted(rows[row]) for row in sorted(rows, key=row_order)} for device, rows in found.items()}


def label(event):
    return event["name"] if event["cat"] != "kernel" else f"{event['args'].get('module', '?')}.{event['name']}"


def row_order(row):
    number = "".join(c for c in row if c.isdigit())
    return row != "default stream", not row.startswith("stream"), int(number or 0), row


def squeezed(rows, gap=0.02):
    """The same without the times in which no row does anything; each leaves a gap of a share of the whole."""
    spans = sorted((begin, end) for boxes in rows.values() for begin, end, _ in boxes)
    busy = []
    for begin, end in spans:
        if busy and begin <= busy[-1][1]:
            busy[-1][1] = max(busy[-1][1], end)
        else:
            busy.append([begin, end])
    width = gap * sum(end - begin for begin, end in busy) / max(1, len(busy) - 1)
    moved, at = [], 0.0
    for begin, end in busy:
        moved.append((begin, end, at - begin))
        at += end - begin + width

    def move(box):
        low, high = 0, len(moved) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if moved[middle][0] <= box[0] else (low, middle - 1)
        shift = moved[low][2]
        return box[0] + shift, box[1] + shift, box[2]

    return {row: [move(box) for box in boxes] for row, boxes in rows.items()}


def time_text(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("us", 1.0)):
        if microseconds >= size:
            return f"{microseconds / size:.3g} {unit}"
    return f"{microseconds * 1e3:.3g} ns" if microseconds else "0"


def clipped(name, most=90):
    return name if len(name) <= most else name[: most - 3] + "..."


def ticks(length, most=8):
    step = next(m * 10.0 ** e for e in range(-4, 13) for m in (1, 2, 5) if length / (m * 10.0 ** e) <= most)
    return [i * step for i in range(int(length / step) + 1)]


def draw(device, rows, width=960, most=10, begin=None, end=None):
    """The SVG of one device's rows. `begin`, `end`: microseconds from the first box; None: all. The axis starts at 0."""
    first = min(boxes[0][0] for boxes in rows.values() if boxes)
    rows = {row: [(b - first, e - first, name) for b, e, name in boxes] for row, boxes in rows.items()}
    begin = 0.0 if begin is None else begin
    end = max(e for boxes in rows.values() for _, e, _ in boxes) if end is None else end
    if end <= begin:
        end = begin + 1e-3
    rows = {row: boxes for row, boxes in rows.items() if any(e >= begin and b <= end for b, e, _ in boxes)}
    sums = defaultdict(lambda: [0.0, 0])
    for boxes in rows.values():
        for b, e, name in boxes:
            if e >= begin and b <= end:
                sums[name][0] += min(e, end) - max(b, begin)
                sums[name][1] += 1
    total = sum(time for time, _ in sums.values()) or 1.0
    order = sorted(sums, key=lambda name: (-sums[name][0], name))
    most = min(most, len(COLOURS))
    colours = {name: COLOURS[i] if i < most else OTHERS for i, name in enumerate(order)}
    scale = (width - LEFT - 12) / (end - begin)
    bottom = TOP + len(rows) * (ROW + GAP)
    parts = [f'<text x="8" y="20" class="t">{html.escape(device)}</text>']
    for tick in ticks(end - begin):
        x = LEFT + tick * scale
        parts.append(f'<path d="M{x:.1f} {TOP - 4}V{bottom}" class="g"/>'
                     f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{time_text(tick)}</text>')
    for index, (row, boxes) in enumerate(rows.items()):
        y = TOP + index * (ROW + GAP)
        parts.append(f'<text x="8" y="{y + ROW / 2 + 4:.0f}">{html.escape(row)}</text>')
        last = None  # boxes of one kernel that are too narrow to be told apart are drawn as one
        for b, e, name in [*boxes, (None, None, None)]:
            if b is not None and (e < begin or b > end):
                continue
            x0, x1 = (0, 0) if b is None else (LEFT + (max(b, begin) - begin) * scale, LEFT + (min(e, end) - begin) * scale)
            if last and name == last[2] and x0 - last[1] < 0.3 and x1 - x0 < 1 and last[1] - last[0] < 40:
                last = (last[0], max(last[1], x1), name)
                continue
            if last:
                wide = max(last[1] - last[0], 0.4)
                parts.append(f'<rect x="{last[0]:.2f}" y="{y}" width="{wide:.2f}" height="{ROW}" '
                             f'fill="{colours[last[2]]}"><title>{html.escape(last[2])}</title></rect>')
                short = last[2].split(".")[-1]
                if wide > 6.6 * len(short) + 8:
                    parts.append(f'<text x="{last[0] + wide / 2:.1f}" y="{y + ROW / 2 + 4:.0f}" text-anchor="middle" '
                                 f'class="b">{html.escape(short)}</text>')
            last = None if b is None else (x0, x1, name)
    shown = [(name, colours[name], sums[name]) for name in order[:most]]
    if len(order) > most:
        rest = order[most:]
        shown.append((f"{len(rest)} others", OTHERS, [sum(sums[n][0] for n in rest), sum(sums[n][1] for n in rest)]))
    y = bottom + 30
    for name, colour, (time, count) in shown:
        parts.append(f'<rect x="8" y="{y}" width="12" height="12" fill="{colour}"/>'
                     f'<text x="28" y="{y + 10}">{100 * time / total:.1f} %</text>'
                     f'<text x="84" y="{y + 10}">{html.escape(clipped(name))}: {count} x {time_text(time / count)}, in all '
                     f'{time_text(time)}</text>')
        y += 18
    style = (".t{font-weight:600}.g{stroke:#8b949e;stroke-opacity:.35;fill:none}text{fill:#57606a}.b{fill:#fff}"
             "@media(prefers-color-scheme:dark){text{fill:#adbac7}.b{fill:#fff}}")
    height = y + 6
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="system-ui, \'DejaVu Sans\', sans-serif" font-size="11"><title>{html.escape(device)}</title>'
            f"<style>{style}</style>" + "\n".join(parts) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(description="Draws a trace of FLY_TRACE as an SVG.")
    parser.add_argument("trace")
    parser.add_argument("-o", "--output", help="the picture; without it, standard output")
    parser.add_argument("--device", type=int, default=0, help="which of the trace's devices (default 0)")
    parser.add_argument("--squeeze", action="store_true", help="leave out the times in which the device does nothing")
    parser.add_argument("--most", type=int, default=10, help="kernels that have colours of their own (default 10, at most 12)")
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--from", dest="begin", type=float, help="microseconds from the first box")
    parser.add_argument("--to", dest="end", type=float)
    parser.add_argument("--title", help="instead of the device's name")
    options = parser.parse_args()
    try:
        devices = list(read(options.trace).items())
        if not 0 <= options.device < len(devices):
            raise TraceError(f"{options.trace}: it has {len(devices)} devices, numbered from 0")
    except TraceError as error:
        sys.exit(f"draw_trace: {error}")
    name, rows = devices[options.device]
    if options.squeeze:
        rows = squeezed(rows)
    picture = draw(options.title or name.split(", process")[0], rows, options.width, options.most, options.begin, options.end)
    if options.output:
        pathlib.Path(options.output).write_text(picture, encoding="utf-8")
    else:
        sys.stdout.write(picture)


if __name__ == "__main__":
    main()
