// See FixedOrder.h: steps 3 and 4, on machine code. Four passes:
//
//   after selection             uses of results at the end of their region, or LLVM sinks what computes them
//   after frames are laid out   spills of scalar registers, which are moves to lanes of a VGPR later
//   after the last scheduler    M0 is written an instruction earlier
//   at the end                  numbers, copies between register files, spills
#include "compiler/codegen/machine/FixedOrderPasses.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/ir/FixedRegions.h"
#include "compiler/codegen/machine/AccumulatorChains.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace fly::codegen {

namespace {

/// The number of step 2; 0 if there is none.
unsigned numberOf(const llvm::MachineInstr &instruction) {
  const llvm::DILocation *at = instruction.getDebugLoc();
  return at ? at->getDiscriminator() : 0;
}

/// A machine function, by LLVM's names of its opcodes: their numbers are in headers that LLVM does not install.
class Code {
public:
  explicit Code(llvm::MachineFunction &function)
      : function(function), instructions(*function.getSubtarget().getInstrInfo()),
        registers(*function.getSubtarget().getRegisterInfo()), regions(regionsOf(function.getFunction())),
        shadows(regionsOf(function.getFunction(), shadowRegions)) {}

protected:
  llvm::StringRef nameOf(const llvm::MachineInstr &instruction) const {
    return instructions.getName(instruction.getOpcode());
  }
  /// The region that begins with this instruction, or whose last one it is.
  const FixedRegion *find(const llvm::MachineInstr &instruction, unsigned FixedRegion::*end) const {
    return find(instruction, end, regions);
  }
  const FixedRegion *findShadow(const llvm::MachineInstr &instruction, unsigned FixedRegion::*end) const {
    return find(instruction, end, shadows);
  }
  void refuse(const llvm::MachineInstr &at, const llvm::Twine &message) const {
    refuseRegion(function.getFunction(), at.getDebugLoc(), message);
  }

  llvm::MachineFunction &function;
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  const std::vector<FixedRegion> regions, shadows;

private:
  const FixedRegion *find(const llvm::MachineInstr &instruction, unsigned FixedRegion::*end,
                          const std::vector<FixedRegion> &all) const {
    if (nameOf(instruction) != "SCHED_BARRIER")
      return nullptr;
    auto found = llvm::find_if(all, [&](auto &region) { return region.*end == numberOf(instruction); });
    return found == all.end() ? nullptr : &*found;
  }
};

//===--------------------------------------------- uses -----------------------------------------------------------===//

/// LLVM computes a value in the block that alone needs it. So that it stays, its region needs the value, too. Accesses of
/// memory stay anyway; accumulators of matrix instructions go around loops, and one more use would take their place.
struct UsesInRegion : Code {
  using Code::Code;

  bool run() {
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function) {
      bool isOpen = false, isShadow = false;
      llvm::SmallVector<llvm::Register> results;
      for (llvm::MachineInstr &instruction : block) {
        isOpen = isOpen || find(instruction, &FixedRegion::first);
        isShadow =
            (isShadow || findShadow(instruction, &FixedRegion::first)) && !findShadow(instruction, &FixedRegion::last);
        const bool isKept = numberOf(instruction) || (isShadow && nameOf(instruction).starts_with("V_"));
        if (isOpen && isKept && isOfTarget(instruction) && !instruction.mayLoadOrStore() &&
            !isMatrixProduct(instruction, instructions))
          for (const llvm::MachineOperand &result : instruction.all_defs())
            if (result.getReg().isVirtual() && !isHeld(result.getReg(), block))
              results.push_back(result.getReg());
        if (!find(instruction, &FixedRegion::last))
          continue;
        for (llvm::Register result : results)
          llvm::BuildMI(block, instruction, instruction.getDebugLoc(), instructions.get(llvm::TargetOpcode::FAKE_USE))
              .addReg(result);
        changed |= !results.empty();
        results.clear(), isOpen = false;
      }
    }
    return changed;
  }

private:
  /// Copies have the number of what they are for.
  static bool isOfTarget(const llvm::MachineInstr &instruction) {
    return llvm::isTargetSpecificOpcode(instruction.getOpcode()) || instruction.isInlineAsm();
  }
  /// Whether an instruction needs the value that stays in this block itself.
  bool isHeld(llvm::Register value, const llvm::MachineBasicBlock &block, unsigned depth = 0) const {
    constexpr unsigned deepest = 8;
    return llvm::any_of(function.getRegInfo().use_nodbg_instructions(value), [&](const llvm::MachineInstr &user) {
      if (user.getParent() != &block || user.isPHI())
        return false;
      return (numberOf(user) != 0 && isOfTarget(user)) || user.hasUnmodeledSideEffects() || user.mayStore() ||
             (depth < deepest && llvm::any_of(
                                     user.all_defs(),
                                     [&](const llvm::MachineOperand &made) {
                                       return made.getReg().isVirtual() && isHeld(made.getReg(), block, depth + 1);
                                     }));
    });
  }
};

