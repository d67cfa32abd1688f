// See ScalarAddresses.h. An address is taken apart into a sum, and written again in the order
//
//   ((base + what is uniform + the constant's upper part) + zext(what differs, 32 bits)) + the constant's lower part
//
// if the part that differs between lanes is known to fit in 32 bits; else it is not changed. A pointer that a loop
// carries is split if everything that the loop adds to it is uniform: then a uniform pointer is carried, and the lane's
// part is added at each use.
#include "compiler/codegen/ir/ScalarAddresses.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"
#include "llvm/Pass.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace fly::codegen {

namespace {

constexpr unsigned global = 1; // AMDGPU's number of the address space

/// Pointers of one loop that are made scalar: two of about a hundred scalar registers each.
constexpr unsigned mostCarried = 16;

/// A factor of a value of at most 64 bits, read without sign.
struct Part {
  llvm::Value *value;
  std::int64_t factor;
};

struct Address {
  llvm::Value *base = nullptr;
  llvm::SmallVector<Part, 4> uniform, lane;
  std::int64_t constant = 0;
};

/// Bits of the signed offset in the instruction.
unsigned offsetBits(const llvm::TargetMachine &machine) {
  return target::find(std::string_view(machine.getTargetCPU()))->generation.globalOffsetBits;
}

class ScalarAddresses {
public:
  ScalarAddresses(llvm::Function &function, const llvm::UniformityInfo &uniformity, const llvm::LoopInfo &loops,
                  unsigned offsetBits)
      : function(function), uniformity(uniformity), loops(loops), layout(function.getDataLayout()),
        offsetBits(offsetBits) {}

  bool run() {
    for (llvm::BasicBlock &block : function)
      if (llvm::Loop *loop = loops.getLoopFor(&block); loop && loop->getHeader() == &block) {
        unsigned carried = 0;
        for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
          if (carried < mostCarried && carryUniform(phi, *loop))
            ++carried;
      }
    llvm::SmallVector<llvm::Use *> uses;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (llvm::Use *use = addressOf(instruction))
          uses.push_back(use);
    for (llvm::Use *use : uses)
      reorder(*use);
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
    return changed;
  }

private:
  bool isUniform(llvm::Value *value) const { return !ofLane.contains(value) && uniformity.isUniform(value); }

