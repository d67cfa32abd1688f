// Meanings of the SALU's instructions, of branches, waits and other instructions that control a wave.
#include "compiler/isa/MeaningPatterns.h"

namespace fly::isa {

namespace {

constexpr MeaningRow scalarArithmetic[] = {
    // integers
    {"add_co?_u32", "d = a + b, u32; SCC = carry"},
    {"sub_co?_u32", "d = a - b, u32; SCC = borrow"},
    {"add_co?_i32", "d = a + b, i32; SCC = overflow"},
    {"sub_co?_i32", "d = a - b, i32; SCC = overflow"},
    {"addc_u32", "d = a + b + SCC, u32; SCC = carry"},
    {"add_co_ci_u32", "d = a + b + SCC, u32; SCC = carry"},
    {"subb_u32", "d = a - b - SCC, u32; SCC = borrow"},
    {"sub_co_ci_u32", "d = a - b - SCC, u32; SCC = borrow"},
    {"addk_co?_i32", "d = d + k, i32; k has 16 bits; SCC = overflow"},
    {"mulk_i32", "d = d * k, i32; k has 16 bits"},
    {"add_nc_u64", "d = a + b, u64"},
    {"sub_nc_u64", "d = a - b, u64"},
    {"mul_i32", "d = a * b, low half of the product, i32"},
    {"mul_u64", "d = a * b, low half of the product, u64"},
    {"mul_hi_I", "d = a * b, high half of the product, {1}"},
    {"abs_i32", "d = |a|, i32; SCC = d != 0"},
    {"absdiff_i32", "d = |a - b|, i32; SCC = d != 0"},
    {"min_I", "d = min(a, b), {1}; SCC = a < b"},
    {"max_I", "d = max(a, b), {1}; SCC = a >= b"},
    {"lshl1_add_u32", "d = (a << 1) + b, u32; SCC = carry"},
    {"lshl2_add_u32", "d = (a << 2) + b, u32; SCC = carry"},
    {"lshl3_add_u32", "d = (a << 3) + b, u32; SCC = carry"},
    {"lshl4_add_u32", "d = (a << 4) + b, u32; SCC = carry"},
    {"sext_i32_T", "d = the {1} a as i32"},
    // floats
    {"add_F", "d = a + b, {1}"},
    {"sub_F", "d = a - b, {1}"},
    {"mul_F", "d = a * b, {1}"},
    {"fmac_F", "d = a * b + d, rounded once, {1}"},
    {"fmaak_f32", "d = a * b + k, rounded once, f32"},
    {"fmamk_f32", "d = a * k + b, rounded once, f32"},
    {"min_num_F", "d = min(a, b), {1}; a number wins over a NaN"},
    {"max_num_F", "d = max(a, b), {1}; a number wins over a NaN"},
    {"minimum_F", "d = min(a, b), {1}; a NaN wins over a number"},
    {"maximum_F", "d = max(a, b), {1}; a NaN wins over a number"},
    {"floor_F", "d = a rounded down to an integer, {1}"},
    {"ceil_F", "d = a rounded up to an integer, {1}"},
    {"trunc_F", "d = a rounded towards zero to an integer, {1}"},
    {"rndne_F", "d = a rounded to the nearest integer, ties to even, {1}"},
    // comparisons
    {"cmp_lg_I", "SCC = a != b, {1}"},
    {"cmp_C_T", "SCC = {1}, {2}"},
    {"cmpk_lg_I", "SCC = a != k, {1}; k has 16 bits"},
    {"cmpk_eq_I", "SCC = a == k, {1}; k has 16 bits"},
    {"cmpk_lt_I", "SCC = a < k, {1}; k has 16 bits"},
    {"cmpk_le_I", "SCC = a <= k, {1}; k has 16 bits"},
    {"cmpk_gt_I", "SCC = a > k, {1}; k has 16 bits"},
    {"cmpk_ge_I", "SCC = a >= k, {1}; k has 16 bits"},
    {"bitcmp0_B", "SCC = bit b of a is 0, {1} bits"},
    {"bitcmp1_B", "SCC = bit b of a is 1, {1} bits"},
};

constexpr MeaningRow scalarBits[] = {
    {"and_B", "d = a & b, {1} bits; SCC = d != 0"},
    {"or_B", "d = a | b, {1} bits; SCC = d != 0"},
    {"xor_B", "d = a ^ b, {1} bits; SCC = d != 0"},
    {"nand_B", "d = ~(a & b), {1} bits; SCC = d != 0"},
    {"nor_B", "d = ~(a | b), {1} bits; SCC = d != 0"},
    {"xnor_B", "d = ~(a ^ b), {1} bits; SCC = d != 0"},
    {"andn2_B", "d = a & ~b, {1} bits; SCC = d != 0"},
    {"and_not1_B", "d = a & ~b, {1} bits; SCC = d != 0"},
    {"orn2_B", "d = a | ~b, {1} bits; SCC = d != 0"},
    {"or_not1_B", "d = a | ~b, {1} bits; SCC = d != 0"},
    {"not_B", "d = ~a, {1} bits; SCC = d != 0"},
    {"lshl_B", "d = a << b, {1} bits; SCC = d != 0"},
    {"lshr_B", "d = a >> b, logical, {1} bits; SCC = d != 0"},
    {"ashr_I", "d = a >> b, arithmetic, {1}; SCC = d != 0"},
    {"bfe_u32|u64", "d = b[22:16] bits of a, starting at bit b[5:0], zero-extended; SCC = d != 0"},
    {"bfe_i32|i64", "d = b[22:16] bits of a, starting at bit b[5:0], sign-extended; SCC = d != 0"},
    {"bfm_B", "d = a mask of a ones, starting at bit b, {1} bits"},
    {"brev_B", "d = a with its bits reversed, {1} bits"},
    {"bcnt0_i32_B", "d = number of zeros in the {1} bits of a; SCC = d != 0"},
    {"bcnt1_i32_B", "d = number of ones in the {1} bits of a; SCC = d != 0"},
    {"ff0_i32_B", "d = number of trailing ones in the {1} bits of a; -1 if all are ones"},
    {"ff1_i32_B", "d = number of trailing zeros in the {1} bits of a; -1 if a is 0"},
    {"ctz_i32_B", "d = number of trailing zeros in the {1} bits of a; -1 if a is 0"},
    {"flbit_i32_B", "d = number of leading zeros in the {1} bits of a; -1 if a is 0"},
    {"clz_i32_u32", "d = number of leading zeros in the 32 bits of a; -1 if a is 0"},
    {"clz_i32_u64", "d = number of leading zeros in the 64 bits of a; -1 if a is 0"},
    {"flbit|cls_i32", "d = number of leading bits of a that equal its sign bit, of 32; -1 if all do"},
    {"flbit|cls_i32_i64", "d = number of leading bits of a that equal its sign bit, of 64; -1 if all do"},
    {"bitset0_B", "bit a of d = 0, {1} bits"},
    {"bitset1_B", "bit a of d = 1, {1} bits"},
    {"bitreplicate_b64_b32", "d = a with each bit repeated"},
    {"quadmask_B", "d = one bit for every four bits of a: whether one of them is set; SCC = d != 0"},
    {"wqm_B", "d = a, with all of four bits set if one of them is; SCC = d != 0"},
    {"pack_ll_b32_b16", "low half of d = low half of a, high half = low half of b"},
    {"pack_lh_b32_b16", "low half of d = low half of a, high half = high half of b"},
    {"pack_hl_b32_b16", "low half of d = high half of a, high half = low half of b"},
    {"pack_hh_b32_b16", "low half of d = high half of a, high half = high half of b"},
    // moves
    {"mov_B", "d = a, {1} bits"},
    {"movk_i32", "d = k, 16 bits, sign-extended"},
    {"cmov_B", "if SCC, d = a, {1} bits"},
    {"cmovk_i32", "if SCC, d = k, 16 bits, sign-extended"},
    {"cselect_B", "d = a if SCC, else b, {1} bits"},
    {"movreld_B", "d = a, with M0 added to the register number of d, {1} bits"},
    {"movrels_B", "d = a, with M0 added to the register number of a, {1} bits"},
    {"movrelsd_2_b32", "d = a, with M0[9:0] added to the register number of a and M0[25:16] to that of d"},
    {"getreg_b32", "d = the bits of a hardware register that hwreg(register, first bit, bits) names"},
    {"setreg_b32", "the bits of a hardware register that hwreg(register, first bit, bits) names = a"},
    {"setreg_imm32_b32", "the bits of a hardware register that hwreg(register, first bit, bits) names = k"},
};

/// EXEC and another mask; NEW is what EXEC becomes.
struct ExecRow {
  const char *operation, *text;
};
constexpr ExecRow execRows[] = {
    {"and", "a & EXEC"},    {"or", "a | EXEC"},        {"xor", "a ^ EXEC"},    {"nand", "~(a & EXEC)"},
    {"nor", "~(a | EXEC)"}, {"xnor", "~(a ^ EXEC)"},   {"andn1", "~a & EXEC"}, {"and_not0", "~a & EXEC"},
    {"andn2", "a & ~EXEC"}, {"and_not1", "a & ~EXEC"}, {"orn1", "~a | EXEC"},  {"or_not0", "~a | EXEC"},
    {"orn2", "a | ~EXEC"},  {"or_not1", "a | ~EXEC"},
};
std::string execMeaning(llvm::StringRef name) {
  if (!name.consume_back("_b32") && !name.consume_back("_b64")) return "";
  const bool saves = name.consume_back("_saveexec");
  if (!saves && !name.consume_back("_wrexec")) return "";
  for (const ExecRow &row : execRows)
    if (name == row.operation)
      return (saves ? "d = EXEC, then EXEC = " : "d and EXEC = ") + std::string(row.text) + "; SCC = EXEC != 0";
  return "";
}

constexpr MeaningRow control[] = {
    // branches
    {"branch", "branches"},
    {"cbranch_scc0", "branches if SCC is 0"},
    {"cbranch_scc1", "branches if SCC is 1"},
    {"cbranch_vccz", "branches if VCC is 0"},
    {"cbranch_vccnz", "branches if VCC is not 0"},
    {"cbranch_execz", "branches if no lane is active"},
    {"cbranch_execnz", "branches if a lane is active"},
    {"cbranch_cdbgsys", "branches if the system's debug flag is set"},
    {"cbranch_cdbguser", "branches if the user's debug flag is set"},
    {"cbranch_cdbgsys_or_user", "branches if the system's or the user's debug flag is set"},
    {"cbranch_cdbgsys_and_user", "branches if the system's and the user's debug flags are set"},
    {"cbranch_g_fork",
     "lanes in mask a continue at address b, others with the next instruction: fewer lanes first, the rest on a stack"},
    {"cbranch_i_fork",
     "lanes in mask a branch, others continue with the next instruction: fewer lanes first, the rest on a stack"},
    {"cbranch_join", "continues with the lanes that a fork put on the stack, unless its depth is a"},
    {"call_b64|i64", "d = the address of the next instruction, then branches"},
    {"getpc_b64", "d = the address of the next instruction"},
    {"get_pc_i64", "d = the address of the next instruction"},
    {"setpc_b64", "continues at address a"},
    {"set_pc_i64", "continues at address a"},
    {"swappc_b64", "d = the address of the next instruction, then continues at address a"},
    {"swap_pc_i64", "d = the address of the next instruction, then continues at address a"},
    {"add_pc_i64", "continues a bytes after the next instruction"},
    {"rfe_b64|i64", "returns from a trap handler to address a"},
    {"rfe_restore_b64", "returns from a trap handler to address a, with the state b"},
    // the wave
    {"endpgm", "ends the wave"},
    {"endpgm_saved", "ends the wave after a trap handler has saved it"},
    {"endpgm_ordered_ps_done", "ends the wave, and the ordered section of a pixel shader"},
    {"setkill", "ends the wave if k is 1"},
    {"sethalt", "halts the wave if k is 1"},
    {"trap", "enters the trap handler with the number k"},
    {"sendmsg", "sends the message k"},
    {"sendmsghalt", "sends the message k and halts the wave"},
    {"sendmsg_rtn_B", "sends the message k; d = the answer, {1} bits, once kmcnt says so"},
    {"setprio", "priority of the wave = k, 0 to 3"},
    {"setprio_inc_wg", "increments the priority of the workgroup's waves, as k says"},
    {"sleep", "sleeps for about 64 * k cycles"},
    {"sleep_var", "sleeps for about 64 * a cycles"},
    {"monitor_sleep", "sleeps until memory that a load_monitor has read changes, or for a time that k gives"},
    {"wakeup", "wakes up the sleeping waves of the workgroup"},
    {"wakeup_barrier", "wakes up the sleeping waves that are members of a barrier"},
    {"alloc_vgpr", "changes the number of the wave's VGPRs to a; SCC = it was possible"},
    {"set_vgpr_msb", "selects which 256 of the VGPRs later instructions name: two bits of k each for a, b, c and d"},
    // barriers
    {"barrier", "waits until all waves of the workgroup have arrived"},
    {"barrier_signal",
     "arrives at a barrier without waiting: -1 is the workgroup's, -3 the cluster's, others are named ones"},
    {"barrier_signal_isfirst", "arrives at a barrier without waiting; SCC = the wave is the first"},
    {"barrier_wait",
     "waits until all have arrived at a barrier: -1 is the workgroup's, -3 the cluster's, others the one that the "
     "wave has joined"},
    {"barrier_init", "initialises a named barrier with a count of members from M0"},
    {"barrier_join", "makes the wave a member of a named barrier"},
    {"barrier_leave", "removes the wave from its named barrier; SCC = it was the last member"},
    {"get_barrier_state", "d = members, arrivals and validity of a barrier, once kmcnt says so"},
    // modes
    {"round_mode", "rounding in MODE = k: bits 1:0 of f32, bits 3:2 of f16 and f64"},
    {"denorm_mode", "denormals in MODE = k: bits 1:0 of f32, bits 3:2 of f16 and f64"},
    {"setvskip", "skips vector instructions from here on if bit b of a is 1"},
    {"set_gpr_idx_on", "from here on, adds a[7:0] to the VGPR numbers of the operands that gpr_idx() names"},
    {"set_gpr_idx_off", "ends the indexing of VGPR numbers"},
    {"set_gpr_idx_idx", "index of VGPR numbers, M0[7:0] = a"},
    {"set_gpr_idx_mode", "which operands are indexed, M0[15:12] = gpr_idx()"},
    // hints, caches, clocks
    {"nop", "does nothing for k + 1 cycles"},
    {"delay_alu", "a hint: on which earlier results the next instructions depend"},
    {"clause", "a hint: issue the next k + 1 memory instructions back to back"},
    {"code_end", "marks the end of the code; never executed"},
    {"version", "marks the code with a version; does nothing"},
    {"icache_inv", "invalidates the instruction cache"},
    {"incperflevel", "increments the performance counter k"},
    {"decperflevel", "decrements the performance counter k"},
    {"ttracedata", "writes M0 into a trace of the wave"},
    {"ttracedata_imm", "writes k into a trace of the wave"},
    {"get_shader_cycles_u64", "d = the cycle counter, 64 bits"},
};

constexpr MeaningRow waits[] = {
    {"waitcnt", "waits until at most so many operations are outstanding: vmcnt for vector memory, lgkmcnt for LDS and "
                "scalar memory, "
                "expcnt for exports"},
    {"wait_loadcnt", "waits until at most k loads of vector memory are outstanding"},
    {"wait_storecnt", "waits until at most k stores to vector memory are outstanding"},
    {"wait_dscnt", "waits until at most k LDS operations are outstanding"},
    {"wait_kmcnt", "waits until at most k scalar loads and messages are outstanding"},
    {"wait_expcnt", "waits until at most k exports are outstanding"},
    {"wait_samplecnt", "waits until at most k image samples are outstanding"},
    {"wait_bvhcnt", "waits until at most k ray tracing operations are outstanding"},
    {"wait_asynccnt", "waits until at most k asynchronous copies between memory and LDS are outstanding"},
    {"wait_tensorcnt", "waits until at most k operations of the tensor mover are outstanding"},
    {"wait_xcnt", "waits until at most k memory operations lack a translated address, and so may be replayed"},
    {"wait_loadcnt_dscnt",
     "waits until at most k[13:8] loads of vector memory and k[5:0] LDS operations are outstanding"},
    {"wait_storecnt_dscnt",
     "waits until at most k[13:8] stores to vector memory and k[5:0] LDS operations are outstanding"},
    {"wait_alu", "waits until at most so many results of the ALUs and reads of registers are outstanding"},
    {"wait_idle", "waits until nothing of the wave is outstanding"},
    {"wait_event", "waits for the event that k names, such as room for exports"},
};

} // namespace

std::string scalarMeaning(llvm::StringRef name) {
  if (std::string meaning = execMeaning(name); !meaning.empty()) return meaning;
  for (llvm::ArrayRef<MeaningRow> table :
       {llvm::ArrayRef<MeaningRow>(scalarArithmetic), llvm::ArrayRef<MeaningRow>(scalarBits),
        llvm::ArrayRef<MeaningRow>(control), llvm::ArrayRef<MeaningRow>(waits)})
    if (std::string meaning = meaningIn(table, name); !meaning.empty()) return meaning;
  return "";
}

} // namespace fly::isa
