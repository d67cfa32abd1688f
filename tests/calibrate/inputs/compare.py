"""compare.py MACHINE FOUND [UNKNOWN ...]: whether the machine file FOUND has the constants of MACHINE, which a
calibration with the time model must find. UNKNOWN are those that it cannot tell on this machine."""
import json
import sys

MEASURED = """vector_latency vector_cycles packed_cycles double_cycles double_latency transcendental_cycles
transcendental_latency matrix_head matrix_head_source packed_gap packed_gap_wide scalar_latency wait_cycles branch_cycles barrier_latency
workgroup_cycles lds_phase_cycles lds_port_bytes lds_ports lds_unaligned_factor lds_turnaround lds_write_hold lds_queue
lds_latency l1_latency l2_latency memory_side_latency memory_latency scalar_memory_latency l1_bytes_per_cycle
narrow_factor memory_queue fill_bytes_per_cycle in_flight_bytes write_bytes_per_cycle l2_read_bytes_per_cycle
l2_write_bytes_per_cycle memory_side_bytes_per_cycle memory_bytes_per_cycle""".split()
# The channels of L2 have lines by a hash in the model, so some are busier than others: all of them together reach less
# than their sum. Small services in a row leave gaps that a longer row hides.
LOOSE = {"l2_read_bytes_per_cycle": 0.16, "l2_write_bytes_per_cycle": 0.14, "fill_bytes_per_cycle": 0.04,
         "narrow_factor": 0.04}

machine, found = (json.load(open(path)) for path in sys.argv[1:3])
unknown = sys.argv[3:]
bad = 0


def compare(name, true, value, share):
    """Times of issue are known to a turn, which a latency of some hundred cycles does not show."""
    global bad
    near = abs(value - true) <= max(share * true, 1)
    bad += not near
    if not near:
        print(f"{name}: {value}, and the machine has {true}")


for name in MEASURED:
    if (name in unknown) == (name in found["constants"]):
        print(f"{name}: {'found' if name in unknown else 'not found'}")
        bad += 1
    elif name not in unknown:
        constant = found["constants"][name]
        assert constant["certainty"] == "measured" and constant["source"].startswith("flyc calibrate, "), constant
        compare(name, machine["constants"][name]["value"], constant["value"], LOOSE.get(name, 0.02))
assert set(found["constants"]) <= set(MEASURED)
true = {row["instruction"]: row["cycles"] for row in machine["matrix_cycles"]}
assert len(found["matrix_cycles"]) == 10
for row in found["matrix_cycles"]:
    compare(row["instruction"], true[row["instruction"]], row["cycles"], 0)
print("same machine" if not bad else f"{bad} constants differ")
