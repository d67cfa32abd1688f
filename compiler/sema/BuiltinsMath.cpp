// Mathematics: each function at all of its binding times (number, host array, machine value, launch time).
#include "compiler/sema/Builtins.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace fly::sema {

double toDouble(Elaborator &e, const Value &value, SourceRange range); // Constants.cpp

namespace {
namespace arith = mlir::arith;

/// A float function of one argument.
struct UnaryFunction {
  const char *name;
  host::Unary onArray;
  double (*onNumber)(double);
  mlir::Value (*emit)(mlir::OpBuilder &, mlir::Location, mlir::Value);
  bool hasF64;      ///< the hardware, or an expansion in the backend, computes it in f64
};

const UnaryFunction unaryFunctions[] = {
    {"sqrt", host::Unary::Sqrt, [](double x) { return std::sqrt(x); },
     [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) -> mlir::Value { return mlir::math::SqrtOp::create(b, loc, x); }, true},
    {"exp2", host::Unary::Exp2, [](double x) { return std::exp2(x); },
     [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) -> mlir::Value { return mlir::math::Exp2Op::create(b, loc, x); }, false},
    {"log2", host::Unary::Log2, [](double x) { return std::log2(x); },
     [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) -> mlir::Value { return mlir::math::Log2Op::create(b, loc, x); }, false},
    {"rcp", host::Unary::Rcp, [](double x) { return 1 / x; },
     [](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) -> mlir::Value { return ir::RcpOp::create(b, loc, x); }, true},
};

/// bf16 has no arithmetic of its own on every target: computed in f32 and rounded once.
Value throughF32(Elaborator &e, MachineValue x, SourceRange range, llvm::function_ref<mlir::Value(mlir::Value)> emit) {
  if (x.type.number != host::Number::BF16)
    return Value(MachineValue{emit(x.value), x.type});
  Type wide = x.type.withNumber(host::Number::F32);
  auto value = *e.convert(Value(x), wide, range).as<MachineValue>();
  return e.convert(Value(MachineValue{emit(value.value), wide}), x.type, range);
}

Value applyUnary(Elaborator &e, BoundCall &call) {
  const UnaryFunction &f = *llvm::find_if(unaryFunctions, [&](auto &f) { return llvm::StringRef(f.name) == call.builtin->name; });
  const Value &x = call[0];
  if (auto *array = x.as<ArrayValue>())
    return e.fromArray(host::apply(f.onArray, *array->array), call.range);
  if (x.isNumber()) {
    if (llvm::StringRef(f.name) == "log2" && x.is<Int>()) // of a power of two: an integer, as in shapes
      if (auto i = toInt64(x); i && *i > 0 && (*i & (*i - 1)) == 0)
        return Value(int64_t(std::log2(double(*i))));
    double value = toDouble(e, x, call.ranges[0]);
    if ((llvm::StringRef(f.name) == "sqrt" && value < 0) || (llvm::StringRef(f.name) == "log2" && value < 0))
      e.fail(diag::wrong_value, call.ranges[0], {"the argument of `" + std::string(f.name) + "`", "not negative", toText(x)});
    return Value(f.onNumber(value));
  }
  auto *m = x.as<MachineValue>();
  if (!m || !m->type.isFloat())
    e.fail(diag::wrong_argument_type, call.ranges[0], {f.name, "a float", "x", describe(x)});
  if (m->type.number == host::Number::F64 && !f.hasF64) {
    e.report(diag::not_on_target, call.range, {"`" + std::string(f.name) + "` of f64", std::string(e.target.name)})
        .help("compute it in f32: `f64(" + std::string(f.name) + "(f32(" + e.diags.sources.text(call.ranges[0]).str() + ")))`");
    throw Failed{};
  }
  auto &b = e.ir(call.range, f.name);
  return throughF32(e, *m, call.range, [&](mlir::Value v) { return f.emit(b, e.location(call.range), v); });
}

Value applyExp(Elaborator &e, BoundCall &call) {
  bool isExp = llvm::StringRef(call.builtin->name) == "exp";
  if (auto *array = call[0].as<ArrayValue>())
    return e.fromArray(host::apply(isExp ? host::Unary::Exp : host::Unary::Log, *array->array), call.range);
  if (call[0].isNumber()) {
    double x = toDouble(e, call[0], call.ranges[0]);
    if (!isExp && x < 0)
      e.fail(diag::wrong_value, call.ranges[0], {"the argument of `log`", "not negative", toText(call[0])});
    return Value(isExp ? std::exp(x) : std::log(x));
  }
  e.report(diag::not_supported, call.range, {"`" + std::string(call.builtin->name) + "` in a kernel",
                                             isExp ? "write `exp2(x * 1.4426950408889634)`" : "write `log2(x) * 0.6931471805599453`"});
  throw Failed{};
}

Value applyAbs(Elaborator &e, BoundCall &call) {
  const Value &x = call[0];
  if (auto *array = x.as<ArrayValue>())
    return e.fromArray(host::apply(host::Unary::Abs, *array->array), call.range);
  if (auto *h = x.as<HostValue>())
    return Value(HostValue{host::make(host::ExprOp::Abs, {h->expr}), h->bits});
  if (auto *d = x.as<double>())
    return Value(std::abs(*d));
  if (x.isNumber())
    return e.truth(e.compare(ast::CompareOp::Lt, x, Value(int64_t(0)), call.range, call.range), call.range)
               ? e.unary(ast::UnaryOp::Neg, x, call.range) : x;
  auto *m = x.as<MachineValue>();
  if (!m || m->type.isBool())
    e.fail(diag::wrong_argument_type, call.ranges[0], {"abs", "a number", "x", describe(x)});
  auto &b = e.ir(call.range, "abs");
  if (m->type.isFloat())
    return Value(MachineValue{mlir::math::AbsFOp::create(b, e.location(call.range), m->value), m->type});
  if (!m->type.isSigned())
    return x;
  return Value(MachineValue{mlir::math::AbsIOp::create(b, e.location(call.range), m->value), m->type});
}

Value applyFma(Elaborator &e, BoundCall &call) {
  auto is = [&](auto test) { return test(call[0]) || test(call[1]) || test(call[2]); };
  if (is([](const Value &v) { return v.is<ArrayValue>(); }))
    return e.fromArray(host::fma(e.arrayOperand(call[0], call.ranges[0]), e.arrayOperand(call[1], call.ranges[1]),
                                 e.arrayOperand(call[2], call.ranges[2])), call.range);
  if (!is([](const Value &v) { return v.is<MachineValue>(); }))
    return Value(std::fma(toDouble(e, call[0], call.ranges[0]), toDouble(e, call[1], call.ranges[1]), toDouble(e, call[2], call.ranges[2])));
  auto [x, y] = e.unify(call[0], call[1], "fma", call.range, call.range, call.ranges[0], call.ranges[1]);
  auto [z, w] = e.unify(call[2], Value(x), "fma", call.range, call.range, call.ranges[2], call.ranges[0]);
  std::tie(x, y) = e.unify(Value(w), Value(y), "fma", call.range, call.range, call.ranges[0], call.ranges[1]);
  if (!x.type.isFloat())
    e.fail(diag::wrong_argument_type, call.range, {"fma", "floats", "x", x.type.text()});
  auto &b = e.ir(call.range, "fma");
  auto loc = e.location(call.range);
  if (x.type.number == host::Number::BF16) {
    Type wide = x.type.withNumber(host::Number::F32);
    auto up = [&](MachineValue v) { return e.convert(Value(v), wide, call.range).as<MachineValue>()->value; };
    MachineValue result{mlir::math::FmaOp::create(b, loc, up(x), up(y), up(z)), wide};
    return e.convert(Value(result), x.type, call.range);
  }
  return Value(MachineValue{mlir::math::FmaOp::create(b, loc, x.value, y.value, z.value), x.type});
}

Value applyMinMax(Elaborator &e, BoundCall &call) {
  bool isMax = llvm::StringRef(call.builtin->name) == "max";
  Values values;
  if (call.rest.size() == 1) {
    if (auto *array = call.rest[0].value.as<ArrayValue>())
      return e.fromArray(host::reduce(isMax ? host::Reduction::Max : host::Reduction::Min, *array->array, std::nullopt, false), call.range);
    values = e.iterate(call.rest[0].value, call.rest[0].range, call.builtin->name);
  } else
    for (auto &argument : call.rest)
      values.push_back(argument.value);
  if (values.empty())
    e.fail(diag::wrong_argument_count, call.range, {call.builtin->name, "at least 1 argument", "0"});
  Value best = values[0];
  for (size_t i = 1; i < values.size(); ++i)
    best = e.minMax(isMax, best, values[i], call.range);
  return best;
}

Value applyCeilDiv(Elaborator &e, BoundCall &call) {
  const Value &x = call[0], &y = call[1];
  if (auto divisor = toInt64(y); divisor && *divisor == 0 && !y.is<double>())
    e.fail(diag::division_by_zero, call.ranges[1], {"ceil_div"});
  if (x.is<HostValue>() || y.is<HostValue>()) {
    auto a = e.toHostExpr(x, host::ExprKind::Int, call.range), b = e.toHostExpr(y, host::ExprKind::Int, call.range);
    unsigned bits = std::max(x.is<HostValue>() ? x.as<HostValue>()->bits : 32, y.is<HostValue>() ? y.as<HostValue>()->bits : 32);
    return Value(HostValue{host::make(host::ExprOp::CeilDiv, {a, b}), bits});
  }
  auto r = call.range;
  if (x.is<double>() || y.is<double>() || (x.is<MachineValue>() && !x.as<MachineValue>()->type.isInteger()))
    e.fail(diag::bad_operand, r, {"ceil_div", describe(x.is<double>() || x.is<MachineValue>() ? x : y)});
  auto *m = x.is<MachineValue>() ? x.as<MachineValue>() : y.as<MachineValue>();
  if (m)
    return e.ceilDivide(x, y, m->type, r);
  Value negative = e.unary(ast::UnaryOp::Neg, x, r);
  return e.unary(ast::UnaryOp::Neg, e.binary(ast::BinaryOp::FloorDiv, negative, y, r, r, r, r), r);
}

/// x or y by a condition of the machine, part by part; where both are the same and known, that.
Value select(Elaborator &e, BoundCall &call, const MachineValue &condition, const Value &one, const Value &other);

Value applyWhere(Elaborator &e, BoundCall &call) {
  auto isArray = [](const Value &v) { return v.is<ArrayValue>(); };
  if (isArray(call[0]) || isArray(call[1]) || isArray(call[2]))
    return e.fromArray(host::where(e.arrayOperand(call[0], call.ranges[0]), e.arrayOperand(call[1], call.ranges[1]),
                                   e.arrayOperand(call[2], call.ranges[2])), call.range);
  auto *c = call[0].as<MachineValue>();
  if (!c)
    return e.truth(call[0], call.ranges[0]) ? call[1] : call[2];
  if (!c->type.isBool())
    e.fail(diag::bad_condition, call.ranges[0], {c->type.text()});
  return select(e, call, *c, call[1], call[2]);
}

Value select(Elaborator &e, BoundCall &call, const MachineValue &condition, const Value &one, const Value &other) {
  auto *c = &condition;
  if (one.parts() && one.sameShape(other)) {
    Values parts;
    for (auto [x, y] : llvm::zip(*one.parts(), *other.parts()))
      parts.push_back(select(e, call, condition, x, y));
    return one.withParts(std::move(parts));
  }
  if (!c->type.isVector() && one.storage.index() == other.storage.index() && one.isCompileTime() && other.isCompileTime() &&
      equal(one, other).value_or(false))
    return one;
  auto [x, y] = e.unify(one, other, "where", call.range, call.range, call.ranges[1], call.ranges[2]);
  if (c->type.isVector() && !x.type.isVector()) {
    Type wide = Type::vector(x.type.number, c->type.lanes);
    x = e.toMachine(Value(x), wide, call.range), y = e.toMachine(Value(y), wide, call.range);
  }
  if (c->type.isVector() && c->type.lanes != x.type.lanes)
    e.fail(diag::mixed_types, call.range, {"where", c->type.text(), x.type.text()});
  return Value(MachineValue{arith::SelectOp::create(e.ir(call.range, "where"), e.location(call.range), c->value, x.value, y.value), x.type});
}

Value applyBitcast(Elaborator &e, BoundCall &call) {
  if (auto *array = call[1].as<ArrayValue>()) {
    Type to = e.requireType(call[0], call.ranges[0], "the type");
    auto &x = *array->array;
    if (!x.type || to.isVector() || host::format(*x.type).bits != to.format().bits)
      e.fail(diag::bad_conversion, call.range, {describe(call[1]) + (x.type ? std::string(" of ") + host::format(*x.type).name : ""), to.text() + " by its bits"});
    auto strides = host::rowMajorStrides(x.shape);
    auto bytes = host::toBytes(x, *x.type, strides);
    if (!bytes.ok())
      e.fail(diag::bad_array, call.range, {bytes.error});
    return e.fromArray(host::fromBytes(bytes.value, to.number, x.shape, strides), call.range);
  }
  return e.bitcast(call[1], e.requireType(call[0], call.ranges[0], "the type"), call.range);
}

const Builtin table[] = {
    {"sqrt", "x", "the square root, correctly rounded in f32 and f64", applyUnary},
    {"exp2", "x", "2 to the power of x", applyUnary},
    {"log2", "x", "the logarithm to base 2; of a compile-time power of two an integer", applyUnary},
    {"rcp", "x", "the hardware's reciprocal, at most 1 ulp off; `1.0 / x` rounds correctly", applyUnary},
    {"exp", "x", "e to the power of x, of host arrays and compile-time numbers", applyExp},
    {"log", "x", "the natural logarithm, of host arrays and compile-time numbers", applyExp},
    {"abs", "x", "the absolute value; that of the lowest integer wraps to itself", applyAbs},
    {"fma", "x, y, z", "x * y + z with one rounding", applyFma},
    {"min", "*values", "the least of its arguments, or of a sequence; a number wins over NaN", applyMinMax},
    {"max", "*values", "the greatest of its arguments, or of a sequence; a number wins over NaN", applyMinMax},
    {"ceil_div", "x, y", "the quotient of integers, rounded up", applyCeilDiv},
    {"where", "condition, x, y", "x where the condition holds, else y; both are evaluated", applyWhere},
    {"bitcast", "type, x", "the same bits as another type of the same size", applyBitcast},
};
} // namespace

llvm::ArrayRef<Builtin> mathBuiltins() { return table; }

} // namespace fly::sema
