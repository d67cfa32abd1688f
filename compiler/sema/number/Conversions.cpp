// From literals to machine values and between machine types.
//
// A literal takes the type that it is combined with, and must fit: integers exactly, floats within the format's range
// (they round to nearest even). Explicit conversions round once; float to integer truncates, saturates and maps NaN to
// 0, as the hardware conversions do.
#include "compiler/sema/number/Conversions.h"

#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/elaborator/Carriers.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/number/FastMath.h"
#include "compiler/sema/number/SmallFloatInstructions.h"
#include "compiler/sema/number/SmallFloats.h"
#include "compiler/sema/number/SmallIntegers.h"
#include "compiler/sema/number/Vectors.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

namespace fly::sema {

namespace arith = mlir::arith;

mlir::Type mlirType(Elaborator &e, Type type) {
  mlir::Type element;
  switch (type.number) {
  case host::Number::F16: element = mlir::Float16Type::get(&e.context); break;
  case host::Number::BF16: element = mlir::BFloat16Type::get(&e.context); break;
  case host::Number::TF32:
  case host::Number::F32: element = mlir::Float32Type::get(&e.context); break;
  case host::Number::F64: element = mlir::Float64Type::get(&e.context); break;
  case host::Number::Bool: element = mlir::IntegerType::get(&e.context, 1); break;
  default: // packed numbers are bytes
    element = mlir::IntegerType::get(&e.context, std::max(8u, type.format().bits));
    if (isPacked(type))
      return mlir::VectorType::get({int64_t(type.lanes) * type.format().bits / 8}, element);
    break;
  }
  return type.isVector() ? mlir::Type(mlir::VectorType::get({int64_t(type.lanes)}, element)) : element;
}

static std::string rangeText(host::Number number) {
  if (host::format(number).isFloat())
    // Those of f16 and below as people know them: the shortest text that reads back as 65504 would be 65500.
    return (host::format(number).isSigned ? "+-" : "up to ") +
           host::toText(number == host::Number::F16 || host::format(number).bits <= 8 ? host::Number::F64 : number,
                        host::largest(number));
  return host::toText(host::lowestInteger(number)) + " to " + host::toText(host::largestInteger(number));
}

/// What a number of the format is rounded from.
static double toDoubleFor(host::Number number, Elaborator &e, const Value &value, SourceRange range) {
  return number == host::Number::F64 ? toDouble(e, value, range) : toDoubleOdd(e, value, range);
}

/// The constant of `type` that a compile-time number stands for; reports what does not fit.
static MachineValue constant(Elaborator &e, const Value &value, Type type, SourceRange range) {
  auto &b = e.ir(range, "");
  mlir::Type whole = mlirType(e, type), element = mlir::getElementTypeOrSelf(whole);
  mlir::TypedAttr attr;
  auto outOfRange = [&] {
    e.fail(diag::literal_out_of_range, range, {toText(value), type.element().text(), rangeText(type.number)});
  };
  auto packed = [&](uint64_t code) {
    mlir::Value one = arith::ConstantOp::create(b, e.location(range), b.getI8IntegerAttr(int8_t(code)));
    return broadcast(e, {one, type.element()}, type, range);
  };
  if (type.isFloat()) {
    double wanted = toDoubleFor(type.number, e, value, range);
    const auto &f = type.format();
    uint64_t code = host::encode(type.number, wanted, false);
    double rounded = host::decode(type.number, code);
    bool isLost = f.specials == host::Specials::Finite &&
                  std::abs(wanted) > host::largest(type.number) + host::smallestDenormal(type.number);
    if ((!std::isfinite(rounded) && std::isfinite(wanted)) || (std::isinf(wanted) && !f.hasInfinity()) ||
        (std::isnan(wanted) && !f.hasNan()) || isLost)
      outOfRange();
    if (auto kind = llvm::dyn_cast<mlir::FloatType>(element))
      attr = mlir::FloatAttr::get(element, llvm::APFloat(kind.getFloatSemantics(), llvm::APInt(f.bits, code)));
    else if (isPacked(type))
      return packed(code);
    else
      attr = mlir::IntegerAttr::get(element, llvm::APInt(8, code));
  } else {
    if (value.is<double>())
      e.report(diag::bad_conversion, range, {describe(value), type.element().text() + " implicitly"})
          .help("convert the other operand, `f32(x)`, or write an integer"),
          throw Failed{};
    Int wanted = value.is<bool>() ? Int(*value.as<bool>() ? 1 : 0) : *value.as<Int>();
    if (type.isBool()) {
      if (!value.is<bool>())
        e.fail(diag::bad_conversion, range, {describe(value), "bool implicitly"});
      attr = mlir::IntegerAttr::get(element, int64_t(wanted));
    } else {
      if (wanted < anySize(host::lowestInteger(type.number)) || wanted > anySize(host::largestInteger(type.number)))
        outOfRange();
      Int half(int64_t(1) << 32);
      uint64_t low = uint64_t(int64_t(wanted - half * llvm::floorDiv(wanted, half)));
      uint64_t high = uint64_t(int64_t(llvm::floorDiv(wanted, half)));
      llvm::APInt code = llvm::APInt(64, (high << 32) | low).trunc(type.format().bits);
      if (isPacked(type))
        return packed(code.getZExtValue());
      attr = mlir::IntegerAttr::get(element, code.zext(element.getIntOrFloatBitWidth()));
    }
  }
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(whole))
    attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
  return {arith::ConstantOp::create(b, e.location(range), attr), type};
}

