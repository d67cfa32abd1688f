// Mathematics on numbers of any type: each function at all of its binding times (number, host array, machine value,
// launch time). Functions of floats are in BuiltinsFloat.cpp.
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/number/SmallFloats.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

namespace fly::sema {

namespace {
namespace arith = mlir::arith;

Value applyAbs(Elaborator &e, BoundCall &call) {
  const Value &x = call[0];
  if (auto *array = x.as<ArrayValue>())
    return fromArray(e, host::apply(host::Unary::Abs, *array->array), call.range);
  if (auto *h = x.as<HostValue>())
    return Value(HostValue{host::make(host::ExprOp::Abs, {h->expr}), h->bits});
  if (auto *d = x.as<double>())
    return Value(std::abs(*d));
  if (x.isNumber())
    return truth(e, e.compare(ast::CompareOp::Lt, x, Value(int64_t(0)), call.range, call.range), call.range)
               ? e.unary(ast::UnaryOp::Neg, x, call.range)
               : x;
  auto *m = x.as<MachineValue>();
  if (!m || m->type.isBool())
    e.fail(call.ranges[0], diag::not_a_number{.what = diag::argument("x", "abs"), .found = describe(x)});
  requireArithmetic(e, m->type, "abs", call.ranges[0]);
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
    return fromArray(e,
                     host::fma(arrayOperand(e, call[0], call.ranges[0]), arrayOperand(e, call[1], call.ranges[1]),
                               arrayOperand(e, call[2], call.ranges[2])),
                     call.range);
  if (!is([](const Value &v) { return v.is<MachineValue>(); })) {
    for (size_t i = 0; i < 3; ++i)
      if (!call[i].isNumber())
        e.fail(call.ranges[i], diag::not_a_number{.what = diag::argument(parameterName(*call.builtin, i), "fma"),
                                                  .found = describe(call[i])});
    return Value(std::fma(toDouble(e, call[0], call.ranges[0]), toDouble(e, call[1], call.ranges[1]),
                          toDouble(e, call[2], call.ranges[2])));
  }
  auto [x, y] = unify(e, call[0], call[1], "fma", call.range, call.range, call.ranges[0], call.ranges[1]);
  auto [z, w] = unify(e, call[2], Value(x), "fma", call.range, call.range, call.ranges[2], call.ranges[0]);
  std::tie(x, y) = unify(e, Value(w), Value(y), "fma", call.range, call.range, call.ranges[0], call.ranges[1]);
  if (!x.type.isFloat())
    e.fail(call.range, diag::not_a_float{.what = diag::argument("x", "fma"), .found = x.type.text()});
  requireArithmetic(e, x.type, "fma", call.range);
  auto &b = e.ir(call.range, "fma");
  auto loc = e.location(call.range);
  return Value(MachineValue{mlir::math::FmaOp::create(b, loc, x.value, y.value, z.value), x.type});
}

Value applyMinMax(Elaborator &e, BoundCall &call) {
  bool isMax = llvm::StringRef(call.builtin->name) == "max";
  Values values;
  bool isSequence = call.rest.size() == 1;
  if (isSequence) {
    if (auto *array = call.rest[0].value.as<ArrayValue>())
      return fromArray(
          e, host::reduce(isMax ? host::Reduction::Max : host::Reduction::Min, *array->array, std::nullopt, false),
          call.range);
    values = e.iterate(call.rest[0].value, call.rest[0].range, "`" + std::string(call.builtin->name) + "`");
  } else
    for (auto &argument : call.rest)
      values.push_back(argument.value);
  if (values.empty() && call.given[1])
    return call[1];
  if (values.empty())
    e.fail(diag::wrong_argument_count, call.range,
           {call.builtin->name, isSequence ? "at least 1 element, or `default=`" : "at least 1 argument", "0"});
  Value best = values[0];
  if (call.given[0]) { // the first whose key is the least
    Value bestKey = apply(e, call[0], {best}, call.range);
    for (auto &value : llvm::drop_begin(values)) {
      Value key = apply(e, call[0], {value}, call.range);
      bool better =
          truth(e, e.compare(ast::CompareOp::Lt, isMax ? bestKey : key, isMax ? key : bestKey, call.range, call.range),
                call.range);
      if (better)
        best = value, bestKey = key;
    }
    return best;
  }
  for (size_t i = 1; i < values.size(); ++i)
    best = minMax(e, isMax, best, values[i], call.range);
  return best;
}

Value applyCeilDiv(Elaborator &e, BoundCall &call) {
  const Value &x = call[0], &y = call[1];
  if (x.sequence() || y.sequence())
    return ceilDivideTuples(e, call);
  if (auto divisor = toInt64(y); divisor && *divisor == 0 && !y.is<double>())
    e.fail(diag::division_by_zero, call.ranges[1], {"ceil_div"});
  if (x.is<HostValue>() || y.is<HostValue>()) {
    auto a = toHostExpr(e, x, host::ExprKind::Int, call.range), b = toHostExpr(e, y, host::ExprKind::Int, call.range);
    unsigned bits =
        std::max(x.is<HostValue>() ? x.as<HostValue>()->bits : 32, y.is<HostValue>() ? y.as<HostValue>()->bits : 32);
    return Value(HostValue{host::make(host::ExprOp::CeilDiv, {a, b}), bits});
  }
  auto r = call.range;
  if (x.is<double>() || y.is<double>() || (x.is<MachineValue>() && !x.as<MachineValue>()->type.isInteger()))
    e.fail(diag::bad_operand, r, {"ceil_div", describe(x.is<double>() || x.is<MachineValue>() ? x : y)});
  auto *m = x.is<MachineValue>() ? x.as<MachineValue>() : y.as<MachineValue>();
  if (m)
    return ceilDivide(e, x, y, m->type, r);
  Value negative = e.unary(ast::UnaryOp::Neg, x, r);
  return e.unary(ast::UnaryOp::Neg, e.binary(ast::BinaryOp::FloorDiv, negative, y, r, r, r, r), r);
}

/// x or y by a condition of the machine, part by part; where both are the same and known, that.
Value select(Elaborator &e, BoundCall &call, const MachineValue &condition, const Value &one, const Value &other);

Value applyWhere(Elaborator &e, BoundCall &call) {
  auto isArray = [](const Value &v) { return v.is<ArrayValue>(); };
  if (isArray(call[0]) || isArray(call[1]) || isArray(call[2]))
    return fromArray(e,
                     host::where(arrayOperand(e, call[0], call.ranges[0]), arrayOperand(e, call[1], call.ranges[1]),
                                 arrayOperand(e, call[2], call.ranges[2])),
                     call.range);
  auto *c = call[0].as<MachineValue>();
  if (!c)
    return truth(e, call[0], call.ranges[0]) ? call[1] : call[2];
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
  if (!c->type.isVector() && one.storage.index() == other.storage.index() && one.isCompileTime() &&
      other.isCompileTime() && equal(one, other).value_or(false))
    return one;
  if (one.is<PointerValue>() || other.is<PointerValue>())
    return e.branch(condition, [&] { return one; }, [&] { return other; }, call.range);
  auto [x, y] = unify(e, one, other, "where", call.range, call.range, call.ranges[1], call.ranges[2]);
  if (c->type.isVector() && !x.type.isVector()) {
    Type wide = Type::vector(x.type.number, c->type.lanes);
    x = toMachine(e, Value(x), wide, call.range), y = toMachine(e, Value(y), wide, call.range);
  }
  if (c->type.isVector() && c->type.lanes != x.type.lanes)
    e.fail(diag::mixed_types, call.range, {"where", c->type.text(), x.type.text()});
  if (c->type.isVector() && isPacked(x.type)) {
    mlir::Value yes = unpackElements(e, x, call.range), no = unpackElements(e, y, call.range);
    mlir::Value chosen = arith::SelectOp::create(e.ir(call.range, "where"), e.location(call.range), c->value, yes, no);
    return Value(MachineValue{packElements(e, chosen, x.type, call.range), x.type});
  }
  return Value(MachineValue{
      arith::SelectOp::create(e.ir(call.range, "where"), e.location(call.range), c->value, x.value, y.value), x.type});
}

Value applyBitcast(Elaborator &e, BoundCall &call) {
  if (auto *array = call[1].as<ArrayValue>()) {
    Type to = requireType(e, call[0], call.ranges[0], "the type");
    auto &x = *array->array;
    // As NumPy's `view`: numbers of another size change the last extent.
    host::Shape shape = x.shape;
    const int64_t from = x.type ? host::memoryBits(host::format(*x.type)) : 0, bits = host::memoryBits(to.format()),
                  row = shape.empty() ? from : shape.back() * from;
    const bool isSame = from == bits;
    if (!x.type || to.isVector() || (!isSame && (shape.empty() || row % bits != 0)))
      e.fail(diag::bad_conversion, call.range,
             {describe(call[1]) + (x.type ? std::string(" of ") + host::format(*x.type).name : ""),
              to.text() + " by its bits"});
    if (!isSame)
      shape.back() = row / bits;
    auto bytes = host::toBytes(x, *x.type, host::rowMajorStrides(x.shape));
    if (!bytes.ok())
      e.fail(diag::bad_array, call.range, {bytes.error});
    return fromArray(e, host::fromBytes(bytes.value, to.number, shape, host::rowMajorStrides(shape)), call.range);
  }
  return bitcast(e, call[1], requireType(e, call[0], call.ranges[0], "the type"), call.range);
}

const Builtin mathRows[] = {
    {"abs", "x", "the absolute value; that of the lowest integer wraps to itself", applyAbs, Takes::FastMath},
    {"fma", "x, y, z", "x * y + z with one rounding", applyFma, Takes::FastMath},
    {"min",
     "*values, key=, default=", "the smallest argument, or the smallest element of a sequence; a number wins over NaN",
     applyMinMax, Takes::FastMath},
    {"max",
     "*values, key=, default=", "the largest argument, or the largest element of a sequence; a number wins over NaN",
     applyMinMax, Takes::FastMath},
    {"ceil_div", "x, y", "the quotient of two integers, rounded up; for tuples, element by element", applyCeilDiv,
     Takes::FastMath},
    {"where", "condition, x, y", "x where the condition holds, else y; both are evaluated", applyWhere,
     Takes::FastMath},
    {"bitcast", "type, x", "the same bits as another type of the same size", applyBitcast, Takes::FastMath},
};
} // namespace

llvm::ArrayRef<Builtin> mathBuiltins() { return mathRows; }

} // namespace fly::sema
