// Functions of floats: exp, sin, pow, floor, ... of numbers, host arrays and machine values.
//
// A row says how the device computes a function, format by format:
//
//     operation    an operation whose lowering in LLVM's AMDGPU backend is good to about an ulp, or an instruction of
//                  the hardware (`fly.approximate`), in its formats
//     intrinsic    one of LLVM's intrinsics, in its formats; the rest of the formats as below
//     library      stdlib/fly/math.fly in f32 and f64
//
// Under the flag `afn`, what stdlib/fly/math_approximate.fly has is computed by that in f32: the hardware's
// instructions.
//
// A function that a row does not have in f16 or bf16 is computed in f32 and rounded once. Vectors are processed element
// by element if the operation does not accept them. The errors are measured: docs/math.md.
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/elaborator/Library.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/number/SmallFloats.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/host/HostArrayMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

namespace fly::sema {

namespace {
namespace arith = mlir::arith;
namespace math = mlir::math;
using Emit = mlir::Value (*)(mlir::OpBuilder &, mlir::Location, mlir::ValueRange);

enum Formats : unsigned {
  None = 0,
  Half = 1,
  Single = 2,
  Double = 4,
  Upto32 = Half | Single,
  All = Half | Single | Double
};
enum class Gives { Float, Bool, Integer };
using enum ir::Approximation;

struct FloatFunction {
  const char *name, *signature, *doc;
  double (*one)(double); ///< on the host
  double (*two)(double, double);
  const char *domain; ///< of a compile-time argument, for the message about one outside; null: all
  Emit operation;
  const char *intrinsic; ///< without the suffix of its type
  unsigned formats;      ///< of the operation or intrinsic
  bool library;          ///< the rest of f32 and f64
  Gives gives = Gives::Float;
  bool secondIsInteger = false;
};

template <typename Op> mlir::Value emitOne(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
  return Op::create(b, loc, x[0]);
}
template <typename Op> mlir::Value emitTwo(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
  return Op::create(b, loc, x[0], x[1]);
}

template <ir::Approximation function>
mlir::Value approximate(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
  return ir::ApproximateOp::create(b, loc, function, x[0]);
}

/// By the two that lower to LLVM's test of classes, which it joins to one.
mlir::Value emitIsInf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
  mlir::Value other =
      arith::OrIOp::create(b, loc, math::IsFiniteOp::create(b, loc, x[0]), math::IsNaNOp::create(b, loc, x[0]));
  mlir::TypedAttr yes = b.getBoolAttr(true);
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(other.getType()))
    yes = mlir::DenseElementsAttr::get(vector, mlir::Attribute(yes));
  return arith::XOrIOp::create(b, loc, other, arith::ConstantOp::create(b, loc, yes));
}

