// fly-expand-products: a product becomes the instructions of its atom. What and why: Passes.td.
//
//   for each (m, n, k) in the order that the product asks for
//     D(:, m, n) = atom(A(:, m, k), B(:, n, k), k == 0 ? C(:, m, n) : D(:, m, n))
//
// Reads and writes of D are of slots, which later passes turn into values.
#include "compiler/dialect/Copies.h"
#include "compiler/dialect/Registers.h"
#include "compiler/transforms/FlyToRocdl.h"
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
  std::vector<int64_t> places(int64_t i, int64_t j) const {
    using layout::IntTuple;
    return *placesAt(layout, IntTuple(std::vector<IntTuple>{layout::Leaf::keep(), i, j}),
                     start); // verified to be inside
  }

  Registers registers;
  layout::AnyLayout layout;
  int64_t start;
};

/// The atoms' coordinates (m, n, k) in the order of the operation, whose first letter is the innermost loop.
SmallVector<std::array<int64_t, 3>> atomsInOrder(MmaOp op) {
  const std::array<int64_t, 3> extents = {op.getM(), op.getN(), op.getK()};
  const StringRef letters = "MNK", order = op.getOrder();
  const size_t inner = letters.find(order[0]), middle = letters.find(order[1]), outer = letters.find(order[2]);
  SmallVector<std::array<int64_t, 3>> atoms;
  for (int64_t x = 0; x < extents[outer]; ++x)
    for (int64_t y = 0; y < extents[middle]; ++y)
      for (int64_t z = 0; z < extents[inner]; ++z) {
        std::array<int64_t, 3> atom;
        atom[outer] = x, atom[middle] = y, atom[inner] = z;
        atoms.push_back(atom);
      }
  return atoms;
}

LogicalResult expand(MmaOp op) {
  std::vector<Operand> operands;
  for (Value fragment : {Value(op.getA()), Value(op.getB()), Value(op.getC()), Value(op.getD()), Value(op.getScaleA()),
                         Value(op.getScaleB())}) {
    if (!fragment)
      continue;
    auto operand = Operand::of(fragment, op);
    if (failed(operand))
      return failure();
    operands.push_back(std::move(*operand));
  }
  const Operand &a = operands[0], &b = operands[1], &c = operands[2], &d = operands[3];
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto read = [&](const Operand &operand, int64_t i, int64_t j) {
    return readElements(builder, loc, operand.registers, operand.places(i, j));
  };
  for (auto [m, n, k] : atomsInOrder(op)) {
    const Value x = read(a, m, k), y = read(b, n, k), sum = read(k ? d : c, m, n);
    Value result;
    if (op.getAtom().row().call == atom::MmaCall::Fma) {
      result = math::FmaOp::create(builder, loc, x, y, sum);
    } else {
      SmallVector<Value> scales;
      if (op.getScaleA())
        scales = {read(operands[4], m, k), read(operands[5], n, k)};
      const Type type = registersFor(d.registers.element, op.getAtom().layouts().valuesOfC());
      result = MatrixMultiplyOp::create(builder, loc, type, op.getAtom(), x, y, sum, scales, op.getModifiersAttr());
    }
    writeElements(builder, loc, d.registers, d.places(m, n), result);
  }
  op.erase();
  return success();
}

/// Registers of all slots that matrix instructions write, each counted once.
int64_t accumulatorsOf(ArrayRef<MmaOp> products) {
  llvm::SmallPtrSet<Value, 16> slots;
  int64_t bits = 0;
  for (MmaOp op : products)
    if (auto d = op.getD().getDefiningOp<FragmentOp>(); d && op.getAtom().row().isMfma())
      for (Value slot : d.getSlots())
        if (slots.insert(slot).second) {
          auto held = cast<VectorType>(cast<SlotType>(slot.getType()).getValueType());
          bits += held.getNumElements() * held.getElementTypeBitWidth();
        }
  return bits / 32;
}

struct ExpandProductsPass : impl::FlyExpandProductsBase<ExpandProductsPass> {
  void runOnOperation() override {
    SmallVector<MmaOp> products;
    getOperation().getBody().walk([&](MmaOp op) { products.push_back(op); });
    if (int64_t registers = accumulatorsOf(products))
      getOperation()->setAttr(accumulatorsAttr, IntegerAttr::get(IntegerType::get(&getContext(), 64), registers));
    for (MmaOp product : products)
      if (failed(expand(product)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace fly::ir
