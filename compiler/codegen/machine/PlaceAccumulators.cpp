// See PlaceAccumulators.h. The machine pass runs after the register coalescer, where instructions already overwrite
// their operands and few copies are left, and before the scheduler and the allocator:
//
//   1. find the chains and a tuple for each (AccumulatorChains.cpp);
//   2. check, before anything is changed, that every use can be written with the tuple;
//   3. replace: matrix instructions get their AGPR form, loads, stores and copies take the AGPRs, and everything else
//      works on a copy in VGPRs: v_accvgpr_read_b32, v_accvgpr_write_b32.
//
// With "amdgpu-agpr-alloc"="0,0" every AGPR is reserved: nothing else is allocated there, and LLVM keeps no live ranges
// for them. Waits, hazards and the order of instructions follow from the operands, as for all physical registers.
#include "compiler/codegen/machine/PlaceAccumulators.h"

#include "compiler/codegen/machine/AccumulatorChains.h"
#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/MatrixForms.h"
#include "compiler/codegen/machine/PinnedRegisters.h"
#include "compiler/codegen/Refusal.h"
#include "compiler/codegen/machine/VgprBudget.h"
#include "compiler/protocol/RegisterCounts.h"
#include "compiler/target/Target.h"

#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <optional>

namespace fly::codegen {

namespace {

// Of gfx942 and gfx950, per wave and per SIMD; both are allocated by eights.
constexpr unsigned agprs = 256, vgprs = 256, allRegisters = 512, granule = 8, simds = 4, lanes = 64;
/// Fewer VGPRs than this are for no kernel that multiplies matrices.
constexpr unsigned fewestVgprs = 32;
constexpr llvm::StringRef asked = "fly-place-accumulators", agprAllocation = "amdgpu-agpr-alloc",
                          moveToVgpr = "V_MOV_B32_e32", moveToAny = "AV_MOV_B32_IMM_PSEUDO";

class PlaceAccumulators {
public:
  PlaceAccumulators(llvm::MachineFunction &function, llvm::LiveIntervals &intervals, const llvm::MachineLoopInfo &loops)
      : function(function), intervals(intervals), registers(*function.getSubtarget().getRegisterInfo()),
        instructions(*function.getSubtarget().getInstrInfo()), values(function.getRegInfo()), tuples(registers),
        chains(function, intervals, loops, tuples), forms(instructions) {
    for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
      if (instructions.getName(opcode) == moveToAny)
        moveToAnyOpcode = opcode;
  }

  bool run() {
    if (llvm::none_of(chains.chains, [](const Chain &chain) { return chain.placed; }) || !isPossible())
      return false;
    llvm::SmallVector<llvm::MachineInstr *> users;
    for (llvm::MachineBasicBlock &block : function)
      for (llvm::MachineInstr &instruction : block)
        if (llvm::any_of(instruction.operands(), [&](auto &operand) { return tupleOf(operand).isValid(); }))
          users.push_back(&instruction);
    for (llvm::MachineInstr *user : users)
      rewrite(*user);
    for (const Chain &chain : chains.chains)
      for (const Chain::Member &member : chain.members)
        if (chain.placed)
          intervals.removeInterval(member.reg);
    for (llvm::Register reg : changed) {
      if (intervals.hasInterval(reg))
        intervals.removeInterval(reg);
      intervals.createAndComputeVirtRegInterval(reg);
    }
    if (wavesTogether() > 1)
      limitVgprs(function, vgprsLeft());
    record();
    return true;
  }

private:
  //===------------------------------------------- checks --------------------------------------------------------===//

