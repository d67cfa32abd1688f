// See NeighbouringAccesses.h.
//
// Two accesses are neighbours if their places differ by what the first one takes, whatever the values are that nobody
// knows. That is decided by numbers: each unknown value stands for a random one, the same wherever the same is
// computed, once for one thread and once for another one with other numbers. Where both find the same distance, it is
// one; two sums that differ in anything unknown agree twice with a chance of 2^-40.
//
// An access of several is legal where they stand in one block and nothing between them may touch the same memory or
// waits for other threads, and where the alignment of the first one is known from the types. In a loop whose next turn
// goes on where the last one ended, turns stand for accesses: the number of turns must be known to be a multiple, and
// the loop must have nothing else that touches the memory.
#include "compiler/analysis/NeighbouringAccesses.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Divisors.h"
#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "compiler/analysis/LaneValues.h"
#include "compiler/analysis/Performance.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

namespace fly::analysis {

using layout::IntTuple;
using layout::Leaf;

namespace {

/// A number for a value that is not known: equal ones for what is computed alike.
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed) : seed(seed) {}

  std::optional<int64_t> operator()(mlir::Value value) {
    if (value.getType().isInteger(1))
      return std::nullopt;
    return 1 + int64_t(llvm::hash_combine(seed, keyOf(value)) & 0xFFFFF);
  }

private:
  llvm::hash_code keyOf(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !mlir::isPure(op))
      return llvm::hash_combine(value.getAsOpaquePointer());
    if (auto known = keys.find(value); known != keys.end())
      return known->second;
    llvm::hash_code key =
        llvm::hash_combine(op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer(),
                           llvm::cast<mlir::OpResult>(value).getResultNumber());
    for (mlir::Value operand : op->getOperands())
      key = llvm::hash_combine(key, keyOf(operand));
    keys.insert({value, key});
    return key;
  }

  uint64_t seed;
  llvm::DenseMap<mlir::Value, llvm::hash_code> keys;
};

/// The same kernel seen by two threads with other numbers.
class TwoThreads {
public:
  explicit TwoThreads(ir::KernelOp kernel, mlir::Block *turned = nullptr)
      : a(kernel, 1, firstNumbers, turned), b(kernel, 2, secondNumbers, turned) {}

  /// Where an access begins for each of them, in elements.
  std::optional<std::pair<int64_t, int64_t>> placesOf(mlir::Operation *op) {
    auto x = a.runOf(op), y = b.runOf(op);
    return x && y ? std::optional(std::pair(x->at.real, y->at.real)) : std::nullopt;
  }
  /// The value, if it does not depend on anything unknown.
  std::optional<int64_t> of(mlir::Value value) {
    auto x = a.of(value), y = b.of(value);
    return x && x == y ? x : std::nullopt;
  }

private:
  RandomNumbers first{0x9E3779B97F4A7C15}, second{0xC2B2AE3D27D4EB4F};
  std::function<std::optional<int64_t>(mlir::Value)> firstNumbers = [this](mlir::Value value) { return first(value); },
                                                     secondNumbers = [this](mlir::Value value) {
                                                       return second(value);
                                                     };
  LaneValues a, b;
};

struct Access {
  mlir::Operation *op;
  SourceRange range;
  mlir::Value origin;
  std::pair<int64_t, int64_t> at; ///< for two threads
  int64_t count, alignment;       ///< elements; bytes that the place is known to be a multiple of
};

int64_t elementBits(const Access &access) {
  return llvm::cast<ir::TensorType>(accessedBy(access.op).getType()).getElementBits();
}

/// What an access's place is known to be a multiple of, with what `values` know put in.
int64_t alignmentOf(TwoThreads &values, mlir::Operation *op) {
  auto type = llvm::cast<ir::TensorType>(accessedBy(op).getType());
  auto of = [&](auto access) -> int64_t {
    auto operand = access.getDynamic().begin();
    IntTuple coordinate = access.getCoordinate().getTuple().mapLeaves([&](Leaf leaf) {
      if (!leaf.isDynamic())
        return leaf;
      auto number = values.of(*operand++);
      return number && *number >= 0 ? Leaf::known(*number) : leaf;
    });
    auto alignment = ir::elementAlignment(type, coordinate);
    return alignment ? *alignment : 1;
  };
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
    return of(load);
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
    return of(store);
  return type.getAlignment();
}

/// How many elements an access takes at once; 0 if it is several by itself, or must stay as it is.
int64_t countOf(mlir::Operation *op) {
  auto asWritten = [](auto access) { return access.getIsVolatile() || access.getIsNontemporal(); };
  if (auto load = llvm::dyn_cast<ir::LoadVectorOp>(op); load && asWritten(load))
    return 0;
  if (auto store = llvm::dyn_cast<ir::StoreVectorOp>(op); store && asWritten(store))
    return 0;
  if (llvm::isa<ir::LoadOp, ir::StoreOp>(op))
    return 1;
  layout::InferringArithmetic arithmetic;
  auto type = llvm::cast<ir::TensorType>(accessedBy(op).getType());
  auto whole = layout::coalesce(type.getDomain(), arithmetic);
  auto size = layout::size(type.getDomain(), arithmetic);
  const bool isRun = whole && size && size->isStatic() && std::holds_alternative<layout::Layout>(type.getLayout()) &&
                     whole->shape().leaves().size() == 1 &&
                     (whole->stride().leaves()[0].isStatic(1) || size->value == 1);
  return isRun ? size->value : 0;
}

