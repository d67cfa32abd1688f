// Operations of the layout algebra on whole composed layouts and on bare swizzles. Operations that only rearrange
// coordinates work on the outer layout (changeDomain). These consider the whole function, because its result differs
// from that of the outer layout:
//
//   nullspace(4:8 o 0 o (4,2):(1,0))     1:8 would be wrong to read off 4:8; stride 0 is in the whole function
//   composition(8:1, S<1,0,2>)           A after a swizzle: the swizzle as a layout of A's size, followed by A
#pragma once

#include "compiler/layout/ComposedLayout.h"

namespace fly::layout {

/// The coordinates that modes of stride 0 map to the same place. A swizzle, being a bijection, maps no further
/// coordinates to one place; for a layout after another one, the composition of the two shows it.
Result<Layout> nullspace(const AnyLayout &layout, LeafArithmetic &arithmetic);

/// `outer` after a swizzle: of the coordinates of a layout, or one swizzle where two of one shift make one.
Result<AnyFunction> composition(const AnyFunction &outer, const Swizzle &inner, LeafArithmetic &arithmetic);

/// The coordinate that maps to `index`: the swizzle, which is its own inverse, is applied to `index` before the outer
/// layout is inverted.
Result<IntTuple> idx2crd(const Leaf &index, const AnyLayout &layout, LeafArithmetic &arithmetic);

/// That of the outer layouts, no longer than what both swizzles keep together (maxCommonVector).
Result<Layout> maxCommonLayout(const AnyLayout &a, const AnyLayout &b, LeafArithmetic &arithmetic);

/// A swizzle of elements of `fromBits` as one of elements of `toBits`.
Result<Swizzle> recastSwizzle(const Swizzle &swizzle, std::int64_t fromBits, std::int64_t toBits);

} // namespace fly::layout