  bool isPossible() {
    const llvm::MachineInstr &first = *llvm::find_if(chains.chains, [](auto &c) { return c.placed; })->products.front();
    if (!values.isReserved(tuples.tuple(0, 1)))
      return refuse(first, "AGPRs are not reserved: the kernel lacks \"amdgpu-agpr-alloc\"=\"0,0\"");
    if (function.getFrameInfo().hasCalls())
      return refuse(first, "the kernel calls a function, which may change accumulators in AGPRs; inline it");
    if (const Chain *moved = chains.findMoved())
      return refuse(*moved->products.front(),
                    accumulatorText(*moved) +
                        " would be moved on every iteration of its loop; accumulate into the same "
                        "fragment on all paths, and do not use its former value after that");
    for (unsigned i = 0; i < agprs; ++i)
      if (llvm::MCRegister reg = tuples.tuple(i, 1); !values.reg_nodbg_empty(reg))
        return refuse(*values.reg_nodbg_begin(reg)->getParent(),
                      "assembly names AGPRs; this kernel's accumulators need all of them");
    const unsigned most = agprLimit(function.getFunction()).value_or(agprs);
    if (unsigned needed = chains.place(most); needed > most)
      return refuse(first, "the kernel's accumulators need " + llvm::Twine(needed) + " AGPRs of " + llvm::Twine(most) +
                               (most < agprs ? ", which is the number that `agprs=` allows" : "") +
                               "; make the tile of a wave smaller");
    if (vgprsLeft() < fewestVgprs)
      return refuse(first, "the kernel's accumulators leave too few registers for " + llvm::Twine(wavesTogether()) +
                               " waves per SIMD; make the tile of a wave smaller, or the workgroup");
    for (const Chain &chain : chains.chains)
      for (const Chain::Member &member : chain.members)
        for (const llvm::MachineOperand &operand : values.reg_operands(member.reg))
          if (chain.placed && !canBeWritten(operand))
            return refuse(*operand.getParent(),
                          accumulatorText(chain) + " is used in a part that has no AGPRs of its own");
    for (const Chain &chain : chains.chains)
      for (const llvm::MachineInstr *product : chain.products)
        if (chain.placed && !formOf(*product))
          return refuse(*product, accumulatorText(chain) + " cannot be in AGPRs: the instruction has no such form");
    return true;
  }

  /// Waves that must fit on a SIMD at the same time: those of a workgroup, and what the kernel asks for.
  unsigned wavesTogether() const {
    unsigned threads = 0, asked = 0;
    auto most =
        function.getFunction().getFnAttribute("amdgpu-flat-work-group-size").getValueAsString().split(',').second;
    if (most.getAsInteger(10, threads))
      threads = 1024; // LLVM's assumption
    (void)function.getFunction()
        .getFnAttribute("amdgpu-waves-per-eu")
        .getValueAsString()
        .split(',')
        .first.getAsInteger(10, asked);
    return std::max({1u, unsigned(llvm::divideCeil(threads, lanes * simds)), asked});
  }
  /// VGPRs of a wave beside its accumulators.
  unsigned vgprsLeft() const {
    unsigned end = 0;
    for (const Chain &chain : chains.chains)
      if (chain.placed)
        end = std::max(end, chain.first + chain.size);
    const unsigned share = allRegisters / wavesTogether() / granule * granule;
    return share > end ? (share - end) / granule * granule : 0;
  }

  bool canBeWritten(const llvm::MachineOperand &operand) const {
    const llvm::MachineInstr &user = *operand.getParent();
    llvm::MCRegister tuple = tupleOf(operand);
    if (!tuple.isValid())
      return false;
    if (user.isDebugInstr() || user.isImplicitDef() || user.isCopy() || operand.isImplicit())
      return true;
    if (isAccumulator(operand))
      if (std::optional<unsigned> form = formOf(user)) {
        const llvm::TargetRegisterClass *fits =
            instructions.getRegClass(instructions.get(*form), operand.getOperandNo());
        return fits && fits->contains(tuple);
      }
    return vgprsFor(operand) != nullptr;
  }

  /// Reports an error. The code that follows is not used.
  bool refuse(const llvm::MachineInstr &at, const llvm::Twine &message) const {
    codegen::refuse(function.getFunction(), at.getDebugLoc(), message);
    return false;
  }

