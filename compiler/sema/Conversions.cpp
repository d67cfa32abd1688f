// From literals to machine values and between machine types.
//
// A literal takes a type when it meets one, and must fit: integers exactly, floats within the format's range
// (they round to nearest even). Explicit conversions round once; float to integer truncates, saturates and
// takes NaN to 0, which is what the hardware's own conversions do.
#include "compiler/sema/Containers.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

namespace fly::sema {

namespace arith = mlir::arith;

double toDouble(Elaborator &e, const Value &value, SourceRange range); // Constants.cpp

mlir::Type Elaborator::mlirType(Type type) {
  mlir::Type element;
  switch (type.number) {
  case host::Number::F16: element = mlir::Float16Type::get(&context); break;
  case host::Number::BF16: element = mlir::BFloat16Type::get(&context); break;
  case host::Number::F32: element = mlir::Float32Type::get(&context); break;
  case host::Number::F64: element = mlir::Float64Type::get(&context); break;
  case host::Number::Bool: element = mlir::IntegerType::get(&context, 1); break;
  default: element = mlir::IntegerType::get(&context, type.format().bits); break;
  }
  return type.isVector() ? mlir::Type(mlir::VectorType::get({int64_t(type.lanes)}, element)) : element;
}

static std::string rangeText(host::Number number) {
  if (host::format(number).isFloat())
    // f16's as people know it: the shortest text that reads back as 65504 would be 65500.
    return "+-" + host::toText(number == host::Number::F16 ? host::Number::F64 : number, host::largest(number));
  return host::toText(host::lowestInteger(number)) + " to " + host::toText(host::largestInteger(number));
}

/// The constant of `type` that a compile-time number stands for; reports what does not fit.
static MachineValue constant(Elaborator &e, const Value &value, Type type, SourceRange range) {
  auto &b = e.ir(range, "a machine value");
  mlir::Type mlirType = e.mlirType(type), element = mlir::getElementTypeOrSelf(mlirType);
  mlir::TypedAttr attr;
  auto outOfRange = [&] {
    e.fail(diag::literal_out_of_range, range, {toText(value), type.element().text(), rangeText(type.number)});
  };
  if (type.isFloat()) {
    double wanted = toDouble(e, value, range), rounded = host::roundTo(type.number, wanted);
    if (std::isinf(rounded) && !std::isinf(wanted))
      outOfRange();
    auto &semantics = llvm::cast<mlir::FloatType>(element).getFloatSemantics();
    llvm::APInt bits(type.format().bits, host::encode(type.number, wanted));
    attr = mlir::FloatAttr::get(element, llvm::APFloat(semantics, bits));
  } else {
    if (value.is<double>())
      e.fail(diag::bad_conversion, range, {describe(value), type.element().text() + " without being asked"});
    Int wanted = value.is<bool>() ? Int(*value.as<bool>() ? 1 : 0) : *value.as<Int>();
    if (type.isBool()) {
      if (!value.is<bool>())
        e.fail(diag::bad_conversion, range, {describe(value), "bool without being asked"});
      attr = mlir::IntegerAttr::get(element, int64_t(wanted));
    } else {
      if (wanted < anySize(host::lowestInteger(type.number)) || wanted > anySize(host::largestInteger(type.number)))
        outOfRange();
      Int half(int64_t(1) << 32);
      uint64_t low = uint64_t(int64_t(wanted - half * llvm::floorDiv(wanted, half)));
      uint64_t high = uint64_t(int64_t(llvm::floorDiv(wanted, half)));
      attr = mlir::IntegerAttr::get(element, llvm::APInt(64, (high << 32) | low).trunc(type.format().bits));
    }
  }
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(mlirType))
    attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
  return {arith::ConstantOp::create(b, e.location(range), attr), type};
}

MachineValue Elaborator::toMachine(const Value &value, Type type, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *m = value.as<MachineValue>()) {
    if (m->type == type)
      return *m;
    if (value.origin && !value.origin->firstUse && trialDepth) { // a literal in disguise (ControlFlow.cpp)
      value.origin->firstUse = type.element();
      return {ir::UndefinedOp::create(ir(range, "a machine value"), location(range), mlirType(type)), type};
    }
    if (type.isVector() && m->type == type.element())
      return {mlir::vector::BroadcastOp::create(ir(range, "a vector"), location(range), mlirType(type), m->value), type};
    auto builder = report(diag::bad_conversion, range, {m->type.text(), type.text() + " without being asked"});
    builder.note("machine types never convert silently; a literal would have taken the other's type");
    builder.help("convert it: `" + type.text() + "(" + diags.sources.text(range).str() + ")`");
    throw Failed{};
  }
  if (!value.isNumber())
    fail(diag::bad_conversion, range, {describe(value), type.text()});
  if (value.origin && !value.origin->firstUse)
    value.origin->firstUse = type.element();
  return constant(*this, value, type, range);
}

