// See Notes.h.
#include "compiler/analysis/Notes.h"

#include "compiler/dialect/Views.h"
#include "compiler/layout/Rearrangement.h"
#include "compiler/analysis/LaneValues.h"

namespace fly::analysis {

DiagnosticBuilder Context::report(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args) {
  failures += info(kind).severity == Severity::Error;
  auto builder = diags.report(kind, range);
  for (auto &arg : args)
    builder.arg(arg);
  return builder;
}

bool wantsPerformance(const DiagnosticEngine &diags) {
  return diags.isWanted(diag::perf_uncoalesced) || diags.isWanted(diag::perf_bank_conflicts) || diags.isWanted(diag::perf_narrow);
}

ir::RearrangeOp firstRaggedStep(mlir::Value tensor) {
  ir::RearrangeOp first;
  for (mlir::Operation *op : ir::stepsTo(tensor))
    if (auto step = llvm::dyn_cast<ir::RearrangeOp>(op))
      if (auto layoutOf = [](mlir::Value view) { return llvm::cast<ir::TensorType>(view.getType()).getLayout(); };
          !layout::staysInside(step.getStep().getStep(), layoutOf(step.getSource()), layoutOf(step)))
        first = step;
  return first;
}

void noteAccess(Notes &notes, const DiagnosticEngine &diags, mlir::Operation *op, SourceRange range) {
  if (wantsPerformance(diags) || firstRaggedStep(accessedBy(op)))
    notes.accesses.push_back({op, range});
}

void notePiece(Notes &notes, Notes::Piece piece) {
  if (firstRaggedStep(piece.view))
    notes.pieces.push_back(std::move(piece));
}

static void append(mlir::Operation *op, llvm::StringRef name, mlir::Attribute entry) {
  llvm::SmallVector<mlir::Attribute> all;
  if (auto before = op->getAttrOfType<mlir::ArrayAttr>(name))
    llvm::append_range(all, before);
  all.push_back(entry);
  op->setAttr(name, mlir::ArrayAttr::get(op->getContext(), all));
}

// ---------------------------------------------------------------------------------------------------------
// Partitions

static constexpr llvm::StringLiteral partitions = "noted_partitions", takenWide = "noted_taken_wide";

void notePartition(Notes &notes, mlir::Value owned, const NotedPartition &partition, SourceRange range) {
  mlir::Operation *op = owned.getDefiningOp();
  if (!op)
    return;
  mlir::MLIRContext *context = op->getContext();
  append(op, partitions, mlir::ArrayAttr::get(context, {mlir::StringAttr::get(context, partition.tensor), mlir::StringAttr::get(context, partition.element),
                                                        mlir::DenseI64ArrayAttr::get(context, {partition.lanes, partition.legal})}));
  notes.accesses.push_back({op, range});
}

std::optional<NotedPartition> notedPartition(mlir::Operation *op, unsigned index) {
  auto all = op->getAttrOfType<mlir::ArrayAttr>(partitions);
  if (!all)
    return std::nullopt;
  auto entry = llvm::cast<mlir::ArrayAttr>(all[index]);
  auto text = [&](unsigned i) { return llvm::cast<mlir::StringAttr>(entry[i]).str(); };
  const auto numbers = llvm::cast<mlir::DenseI64ArrayAttr>(entry[2]).asArrayRef();
  return NotedPartition{text(0), text(1), numbers[0], numbers[1]};
}

mlir::Operation *partitionOf(mlir::Value part) {
  for (mlir::Operation *op : ir::stepsTo(part))
    if (op->hasAttr(partitions))
      return op;
  return nullptr;
}

void noteTakenWide(mlir::Value part) {
  if (mlir::Operation *op = partitionOf(part))
    op->setAttr(takenWide, mlir::UnitAttr::get(op->getContext()));
}

bool isTakenWide(mlir::Operation *op) { return op->hasAttr(takenWide); }

void forgetPartition(mlir::Operation *op) { op->removeAttr(partitions), op->removeAttr(takenWide); }

// ---------------------------------------------------------------------------------------------------------
// Slices and collectives

void noteSlice(Notes &notes, ir::KernelOp kernel, const std::string &copy, int64_t threads, mlir::Operation *thread, int64_t number, SourceRange range) {
  mlir::MLIRContext *context = kernel.getContext();
  auto text = mlir::StringAttr::get(context, copy);
  auto integer = [&](int64_t value) { return mlir::IntegerAttr::get(mlir::IntegerType::get(context, 64), value); };
  if (!thread)
    return append(kernel, noted::slices, mlir::ArrayAttr::get(context, {text, integer(number)}));
  append(thread, noted::slices, mlir::ArrayAttr::get(context, {text, integer(threads)}));
  notes.slices.push_back({thread, range});
}

void noteCollective(Notes &notes, mlir::Operation *op, int64_t lanes, SourceRange range, std::string name) {
  notes.barriers.push_back({op, range, std::move(name), lanes});
}

} // namespace fly::analysis
