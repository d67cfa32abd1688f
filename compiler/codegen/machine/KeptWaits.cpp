// See KeptWaits.h. For each counter the pass knows how many operations were issued after the last access, and after each
// load whose result nothing has used yet: where it is used, LLVM waits for it, and so for what was issued before.
#include "compiler/codegen/machine/KeptWaits.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/Opcodes.h"
#include "compiler/codegen/machine/TargetOf.h"
#include "compiler/target/Waitcnt.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <array>
#include <map>

namespace fly::codegen {

namespace {

/// Where loads and stores of memory have one counter, it is `Loads` here.
enum Counter : unsigned { Loads, Stores, Lds, counterCount };
using Counts = std::array<uint8_t, counterCount>;
constexpr uint8_t none = 255; ///< nothing is under way, or waited for

struct Operations {
  Counts newer{none, none, none}; ///< operations after the last access
  /// By unit of a register: the operations after the one that fills it.
  std::array<std::map<llvm::MCRegUnit, uint8_t>, counterCount> results;

  /// Whether that changes anything.
  bool unite(const Operations &other) {
    bool changed = false;
    const auto keepLess = [&](uint8_t &mine, uint8_t theirs) {
      changed |= theirs < mine;
      mine = std::min(mine, theirs);
    };
    for (unsigned counter = 0; counter < counterCount; ++counter) {
      keepLess(newer[counter], other.newer[counter]);
      for (auto [unit, count] : other.results[counter])
        keepLess(results[counter].try_emplace(unit, none).first->second, count);
    }
    return changed;
  }
  void wait(unsigned counter, uint8_t limit) {
    if (newer[counter] >= limit)
      newer[counter] = none;
    std::erase_if(results[counter], [&](auto &result) { return result.second >= limit; });
  }
  void issue(unsigned counter, bool isAccess) {
    const auto count = [](uint8_t &newer) { newer += newer < none - 1; };
    if (newer[counter] != none)
      count(newer[counter]);
    if (isAccess)
      newer[counter] = 0;
    for (auto &result : results[counter])
      count(result.second);
  }
};

class KeptWaits {
public:
  explicit KeptWaits(llvm::MachineFunction &function)
      : function(function), instructions(*function.getSubtarget().getInstrInfo()),
        registers(*function.getSubtarget().getRegisterInfo()), generation(generationOf(function)) {}

  bool run() {
    if (llvm::none_of(function, [&](const llvm::MachineBasicBlock &block) {
          return llvm::any_of(block, [&](const llvm::MachineInstr &each) { return isSoft(each); });
        }))
      return false;
    std::vector<Operations> begins(function.getNumBlockIDs());
    std::vector<bool> isSettled(function.getNumBlockIDs());
    const llvm::ReversePostOrderTraversal<llvm::MachineFunction *> order(&function);
    for (bool changed = true; std::exchange(changed, false);)
      for (const llvm::MachineBasicBlock *block : order) {
        if (isSettled[block->getNumber()])
          continue;
        isSettled[block->getNumber()] = true;
        Operations state = begins[block->getNumber()];
        for (const llvm::MachineInstr &each : *block)
          step(state, each);
        for (const llvm::MachineBasicBlock *next : block->successors())
          if (begins[next->getNumber()].unite(state)) {
            isSettled[next->getNumber()] = false;
            changed = true;
          }
      }
    llvm::SmallVector<std::pair<llvm::MachineInstr *, Counts>> needed;
    for (llvm::MachineBasicBlock *block : order)
      for (llvm::MachineInstr &each : *block) {
        Operations &state = begins[block->getNumber()];
        if (isSoft(each))
          if (const Counts counts = neededOf(each, state); counts != Counts{none, none, none})
            needed.push_back({&each, counts});
        step(state, each);
      }
    for (auto &[wait, counts] : needed)
      keep(*wait, counts);
    return !needed.empty();
  }

private:
  llvm::MachineFunction &function;
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  const target::Generation &generation;

  bool countStoresApart() const { return generation.splitCounters || generation.storeCounter; }
  llvm::StringRef name(const llvm::MachineInstr &each) const { return instructions.getName(each.getOpcode()); }
  bool isSoft(const llvm::MachineInstr &each) const { return name(each).ends_with("_soft"); }

