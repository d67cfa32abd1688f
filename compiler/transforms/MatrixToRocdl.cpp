// Patterns of convert-fly-to-rocdl: `fly.matrix_multiply` becomes the intrinsic that its atom names.
//
// A row's call says in which order the intrinsic takes operands and numbers. The types are mostly those of registers:
// elements of 8 bits and fewer are words, those of v_mfma with 8 bytes one 64-bit integer, bf16 of older instructions
// 16-bit integers, a single element a scalar.
#include "compiler/protocol/Opcode.h"
#include "compiler/transforms/FlyToRocdl.h"

using namespace mlir;

namespace fly::ir {

namespace {

using atom::MmaCall;

/// What the intrinsic has for A or B of `bits` in all, of which the elements are `element`.
Type inputType(MLIRContext *context, const atom::MmaRow &row, StringRef element, Type held, int64_t bits) {
  auto integer = [&](unsigned width) { return IntegerType::get(context, width); };
  const int64_t each = atom::bitsOf(element.str());
  if (each <= 8) {
    if (bits == 32)
      return integer(32);
    if (row.call == MmaCall::Mfma && bits == 64)
      return integer(64);
    return VectorType::get({bits / 32}, integer(32));
  }
  const int64_t values = bits / each;
  const bool oldBf16 = row.call == MmaCall::Wmma || row.call == MmaCall::WmmaHalf || (row.isMfma() && values == 4);
  const Type scalar = element == "bf16" && oldBf16 ? Type(integer(16)) : getElementTypeOrSelf(held);
  return values == 1 ? scalar : Type(VectorType::get({values}, scalar));
}

/// The same of C and D.
Type sumType(const atom::MmaRow &row, VectorType held) {
  Type scalar = held.getElementType();
  if (scalar.isBF16() && row.call == MmaCall::WmmaHalf)
    scalar = IntegerType::get(held.getContext(), 16);
  return held.getNumElements() == 1 ? scalar : Type(VectorType::get(held.getShape(), scalar));
}

/// The product by its name in LLVM's tables (protocol/Opcode.h), for one that LLVM's selection does not have on the
/// target: those of RDNA 4. All operands are words, D is written over C.
Value exactMultiply(OpBuilder &b, MatrixMultiplyOp op, MatrixMultiplyOp::Adaptor adaptor) {
  const Location loc = op.getLoc();
  const atom::MmaRow &row = op.getAtom().row();
  auto words = [&](Type type) -> Type {
    auto held = cast<VectorType>(type);
    const int64_t count = held.getNumElements() * held.getElementTypeBitWidth() / 32;
    return count == 1 ? Type(b.getI32Type()) : Type(VectorType::get({count}, b.getI32Type()));
  };
  auto inWords = [&](Value value) -> Value { return LLVM::BitcastOp::create(b, loc, words(value.getType()), value); };
  protocol::OpcodeStatement statement{StringRef(row.name).upper() + "_w32_twoaddr", {}};
  auto number = [&](int64_t value) { statement.operands.push_back(protocol::OpcodeOperand::number(value)); };
  auto operand = [&](unsigned index) { statement.operands.push_back(protocol::OpcodeOperand::ofStatement(index)); };
  // Modifiers are bits: 8 is op_sel_hi, which says nothing here, 1 is neg_lo, which makes integers signed. Bytes have
  // none.
  auto modifier = [&](StringRef type) { number(type.starts_with("i") ? 9 : 8); };
  const bool integers = row.call == MmaCall::WmmaInteger;
  const bool bytes = !integers && atom::bitsOf(op.getAtom().getA().str()) == 8;
  if (!bytes)
    modifier(op.getAtom().getA());
  operand(1);
  if (!bytes)
    modifier(op.getAtom().getB());
  operand(2);
  if (!integers)
    number(8); // modifiers of C
  operand(3);
  number(0), number(0); // neg_lo and neg_hi; of integers the first is clamp
  const Type type = words(op.getResult().getType());
  const Value operands[] = {inWords(adaptor.getA()), inWords(adaptor.getB()), inWords(adaptor.getC())};
  Value d = LLVM::InlineAsmOp::create(b, loc, type, operands, statement.text(), "=&v,v,v,0",
                                      /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      LLVM::AsmDialectAttr{}, ArrayAttr{})
                .getResult(0);
  return LLVM::BitcastOp::create(b, loc, op.getResult().getType(), d);
}

struct MatrixMultiplyLowering : FlyLowering<MatrixMultiplyOp> {
  MatrixMultiplyLowering(const LLVMTypeConverter &converter, StringRef arch)
      : FlyLowering(converter), arch(arch.str()) {}

