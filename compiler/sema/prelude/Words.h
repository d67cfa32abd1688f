// Values of any kind as 32-bit words, which is what the lanes of a wave exchange.
//
//     (f64, struct of vec[f16, 3] and bool)   ->   2 + 2 + 1 words, each exchanged by itself
//
// A scalar below 32 bits is widened, one of 64 bits split; a vector is cut into words as in registers, and its last
// word is padded. Compile-time values are the same in all lanes and need no exchange.
#pragma once

#include "compiler/dialect/WaveActions.h"
#include "compiler/sema/elaborator/Builtins.h"

namespace fly::sema {

using Words = llvm::SmallVector<mlir::Value, 4>;

/// A call of an exchange, for messages: the function's name, the call, its first value.
struct Site {
  llvm::StringRef what;
  SourceRange range, value;
  Site(const BoundCall &call) : what(call.builtin->name), range(call.range), value(call.ranges[0]) {}
};

/// Applies `exchange` to the words of values of one shape: it takes one word of each and returns `results` words.
/// Returns that many values of the shape.
Values overWords(Elaborator &e, llvm::ArrayRef<const Value *> inputs, unsigned results, const Site &site,
                 llvm::function_ref<Words(llvm::ArrayRef<mlir::Value>)> exchange);

/// The same for one value and one result.
Value overWords(Elaborator &e, const Value &x, const Site &site, llvm::function_ref<mlir::Value(mlir::Value)> exchange);

/// Emits `fly.wave` with i32 results.
Words emitWave(Elaborator &e, ir::WaveAction action, mlir::ValueRange operands, llvm::ArrayRef<int32_t> immediates,
               SourceRange range);
Words emitWave(Elaborator &e, ir::WaveAction action, mlir::ValueRange operands, llvm::ArrayRef<int32_t> immediates,
               mlir::Location location);

/// An i32 constant.
mlir::Value word(Elaborator &e, int64_t value, SourceRange range);

/// Reports `what` as missing on this target and names those of which `has` holds.
[[noreturn]] void notOnTarget(Elaborator &e, const std::string &what, SourceRange range,
                              llvm::function_ref<bool(const target::Target &)> has);

} // namespace fly::sema
