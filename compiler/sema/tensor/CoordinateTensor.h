// CoordinateTensor: a tensor whose elements are coordinates of another one, CuTe's identity tensor and its views.
//
// Divided and partitioned like the data, it tells which element each register holds; `elem_less` turns it into
// predicates. Nothing is stored: an element is computed, origin + layout(coordinate), where the layout's strides step
// along modes.
#pragma once

#include "compiler/sema/tensor/Views.h"

namespace fly::sema {

class CoordinateTensor final : public Object {
public:
  CoordinateTensor(layout::AnyLayout layout, layout::IntTuple origin)
      : layout(std::move(layout)), origin(std::move(origin)) {}

  std::string description() const override {
    return "a coordinate tensor with the layout `" + layout::textOf(layout) + "`";
  }
  std::string text() const override { return layout::textOf(layout); }
  bool isCompileTime() const override { return false; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value index(Elaborator &e, const Values &items, SourceRange range) const override;

  /// The coordinate at a coordinate of this view, or at the number of one.
  layout::IntTuple element(Elaborator &e, const layout::IntTuple &coordinate, SourceRange range) const;

  layout::AnyLayout layout; ///< maps to coordinates
  layout::IntTuple origin;
};

} // namespace fly::sema
