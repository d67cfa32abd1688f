// The elements of `vec[T, N]`: one, several, changed, joined; and what combines them all.
//
// All code that takes vectors apart or builds them uses these functions, because 4- and 6-bit numbers share bytes
// (SmallFloats.h), and because a run-time position should cost selects, not memory accesses.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// `v[item]`: an element by a number of either binding time, a vector by a slice or a list of positions.
Value vectorIndex(Elaborator &e, MachineValue vector, const Value &item, SourceRange range, SourceRange itemRange);
/// The vector that the variable has after `v[item] = value`.
Value vectorWith(Elaborator &e, MachineValue vector, const Value &item, const Value &value, SourceRange range,
                 SourceRange itemRange, SourceRange valueRange);
/// All elements, in order.
Values vectorElements(Elaborator &e, MachineValue vector, SourceRange range);
/// Concatenates scalars and vectors of its element type. `type.lanes` must be the total count.
MachineValue vectorOfParts(Elaborator &e, Type type, const Values &parts, SourceRange range);
/// The scalar in all elements.
MachineValue broadcast(Elaborator &e, MachineValue scalar, Type type, SourceRange range);
/// One value by "sum", "prod", "max", "min", "all", "any". Sums and products add halves, ((v0 + v2) + (v1 + v3)).
Value reduceVector(Elaborator &e, MachineValue vector, llvm::StringRef name, SourceRange range);
/// The same over any values, neighbours first, ((v0 + v1) + (v2 + v3)); false and true for no value of "any" and "all".
Value reducePairwise(Elaborator &e, Values values, llvm::StringRef name, SourceRange range);
/// The positions of a sequence of `size` elements that a slice selects.
std::vector<int64_t> slicePositions(Elaborator &e, const SliceValue &slice, int64_t size, SourceRange range);
/// A position from the front; reports what is outside.
int64_t elementPosition(Elaborator &e, const Value &item, int64_t size, const std::string &what, SourceRange range);

} // namespace fly::sema
