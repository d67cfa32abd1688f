// Views: everything with a layout and elements: tensors in memory, fragments in registers, coordinate tensors. The
// steps of the layout algebra rearrange each of them alike.
#pragma once

#include "compiler/layout/Rearrangement.h"
#include "compiler/sema/tensor/LayoutCalls.h"
#include "compiler/sema/value/Object.h"

namespace fly::sema {

bool isView(const Value &value);

/// The layout of a view. Dynamic leaves of a tensor in memory have no handles.
layout::AnyLayout layoutOf(const Value &view);
/// The layout that takes the coordinates.
layout::Layout domainOf(const Value &view);
/// The same for what computes with it: dynamic leaves of a tensor in memory are machine values.
layout::AnyLayout queriedLayout(Elaborator &e, const Value &view, SourceRange range);
/// What fragments and coordinate tensors have of their layout: `shape`, `stride`, `rank`, `size`, ..., `layout` itself
/// and the view `T`; nothing for another name.
std::optional<Value> viewAttribute(Elaborator &e, const Value &view, llvm::StringRef name, SourceRange range,
                                   SourceRange nameRange);
/// The names that viewAttribute knows.
const std::vector<std::string> &viewAttributes();
/// Modes 0 and 1 exchanged.
Value transposed(Elaborator &e, const Value &view, SourceRange range, SourceRange nameRange);
/// The number of elements where it is known.
std::optional<int64_t> sizeOf(const Value &view);
/// The name of a tensor, else what the view is.
std::string nameOf(const Value &view);

/// The view after a step of the algebra, or the diagnostic with its reason at `blame`.
Value rearranged(Elaborator &e, const Value &view, const layout::Rearrangement &step, llvm::StringRef what,
                 SourceRange range, SourceRange blame);
/// What a coordinate with `_` leaves open. Its dynamic leaves have handles.
Value sliced(Elaborator &e, const Value &view, const layout::IntTuple &coordinate, SourceRange range);

/// Refuses a known part of a coordinate that is outside of its mode; a number for several modes counts their
/// coordinates.
void checkInside(Elaborator &e, const layout::IntTuple &coordinate, const layout::IntTuple &shape, llvm::StringRef what,
                 SourceRange range);

/// Operands of an op for the dynamic leaves; fails at a leaf that has no machine value.
llvm::SmallVector<mlir::Value> operandsOf(Elaborator &e, const std::vector<layout::Leaf> &leaves, SourceRange range);
/// The value of a Result, or the diagnostic of the operation that failed.
template <typename T> T taken(Elaborator &e, layout::Result<T> result, llvm::StringRef what, SourceRange range) {
  if (!result)
    e.fail(diag::no_layout, range, {what.str(), result.text()});
  return std::move(*result);
}

} // namespace fly::sema
