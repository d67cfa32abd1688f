#include "compiler/verify/Rules.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::verify {

namespace {

constexpr Rule table[] = {
    {"wait-read", "a register is read before the operation that fills it has been waited for", false},
    {"wait-overwrite", "a register is overwritten before the operation that fills it has been waited for", false},
    {"wait-source", "a register is overwritten before the operation that reads it has translated its address (gfx1250)",
     false},
    // Distances of gfx942 and gfx950: compiler/isa/WaitStateRules.cpp.
    {"setreg", "s_setreg, then s_setreg or s_getreg of the same hardware register", false},
    {"zero-flag", "a VALU instruction writes VCC or EXEC, then one reads VCCZ or EXECZ", false},
    {"lane-select", "a VALU instruction writes an SGPR, then v_readlane or v_writelane selects a lane with it", false},
    {"div-fmas", "a VALU instruction writes VCC, then v_div_fmas reads it", false},
    {"store-data", "a store of more than 64 bits per lane, then a VALU instruction overwrites its data", false},
    {"memory-scalar", "a VALU instruction writes an SGPR, then vector memory reads it", false},
    {"m0", "an SALU instruction writes M0, then s_sendmsg, a load to LDS or s_movrel reads it", false},
    {"dpp", "a VALU instruction writes a VGPR or EXEC, then DPP reads it", false},
    {"constant", "a VALU instruction writes an SGPR, VCC or EXEC, then one reads it as a constant", false},
    {"exec-lane", "v_cmpx, then v_readlane, v_readfirstlane or v_writelane", false},
    {"readlane", "a VALU instruction writes a VGPR, then v_readlane or v_readfirstlane reads it", false},
    {"part", "SDWA or op_sel writes a part of a VGPR, then a VALU instruction reads it", false},
    {"matrix-source", "a VALU instruction writes a VGPR, then a matrix product reads it", false},
    {"matrix-exec", "v_cmpx, then a matrix product", false},
    {"matrix-result", "a matrix product, then an instruction that reads or overwrites its result", false},
    {"matrix-accumulator", "a matrix product, then a VALU instruction overwrites its C", false},
    {"dot", "a dot product, then another instruction that reads or overwrites its result", false},
    // Both, or gfx12: compiler/isa/Hazards.cpp.
    {"transcendental", "a transcendental instruction, then a VALU instruction that uses its registers", false},
    {"permlane", "v_cmpx or a write of the source, then v_permlane", false},
    {"wmma", "a WMMA, then an instruction that uses its registers too early", false},
    {"mode", "s_setreg of MODE, then s_set_vgpr_msb", false},
    {"sgpr", "VALU reads an SGPR, it is written, then read again before the write has arrived (gfx1201)", false},
    {"encoding", "an instruction that is wrong by itself", false},
    {"scc", "SCC is read, and is not written on every way to it; in compiled code", false},
    {"lds-copy", "LDS is read while a copy of the wave to the same bytes is in flight", false},
    {"barrier-count", "paths with different numbers of barriers meet, and waves may take different ones", true},
    {"lds-barrier", "a barrier while a write to LDS by the same wave is in flight", true},
    {"lds-dma", "LDS is read while a load to LDS by the same wave is in flight that is never waited for", true},
};

} // namespace

llvm::ArrayRef<Rule> rules() { return table; }

const Rule *findRule(llvm::StringRef name) {
  auto *found = llvm::find_if(table, [&](const Rule &rule) { return name == rule.name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace fly::verify
