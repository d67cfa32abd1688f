// Control flow, waits, hardware registers, and the handlers of what cannot be executed.
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/wave/Cluster.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Observer.h"
#include "runtime/emulator/lanes/Scalars.h"

#include "runtime/emulator/formats/Text.h"

#include <atomic>

namespace fly::emulator {

namespace {

/// Reasons why instructions have no handler, by name prefix.
struct Unsupported {
  std::string_view name, why;
};
constexpr Unsupported unsupported[] = {
    {"V_MFMA_LD_SCALE_B32", "gives scales to the v_mfma_*_f8f6f4 that must follow it, but none follows"},
    {"V_WMMA_LD_SCALE", "gives scales to the v_wmma_*_f8f6f4 that must follow it, but none follows"},
    {"S_RFE_", "returns from a trap handler, but none is running"},
    {"TENSOR_SAVE", "belongs to the driver's context switch and is not publicly documented"},
    {"TENSOR_STOP", "belongs to the driver's context switch and is not publicly documented"},
    {"DS_GWS_", "needs global wave sync, but the kernel has none allocated"},
    {"DS_ORDERED_COUNT", "needs the global data share, which the architecture does not have"},
};

} // namespace

void runUnknown(Wave &w, const Inst &i) {
  const isa::Instruction &inst = w.program->instructions[i.number];
  const std::string_view name = isa::name(inst.op);
  std::string what = inst.op == isa::Op::Invalid
                         ? "these bytes are not an instruction of " + std::string(w.program->arch.name)
                         : "instruction " + std::string(name) + " is not emulated in this form";
  for (const Unsupported &u : unsupported)
    if (name.substr(0, u.name.size()) == u.name) what = "instruction " + std::string(name) + " " + std::string(u.why);
  if (inst.modifiers.gds)
    what = "instruction " + std::string(name) + " needs the global data share, which the architecture does not have";
  w.fail(FaultKind::UnknownInstruction, std::move(what));
}
void runBadRegister(Wave &w, const Inst &i) {
  w.fail(FaultKind::RegisterOutOfRange, *static_cast<const std::string *>(i.detail));
}
void runBadJump(Wave &w, const Inst &) { w.fail(FaultKind::BadJump, "execution ran past the end of the code"); }
void runDual(Wave &w, const Inst &i) {
  for (const Inst &part : *static_cast<const std::vector<Inst> *>(i.detail)) part.run(w, part);
}

void nothing(Wave &, const Inst &) {}

// Workgroups run on threads of the host, whose loads may overtake their stores: a fence of the kernel is one there, too.
void writeBack(Wave &w, const Inst &i) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  w.observers.tell(Hook::Order, &WaveObserver::release, w, reachOf(w.program->instructions[i.number]));
}
void invalidate(Wave &w, const Inst &i) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  w.observers.tell(Hook::Order, &WaveObserver::acquire, w, reachOf(w.program->instructions[i.number]));
}
void writeBackAndInvalidate(Wave &w, const Inst &i) {
  writeBack(w, i);
  invalidate(w, i);
}
void yield(Wave &w, const Inst &) {
  w.poll.gaveWay = true;
  w.stop = Stop::Quantum;
}

void jumpTo(Wave &w, uint64_t address) {
  uint32_t index = w.program->indexOf(address);
  if (index == 0) return w.failAt(FaultKind::BadJump, "jump to " + hex(address) + ", which is not code", -1, address);
  w.pc = index;
  w.code = w.program->code(w.codeState);
}
uint64_t nextAddress(Wave &w, const Inst &i) { return w.program->instructions[i.number].next() + w.program->loadBias; }
uint64_t relativeTarget(Wave &w, const Inst &i) {
  if (i.target) return w.program->addressOf(i.target);
  return nextAddress(w, i) + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(i.immediate)) * 4);
}

