"""What addresses.py finds in code whose answer is known."""
from addresses import addresses


def listing(*lines):
    """Instructions of four bytes, "unit: text", once executed."""
    return [{"address": 4 * i, "unit": line.split(": ")[0], "text": line.split(": ", 1)[1], "executions": 1} for i, line in enumerate(lines)]


def expect(name, code, computing, accesses, looped):
    found = tuple(sorted(each) for each in addresses(listing(*code)))
    if found != (computing, accesses, looped):
        raise SystemExit(f"{name}: found {found}, expected {(computing, accesses, looped)}")


expect("through another, not the data", ["vector: v_lshlrev_b32_e32 v1, 4, v0", "vector: v_add_u32_e32 v2, s0, v1", "vector: v_mul_f32_e32 v4, v3, v3",
                                         "vector memory: global_store_dword v2, v4, s[2:3]", "end: s_endpgm"], [0, 1], [3], [])
expect("an old value of the register", ["vector: v_mov_b32_e32 v1, v0", "vector: v_lshlrev_b32_e32 v1, 4, v0",
                                        "vector memory: global_load_dwordx4 v[2:5], v1, s[2:3]", "end: s_endpgm"], [1], [2], [])
expect("a loaded index", ["vector: v_lshlrev_b32_e32 v1, 2, v0", "vector memory: global_load_dword v2, v1, s[0:1]", "vector: v_mul_lo_u32 v3, v2, s4",
                          "vector memory: global_load_dword v4, v3, s[2:3]", "end: s_endpgm"], [0, 2], [1, 3], [])
expect("a loop", ["vector: v_mov_b32_e32 v1, v0", "vector memory: global_load_dword v2, v1, s[0:1]", "vector: v_add_u32_e32 v1, 64, v1",
                  "vector: v_add_f32_e32 v3, v3, v2", "branch: s_cbranch_scc1 65532", "end: s_endpgm"], [0, 2], [1], [1, 2, 3, 4])
expect("a branch back that is none", ["branch: s_cbranch_scc1 2", "vector: v_mov_b32_e32 v2, v0", "end: s_endpgm", "vector: v_mov_b32_e32 v1, v0",
                                      "branch: s_branch 65532"], [], [], [])
expect("a carry in the place of an address", ["vector: v_readlane_b32 s0, v9, 63", "vector: v_add_co_u32_e64 v2, s[0:1], s4, v4",
                                              "vector: v_addc_co_u32_e64 v3, s[0:1], 0, v5, s[0:1]", "vector memory: global_load_dword v6, v[2:3], off",
                                              "end: s_endpgm"], [1, 2], [3], [])
expect("registers of other lanes", ["scalar: s_and_saveexec_b64 s[0:1], vcc", "branch: s_cbranch_execz 2", "vector: v_mul_f32_e32 v1, v2, v2",
                                    "vector: v_add_f32_e32 v3, v1, v1", "scalar: s_andn2_saveexec_b64 s[0:1], s[0:1]", "branch: s_cbranch_execz 1",
                                    "vector memory: global_load_dword v4, v1, s[2:3]", "end: s_endpgm"], [], [6], [])
print("all found")