  /// "the accumulator of v_mfma_f32_16x16x32_bf16 (4 registers)"
  std::string accumulatorText(const Chain &chain) const {
    std::string text = "an accumulator";
    if (!chain.products.empty()) {
      llvm::StringRef name = instructions.getName(chain.products.front()->getOpcode());
      text = "the accumulator of " + name.take_until([](char c) { return c >= 'a' && c <= 'z'; }).rtrim('_').lower();
    }
    return text + " (" + std::to_string(chain.size) + " registers)";
  }

  //===------------------------------------------- operands ------------------------------------------------------===//

  /// The AGPRs of an operand that is a placed accumulator or part of one; none for all others.
  llvm::MCRegister tupleOf(const llvm::MachineOperand &operand) const {
    if (!operand.isReg() || !operand.getReg().isVirtual())
      return {};
    unsigned offset = 0;
    const Chain *chain = chains.find(operand.getReg(), &offset);
    if (!chain || !chain->placed)
      return {};
    const unsigned size = registers.getRegSizeInBits(*values.getRegClass(operand.getReg())) / 32;
    llvm::MCRegister tuple = tuples.tuple(chain->first + offset, size);
    return tuple.isValid() && operand.getSubReg() ? registers.getSubReg(tuple, operand.getSubReg()) : tuple;
  }

  /// D or C of a matrix instruction.
  bool isAccumulator(const llvm::MachineOperand &operand) const {
    const llvm::MachineInstr &user = *operand.getParent();
    return isMatrixProduct(user, instructions) &&
           (operand.getOperandNo() == 0 || operand.getOperandNo() == accumulatorOperand(user));
  }

  std::optional<unsigned> formOf(const llvm::MachineInstr &product) const {
    return forms.formInAgprs(product, isInPlace(product));
  }
  /// Whether D and C are the same registers.
  bool isInPlace(const llvm::MachineInstr &product) const {
    const llvm::MachineOperand &c = product.getOperand(accumulatorOperand(product));
    return c.isReg() && tupleOf(product.getOperand(0)) == tupleOf(c);
  }

  //===------------------------------------------- rewriting -----------------------------------------------------===//

  void replace(llvm::MachineOperand &operand) {
    llvm::MCRegister tuple = tupleOf(operand);
    if (operand.isDef())
      operand.setIsDead(false);
    else
      operand.setIsKill(false);
    operand.setSubReg(0);
    if (operand.isDef())
      operand.setIsUndef(false);
    operand.setReg(tuple);
  }

  void rewrite(llvm::MachineInstr &user) {
    if (user.isDebugValue()) {
      user.setDebugValueUndef();
      return;
    }
    if (user.isImplicitDef()) {
      intervals.RemoveMachineInstrFromMaps(user);
      user.eraseFromParent();
      return;
    }
    if (user.isCopy())
      fromVector(user);
    if (isMoveOfInlineConstant(user))
      user.setDesc(instructions.get(moveToAnyOpcode));
    if (isMatrixProduct(user, instructions) && tupleOf(user.getOperand(0)).isValid())
      forms.toAgprs(user, isInPlace(user));
    for (llvm::MachineOperand &operand : user.operands())
      if (tupleOf(operand).isValid()) {
        if (user.isCopy() || operand.isImplicit() || takesAgprs(operand))
          replace(operand);
        else
          throughVgprs(operand);
      }
  }

  /// A v_mov_b32 that can be a v_accvgpr_write_b32, which takes no literal.
  bool isMoveOfInlineConstant(const llvm::MachineInstr &user) const {
    constexpr uint32_t floats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    if (instructions.getName(user.getOpcode()) != moveToVgpr || !user.getOperand(1).isImm())
      return false;
    const auto number = int32_t(user.getOperand(1).getImm());
    return (number >= -16 && number <= 64) || llvm::is_contained(floats, uint32_t(number));
  }

