// Operations of the layout algebra on whole composed layouts and on bare swizzles. What rearranges coordinates works on
// the outer layout alone (changeDomain); these look at the function as a whole, because its answer differs from the
// outer layout's:
//
//   nullspace(4:8 o 0 o (4,2):(1,0))     1:8 would be wrong to read off 4:8; stride 0 is in the whole function
//   composition(8:1, S<1,0,2>)           A after a swizzle: the swizzle as a layout of A's size, and A behind it
#pragma once

#include "compiler/layout/ComposedLayout.h"

namespace fly::layout {

/// The coordinates that stride 0 leads to one place. Behind a swizzle, a bijection, nothing more meets; what a layout
/// behind another one does is seen where the two compose.
Result<Layout> nullspace(const AnyLayout &layout, LeafArithmetic &arithmetic);

/// `outer` after a swizzle: of the coordinates of a layout, or one swizzle where two of one shift make one.
Result<AnyFunction> composition(const AnyFunction &outer, const Swizzle &inner, LeafArithmetic &arithmetic);

/// The coordinate that leads to `index`: behind a swizzle, its own inverse, that of the outer layout.
Result<IntTuple> idx2crd(const Leaf &index, const AnyLayout &layout, LeafArithmetic &arithmetic);

/// That of the outer layouts, no longer than what both swizzles keep together (maxCommonVector).
Result<Layout> maxCommonLayout(const AnyLayout &a, const AnyLayout &b, LeafArithmetic &arithmetic);

/// A swizzle of elements of `fromBits` as one of elements of `toBits`.
Result<Swizzle> recastSwizzle(const Swizzle &swizzle, std::int64_t fromBits, std::int64_t toBits);

} // namespace fly::layout