#define HOST(expression) [](double x) -> double { return expression; }, nullptr
#define HOST2(expression) nullptr, [](double x, double y) -> double { return expression; }
const FloatFunction functions[] = {
    {"sqrt", "x", "the square root, correctly rounded in f32 and f64", HOST(std::sqrt(x)), "non-negative",
     emitOne<math::SqrtOp>, nullptr, All, false},
    {"rsqrt", "x", "1 / sqrt(x)", HOST(1 / std::sqrt(x)), "non-negative", approximate<Rsq>, nullptr, Half, true},
    {"cbrt", "x", "the cube root", HOST(std::cbrt(x)), nullptr, nullptr, nullptr, None, true},
    {"rcp", "x", "the hardware's reciprocal, at most 1 ulp off in f32 and f16; `1.0 / x` rounds correctly", HOST(1 / x),
     nullptr, approximate<Rcp>, nullptr, All, false},
    {"exp", "x", "e to the power of x", HOST(std::exp(x)), nullptr, emitOne<math::ExpOp>, nullptr, Upto32, true},
    {"exp2", "x", "2 to the power of x", HOST(std::exp2(x)), nullptr, emitOne<math::Exp2Op>, nullptr, Upto32, true},
    {"exp10", "x", "10 to the power of x", HOST(std::pow(10.0, x)), nullptr, nullptr, "llvm.exp10", Upto32, true},
    {"expm1", "x", "exp(x) - 1, accurate for small x", HOST(std::expm1(x)), nullptr, nullptr, nullptr, None, true},
    {"log", "x", "the natural logarithm", HOST(std::log(x)), "non-negative", emitOne<math::LogOp>, nullptr, Single,
     true},
    {"log2", "x", "the logarithm to base 2; an integer for a compile-time power of two", HOST(std::log2(x)),
     "non-negative", emitOne<math::Log2Op>, nullptr, Upto32, true},
    {"log10", "x", "the logarithm to base 10", HOST(std::log10(x)), "non-negative", emitOne<math::Log10Op>, nullptr,
     Single, true},
    {"log1p", "x", "log(1 + x), accurate for small x", HOST(std::log1p(x)), "at least -1", nullptr, nullptr, None,
     true},
    {"pow", "x, y", "x to the power of y", HOST2(std::pow(x, y)), "not negative, or the power whole", nullptr, nullptr,
     None, true},
    {"hypot", "x, y", "sqrt(x * x + y * y) without intermediate overflow", HOST2(std::hypot(x, y)), nullptr, nullptr,
     nullptr, None, true},
    {"sin", "x", "the sine of an angle in radians of any size", HOST(std::sin(x)), "finite", nullptr, nullptr, None,
     true},
    {"cos", "x", "the cosine", HOST(std::cos(x)), "finite", nullptr, nullptr, None, true},
    {"tan", "x", "the tangent", HOST(std::tan(x)), "finite", nullptr, nullptr, None, true},
    {"asin", "x", "the inverse of the sine, in [-pi/2, pi/2]", HOST(std::asin(x)), "in [-1, 1]", nullptr, nullptr, None,
     true},
    {"acos", "x", "the inverse of the cosine, in [0, pi]", HOST(std::acos(x)), "in [-1, 1]", nullptr, nullptr, None,
     true},
    {"atan", "x", "the inverse of the tangent, in [-pi/2, pi/2]", HOST(std::atan(x)), nullptr, nullptr, nullptr, None,
     true},
    {"atan2", "y, x", "the angle of the point (x, y), in [-pi, pi]", HOST2(std::atan2(x, y)), nullptr, nullptr, nullptr,
     None, true},
    {"sinh", "x", "the hyperbolic sine", HOST(std::sinh(x)), nullptr, nullptr, nullptr, None, true},
    {"cosh", "x", "the hyperbolic cosine", HOST(std::cosh(x)), nullptr, nullptr, nullptr, None, true},
    {"tanh", "x", "the hyperbolic tangent", HOST(std::tanh(x)), nullptr, nullptr, nullptr, None, true},
    {"asinh", "x", "the inverse of sinh", HOST(std::asinh(x)), nullptr, nullptr, nullptr, None, true},
    {"acosh", "x", "the non-negative inverse of cosh", HOST(std::acosh(x)), "at least 1", nullptr, nullptr, None, true},
    {"atanh", "x", "the inverse of tanh", HOST(std::atanh(x)), "in [-1, 1]", nullptr, nullptr, None, true},
    {"erf", "x", "the error function", HOST(std::erf(x)), nullptr, nullptr, nullptr, None, true},
    {"erfc", "x", "1 - erf(x), accurate where the result is small", HOST(std::erfc(x)), nullptr, nullptr, nullptr, None,
     true},
    {"floor", "x", "the largest integer not above x, as a float", HOST(std::floor(x)), nullptr, emitOne<math::FloorOp>,
     nullptr, All, false},
    {"ceil", "x", "the smallest integer not below x, as a float", HOST(std::ceil(x)), nullptr, emitOne<math::CeilOp>,
     nullptr, All, false},
    {"trunc", "x", "x rounded towards zero to an integer, as a float", HOST(std::trunc(x)), nullptr,
     emitOne<math::TruncOp>, nullptr, All, false},
    {"rint", "x", "the nearest integer, ties to even, as a float", HOST(std::nearbyint(x)), nullptr,
     emitOne<math::RoundEvenOp>, nullptr, All, false},
    {"fmod", "x, y", "the remainder of x / y, with the sign of x; exact", HOST2(std::fmod(x, y)),
     "finite, and the divisor not 0", emitTwo<arith::RemFOp>, nullptr, Single | Double, false},
    {"copysign", "x, y", "the magnitude of x with the sign of y", HOST2(std::copysign(x, y)), nullptr,
     emitTwo<math::CopySignOp>, nullptr, All, false},
    {"ldexp", "x, n", "x * 2**n with one rounding, for an integer n",
     HOST2(std::ldexp(x, int(y < -5000  ? -5000
                             : y > 5000 ? 5000
                                        : y))),
     nullptr, nullptr, "llvm.ldexp", All, false, Gives::Float, true},
    {"isnan", "x", "whether x is NaN", HOST(std::isnan(x)), nullptr, emitOne<math::IsNaNOp>, nullptr, All, false,
     Gives::Bool},
    {"isinf", "x", "whether x is an infinity", HOST(std::isinf(x)), nullptr, emitIsInf, nullptr, All, false,
     Gives::Bool},
    {"isfinite", "x", "whether x is neither infinite nor NaN", HOST(std::isfinite(x)), nullptr,
     emitOne<math::IsFiniteOp>, nullptr, All, false, Gives::Bool},
    // The hardware's functions, for the standard library: approximations that treat f32 denormals as zero.
    {"__rcp", "x", "", HOST(1 / x), nullptr, approximate<Rcp>, nullptr, Single | Double, false},
    {"__rsq", "x", "", HOST(1 / std::sqrt(x)), nullptr, approximate<Rsq>, nullptr, Single | Double, false},
    {"__exp2", "x", "", HOST(std::exp2(x)), nullptr, approximate<Exp2>, nullptr, Single, false},
    {"__log2", "x", "", HOST(std::log2(x)), nullptr, approximate<Log2>, nullptr, Single, false},
    {"__sin_of_turns", "x", "", HOST(std::sin(x * 6.283185307179586)), nullptr, approximate<SinOfTurns>, nullptr,
     Single, false},
    {"__cos_of_turns", "x", "", HOST(std::cos(x * 6.283185307179586)), nullptr, approximate<CosOfTurns>, nullptr,
     Single, false},
    {"__fract", "x", "", HOST(x - std::floor(x)), nullptr, approximate<Fract>, nullptr, Single, false},
    {"__exp", "x", "", HOST(std::exp(x)), nullptr, emitOne<math::ExpOp>, nullptr, Single, false},
    {"__frexp_mantissa", "x", "", HOST(x), nullptr, approximate<FrexpMantissa>, nullptr, Single | Double, false},
    {"__frexp_exponent", "x", "", HOST(x), nullptr, approximate<FrexpExponent>, nullptr, Single | Double, false,
     Gives::Integer},
};
#undef HOST
#undef HOST2