mlir::Value selectLiteral(Elaborator &e, const LiteralChoice &choice, Type type, SourceRange range) {
  mlir::Value yes = toMachine(e, choice.whenTrue, type, range).value,
              no = toMachine(e, choice.whenFalse, type, range).value;
  return arith::SelectOp::create(e.ir(range, ""), e.location(range), choice.condition, yes, no);
}

MachineValue toMachine(Elaborator &e, const Value &value, Type type, SourceRange range) {
  e.refuseRunTime(value, range);
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *m = value.as<MachineValue>()) {
    if (m->type == type)
      return *m;
    if (value.origin && !value.origin->firstUse && e.trialDepth) { // a literal in disguise (ControlFlow.cpp)
      value.origin->firstUse = type.element();
      return {ir::UndefinedOp::create(e.ir(range, ""), e.location(range), mlirType(e, type)), type};
    }
    if (value.choice && !type.isBool()) { // each literal takes the type
      return {selectLiteral(e, *value.choice, type, range), type};
    }
    if (type.isVector() && m->type == type.element())
      return broadcast(e, *m, type, range);
    auto builder = e.report(diag::bad_conversion, range, {m->type.text(), type.text() + " implicitly"});
    builder.note("machine types never convert implicitly; only a literal takes the type of the other operand");
    std::string converted = type.text() + "(" + e.diags.sources.text(range).str() + ")";
    builder.help("convert it: `" + converted + "`", Fix::possible(range, converted));
    throw Failed{};
  }
  if (!value.isNumber())
    e.fail(diag::bad_conversion, range, {describe(value), type.text()});
  if (value.origin && !value.origin->firstUse)
    value.origin->firstUse = type.element();
  return constant(e, value, type, range);
}

MachineValue toMachine(Elaborator &e, const Value &value, SourceRange range) {
  e.refuseRunTime(value, range);
  if (auto *m = value.as<MachineValue>())
    return *m;
  if (value.is<ErrorValue>())
    throw Failed{};
  if (!value.isNumber())
    e.fail(diag::bad_conversion, range, {describe(value), "a machine value"});
  Type type = Type::scalar(value.is<double>() ? host::Number::F32
                           : value.is<bool>() ? host::Number::Bool
                                              : host::Number::I32);
  if (value.origin && value.origin->firstUse)
    type = *value.origin->firstUse;
  return toMachine(e, value, type, range);
}

/// Saturating float to integer conversion, as LLVM's intrinsic. Of i4 and u4, integers of so many bits, not packed.
static mlir::Value floatToInt(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  auto &b = *e.kernel.builder;
  auto loc = e.location(range);
  mlir::Value value = from.value;
  if (from.type.number == host::Number::BF16) { // exact, and the only form every backend selects
    from.type = from.type.withNumber(host::Number::F32);
    value = arith::ExtFOp::create(b, loc, mlirType(e, from.type), value);
  }
  auto suffix = [](Type t) {
    std::string text = t.isVector() ? "v" + std::to_string(t.lanes) : "";
    return text + (t.isFloat() ? "f" : "i") + std::to_string(t.format().bits);
  };
  std::string name =
      std::string(to.isSigned() ? "llvm.fptosi.sat." : "llvm.fptoui.sat.") + suffix(to) + "." + suffix(from.type);
  mlir::Type result = Elementwise{b, loc, int64_t(to.lanes)}.type(b.getIntegerType(to.format().bits));
  auto call = mlir::LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), mlir::ValueRange(value));
  return call.getResult(0);
}

