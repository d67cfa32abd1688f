// Private: arithmetic of the reference interpreter, number by number.
//
// Integers: a bit of the result is known where the operands determine it. Floats: a result is known if its operands
// are, and the operation's flags leave no choice. Poison is what MLIR's documents say; it spreads, and ends execution
// where it decides something (Wave::needed) or reaches memory.
#pragma once

#include "compiler/reference/Machine.h"

#include "llvm/ADT/FloatingPointMode.h"

namespace fly::reference {

inline constexpr auto nearest = llvm::RoundingMode::NearestTiesToEven;

/// Each is false for operations that it does not execute.
bool runInteger(Wave &wave, mlir::Operation *op);
bool runFloat(Wave &wave, mlir::Operation *op);
bool runConversion(Wave &wave, mlir::Operation *op);

/// For each active lane and number: a result of the operands' numbers.
template <typename Compute> bool eachNumber(Wave &wave, mlir::Operation *op, Compute compute) {
  const unsigned count = wave.lanes(op->getResult(0)).count;
  llvm::SmallVector<Lanes *, 3> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&wave.lanes(operand));
  wave.forLanes([&](unsigned lane) {
    for (unsigned i = 0; i < count; ++i) {
      Cell in[3];
      uint8_t poison = 0;
      for (size_t n = 0; n < operands.size() && n < 3; ++n) {
        in[n] = operands[n]->of(lane)[operands[n]->count == 1 ? 0 : i];
        poison |= in[n].flags & Cell::Poison;
      }
      wave.result(op, lane)[i] = poison ? Cell::poison() : compute(in);
    }
  });
  return true;
}

} // namespace fly::reference
