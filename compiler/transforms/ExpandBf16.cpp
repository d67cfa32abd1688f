// fly-expand-bf16: arithmetic on bf16 as f32 and integer operations, for targets without conversions to bf16.
// What and why: Passes.td.
//
// Rounding to nearest even adds 0x7fff and the last bit that stays, then takes the upper half:
//
//     v_bfe_u32 t, x, 16, 1 ; v_add3_u32 x, x, t, 0x7fff ; two numbers a register: v_perm_b32
//
// Rounding could carry a NaN whose lower half is not zero into infinity or into the sign, so in general one more
// instruction makes every NaN the default one. It is not needed where a NaN can only come from bf16: instructions give the
// quieted NaN of an operand, or the default one (CDNA 3 ISA, "Floating-Point Exceptions"), and the lower half of both
// is zero. A scalar of unknown origin that is combined with such a vector (`v * scale`) is checked once, for all of the
// vector's elements.
#include "compiler/dialect/Approximations.h"
#include "compiler/target/Target.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYEXPANDBF16
#include "compiler/transforms/Passes.h.inc"

namespace {

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}
bool isBf16(Value value) { return getElementTypeOrSelf(value.getType()).isBF16(); }

/// A fused multiply-add of bf16 in f32. The product of two bf16 is exact in f32; the sum is rounded there to odd, so that
/// the second rounding, to bf16, is the only one that counts (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd").
void expandFma(math::FmaOp op) {
  OpBuilder b(op);
  const Location loc = op.getLoc();
  const Type wide = withElement(op.getType(), b.getF32Type()), word = withElement(op.getType(), b.getI32Type());
  auto extended = [&](Value x) { return arith::ExtFOp::create(b, loc, wide, x).getResult(); };
  auto integer = [&](int32_t value) -> Value {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(word))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  auto bits = [&](Value x) { return arith::BitcastOp::create(b, loc, word, x).getResult(); };
  const Value x = extended(op.getA()), y = extended(op.getB()), z = extended(op.getC());
  const Value product = arith::MulFOp::create(b, loc, x, y), sum = math::FmaOp::create(b, loc, x, y, z);
  // What the addition lost (Knuth): exact, unless the product is denormal in f32. Where the product overflows and the sum
  // does not, the sum is exact, and this is NaN.
  const Value part = arith::SubFOp::create(b, loc, sum, product);
  const Value lost =
      arith::AddFOp::create(b, loc, arith::SubFOp::create(b, loc, product, arith::SubFOp::create(b, loc, sum, part)),
                            arith::SubFOp::create(b, loc, z, part));
  // An even sum that lost something moves to its odd neighbour, away from zero if both have one sign.
  Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(wide)));
  Value moves = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, lost, zero);
  Value isEven = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       arith::AndIOp::create(b, loc, bits(sum), integer(1)), integer(0));
  moves = arith::AndIOp::create(b, loc, moves, isEven);
  Value isApart = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        arith::XOrIOp::create(b, loc, bits(sum), bits(lost)), integer(0));
  Value step = arith::SelectOp::create(b, loc, isApart, integer(-1), integer(1));
  Value odd = arith::AddIOp::create(b, loc, bits(sum), step);
  odd = arith::SelectOp::create(b, loc, moves, odd, bits(sum));
  Value single = arith::BitcastOp::create(b, loc, wide, odd);
  Value result = arith::TruncFOp::create(b, loc, op.getType(), single);
  op.replaceAllUsesWith(result);
  op.erase();
}

