// A layout of the algebra as a value of the language: a layout, a composed layout, a swizzle, a tile, or a leaf that is
// not an integer.
#pragma once

#include "compiler/layout/ComposedLayout.h"
#include "compiler/sema/value/Value.h"

namespace fly::sema {

class LayoutObject {
public:
  using Kind = std::variant<layout::Layout, layout::ComposedLayout, layout::Swizzle, layout::Tile, layout::Leaf>;

  explicit LayoutObject(Kind kind) : kind(std::move(kind)) {}

  template <typename T> const T *as() const { return std::get_if<T>(&kind); }
  /// What has a shape: a layout or a composed layout.
  std::optional<layout::AnyLayout> layout() const;
  /// What can be called: those and swizzles.
  std::optional<layout::AnyFunction> function() const;

  bool operator==(const LayoutObject &other) const { return kind == other.kind; }
  /// Some leaf is a machine value.
  bool hasMachineParts() const;
  /// Equal, and the same machine values in it.
  bool isSame(const LayoutObject &other) const;
  /// CuTe's notation.
  std::string text() const;
  /// "the layout `8:1`", for messages.
  std::string description() const;

private:
  Kind kind;
};

Value makeLayoutValue(LayoutObject::Kind kind);
Value makeLayoutValue(const layout::AnyLayout &layout);
Value makeLayoutValue(const layout::AnyFunction &function);
/// `_`.
Value keepValue();
} // namespace fly::sema
