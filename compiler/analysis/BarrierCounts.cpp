// See BarrierCounts.h. A way is followed from block to block; what its branches have in common is its count:
//
//   block        its barriers + what follows; all successors must have the same count
//   loop         turns * (from the header's successor in it to the header) + what follows its exit
//
// A loop with barriers must have the form of `range`: a counter in its header that is tested there and nowhere else.
#include "compiler/analysis/BarrierCounts.h"

#include "compiler/dialect/CopyAttributes.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>

namespace fly::analysis {

namespace {
using mlir::Block;
using mlir::Operation;
using mlir::cf::CondBranchOp;

/// A sum of products of turns. 2 + 3 * t: {} to 2, {t} to 3.
using Count = std::map<std::multiset<std::string>, int64_t>;

Count constant(int64_t value) { return value ? Count{{{}, value}} : Count(); }

Count sum(Count a, const Count &b) {
  for (auto &[turns, factor] : b)
    a[turns] += factor;
  return a;
}

/// Turns of a loop: a number, or a text that is equal for equal ones.
struct Turns {
  std::optional<int64_t> known;
  std::string text;
};

Count product(const Turns &turns, const Count &count) {
  Count out;
  for (auto &[before, factor] : count) {
    std::multiset<std::string> factors = before;
    if (!turns.known)
      factors.insert(turns.text);
    if (const int64_t each = turns.known ? factor * *turns.known : factor)
      out[factors] += each;
  }
  return out;
}

bool isBarrier(Operation &op) { return llvm::isa<ir::BarrierOp>(op) && !op.hasAttr(ir::staggeredAttr); }
int64_t barriersOf(Block *block) { return llvm::count_if(*block, isBarrier); }

constexpr unsigned deepest = 12; ///< operations behind a value that are looked at

/// A number that is known; the front end leaves the arithmetic of `range(2, 10, 4)` as it is.
std::optional<llvm::APInt> numberOf(mlir::Value value, unsigned depth = 0) {
  using namespace mlir::arith;
  llvm::APInt number;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return number;
  Operation *op = value.getDefiningOp();
  if (!op || depth == deepest || !llvm::isa<AddIOp, SubIOp, MulIOp, DivUIOp, CmpIOp, SelectOp>(op))
    return std::nullopt;
  llvm::SmallVector<llvm::APInt, 3> of;
  for (mlir::Value operand : op->getOperands())
    if (auto known = numberOf(operand, depth + 1))
      of.push_back(*known);
    else
      return std::nullopt;
  using Known = std::optional<llvm::APInt>;
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](AddIOp) -> Known { return of[0] + of[1]; })
      .Case([&](SubIOp) -> Known { return of[0] - of[1]; })
      .Case([&](MulIOp) -> Known { return of[0] * of[1]; })
      .Case([&](DivUIOp) -> Known { return of[1].isZero() ? Known() : of[0].udiv(of[1]); })
      .Case([&](CmpIOp test) -> Known { return llvm::APInt(1, applyCmpPredicate(test.getPredicate(), of[0], of[1])); })
      .Default([&](Operation *) -> Known { return of[0].isOne() ? of[1] : of[2]; });
}

/// Equal for values that are computed in the same way from the same values.
std::string textOf(mlir::Value value, unsigned depth = 0) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Operation *op = value.getDefiningOp();
  if (auto number = numberOf(value))
    out << number->getSExtValue() << ':' << value.getType();
  else if (!op || op->getNumResults() != 1 || op->getNumRegions() || !mlir::isMemoryEffectFree(op) || depth == deepest)
    out << '%' << value.getAsOpaquePointer();
  else {
    out << op->getName() << op->getAttrDictionary() << '(';
    for (mlir::Value operand : op->getOperands())
      out << textOf(operand, depth + 1) << ',';
    out << ')';
  }
  return text;
}

/// Counts on the ways from one branch to where they meet.
class Ways {
public:
  Ways(Context &context, CondBranchOp branch, Block *meeting, llvm::function_ref<bool(mlir::Value)> isShared)
      : context(context), branch(branch), meeting(meeting), isShared(isShared), dominance(context.kernel),
        loops(dominance.getDomTree(&context.kernel.getBody())) {
    for (auto *loop = loops.getLoopFor(branch->getBlock()); loop; loop = loop->getParentLoop())
      around.insert(loop);
  }