class Expansion {
public:
  explicit Expansion(KernelOp kernel) : kernel(kernel), builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> operations;
    kernel.getBody().walk([&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations)
      TypeSwitch<Operation *>(op)
          .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>([&](auto op) { expand(op, false); })
          .Case<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(
              [&](auto op) { expand(op, true); })
          .Case<arith::TruncFOp>([&](arith::TruncFOp op) {
            if (isBf16(op.getOut()) && getElementTypeOrSelf(op.getIn().getType()).isF32()) {
              builder.setInsertionPoint(op);
              if (op->hasAttr(exactAttr)) {
                Value clean = withDefaultNan(op.getLoc(), op.getIn()); // which bits a conversion's NaN has is unknown
                return replace(op, upperHalf(op.getLoc(), bits(op.getLoc(), clean)));
              }
              const bool noNan = op.getFastmath() && bitEnumContainsAny(*op.getFastmath(), arith::FastMathFlags::nnan);
              replace(op, narrow(op.getLoc(), op.getIn(), !noNan && !madeShort(op.getIn())));
            }
          });
  }

private:
  /// The operation in f32; its result is an operand's value if `isExact`.
  template <typename Op> void expand(Op op, bool isExact) {
    if (!isBf16(op.getResult()))
      return;
    builder.setInsertionPoint(op);
    Type wide = withElement(op.getType(), builder.getF32Type());
    auto extended = [&](Value x) { return arith::ExtFOp::create(builder, op.getLoc(), wide, x).getResult(); };
    Value result = Op::create(builder, op.getLoc(), extended(op.getLhs()), extended(op.getRhs()), op.getFastmath());
    replace(op, isExact ? upperHalf(op.getLoc(), bits(op.getLoc(), result)) : narrow(op.getLoc(), result, false));
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Value integer(Location location, Value like, int64_t value) {
    Type type = withElement(like.getType(), builder.getI32Type());
    TypedAttr attr = builder.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, location, attr);
  }
  Value bits(Location location, Value single) {
    return arith::BitcastOp::create(builder, location, withElement(single.getType(), builder.getI32Type()), single);
  }
  Value upperHalf(Location location, Value bits) {
    Value high = arith::ShRUIOp::create(builder, location, bits, integer(location, bits, 16));
    Value half = arith::TruncIOp::create(builder, location, withElement(bits.getType(), builder.getI16Type()), high);
    return arith::BitcastOp::create(builder, location, withElement(bits.getType(), builder.getBF16Type()), half);
  }
  /// The same with every NaN the default one, by v_med3_f32 d, x, d where d is that NaN: with a NaN among its operands
  /// it gives the smallest of them, one after the other. That of a number and a NaN is the number; that of two NaNs is
  /// the first on gfx12, the second on gfx9, and quieted if it signals, so d comes on both sides (V_MED3 and V_MIN of
  /// the CDNA 3 and RDNA 4 ISA). Both instructions are exact ones: LLVM would fold d, and where it knows that x is
  /// infinity it would make the larger of the other two of it, which are NaN.
  Value withDefaultNan(Location location, Value single) {
    auto nan = ExactOp::create(builder, location, TypeRange(builder.getI32Type()), "s_mov_b32 $0, 0x7fc00000", "s",
                               /*has_effects=*/false, ValueRange());
    auto cleaned = [&](Value x) -> Value {
      return ExactOp::create(builder, location, TypeRange(x.getType()), "v_med3_f32 $0, $1, $2, $1", "vsv",
                             /*has_effects=*/false, ValueRange{nan.getResult(0), x})
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(single.getType());
    if (!vector)
      return cleaned(single);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      elements.push_back(cleaned(vector::ExtractOp::create(builder, location, single, i)));
    return vector::FromElementsOp::create(builder, location, vector, elements);
  }
  Value narrow(Location location, Value single, bool mayLoseNan) {
    if (mayLoseNan)
      single = withDefaultNan(location, single);
    Value all = bits(location, single);
    Value last = arith::ShRUIOp::create(builder, location, all, integer(location, all, 16));
    last = arith::AndIOp::create(builder, location, last, integer(location, all, 1));
    Value sum = arith::AddIOp::create(builder, location, all, integer(location, all, 0x7fff));
    sum = arith::AddIOp::create(builder, location, sum, last);
    return upperHalf(location, sum);
  }

  /// Scalars of unknown origin in every element of a vector: broadcasts, which may hold any f32 NaN.
  using Unknown = SmallVector<vector::BroadcastOp, 4>;
  static constexpr unsigned mostUnknown = 4;

  /// Whether the lower half of the f32 is zero if it is a NaN, made so where that costs less than to look at each
  /// element.
  bool madeShort(Value value) {
    std::optional<Unknown> unknown = shortBut(value);
    if (!unknown)
      return false;
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!unknown->empty() && (!vector || vector.getNumElements() <= static_cast<int64_t>(unknown->size())))
      return false;
    for (vector::BroadcastOp broadcast : *unknown) {
      Value scalar = broadcast.getSource();
      if (quieted.count(scalar))
        continue;
      Value &quiet = quietOf[scalar];
      if (!quiet) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(scalar);
        Location location = broadcast.getLoc();
        Value nan = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, scalar, scalar);
        Value all = bits(location, scalar);
        all = arith::SelectOp::create(builder, location, nan, integer(location, all, 0x7fc00000), all);
        quiet = arith::BitcastOp::create(builder, location, scalar.getType(), all);
        quieted.insert(quiet);
      }
      broadcast.getSourceMutable().assign(quiet);
    }
    return true;
  }

  /// None if the lower half of a NaN may hold bits other than those from the given broadcasts. Each value is visited
  /// once.
  std::optional<Unknown> shortBut(Value value, unsigned depth = 0) {
    constexpr unsigned deepest = 64;
    Operation *op = value.getDefiningOp();
    if (!op || depth > deepest)
      return std::nullopt;
    if (auto known = shortNans.find(value); known != shortNans.end())
      return known->second;
    auto all = [&](auto operands) {
      std::optional<Unknown> out = Unknown();
      for (Value operand : operands) {
        std::optional<Unknown> one = shortBut(operand, depth + 1);
        if (!one)
          return one;
        for (vector::BroadcastOp each : *one)
          if (!llvm::is_contained(*out, each))
            out->push_back(each);
        if (out->size() > mostUnknown)
          return std::optional<Unknown>();
      }
      return out;
    };
    auto when = [](bool isShort) { return isShort ? std::optional<Unknown>(Unknown()) : std::nullopt; };
    std::optional<Unknown> result;
    if (quieted.count(value))
      result = Unknown();
    else if (auto extended = dyn_cast<arith::ExtFOp>(op))
      result = when(isBf16(extended.getIn()));
    else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto number = dyn_cast<FloatAttr>(constant.getValue());
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      result = when((number && !number.getValue().isNaN()) ||
                    (splat && isa<FloatType>(splat.getElementType()) && !splat.getSplatValue<APFloat>().isNaN()));
    } else if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      result = Unknown();
    else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      result = shortBut(broadcast.getSource(), depth + 1);
      if (!result && broadcast.getSource().getType().isF32())
        result = Unknown{broadcast};
    } else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaxNumFOp,
                   arith::MinNumFOp, math::FmaOp, math::AbsFOp, math::Exp2Op, math::SqrtOp, math::RoundEvenOp,
                   vector::ShuffleOp, vector::FromElementsOp>(op))
      result = all(op->getOperands());
    else if (auto function = dyn_cast<ApproximateOp>(op); function && info(function.getFunction()).keepsNan)
      result = all(op->getOperands());
    else if (auto select = dyn_cast<arith::SelectOp>(op))
      result = all(ValueRange{select.getTrueValue(), select.getFalseValue()});
    else if (auto extract = dyn_cast<vector::ExtractOp>(op))
      result = all(ValueRange{extract.getSource()});
    shortNans[value] = result;
    return result;
  }
  KernelOp kernel;
  OpBuilder builder;
  DenseMap<Value, std::optional<Unknown>> shortNans;
  DenseMap<Value, Value> quietOf; ///< of a scalar, the same with no NaN but the default one
  DenseSet<Value> quieted;
};

struct ExpandBf16Pass : impl::FlyExpandBf16Base<ExpandBf16Pass> {
  using FlyExpandBf16Base::FlyExpandBf16Base;
  void runOnOperation() override {
    auto *target = target::find(arch);
    if (target && !target->has("bf16_packed")) {
      SmallVector<math::FmaOp> sums;
      getOperation().getBody().walk([&](math::FmaOp op) {
        if (isBf16(op.getResult()))
          sums.push_back(op);
      });
      for (math::FmaOp op : sums)
        expandFma(op);
    }
    if (target && !target->has("bf16_conversion"))
      Expansion(getOperation()).run();
  }
};

} // namespace
} // namespace fly::ir
