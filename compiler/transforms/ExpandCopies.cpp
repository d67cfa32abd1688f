// fly-expand-copies: a copy becomes the accesses of its atom. What and why: Passes.td.
//
//   1. both views are divided into ((values of an access, accesses), rest...)
//   2. for each access: the piece of either view, and what the atom's kind emits for it:
//
//        universal, buffer             a vector is read and written; a predicate is a branch, in a buffer an offset
//                                      outside
//        ..._to_lds, async             `fly.direct_copy`; a predicate is a branch, or zeros from a buffer
//        ..._transposing               `fly.transposing_load`
//        ..._atomic                    one number, or two small floats, change in memory
//
// A piece of a tensor is a slice. A piece of a fragment is a list of places in its slots (Registers.h).
#include "compiler/dialect/Copies.h"
#include "compiler/dialect/Places.h"
#include "compiler/dialect/Registers.h"
#include "compiler/layout/Algebra.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYEXPANDCOPIES
#include "compiler/transforms/Passes.h.inc"

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;

namespace {

/// Source or destination of one access: a tensor, or places in registers.
struct Piece {
  Value tensor;
  const Registers *registers = nullptr;
  std::vector<int64_t> places;
  Location location;
};

/// One side of a copy, divided into accesses.
class Side {
public:
  /// Null registers of a tensor. Fails with the algebra's reason.
  static FailureOr<Side> make(OpBuilder &b, Location location, Value view, int64_t values, CopyOp op) {
    Side side(location);
    auto step = intoAccesses(values);
    if (auto tensor = dyn_cast<TensorType>(view.getType())) {
      auto type = rearrangedType(tensor, step);
      if (!type)
        return op.emitOpError() << type.text();
      side.tensor = RearrangeOp::create(b, location, RearrangementAttr::get(b.getContext(), step), view, ValueRange{});
      side.layout = cast<TensorType>(*type).getLayout();
      return side;
    }
    auto fragment = view.getDefiningOp<FragmentOp>();
    if (!fragment)
      return op.emitOpError(
          "needs the `fly.fragment` of its registers; fragments cannot be carried through control flow");
    side.registers = Registers::of(fragment);
    side.start = int64_t(fragment.getStart());
    layout::InferringArithmetic arithmetic;
    auto divided = step.apply(fragment.getType().getLayout(), arithmetic);
    if (!divided)
      return op.emitOpError() << divided.text();
    side.layout = *divided;
    return side;
  }

  bool isRegisters() const { return !tensor; }

  FailureOr<Piece> piece(OpBuilder &b, const IntTuple &coordinate, CopyOp op) const {
    if (!isRegisters()) {
      auto type = sliceType(cast<TensorType>(tensor.getType()), coordinate);
      if (!type)
        return op.emitOpError() << type.text();
      return Piece{SliceOp::create(b, location, tensor, IntTupleAttr::get(b.getContext(), coordinate), ValueRange{}),
                   nullptr,
                   {},
                   location};
    }
    auto places = placesAt(layout, coordinate, start);
    if (!places)
      return op.emitOpError() << places.text();
    if (!areBytes(registers.element, stretchesOf(*places, registers.chunk)))
      return op.emitOpError("moves parts of bytes of a fragment");
    return Piece{Value(), &registers, std::move(*places), location};
  }

  AnyLayout layout;

private:
  explicit Side(Location location) : location(location) {}
  Value tensor;
  Registers registers;
  int64_t start = 0;
  Location location;
};

/// Zero, and not -0.0: what reads as outside of a buffer.
bool isZero(Value fill) {
  DenseElementsAttr value;
  if (!matchPattern(fill, m_Constant(&value)) || !value.isSplat())
    return false;
  auto element = value.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return integer.getValue().isZero();
  return cast<FloatAttr>(element).getValue().isPosZero();
}

class Expansion {
public:
  Expansion(CopyOp op) : op(op), b(op), atom(op.getAtom()), loc(op.getLoc()) {}

