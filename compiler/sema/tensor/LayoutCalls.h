// What functions of the layout algebra have in common: their arguments as values of the algebra, its errors as
// diagnostics, and its arithmetic on machine values.
//
//   L((i, 3)) with a machine i: the algebra computes with the leaf `?` whose handle is i's SSA value, and asks
//   MachineArithmetic to emit what it cannot fold; the result is the machine value that the last leaf's handle is.
#pragma once

#include "compiler/sema/tensor/LayoutValues.h"

namespace fly::sema {

/// A machine integer as a leaf, 32 or 64 bits wide; `place` is its source range.
layout::Leaf machineLeaf(Elaborator &e, const MachineValue &value, SourceRange place, bool wide);
/// A launch-time integer as a leaf, in annotations and `@launch` functions: its handle is the expression.
layout::Leaf launchLeaf(Elaborator &e, const HostValue &value, SourceRange place, llvm::StringRef what);
/// The value of a leaf with a handle.
Value valueOf(const layout::Leaf &leaf);

/// Leaves whose handles are SSA values or launch-time expressions. Unknown numbers without one (`?` in a layout's text)
/// stay unknown.
class MachineArithmetic final : public layout::LeafArithmetic {
public:
  MachineArithmetic(Elaborator &e, SourceRange range) : e(e), range(range) {}

protected:
  void *emit(layout::LeafOperation operation, const layout::Leaf &left, const layout::Leaf &right, unsigned bits,
             bool exact) override;

private:
  mlir::Value materialize(const layout::Leaf &leaf, unsigned bits);
  void *emitAtLaunch(layout::LeafOperation operation, const layout::Leaf &left, const layout::Leaf &right);

  Elaborator &e;
  SourceRange range;
};

/// The arguments of one call.
class LayoutCall {
public:
  LayoutCall(Elaborator &e, BoundCall &call) : e(e), call(call), arithmetic(e, call.range) {}

  bool has(size_t i) const { return call.given[i]; }
  /// A layout or a composed layout; a plain layout; one of those or a swizzle.
  layout::AnyLayout layout(size_t i);
  layout::Layout plain(size_t i);
  layout::AnyFunction function(size_t i);
  bool isLayout(size_t i) const;
  /// The layout that a query refers to: a layout, or that of a view.
  bool hasLayout(size_t i) const;
  layout::AnyLayout queried(size_t i);
  /// A tuple of integers, and of machine integers for a coordinate of `callee`.
  layout::IntTuple tuple(size_t i, llvm::StringRef what);
  layout::IntTuple coordinate(size_t i, const layout::AnyFunction &callee);
  int64_t integer(size_t i, llvm::StringRef what);
  /// A layout (of the whole), an extent, or a tuple of extents, `_` and layouts (by modes).
  layout::Tile tile(size_t i);

  /// The value, or a diagnostic with the algebra's reason at argument `blame`.
  template <typename T> T take(layout::Result<T> result, size_t blame) {
    if (!result)
      e.fail(diag::no_layout, blame < call.ranges.size() ? call.ranges[blame] : call.range,
             {call.builtin->name, result.text()});
    return std::move(*result);
  }

  Elaborator &e;
  BoundCall &call;
  MachineArithmetic arithmetic;
};

/// A coordinate for `callee`; machine integers become dynamic leaves.
layout::IntTuple readCoordinate(Elaborator &e, const Value &value, const layout::AnyFunction &callee,
                                SourceRange range);
/// An entry of a tiler, or a whole tiler.
layout::Tile readTile(Elaborator &e, const Value &value, SourceRange range);
/// The coordinate `index` or `coordinate` of a layout as one number, first mode fastest.
layout::Result<layout::Leaf> flatIndex(const layout::IntTuple &coordinate, const layout::IntTuple &shape,
                                       layout::LeafArithmetic &arithmetic);

} // namespace fly::sema
