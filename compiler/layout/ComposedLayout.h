// ComposedLayout: f(c) = inner(offset + outer(c)), for functions that are not layouts by themselves.
//
//   S<3,3,3> o 0 o (8,64):(64,1)          a tile of shared memory, its rows spread over the banks
//   (4,8):(8,1) o (1,2) o (2,4):(1@0,1@1) a part of a layout, reached through coordinates
//
// The inner function is a swizzle, a layout or composed itself; the outer one, which has the shape, a layout or
// composed (written in brackets). AnyLayout is either kind: what rearranges coordinates (divide, product, group,
// coalesce, ...) works on both alike, because it only changes the outermost layout.
#pragma once

#include "compiler/layout/Algebra.h"
#include "compiler/layout/Swizzle.h"

#include <memory>

namespace fly::layout {

class ComposedLayout;
using AnyLayout = std::variant<Layout, ComposedLayout>;
using AnyFunction = std::variant<Swizzle, Layout, ComposedLayout>;

class ComposedLayout {
public:
  ComposedLayout(AnyFunction inner, IntTuple offset, AnyLayout outer);

  const AnyFunction &inner() const;
  const IntTuple &offset() const { return shift; }
  const AnyLayout &outer() const;
  /// The layout that takes the coordinates, at the end of the chain.
  const Layout &domain() const;

  bool operator==(const ComposedLayout &other) const;

  /// `S<3,3,3> o 0 o (8,64):(64,1)`; the inverse of parseAnyLayout.
  std::string text() const;

private:
  struct Parts;
  std::shared_ptr<const Parts> parts;
  IntTuple shift;
};

struct ComposedLayout::Parts {
  AnyFunction inner;
  AnyLayout outer;
};

/// The layout that takes the coordinates.
const Layout &domainOf(const AnyLayout &layout);
std::string textOf(const AnyLayout &layout);
std::string textOf(const AnyFunction &function);
AnyFunction functionOf(const AnyLayout &layout);

/// The results of a static layout of numbers for all its coordinates, in their order. An error for any other.
Result<std::vector<std::int64_t>> offsetsOf(const AnyLayout &layout);

/// Its results are coordinates: strides along modes.
bool givesCoordinates(const AnyLayout &layout);
bool isStatic(const AnyLayout &layout);
/// What makeLayout and compose require of each part.
Result<AnyLayout> checked(const AnyLayout &layout);

/// The dynamic leaves in the order in which the IR lists them: those of the domain (shape, then stride), then, from the
/// inside out, each offset and the leaves of the function after it. The same layout with their handles replaced.
std::vector<Leaf> dynamicLeaves(const AnyLayout &layout);
AnyLayout withHandles(const AnyLayout &layout, const std::vector<void *> &handles);
std::size_t hash_value(const AnyLayout &layout);

/// Reads a layout, a swizzle, or a composition of them: `S<3,3,3> o 0 o (8,64):(64,1)`, `2:1 o 0 o [4:1 o 1 o 3:1]`.
Result<AnyFunction> parseFunction(std::string_view text);
/// The same without bare swizzles.
Result<AnyLayout> parseAnyLayout(std::string_view text);

/// inner(offset + outer(c)) as a value. A swizzle takes offsets, so its offset and the outer results are numbers, not
/// negative. An identity with offset 0 gives the outer layout.
Result<AnyLayout> compose(AnyFunction inner, IntTuple offset, AnyLayout outer);

/// The result for a coordinate.
Result<IntTuple> evaluate(const IntTuple &coordinate, const AnyLayout &layout, LeafArithmetic &arithmetic);
Result<IntTuple> evaluate(const IntTuple &coordinate, const AnyFunction &function, LeafArithmetic &arithmetic);

/// Replaces the domain by the result of `change`.
using LayoutChange = std::function<Result<Layout>(const Layout &)>;
Result<AnyLayout> changeDomain(const AnyLayout &layout, const LayoutChange &change);

/// A slice of the layout; the fixed part of the coordinate is added to the offset (composed) or returned separately.
struct AnySlice {
  AnyLayout layout;
  IntTuple offset; // 0 of a composed layout
};
Result<AnySlice> sliceAndOffset(const IntTuple &coordinate, const AnyLayout &layout, LeafArithmetic &arithmetic);

/// `outer` after `inner`; CuTe's composition for every kind of the two.
Result<AnyLayout> composition(const AnyFunction &outer, const AnyLayout &inner, LeafArithmetic &arithmetic);

/// Of composed layouts: exact where all is static and no more than 2^22 offsets are to be tried, else an upper bound.
Result<Leaf> cosize(const AnyLayout &layout, LeafArithmetic &arithmetic);

Result<AnyLayout> upcast(const AnyLayout &layout, std::int64_t factor, LeafArithmetic &arithmetic);
Result<AnyLayout> downcast(const AnyLayout &layout, std::int64_t factor, LeafArithmetic &arithmetic);
Result<AnyLayout> recastLayout(const AnyLayout &layout, std::int64_t fromBits, std::int64_t toBits,
                               LeafArithmetic &arithmetic);

/// A swizzle is its own inverse, so that of `S o 0 o L` is L's inverse after S. Composed layouts with another inner
/// function have none here, and those with an offset only a left one, if it is static.
Result<AnyLayout> rightInverse(const AnyLayout &layout, LeafArithmetic &arithmetic);
Result<AnyLayout> leftInverse(const AnyLayout &layout, LeafArithmetic &arithmetic);

/// How many elements next to each other both layouts keep together; at most 2^base under a swizzle that only one has.
Result<Leaf> maxCommonVector(const AnyLayout &a, const AnyLayout &b, LeafArithmetic &arithmetic);

} // namespace fly::layout
