// See KeptWaits.h. What may be under way is computed twice: as LLVM's pass knows it when it first comes to a block, and
// with what back edges bring.
#include "compiler/codegen/machine/KeptWaits.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/Opcodes.h"
#include "compiler/target/Gfx9Wait.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

namespace {

/// Counters with stores under way. On gfx9 stores to memory share their counter with loads.
enum Counter : uint8_t { Memory = 1, Lds = 2 };

struct Walk {
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  bool isGfx12;

  llvm::StringRef name(const llvm::MachineInstr &each) const { return instructions.getName(each.getOpcode()); }

  /// Counters that a wait brings to 0.
  uint8_t waitedFor(const llvm::MachineInstr &each) const {
    llvm::StringRef wait = name(each);
    wait.consume_back("_soft");
    if (wait == "S_WAITCNT") {
      const target::Gfx9Wait counts = target::decodeGfx9Wait(uint32_t(each.getOperand(0).getImm()));
      return (counts.vmcnt ? 0 : Memory) | (counts.lgkmcnt ? 0 : Lds);
    }
    if (!wait.starts_with("S_WAIT_") || each.getOperand(0).getImm())
      return 0;
    return (wait.contains("STORECNT") ? Memory : 0) | (wait.contains("DSCNT") ? Lds : 0);
  }

  /// What is under way after the block. `see` is called with each soft wait and what is under way in front of it.
  template <typename See> uint8_t through(const llvm::MachineBasicBlock &block, uint8_t underWay, See see) const {
    llvm::SmallVector<std::pair<llvm::Register, uint8_t>> results; // of loads that were issued after all stores
    for (const llvm::MachineInstr &each : block) {
      if (each.isMetaInstruction())
        continue;
      // Where a result is used, LLVM waits for it, and so for what was issued before.
      for (auto [result, counter] : results)
        if (each.readsRegister(result, &registers) || each.modifiesRegister(result, &registers))
          underWay &= ~counter;
      const llvm::StringRef name = this->name(each);
      if (const uint8_t waited = waitedFor(each)) {
        if (name.ends_with("_soft"))
          see(each, underWay);
        underWay &= ~waited;
        continue;
      }
      const bool isLds = name.starts_with("DS_");
      const bool isMemory = !isLds && !name.starts_with("S_") && each.mayLoadOrStore();
      if (!isLds && !isMemory)
        continue;
      const uint8_t counter = isLds ? Lds : Memory;
      const bool returns = each.getNumExplicitDefs() > 0;
      if (each.mayStore() && !returns) {
        underWay |= counter;
        llvm::erase_if(results, [&](auto &result) { return result.second == counter; });
      } else if (returns && (isLds || !isGfx12)) {
        results.push_back({each.getOperand(0).getReg(), counter});
      }
    }
    return underWay;
  }
};

struct KeptWaitsPass : PassBase<KeptWaitsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    const llvm::TargetSubtargetInfo &subtarget = function.getSubtarget();
    const Walk walk{*subtarget.getInstrInfo(), *subtarget.getRegisterInfo(), subtarget.checkFeatures("+gfx12-insts")};
    llvm::ReversePostOrderTraversal<llvm::MachineFunction *> order(&function);
    llvm::DenseMap<const llvm::MachineInstr *, uint8_t> first, last;
    std::vector<uint8_t> ends(function.getNumBlockIDs());
    const auto round = [&](llvm::DenseMap<const llvm::MachineInstr *, uint8_t> &seen) {
      bool changed = false;
      for (const llvm::MachineBasicBlock *block : order) {
        uint8_t begin = 0;
        for (const llvm::MachineBasicBlock *from : block->predecessors())
          begin |= ends[from->getNumber()];
        const uint8_t end = walk.through(
            *block, begin, [&](const llvm::MachineInstr &wait, uint8_t underWay) { seen[&wait] = underWay; });
        changed |= std::exchange(ends[block->getNumber()], end) != end;
      }
      return changed;
    };
    round(first);
    while (round(last))
      ;
    llvm::SmallVector<std::pair<llvm::MachineInstr *, uint8_t>> lost;
    for (llvm::MachineBasicBlock &block : function) {
      bool writesBack = false; // gfx9: since the last wait
      for (llvm::MachineInstr &each : block) {
        writesBack |= walk.name(each) == "BUFFER_WBL2";
        const uint8_t waited = walk.waitedFor(each);
        if (!waited)
          continue;
        if (auto seen = last.find(&each); seen != last.end())
          if (const uint8_t needed = waited & ((seen->second & ~first.lookup(&each)) | (writesBack ? Memory : 0)))
            lost.push_back({&each, needed});
        if (waited & Memory)
          writesBack = false;
      }
    }
    for (auto [wait, counters] : lost)
      keep(*wait, counters, walk);
    return !lost.empty();
  }

private:
  static void keep(llvm::MachineInstr &wait, uint8_t counters, const Walk &walk) {
    llvm::StringRef name = walk.name(wait);
    name.consume_back("_soft");
    llvm::MachineInstrBuilder built = llvm::BuildMI(*wait.getParent(), wait, wait.getDebugLoc(),
                                                    walk.instructions.get(opcodeNamed(walk.instructions, name)));
    if (name != "S_WAITCNT") {
      built.addImm(0);
      return;
    }
    target::Gfx9Wait counts;
    if (counters & Memory)
      counts.vmcnt = 0;
    if (counters & Lds)
      counts.lgkmcnt = 0;
    built.addImm(target::encode(counts));
  }
};

} // namespace

BackendPass keptWaitsPass() { return backendPass<KeptWaitsPass>(); }

} // namespace fly::codegen
