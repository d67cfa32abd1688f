// See TakenParts.h.
//
// One slice says nothing: `get_slice(t % 32 + 32 * i)` in an unrolled loop takes all parts, half of them a turn. So the
// slices of equal copies are looked at together, at the kernel's end: each has left a mark, `fly.take_part`.
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
  return seen.insert(op).second &&
         llvm::any_of(op->getOperands(), [&](mlir::Value operand) { return changesByControl(operand, seen); });
}

/// The slices of equal copies.
struct Taken {
  int64_t threads = 0;
  std::set<int64_t> numbers;
  bool isKnown = true;
  std::string what;                 ///< a tiled copy or a tiled MMA
  mlir::Operation *first = nullptr; ///< with a number of run time
};

} // namespace

void checkTakenParts(Context &context) {
  ir::KernelOp kernel = context.kernel;
  std::map<std::string, Taken> copies;
  auto known = kernel.getKnownBlock();
  const int64_t threads = known ? int64_t((*known)[0]) * (*known)[1] * (*known)[2] : 0;
  auto unknown = [](mlir::Value) -> std::optional<int64_t> { return std::nullopt; };
  std::vector<LaneValues> values;
  kernel.walk([&](ir::TakePartOp part) {
    Taken &taken = copies[part.getCopy().str()];
    taken.threads = int64_t(part.getThreads());
    taken.what = part.getWhat().str();
    mlir::Value number = part.getThread();
    if (!number) {
      taken.numbers.insert(int64_t(*part.getNumber()));
      return;
    }
    if (!taken.first)
      taken.first = part;
    llvm::SmallPtrSet<mlir::Operation *, 16> seen;
    if (!threads || changesByControl(number, seen))
      taken.isKnown = false;
    for (int64_t thread = 0; taken.isKnown && thread < threads; ++thread) {
      if (int64_t(values.size()) <= thread) {
        values.emplace_back(kernel, thread, unknown);
        values.back().waveSize = context.target.waveSize;
      }
      if (!values[size_t(thread)].reaches(number.getParentBlock()))
        continue;
      auto of = values[size_t(thread)].of(number);
      taken.isKnown = of.has_value();
      taken.numbers.insert(of.value_or(0));
    }
  });
  for (auto &[text, taken] : copies) {
    if (!taken.first || !taken.isKnown || taken.numbers.empty())
      continue;
    int64_t missing = 0;
    while (missing < taken.threads && taken.numbers.contains(missing))
      ++missing;
    if (missing == taken.threads)
      continue;
    context.reporter
        .report(context.rangeOf(taken.first),
                diag::slice_not_taken{.slice = missing, .threads = taken.threads, .of = taken.what})
        .help("use a thread layout with as many threads as take part, or call `get_slice(t)` in a loop over your own "
              "numbers");
  }
}

} // namespace fly::analysis
