// Reading integer tuples from MLIR text: shared by the types' parsers and by ops whose coordinates name operands.
#pragma once

#include "compiler/layout/IntTuple.h"
#include "mlir/IR/OpImplementation.h"

namespace fly::ir {

/// Reads a tuple of at most layout::maximumDepth levels. At each leaf, `parseOther` is called first: it may parse
/// another form (an operand), or return no result if there is none. A dynamic leaf may be followed by `{i64,div=8}`.
mlir::ParseResult parseIntTuple(mlir::AsmParser &parser, layout::IntTuple &tuple,
                                llvm::function_ref<mlir::OptionalParseResult(layout::Leaf &)> parseOther,
                                unsigned depth = 0);

} // namespace fly::ir