/// An integer kept in the range of another type, for the author's `saturate=True`.
static MachineValue limitInteger(Elaborator &e, MachineValue value, host::Number to, SourceRange range) {
  auto number = value.type.number;
  Value result(value);
  if (host::lowestInteger(to) > host::lowestInteger(number))
    result = minMax(e, true, result, Value(anySize(host::lowestInteger(to))), range);
  if (host::largestInteger(to) < host::largestInteger(number))
    result = minMax(e, false, result, Value(anySize(host::largestInteger(to))), range);
  return *result.as<MachineValue>();
}

/// To i4 or u4, by way of an integer with arithmetic.
static Value convertToSmallInteger(Elaborator &e, MachineValue from, Type type, bool saturate, SourceRange range) {
  auto to = [&](host::Number number) {
    from = *convert(e, Value(from), from.type.withNumber(number), range).as<MachineValue>();
  };
  if (from.type.format().isStorage())
    to(host::Number::F32);
  if (from.type.isBool())
    to(host::Number::U8);
  if (from.type.isFloat()) {
    Type wide = from.type.withNumber(host::Number::U32);
    mlir::Value narrow = floatToInt(e, from, type, range);
    mlir::Value low = arith::ExtUIOp::create(*e.kernel.builder, e.location(range), mlirType(e, wide), narrow);
    return Value(toSmallInteger(e, {low, wide}, type, range));
  }
  return Value(toSmallInteger(e, saturate ? limitInteger(e, from, type.number, range) : from, type, range));
}

/// From i4 or u4. What has no arithmetic either, bool, and numbers out of range go by way of a type that has.
static Value convertFromSmallInteger(Elaborator &e, MachineValue from, Type type, std::optional<bool> saturate,
                                     SourceRange range) {
  const bool isWrapped = from.type.isSigned() && type.isInteger() && !type.isSigned();
  if (type.format().isStorage() || type.isBool() || (isWrapped && saturate == true)) {
    if (isSmallInteger(type) && saturate != true)
      return Value(MachineValue{from.value, type}); // the same bits
    Type by = type.withNumber(type.isFloat()         ? host::Number::F32
                              : from.type.isSigned() ? host::Number::I8
                                                     : host::Number::U8);
    return convert(e, Value(fromSmallInteger(e, from, by, range)), type, range, {saturate});
  }
  return Value(fromSmallInteger(e, from, type, range));
}

/// One of the two is a storage-only format. To floats, integers are converted through f32: those that it rounds are
/// outside the range of every format except e8m0.
static Value convertStored(Elaborator &e, MachineValue from, Type type, std::optional<bool> saturate,
                           SourceRange range) {
  if (isSmallInteger(from.type))
    return convertFromSmallInteger(e, from, type, saturate, range);
  if (isSmallInteger(type))
    return convertToSmallInteger(e, from, type, saturate == true, range);
  const auto &f = from.type.format(), &t = type.format();
  Type single = from.type.withNumber(host::Number::F32);
  if (f.isStorage()) {
    bool isWide = type.isFloat() && !t.isStorage();
    MachineValue wide = fromSmall(e, from, isWide ? type : single, range);
    return isWide ? Value(wide) : convert(e, Value(wide), type, range, {saturate});
  }
  if (t.specials == host::Specials::Finite && saturate == false)
    e.fail(diag::bad_conversion, range,
           {from.type.text(), type.text() + " without saturation: it has neither infinity nor NaN"});
  if (!f.isFloat()) {
    if (t.number == host::Number::E8M0 && f.bits >= 32)
      e.report(diag::bad_conversion, range, {from.type.text(), type.text()})
          .help("convert to f32 first; that conversion rounds, and so does this one"),
          throw Failed{};
    from = {singleToOdd(e, from, range), single};
  }
  return Value(toSmall(e, from, type, saturate.value_or(t.saturates()), range));
}

/// f32 to bf16 by the upper half of its bits: after adding half of the last place, or as they are.
static MachineValue upperHalf(Elaborator &e, MachineValue from, Conversion::Rounding rounding, SourceRange range) {
  const Elementwise m{e.ir(range, "a conversion"), e.location(range), from.type.lanes};
  mlir::Value bits = m.bitcast(from.value, m.b.getI32Type());
  if (rounding == Conversion::Rounding::HalfUp)
    bits = m.add(bits, m.integer(32, 0x8000));
  return {m.bitcast(m.resize(m.shr(bits, 16), 16), m.b.getBF16Type()), from.type.withNumber(host::Number::BF16)};
}

