// See TrustedWaits.h. The backend (SIInsertWaitcnts) understands scoped alias metadata: copies get a scope, and the
// accesses state that they do not alias it. That is a stronger statement than intended, because the accesses do alias
// copies that have arrived. So the metadata is added last, after the optimizer, and only to accesses that nothing can
// move across a copy from then on: in both directions, the nearest wait, barrier or copy is not a copy. Waits and
// barriers are fences for the instruction scheduler.
//
// Two analyses over the blocks, one backwards and one forwards: whether the nearest of these events is a wait on all
// paths. They start from `yes` and descend to the greatest fixed point, as loops require.
#include "compiler/codegen/ir/TrustedWaits.h"

#include "compiler/codegen/ir/LdsRegions.h"

#include "compiler/protocol/Assembly.h"
#include "compiler/target/Waitcnt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace fly::codegen {

namespace {
enum class Event { None, Wait, Copy };

bool waitsForMemory(const llvm::CallBase &call) {
  auto *bits = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  const target::Target *target = target::find(call.getFunction()->getFnAttribute("target-cpu").getValueAsString());
  if (!bits || !target)
    return false;
  const target::WaitField vmcnt = target->generation.vmcnt;
  return target::fieldOf(vmcnt, uint32_t(bits->getZExtValue())) != vmcnt.largest();
}

/// Of an exact instruction: `buffer_load_dword $0, $1, 0 offen lds`, `s_waitcnt vmcnt(2)`.
Event eventOf(llvm::StringRef statement) {
  auto words = protocol::assemblyWords(statement);
  if (!words)
    return Event::None;
  if (words->contains("s_waitcnt ") && words->contains("vmcnt("))
    return Event::Wait;
  const bool isLoad = words->contains("_load_");
  return isLoad && (words->contains("load_lds_") || (" " + *words + " ").str().find(" lds ") != std::string::npos)
             ? Event::Copy
             : Event::None;
}

Event eventOf(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call)
    return Event::None;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds:
  case llvm::Intrinsic::amdgcn_global_load_lds: return Event::Copy;
  case llvm::Intrinsic::amdgcn_s_barrier: return Event::Wait;
  case llvm::Intrinsic::amdgcn_s_waitcnt: return waitsForMemory(*call) ? Event::Wait : Event::None;
  case llvm::Intrinsic::not_intrinsic:
    if (auto *statement = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
      return eventOf(statement->getAsmString());
    return Event::Copy; // whatever it does
  default: return Event::None;
  }
}

bool accessesLds(const llvm::Instruction &instruction) {
  if (!instruction.mayReadOrWriteMemory() || eventOf(instruction) != Event::None)
    return false;
  bool isKnown =
      llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::IntrinsicInst>(
          instruction);
  return isKnown && llvm::any_of(instruction.operands(), [](const llvm::Use &operand) {
           auto *pointer = llvm::dyn_cast<llvm::PointerType>(operand->getType());
           return pointer && pointer->getAddressSpace() == ldsSpace;
         });
}

/// For each access to LDS, whether the nearest event is a wait on all paths, both forwards and backwards.
template <bool Forwards> class Nearest {
public:
  explicit Nearest(llvm::Function &function) {
    for (auto &block : function)
      atEnd[&block] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &block : function) {
        bool is = through(block, [](const llvm::Instruction &, bool) {});
        changed |= is != atEnd[&block];
        atEnd[&block] = is;
      }
    }
  }

  template <typename Visit> bool through(llvm::BasicBlock &block, Visit visit) {
    bool isWait = true; // outside of the function nothing is in flight
    if constexpr (Forwards)
      for (auto *next : llvm::successors(&block))
        isWait &= atEnd[next];
    else
      for (auto *before : llvm::predecessors(&block))
        isWait &= atEnd[before];
    auto one = [&](llvm::Instruction &instruction) {
      visit(instruction, isWait);
      if (Event event = eventOf(instruction); event != Event::None)
        isWait = event == Event::Wait;
    };
    if constexpr (Forwards)
      for (auto &instruction : llvm::reverse(block))
        one(instruction);
    else
      for (auto &instruction : block)
        one(instruction);
    return isWait;
  }

private:
  llvm::DenseMap<llvm::BasicBlock *, bool> atEnd; ///< at the block's end in the direction of looking
};

void add(llvm::Instruction &instruction, unsigned kind, llvm::MDNode *scopes) {
  instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), scopes));
}

/// The metadata of an access: its regions.
constexpr llvm::StringLiteral noted = "fly.lds.regions";

