// Rearrangement: one step of the algebra with its operand, as a value.
//
//   zipped_divide <128:1;_>       tile mode 0 by 128, keep mode 1 whole
//   composition (8,4):(4,1)       after that layout
//   group (0,2)                   modes 0 and 1 as one
//
// The language, the types of the dialect and the lowering each apply the same value with their own arithmetic: on
// numbers, on known properties of results, with instructions. A rearrangement of the domain changes only which
// coordinate maps to which place, so it also applies to tensors and composed layouts; the others (inverses, products)
// make another function and apply to layouts only.
#pragma once

#include "compiler/layout/ComposedLayout.h"

#include <optional>

namespace fly::layout {

struct Rearrangement {
  // clang-format off
  enum class Kind {
    Composition, Coalesce, Filter, LogicalDivide, ZippedDivide, TiledDivide, FlatDivide,
    Select, Group, Flatten, Append, Prepend,
    LogicalProduct, ZippedProduct, TiledProduct, FlatProduct, BlockedProduct, RakedProduct,
    Complement, RightInverse, LeftInverse, Recast,
  };
  // clang-format on
  Kind kind = Kind::Flatten;
  Tile tile;      // of composition, divisions and products
  IntTuple tuple; // of the others: a profile, modes, begin and end, a cotarget, bits from and to

  /// Only the domain changes.
  bool isOfDomain() const;
  Result<Layout> apply(const Layout &layout, LeafArithmetic &arithmetic) const;
  Result<AnyLayout> apply(const AnyLayout &layout, LeafArithmetic &arithmetic) const;

  /// The operand's dynamic leaves from left to right, and the same step with their handles replaced.
  std::vector<Leaf> dynamicLeaves() const;
  Rearrangement withHandles(const std::vector<void *> &handles) const;

  bool operator==(const Rearrangement &other) const = default;
  /// `zipped_divide <128:1;_>`; the inverse of parseRearrangement.
  std::string text() const;
};

/// The step does not add results: every result after it was a result before it.
bool staysInside(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after);

Result<Rearrangement> parseRearrangement(std::string_view text);
std::size_t hash_value(const Rearrangement &rearrangement);

} // namespace fly::layout
