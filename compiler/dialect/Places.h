// Where the program says what an operation does. A location is a range of the source; that of a call also has the name
// by which messages call it, and the ranges of arguments that an analysis may blame:
//
//   loc("x.fly":3:5 to :12)                                                       a range
//   loc("readlane"("x.fly":3:5 to :22))                                           with a name
//   loc(fused<{lane = loc("x.fly":3:17 to :21)}>["readlane"("x.fly":3:5 to :22)]) with an argument's range
//   loc(callsite("x.fly":3:5 to :12 at "x.fly":9:3 to :20))                       in a function that is called there
//
// Line tables take where the range begins. Names and arguments do not reach them.
#pragma once

#include "mlir/IR/Location.h"

#include <utility>

namespace fly::ir {

using PlacedArgument = std::pair<llvm::StringRef, mlir::Location>;

/// A range with a name, and with the places of arguments by theirs.
mlir::Location named(mlir::Location range, llvm::StringRef name, llvm::ArrayRef<PlacedArgument> arguments = {});

/// The name; empty if there is none.
llvm::StringRef nameIn(mlir::Location location);
/// The range alone, in the functions that it is in.
mlir::Location withoutNames(mlir::Location location);
/// The place of an argument, in the same functions; that of the whole if it is not known.
mlir::Location argumentIn(mlir::Location location, llvm::StringRef name);

/// The range itself; null if the location has none.
mlir::FileLineColRange rangeIn(mlir::Location location);
/// The calls of the functions that it is in, innermost first.
llvm::SmallVector<mlir::Location> callsIn(mlir::Location location);

} // namespace fly::ir
