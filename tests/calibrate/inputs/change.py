"""change.py: the built-in machine on standard input, with another value for each constant that is measured."""
import json
import sys

# Constants of issue are multiples of the turn, and not below it.
OTHER = {"vector_latency": 8, "vector_cycles": 8, "packed_cycles": 12, "double_cycles": 16, "double_latency": 20,
         "transcendental_cycles": 24, "transcendental_latency": 28, "matrix_head": 12, "packed_gap": 20, "transcendental_issue": 24,
         "matrix_head_source": 8, "packed_gap_wide": 12,
         "scalar_latency": 8, "wait_cycles": 8, "branch_cycles": 28, "barrier_latency": 37, "workgroup_cycles": 13,
         "lds_phase_cycles": 2, "lds_port_bytes": 32, "lds_unaligned_factor": 8, "lds_turnaround": 11,
         "lds_write_hold": 3, "lds_queue": 6, "lds_latency": 71,
         "l1_latency": 152, "l2_latency": 363, "memory_side_latency": 612,
         "memory_latency": 998, "scalar_memory_latency": 88, "l1_bytes_per_cycle": 128, "narrow_factor": 3,
         "memory_queue": 9, "fill_bytes_per_cycle": 48, "in_flight_bytes": 24576, "write_bytes_per_cycle": 32,
         "l2_read_bytes_per_cycle": 60, "l2_write_bytes_per_cycle": 30, "memory_side_bytes_per_cycle": 2600,
         "memory_bytes_per_cycle": 1500}
machine = json.load(sys.stdin)
for name, value in OTHER.items():
    assert machine["constants"][name]["value"] != value, name
    machine["constants"][name]["value"] = value
for row in machine["matrix_cycles"]:
    row["cycles"] += 8
    row.pop("narrow_cycles", None)
print(json.dumps(machine))
