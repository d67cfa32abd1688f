// See CopyWaits.h. Vector memory is done in the order of issue, so what counts of a copy is how many such operations were
// issued after it: a wait for vmcnt(n) covers it if these are at least n. Where paths join, the smallest number holds.
#include "compiler/codegen/machine/CopyWaits.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/ir/LdsRegions.h"
#include "compiler/codegen/machine/Opcodes.h"
#include "compiler/codegen/machine/TargetOf.h"
#include "compiler/target/Waitcnt.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <algorithm>

namespace fly::codegen {

namespace {

constexpr uint8_t capacity = 63; ///< of vmcnt: what so many others follow is done

/// For each copy, how many operations that count in vmcnt were issued after it; `capacity` if it is done, too.
using UnderWay = llvm::SmallVector<uint8_t>;

class CopyWaits {
public:
  CopyWaits(llvm::MachineFunction &function, llvm::AAResults *aliases)
      : function(function), instructions(*function.getSubtarget().getInstrInfo()), generation(generationOf(function)),
        aliases(aliases) {
    for (llvm::MachineBasicBlock &block : function)
      for (const llvm::MachineInstr &each : block)
        if (isCopy(each)) {
          numbers[&each] = unsigned(copies.size());
          copies.push_back(&each);
        }
  }

  bool run() {
    if (copies.empty())
      return false;
    // A wait that was added may make those in other blocks needless.
    bool changed = false;
    for (bool added = true; added; changed |= added) {
      added = false;
      settle();
      for (auto block = function.begin(); block != function.end() && !added; ++block)
        added = addTo(*block);
    }
    return changed;
  }

private:
  llvm::MachineFunction &function;
  const llvm::TargetInstrInfo &instructions;
  const target::Generation &generation;
  llvm::AAResults *const aliases; ///< none at -O0
  llvm::SmallVector<const llvm::MachineInstr *> copies;
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> numbers;
  std::vector<UnderWay> ends; ///< by block

  llvm::StringRef name(const llvm::MachineInstr &each) const { return instructions.getName(each.getOpcode()); }

  bool isCopy(const llvm::MachineInstr &each) const {
    const llvm::StringRef name = this->name(each);
    return each.mayStore() && (name.starts_with("BUFFER_LOAD_") || name.starts_with("GLOBAL_LOAD_")) &&
           name.contains("_LDS");
  }

  /// Among those that are done in the order of issue. Caches count elsewhere, or it does not matter that they count.
  bool counts(const llvm::MachineInstr &each) const {
    const llvm::StringRef name = this->name(each);
    return each.mayLoadOrStore() && !name.contains("_INV") && !name.contains("_WB") &&
           (name.starts_with("BUFFER_") || name.starts_with("TBUFFER_") || name.starts_with("GLOBAL_") ||
            name.starts_with("SCRATCH_"));
  }

  static bool accessesLds(const llvm::MachineInstr &each) {
    return llvm::any_of(each.memoperands(), [](const llvm::MachineMemOperand *operand) {
      constexpr unsigned flatSpace = 0;
      return operand->getAddrSpace() == ldsSpace || operand->getAddrSpace() == flatSpace;
    });
  }

  static void wait(UnderWay &state, uint8_t count) {
    for (uint8_t &newer : state)
      if (newer >= count)
        newer = capacity;
  }

  void step(UnderWay &state, const llvm::MachineInstr &each) const {
    if (name(each) == "S_WAITCNT")
      wait(state, uint8_t(target::Waitcnt(generation, uint32_t(each.getOperand(0).getImm())).vmcnt));
    else if (each.isCall())
      wait(state, 0); // functions begin so
    else if (counts(each))
      for (uint8_t &newer : state)
        newer += newer < capacity;
    if (auto copy = numbers.find(&each); copy != numbers.end())
      state[copy->second] = 0;
  }

  /// How many operations may be under way before the access; `capacity` if no copy that it may concern is.
  uint8_t neededBy(const llvm::MachineInstr &access, const UnderWay &state) const {
    uint8_t needed = capacity;
    if (!accessesLds(access) || numbers.contains(&access))
      return needed;
    for (size_t copy = 0; copy < copies.size(); ++copy)
      if (state[copy] < needed && access.mayAlias(aliases, *copies[copy], /*UseTBAA=*/true))
        needed = state[copy];
    return needed;
  }

  UnderWay before(const llvm::MachineBasicBlock &block) const {
    UnderWay state(copies.size(), capacity);
    for (const llvm::MachineBasicBlock *from : block.predecessors())
      for (size_t copy = 0; copy < copies.size(); ++copy)
        state[copy] = std::min(state[copy], ends[from->getNumber()][copy]);
    return state;
  }

  void settle() {
    ends.assign(function.getNumBlockIDs(), UnderWay(copies.size(), capacity));
    for (bool changed = true; std::exchange(changed, false);)
      for (const llvm::MachineBasicBlock &block : function) {
        UnderWay state = before(block);
        for (const llvm::MachineInstr &each : block)
          step(state, each);
        UnderWay &end = ends[block.getNumber()];
        changed |= end != state;
        end = std::move(state);
      }
  }

  /// Whether there was something to add.
  bool addTo(llvm::MachineBasicBlock &block) {
    bool added = false;
    UnderWay state = before(block);
    for (llvm::MachineInstr &each : block) {
      if (const uint8_t needed = neededBy(each, state); needed < capacity) {
        waitBefore(each, needed);
        wait(state, needed);
        added = true;
      }
      step(state, each);
    }
    return added;
  }

  void waitBefore(llvm::MachineInstr &access, uint8_t count) const {
    llvm::MachineBasicBlock &block = *access.getParent();
    auto last = access.getIterator();
    while (last != block.begin() && std::prev(last)->isMetaInstruction())
      --last;
    target::Waitcnt counts(generation);
    if (last != block.begin() && name(*std::prev(last)) == "S_WAITCNT") {
      llvm::MachineOperand &operand = std::prev(last)->getOperand(0);
      counts = target::Waitcnt(generation, uint32_t(operand.getImm()));
      counts.vmcnt = count; // it had more
      operand.setImm(counts.encode(generation));
      return;
    }
    counts.vmcnt = count;
    llvm::BuildMI(block, access, access.getDebugLoc(), instructions.get(opcodeNamed(instructions, "S_WAITCNT")))
        .addImm(counts.encode(generation));
  }
};

struct CopyWaitsPass : PassBase<CopyWaitsPass, Keeps::ControlFlow> {
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addUsedIfAvailable<llvm::AAResultsWrapperPass>();
    PassBase::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    auto *aliases = getAnalysisIfAvailable<llvm::AAResultsWrapperPass>();
    return CopyWaits(function, aliases ? &aliases->getAAResults() : nullptr).run();
  }
};

} // namespace

BackendPass copyWaitsPass() { return backendPass<CopyWaitsPass>(); }

} // namespace fly::codegen