/// The functions of math_approximate.fly.
constexpr llvm::StringLiteral approximated[] = {"rsqrt", "cbrt", "exp", "exp2", "exp10", "log",  "log2", "log10",
                                                "pow",   "sin",  "cos", "tan",  "sinh",  "cosh", "tanh"};

const FloatFunction &functionOf(const BoundCall &call) {
  return *llvm::find_if(functions, [&](auto &f) { return llvm::StringRef(f.name) == call.builtin->name; });
}

unsigned formatBit(host::Number number) {
  switch (number) {
  case host::Number::F16: return Half;
  case host::Number::F32: return Single;
  case host::Number::F64: return Double;
  default: return None; // bf16 has no native arithmetic
  }
}

Type resultType(const FloatFunction &f, Type x) {
  return f.gives == Gives::Float ? x : x.withNumber(f.gives == Gives::Bool ? host::Number::Bool : host::Number::I32);
}

/// One function at one place, on machine values.
struct Emission {
  Elaborator &e;
  const FloatFunction &f;
  SourceRange range;
  mlir::OpBuilder &b;
  mlir::Location loc;

  MachineValue element(MachineValue v, unsigned lane) const {
    if (!v.type.isVector())
      return v;
    return {mlir::vector::ExtractOp::create(b, loc, v.value, llvm::ArrayRef<int64_t>{int64_t(lane)}), v.type.element()};
  }