/// Whether an operation between accesses to `origin` keeps them apart: it may touch the same memory, or wait for other
/// threads.
bool keepsApart(mlir::Operation &op, mlir::Value origin, bool isOfWrites) {
  if (mlir::isMemoryEffectFree(&op) || ir::isMark(&op) || op.hasTrait<mlir::OpTrait::IsTerminator>())
    return false;
  const bool isLoad = llvm::isa<ir::LoadOp, ir::LoadVectorOp, ir::MaskedLoadOp>(op),
             isStore = llvm::isa<ir::StoreOp, ir::StoreVectorOp, ir::MaskedStoreOp>(op);
  if (!isLoad && !isStore)
    return true;
  mlir::Value other = ir::originOf(op.getOperand(isStore ? 1 : 0));
  return (isOfWrites || isStore) && (!other || other == origin);
}

/// The accesses from one to another one of a block, both included, may be one.
bool areTogether(const Access &first, const Access &last) {
  if (first.op == last.op)
    return true;
  for (mlir::Operation &op : llvm::make_range(std::next(first.op->getIterator()), last.op->getIterator()))
    if (isWrite(first.op)
            ? keepsApart(op, first.origin, true) && !(isWrite(&op) && ir::originOf(accessedBy(&op)) == first.origin)
            : keepsApart(op, first.origin, false))
      return false;
  return true;
}

/// The widest of accesses `from` on, all neighbours, that begins where it may.
int64_t widestOf(llvm::ArrayRef<Access> run) {
  const int64_t bits = elementBits(run[0]);
  int64_t best = 0;
  for (size_t from = 0; from < run.size(); ++from) {
    int64_t elements = 0;
    for (size_t to = from; to < run.size(); ++to) {
      elements += run[to].count;
      const int64_t wide = elements * bits;
      if (!ir::isOneAccess(wide, run[from].alignment) || wide > ir::widestInside(accessedBy(run[from].op)))
        continue;
      const bool inOrder = std::all_of(run.begin() + from, run.begin() + to + 1, [&](const Access &each) {
        const Access &first = run[from].op->isBeforeInBlock(each.op) ? run[from] : each,
                     &last = &first == &each ? run[from] : each;
        return areTogether(first, last);
      });
      if (inOrder)
        best = std::max(best, wide);
    }
  }
  return best;
}

/// What a number of the kernel is known to be a multiple of, also from what `requires=` says of it as a leaf of a
/// layout.
int64_t knownDivisor(mlir::Value value) {
  int64_t divisor = ir::divisorOf(value);
  for (mlir::OpOperand &use : value.getUses())
    if (auto made = llvm::dyn_cast<ir::MakeLayoutOp>(use.getOwner()))
      divisor = std::max(
          divisor, layout::dynamicLeaves(llvm::cast<ir::LayoutType>(made.getType()).getLayout())[use.getOperandNumber()]
                       .divisor());
  mlir::Operation *op = value.getDefiningOp();
  llvm::APInt by;
  const bool isShift = llvm::isa_and_nonnull<mlir::arith::ShRSIOp, mlir::arith::ShRUIOp>(op);
  if ((isShift || llvm::isa_and_nonnull<mlir::arith::DivSIOp, mlir::arith::DivUIOp, mlir::arith::FloorDivSIOp>(op)) &&
      mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&by)))
    if (int64_t whole = knownDivisor(op->getOperand(0)),
        parts = isShift ? int64_t(1) << by.getLimitedValue(62) : by.getSExtValue();
        parts > 0 && whole % parts == 0)
      divisor = std::max(divisor, whole / parts);
  return divisor;
}

class Finder {
public:
  explicit Finder(const Context &context)
      : context(context), kernel(context.kernel), values(kernel), dominance(kernel) {
    if (!kernel.getBody().hasOneBlock())
      loops = std::make_unique<mlir::CFGLoopInfo>(dominance.getDomTree(&kernel.getBody()));
  }