/// `round="half_up"` and `round="truncate"`.
static Value convertRounding(Elaborator &e, const Value &value, Type type, Conversion::Rounding rounding,
                             SourceRange range) {
  auto *from = value.as<MachineValue>();
  const bool fits = from && from->type.number == host::Number::F32 && type.number == host::Number::BF16 &&
                    (type.lanes == from->type.lanes || !type.isVector());
  if (!fits)
    e.fail(diag::bad_conversion, range,
           {describe(value), type.text() + " with `round=`, which is for f32 to bf16 at run time"});
  return Value(upperHalf(e, *from, rounding, range));
}

Value convert(Elaborator &e, const Value &value, Type type, SourceRange range, const Conversion &how) {
  std::optional<bool> saturate = how.saturate;
  if (value.is<ErrorValue>())
    throw Failed{};
  e.refuseRunTime(value, range);
  if (how.rounding != Conversion::Rounding::Nearest)
    return convertRounding(e, value, type, how.rounding, range);
  if (auto *a = value.as<ArrayValue>())
    return fromArray(e, host::to(*a->array, type.number, saturate), range);
  if (auto *h = value.as<HostValue>()) {
    if (!type.isInteger())
      e.fail(diag::bad_conversion, range, {describe(value), type.text()});
    return Value(HostValue{h->expr, type.format().bits});
  }
  auto *from = value.as<MachineValue>();
  if (!from) {
    if (type == Type::scalar(host::Number::Bool) && value.isCompileTime() && !value.isNumber())
      return Value(truth(e, value, range)); // `bool(xs)`
    if (!value.isNumber())
      e.fail(diag::bad_conversion, range, {describe(value), type.text()});
    if (e.onDevice()) {
      if (type.isBool() && !value.is<bool>())
        return Value(constant(e, Value(truth(e, value, range)), type, range));
      if (!type.isFloat() && value.is<double>()) { // the conversion is explicit
        double d = std::trunc(*value.as<double>());
        if (std::isnan(d) || std::abs(d) > 0x1p62)
          e.fail(diag::literal_out_of_range, range, {toText(value), type.text(), rangeText(type.number)});
        return Value(constant(e, Value(int64_t(d)), type, range));
      }
      if (value.origin && !value.origin->firstUse)
        value.origin->firstUse = type.element();
      return Value(constant(e, value, type, range));
    }
    if (type.isFloat()) // on the host: the number as the format holds it
      return Value(host::decode(type.number, host::encode(type.number, toDoubleFor(type.number, e, value, range),
                                                          saturate.value_or(type.format().saturates()))));
    if (type.isBool())
      return Value(truth(e, value, range));
    auto i = toInt64(value);
    if (auto *d = value.as<double>(); d && std::abs(*d) < 0x1p62)
      i = int64_t(*d);
    if (!i || !host::representable(type.number, *i))
      e.fail(diag::literal_out_of_range, range, {toText(value), type.text(), rangeText(type.number)});
    return Value(*i);
  }

  if (!from->type.isVector() && type.isVector())
    return Value(toMachine(e, convert(e, value, type.element(), range, how), type, range));
  if (from->type.isVector() && !type.isVector())
    type.lanes = from->type.lanes;
  if (from->type == type)
    return value;
  if (saturate && host::holds(type.number, from->type.number))
    saturate = false; // nothing is out of range, and an infinity stays one
  if (from->type.lanes != type.lanes)
    e.fail(diag::bad_conversion, range, {from->type.text(), type.text()});
  if (type.isVector() && type.format().bits * type.lanes % 8 != 0 && !type.isBool())
    e.fail(diag::bad_conversion, range,
           {from->type.text(),
            type.text() + ", whose " + std::to_string(type.format().bits * type.lanes) + " bits are no whole bytes"});
  auto &b = e.ir(range, "a conversion");
  auto loc = e.location(range);
  mlir::Type to = mlirType(e, type);
  auto done = [&](mlir::Value v) { return Value(MachineValue{v, type}); };
  const auto &f = from->type.format(), &t = type.format();
  if (f.isStorage() || t.isStorage())
    return convertStored(e, *from, type, saturate, range);
  if (saturate == true && f.isFloat() && t.isFloat() && t.bits == f.bits) { // neither has the other's largest number
    const Type single = from->type.withNumber(host::Number::F32);
    return convert(e, convert(e, value, single, range, {}), type, range, how);
  }
  const bool noNan = e.fastmath & unsigned(arith::FastMathFlags::nnan);
  FastMathScope strict(e, 0); // a conversion rounds once, whatever the author allows arithmetic
  MachineValue limited = *from;
  if (saturate == true && f.isFloat() && t.isFloat() && t.bits < f.bits)
    from = &(limited = clampToRange(e, *from, type.number, range));
  if (saturate == true && f.isInteger() && t.isInteger())
    from = &(limited = limitInteger(e, *from, type.number, range));
  if (f.isFloat() && t.isFloat()) {
    if (t.bits < f.bits) {
      auto rounded = arith::TruncFOp::create(b, loc, to, from->value);
      if (noNan)
        rounded.setFastmath(arith::FastMathFlags::nnan);
      return done(rounded);
    }
    if (t.bits > f.bits)
      return done(arith::ExtFOp::create(b, loc, to, from->value));
    Type wide = type.withNumber(host::Number::F32); // f16 <-> bf16: exact widening, then one rounding
    return done(arith::TruncFOp::create(b, loc, to, arith::ExtFOp::create(b, loc, mlirType(e, wide), from->value)));
  }
  if (t.isBool()) {
    Value zero = f.isFloat() ? Value(0.0) : Value(int64_t(0));
    return e.compare(ast::CompareOp::Ne, value, zero, range, range);
  }
  if (f.isFloat())
    return done(floatToInt(e, *from, type, range));
  if (t.number == host::Number::BF16 && f.bits > 24) // which LLVM rounds to f32 first
    return done(arith::TruncFOp::create(b, loc, to, singleToOdd(e, *from, range)));
  if (t.isFloat()) {
    const MachineValue rounded = {f.isSigned ? arith::SIToFPOp::create(b, loc, to, from->value).getResult()
                                             : arith::UIToFPOp::create(b, loc, to, from->value).getResult(),
                                  type};
    const bool mayOverflow = t.number == host::Number::F16 && f.bits >= (f.isSigned ? 32u : 16u);
    return Value(saturate == true && mayOverflow ? clampToRange(e, rounded, t.number, range) : rounded);
  }
  unsigned fromBits = f.isBool() ? 1 : f.bits;
  if (t.bits < fromBits)
    return done(arith::TruncIOp::create(b, loc, to, from->value));
  if (t.bits > fromBits)
    return done(f.isSigned ? arith::ExtSIOp::create(b, loc, to, from->value).getResult()
                           : arith::ExtUIOp::create(b, loc, to, from->value).getResult());
  return done(from->value); // i32 <-> u32: the same bits
}

