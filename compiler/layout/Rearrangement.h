// Rearrangement: one step of the algebra with its operand, as a value.
//
//   zipped_divide <128:1;_>       tile mode 0 by 128, mode 1 whole
//   composition (8,4):(4,1)       after that layout
//   group (0,2)                   modes 0 and 1 as one
//
// The language, the types of the dialect and the lowering each apply the same value with an arithmetic of their own:
// with numbers, with what is known of a result, with instructions. A rearrangement of the domain changes only which
// coordinates lead where, so that tensors and composed layouts may be rearranged by it; the others (inverses, products)
// make another function, of layouts alone.
#pragma once

#include "compiler/layout/ComposedLayout.h"

#include <optional>

namespace fly::layout {

struct Rearrangement {
  enum class Kind {
    Composition, Coalesce, Filter, LogicalDivide, ZippedDivide, TiledDivide, FlatDivide,
    Select, Group, Flatten, Append, Prepend,
    LogicalProduct, ZippedProduct, TiledProduct, FlatProduct, BlockedProduct, RakedProduct,
    Complement, RightInverse, LeftInverse, Recast,
  };
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

/// No coordinate of the layout after the step leads to where none before it led.
bool staysInside(const Rearrangement &step, const AnyLayout &before, const AnyLayout &after);

Result<Rearrangement> parseRearrangement(std::string_view text);
std::size_t hash_value(const Rearrangement &rearrangement);

} // namespace fly::layout
