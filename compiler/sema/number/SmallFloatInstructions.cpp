// Conversion instructions: two 8-bit floats at once everywhere, more on gfx950 and gfx1250.
//
//     target           8 bits                    4 bits        6 bits
//     gfx942 (FNUZ)    pk f32                    -             -
//     gfx950 (OCP)     pk f32, f16, bf16         pk f32, ...   32 of f32, f16, bf16
//     gfx1201 (OCP)    pk f32                    -             -
//     gfx1250 (OCP)    pk f32, f16               8 of f32, ... 16 of f32, f16, bf16
//
// Operands and results are as LLVM's IntrinsicsAMDGPU.td gives them. Scaled forms get the scale 1. With MODE.FP16_OVFL
// clear, as kernels start, 8-bit results overflow to infinity or NaN; 4 and 6 bits always saturate. For 8 bits, a clamp
// before the conversion saturates.
#include "compiler/sema/number/SmallFloatInstructions.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/number/SmallFloats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using host::Number;

namespace {

/// How LLVM's intrinsics spell the 8-bit formats of the target; null if it has other ones.
const char *eightBitName(const target::Target &target, Number number) {
  if (!target.has("fp8_conversion"))
    return nullptr;
  bool fnuz = target.fp8 == target::Fp8Flavour::Fnuz;
  if (number == (fnuz ? Number::F8E4M3FNUZ : Number::F8E4M3FN))
    return "fp8";
  return number == (fnuz ? Number::F8E5M2FNUZ : Number::F8E5M2) ? "bf8" : nullptr;
}

struct Instructions {
  Elaborator &e;
  mlir::OpBuilder &b;
  mlir::Location loc;

  Instructions(Elaborator &e, SourceRange range) : e(e), b(*e.kernel.builder), loc(e.location(range)) {}

  mlir::Type vectorType(mlir::Type element, int64_t count) const { return mlir::VectorType::get({count}, element); }
  mlir::Value call(const std::string &name, mlir::Type result, mlir::ValueRange operands) const {
    return mlir::LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr("llvm.amdgcn.cvt." + name), operands)
        .getResult(0);
  }
  mlir::Value i1(bool value) const { return mlir::arith::ConstantOp::create(b, loc, b.getBoolAttr(value)); }
  mlir::Value i32(int32_t value) const { return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); }
  mlir::Value one() const { return mlir::arith::ConstantOp::create(b, loc, b.getF32FloatAttr(1)); }
  mlir::Value at(mlir::Value vector, int64_t i) const {
    return mlir::vector::ExtractOp::create(b, loc, vector, llvm::ArrayRef<int64_t>{i});
  }
  mlir::Value from(llvm::ArrayRef<mlir::Value> elements) const {
    return mlir::vector::FromElementsOp::create(
        b, loc, llvm::cast<mlir::VectorType>(vectorType(elements[0].getType(), int64_t(elements.size()))), elements);
  }
  mlir::Value view(mlir::Value vector, mlir::Type element, int64_t count) const {
    return mlir::vector::BitCastOp::create(b, loc, llvm::cast<mlir::VectorType>(vectorType(element, count)), vector);
  }
  /// `count` elements from `first`, each `step`; repeats the last where the vector ends.
  mlir::Value part(mlir::Value vector, int64_t first, int64_t count, int64_t step = 1) const {
    int64_t size = llvm::cast<mlir::VectorType>(vector.getType()).getNumElements();
    llvm::SmallVector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      order.push_back(std::min(first + i * step, size - 1));
    return mlir::vector::ShuffleOp::create(b, loc, vector, vector, order);
  }
  llvm::SmallVector<mlir::Value> elements(mlir::Value vector) const {
    llvm::SmallVector<mlir::Value> out;
    for (int64_t i = 0; i < llvm::cast<mlir::VectorType>(vector.getType()).getNumElements(); ++i)
      out.push_back(at(vector, i));
    return out;
  }
  /// The bytes in words of 32 bits, the last one filled with what there is.
  mlir::Value words(mlir::Value bytes) const {
    int64_t count = llvm::cast<mlir::VectorType>(bytes.getType()).getNumElements(), whole = (count + 3) / 4 * 4;
    return view(whole == count ? bytes : part(bytes, 0, whole), b.getI32Type(), whole / 4);
  }
};

} // namespace