  /// Instructions that access memory have one bit for all of their data, so only one of their operands may be an AGPR.
  bool takesAgprs(const llvm::MachineOperand &operand) const {
    const llvm::MachineInstr &user = *operand.getParent();
    auto takes = [&](const llvm::MachineOperand &each, llvm::MCRegister reg) {
      const llvm::TargetRegisterClass *fits =
          user.getRegClassConstraint(each.getOperandNo(), &instructions, &registers);
      return fits && (reg.isValid() ? fits->contains(reg) : llvm::any_of(*fits, [&](llvm::MCRegister each) {
               return llvm::StringRef(registers.getName(each)).starts_with("AGPR");
             }));
    };
    if (!takes(operand, tupleOf(operand)))
      return false;
    return !user.mayLoadOrStore() || llvm::count_if(user.explicit_operands(), [&](const llvm::MachineOperand &each) {
                                       return each.isReg() && each.getReg().isValid() && takes(each, {});
                                     }) == 1;
  }

  /// A scalar register reaches AGPRs through VGPRs.
  void fromVector(llvm::MachineInstr &copy) {
    llvm::MachineOperand &from = copy.getOperand(1);
    if (!tupleOf(copy.getOperand(0)).isValid() || tupleOf(from).isValid())
      return;
    llvm::Register reg = from.getReg();
    llvm::MCRegister sample = reg.isVirtual() ? llvm::MCRegister(*values.getRegClass(reg)->begin()) : reg.asMCReg();
    llvm::StringRef name = registers.getName(sample);
    if (name.starts_with("VGPR") || name.starts_with("AGPR"))
      return;
    llvm::Register vector = values.createVirtualRegister(vgprsLike(tupleOf(copy.getOperand(0))));
    llvm::MachineInstr *first =
        llvm::BuildMI(*copy.getParent(), copy, copy.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY), vector)
            .add(from);
    intervals.InsertMachineInstrInMaps(*first);
    if (reg.isVirtual())
      changed.insert(reg);
    from.ChangeToRegister(vector, /*isDef=*/false);
    changed.insert(vector);
  }

  /// The class of as many VGPRs, from an even one on: that of the last such tuple, as some classes have only the first
  /// registers of the file.
  const llvm::TargetRegisterClass *vgprsLike(llvm::MCRegister tuple) const {
    auto [known, isNew] = vgprClasses.try_emplace(tuple.id());
    if (isNew)
      known->second = vgprTuples(registers.getRegSizeInBits(*registers.getMinimalPhysRegClass(tuple)) / 32);
    return known->second;
  }
  const llvm::TargetRegisterClass *vgprTuples(unsigned count) const {
    if (auto known = vgprClassBySize.find(count); known != vgprClassBySize.end())
      return known->second;
    std::string name;
    for (unsigned i = 0; i < count; ++i)
      name += (i ? "_VGPR" : "VGPR") + std::to_string((vgprs - count) / 2 * 2 + i);
    for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg)
      if (name == registers.getName(reg))
        return vgprClassBySize[count] = registers.getMinimalPhysRegClass(llvm::MCRegister(reg));
    return vgprClassBySize[count] = nullptr;
  }

  /// Where an operand can be that is copied from AGPRs or to them: of what the instruction takes, which may be scalar
  /// registers too, only VGPRs. Null if there is no such class.
  const llvm::TargetRegisterClass *vgprsFor(const llvm::MachineOperand &operand) const {
    const llvm::TargetRegisterClass *taken =
        operand.getParent()->getRegClassConstraint(operand.getOperandNo(), &instructions, &registers);
    const llvm::TargetRegisterClass *possible = vgprsLike(tupleOf(operand));
    return taken && possible ? registers.getCommonSubClass(taken, possible) : nullptr;
  }

