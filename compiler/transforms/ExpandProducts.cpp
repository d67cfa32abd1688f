// fly-expand-products: a product becomes the instructions of its atom. What and why: Passes.td.
//
//   for each (m, n)    acc = C(:, m, n)
//                      for each k: acc = atom(A(:, m, k), B(:, n, k), acc)
//                      D(:, m, n) = acc
#include "compiler/dialect/Copies.h"
#include "compiler/dialect/Registers.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYEXPANDPRODUCTS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// An operand of a product: its registers, and the values of one atom in them.
class Operand {
public:
  static FailureOr<Operand> of(Value fragment, MmaOp op) {
    auto made = fragment.getDefiningOp<FragmentOp>();
    if (!made)
      return op.emitOpError(
          "needs the `fly.fragment` of its registers; fragments cannot be carried through control flow");
    return Operand{Registers::of(made), made.getType().getLayout(), int64_t(made.getStart())};
  }

  /// Of the atom at (i, j) of the repeated modes.
  SmallVector<int64_t> places(int64_t i, int64_t j) const {
    using layout::IntTuple;
    return *placesAt(layout, IntTuple(std::vector<IntTuple>{layout::Leaf::keep(), i, j}),
                     start); // verified to be inside
  }

  Registers registers;
  layout::AnyLayout layout;
  int64_t start;
};

LogicalResult expand(MmaOp op) {
  auto a = Operand::of(op.getA(), op), b = Operand::of(op.getB(), op), c = Operand::of(op.getC(), op),
       d = Operand::of(op.getD(), op);
  if (failed(a) || failed(b) || failed(c) || failed(d))
    return failure();
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto read = [&](const Operand &operand, int64_t i, int64_t j) {
    return readElements(builder, loc, operand.registers, operand.places(i, j));
  };
  auto multiply = [&](Value x, Value y, Value sum) -> Value {
    switch (op.getAtom().getKind()) {
    case MmaKind::UniversalFma: return math::FmaOp::create(builder, loc, x, y, sum);
    }
    llvm_unreachable("every kind is handled");
  };
  for (int64_t n = 0; n < op.getN(); ++n)
    for (int64_t m = 0; m < op.getM(); ++m) {
      Value sum = read(*c, m, n);
      for (int64_t k = 0; k < op.getK(); ++k)
        sum = multiply(read(*a, m, k), read(*b, n, k), sum);
      writeElements(builder, loc, d->registers, d->places(m, n), sum);
    }
  op.erase();
  return success();
}

struct ExpandProductsPass : impl::FlyExpandProductsBase<ExpandProductsPass> {
  void runOnOperation() override {
    SmallVector<MmaOp> products;
    getOperation().getBody().walk([&](MmaOp op) { products.push_back(op); });
    for (MmaOp product : products)
      if (failed(expand(product)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace fly::ir
