// See FixedOrder.h: steps 1 and 2, on LLVM IR. The machine passes are in FixedOrderCheck.cpp.
#include "compiler/codegen/ir/FixedOrder.h"

#include "compiler/codegen/ir/FixedRegions.h"
#include "compiler/protocol/Assembly.h"
#include "compiler/protocol/FixedOrder.h"
#include "compiler/protocol/Opcode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

namespace fly::codegen {

namespace {

constexpr llvm::StringRef numberTag = "fly.fixed", volatileTag = "fly.fixed.volatile";

bool hasBundle(const llvm::Instruction &instruction, llvm::StringRef tag) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->getOperandBundle(tag).has_value();
}

/// Neither constant memory, where kernel arguments are, nor the lane's own, which is mostly registers in the end.
bool isOrderedSpace(unsigned space) { return space != 4 && space != 5; }

bool isMatrix(llvm::StringRef intrinsic) {
  return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"mfma", "smfmac", "wmma", "swmmac"},
                      [&](llvm::StringRef name) { return intrinsic.starts_with(("llvm.amdgcn." + name).str()); });
}

/// Waits, barriers, messages and what is said to the scheduler have effects, but access no memory.
bool isOnlyAnEffect(const llvm::IntrinsicInst &call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.s.") || name.starts_with("llvm.amdgcn.sched.") ||
         name.starts_with("llvm.amdgcn.iglp.") || name.starts_with("llvm.amdgcn.wave.barrier") ||
         name.starts_with("llvm.amdgcn.asyncmark") || name.starts_with("llvm.amdgcn.wait.asyncmark");
}

/// An instruction by its name is in its place, whatever it does.
bool isExactStatement(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  auto *statement = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  return statement &&
         (protocol::isAssembly(statement->getAsmString()) || protocol::isOpcode(statement->getAsmString()));
}

bool isShadowEnd(const llvm::Instruction &instruction) {
  return hasBundle(instruction, protocol::shadowBegin) || hasBundle(instruction, protocol::shadowEnd);
}

bool isOrderedCall(const llvm::Instruction &instruction) {
  if (isExactStatement(instruction) || isShadowEnd(instruction))
    return true;
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || !call->getCalledFunction()->getName().starts_with("llvm.amdgcn."))
    return false;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  return isMatrix(name) || name.starts_with("llvm.amdgcn.ds.") ||
         (call->mayReadOrWriteMemory() && !isOnlyAnEffect(*call));
}

/// The pointer of an access that is an instruction of LLVM IR, and no intrinsic; null for all others.
llvm::Value *pointerOf(llvm::Instruction &instruction) {
  llvm::Value *pointer = nullptr;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    pointer = load->getPointerOperand();
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    pointer = store->getPointerOperand();
  else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    pointer = update->getPointerOperand();
  else if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    pointer = exchange->getPointerOperand();
  return pointer && isOrderedSpace(pointer->getType()->getPointerAddressSpace()) ? pointer : nullptr;
}

void setVolatile(llvm::Instruction &instruction, bool value) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    load->setVolatile(value);
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    store->setVolatile(value);
  else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    update->setVolatile(value);
  else
    llvm::cast<llvm::AtomicCmpXchgInst>(instruction).setVolatile(value);
}

llvm::CallBase *withBundles(llvm::CallBase &call, llvm::ArrayRef<llvm::OperandBundleDef> bundles) {
  llvm::CallBase *made = llvm::CallBase::Create(&call, bundles, call.getIterator());
  made->copyMetadata(call);
  made->takeName(&call);
  call.replaceAllUsesWith(made);
  call.eraseFromParent();
  return made;
}

llvm::CallBase *withoutBundle(llvm::CallBase &call, llvm::StringRef tag) {
  llvm::SmallVector<llvm::OperandBundleDef> kept;
  call.getOperandBundlesAsDefs(kept);
  llvm::erase_if(kept, [&](const llvm::OperandBundleDef &bundle) { return bundle.getTag() == tag; });
  return withBundles(call, kept);
}

void hold(llvm::Instruction &instruction, unsigned number) {
  llvm::IRBuilder<> b(&instruction);
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    llvm::SmallVector<llvm::OperandBundleDef> bundles;
    call->getOperandBundlesAsDefs(bundles);
    bundles.emplace_back(numberTag.str(), llvm::ArrayRef<llvm::Value *>{b.getInt32(number)});
    withBundles(*call, bundles);
    return;
  }
  llvm::Metadata *node = llvm::ConstantAsMetadata::get(b.getInt32(number));
  instruction.setMetadata(numberTag, llvm::MDNode::get(b.getContext(), node));
  if (instruction.isVolatile())
    instruction.setMetadata(volatileTag, llvm::MDNode::get(b.getContext(), {}));
  setVolatile(instruction, true);
}

/// The number that step 1 gave; none if the instruction is not ordered.
std::optional<unsigned> numberOf(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    auto bundle = call->getOperandBundle(numberTag);
    return bundle ? std::optional(unsigned(llvm::cast<llvm::ConstantInt>(bundle->Inputs[0])->getZExtValue()))
                  : std::nullopt;
  }
  auto *node = instruction.getMetadata(numberTag);
  return node ? std::optional(unsigned(llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue()))
              : std::nullopt;
}

