// See NearUses.h. Two steps:
//
//   1. A vector that no tuple of registers holds is computed in pieces of four elements, the size of the fragments that
//      such vectors consist of. An element of
//
//          <256 x half> fptrunc <256 x float> (64 accumulators of <4 x float>, joined by shuffles)
//
//      then comes from `<4 x half> fptrunc <4 x float>` of one accumulator.
//
//   2. Of a block with many values, what only stores need is written again in the order in which they need it. What is
//      loaded, multiplied or decided there keeps its order.
#include "compiler/codegen/ir/NearUses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <array>

namespace fly::codegen {

namespace {

constexpr unsigned pieceSize = 4;
/// Bits of the largest tuple of registers.
constexpr unsigned mostBits = 32 * 32;
/// Half of the VGPRs, and as many predicates as half of the scalar registers hold in waves of 64 lanes. Up to there the
/// scheduler's own order is better.
constexpr unsigned mostRegisters = 128, mostPredicates = 26;

unsigned countOf(const llvm::Value *vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

bool isLarge(const llvm::Value *value) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type && type->getPrimitiveSizeInBits() > mostBits && type->getNumElements() % pieceSize == 0;
}

/// Computes each element from the same element of its operands.
bool isElementwise(const llvm::Value *value) {
  if (auto *cast = llvm::dyn_cast<llvm::CastInst>(value))
    return cast->getSrcTy()->isVectorTy() && countOf(cast->getOperand(0)) == countOf(cast);
  return llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator>(value);
}

/// Whether each element of a vector is an element of an operand that is known, or an operand.
bool isPutTogether(const llvm::Value *value) {
  auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(value);
  return llvm::isa<llvm::ShuffleVectorInst>(value) || (insert && llvm::isa<llvm::ConstantInt>(insert->getOperand(2)));
}

class Pieces {
public:
  void run(llvm::Function &function) {
    llvm::SmallVector<llvm::WeakTrackingVH> dead;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
      if (!extract || !isLarge(extract->getVectorOperand()) || llvm::isa<llvm::Constant>(extract->getVectorOperand()))
        continue;
      auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
      if (!index || index->getValue().uge(countOf(extract->getVectorOperand())))
        continue;
      llvm::IRBuilder<> b(extract);
      extract->replaceAllUsesWith(element(b, {extract->getVectorOperand(), unsigned(index->getZExtValue())}));
      dead.push_back(extract);
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  }

private:
  /// Element `index` of a vector; without one, a value that is the element itself.
  struct Element {
    llvm::Value *from = nullptr;
    unsigned index = 0;
    bool isScalar = false;
  };

  /// Where an element comes from, through everything that only puts vectors together; from nowhere if it is poison.
  static Element sourceOf(llvm::Value *vector, unsigned index) {
    while (true)
      if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(vector)) {
        const int from = shuffle->getMaskValue(index);
        if (from < 0)
          return {};
        const unsigned first = countOf(shuffle->getOperand(0));
        vector = shuffle->getOperand(unsigned(from) < first ? 0 : 1);
        index = unsigned(from) < first ? unsigned(from) : unsigned(from) - first;
      } else if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector); insert && isPutTogether(insert)) {
        if (llvm::cast<llvm::ConstantInt>(insert->getOperand(2))->equalsInt(index))
          return {insert->getOperand(1), 0, true};
        vector = insert->getOperand(0);
      } else if (auto *constant = llvm::dyn_cast<llvm::Constant>(vector)) {
        llvm::Constant *known = constant->getAggregateElement(index);
        if (!known)
          return {vector, index};
        return llvm::isa<llvm::PoisonValue>(known) ? Element{} : Element{known, 0, true};
      } else
        return {vector, index};
  }

  llvm::Value *element(llvm::IRBuilder<> &b, Element which) {
    if (which.isScalar)
      return which.from;
    if (!isLarge(which.from))
      return b.CreateExtractElement(which.from, which.index);
    return b.CreateExtractElement(piece(which.from, which.index / pieceSize * pieceSize), which.index % pieceSize);
  }

  /// The elements of a large vector from `first` on.
  llvm::Value *piece(llvm::Value *vector, unsigned first) {
    if (llvm::Value *known = pieces.lookup({vector, first}))
      return known;
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(vector);
    llvm::Value *made = nullptr;
    if (instruction && isElementwise(instruction)) {
      llvm::IRBuilder<> b(instruction);
      llvm::Instruction *part = instruction->clone();
      for (llvm::Use &operand : part->operands())
        operand.set(isLarge(operand) ? piece(operand, first) : shortened(b, operand, first));
      part->mutateType(llvm::FixedVectorType::get(instruction->getType()->getScalarType(), pieceSize));
      made = b.Insert(part);
    } else if (instruction && isPutTogether(instruction)) {
      llvm::IRBuilder<> b(instruction);
      made = joined(b, vector, first);
    } else {
      llvm::IRBuilder<> b(vector->getContext());
      if (auto *argument = llvm::dyn_cast<llvm::Argument>(vector))
        b.SetInsertPoint(argument->getParent()->getEntryBlock().getFirstInsertionPt());
      else if (instruction)
        b.SetInsertPoint(*instruction->getInsertionPointAfterDef());
      made = shortened(b, vector, first);
    }
    return pieces[{vector, first}] = made;
  }

  static llvm::Value *shortened(llvm::IRBuilder<> &b, llvm::Value *vector, unsigned first) {
    const int i = int(first);
    return b.CreateShuffleVector(vector, llvm::ArrayRef<int>{i, i + 1, i + 2, i + 3});
  }

  llvm::Value *joined(llvm::IRBuilder<> &b, llvm::Value *vector, unsigned first) {
    std::array<Element, pieceSize> from;
    bool isRun = true;
    for (unsigned i = 0; i < pieceSize; ++i) {
      from[i] = sourceOf(vector, first + i);
      isRun &= from[i].from && !from[i].isScalar && from[i].from == from[0].from && from[i].index == from[0].index + i;
    }
    if (isRun && isLarge(from[0].from) && from[0].index % pieceSize == 0)
      return piece(from[0].from, from[0].index);
    if (isRun && !isLarge(from[0].from))
      return countOf(from[0].from) == pieceSize ? from[0].from : shortened(b, from[0].from, from[0].index);
    llvm::Value *whole =
        llvm::PoisonValue::get(llvm::FixedVectorType::get(vector->getType()->getScalarType(), pieceSize));
    for (unsigned i = 0; i < pieceSize; ++i)
      if (from[i].from)
        whole = b.CreateInsertElement(whole, element(b, from[i]), i);
    return whole;
  }

  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> pieces;
};