mlir::Value widenByInstructions(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  Instructions m(e, range);
  int64_t lanes = from.type.lanes;
  auto wide = [&](mlir::Value single) { // exact: f16 and bf16 hold every number of 8 bits and fewer
    mlir::Value out =
        convert(e, Value(MachineValue{single, to.withNumber(Number::F32)}), to, range).as<MachineValue>()->value;
    if (to.number == Number::BF16)
      out.getDefiningOp()->setAttr(ir::exactAttr, m.b.getUnitAttr());
    return out;
  };
  auto &b = m.b;
  if (const char *name = eightBitName(e.target, from.type.number)) {
    if (to.number == Number::F16 && from.type.number == Number::F8E5M2)
      return nullptr; // a shift
    if (!from.type.isVector())
      return wide(m.call(std::string("f32.") + name, b.getF32Type(),
                         {mlir::arith::ExtUIOp::create(b, m.loc, b.getI32Type(), from.value), m.i32(0)}));
    const bool scaled = e.target.has("v_cvt_scalef32_pk_f32_fp8"); // they convert to bf16, too
    bool half = (to.number == Number::F16 && e.target.has("fp4_conversion")) || (to.number == Number::BF16 && scaled);
    mlir::Type element = half ? mlirType(e, to.element()) : b.getF32Type();
    mlir::Value words = m.words(from.value);
    llvm::SmallVector<mlir::Value> elements;
    for (int64_t i = 0; i < lanes; i += 2) {
      mlir::Value word = m.at(words, i / 4), pair;
      mlir::Type pairType = m.vectorType(element, 2);
      if (!half)
        pair = m.call(std::string("pk.f32.") + name, pairType, {word, m.i1(i % 4)});
      else if (scaled)
        pair = m.call(std::string("scalef32.pk.") + (to.number == Number::F16 ? "f16." : "bf16.") + name, pairType,
                      {word, m.one(), m.i1(i % 4)});
      else {
        mlir::Value low = i % 4 ? mlir::arith::ShRUIOp::create(b, m.loc, word, m.i32(16)).getResult() : word;
        pair = m.call(std::string("pk.f16.") + name, pairType,
                      {mlir::arith::TruncIOp::create(b, m.loc, b.getI16Type(), low)});
      }
      elements.push_back(m.at(pair, 0));
      if (i + 1 < lanes)
        elements.push_back(m.at(pair, 1));
    }
    mlir::Value all = m.from(elements);
    return half ? all : wide(all);
  }
  if (!isPacked(from.type) || !e.target.has("fp4_conversion"))
    return nullptr;
  bool hasScaled = e.target.has("v_cvt_scalef32_pk_f32_fp4"), isFour = from.type.number == Number::F4E2M1;
  const char *name = isFour ? "fp4" : from.type.number == Number::F6E2M3 ? "fp6" : "bf6";
  int64_t step = isFour ? (hasScaled ? 2 : 8) : hasScaled ? 32 : 16;
  if (!isFour && lanes % step)
    return nullptr;
  bool half = to.number == Number::F16 || to.number == Number::BF16;
  mlir::Type element = half ? mlirType(e, to.element()) : b.getF32Type();
  std::string kind = to.number == Number::F16 ? "f16." : half ? "bf16." : "f32.";
  mlir::Value words = m.words(from.value);
  llvm::SmallVector<mlir::Value> elements;
  for (int64_t i = 0; i < lanes; i += step) {
    mlir::Value part;
    mlir::Type type = m.vectorType(element, step);
    if (isFour && hasScaled)
      part = m.call("scalef32.pk." + kind + name, type, {m.at(words, i / 8), m.one(), m.i32(int32_t(i % 8 / 2))});
    else if (isFour)
      part = m.call("scale.pk8." + kind + name, type, {m.at(words, i / 8), m.i32(0x7f7f7f7f), m.i32(0)});
    else if (hasScaled)
      part = m.call("scalef32.pk32." + kind + name, type, {m.part(words, i / 32 * 6, 6), m.one()});
    else
      part = m.call("scale.pk16." + kind + name, type, {m.part(words, i / 16 * 3, 3), m.i32(0x7f7f7f7f), m.i32(0)});
    for (auto value : m.elements(part))
      if (int64_t(elements.size()) < lanes)
        elements.push_back(value);
  }
  mlir::Value all = m.from(elements);
  return half ? all : wide(all);
}