/// Takes the effect of step 1 away.
llvm::Instruction &release(llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return *withoutBundle(*call, numberTag);
  setVolatile(instruction, instruction.getMetadata(volatileTag) != nullptr);
  instruction.setMetadata(numberTag, nullptr);
  instruction.setMetadata(volatileTag, nullptr);
  return instruction;
}

class Settle {
public:
  explicit Settle(llvm::Function &function) : function(function) {}

  void run() {
    for (llvm::BasicBlock &block : function)
      if (!runOn(block))
        return;
    if (!regions.empty())
      function.addFnAttr(fixedRegions, textOf(regions));
    if (!shadows.empty())
      function.addFnAttr(shadowRegions, textOf(shadows));
  }

private:
  bool runOn(llvm::BasicBlock &block) {
    llvm::CallBase *begin = nullptr;
    llvm::SmallVector<llvm::WeakTrackingVH> ordered;
    unsigned last = 0;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      const bool begins = hasBundle(instruction, protocol::fixedBegin),
                 ends = hasBundle(instruction, protocol::fixedEnd);
      if ((begins && begin) || (ends && !begin) || (instruction.isTerminator() && begin))
        return refuse(instruction, "this region is not one straight line of instructions after optimization");
      if (begins) {
        begin = withoutBundle(llvm::cast<llvm::CallBase>(instruction), protocol::fixedBegin);
        ordered.clear(), last = 0;
      } else if (ends) {
        place(*begin, ordered, *withoutBundle(llvm::cast<llvm::CallBase>(instruction), protocol::fixedEnd));
        begin = nullptr;
      } else if (std::optional<unsigned> number = numberOf(instruction)) {
        if (!begin || *number <= last)
          return refuse(instruction, "the optimizer moved this instruction, so the order of its region is lost");
        last = *number;
        ordered.emplace_back(&release(instruction));
      }
    }
    return true;
  }

  void place(llvm::CallBase &begin, llvm::MutableArrayRef<llvm::WeakTrackingVH> ordered, llvm::CallBase &end) {
    for (llvm::WeakTrackingVH &each : llvm::reverse(ordered)) // what nobody needs, no later pass would keep
      if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value *>(each)))
        llvm::RecursivelyDeleteTriviallyDeadInstructions(instruction);
    const unsigned first = ++next;
    mark(begin, first);
    for (llvm::WeakTrackingVH &each : ordered)
      if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(static_cast<llvm::Value *>(each))) {
        mark(*instruction, ++next);
        if (isShadowEnd(*instruction)) {
          endShadow(llvm::cast<llvm::CallBase>(*instruction));
          continue;
        }
        llvm::IRBuilder<> b(instruction->getParent(), std::next(instruction->getIterator()));
        b.SetCurrentDebugLocation(instruction->getDebugLoc()); // a pass that puts a bitcast here takes it over
        b.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {b.getInt32(0)});
      }
    mark(end, ++next);
    regions.push_back({first, next});
  }

  /// One of the barriers around what stands in a shadow, which has the next number.
  void endShadow(llvm::CallBase &barrier) {
    const bool begins = hasBundle(barrier, protocol::shadowBegin);
    if (begins)
      shadows.push_back({next, next});
    else
      shadows.back().last = next;
    withoutBundle(barrier, begins ? protocol::shadowBegin : protocol::shadowEnd);
  }

  void mark(llvm::Instruction &instruction, unsigned number) {
    const llvm::DILocation *at = instruction.getDebugLoc();
    if (!at)
      at = llvm::DILocation::get(function.getContext(), 0, 0, function.getSubprogram());
    locate(instruction, at->cloneWithDiscriminator(number));
  }

  /// Instruction selection makes one operation of a load and a bitcast of what it loads, with the bitcast's location.
  static void locate(llvm::Instruction &instruction, const llvm::DebugLoc &at) {
    instruction.setDebugLoc(at);
    for (llvm::User *user : instruction.users())
      if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(user))
        locate(*cast, at);
  }

  bool refuse(const llvm::Instruction &at, const llvm::Twine &message) {
    refuseRegion(function, at.getDebugLoc(), message);
    return false;
  }

  llvm::Function &function;
  std::vector<FixedRegion> regions, shadows;
  unsigned next = 0;
};

} // namespace

void holdFixedOrder(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      unsigned depth = 0, number = 0;
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        const bool begins = hasBundle(instruction, protocol::fixedBegin),
                   ends = hasBundle(instruction, protocol::fixedEnd);
        const bool isInner = begins ? depth++ > 0 : ends && depth > 0 && --depth > 0;
        if (isInner) // the outer region has it in order already
          withoutBundle(llvm::cast<llvm::CallBase>(instruction), begins ? protocol::fixedBegin : protocol::fixedEnd);
        else if (depth > 0 && !begins && (isOrderedCall(instruction) || pointerOf(instruction)))
          hold(instruction, ++number);
      }
    }
}

void settleFixedOrder(llvm::Module &module) {
  for (llvm::Function &function : module)
    Settle(function).run();
}

} // namespace fly::codegen
