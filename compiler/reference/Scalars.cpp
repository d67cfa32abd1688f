// What computes one number from others in the reference interpreter: see Numbers.h. Here are constants and selects.
#include "compiler/reference/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace fly::reference {

namespace {

bool runSelect(Wave &wave, Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return false;
  const unsigned count = wave.lanes(op->getResult(0)).count;
  wave.forLanes([&](unsigned lane) {
    const Lanes &conditions = wave.lanes(select.getCondition());
    for (unsigned i = 0; i < count; ++i) {
      const Cell condition = conditions.of(lane)[conditions.count == 1 ? 0 : i];
      const Cell yes = wave.of(select.getTrueValue(), lane)[i], no = wave.of(select.getFalseValue(), lane)[i];
      Cell &out = wave.result(op, lane)[i];
      if (condition.isPoison())
        out = Cell::poison();
      else if (condition.known & 1)
        out = condition.bits & 1 ? yes : no;
      else
        out = {yes.bits, yes.known & no.known & ~(yes.bits ^ no.bits), uint8_t(yes.flags | no.flags)};
    }
  });
  return true;
}

bool runConstant(Wave &wave, Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return false;
  const unsigned width = widthOf(op->getResult(0).getType());
  llvm::SmallVector<Cell> cells;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &value : dense.getValues<APFloat>())
        cells.push_back(Cell::of(value.bitcastToAPInt().getZExtValue(), width));
    else
      for (const APInt &value : dense.getValues<APInt>())
        cells.push_back(Cell::of(value.getZExtValue(), width));
  } else if (auto real = dyn_cast<FloatAttr>(constant.getValue())) {
    cells.push_back(Cell::of(real.getValue().bitcastToAPInt().getZExtValue(), width));
  } else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
    cells.push_back(Cell::of(integer.getValue().getZExtValue(), width));
  } else {
    return false;
  }
  wave.forLanes([&](unsigned lane) { std::copy(cells.begin(), cells.end(), wave.result(op, lane)); });
  return true;
}

} // namespace

bool runScalar(Wave &wave, Operation *op) {
  return runInteger(wave, op) || runConstant(wave, op) || runSelect(wave, op) || runFloat(wave, op) ||
         runApproximation(wave, op) || runConversion(wave, op);
}

} // namespace fly::reference