  std::string run() {
    if (auto *loop = loops.getLoopFor(branch->getBlock());
        loop && llvm::any_of(branch->getBlock()->getSuccessors(), [&](Block *next) { return !loop->contains(next); }))
      return "waves leave this loop in different turns";
    const auto one = count(branch.getTrueDest(), meeting), other = count(branch.getFalseDest(), meeting);
    if (!one || !other)
      return problem;
    if (*one == *other)
      return "";
    return textOf(*one) + " where it holds" + linesFrom(branch.getTrueDest()) + " and " + textOf(*other) +
           " where it does not" + linesFrom(branch.getFalseDest());
  }

private:
  using Counted = std::optional<Count>;

  Counted fail(std::string why) {
    if (problem.empty())
      problem = std::move(why);
    return std::nullopt;
  }

  Counted count(Block *block, Block *stop) {
    if (block == stop)
      return Count();
    if (auto known = counts.find({block, stop}); known != counts.end())
      return known->second;
    Counted all = isHeader(block) ? countLoop(loops.getLoopFor(block), stop) : countBlock(block, stop);
    counts[{block, stop}] = all;
    return all;
  }

  bool isHeader(Block *block) {
    auto *loop = loops.getLoopFor(block);
    return loop && loop->getHeader() == block;
  }

  Counted countBlock(Block *block, Block *stop) {
    Counted rest = Count();
    for (auto [i, next] : llvm::enumerate(block->getSuccessors())) {
      Counted each = count(next, stop);
      if (!each)
        return std::nullopt;
      if (i > 0 && *each != *rest)
        return fail("of the condition in line " + lineOf(block->getTerminator()) + ", one side has " + textOf(*rest) +
                    ", the other one " + textOf(*each));
      rest = std::move(each);
    }
    return sum(constant(barriersOf(block)), *rest);
  }

  Counted countLoop(mlir::CFGLoop *loop, Block *stop) {
    const std::string line = lineOf(loop->getHeader()->getTerminator());
    if (around.contains(loop))
      return fail("waves leave the loop of line " + line + " in different turns");
    llvm::SmallVector<Block *> exits;
    loop->getExitBlocks(exits);
    if (llvm::none_of(loop->getBlocks(), barriersOf)) {
      Counted rest = Count();
      for (auto [i, exit] : llvm::enumerate(exits)) {
        Counted each = count(exit, stop);
        if (!each)
          return std::nullopt;
        if (i > 0 && *each != *rest)
          return fail("after the loop of line " + line + ", one way out has " + textOf(*rest) + ", another one " +
                      textOf(*each));
        rest = std::move(each);
      }
      return rest;
    }
    Block *exiting = loop->getExitingBlock();
    const std::optional<Turns> turns = exiting == loop->getHeader() ? turnsOf(loop) : std::nullopt;
    if (!exiting || exiting != loop->getHeader() || exits.size() != 1)
      return fail("the loop of line " + line + " has barriers and is left in its middle");
    if (!turns)
      return fail("the loop of line " + line + " has barriers, and waves may turn it differently often");
    lines.try_emplace(turns->text, line);
    auto *test = loop->getHeader()->getTerminator();
    Block *inside = loop->contains(test->getSuccessor(0)) ? test->getSuccessor(0) : test->getSuccessor(1);
    Counted turn = count(inside, loop->getHeader()), rest = count(exits.front(), stop);
    if (!turn || !rest)
      return std::nullopt;
    return sum(product(*turns, *turn), *rest);
  }

