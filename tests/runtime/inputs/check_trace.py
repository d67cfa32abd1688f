"""check_trace.py FILE: whether a trace is sound, and what it tells: the slices of each row, in order, with those inside of
others in brackets."""
import json
import sys
from collections import defaultdict

HOST_END = 1 << 22  # process numbers of Linux are smaller

def fail(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def rows(events):
    """(process, thread) -> slices, those that begin first and last longest first."""
    found = defaultdict(list)
    for event in events:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = round(event[key] * 1000)  # nanoseconds
        if event["ph"] == "X":
            if event["dur"] < 0:
                fail(f"ends before it begins: {event}")
            found[event["pid"], event["tid"]].append(event)
    # What has no length is before what begins at the same time; a part is after the whole.
    return {row: sorted(slices, key=lambda e: (e["ts"], e["dur"] > 0, -e["dur"])) for row, slices in found.items()}


def tree(slices, row):
    """Slices as a tree of (slice, children); one that overlaps another without being inside it is an error."""
    roots, open_ = [], []
    for event in slices:
        while open_ and open_[-1][0]["ts"] + open_[-1][0]["dur"] <= event["ts"]:
            open_.pop()
        if open_ and event["ts"] + event["dur"] > open_[-1][0]["ts"] + open_[-1][0]["dur"]:
            fail(f"overlap in {row}: {open_[-1][0]} and {event}")
        node = (event, [])
        (open_[-1][1] if open_ else roots).append(node)
        open_.append(node)
    return roots


def text(nodes):
    return " ".join(
        event["name"].replace(" ", "-") + (f" [{text(children)}]" if children else "") for event, children in nodes
    )


def main():
    events = json.load(open(sys.argv[1]))
    names = defaultdict(dict)
    for event in events:
        if event["ph"] == "M":
            names[event["pid"]][event["name"], event["tid"]] = event["args"]["name"]
    sliced = rows(events)
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    if len(starts) != sum(event["ph"] == "s" for event in events) or not set(ends) <= set(starts):
        fail("arrows do not match")
    executions = {}
    calls = {
        event["args"]["call"]: (event["ts"], event["ts"] + event["dur"])
        for row, slices in sliced.items()
        for event in slices
        if event["cat"] == "call" and "call" in event["args"]
    }
    for (process, thread), slices in sliced.items():
        latest = 0
        for event in slices:
            if process >= HOST_END and event["cat"] in ("kernel", "fill", "copy", "graph") and "node" not in event["args"]:
                executions[event["args"]["call"]] = event
                begin, end = calls[event["args"]["call"]]
                if end < latest:
                    fail(f"executed after what was called later: {event}")
                latest = max(latest, begin)
    for id, end in ends.items():
        start, execution = starts[id], executions[id]
        if (execution["pid"], execution["tid"], execution["ts"]) != (end["pid"], end["tid"], end["ts"]):
            fail(f"an arrow does not end at {execution}")
        if start["ts"] > end["ts"]:
            fail(f"executed before it was called: {execution}")
        if not any(c["ts"] <= start["ts"] <= c["ts"] + c["dur"] for c in sliced[start["pid"], start["tid"]]):
            fail(f"an arrow begins outside of all calls: {start}")
    if set(executions) != set(ends):
        fail("an execution has no arrow")
    order = sorted(sliced, key=lambda row: (row[0] < HOST_END, row))
    for process, thread in order:
        roots = tree(sliced[process, thread], (process, thread))
        device = process >= HOST_END
        if device and ("thread_name", thread) not in names[process]:
            fail(f"a row without a name: {thread}")
        if device and any(children and event["cat"] != "graph" for event, children in roots):
            fail("something other than a graph has parts")
        print(names[process]["thread_name", thread] if device else "host", text(roots), sep=": ")
    for event in events:
        if event["ph"] == "i":
            print("no time:", event["name"], "because", event["args"]["no_time"])
    for process in sorted({process for process, _ in sliced}):
        print(names[process]["process_name", 0].split(", process")[0].split(": process")[0])
    print("sound")


main()