mlir::Value narrowByInstructions(Elaborator &e, MachineValue from, Type to, bool saturate, SourceRange range) {
  if (from.type.number == Number::F64)
    return nullptr;
  Instructions m(e, range);
  auto &b = m.b;
  int64_t lanes = from.type.lanes;
  auto single = [&] { return *convert(e, Value(from), from.type.withNumber(Number::F32), range).as<MachineValue>(); };
  if (const char *name = eightBitName(e.target, to.number)) {
    MachineValue x = single();
    if (saturate)
      x = clampToRange(e, x, to.number, range);
    std::string intrinsic = std::string("pk.") + name + ".f32";
    if (!lanes) {
      mlir::Value word = m.call(intrinsic, b.getI32Type(), {x.value, x.value, m.i32(0), m.i1(false)});
      return mlir::arith::TruncIOp::create(b, m.loc, b.getI8Type(), word);
    }
    llvm::SmallVector<mlir::Value> words;
    for (int64_t i = 0; i < lanes; i += 2) {
      mlir::Value low = m.at(x.value, i), high = m.at(x.value, std::min(i + 1, lanes - 1));
      mlir::Value old = i % 4 ? words.back() : m.i32(0);
      mlir::Value word = m.call(intrinsic, b.getI32Type(), {low, high, old, m.i1(i % 4)});
      if (i % 4)
        words.back() = word;
      else
        words.push_back(word);
    }
    mlir::Value bytes = m.view(m.from(words), b.getI8Type(), int64_t(words.size()) * 4);
    return lanes % 4 ? m.part(bytes, 0, lanes) : bytes;
  }
  if (!isPacked(to) || !e.target.has("fp4_conversion"))
    return nullptr;
  bool hasScaled = e.target.has("v_cvt_scalef32_pk_f32_fp4"), isFour = to.number == Number::F4E2M1;
  const char *name = isFour ? "fp4" : to.number == Number::F6E2M3 ? "fp6" : "bf6";
  int64_t step = isFour ? (hasScaled ? 2 : 8) : hasScaled ? 32 : 16, count = int64_t(lanes) * to.format().bits / 8;
  if (!isFour && lanes % step)
    return nullptr;
  mlir::Value x = single().value;
  llvm::SmallVector<mlir::Value> words;
  for (int64_t i = 0; i < lanes; i += step) {
    if (isFour && hasScaled) {
      mlir::Value old = i % 8 ? words.back() : m.i32(0);
      mlir::Value word = m.call(std::string("scalef32.pk.") + name + ".f32", b.getI32Type(),
                                {old, m.at(x, i), m.at(x, i + 1), m.one(), m.i32(int32_t(i % 8 / 2))});
      if (i % 8)
        words.back() = word;
      else
        words.push_back(word);
    } else if (isFour)
      words.push_back(m.call(std::string("scalef32.pk8.") + name + ".f32", b.getI32Type(), {m.part(x, i, 8), m.one()}));
    else if (hasScaled) // the even numbers and the odd ones
      for (auto word :
           m.elements(m.call(std::string("scalef32.2xpk16.") + name + ".f32", m.vectorType(b.getI32Type(), 6),
                             {m.part(x, i, 16, 2), m.part(x, i + 1, 16, 2), m.one()})))
        words.push_back(word);
    else
      for (auto word : m.elements(m.call(std::string("scalef32.pk16.") + name + ".f32", m.vectorType(b.getI32Type(), 3),
                                         {m.part(x, i, 16), m.one()})))
        words.push_back(word);
  }
  mlir::Value bytes = m.view(m.from(words), b.getI8Type(), int64_t(words.size()) * 4);
  return int64_t(words.size()) * 4 == count ? bytes : m.part(bytes, 0, count);
}

} // namespace fly::sema
