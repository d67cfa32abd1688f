#include "compiler/isa/InstructionClasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::isa {

namespace {

bool movesToLds(const Instruction &i) {
  return i.modifiers.lds || llvm::StringRef(name(i.op)).contains("_LDS_") || i.form == Form::TENSOR;
}
bool isVmem(const Instruction &i) { return i.is(Class::VectorMemory); }
bool startsBarrier(const Instruction &i) { // s_barrier, or the wait of gfx12's s_barrier_signal and s_barrier_wait
  llvm::StringRef op = name(i.op);
  return i.is(Class::Barrier) && (op == "S_BARRIER" || op.starts_with("S_BARRIER_WAIT"));
}

bool isNop(const Instruction &i) { return i.is(Class::Hint) && llvm::StringRef(name(i.op)) == "S_NOP"; }
bool setsPriority(const Instruction &i) {
  return i.is(Class::Hint) && llvm::StringRef(name(i.op)).starts_with("S_SETPRIO");
}

constexpr InstructionClass table[] = {
    {"instructions", "all", [](const Instruction &) { return true; }},
    {"valu", "vector arithmetic, without matrix instructions",
     [](const Instruction &i) { return i.is(Class::Vector) || i.is(Class::Transcendental); }},
    {"trans", "transcendental instructions, at a quarter of the rate: `v_exp_f32`, `v_rcp_f32`",
     [](const Instruction &i) { return i.is(Class::Transcendental); }},
    {"salu", "scalar arithmetic", [](const Instruction &i) { return i.is(Class::Scalar); }},
    {"mfma", "matrix instructions: MFMA, SMFMAC", [](const Instruction &i) { return i.form == Form::MFMA; }},
    {"wmma", "matrix instructions: WMMA, SWMMAC", [](const Instruction &i) { return i.form == Form::WMMA; }},
    {"vmem", "vector memory", isVmem},
    {"vmem_read", "loads into registers",
     [](const Instruction &i) { return isVmem(i) && i.mayLoad && !i.isAtomic && !movesToLds(i); }},
    {"vmem_write", "stores from registers",
     [](const Instruction &i) { return isVmem(i) && i.mayStore && !i.isAtomic && !movesToLds(i); }},
    {"lds_dma", "moves between memory and LDS without registers",
     [](const Instruction &i) { return isVmem(i) && movesToLds(i); }},
    {"scratch", "accesses to scratch memory: spilled registers, and arrays that are not in registers",
     [](const Instruction &i) { return llvm::StringRef(name(i.op)).starts_with("SCRATCH_"); }},
    {"atomics", "atomic operations, on any memory", [](const Instruction &i) { return i.isAtomic; }},
    {"smem", "scalar memory", [](const Instruction &i) { return i.is(Class::ScalarMemory); }},
    {"ds", "LDS", [](const Instruction &i) { return i.is(Class::Lds); }},
    {"ds_read", "reads of LDS", [](const Instruction &i) { return i.is(Class::Lds) && i.mayLoad && !i.mayStore; }},
    {"ds_write", "writes to LDS", [](const Instruction &i) { return i.is(Class::Lds) && i.mayStore && !i.mayLoad; }},
    {"waits", "`s_waitcnt`, `s_wait_*`", [](const Instruction &i) { return i.is(Class::Wait); }},
    {"barriers", "barriers of the workgroup", startsBarrier},
    {"branches", "jumps", [](const Instruction &i) { return i.is(Class::Branch); }},
    {"nops", "`s_nop`", isNop},
    {"priorities", "`s_setprio` and its variants", setsPriority},
    {"hints", "other instructions without a result: `s_delay_alu`, `s_clause`, `s_sleep`",
     [](const Instruction &i) { return i.is(Class::Hint) && !isNop(i) && !setsPriority(i); }},
};

} // namespace

llvm::ArrayRef<InstructionClass> instructionClasses() { return table; }

const InstructionClass *findInstructionClass(llvm::StringRef name) {
  auto *found = llvm::find_if(table, [&](auto &each) { return name == each.name; });
  return found == std::end(table) ? nullptr : found;
}

llvm::StringRef mnemonic(llvm::StringRef assembly) {
  llvm::StringRef word = assembly.ltrim().take_until([](char c) { return c == ' ' || c == '\t'; });
  for (bool cut = true; cut;) {
    cut = false;
    for (llvm::StringRef suffix : {"_e32", "_e64", "_dpp", "_dpp8", "_sdwa"}) cut |= word.consume_back(suffix);
  }
  return word;
}

std::string commonMnemonic(const Instruction &instruction) { return llvm::StringRef(name(instruction.op)).lower(); }

} // namespace fly::isa