  MachineValue callIntrinsic(llvm::ArrayRef<MachineValue> x) const {
    Type type = x[0].type, result = resultType(f, type);
    std::string name = f.intrinsic;
    llvm::SmallVector<mlir::Value> operands;
    for (auto &v : x)
      operands.push_back(v.value);
    name += ".f" + std::to_string(type.format().bits);
    if (f.secondIsInteger)
      name += ".i32";
    auto call = mlir::LLVM::CallIntrinsicOp::create(b, loc, mlirType(e, result), b.getStringAttr(name), operands);
    return {call.getResult(0), result};
  }

  /// Of operands of one format that the row has.
  MachineValue emit(llvm::ArrayRef<MachineValue> x) const {
    Type type = x[0].type;
    bool native = f.formats & formatBit(type.number);
    bool isApproximate = type.number == host::Number::F32 && (e.fastmath & unsigned(arith::FastMathFlags::afn)) &&
                         llvm::is_contained(approximated, f.name);
    if (native && f.operation && !isApproximate) {
      llvm::SmallVector<mlir::Value> operands;
      for (auto &v : x)
        operands.push_back(v.value);
      return {f.operation(b, loc, operands), resultType(f, type)};
    }
    if (type.isVector()) {
      llvm::SmallVector<mlir::Value> results;
      for (unsigned lane = 0; lane < type.lanes; ++lane) {
        llvm::SmallVector<MachineValue> parts;
        for (auto &v : x)
          parts.push_back(element(v, lane));
        results.push_back(emit(parts).value);
      }
      Type result = resultType(f, type);
      return {mlir::vector::FromElementsOp::create(b, loc, llvm::cast<mlir::VectorType>(mlirType(e, result)), results),
              result};
    }
    if (native && !isApproximate)
      return callIntrinsic(x);
    Values arguments;
    for (auto &v : x)
      arguments.push_back(Value(v));
    Value result =
        callLibrary(e, isApproximate ? "fly.math_approximate" : "fly.math", f.name, std::move(arguments), range);
    return *result.as<MachineValue>();
  }

  /// To f32, exactly. A bf16 by its bits: LLVM would narrow the remainder of two extensions to one of bf16, which it
  /// cannot generate code for.
  MachineValue widen(MachineValue v, Type wide) const {
    if (v.type.number != host::Number::BF16 || f.one)
      return *convert(e, Value(v), wide, range).as<MachineValue>();
    mlir::Type words = mlirType(e, wide.withNumber(host::Number::U32));
    mlir::Value bits = arith::BitcastOp::create(b, loc, mlirType(e, v.type.withNumber(host::Number::U16)), v.value);
    bits = arith::ExtUIOp::create(b, loc, words, bits);
    mlir::TypedAttr sixteen = b.getI32IntegerAttr(16);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(words))
      sixteen = mlir::DenseElementsAttr::get(vector, mlir::Attribute(sixteen));
    bits = arith::ShLIOp::create(b, loc, bits, arith::ConstantOp::create(b, loc, sixteen));
    return {arith::BitcastOp::create(b, loc, mlirType(e, wide), bits), wide};
  }

  Value operator()(llvm::SmallVector<MachineValue> x) const {
    Type type = x[0].type;
    bool has = f.formats & formatBit(type.number),
         viaLibrary = f.library && (type.number == host::Number::F32 || type.number == host::Number::F64);
    if (has || viaLibrary)
      return Value(emit(x));
    Type wide = type.withNumber(host::Number::F32);
    for (auto &v : x)
      if (v.type.isFloat())
        v = widen(v, wide);
    Value result = Value(emit(x));
    return f.gives == Gives::Float ? convert(e, result, type, range) : result;
  }
};

void requireFloat(Elaborator &e, const FloatFunction &f, const Value &x, SourceRange range) {
  auto *m = x.as<MachineValue>();
  if (!m || !m->type.isFloat())
    e.fail(range, diag::not_a_float{.what = diag::argument("x", f.name), .found = describe(x)});
  requireArithmetic(e, m->type, f.name, range);
}

void outside(Elaborator &e, const FloatFunction &f, const Value &x, SourceRange range) {
  e.fail(diag::wrong_value, range, {"the argument of `" + std::string(f.name) + "`", f.domain, toText(x)});
}