  /// How many operations a wait leaves under way.
  Counts limitsOf(const llvm::MachineInstr &each) const {
    Counts limits{none, none, none};
    llvm::StringRef wait = name(each);
    if (!wait.starts_with("S_WAIT"))
      return limits;
    wait.consume_back("_soft");
    const auto count = [&] { return uint32_t(each.getOperand(0).getImm()); };
    if (wait == "S_WAITCNT") {
      const target::Waitcnt counts(generation, count()), nothing(generation);
      limits[Loads] = counts.vmcnt == nothing.vmcnt ? none : uint8_t(counts.vmcnt);
      limits[Lds] = counts.lgkmcnt == nothing.lgkmcnt ? none : uint8_t(counts.lgkmcnt);
    } else if (wait == "S_WAIT_LOADCNT_DSCNT" || wait == "S_WAIT_STORECNT_DSCNT") {
      limits[Lds] = count() & 63;
      limits[wait.contains("LOAD") ? Loads : Stores] = count() >> 8 & 63;
    } else if (wait == "S_WAIT_LOADCNT") {
      limits[Loads] = uint8_t(count());
    } else if (wait == "S_WAITCNT_VSCNT") {
      limits[Stores] = uint8_t(each.getOperand(1).getImm());
    } else if (wait == "S_WAIT_STORECNT") {
      limits[Stores] = uint8_t(count());
    } else if (wait == "S_WAIT_DSCNT") {
      limits[Lds] = uint8_t(count());
    }
    return limits;
  }

  /// Counters of the wait for which something is under way.
  Counts neededOf(const llvm::MachineInstr &wait, const Operations &state) const {
    Counts counts = limitsOf(wait);
    for (unsigned counter = 0; counter < counterCount; ++counter)
      if (state.newer[counter] == none || state.newer[counter] < counts[counter])
        counts[counter] = none;
    return counts;
  }

  void step(Operations &state, const llvm::MachineInstr &each) const {
    if (each.isMetaInstruction())
      return;
    waitForOperands(state, each);
    const Counts limits = limitsOf(each);
    for (unsigned counter = 0; counter < counterCount; ++counter)
      state.wait(counter, limits[counter]);

    const llvm::StringRef name = this->name(each);
    const bool isLds = name.starts_with("DS_");
    const bool isAccess = (each.mayLoadOrStore() && !isElsewhere(name)) || name == "BUFFER_WBL2";
    const bool returns = each.getNumExplicitDefs() > 0;
    const auto issue = [&](unsigned counter) {
      state.issue(counter, isAccess);
      if (returns)
        for (const llvm::MachineOperand &result : each.defs())
          for (llvm::MCRegUnit unit : registers.regunits(result.getReg().asMCReg()))
            state.results[counter][unit] = 0;
    };
    if (isLds || (isAccess && name.starts_with("FLAT_")))
      issue(Lds); // exchanges between lanes touch no memory, and count
    if (isAccess && !isLds)
      issue(countStoresApart() && each.mayStore() && !returns ? Stores : Loads);
  }

  /// Scalar memory, whose bytes nothing stores; what has counters of its own; caches.
  static bool isElsewhere(llvm::StringRef name) {
    return name.starts_with("S_") || name.starts_with("TENSOR_") || name.contains("_ASYNC_") || name.contains("_INV") ||
           name.contains("_WB");
  }

  /// Where LLVM is sure to wait. It does not for a load of memory that overwrites the result of another one.
  void waitForOperands(Operations &state, const llvm::MachineInstr &each) const {
    const bool isMemory = each.mayLoadOrStore();
    for (const llvm::MachineOperand &operand : each.operands()) {
      if (!operand.isReg() || !operand.getReg().isPhysical() || (operand.isImplicit() && isMemory))
        continue;
      for (unsigned counter = 0; counter < counterCount; ++counter) {
        if (state.results[counter].empty() || (counter != Lds && operand.isDef() && isMemory))
          continue;
        uint8_t limit = none;
        for (llvm::MCRegUnit unit : registers.regunits(operand.getReg().asMCReg()))
          if (auto found = state.results[counter].find(unit); found != state.results[counter].end())
            limit = std::min(limit, found->second);
        if (limit != none)
          state.wait(counter, limit);
      }
    }
  }

  void keep(llvm::MachineInstr &wait, const Counts &counts) const {
    llvm::StringRef name = this->name(wait);
    name.consume_back("_soft");
    llvm::MachineInstrBuilder built =
        llvm::BuildMI(*wait.getParent(), wait, wait.getDebugLoc(), instructions.get(opcodeNamed(instructions, name)));
    if (name != "S_WAITCNT") {
      for (const llvm::MachineOperand &operand : wait.explicit_operands())
        built.add(operand);
      return;
    }
    target::Waitcnt kept(generation);
    if (counts[Loads] != none)
      kept.vmcnt = counts[Loads];
    if (counts[Lds] != none)
      kept.lgkmcnt = counts[Lds];
    built.addImm(kept.encode(generation));
  }
};

struct KeptWaitsPass : PassBase<KeptWaitsPass, Keeps::ControlFlow> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override { return KeptWaits(function).run(); }
};

} // namespace

BackendPass keptWaitsPass() { return backendPass<KeptWaitsPass>(); }

} // namespace fly::codegen
