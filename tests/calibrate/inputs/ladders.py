"""ladders.py RESULTS MACHINE: how measurements of one kind depend on what they vary, whatever the constants are."""
import json
import sys

results, machine = (json.load(open(path)) for path in sys.argv[1:])
constants = {name: c["value"] for name, c in machine["constants"].items()}
measured = {m["name"]: m for m in results["measurements"]}


def trip(name):
    m = measured[name]
    return (m["seconds"][1] - m["seconds"][0]) * m["megahertz"] * 1e6 / (m["trips"][1] - m["trips"][0])


def each(name, few, many):
    return (trip(f"{name}_{many}") - trip(f"{name}_{few}")) / (many - few)


def near(what, value, wanted, share=0.03):
    assert abs(value - wanted) <= share * wanted, f"{what}: {value}, not {wanted}"


# Lanes that are further apart need more requests of 64 bytes, until each has its own.
for stride in (4, 8, 16):
    cycles = each(f"loads_32_{stride}", 8, 24) / 16
    near(f"stride {stride}", cycles, 4 * stride * 64 / constants["l1_bytes_per_cycle"], 0.05)
# Conflicts of twice as many ways take twice as long.
for ways in (4, 8):
    near(f"{ways} ways", each(f"lds_read_{ways}", 8, 16), 2 * each(f"lds_read_{ways // 2}", 8, 16))
near("a chain of products", each("products_v_mfma_f32_32x32x2_f32", 32, 64),
     {r["instruction"]: r["cycles"] for r in machine["matrix_cycles"]}["v_mfma_f32_32x32x2_f32"], 1e-6)
near("one more way", (each("lds_chase_16", 8, 16) - each("lds_chase_8", 8, 16)) / 8,
     constants["lds_phase_cycles"], 0.01)
print("ladders hold")