  /// The instruction works on VGPRs, copied from the AGPRs before it and to them after it.
  void throughVgprs(llvm::MachineOperand &operand) {
    llvm::MachineInstr &user = *operand.getParent();
    const unsigned number = operand.getOperandNo();
    llvm::Register vector = values.createVirtualRegister(vgprsFor(operand));
    unsigned other = number;
    const bool tied = operand.isTied();
    if (tied)
      other = user.findTiedOperandIdx(number);
    llvm::MCRegister tuple = tupleOf(operand);
    auto copy = [&](llvm::MachineBasicBlock::iterator place, llvm::Register to, llvm::Register from) {
      llvm::MachineInstr *added =
          llvm::BuildMI(*user.getParent(), place, user.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY), to)
              .addReg(from);
      intervals.InsertMachineInstrInMaps(*added);
    };
    const bool isDef = operand.isDef() || tied, isUse = operand.isUse() || tied;
    auto settle = [&](llvm::MachineOperand &each) {
      each.setReg(vector);
      each.setSubReg(0);
      if (each.isDef())
        each.setIsDead(false), each.setIsUndef(false);
      else
        each.setIsKill(false);
    };
    const bool undefined = !operand.isDef() && operand.isUndef();
    settle(operand);
    if (tied)
      settle(user.getOperand(other));
    if (isUse && !undefined)
      copy(user.getIterator(), vector, tuple);
    if (isDef)
      copy(std::next(user.getIterator()), tuple, vector);
    changed.insert(vector);
  }

  void record() {
    std::string text;
    for (const Chain &chain : chains.chains)
      if (chain.placed)
        text += (text.empty() ? "" : " ") + std::to_string(chain.first) + ":" + std::to_string(chain.size);
    function.getFunction().addFnAttr(placedAccumulators, text);
  }

  llvm::MachineFunction &function;
  llvm::LiveIntervals &intervals;
  const llvm::TargetRegisterInfo &registers;
  const llvm::TargetInstrInfo &instructions;
  llvm::MachineRegisterInfo &values;
  AgprTuples tuples;
  AccumulatorChains chains;
  const MatrixForms forms;
  unsigned moveToAnyOpcode = 0;
  /// Of vgprsLike: by tuple, and by the number of registers.
  mutable llvm::DenseMap<unsigned, const llvm::TargetRegisterClass *> vgprClasses, vgprClassBySize;
  llvm::SmallSetVector<llvm::Register, 16> changed; ///< new ones, and those with fewer uses than before
};

struct PlaceAccumulatorsPass : PassBase<PlaceAccumulatorsPass, Keeps::Nothing> {
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addRequired<llvm::LiveIntervalsWrapperPass>();
    usage.addRequired<llvm::MachineLoopInfoWrapperPass>();
    usage.addPreserved<llvm::LiveIntervalsWrapperPass>();
    usage.addPreserved<llvm::SlotIndexesWrapperPass>();
    usage.addPreserved<llvm::MachineDominatorTreeWrapperPass>();
    usage.addPreserved<llvm::MachineLoopInfoWrapperPass>();
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (!function.getFunction().hasFnAttribute(asked))
      return false;
    return PlaceAccumulators(function, getAnalysis<llvm::LiveIntervalsWrapperPass>().getLIS(),
                             getAnalysis<llvm::MachineLoopInfoWrapperPass>().getLI())
        .run();
  }
};

} // namespace

BackendPass placeAccumulatorsPass() { return backendPass<PlaceAccumulatorsPass>(); }

void settleAccumulators(llvm::Module &module, const llvm::TargetMachine &machine, const target::Target &target) {
  for (llvm::Function &function : module) {
    const std::optional<unsigned> registers = protocol::RegisterCount::read(
                                      function.getFnAttribute(protocol::accumulatorRegisters.name).getValueAsString()),
                                  limit = agprLimit(function);
    if (!target.unifiedRegisters || (!registers && !limit && !pinsAgprs(function)))
      continue;
    const bool inAgprs = registers.value_or(0) > mostAccumulatorsInVgprs && limit != 0u && !pinsAgprs(function) &&
                         machine.getOptLevel() != llvm::CodeGenOptLevel::None;
    const std::string most = limit ? "," + std::to_string(*limit) : "";
    const bool isReserved = inAgprs || pinsAgprs(function);
    function.addFnAttr(agprAllocation, isReserved ? "0,0" : "0" + most); // the least and the most
    if (inAgprs)
      function.addFnAttr(asked);
  }
}

std::optional<unsigned> agprLimit(const llvm::Function &function) {
  return protocol::RegisterCount::read(function.getFnAttribute(protocol::agprBudget.name).getValueAsString());
}

} // namespace fly::codegen