Value bitcast(Elaborator &e, const Value &value, Type type, SourceRange range) {
  MachineValue from = toMachine(e, value, range);
  auto bitsOf = [](Type t) {
    return t.isVector() ? t.format().bits * t.lanes : 8 * t.format().bytes();
  }; // alone, in a byte
  unsigned fromBits = bitsOf(from.type), toBits = bitsOf(type);
  if (from.type.isBool() || type.isBool() || fromBits != toBits)
    e.fail(diag::bad_conversion, range,
           {from.type.text() + " of " + std::to_string(fromBits) + " bits",
            type.text() + " of " + std::to_string(toBits) + " bits by `bitcast`"});
  auto &b = e.ir(range, "bitcast");
  auto loc = e.location(range);
  if (!type.isVector() && type.format().bits < 8) // the rest of the byte is zero
    from.value = Elementwise{b, loc, 0}.bitAnd(
        bitcast(e, Value(from), Type::scalar(host::Number::U8), range).as<MachineValue>()->value,
        (1u << type.format().bits) - 1);
  if (from.value.getType() == mlirType(e, type))
    return Value(MachineValue{from.value, type});
  // arith.bitcast keeps the shape, vector.bitcast changes a vector's: scalars pass through a vector of one.
  auto asVector = [&](Type t) { return t.isVector() ? mlirType(e, t) : mlir::VectorType::get({1}, mlirType(e, t)); };
  if (!from.type.isVector() && !type.isVector())
    return Value(MachineValue{arith::BitcastOp::create(b, loc, mlirType(e, type), from.value), type});
  mlir::Value v = from.value;
  if (!from.type.isVector())
    v = mlir::vector::BroadcastOp::create(b, loc, asVector(from.type), v);
  v = mlir::vector::BitCastOp::create(b, loc, llvm::cast<mlir::VectorType>(asVector(type)), v);
  if (!type.isVector())
    v = mlir::vector::ExtractOp::create(b, loc, v, llvm::ArrayRef<int64_t>{0});
  return Value(MachineValue{v, type});
}