  LogicalResult run() {
    const Location from = withoutNames(argumentIn(loc, "source")), to = withoutNames(argumentIn(loc, "destination"));
    loc = withoutNames(loc);
    auto source = Side::make(b, from, op.getSource(), op.getValues(), op);
    auto destination =
        failed(source) ? FailureOr<Side>(failure()) : Side::make(b, to, op.getDestination(), op.getValues(), op);
    if (failed(destination))
      return failure();
    auto accesses = Accesses::of(layout::domainOf(source->layout));
    if (!accesses)
      return op.emitOpError() << accesses.text();
    auto predicates = op.getPredicates();
    // The other side may nest its modes otherwise; coordinates are numbers of elements in each of them.
    for (const auto &[i, at] : llvm::enumerate(*accesses)) {
      auto from = source->piece(b, at, op);
      auto to = failed(from) ? FailureOr<Piece>(failure()) : destination->piece(b, at, op);
      if (failed(to))
        return failure();
      Value predicate = predicates.empty() ? Value() : predicates[i / (size_t(accesses->size()) / predicates.size())];
      emit(*from, *to, predicate);
    }
    op.erase();
    return success();
  }

private:
  void emit(const Piece &source, const Piece &destination, Value predicate) {
    switch (atom.getKind()) {
    case CopyKind::Universal: return emitUniversal(source, destination, predicate);
    case CopyKind::Buffer: return emitBuffer(source, destination, predicate);
    case CopyKind::BufferToLds:
    case CopyKind::GlobalToLds:
    case CopyKind::Async: return emitDirect(source, destination, predicate);
    case CopyKind::LdsTransposing:
    case CopyKind::GlobalTransposing: return store(destination, TransposingLoadOp::create(b, loc, source.tensor));
    case CopyKind::UniversalAtomic: return emitUniversalAtomic(source, destination, predicate);
    case CopyKind::BufferAtomic: return emitBufferAtomic(source, destination, predicate);
    }
  }

  // --- Reading and writing a piece ---

  /// The cache policy of a plain access; none in LDS and private memory.
  template <typename Op> void setPolicy(Op access, uint32_t cache) {
    const AddressSpace space = access.getTensor().getType().getSpace();
    if (space == AddressSpace::Buffer)
      access.setCache(cache);
    if (space != AddressSpace::Global)
      return;
    access.setIsNontemporal(atom.getIsNontemporal());
    if (atom.getScope())
      access.setScope(*atom.getScope());
  }

  Value load(const Piece &piece) {
    if (piece.registers)
      return readElements(b, piece.location, *piece.registers, piece.places);
    auto access = LoadVectorOp::create(b, piece.location, piece.tensor);
    setPolicy(access, atom.getLoadCache());
    return access;
  }

  void store(const Piece &piece, Value elements) {
    if (piece.registers)
      return writeElements(b, piece.location, *piece.registers, piece.places, elements);
    auto access = StoreVectorOp::create(b, piece.location, elements, piece.tensor);
    setPolicy(access, atom.getStoreCache());
  }

  // --- Branches ---

  /// Runs `body` where the condition holds.
  void ifHolds(Value condition, llvm::function_ref<void()> body) {
    chooseIf(condition, [&] { return body(), Value(); }, [] { return Value(); });
  }

  /// One of two values by a condition; each is computed in its own block.
  Value chooseIf(Value condition, llvm::function_ref<Value()> whenTrue, llvm::function_ref<Value()> whenFalse) {
    Block *before = b.getInsertionBlock();
    Block *after = before->splitBlock(b.getInsertionPoint());
    Block *yes = b.createBlock(after), *no = b.createBlock(after);
    auto side = [&](Block *block, llvm::function_ref<Value()> body) {
      b.setInsertionPointToEnd(block);
      Value value = body();
      cf::BranchOp::create(b, loc, after, value ? ValueRange{value} : ValueRange{});
      return value;
    };
    Value value = side(yes, whenTrue);
    side(no, whenFalse);
    b.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(b, loc, condition, yes, ValueRange{}, no, ValueRange{});
    Value result = value ? after->addArgument(value.getType(), loc) : Value();
    b.setInsertionPointToStart(after);
    return result;
  }

  // --- Kinds ---

  void emitUniversal(const Piece &source, const Piece &destination, Value predicate) {
    if (!predicate)
      return store(destination, load(source));
    if (!destination.registers) // into memory: off, nothing is written
      return ifHolds(predicate, [&] { store(destination, load(source)); });
    auto otherwise = [&] { return op.getFill() ? Value(op.getFill()) : load(destination); };
    store(destination, chooseIf(predicate, [&] { return load(source); }, otherwise));
  }

  static bool isBuffer(const Piece &piece) {
    return piece.tensor && cast<TensorType>(piece.tensor.getType()).getSpace() == AddressSpace::Buffer;
  }