//===--------------------------------------------- scalar spills --------------------------------------------------===//

struct ScalarSpills : Code {
  using Code::Code;

  bool run() {
    for (llvm::MachineBasicBlock &block : function) {
      bool isOpen = false;
      for (llvm::MachineInstr &instruction : block) {
        isOpen = (isOpen || find(instruction, &FixedRegion::first)) && !find(instruction, &FixedRegion::last);
        if (isOpen &&
            (nameOf(instruction).starts_with("SI_SPILL_") || nameOf(instruction).starts_with("SI_RESTORE_"))) {
          refuse(instruction, "this region needs more scalar registers than there are");
          return false;
        }
      }
    }
    return false;
  }
};

//===--------------------------------------------- M0 -------------------------------------------------------------===//

struct EarlyM0 : Code {
  using Code::Code;

  bool run() {
    bool changed = false;
    for (llvm::MachineBasicBlock &block : function) {
      bool isOpen = false;
      llvm::MachineInstr *before = nullptr;
      for (llvm::MachineInstr &instruction : llvm::make_early_inc_range(block)) {
        isOpen = (isOpen || find(instruction, &FixedRegion::first)) && !find(instruction, &FixedRegion::last);
        if (instruction.isMetaInstruction())
          continue;
        if (isOpen && before && writesM0(instruction) && mayExchange(*before, instruction)) {
          instruction.clearKillInfo();
          before->clearKillInfo();
          instruction.moveBefore(before);
          changed = true;
          continue; // `before` is still the instruction before the next
        }
        before = isOpen ? &instruction : nullptr;
      }
    }
    return changed;
  }

private:
  bool writesM0(const llvm::MachineInstr &instruction) const {
    return llvm::StringRef(nameOf(instruction)).starts_with("S_") && !instruction.mayLoadOrStore() &&
           llvm::any_of(instruction.all_defs(), [&](const llvm::MachineOperand &each) {
             return each.getReg().isPhysical() && llvm::StringRef(registers.getName(each.getReg())) == "M0";
           });
  }
  /// Whether neither needs a register that the other writes.
  bool mayExchange(const llvm::MachineInstr &first, const llvm::MachineInstr &second) const {
    if (first.isTerminator() || first.isPosition() || first.isCall() || first.isInlineAsm() || first.isBundled())
      return false;
    auto touches = [&](const llvm::MachineInstr &reader, const llvm::MachineInstr &writer) {
      return llvm::any_of(writer.all_defs(), [&](const llvm::MachineOperand &written) {
        return llvm::any_of(reader.operands(), [&](const llvm::MachineOperand &each) {
          return each.isReg() && each.getReg().isValid() && registers.regsOverlap(each.getReg(), written.getReg());
        });
      });
    };
    return !touches(first, second) && !touches(second, first);
  }
};

//===--------------------------------------------- the check ------------------------------------------------------===//

class FinalOrder : Code {
public:
  using Code::Code;

  bool run() {
    bool holds = true;
    std::vector<bool> seen(regions.size(), false);
    for (llvm::MachineBasicBlock &block : function)
      holds = holds && runOn(block, seen);
    if (auto lost = llvm::find(seen, false); holds && lost != seen.end()) {
      const llvm::MachineInstr &first = *function.front().begin();
      refuse(first, "a fixed region of this kernel is missing from its machine code");
    }
    for (llvm::MachineBasicBlock &block : function)
      settleLocations(block);
    return true;
  }

private:
  bool runOn(llvm::MachineBasicBlock &block, std::vector<bool> &seen) const {
    const FixedRegion *open = nullptr;
    const llvm::MachineInstr *begin = nullptr;
    unsigned last = 0;
    for (const llvm::MachineInstr &instruction : block.instrs()) {
      if (const FixedRegion *region = find(instruction, &FixedRegion::first)) {
        open = region, begin = &instruction, last = region->first;
        seen[size_t(region - regions.data())] = true;
      } else if (open && isShadowEnd(instruction)) {
        if (numberOf(instruction) != last + 1)
          return fails(instruction, "an end of the shadow of a matrix instruction was moved within this region");
        ++last;
      } else if (open && find(instruction, &FixedRegion::last) == open) {
        if (last + 1 != open->last)
          return fails(instruction, "an instruction of this region is out of place in the machine code");
        open = nullptr;
      } else if (!instruction.isMetaInstruction() && !instruction.isBundle() && !check(instruction, open, last))
        return false;
    }
    return !open || fails(*begin, "the machine code of this region is not one straight line");
  }

  bool isShadowEnd(const llvm::MachineInstr &instruction) const {
    return findShadow(instruction, &FixedRegion::first) || findShadow(instruction, &FixedRegion::last);
  }