bool hasCopies(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](llvm::Instruction &each) { return eventOf(each) == Event::Copy; });
}

/// The backend compares an access with the copies by address only if its scope is known. LLVM adds the scopes of LDS
/// objects when it makes one object of them, but follows addresses only over five additions; and scopes that are there
/// before, it drops (llvm-project issue 170660).
void addScopesOfRegions(llvm::Function &function) {
  llvm::MDBuilder builder(function.getContext());
  auto *domain = builder.createAnonymousAliasScopeDomain("regions of LDS");
  llvm::MapVector<const llvm::Metadata *, llvm::MDNode *> scopes;
  std::vector<llvm::Instruction *> accesses;
  for (auto &instruction : llvm::instructions(function))
    if (const llvm::MDNode *regions = instruction.getMetadata(noted)) {
      accesses.push_back(&instruction);
      for (const llvm::MDOperand &region : regions->operands())
        if (auto [scope, isNew] = scopes.insert({region.get(), nullptr}); isNew)
          scope->second = builder.createAnonymousAliasScope(domain, llvm::cast<llvm::MDString>(region)->getString());
    }
  for (llvm::Instruction *instruction : accesses) {
    const llvm::MDNode *regions = instruction->getMetadata(noted);
    llvm::SmallVector<llvm::Metadata *> own, others;
    for (auto &[region, scope] : scopes)
      (llvm::is_contained(regions->operands(), region) ? own : others).push_back(scope);
    // Those of LLVM say less, and not of every access, so that the backend would tell more kinds of copies apart.
    instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(function.getContext(), own));
    instruction->setMetadata(llvm::LLVMContext::MD_noalias,
                             others.empty() ? nullptr : llvm::MDNode::get(function.getContext(), others));
    instruction->setMetadata(noted, nullptr);
  }
}

void trustWaits(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> copies;
  for (auto &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && eventOf(instruction) == Event::Copy && (llvm::isa<llvm::IntrinsicInst>(call) || call->isInlineAsm()))
      copies.push_back(&instruction);
  if (copies.empty())
    return;
  addScopesOfRegions(function);
  llvm::MDBuilder builder(function.getContext());
  auto *domain = builder.createAnonymousAliasScopeDomain("copies to LDS");
  auto *scopes = llvm::MDNode::get(function.getContext(), builder.createAnonymousAliasScope(domain, "copy"));
  Nearest<false> before(function);
  Nearest<true> later(function);
  llvm::SmallPtrSet<llvm::Instruction *, 32> waitedFor;
  for (auto &block : function) {
    before.through(block, [&](llvm::Instruction &instruction, bool isWait) {
      if (isWait && accessesLds(instruction))
        waitedFor.insert(&instruction);
    });
    later.through(block, [&](llvm::Instruction &instruction, bool isWait) {
      if (isWait && waitedFor.contains(&instruction))
        add(instruction, llvm::LLVMContext::MD_noalias, scopes);
    });
  }
  for (auto *copy : copies)
    add(*copy, llvm::LLVMContext::MD_alias_scope, scopes);
  function.setMetadata(scopesOfCopies, scopes);
}
struct TrustWaitsPass : PassBase<TrustWaitsPass, Keeps::ControlFlow, llvm::ModulePass> {
  bool runOnModule(llvm::Module &module) override {
    for (auto &function : module)
      if (!function.isDeclaration())
        trustWaits(function);
    return true;
  }
};

} // namespace

void noteLdsRegions(llvm::Module &module, unsigned waveSize) {
  for (auto &function : module) {
    if (!hasCopies(function))
      continue;
    std::vector<LdsAccess> accesses;
    unsigned phase = 0;
    for (auto &block : function) {
      ++phase;
      for (auto &instruction : block) {
        const Event event = eventOf(instruction);
        phase += event == Event::Wait;
        if (event == Event::Copy || accessesLds(instruction))
          accesses.push_back({&instruction, event == Event::Copy, phase});
      }
    }
    const std::vector<std::vector<unsigned>> regions = regionsOf(accesses, waveSize);
    for (size_t i = 0; i < accesses.size(); ++i) {
      llvm::SmallVector<llvm::Metadata *> names;
      for (unsigned region : regions[i])
        names.push_back(llvm::MDString::get(module.getContext(), "region " + std::to_string(region)));
      if (!names.empty())
        accesses[i].instruction->setMetadata(noted, llvm::MDNode::get(module.getContext(), names));
    }
  }
}

BackendPass trustWaitsPass() { return backendPass<TrustWaitsPass>(); }

} // namespace fly::codegen