Value applyOne(Elaborator &e, BoundCall &call) {
  const FloatFunction &f = functionOf(call);
  const Value &x = call[0];
  bool rounds = f.operation && !f.library && f.formats == All && !f.domain && f.gives == Gives::Float &&
                llvm::StringRef(f.name) != "rcp";
  if (auto *array = x.as<ArrayValue>()) {
    if (rounds && !array->array->isFloat())
      return x;
    return fromArray(e, host::map(f.one, *array->array, f.gives == Gives::Bool), call.range);
  }
  if (x.isNumber()) {
    if (llvm::StringRef(f.name) == "log2" && x.is<Int>()) // of a power of two: an integer, as in shapes
      if (auto i = toInt64(x); i && *i > 0 && (*i & (*i - 1)) == 0)
        return Value(int64_t(std::log2(double(*i))));
    if (rounds && x.is<Int>())
      return x;
    double value = toDouble(e, x, call.ranges[0]), result = f.one(value);
    if (f.gives == Gives::Bool)
      return Value(result != 0);
    if (f.domain && std::isnan(result) && !std::isnan(value))
      outside(e, f, x, call.ranges[0]);
    return Value(result);
  }
  requireFloat(e, f, x, call.ranges[0]);
  Emission emission{e, f, call.range, e.ir(call.range, f.name), e.location(call.range)};
  return emission({*x.as<MachineValue>()});
}

/// `ldexp(x, n)`: n is an i32, a vector of them, or a number.
MachineValue exponent(Elaborator &e, const Value &n, Type x, SourceRange range) {
  auto *m = n.as<MachineValue>();
  Type type = x.withNumber(host::Number::I32);
  if (m && (!m->type.isInteger() || m->type.number != host::Number::I32))
    e.fail(range, diag::argument_of_type{.what = diag::argument("n", "ldexp"), .type = "i32", .found = describe(n)});
  return toMachine(e, n, type, range);
}

Value applyTwo(Elaborator &e, BoundCall &call) {
  const FloatFunction &f = functionOf(call);
  const Value &x = call[0], &y = call[1];
  if (x.is<ArrayValue>() || y.is<ArrayValue>())
    return fromArray(e, host::map(f.two, arrayOperand(e, x, call.ranges[0]), arrayOperand(e, y, call.ranges[1])),
                     call.range);
  if (x.isNumber() && y.isNumber()) {
    if (f.secondIsInteger)
      requireInt(e, y, call.ranges[1], "the second argument of `ldexp`");
    double a = toDouble(e, x, call.ranges[0]), b = toDouble(e, y, call.ranges[1]), result = f.two(a, b);
    if (f.domain && std::isnan(result) && !std::isnan(a) && !std::isnan(b))
      outside(e, f, x, call.ranges[0]);
    return Value(result);
  }
  if (f.secondIsInteger) {
    MachineValue first = toMachine(e, x, call.ranges[0]);
    requireFloat(e, f, Value(first), call.ranges[0]);
    Emission emission{e, f, call.range, e.ir(call.range, f.name), e.location(call.range)};
    return emission({first, exponent(e, y, first.type, call.ranges[1])});
  }
  auto [a, b] = unify(e, x, y, f.name, call.range, call.range, call.ranges[0], call.ranges[1]);
  requireFloat(e, f, Value(a), x.is<MachineValue>() ? call.ranges[0] : call.ranges[1]);
  Emission emission{e, f, call.range, e.ir(call.range, f.name), e.location(call.range)};
  return emission({a, b});
}

const std::vector<Builtin> &floatRows() {
  static const auto rows = [] {
    std::vector<Builtin> out;
    for (auto &f : functions)
      if (llvm::StringRef(f.name) != "pow") // of integers too: BuiltinsNumbers.cpp
        out.push_back({f.name, f.signature, f.doc, f.one ? applyOne : applyTwo, Takes::FastMath});
    return out;
  }();
  return rows;
}
} // namespace

llvm::ArrayRef<Builtin> floatBuiltins() { return floatRows(); }

Value floatPower(Elaborator &e, const Value &x, const Value &y, SourceRange range, SourceRange xRange,
                 SourceRange yRange) {
  static const Builtin pow{"pow", "x, y", "", applyTwo};
  BoundCall call{&pow, {x, y}, {xRange, yRange}, {true, true}, {}, range};
  return applyTwo(e, call);
}

} // namespace fly::sema
