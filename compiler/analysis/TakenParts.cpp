// See TakenParts.h.
//
// One slice says nothing: `get_slice(t % 32 + 32 * i)` in an unrolled loop takes all parts, half of them a turn. So the slices of
// equal copies are looked at together, at the kernel's end. Until then they are attributes: of what computes the number of a
// thread, and of the kernel for numbers that are known, or that a loop changes.
#include "compiler/analysis/TakenParts.h"

#include "compiler/analysis/LaneValues.h"

#include <set>

namespace fly::analysis {

namespace {

/// Whether a value is computed from what a loop or a merge of control gives.
bool changesByControl(mlir::Value value, llvm::SmallPtrSetImpl<mlir::Operation *> &seen) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return !llvm::cast<mlir::BlockArgument>(value).getOwner()->isEntryBlock();
  return seen.insert(op).second && llvm::any_of(op->getOperands(), [&](mlir::Value operand) { return changesByControl(operand, seen); });
}

/// The slices of equal copies.
struct Taken {
  int64_t threads = 0;
  std::set<int64_t> numbers;
  bool isKnown = true;
  SourceRange range; ///< of the first one with a number of run time
};

} // namespace

void checkTakenParts(Context &context) {
  ir::KernelOp kernel = context.kernel;
  std::map<std::string, Taken> copies;
  std::map<mlir::Operation *, unsigned> next;
  auto known = kernel.getKnownBlock();
  const int64_t threads = known ? int64_t((*known)[0]) * (*known)[1] * (*known)[2] : 0;
  auto unknown = [](mlir::Value) -> std::optional<int64_t> { return std::nullopt; };
  std::vector<LaneValues> values;
  for (auto &[op, range] : context.notes.slices) {
    auto notes = op->getAttrOfType<mlir::ArrayAttr>(noted::slices);
    auto note = llvm::cast<mlir::ArrayAttr>(notes[next[op]++]);
    Taken &taken = copies[llvm::cast<mlir::StringAttr>(note[0]).str()];
    taken.threads = llvm::cast<mlir::IntegerAttr>(note[1]).getInt();
    if (!taken.range.valid())
      taken.range = range;
    llvm::SmallPtrSet<mlir::Operation *, 16> seen;
    if (!threads || changesByControl(op->getResult(0), seen))
      taken.isKnown = false;
    for (int64_t thread = 0; taken.isKnown && thread < threads; ++thread) {
      if (int64_t(values.size()) <= thread) {
        values.emplace_back(kernel, thread, unknown);
        values.back().waveSize = context.target.waveSize;
      }
      if (!values[size_t(thread)].reaches(op->getBlock()))
        continue;
      auto number = values[size_t(thread)].of(op->getResult(0));
      taken.isKnown = number.has_value();
      taken.numbers.insert(number.value_or(0));
    }
  }
  for (auto &[op, count] : next)
    op->removeAttr(noted::slices);
  if (auto notes = kernel->getAttrOfType<mlir::ArrayAttr>(noted::slices))
    for (auto note : notes.getAsRange<mlir::ArrayAttr>()) {
      auto found = copies.find(llvm::cast<mlir::StringAttr>(note[0]).str());
      int64_t number = llvm::cast<mlir::IntegerAttr>(note[1]).getInt();
      if (found == copies.end())
        continue;
      found->second.isKnown &= number != anyThread;
      found->second.numbers.insert(number);
    }
  kernel->removeAttr(noted::slices);
  for (auto &[text, taken] : copies) {
    if (!taken.isKnown || taken.numbers.empty())
      continue;
    int64_t missing = 0;
    while (missing < taken.threads && taken.numbers.contains(missing))
      ++missing;
    if (missing == taken.threads)
      continue;
    const bool isRange = missing > 0 && *taken.numbers.rbegin() == missing - 1;
    context.report(taken.range, diag::slice_not_taken{.slice = missing, .threads = taken.threads})
        .help("use a thread layout with as many threads as take part, or call `get_slice(t)` in a loop over your own numbers");
  }
}

} // namespace fly::analysis
