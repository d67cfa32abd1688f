// See BufferStarts.h. For each innermost loop:
//
//   1. each scalar offset is taken apart into a sum, through operations that are known not to wrap, so that no part of
//      it is larger than the whole;
//   2. a buffer's parts that do not change in the loop, and that all of its accesses there have, are its shift;
//   3. if fewer sums are left without them: the buffer is made again before the loop, `shift` bytes further and as much
//      shorter, and the sums are written again. Whether an access is inside is the same comparison as before.
#include "compiler/codegen/ir/BufferStarts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

namespace fly::codegen {

namespace {

using Parts = llvm::SmallMapVector<llvm::Value *, std::uint64_t, 4>; ///< and how many times each

struct Sum {
  Parts parts;
  std::uint64_t constant = 0;
};

struct Access {
  llvm::IntrinsicInst *call, *buffer;
  unsigned operand; ///< the scalar offset
  Sum offset;
};

/// The operand that is the scalar offset, and that of the buffer; no such access: 0.
std::pair<unsigned, unsigned> operandsOf(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::amdgcn_raw_ptr_buffer_load: return {2, 0};
  case llvm::Intrinsic::amdgcn_raw_ptr_buffer_store: return {3, 1};
  case llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds: return {4, 0};
  default: return {0, 0};
  }
}

void add(Sum &sum, llvm::Value *value, std::uint64_t factor) {
  if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    sum.constant += number->getZExtValue() * factor;
    return;
  }
  auto *disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(value);
  auto *operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
  auto *right = operation ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
  if ((disjoint && disjoint->isDisjoint()) ||
      (operation && operation->getOpcode() == llvm::Instruction::Add && operation->hasNoUnsignedWrap())) {
    for (llvm::Value *part : llvm::cast<llvm::User>(value)->operands())
      add(sum, part, factor);
  } else if (operation && right && operation->hasNoUnsignedWrap() && operation->getOpcode() == llvm::Instruction::Mul)
    add(sum, operation->getOperand(0), factor * right->getZExtValue());
  else if (operation && right && operation->hasNoUnsignedWrap() && operation->getOpcode() == llvm::Instruction::Shl &&
           right->getValue().ult(32))
    add(sum, operation->getOperand(0), factor << right->getZExtValue());
  else
    sum.parts[value] += factor;
}