  /// Removes the numbers. What stands in a shadow has the shadow's number instead: the line table says so to the checks
  /// of the finished object.
  void settleLocations(llvm::MachineBasicBlock &block) const {
    unsigned shadow = 0;
    for (llvm::MachineInstr &instruction : block.instrs()) {
      if (const FixedRegion *begun = findShadow(instruction, &FixedRegion::first))
        shadow = unsigned(begun - shadows.data()) + 1;
      else if (findShadow(instruction, &FixedRegion::last))
        shadow = 0;
      if (numberOf(instruction))
        instruction.setDebugLoc(withoutNumber(instruction.getDebugLoc()));
      if (const llvm::DILocation *at = instruction.getDebugLoc(); at && shadow)
        instruction.setDebugLoc(at->cloneWithDiscriminator(shadow));
    }
  }

  bool check(const llvm::MachineInstr &instruction, const FixedRegion *open, unsigned &last) const {
    if (open && isCopyBetweenFiles(instruction))
      return fails(instruction, "this region needs a copy between VGPRs and AGPRs, " + shortName(instruction));
    if (open && isSpill(instruction))
      return fails(instruction, "this region runs out of registers and accesses scratch memory");
    if (!isOrdered(instruction)) { // an exact instruction of the VALU, or what shares the place of one that follows
      if (open && numberOf(instruction) == last + 1 && last + 1 < open->last)
        ++last;
      return true;
    }
    const unsigned number = numberOf(instruction);
    if (!open) // unless it belongs to no region, it was moved out of its own
      return llvm::none_of(regions, [&](auto &r) { return r.first < number && number < r.last; }) ||
             fails(instruction,
                   "the order of this region could not be kept: " + shortName(instruction) + " was moved out of it");
    if (open->first < number && number < open->last) {
      if (number != last && number != last + 1)
        return fails(instruction,
                     "the order of this region could not be kept: " + shortName(instruction) + " was moved within it");
      last = number;
      return true;
    }
    return instruction.memoperands_empty() ||
           fails(instruction,
                 "the order of this region could not be kept: " + shortName(instruction) + " was moved into it");
  }

  bool fails(const llvm::MachineInstr &at, const llvm::Twine &message) const {
    refuse(at, message);
    return false;
  }

  /// "v_mfma_f32_16x16x16_f16"
  std::string shortName(const llvm::MachineInstr &instruction) const {
    llvm::StringRef name = nameOf(instruction);
    return name.take_until([](char c) { return c >= 'a' && c <= 'z'; }).rtrim('_').lower();
  }

  bool isOrdered(const llvm::MachineInstr &instruction) const {
    const llvm::StringRef name = nameOf(instruction);
    auto isOne = [&](llvm::ArrayRef<llvm::StringRef> prefixes) {
      return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
    };
    if (isOne({"V_MFMA_", "V_SMFMAC_", "V_WMMA_", "V_SWMMAC_"}))
      return true;
    return (instruction.mayLoadOrStore() && isOne({"DS_", "BUFFER_", "GLOBAL_", "FLAT_", "TENSOR_"})) ||
           (numberOf(instruction) && isOne({"S_LOAD_", "S_BUFFER_LOAD_"}));
  }

  bool isCopyBetweenFiles(const llvm::MachineInstr &instruction) const {
    const llvm::StringRef name = nameOf(instruction);
    return name.starts_with("V_ACCVGPR_") && instruction.getOperand(1).isReg();
  }

  bool isSpill(const llvm::MachineInstr &instruction) const {
    return llvm::any_of(instruction.memoperands(), [&](const llvm::MachineMemOperand *access) {
      auto *slot = llvm::dyn_cast_or_null<llvm::FixedStackPseudoSourceValue>(access->getPseudoValue());
      return slot && function.getFrameInfo().isSpillSlotObjectIndex(slot->getFrameIndex());
    });
  }

  static llvm::DebugLoc withoutNumber(const llvm::DILocation *at) {
    auto *scope = llvm::dyn_cast<llvm::DILexicalBlockFile>(at->getScope());
    return scope ? llvm::DILocation::get(at->getContext(), at->getLine(), at->getColumn(), scope->getScope(),
                                         at->getInlinedAt())
                 : at;
  }
};

//===--------------------------------------------- the passes -----------------------------------------------------===//

template <typename Step> struct FixedOrderPass : PassBase<FixedOrderPass<Step>, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    return function.getFunction().hasFnAttribute(fixedRegions) && Step(function).run();
  }
};

} // namespace

BackendPass fixedOrderUsesPass() { return backendPass<FixedOrderPass<UsesInRegion>>(); }
BackendPass fixedOrderSpillsPass() { return backendPass<FixedOrderPass<ScalarSpills>>(); }
BackendPass fixedOrderM0Pass() { return backendPass<FixedOrderPass<EarlyM0>>(); }
BackendPass fixedOrderCheckPass() { return backendPass<FixedOrderPass<FinalOrder>>(); }

} // namespace fly::codegen