  /// The address of an access of global memory that differs between lanes.
  llvm::Use *addressOf(llvm::Instruction &instruction) const {
    llvm::Use *use = nullptr;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      use = &load->getOperandUse(llvm::LoadInst::getPointerOperandIndex());
    else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      use = &store->getOperandUse(llvm::StoreInst::getPointerOperandIndex());
    else if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      use = &atomic->getOperandUse(llvm::AtomicRMWInst::getPointerOperandIndex());
    else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      use = &exchange->getOperandUse(llvm::AtomicCmpXchgInst::getPointerOperandIndex());
    else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
             call && (offsetOperand(*call) || isTransposing(*call)))
      use = &call->getOperandUse(0);
    return use && isGlobal(use->get()) && !isUniform(use->get()) ? use : nullptr;
  }
  static bool isTransposing(const llvm::IntrinsicInst &call) {
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_global_load_tr_b64:
    case llvm::Intrinsic::amdgcn_global_load_tr_b128:
    case llvm::Intrinsic::amdgcn_global_load_tr4_b64:
    case llvm::Intrinsic::amdgcn_global_load_tr6_b96: return true;
    default: return false;
    }
  }
  /// Of a copy between global memory and LDS, the operand that is the instruction's offset; 0 of everything else.
  static unsigned offsetOperand(const llvm::IntrinsicInst &call) {
    switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_global_load_lds: return 3;
    case llvm::Intrinsic::amdgcn_global_load_async_to_lds_b8:
    case llvm::Intrinsic::amdgcn_global_load_async_to_lds_b32:
    case llvm::Intrinsic::amdgcn_global_load_async_to_lds_b64:
    case llvm::Intrinsic::amdgcn_global_load_async_to_lds_b128:
    case llvm::Intrinsic::amdgcn_global_store_async_from_lds_b8:
    case llvm::Intrinsic::amdgcn_global_store_async_from_lds_b32:
    case llvm::Intrinsic::amdgcn_global_store_async_from_lds_b64:
    case llvm::Intrinsic::amdgcn_global_store_async_from_lds_b128: return 2;
    default: return 0;
    }
  }
  static bool isGlobal(llvm::Value *value) {
    auto *type = llvm::dyn_cast<llvm::PointerType>(value->getType());
    return type && type->getAddressSpace() == global;
  }

  //===------------------------------------------- taking apart --------------------------------------------------===//

  /// Adds value * factor to the address. All sums have 64 bits, so their parts may be added in any order.
  void add(Address &address, llvm::Value *value, std::int64_t factor) const {
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      address.constant += std::int64_t(std::uint64_t(number->getSExtValue()) * std::uint64_t(factor));
      return;
    }
    if (isUniform(value)) {
      address.uniform.push_back({value, factor});
      return;
    }
    if (auto *operation = llvm::dyn_cast<llvm::Operator>(value))
      if (addOperation(address, *operation, factor))
        return;
    address.lane.push_back({value, factor});
  }

  /// A sum of two, which may be known not to wrap.
  static bool isSum(llvm::Value *value, bool mayWrap) {
    if (auto *sum = llvm::dyn_cast<llvm::PossiblyDisjointInst>(value))
      return sum->isDisjoint();
    auto *sum = llvm::dyn_cast<llvm::AddOperator>(value);
    return sum && (mayWrap || sum->hasNoUnsignedWrap());
  }

  bool addOperation(Address &address, llvm::Operator &operation, std::int64_t factor) const {
    if (isSum(&operation, true)) {
      add(address, operation.getOperand(0), factor);
      add(address, operation.getOperand(1), factor);
      return true;
    }
    std::uint64_t scaled;
    if (operation.getOpcode() == llvm::Instruction::Shl || operation.getOpcode() == llvm::Instruction::Mul)
      if (auto *right = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
          right && right->getValue().isIntN(31)) {
        std::uint64_t by = operation.getOpcode() == llvm::Instruction::Mul ? right->getZExtValue()
                                                                           : std::uint64_t(1) << right->getZExtValue();
        if (!__builtin_mul_overflow(std::uint64_t(factor), by, &scaled) && scaled < (std::uint64_t(1) << 32)) {
          add(address, operation.getOperand(0), std::int64_t(scaled));
          return true;
        }
      }
    if (operation.getOpcode() == llvm::Instruction::ZExt) {
      addExtended(address, operation.getOperand(0), factor);
      return true;
    }
    return false;
  }

  /// The value of fewer bits, read without sign.
  void addExtended(Address &address, llvm::Value *value, std::int64_t factor) const {
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
      address.constant += std::int64_t(number->getZExtValue() * std::uint64_t(factor));
    else if (isUniform(value))
      address.uniform.push_back({value, factor});
    else if (isSum(value, false)) {
      auto *sum = llvm::cast<llvm::Operator>(value);
      addExtended(address, sum->getOperand(0), factor);
      addExtended(address, sum->getOperand(1), factor);
    } else
      address.lane.push_back({value, factor});
  }

  /// Walks down a pointer to its uniform part, to `stop`, or to a value that is not a sum.
  Address takeApart(llvm::Value *pointer, llvm::Value *stop = nullptr) const {
    Address address;
    while (pointer != stop && !isUniform(pointer)) {
      auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
      llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
      llvm::APInt constant(64, 0);
      if (!step || step->getType()->isVectorTy() || !step->collectOffset(layout, 64, variable, constant))
        break;
      // An index of fewer bits has a sign.
      if (llvm::any_of(variable, [](auto &entry) { return !entry.first->getType()->isIntegerTy(64); }))
        break;
      address.constant = std::int64_t(std::uint64_t(address.constant) + constant.getZExtValue());
      for (auto &[value, factor] : variable)
        add(address, value, factor.getSExtValue());
      pointer = step->getPointerOperand();
    }
    address.base = pointer;
    return address;
  }

  //===------------------------------------------- putting together ----------------------------------------------===//

  /// The lane's part as 32 bits, at the builder's place; null if it may need more, or if there is none.
  llvm::Value *narrowed(llvm::IRBuilder<> &b, const Address &address) const {
    const auto &lane = address.lane;
    if (lane.empty() || !llvm::all_of(lane, [](const Part &part) { return part.factor > 0; }))
      return nullptr;
    if (lane.size() == 1 && lane[0].factor == 1 && lane[0].value->getType()->isIntegerTy(32))
      return lane[0].value;
    std::uint64_t most = 0;
    for (const Part &part : lane) {
      std::uint64_t largest = llvm::computeKnownBits(part.value, layout).getMaxValue().getZExtValue(), product;
      if (__builtin_mul_overflow(largest, std::uint64_t(part.factor), &product) ||
          __builtin_add_overflow(most, product, &most) || most > UINT32_MAX)
        return nullptr;
    }
    llvm::Value *sum = nullptr;
    for (const Part &part : lane) {
      llvm::Value *value = b.CreateZExtOrTrunc(part.value, b.getInt32Ty());
      if (part.factor != 1)
        value = b.CreateMul(value, b.getInt32(std::uint32_t(part.factor)), "", /*HasNUW=*/true);
      sum = sum ? b.CreateAdd(sum, value, "", /*HasNUW=*/true) : value;
    }
    return sum;
  }

  /// Hoists it out of the loops in which no part of it is computed.
  llvm::Instruction *earliest(const Address &address, llvm::Instruction *place) const {
    for (llvm::Loop *loop = loops.getLoopFor(place->getParent()); loop; loop = loop->getParentLoop()) {
      llvm::BasicBlock *before = loop->getLoopPreheader();
      if (!before || !loop->isLoopInvariant(address.base) ||
          !llvm::all_of(address.uniform, [&](const Part &part) { return loop->isLoopInvariant(part.value); }))
        break;
      place = before->getTerminator();
    }
    return place;
  }

  llvm::Value *uniformPart(const Address &address, llvm::Instruction *place) const {
    llvm::IRBuilder<> b(earliest(address, place));
    llvm::Value *pointer = address.base;
    for (const Part &part : address.uniform) {
      llvm::Value *value = b.CreateZExt(part.value, b.getInt64Ty());
      if (part.factor != 1)
        value = b.CreateMul(value, b.getInt64(std::uint64_t(part.factor)));
      pointer = b.CreatePtrAdd(pointer, value);
    }
    return pointer;
  }

  /// A number in scalar registers. If it were a constant, instruction selection would move it after the lane's part
  /// again, to see whether it fits into an access (LLVM, DAGCombiner and SITargetLowering::isReassocProfitable). An
  /// empty assembly statement hides it, one for all accesses of a block.
  llvm::Value *hidden(llvm::IRBuilder<> &b, std::int64_t number) {
    llvm::Value *&known = numbers[{b.GetInsertBlock(), number}];
    if (!known) {
      llvm::IRBuilder<> first(b.GetInsertBlock(), b.GetInsertBlock()->getFirstInsertionPt());
      llvm::Type *type = llvm::isUInt<32>(number) ? b.getInt32Ty() : b.getInt64Ty();
      auto *same =
          llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=s,0", /*hasSideEffects=*/false);
      known = first.CreateZExt(first.CreateCall(same, {llvm::ConstantInt::get(type, std::uint64_t(number))}),
                               b.getInt64Ty());
    }
    return known;
  }

  /// uniform + zext(lane), and then the constant's lower part, if the instruction has a place for it.
  llvm::Value *joined(llvm::IRBuilder<> &b, llvm::Value *uniform, llvm::Value *lane, std::int64_t constant,
                      bool hasOffset = true) {
    if (constant != 0 && (!hasOffset || !llvm::isIntN(offsetBits, constant))) {
      const std::int64_t lower = hasOffset ? llvm::SignExtend64(std::uint64_t(constant), offsetBits) : 0;
      uniform = b.CreatePtrAdd(uniform, hidden(b, constant - lower));
      constant = lower;
    }
    llvm::Value *wide = b.CreateZExt(lane, b.getInt64Ty());
    llvm::Value *pointer = b.CreatePtrAdd(uniform, wide);
    ofLane.insert(wide), ofLane.insert(pointer);
    if (constant != 0) {
      pointer = b.CreatePtrAdd(pointer, b.getInt64(std::uint64_t(constant)));
      ofLane.insert(pointer);
    }
    return pointer;
  }

  void reorder(llvm::Use &use) {
    Address address = takeApart(use.get());
    if (!isUniform(address.base))
      return;
    auto *access = llvm::cast<llvm::Instruction>(use.getUser());
    llvm::IRBuilder<> b(access);
    llvm::Value *lane = narrowed(b, address);
    if (!lane)
      return;
    auto *copy = llvm::dyn_cast<llvm::IntrinsicInst>(access);
    const unsigned operand = copy ? offsetOperand(*copy) : 0;
    if (operand)
      address.constant -= shareOffset(*copy, operand);
    dead.push_back(use.get());
    use.set(joined(b, uniformPart(address, access), lane, address.constant, operand == 0));
    changed = true;
  }

  /// The offset of a copy counts for global memory and LDS alike (LLVM, IntrinsicsAMDGPU.td: "applied to both global
  /// and LDS address"). For LDS there is no other way to add a constant without an instruction, for global memory there
  /// is, so the offset is used for LDS. Returns what was moved into it.
  std::int64_t shareOffset(llvm::IntrinsicInst &copy, unsigned operand) {
    auto *old = llvm::cast<llvm::ConstantInt>(copy.getArgOperand(operand));
    std::int64_t offset = 0;
    llvm::SmallVector<Part, 4> parts;
    llvm::Value *base = withoutConstant(copy.getArgOperand(1), offset, parts);
    if (!old->isZero() || offset <= 0 || !llvm::isIntN(offsetBits, offset) || parts.empty())
      return 0;
    llvm::IRBuilder<> b(&copy);
    for (const Part &part : parts)
      base = b.CreatePtrAdd(base, part.factor == 1 ? part.value
                                                   : b.CreateMul(part.value, b.getInt32(std::uint32_t(part.factor))));
    dead.push_back(copy.getArgOperand(1));
    copy.setArgOperand(1, base);
    copy.setArgOperand(operand, llvm::ConstantInt::get(old->getType(), std::uint64_t(offset)));
    return offset;
  }

  /// An LDS address as base, parts and a constant. The sum without the constant does not wrap: its parts are not
  /// negative.
  llvm::Value *withoutConstant(llvm::Value *pointer, std::int64_t &constant, llvm::SmallVectorImpl<Part> &parts) const {
    while (auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
      llvm::APInt known(32, 0);
      if (!step->collectOffset(layout, 32, variable, known))
        break;
      if (known.isNegative() || llvm::any_of(variable, [&](auto &entry) {
            return !entry.first->getType()->isIntegerTy(32) || !entry.second.isStrictlyPositive() ||
                   !llvm::computeKnownBits(entry.first, layout).isNonNegative();
          }))
        break;
      constant += known.getSExtValue();
      for (auto &[value, factor] : variable) {
        llvm::Value *rest = value;
        while (isSum(rest, false) && llvm::isa<llvm::ConstantInt>(llvm::cast<llvm::Operator>(rest)->getOperand(1))) {
          constant += llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::Operator>(rest)->getOperand(1))->getSExtValue() *
                      factor.getSExtValue();
          rest = llvm::cast<llvm::Operator>(rest)->getOperand(0);
        }
        parts.push_back({rest, factor.getSExtValue()});
      }
      pointer = step->getPointerOperand();
    }
    return pointer;
  }

  /// A pointer that differs between lanes when the loop begins, and only then.
  bool carryUniform(llvm::PHINode &phi, llvm::Loop &loop) {
    llvm::BasicBlock *before = loop.getLoopPreheader();
    if (!before || !isGlobal(&phi) || isUniform(&phi))
      return false;
    Address start = takeApart(phi.getIncomingValueForBlock(before));
    llvm::SmallVector<Address> steps(phi.getNumIncomingValues());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      if (phi.getIncomingBlock(i) != before) {
        steps[i] = takeApart(phi.getIncomingValue(i), &phi);
        if (steps[i].base != &phi || !steps[i].lane.empty())
          return false;
      }
    if (!isUniform(start.base))
      return false;
    llvm::IRBuilder<> atStart(before->getTerminator());
    llvm::Value *lane = narrowed(atStart, start);
    if (!lane)
      return false;
    ofLane.insert(lane);
    llvm::IRBuilder<> b(&phi);
    llvm::PHINode *carried = b.CreatePHI(phi.getType(), phi.getNumIncomingValues());
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      llvm::BasicBlock *from = phi.getIncomingBlock(i);
      Address next = from == before ? start : steps[i];
      if (from != before)
        next.base = carried;
      llvm::IRBuilder<> there(from->getTerminator());
      llvm::Value *value = uniformPart(next, from->getTerminator());
      if (next.constant != 0)
        value = there.CreatePtrAdd(value, there.getInt64(std::uint64_t(next.constant)));
      carried->addIncoming(value, from);
    }
    b.SetInsertPoint(phi.getParent(), phi.getParent()->getFirstInsertionPt());
    phi.replaceAllUsesWith(joined(b, carried, lane, 0));
    dead.push_back(&phi);
    return changed = true;
  }

  llvm::Function &function;
  const llvm::UniformityInfo &uniformity;
  const llvm::LoopInfo &loops;
  const llvm::DataLayout &layout;
  unsigned offsetBits;
  // For values made here, which the analysis does not know: the lane's part.
  llvm::SmallPtrSet<llvm::Value *, 32> ofLane;
  llvm::DenseMap<std::pair<llvm::BasicBlock *, std::int64_t>, llvm::Value *> numbers;
  llvm::SmallVector<llvm::WeakTrackingVH> dead;
  bool changed = false;
};

struct ScalarAddressesPass : PassBase<ScalarAddressesPass, Keeps::Nothing, llvm::FunctionPass> {
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addRequired<llvm::UniformityInfoWrapperPass>();
    usage.addRequired<llvm::LoopInfoWrapperPass>();
    usage.addRequired<llvm::TargetPassConfig>();
    usage.setPreservesCFG();
  }
  bool runOnFunction(llvm::Function &function) override {
    if (skipFunction(function))
      return false;
    const auto &machine = getAnalysis<llvm::TargetPassConfig>().getTM<llvm::TargetMachine>();
    return ScalarAddresses(function, getAnalysis<llvm::UniformityInfoWrapperPass>().getUniformityInfo(),
                           getAnalysis<llvm::LoopInfoWrapperPass>().getLoopInfo(), offsetBits(machine))
        .run();
  }
};

} // namespace

BackendPass scalarAddressesPass() { return backendPass<ScalarAddressesPass>(); }

} // namespace fly::codegen