namespace {

void branch(Wave &w, const Inst &i) {
  if (i.target == 0) return w.fail(FaultKind::BadJump, "branch to an address that is not code");
  w.pc = i.target;
}
template <auto Condition> void branchIf(Wave &w, const Inst &i) {
  if (Condition(w)) branch(w, i);
}
void end(Wave &w, const Inst &) {
  drainPending(w);
  if (w.stop != Stop::Fault) w.stop = Stop::End;
}

//===--------------------------------------------------------------------------------------------------------===//
// Waits: memory operations complete here and nowhere earlier; see Pending.h
//===--------------------------------------------------------------------------------------------------------===//

void wait(Wave &w, const Inst &i) {
  if (!w.pending || w.pending->empty()) return;
  w.pending->wait(w, *static_cast<const isa::Waits *>(i.detail));
  w.pending->passed(w);
}
void waitIdle(Wave &w, const Inst &) { drainPending(w); }

//===--------------------------------------------------------------------------------------------------------===//
// Hardware registers
//===--------------------------------------------------------------------------------------------------------===//

// clang-format off
enum HardwareRegister : unsigned {
  modeRegister = 1, statusRegister = 2, memoryBases = 15, scratchBaseLow = 20, scratchBaseHigh = 21, ibSts2 = 28,
  shaderCyclesLow = 29, shaderCyclesHigh = 30
};
// clang-format on

/// gfx1250: 24:21 the workgroup's place in its cluster, 9:6 not zero in a cluster: so LLVM reads them.
uint32_t clusterStatus(const Wave &w) { return clusterSize(*w.group) > 1 ? clusterRank(*w.group) << 21 | 1u << 6 : 0; }

uint32_t readHardware(Wave &w, unsigned id) {
  switch (id) {
  case modeRegister: return w.mode.bits;
  case shaderCyclesLow: return static_cast<uint32_t>(w.executed);
  case shaderCyclesHigh: return static_cast<uint32_t>(w.executed >> 32);
  case ibSts2: return w.program->arch.clusters ? clusterStatus(w) : 0;
  case statusRegister: // SCC, EXECZ, VCCZ, "in a workgroup", "valid"
    return (w.scc() ? 1u : 0) | (w.mask(slot::exec) == 0 ? 1u << 9 : 0) | (w.mask(slot::vcc) == 0 ? 1u << 10 : 0) |
           1u << 11 | 1u << 16;
  case memoryBases: return privateAperture >> 16 | sharedAperture >> 16 << 16;
  case scratchBaseLow: return w.program->arch.generation.scratchBaseRegister ? w.scalar[slot::flatScratch] : 0;
  case scratchBaseHigh: return w.program->arch.generation.scratchBaseRegister ? w.scalar[slot::flatScratch + 1] : 0;
  default: return 0; // ids of the hardware, allocations: all zero here
  }
}
void getRegister(Wave &w, const Inst &i) {
  uint32_t v = readHardware(w, i.immediate & 63) >> (i.immediate >> 6 & 31);
  unsigned size = (i.immediate >> 11 & 31) + 1;
  w.scalar[i.dst] = size == 32 ? v : v & ((1u << size) - 1);
}
/// gfx1250's state of s_set_vgpr_msb.
void setCode(Wave &w, uint32_t msb) {
  w.codeState = (w.codeState & ~0xffu) | msb;
  w.code = w.program->code(w.codeState);
}
void setHardware(Wave &w, const Inst &i, uint32_t value) {
  unsigned offset = i.immediate >> 6 & 31, size = (i.immediate >> 11 & 31) + 1;
  uint32_t mask = (size == 32 ? ~0u : (1u << size) - 1) << offset;
  if ((i.immediate & 63) == modeRegister) {
    writeMode(w, (w.mode.bits & ~mask) | (value << offset & mask));
    if (w.program->arch.hasFeature("vgpr_msb")) setCode(w, isa::VgprMsb::ofMode(value));
  }
  // Others (scheduling mode, priorities, traps) change nothing that is observable here.
}
void setRegister(Wave &w, const Inst &i) { setHardware(w, i, readScalar<uint32_t>(w, i.source[0])); }
void roundMode(Wave &w, const Inst &i) { w.mode.set((w.mode.bits & ~15u) | (i.immediate & 15)); }
void denormMode(Wave &w, const Inst &i) { w.mode.set((w.mode.bits & ~0xf0u) | (i.immediate & 15) << 4); }
void setVgprMsb(Wave &w, const Inst &i) { setCode(w, i.immediate & 0xff); }

/// Of the messages with an answer, only the clock returns something here.
uint64_t messageReply(Wave &w, const Inst &i) {
  constexpr uint32_t getRealtime = 0x83;
  return (i.immediate & 0xff) == getRealtime ? w.executed : 0;
}

constexpr auto scc0 = [](Wave &w) { return !w.scc(); };
constexpr auto scc1 = [](Wave &w) { return w.scc(); };
constexpr auto vccZero = [](Wave &w) { return w.mask(slot::vcc) == 0; };
constexpr auto vccNonZero = [](Wave &w) { return w.mask(slot::vcc) != 0; };
constexpr auto execZero = [](Wave &w) { return w.mask(slot::exec) == 0; };
constexpr auto execNonZero = [](Wave &w) { return w.mask(slot::exec) != 0; };

// clang-format off
constexpr Row rows[] = {
    {"S_BRANCH", branch, Row::Other},
    {"S_CBRANCH_SCC0", branchIf<scc0>, Row::Other}, {"S_CBRANCH_SCC1", branchIf<scc1>, Row::Other},
    {"S_CBRANCH_VCCZ", branchIf<vccZero>, Row::Other}, {"S_CBRANCH_VCCNZ", branchIf<vccNonZero>, Row::Other},
    {"S_CBRANCH_EXECZ", branchIf<execZero>, Row::Other}, {"S_CBRANCH_EXECNZ", branchIf<execNonZero>, Row::Other},
    {"S_CBRANCH_CDBGSYS", nothing, Row::Other}, {"S_CBRANCH_CDBGUSER", nothing, Row::Other}, // no debugger, no branch
    {"S_CBRANCH_CDBGSYS_OR_USER", nothing, Row::Other}, {"S_CBRANCH_CDBGSYS_AND_USER", nothing, Row::Other},
    {"S_GETPC_B64", [](Wave &w, const Inst &i) { w.setScalar64(i.dst, nextAddress(w, i)); }, Row::Other},
    {"S_SETPC_B64", [](Wave &w, const Inst &i) { jumpTo(w, readScalar<uint64_t>(w, i.source[0])); }, Row::Other},
    {"S_SWAPPC_B64", [](Wave &w, const Inst &i) {
       uint64_t to = readScalar<uint64_t>(w, i.source[0]);
       w.setScalar64(i.dst, nextAddress(w, i));
       jumpTo(w, to); }, Row::Other},
    {"S_CALL_B64", [](Wave &w, const Inst &i) {
       uint64_t to = relativeTarget(w, i);
       w.setScalar64(i.dst, nextAddress(w, i));
       jumpTo(w, to); }, Row::Other},
    {"S_ADD_PC_I64", [](Wave &w, const Inst &i) {
       jumpTo(w, nextAddress(w, i) + readScalar<uint64_t>(w, i.source[0])); }, Row::Other},
    {"S_ENDPGM", end, Row::Other},
    {"S_ENDPGM_SAVED", end, Row::Other},
    {"S_ENDPGM_ORDERED_PS_DONE", end, Row::Other}, // also leaves a critical section of pixel shaders (Vega ISA)
    {"S_SETKILL", [](Wave &w, const Inst &i) { if (i.immediate & 1) end(w, i); }, Row::Other},
    {"V_ILLEGAL", [](Wave &w, const Inst &) {
       w.fail(FaultKind::Trap, "the kernel executed v_illegal, which raises an exception"); }, Row::Other},
    {"S_TRAP", [](Wave &w, const Inst &i) {
       w.fail(FaultKind::Trap, "the kernel stopped itself with s_trap " + std::to_string(i.immediate)); }, Row::Other},
    {"S_SETHALT", [](Wave &w, const Inst &i) {
       if (i.immediate & 1) w.fail(FaultKind::Trap, "the kernel halted itself with s_sethalt"); }, Row::Other},
    // hardware registers
    {"S_GETREG_B32", getRegister, Row::Other}, {"S_SETREG_B32", setRegister, Row::Other},
    {"S_SETREG_IMM32_B32", setRegister, Row::Other}, {"S_ROUND_MODE", roundMode, Row::Other},
    {"S_DENORM_MODE", denormMode, Row::Other}, {"S_SET_VGPR_MSB", setVgprMsb, Row::Other},
    {"S_SENDMSG_RTN_B32", [](Wave &w, const Inst &i) { w.scalar[i.dst] = static_cast<uint32_t>(messageReply(w, i)); },
     Row::Other},
    {"S_SENDMSG_RTN_B64", [](Wave &w, const Inst &i) { w.setScalar64(i.dst, messageReply(w, i)); }, Row::Other},
    {"S_ALLOC_VGPR", [](Wave &w, const Inst &i) { // outside of dynamic allocation: granted if they are there
       w.setScc(readScalar<uint32_t>(w, i.source[0]) <= w.program->limits.vgprs); }, Row::Other},
    {"S_GET_SHADER_CYCLES_U64", [](Wave &w, const Inst &i) { w.setScalar64(i.dst, w.executed); }, Row::Other},
    // waits
    {"S_WAITCNT", wait, Row::Other}, {"S_WAIT_LOADCNT", wait, Row::Other}, {"S_WAIT_STORECNT", wait, Row::Other},
    {"S_WAIT_DSCNT", wait, Row::Other}, {"S_WAIT_KMCNT", wait, Row::Other}, {"S_WAIT_EXPCNT", wait, Row::Other},
    {"S_WAIT_SAMPLECNT", wait, Row::Other}, {"S_WAIT_BVHCNT", wait, Row::Other}, {"S_WAIT_ASYNCCNT", wait, Row::Other},
    {"S_WAIT_TENSORCNT", wait, Row::Other}, {"S_WAIT_LOADCNT_DSCNT", wait, Row::Other},
    {"S_WAIT_STORECNT_DSCNT", wait, Row::Other}, {"S_WAIT_IDLE", waitIdle, Row::Other},
    // Addresses and data are captured at issue, so nothing of these is left to wait for.
    {"S_WAIT_XCNT", nothing, Row::Other}, {"S_WAITCNT_DEPCTR", nothing, Row::Other},
    {"S_WAIT_EVENT", nothing, Row::Other},
    // hints
    {"V_NOP", nothing, Row::Other}, {"DS_NOP", nothing, Row::Other},
    {"S_NOP", nothing, Row::Other}, {"S_DELAY_ALU", nothing, Row::Other}, {"S_CLAUSE", nothing, Row::Other},
    {"S_SLEEP", yield, Row::Other}, {"S_SLEEP_VAR", yield, Row::Other}, {"S_SETPRIO", nothing, Row::Other},
    {"S_SETPRIO_INC_WG", nothing, Row::Other}, {"S_WAKEUP", nothing, Row::Other}, {"S_ICACHE_INV", nothing, Row::Other},
    {"S_INCPERFLEVEL", nothing, Row::Other}, {"S_DECPERFLEVEL", nothing, Row::Other},
    {"S_TTRACEDATA", nothing, Row::Other},
    {"S_SENDMSG", nothing, Row::Other}, {"S_VERSION", nothing, Row::Other},
    {"S_MONITOR_SLEEP", yield, Row::Other}, {"V_CLREXCP", nothing, Row::Other}, {"V_PIPEFLUSH", nothing, Row::Other},
    {"S_ATC_PROBE", nothing, Row::Other}, {"S_ATC_PROBE_BUFFER", nothing, Row::Other},
    // the padding after the code; a message that halts
    {"S_CODE_END", runBadJump, Row::Other},
    {"S_SENDMSGHALT", [](Wave &w, const Inst &) {
       w.fail(FaultKind::Trap, "the kernel halted itself with s_sendmsghalt"); }, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> controlRows() { return rows; }

} // namespace fly::emulator