  std::vector<NeighbouringAccesses> find() {
    for (mlir::Operation *op : singleAccesses(kernel))
      add(op);
    std::vector<NeighbouringAccesses> out;
    for (auto &[key, group] : groups) {
      std::stable_sort(group.begin(), group.end(), [](const Access &a, const Access &b) { return a.at < b.at; });
      group.erase(
          std::unique(group.begin(), group.end(), [](const Access &a, const Access &b) { return a.at == b.at; }),
          group.end());
      for (size_t from = 0; from < group.size();) {
        size_t to = from + 1;
        while (to < group.size() && isNext(group[to - 1], group[to]))
          ++to;
        judge(llvm::ArrayRef(group).slice(from, to - from), out);
        from = to;
      }
    }
    llvm::stable_sort(out, [](const NeighbouringAccesses &a, const NeighbouringAccesses &b) {
      return std::pair(a.ranges[0].file, a.ranges[0].begin) < std::pair(b.ranges[0].file, b.ranges[0].begin);
    });
    return out;
  }

private:
  void add(mlir::Operation *op) {
    mlir::Value origin = ir::originOf(accessedBy(op));
    const int64_t count = countOf(op);
    auto at = origin && count ? values.placesOf(op) : std::nullopt;
    if (!at)
      return;
    const auto key = std::tuple(op->getBlock(), (const void *)origin.getAsOpaquePointer(), isWrite(op));
    groups[key].push_back({op, context.rangeOf(op), origin, *at, count, alignmentOf(values, op)});
  }

  static bool isNext(const Access &a, const Access &b) {
    return b.at.first - a.at.first == a.count && b.at.second - a.at.second == a.count &&
           elementBits(a) == elementBits(b) && a.count == b.count;
  }

  void judge(llvm::ArrayRef<Access> run, std::vector<NeighbouringAccesses> &out) {
    NeighbouringAccesses found;
    found.bits = run[0].count * elementBits(run[0]);
    found.legalBits = run.size() > 1 ? widestOf(run) : 0;
    if (int64_t turns = widestOfTurns(run); turns > found.legalBits)
      found.legalBits = turns, found.isOfTurns = true;
    if (found.legalBits <= found.bits)
      return;
    const ir::AddressSpace space = llvm::cast<ir::TensorType>(accessedBy(run[0].op).getType()).getSpace();
    found.isWrite = isWrite(run[0].op), found.isLds = space == ir::AddressSpace::Shared,
    found.isBuffer = space == ir::AddressSpace::Buffer;
    for (const Access &access : run)
      found.ranges.push_back(access.range);
    out.push_back(std::move(found));
  }

  /// The widest access of several turns of the innermost loop around, if each begins where the last one ended.
  int64_t widestOfTurns(llvm::ArrayRef<Access> run) {
    mlir::Block *block = run[0].op->getBlock();
    mlir::CFGLoop *loop = loops ? loops->getLoopFor(block) : nullptr;
    if (!loop || loop->getHeader() == block)
      return 0;
    TwoThreads next(kernel, loop->getHeader());
    auto after = next.placesOf(run[0].op);
    const int64_t elements = run[0].count * int64_t(run.size()), bits = elementBits(run[0]);
    if (!after || after->first - run[0].at.first != elements || after->second - run[0].at.second != elements)
      return 0;
    for (mlir::Block *each : loop->getBlocks())
      for (mlir::Operation &op : *each)
        if (keepsApart(op, run[0].origin, isWrite(run[0].op)) &&
            llvm::none_of(run, [&](const Access &access) { return access.op == &op; }))
          return 0;
    const int64_t turns = divisorOfTurns(*loop, next);
    int64_t wide = ir::widestInside(accessedBy(run[0].op));
    while (wide > elements * bits &&
           (!ir::isOneAccess(wide, run[0].alignment) || wide % (elements * bits) || turns % (wide / (elements * bits))))
      wide /= 2;
    return wide;
  }

  /// What the number of a loop's turns is known to be a multiple of: `i < bound` decides, and `i` counts from 0 by 1,
  /// or all is known.
  int64_t divisorOfTurns(mlir::CFGLoop &loop, TwoThreads &next) {
    auto branch = llvm::dyn_cast<mlir::cf::CondBranchOp>(loop.getHeader()->getTerminator());
    auto compare = branch ? branch.getCondition().getDefiningOp<mlir::arith::CmpIOp>() : nullptr;
    if (!compare || (compare.getPredicate() != mlir::arith::CmpIPredicate::slt &&
                     compare.getPredicate() != mlir::arith::CmpIPredicate::ult))
      return 1;
    auto start = values.of(compare.getLhs()), second = next.of(compare.getLhs());
    if (!start || !second || *second <= *start)
      return 1;
    if (auto bound = values.of(compare.getRhs()))
      return std::max<int64_t>(1, (*bound - *start + *second - *start - 1) / (*second - *start));
    return *start == 0 && *second == 1 ? knownDivisor(compare.getRhs()) : 1;
  }

  const Context &context;
  ir::KernelOp kernel;
  TwoThreads values;
  mlir::DominanceInfo dominance;
  std::unique_ptr<mlir::CFGLoopInfo> loops;
  std::map<std::tuple<mlir::Block *, const void *, bool>, std::vector<Access>> groups;
};

} // namespace

std::vector<NeighbouringAccesses> neighbouringAccesses(const Context &context) {
  if (!context.reporter.diags.isWanted(diag::perf_narrow::kind))
    return {};
  return Finder(context).find();
}

} // namespace fly::analysis
