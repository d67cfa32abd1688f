// See Divisors.h.
#include "compiler/dialect/Divisors.h"

#include "compiler/dialect/FlyOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::ir {

int64_t divisorOf(mlir::Value value, unsigned depth) {
  namespace arith = mlir::arith;
  auto *op = value.getDefiningOp();
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto kernel = llvm::dyn_cast_if_present<KernelOp>(argument.getOwner()->getParentOp());
    auto known = kernel && argument.getOwner()->isEntryBlock()
                     ? kernel.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), KernelOp::multipleOfAttr)
                     : nullptr;
    return known ? known.getInt() : 1;
  }
  if (!op || depth > 8)
    return 1;
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op))
    if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
      return std::max<int64_t>(1, std::min<int64_t>(int64_t(1) << 20, std::abs(integer.getInt())));
  auto of = [&](unsigned i) { return divisorOf(op->getOperand(i), depth + 1); };
  // Wrapping arithmetic keeps only powers of two.
  auto powerOfTwo = [](int64_t v) { return v & -v; };
  if (llvm::isa<arith::MulIOp>(op))
    return std::min<int64_t>(int64_t(1) << 20, powerOfTwo(of(0)) * powerOfTwo(of(1)));
  if (llvm::isa<arith::AddIOp, arith::SubIOp>(op))
    return powerOfTwo(std::min(powerOfTwo(of(0)), powerOfTwo(of(1))));
  if (llvm::isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return powerOfTwo(of(0));
  const bool isShift = llvm::isa<arith::ShRSIOp, arith::ShRUIOp>(op);
  if (isShift || llvm::isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op)) {
    auto by = op->getOperand(1).getDefiningOp<arith::ConstantOp>();
    auto constant = by ? llvm::dyn_cast<mlir::IntegerAttr>(by.getValue()) : nullptr;
    const int64_t whole = of(0), number = constant ? constant.getInt() : 0,
                  quotient = !isShift                     ? number
                             : number >= 0 && number < 20 ? int64_t(1) << number
                                                          : 0;
    return quotient > 0 && whole % quotient == 0 ? whole / quotient : 1;
  }
  return 1;
}

} // namespace fly::ir
