// Data-parallel primitives: moves among the lanes of a row of 16, which add no cost to the instruction that uses them.
#pragma once

#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/prelude/Words.h"

namespace fly::sema {

/// A form of DPP and what follows its name: `row_shr=1`.
struct DppControl {
  const char *name;
  enum { Lanes4, Lanes8, Amount, Flag } argument;
  int32_t code, low = 0, high = 0;
  const char *feature = nullptr; ///< of the targets that have it; null: all do
  bool mayMiss = false;          ///< a lane may have no source: it keeps `old`
};

const DppControl &dppControl(llvm::StringRef name);

/// The move of one word by a form that never misses.
mlir::Value emitDpp(Elaborator &e, llvm::StringRef control, int32_t amount, mlir::Value x, SourceRange range);
/// The move of one word; a lane without a source keeps `old`.
mlir::Value emitDpp(Elaborator &e, llvm::StringRef control, int32_t amount, mlir::Value x, mlir::Value old,
                    SourceRange range);

/// `dpp(x, row_shr=1, ...)` of `fly.amd`.
extern const Builtin dppBuiltin;

} // namespace fly::sema