[[noreturn]] static void failNotCompileTime(Elaborator &e, const MachineValue &value, llvm::StringRef what,
                                            SourceRange range) {
  auto builder = e.report(diag::not_compile_time, range, {what.str(), value.type.text()});
  labelCarrier(e, builder, value);
  throw Failed{};
}

bool truth(Elaborator &e, const Value &value, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
  e.refuseRunTime(value, range);
  if (auto *b = value.as<bool>())
    return *b;
  if (auto *i = value.as<Int>())
    return *i != Int(0);
  if (auto *d = value.as<double>())
    return *d != 0;
  if (value.isNone())
    return false;
  if (auto *s = value.as<std::string>())
    return !s->empty();
  if (auto *elements = value.sequence())
    return !elements->empty();
  if (auto *dict = value.as<DictValue>())
    return !dict->keys->empty();
  if (auto run = KnownRange::of(value))
    return run->size() > 0;
  if (auto *m = value.as<MachineValue>())
    failNotCompileTime(e, *m, "this condition", range);
  if (auto *a = value.as<ArrayValue>(); a && a->array->size() == 1)
    return a->array->at(0).toDouble() != 0;
  e.fail(diag::bad_condition, range, {describe(value)});
}

MachineValue toCondition(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *m = value.as<MachineValue>()) {
    if (m->type == Type::scalar(host::Number::Bool))
      return *m;
    auto builder = e.report(diag::bad_condition, range, {m->type.text()});
    if (m->type.isVector())
      builder.help(m->type.isBool()
                       ? "use `.all()` to require it of every element, `.any()` to require it of at least one"
                       : "compare it, then reduce the result with `.all()` or `.any()`");
    else
      builder.help("compare it: `" + e.diags.sources.text(range).str() + " != 0`",
                   Fix::possible(range, "(" + e.diags.sources.text(range) + " != 0)"));
    throw Failed{};
  }
  return toMachine(e, Value(truth(e, value, range)), Type::scalar(host::Number::Bool), range);
}

int64_t requireInt(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what) {
  if (value.is<ErrorValue>())
    throw Failed{};
  e.refuseRunTime(value, range);
  if (auto *m = value.as<MachineValue>())
    failNotCompileTime(e, *m, what, range);
  auto i = value.is<double>() ? std::nullopt : toInt64(value);
  if (!i && value.is<Int>())
    e.fail(diag::literal_out_of_range, range, {toText(value), what.str(), "64 bits"});
  if (!i)
    e.fail(range, diag::not_an_integer{.what = what.str(), .found = describe(value)});
  return *i;
}

Type requireType(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *t = value.as<Type>())
    return *t;
  e.fail(diag::not_a_type, range, {describe(value)});
}

static Conversion::Rounding takeRounding(Elaborator &e, const Argument &argument) {
  using Rounding = Conversion::Rounding;
  static const std::pair<const char *, Rounding> names[] = {
      {"nearest", Rounding::Nearest}, {"half_up", Rounding::HalfUp}, {"truncate", Rounding::Truncate}};
  auto *name = argument.value.as<std::string>();
  if (!name)
    e.fail(argument.range, diag::not_a_string{.what = "`round`", .found = describe(argument.value)});
  for (auto &[known, rounding] : names)
    if (*name == known)
      return rounding;
  e.fail(argument.range, diag::unknown_choice{.what = "`round`",
                                              .choices = {"\"nearest\"", "\"half_up\"", "\"truncate\""},
                                              .found = toText(argument.value, true)});
}

Conversion takeConversion(Elaborator &e, Arguments &arguments, llvm::StringRef what) {
  Conversion how;
  for (auto at = arguments.begin(); at != arguments.end();) {
    if (at->keyword.empty()) {
      ++at;
      continue;
    }
    if (at->keyword == "round") {
      how.rounding = takeRounding(e, *at);
      at = arguments.erase(at);
      continue;
    }
    if (at->keyword != "saturate")
      e.fail(diag::unknown_keyword, at->range, {what.str(), at->keyword, "; it has `saturate` and `round`"});
    auto *value = at->value.as<bool>();
    if (!value)
      e.fail(at->range, diag::not_true_or_false{.what = "`saturate`", .found = describe(at->value)});
    how.saturate = *value;
    at = arguments.erase(at);
  }
  return how;
}

} // namespace fly::sema