MachineValue Elaborator::toMachine(const Value &value, SourceRange range) {
  if (auto *m = value.as<MachineValue>())
    return *m;
  if (value.is<ErrorValue>())
    throw Failed{};
  if (!value.isNumber())
    fail(diag::bad_conversion, range, {describe(value), "a machine value"});
  Type type = Type::scalar(value.is<double>() ? host::Number::F32 : value.is<bool>() ? host::Number::Bool : host::Number::I32);
  if (value.origin && value.origin->firstUse)
    type = *value.origin->firstUse;
  return toMachine(value, type, range);
}

/// Saturating float to integer conversion, as LLVM's intrinsic.
static mlir::Value floatToInt(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  auto &b = *e.builder;
  auto loc = e.location(range);
  mlir::Value value = from.value;
  if (from.type.number == host::Number::BF16) { // exact, and the only form every backend selects
    from.type = from.type.withNumber(host::Number::F32);
    value = arith::ExtFOp::create(b, loc, e.mlirType(from.type), value);
  }
  auto suffix = [](Type t) {
    std::string text = t.isVector() ? "v" + std::to_string(t.lanes) : "";
    return text + (t.isFloat() ? "f" : "i") + std::to_string(t.format().bits);
  };
  std::string name = std::string(to.isSigned() ? "llvm.fptosi.sat." : "llvm.fptoui.sat.") + suffix(to) + "." + suffix(from.type);
  auto call = mlir::LLVM::CallIntrinsicOp::create(b, loc, e.mlirType(to), b.getStringAttr(name), mlir::ValueRange(value));
  return call.getResult(0);
}

Value Elaborator::convert(const Value &value, Type type, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *a = value.as<ArrayValue>()) {
    return fromArray(host::to(*a->array, type.number), range);
  }
  if (auto *h = value.as<HostValue>()) {
    if (!type.isInteger())
      fail(diag::bad_conversion, range, {describe(value), type.text()});
    return Value(HostValue{h->expr, type.format().bits});
  }
  auto *from = value.as<MachineValue>();
  if (!from) {
    if (type == Type::scalar(host::Number::Bool) && value.isCompileTime() && !value.isNumber())
      return Value(truth(value, range)); // `bool(xs)`
    if (!value.isNumber())
      fail(diag::bad_conversion, range, {describe(value), type.text()});
    if (onDevice()) {
      if (type.isBool() && !value.is<bool>())
        return Value(constant(*this, Value(truth(value, range)), type, range));
      if (!type.isFloat() && value.is<double>()) { // the conversion was asked for
        double d = std::trunc(*value.as<double>());
        if (std::isnan(d) || std::abs(d) > 0x1p62)
          fail(diag::literal_out_of_range, range, {toText(value), type.text(), rangeText(type.number)});
        return Value(constant(*this, Value(int64_t(d)), type, range));
      }
      if (value.origin && !value.origin->firstUse)
        value.origin->firstUse = type.element();
      return Value(constant(*this, value, type, range));
    }
    if (type.isFloat()) // on the host: the number as the format holds it
      return Value(host::roundTo(type.number, toDouble(*this, value, range)));
    if (type.isBool())
      return Value(truth(value, range));
    auto i = toInt64(value);
    if (auto *d = value.as<double>(); d && std::abs(*d) < 0x1p62)
      i = int64_t(*d);
    if (!i || !host::representable(type.number, *i))
      fail(diag::literal_out_of_range, range, {toText(value), type.text(), rangeText(type.number)});
    return Value(*i);
  }

  if (!from->type.isVector() && type.isVector())
    return Value(toMachine(convert(value, type.element(), range), type, range));
  if (from->type.isVector() && !type.isVector())
    type.lanes = from->type.lanes;
  if (from->type == type)
    return value;
  if (from->type.lanes != type.lanes)
    fail(diag::bad_conversion, range, {from->type.text(), type.text()});
  auto &b = ir(range, "a conversion");
  auto loc = location(range);
  mlir::Type to = mlirType(type);
  auto done = [&](mlir::Value v) { return Value(MachineValue{v, type}); };
  const auto &f = from->type.format(), &t = type.format();
  if (f.isFloat() && t.isFloat()) {
    if (t.bits < f.bits)
      return done(arith::TruncFOp::create(b, loc, to, from->value));
    if (t.bits > f.bits)
      return done(arith::ExtFOp::create(b, loc, to, from->value));
    Type wide = type.withNumber(host::Number::F32); // f16 <-> bf16: exact widening, then one rounding
    return done(arith::TruncFOp::create(b, loc, to, arith::ExtFOp::create(b, loc, mlirType(wide), from->value)));
  }
  if (t.isBool()) {
    Value zero = f.isFloat() ? Value(0.0) : Value(int64_t(0));
    return compare(ast::CompareOp::Ne, value, zero, range, range);
  }
  if (f.isFloat())
    return done(floatToInt(*this, *from, type, range));
  if (t.isFloat())
    return done(f.isSigned ? arith::SIToFPOp::create(b, loc, to, from->value).getResult()
                           : arith::UIToFPOp::create(b, loc, to, from->value).getResult());
  unsigned fromBits = f.isBool() ? 1 : f.bits;
  if (t.bits < fromBits)
    return done(arith::TruncIOp::create(b, loc, to, from->value));
  if (t.bits > fromBits)
    return done(f.isSigned ? arith::ExtSIOp::create(b, loc, to, from->value).getResult()
                           : arith::ExtUIOp::create(b, loc, to, from->value).getResult());
  return done(from->value); // i32 <-> u32: the same bits
}