  /// Of a loop over a range, `counter < end` in its header; none for others.
  std::optional<Turns> turnsOf(mlir::CFGLoop *loop) {
    Block *header = loop->getHeader(), *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch();
    auto test = llvm::dyn_cast<CondBranchOp>(header->getTerminator());
    auto less = test ? test.getCondition().getDefiningOp<mlir::arith::CmpIOp>() : nullptr;
    auto counter = less ? llvm::dyn_cast<mlir::BlockArgument>(less.getLhs()) : nullptr;
    if (!counter || counter.getOwner() != header || !before || !latch || barriersOf(header) ||
        !loop->contains(test.getTrueDest()))
      return std::nullopt;
    auto given = [&](Block *from) -> mlir::Value {
      auto jump = llvm::cast<mlir::BranchOpInterface>(from->getTerminator());
      for (unsigned s = 0; s < from->getNumSuccessors(); ++s)
        if (from->getSuccessor(s) == header)
          return jump.getSuccessorOperands(s)[counter.getArgNumber()];
      return {};
    };
    const mlir::Value first = given(before), end = less.getRhs();
    auto next = given(latch) ? given(latch).getDefiningOp<mlir::arith::AddIOp>() : nullptr;
    if (!next || next.getLhs() != counter || !first)
      return std::nullopt;
    const mlir::Value step = next.getRhs();
    auto isOutside = [&](mlir::Value value) { return !loop->contains(value.getParentBlock()); };
    for (mlir::Value each : {first, end, step})
      if (!numberOf(each) && (!isOutside(each) || !isShared(each)))
        return std::nullopt;
    Turns turns;
    turns.text = textOf(first) + " " + stringifyCmpIPredicate(less.getPredicate()).str() + " " + textOf(end) + " by " +
                 textOf(step);
    using mlir::arith::CmpIPredicate;
    const bool isLess = less.getPredicate() == CmpIPredicate::slt || less.getPredicate() == CmpIPredicate::ult;
    const auto a = numberOf(first), b = numberOf(end), by = numberOf(step);
    if (isLess && a && b && by && by->isStrictlyPositive() && !a->isNegative() && !b->isNegative())
      turns.known =
          std::max<int64_t>(0, (b->getSExtValue() - a->getSExtValue() + by->getSExtValue() - 1) / by->getSExtValue());
    return turns;
  }

  //===------------------------------------------- words ----------------------------------------------------------===//

  std::string lineOf(Operation *op) const {
    const SourceRange range = context.rangeOf(op);
    return range.valid() ? std::to_string(context.reporter.diags.sources.lineColumn(range.file, range.begin).line)
                         : "?";
  }

  /// "2 barriers", "none", "1 barrier, and 2 in each turn of the loop of line 7"
  std::string textOf(const Count &count) const {
    std::string text;
    for (auto &[turns, factor] : count) {
      text += (text.empty() ? "" : ", and ") + std::to_string(factor) +
              (!text.empty() ? ""
               : factor == 1 ? " barrier"
                             : " barriers");
      for (const std::string &each : turns) {
        auto line = lines.find(each);
        text += " in each turn of the loop of line " + (line == lines.end() ? "?" : line->second);
      }
    }
    return text.empty() ? "none" : text;
  }
  static std::string textOf(mlir::Value value) { return analysis::textOf(value); }

  /// " (lines 7, 9)": where barriers are on the ways from a block to the meeting.
  std::string linesFrom(Block *from) const {
    std::set<unsigned> numbers;
    llvm::SmallVector<Block *> work{from};
    llvm::SmallPtrSet<Block *, 16> seen;
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      if (block == meeting || !seen.insert(block).second)
        continue;
      for (Operation &op : *block)
        if (unsigned line = 0; isBarrier(op) && llvm::to_integer(lineOf(&op), line))
          numbers.insert(line);
      llvm::append_range(work, block->getSuccessors());
    }
    std::string text;
    for (unsigned each : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(each);
    return numbers.empty() ? "" : (numbers.size() == 1 ? " (line " : " (lines ") + text + ")";
  }

  Context &context;
  CondBranchOp branch;
  Block *meeting;
  llvm::function_ref<bool(mlir::Value)> isShared;
  mlir::DominanceInfo dominance;
  mlir::CFGLoopInfo loops;
  llvm::SmallPtrSet<mlir::CFGLoop *, 4> around; ///< the branch
  std::map<std::pair<Block *, Block *>, Counted> counts;
  std::map<std::string, std::string> lines; ///< of loops, by their turns
  std::string problem;
};

} // namespace

std::string unequalBarriers(Context &context, CondBranchOp branch, Block *meeting,
                            llvm::function_ref<bool(mlir::Value)> isShared) {
  return Ways(context, branch, meeting, isShared).run();
}

} // namespace fly::analysis
