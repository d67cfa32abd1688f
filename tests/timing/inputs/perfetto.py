"""perfetto.py TRACE TIMES.json: protoc decodes the trace; what it shows is compared with the times of the same launch."""
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

here = Path(__file__).parent
command = ["protoc", f"--proto_path={here}", "--decode=perfetto.protos.Trace", "perfetto.proto"]
text = subprocess.run(command, input=Path(sys.argv[1]).read_bytes(), capture_output=True, check=True).stdout.decode()
times = json.loads(Path(sys.argv[2]).read_text())


def parse(lines):
    """A message of protoc's text form: name to list of values."""
    message = defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            return message
        name, _, value = line.partition(" ")
        assert not name.rstrip(":").isdigit(), f"field {name} has no name"
        message[name.rstrip(":")].append(parse(lines) if value == "{" else json.loads(value) if re.match(r'["\d-]', value) else value)
    return message


packets = parse(iter(text.splitlines()))["packet"]
assert all(p["trusted_packet_sequence_id"] == [1] for p in packets)
assert packets[0]["sequence_flags"] == [1] and packets[0]["interned_data"]
(data,) = packets[0]["interned_data"]
names = {n["iid"][0]: n["name"][0] for n in data["event_names"]}
categories = {n["iid"][0]: n["name"][0] for n in data["event_categories"]}
notes = {n["iid"][0]: n["name"][0] for n in data["debug_annotation_names"]}
places = {n["iid"][0]: (n["file_name"][0], n["line_number"][0]) for n in data["source_locations"]}
tracks = {d["uuid"][0]: (d["name"][0], (d["parent_uuid"] or [0])[0]) for p in packets for d in p["track_descriptor"]}
assert all(parent == 0 or parent in tracks for _, parent in tracks.values())

# Every slice that begins ends, none overlaps another of its track, and time goes on.
open_slices, last, count, issued = {}, defaultdict(int), defaultdict(int), defaultdict(int)
cycles_seen = placed = 0
for packet in packets:
    for event in packet["track_event"]:
        (track,), (now,) = event["track_uuid"], packet["timestamp"]
        assert track in tracks and now >= last[track], (tracks[track], now, last[track])
        last[track] = now
        if event["type"] == ["TYPE_SLICE_END"]:
            begun = open_slices.pop(track)
            assert now >= begun
            continue
        assert track not in open_slices, f"slices overlap on {tracks[track]}"
        open_slices[track] = now
        values = {notes[a["name_iid"][0]]: a["uint_value"][0] for a in event["debug_annotations"]}
        count[tracks[track][0].rstrip("0123456789 ") if "wave" not in tracks[track][0] else "wave"] += 1
        cycles_seen = max(cycles_seen, values["cycle"] + values["cycles"])
        if "address" in values and "wave" in tracks[track][0]:
            issued[values["address"]] += 1
            assert names[event["name_iid"][0]]
            placed += all(place in places for place in event["source_location_iid"]) and len(event["source_location_iid"]) == 1
assert not open_slices and placed > 100
assert count["wave"] > 100 and count["in flight"] > 4, dict(count)
assert any(name.startswith("SIMD ") for name, _ in tracks.values())
assert {"wait", "memory", "matrix"} <= set(categories.values()), categories
# An instruction that all waves execute stands in the track of each wave of compute unit 0.
waves = sum("workgroup" in name for name, _ in tracks.values())
assert waves and max(issued.values()) >= waves
assert cycles_seen <= times["cycles"] + 1, (cycles_seen, times["cycles"])
print(f"{len(packets)} packets, {len(tracks)} tracks, {waves} waves, {sum(count.values())} slices, {cycles_seen} of {times['cycles']} cycles")