/// Not a computation of values from values.
bool isAnchor(const llvm::Instruction &instruction) {
  return instruction.mayHaveSideEffects() || instruction.mayReadFromMemory() || instruction.isTerminator() ||
         instruction.isEHPad() || llvm::isa<llvm::PHINode, llvm::CallBase, llvm::AllocaInst>(instruction);
}

bool isStore(const llvm::Instruction &instruction) {
  return instruction.mayWriteToMemory() && !instruction.mayReadFromMemory();
}

/// Visits what `user` needs of its block, operands first, except what is in `visited`, and adds it there.
template <typename Visit>
void visitNeeded(llvm::Instruction &user, llvm::SmallPtrSetImpl<llvm::Instruction *> &visited, Visit visit) {
  llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>> path{{&user, 0}}; // and the next operand of each
  while (!path.empty()) {
    auto &[instruction, next] = path.back();
    if (next == instruction->getNumOperands()) {
      if (instruction != &user)
        visit(*instruction);
      path.pop_back();
      continue;
    }
    auto *operand = llvm::dyn_cast<llvm::Instruction>(instruction->getOperand(next++));
    if (operand && operand->getParent() == user.getParent() && !isAnchor(*operand) && visited.insert(operand).second)
      path.emplace_back(operand, 0);
  }
}

/// It is needed elsewhere, so it keeps its order, and so does what it needs.
bool isUsedElsewhere(const llvm::Instruction &instruction) {
  return instruction.use_empty() || llvm::any_of(instruction.users(), [&](const llvm::User *user) {
           auto *by = llvm::cast<llvm::Instruction>(user);
           return by->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(by);
         });
}

void order(llvm::BasicBlock &block) {
  llvm::SmallPtrSet<llvm::Instruction *, 32> inOrder;
  llvm::SmallVector<llvm::Instruction *> stores;
  for (llvm::Instruction &instruction : block)
    if (isStore(instruction))
      stores.push_back(&instruction);
    else if (isAnchor(instruction) ? !llvm::isa<llvm::PHINode>(instruction) : isUsedElsewhere(instruction)) {
      inOrder.insert(&instruction);
      visitNeeded(instruction, inOrder, [](llvm::Instruction &) {});
    }
  for (llvm::Instruction *store : stores)
    visitNeeded(*store, inOrder, [&](llvm::Instruction &needed) { needed.moveBefore(store->getIterator()); });
}

/// Whether values of the block are alive at the same time that need more registers than LLVM would find an order for.
bool hasManyValues(llvm::BasicBlock &block) {
  llvm::DenseMap<llvm::Instruction *, llvm::Instruction *> lastUse;
  llvm::DenseMap<llvm::Instruction *, llvm::SmallVector<llvm::Instruction *, 2>> endsAt;
  for (llvm::Instruction &user : block)
    for (llvm::Value *operand : user.operands())
      if (auto *value = llvm::dyn_cast<llvm::Instruction>(operand); value && value->getParent() == &block)
        lastUse[value] = &user;
  for (auto [value, user] : lastUse)
    endsAt[user].push_back(value);
  unsigned registers = 0, predicates = 0;
  auto isPredicate = [](llvm::Instruction *value) { return value->getType()->isIntegerTy(1); };
  auto registersOf = [](llvm::Instruction *value) {
    return unsigned(llvm::divideCeil(value->getType()->getPrimitiveSizeInBits().getKnownMinValue(), 32));
  };
  for (llvm::Instruction &instruction : block) {
    for (llvm::Instruction *value : endsAt.lookup(&instruction))
      (isPredicate(value) ? predicates : registers) -= isPredicate(value) ? 1 : registersOf(value);
    if (lastUse.contains(&instruction))
      (isPredicate(&instruction) ? predicates : registers) += isPredicate(&instruction) ? 1 : registersOf(&instruction);
    if (registers > mostRegisters || predicates > mostPredicates)
      return true;
  }
  return false;
}

} // namespace

void computeNearUses(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    llvm::SmallVector<llvm::BasicBlock *> large;
    for (llvm::BasicBlock &block : function)
      if (!loops.getLoopFor(&block) && hasManyValues(block))
        large.push_back(&block);
    if (large.empty())
      continue;
    Pieces().run(function);
    for (llvm::BasicBlock *block : large)
      order(*block);
  }
}

} // namespace fly::codegen