Value Elaborator::bitcast(const Value &value, Type type, SourceRange range) {
  MachineValue from = toMachine(value, range);
  unsigned fromBits = from.type.format().bits * std::max(1u, from.type.lanes);
  unsigned toBits = type.format().bits * std::max(1u, type.lanes);
  if (from.type.isBool() || type.isBool() || fromBits != toBits)
    fail(diag::bad_conversion, range,
         {from.type.text() + " of " + std::to_string(fromBits) + " bits",
          type.text() + " of " + std::to_string(toBits) + " bits by `bitcast`"});
  if (mlirType(from.type) == mlirType(type))
    return Value(MachineValue{from.value, type});
  auto &b = ir(range, "bitcast");
  auto loc = location(range);
  // arith.bitcast keeps the shape, vector.bitcast changes a vector's: scalars pass through a vector of one.
  auto asVector = [&](Type t) { return t.isVector() ? t : Type::vector(t.number, 1); };
  if (!from.type.isVector() && !type.isVector())
    return Value(MachineValue{arith::BitcastOp::create(b, loc, mlirType(type), from.value), type});
  mlir::Value v = from.value;
  if (!from.type.isVector())
    v = mlir::vector::BroadcastOp::create(b, loc, mlirType(asVector(from.type)), v);
  v = mlir::vector::BitCastOp::create(b, loc, llvm::cast<mlir::VectorType>(mlirType(asVector(type))), v);
  if (!type.isVector())
    v = mlir::vector::ExtractOp::create(b, loc, v, llvm::ArrayRef<int64_t>{0});
  return Value(MachineValue{v, type});
}

bool Elaborator::truth(const Value &value, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
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
    fail(diag::not_compile_time, range, {"this condition", m->type.text()});
  if (auto *a = value.as<ArrayValue>(); a && a->array->size() == 1)
    return a->array->at(0).toDouble() != 0;
  fail(diag::bad_condition, range, {describe(value)});
}

MachineValue Elaborator::condition(const Value &value, SourceRange range) {
  if (auto *m = value.as<MachineValue>()) {
    if (m->type == Type::scalar(host::Number::Bool))
      return *m;
    auto builder = report(diag::bad_condition, range, {m->type.text()});
    if (!m->type.isVector())
      builder.help("compare it: `" + diags.sources.text(range).str() + " != 0`");
    throw Failed{};
  }
  return toMachine(Value(truth(value, range)), Type::scalar(host::Number::Bool), range);
}

int64_t Elaborator::requireInt(const Value &value, SourceRange range, llvm::StringRef what) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *m = value.as<MachineValue>())
    fail(diag::not_compile_time, range, {what.str(), m->type.text()});
  auto i = value.is<double>() ? std::nullopt : toInt64(value);
  if (!i && value.is<Int>())
    fail(diag::literal_out_of_range, range, {toText(value), what.str(), "64 bits"});
  if (!i)
    fail(diag::wrong_value, range, {what.str(), "an integer", describe(value)});
  return *i;
}

Type Elaborator::requireType(const Value &value, SourceRange range, llvm::StringRef what) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *t = value.as<Type>())
    return *t;
  fail(diag::not_a_type, range, {describe(value)});
}

} // namespace fly::sema
