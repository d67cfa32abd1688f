// Elements of a fragment in its slots: what reading and writing some of them emits.
//
//   places       {0, 1, 2, 3, 8, 9, 10, 11} of slots of 8
//   stretches    four elements from 0 of slot 0, four from 0 of slot 1
//
// A stretch is one shuffle. What a slot holds may have another element type (a recast fragment): then its value is
// bitcast on the way.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/IR/Builders.h"

namespace fly::ir {

struct Registers {
  llvm::SmallVector<mlir::Value> slots;
  mlir::Type element;  ///< in memory: of packed elements an integer of their bits
  int64_t chunk, size; ///< elements of a slot; of all of them

  static Registers of(FragmentOp fragment);
  /// The element type of a slot's value as registers, and how many elements it has.
  mlir::VectorType typeOf(int64_t slot) const { return registersFor(element, std::min(chunk, size - slot * chunk)); }
};

/// Elements next to each other both in a fragment's order and in one of its slots.
struct Stretch {
  int64_t element, slot, within, count;
};
std::vector<Stretch> stretchesOf(llvm::ArrayRef<int64_t> places, int64_t chunk);
/// Whether the stretches are whole bytes; they may not be if elements share bytes.
bool areBytes(mlir::Type element, llvm::ArrayRef<Stretch> stretches);

/// The value of a slot, as elements of the fragment; replaces it.
mlir::Value readSlot(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers, int64_t slot);
/// The same for a store that puts back what it does not change.
mlir::Value keepSlot(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers, int64_t slot);
void writeSlot(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers, int64_t slot,
               mlir::Value value);

/// The elements at `places` as a vector; writes them. The stretches are whole bytes.
mlir::Value readElements(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers,
                         llvm::ArrayRef<int64_t> places);
void writeElements(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers,
                   llvm::ArrayRef<int64_t> places, mlir::Value elements);
/// The same of one element type in all stretches: `pieces` makes the vector of a length once.
void fillElements(mlir::OpBuilder &builder, mlir::Location location, const Registers &registers,
                  llvm::ArrayRef<int64_t> places, llvm::function_ref<mlir::Value(int64_t count)> piece);

} // namespace fly::ir