class BufferStarts {
public:
  explicit BufferStarts(llvm::Loop &loop, const llvm::DominatorTree &dominators)
      : loop(loop), before(loop.getLoopPreheader()) {
    for (llvm::BasicBlock *block : loop.blocks())
      for (llvm::Instruction &instruction : *block)
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); call && before)
          if (auto [offset, buffer] = operandsOf(*call); offset)
            if (auto *made = llvm::dyn_cast<llvm::IntrinsicInst>(call->getArgOperand(buffer));
                made && made->getIntrinsicID() == llvm::Intrinsic::amdgcn_make_buffer_rsrc &&
                dominators.dominates(made, before->getTerminator())) {
              Access &access = accesses.emplace_back(Access{call, made, offset, {}});
              add(access.offset, call->getArgOperand(offset), 1);
            }
  }

  void run() {
    for (const Access &access : accesses)
      if (!shifts.contains(access.buffer))
        shifts[access.buffer] = commonOf(access.buffer);
    std::set<llvm::Value *> offsets;
    std::set<Key> rest;
    for (Access &access : accesses) {
      offsets.insert(access.call->getArgOperand(access.operand));
      for (auto &[part, factor] : shifts[access.buffer])
        access.offset.parts.erase(part);
      rest.insert(keyOf(access.offset));
    }
    if (rest.size() >= offsets.size())
      return;
    llvm::DenseMap<llvm::IntrinsicInst *, llvm::Value *> moved;
    llvm::SmallVector<llvm::WeakTrackingVH> dead;
    for (const Access &access : accesses) {
      if (shifts[access.buffer].empty())
        continue;
      llvm::Value *&buffer = moved[access.buffer];
      if (!buffer)
        buffer = moveStart(*access.buffer, shifts[access.buffer]);
      dead.push_back(access.call->getArgOperand(access.operand));
      access.call->setArgOperand(access.operand, written(access));
      access.call->setArgOperand(operandsOf(*access.call).second, buffer);
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  }

private:
  using Key = std::pair<std::uint64_t, std::map<llvm::Value *, std::uint64_t>>;

  static Key keyOf(const Sum &sum) { return {sum.constant, {sum.parts.begin(), sum.parts.end()}}; }

  Parts commonOf(const llvm::IntrinsicInst *buffer) const {
    auto of = [&](const Access &access) { return access.buffer == buffer; };
    Parts common;
    for (auto &[part, factor] : llvm::find_if(accesses, of)->offset.parts)
      if (loop.isLoopInvariant(part) && llvm::all_of(accesses, [&](const Access &access) {
            return !of(access) || access.offset.parts.lookup(part) == factor;
          }))
        common[part] = factor;
    return common;
  }

  /// The sum of parts in bytes, which does not wrap because a part of an offset is never larger than the offset.
  static llvm::Value *sumOf(llvm::IRBuilder<> &b, const Parts &parts) {
    llvm::Value *sum = nullptr;
    for (auto &[part, factor] : parts) {
      llvm::Value *value = part;
      if (factor != 1)
        value = b.CreateMul(part, b.getInt32(std::uint32_t(factor)), "", /*HasNUW=*/true);
      sum = sum ? b.CreateAdd(sum, value, "", /*HasNUW=*/true) : value;
    }
    return sum;
  }

  llvm::Value *moveStart(llvm::IntrinsicInst &buffer, const Parts &shift) {
    llvm::IRBuilder<> b(before->getTerminator());
    b.SetCurrentDebugLocation(buffer.getDebugLoc());
    llvm::Value *bytes = b.CreateZExt(sumOf(b, shift), b.getInt64Ty());
    auto *moved = llvm::cast<llvm::IntrinsicInst>(b.Insert(buffer.clone()));
    llvm::Value *size = buffer.getArgOperand(2), *zero = llvm::ConstantInt::get(size->getType(), 0);
    llvm::Value *shorter = b.CreateSub(size, b.CreateZExtOrTrunc(bytes, size->getType()));
    moved->setArgOperand(0, b.CreatePtrAdd(buffer.getArgOperand(0), bytes));
    // Not a saturating subtraction: of these, the backend has only vector instructions.
    llvm::Value *isInside = b.CreateICmpULT(bytes, b.CreateZExtOrTrunc(size, bytes->getType()));
    moved->setArgOperand(2, b.CreateSelect(isInside, shorter, zero));
    moved->moveBefore(before->getTerminator()->getIterator());
    return moved;
  }

  llvm::Value *written(const Access &access) {
    llvm::Value *&known = sums[{access.call->getParent(), keyOf(access.offset)}];
    if (!known) {
      llvm::IRBuilder<> b(access.call);
      known = sumOf(b, access.offset.parts);
      if (access.offset.constant || !known) {
        llvm::Value *constant = b.getInt32(std::uint32_t(access.offset.constant));
        known = known ? b.CreateAdd(known, constant, "", /*HasNUW=*/true) : constant;
      }
    }
    return known;
  }

  llvm::Loop &loop;
  llvm::BasicBlock *before;
  llvm::SmallVector<Access> accesses; ///< in the order of each block
  llvm::DenseMap<llvm::IntrinsicInst *, Parts> shifts;
  /// Of each block, written before the first access there that has it.
  std::map<std::pair<llvm::BasicBlock *, Key>, llvm::Value *> sums;
};

} // namespace

void moveBufferStarts(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop *loop : loops.getLoopsInPreorder())
      if (loop->isInnermost())
        BufferStarts(*loop, dominators).run();
  }
}

} // namespace fly::codegen