  LogicalResult matchAndRewrite(MatrixMultiplyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const Location loc = op.getLoc();
    const MmaAtomAttr atom = op.getAtom();
    const atom::MmaRow &row = atom.row();
    if (const atom::MmaTarget *on = row.on(arch); on && !on->inManual) {
      rewriter.replaceOp(op, exactMultiply(rewriter, op, adaptor));
      return success();
    }
    auto as = [&](Value value, Type type) -> Value {
      return value.getType() == type ? value : Value(LLVM::BitcastOp::create(rewriter, loc, type, value));
    };
    auto input = [&](Value value, StringRef element) {
      auto held = cast<VectorType>(value.getType());
      return as(value,
                inputType(getContext(), row, element, held, held.getNumElements() * held.getElementTypeBitWidth()));
    };
    auto number = [&](int64_t value, unsigned bits = 32) { return constant(rewriter, loc, value, bits); };
    auto modifier = [&](StringRef name) { return number(op.modifier(name)); };
    auto no = [&] { return number(0, 1); };
    auto isSigned = [&](StringRef type) { return number(type.starts_with("i"), 1); };

    const Value a = input(adaptor.getA(), atom.getA()), b = input(adaptor.getB(), atom.getB());
    const Value c = as(adaptor.getC(), sumType(row, cast<VectorType>(op.getC().getType())));
    const Value formatA = number(std::max(atom::formatOf(atom.getA().str()), 0)),
                formatB = number(std::max(atom::formatOf(atom.getB().str()), 0));
    const Value modifiersOfC = number(0, 16);
    SmallVector<Value> scales;
    for (Value scale : adaptor.getScales()) // one word, or two
      scales.push_back(as(scale, rewriter.getIntegerType(row.scaleBlock == 16 ? 64 : 32)));
    auto wmmaScales = [&](SmallVector<Value> arguments) {
      llvm::append_values(arguments, modifier("opsel_a"), modifier("format_a"), scales[0], modifier("opsel_b"),
                          modifier("format_b"), scales[1], no(), no());
      return arguments;
    };
    auto arguments = [&]() -> SmallVector<Value> {
      switch (row.call) {
      case MmaCall::Fma: break;
      case MmaCall::Mfma: return {a, b, c, modifier("cbsz"), modifier("abid"), modifier("blgp")};
      case MmaCall::MfmaFormats: return {a, b, c, formatA, formatB, number(0), number(0), number(0), number(0)};
      case MmaCall::MfmaScale:
        return {a, b, c, formatA, formatB, modifier("opsel_a"), scales[0], modifier("opsel_b"), scales[1]};
      case MmaCall::Wmma: return {a, b, c};
      case MmaCall::WmmaHalf: return {a, b, c, no()};
      case MmaCall::WmmaInteger: return {isSigned(atom.getA()), a, isSigned(atom.getB()), b, c, no()};
      case MmaCall::WmmaModifiers: return {no(), a, no(), b, modifiersOfC, c, no(), no()};
      case MmaCall::WmmaModifiersOfC: return {a, b, modifiersOfC, c, no(), no()};
      case MmaCall::WmmaModifiersInteger:
        return {isSigned(atom.getA()), a, isSigned(atom.getB()), b, c, no(), no(), no()};
      case MmaCall::WmmaFormats: return {formatA, a, formatB, b, modifiersOfC, c};
      case MmaCall::WmmaScale: return wmmaScales({formatA, a, formatB, b, modifiersOfC, c});
      case MmaCall::WmmaF4: return {a, b, modifiersOfC, c};
      case MmaCall::WmmaScaleF4: return wmmaScales({a, b, modifiersOfC, c});
      }
      llvm_unreachable("universal_fma is not a matrix instruction");
    }();
    auto result = cast<VectorType>(op.getResult().getType());
    Value d = LLVM::CallIntrinsicOp::create(rewriter, loc, sumType(row, result), rewriter.getStringAttr(row.intrinsic),
                                            arguments)
                  .getResult(0);
    rewriter.replaceOp(op, as(d, result));
    return success();
  }

private:
  std::string arch;
};

} // namespace

void populateMatrixPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns, StringRef arch) {
  patterns.add<MatrixMultiplyLowering>(converter, arch);
}

} // namespace fly::ir