  Value readBuffer(const Piece &source, const Piece &destination, Value predicate) {
    if (!predicate)
      return load(source);
    Value loaded = MaskedLoadOp::create(b, loc, source.tensor, predicate, atom.getLoadCache());
    if (!destination.registers || (op.getFill() && isZero(op.getFill()))) // what is off reads as 0
      return loaded;
    Value otherwise = op.getFill() ? Value(op.getFill()) : load(destination);
    return arith::SelectOp::create(b, loc, predicate, loaded, otherwise);
  }

  /// Without a branch: where a predicate is off, the offset is outside of the buffer.
  void emitBuffer(const Piece &source, const Piece &destination, Value predicate) {
    Value elements = isBuffer(source) ? readBuffer(source, destination, predicate) : load(source);
    if (isBuffer(destination) && predicate)
      MaskedStoreOp::create(b, loc, elements, destination.tensor, predicate, atom.getStoreCache());
    else if (isBuffer(destination) || destination.registers || !predicate)
      store(destination, elements);
    else
      ifHolds(predicate, [&] { store(destination, elements); });
  }

  /// Where a predicate is false: from a buffer, LDS gets 0 (`fill`); otherwise the lane does not take part.
  void emitDirect(const Piece &source, const Piece &destination, Value predicate) {
    const bool isStore = cast<TensorType>(source.tensor.getType()).getSpace() == AddressSpace::Shared;
    auto move = [&](Value predicate) {
      DirectCopyOp::create(b, loc, source.tensor, destination.tensor, predicate, atom.getKind() == CopyKind::Async,
                           isStore ? atom.getStoreCache() : atom.getLoadCache());
    };
    if (!predicate || op.getFill())
      move(predicate);
    else
      ifHolds(predicate, [&] { move({}); });
  }

  /// The number, or the pair of them, of an atomic access.
  Value operandOf(const Piece &source) {
    Value elements = load(source);
    return op.getValues() > 1 ? elements
                              : vector::ExtractOp::create(b, loc, elements, ArrayRef<int64_t>{0}).getResult();
  }

  void emitUniversalAtomic(const Piece &source, const Piece &destination, Value predicate) {
    Value operand = operandOf(source);
    auto change = [&] {
      auto type = cast<TensorType>(destination.tensor.getType());
      Value place = AddressOp::create(b, destination.location, destination.tensor,
                                      IntTupleAttr::get(b.getContext(), IntTuple(0)), ValueRange{});
      Value value = operand;
      if (atom.getIsNegated())
        value = arith::NegFOp::create(b, loc, value);
      const MemoryScope scope = atom.getScope().value_or(
          type.getSpace() == AddressSpace::Shared ? MemoryScope::Workgroup : MemoryScope::Agent);
      AtomicOp::create(b, loc, value.getType(), *atom.getAtomic(), place, value, MemoryOrder::Relaxed, scope);
    };
    if (predicate)
      ifHolds(predicate, change);
    else
      change();
  }

  void emitBufferAtomic(const Piece &source, const Piece &destination, Value predicate) {
    Value elements = operandOf(source);
    if (op.getValues() == 1)
      elements = vector::FromElementsOp::create(b, loc, VectorType::get({1}, elements.getType()), elements);
    if (atom.getIsNegated())
      elements = arith::NegFOp::create(b, loc, elements);
    if (!predicate)
      predicate = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    MaskedAtomicOp::create(b, loc, *atom.getAtomic(), elements, destination.tensor, predicate, atom.getStoreCache());
  }

  CopyOp op;
  OpBuilder b;
  CopyAtomAttr atom;
  Location loc;
};

struct ExpandCopiesPass : impl::FlyExpandCopiesBase<ExpandCopiesPass> {
  void runOnOperation() override {
    SmallVector<CopyOp> copies;
    SmallVector<FragmentOp> fragments;
    getOperation().getBody().walk([&](Operation *op) {
      if (auto copy = dyn_cast<CopyOp>(op))
        copies.push_back(copy);
      else if (auto fragment = dyn_cast<FragmentOp>(op))
        fragments.push_back(fragment);
    });
    for (CopyOp copy : copies)
      if (failed(Expansion(copy).run()))
        return signalPassFailure();
    for (FragmentOp fragment : fragments)
      if (fragment.use_empty())
        fragment.erase();
  }
};

} // namespace
} // namespace fly::ir
