// Machine integers and floats.
//
// Integers: `//` and `%` floor, overflow wraps, a shift by a known amount must be smaller than the width and
// one by a run-time amount is masked. LLVM leaves x / 0 and MIN / -1 undefined. Here the first is an unspecified number
// and the second wraps, so no later pass may draw conclusions from a division.
#include "compiler/sema/number/Arithmetic.h"

#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/number/SmallFloats.h"
#include "compiler/sema/number/Vectors.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

namespace arith = mlir::arith;
using ast::BinaryOp;
using ast::CompareOp;

std::optional<llvm::APInt> constantOf(mlir::Value value) {
  auto op = value.getDefiningOp<arith::ConstantOp>();
  if (!op)
    return std::nullopt;
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(op.getValue()))
    return integer.getValue();
  if (auto splat = llvm::dyn_cast<mlir::SplatElementsAttr>(op.getValue()))
    if (llvm::isa<mlir::IntegerType>(splat.getElementType()))
      return splat.getSplatValue<llvm::APInt>();
  return std::nullopt;
}

std::pair<MachineValue, MachineValue> unify(Elaborator &e, const Value &lhs, const Value &rhs, llvm::StringRef op,
                                            SourceRange range, SourceRange opRange, SourceRange lhsRange,
                                            SourceRange rhsRange) {
  auto *x = lhs.as<MachineValue>(), *y = rhs.as<MachineValue>();
  if (!x && !y)
    return {toMachine(e, lhs, lhsRange), toMachine(e, rhs, rhsRange)};
  auto splat = [&](MachineValue value, Type type) { return broadcast(e, value, type, range); };
  auto literal = [&](const Value &value, Type type, SourceRange where) {
    if (!value.isNumber())
      e.fail(diag::bad_operand, where, {op.str(), describe(value)});
    return toMachine(e, value, type, where);
  };
  if (!y)
    return {*x, literal(rhs, x->type, rhsRange)};
  if (!x)
    return {literal(lhs, y->type, lhsRange), *y};
  if (x->type == y->type)
    return {*x, *y};
  if (lhs.choice && !rhs.choice)
    return {toMachine(e, lhs, y->type, lhsRange), *y};
  if (rhs.choice && !lhs.choice)
    return {*x, toMachine(e, rhs, x->type, rhsRange)};
  // In a trial, a literal that pretends to have a type takes the type that it is combined with (ControlFlow.cpp).
  auto undisguise = [&](const Value &value, const MachineValue &other) -> std::optional<MachineValue> {
    if (!value.origin || value.origin->firstUse)
      return std::nullopt;
    value.origin->firstUse = other.type.element();
    Type type = other.type.element();
    return MachineValue{ir::UndefinedOp::create(*e.kernel.builder, e.location(range), mlirType(e, type)), type};
  };
  if (auto other = undisguise(lhs, *y))
    return unify(e, Value(*other), rhs, op, range, opRange, lhsRange, rhsRange);
  if (auto other = undisguise(rhs, *x))
    return unify(e, lhs, Value(*other), op, range, opRange, lhsRange, rhsRange);
  if (x->type.isVector() && y->type == x->type.element())
    return {*x, splat(*y, x->type)};
  if (y->type.isVector() && x->type == y->type.element())
    return {splat(*x, y->type), *y};
  {
    auto builder =
        e.report(diag::mixed_types, opRange.valid() ? opRange : range, {op.str(), x->type.text(), y->type.text()});
    const bool areApart = lhsRange.begin != rhsRange.begin; // arguments of `max` have the place of the call
    if (areApart)
      builder.label(lhsRange, x->type.text()).label(rhsRange, y->type.text());
    builder.note("machine types never convert implicitly; only a literal takes the type of the other operand");
    auto written = [&](SourceRange r) { return e.diags.sources.text(r).str(); };
    if (!areApart)
      builder.help("convert one of them, as in `" + x->type.text() + "(...)`");
    else if (!x->type.isVector() && !y->type.isVector()) {
      std::string right = x->type.text() + "(" + written(rhsRange) + ")",
                  left = y->type.text() + "(" + written(lhsRange) + ")";
      builder.help("convert one side: `" + right + "` or `" + left + "`", Fix::possible(rhsRange, right));
    }
  }
  throw Failed{};
}

// ---------------------------------------------------------------------------------------------------------
// The machine's arithmetic

namespace {
/// Emits operations of one type at one place.
struct Emitter {
  Elaborator &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Type type;

  mlir::Value integer(int64_t value) const {
    mlir::Type t = mlirType(e, type);
    auto element = mlir::getElementTypeOrSelf(t);
    mlir::TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(t))
      attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  mlir::Value compare(arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
};

mlir::Value unsignedDivision(const Emitter &m, bool isMod, mlir::Value x, mlir::Value y) {
  auto known = constantOf(y);
  if (known && known->isPowerOf2())
    return isMod ? arith::AndIOp::create(m.b, m.loc, x, m.integer(int64_t(known->getZExtValue()) - 1)).getResult()
                 : arith::ShRUIOp::create(m.b, m.loc, x, m.integer(known->logBase2())).getResult();
  if (!known)
    y = arith::MaxUIOp::create(m.b, m.loc, y, m.integer(1));
  return isMod ? arith::RemUIOp::create(m.b, m.loc, x, y).getResult()
               : arith::DivUIOp::create(m.b, m.loc, x, y).getResult();
}

mlir::Value signedDivision(const Emitter &m, bool isMod, mlir::Value x, mlir::Value y) {
  auto known = constantOf(y);
  if (known && known->isStrictlyPositive() && known->isPowerOf2())
    return isMod ? arith::AndIOp::create(m.b, m.loc, x, m.integer(known->getSExtValue() - 1)).getResult()
                 : arith::ShRSIOp::create(m.b, m.loc, x, m.integer(known->logBase2())).getResult();
  mlir::Value zero = m.integer(0), minusOne, isMinusOne;
  if (known && known->isAllOnes())
    return isMod ? zero : arith::SubIOp::create(m.b, m.loc, zero, x).getResult();
  if (!known) { // 0 and -1 are divided as 1
    minusOne = m.integer(-1);
    isMinusOne = m.compare(arith::CmpIPredicate::eq, y, minusOne);
    mlir::Value isZero = m.compare(arith::CmpIPredicate::eq, y, zero);
    y = m.select(arith::OrIOp::create(m.b, m.loc, isMinusOne, isZero), m.integer(1), y);
  }
  if (!isMod) {
    mlir::Value quotient = arith::FloorDivSIOp::create(m.b, m.loc, x, y);
    return known ? quotient : m.select(isMinusOne, arith::SubIOp::create(m.b, m.loc, zero, x), quotient);
  }
  mlir::Value rest = arith::RemSIOp::create(m.b, m.loc, x, y);
  mlir::Value nonzero = m.compare(arith::CmpIPredicate::ne, rest, zero);
  mlir::Value signs = m.compare(arith::CmpIPredicate::slt, arith::XOrIOp::create(m.b, m.loc, rest, y), zero);
  mlir::Value adjust = arith::AndIOp::create(m.b, m.loc, nonzero, signs);
  return m.select(adjust, arith::AddIOp::create(m.b, m.loc, rest, y), rest);
}
} // namespace

Value machineBinary(Elaborator &e, BinaryOp op, MachineValue lhs, MachineValue rhs, SourceRange range) {
  const char *name = ast::spelling(op);
  Type type = lhs.type;
  requireArithmetic(e, type, name, range);
  auto &b = e.ir(range, name);
  Emitter m{e, b, e.location(range), type};
  mlir::Value x = lhs.value, y = rhs.value;
  auto done = [&](mlir::Value value) { return Value(MachineValue{value, type}); };
  auto refuse = [&]() -> Value { e.fail(diag::bad_operand, range, {name, type.text()}); };

  if (type.isFloat())
    switch (op) {
    case BinaryOp::Add: return done(arith::AddFOp::create(b, m.loc, x, y));
    case BinaryOp::Sub: return done(arith::SubFOp::create(b, m.loc, x, y));
    case BinaryOp::Mul: return done(arith::MulFOp::create(b, m.loc, x, y));
    case BinaryOp::Div: return done(arith::DivFOp::create(b, m.loc, x, y));
    default: return refuse();
    }
  switch (op) {
  case BinaryOp::And: return done(arith::AndIOp::create(b, m.loc, x, y));
  case BinaryOp::Or: return done(arith::OrIOp::create(b, m.loc, x, y));
  case BinaryOp::Xor: return done(arith::XOrIOp::create(b, m.loc, x, y));
  default: break;
  }
  if (type.isBool())
    return refuse();
  switch (op) {
  case BinaryOp::Add: return done(arith::AddIOp::create(b, m.loc, x, y));
  case BinaryOp::Sub: return done(arith::SubIOp::create(b, m.loc, x, y));
  case BinaryOp::Mul: return done(arith::MulIOp::create(b, m.loc, x, y));
  case BinaryOp::Div: return refuse(); // Operators.cpp refuses it before
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return done(type.isSigned() ? signedDivision(m, op == BinaryOp::Mod, x, y)
                                : unsignedDivision(m, op == BinaryOp::Mod, x, y));
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (!constantOf(y))
      y = arith::AndIOp::create(b, m.loc, y, m.integer(type.format().bits - 1));
    if (op == BinaryOp::Shl)
      return done(arith::ShLIOp::create(b, m.loc, x, y));
    return done(type.isSigned() ? arith::ShRSIOp::create(b, m.loc, x, y).getResult()
                                : arith::ShRUIOp::create(b, m.loc, x, y).getResult());
  default: return refuse();
  }
}

Value machineUnary(Elaborator &e, ast::UnaryOp op, MachineValue value, SourceRange range) {
  const char *name = op == ast::UnaryOp::Neg   ? "-"
                     : op == ast::UnaryOp::Pos ? "+"
                     : op == ast::UnaryOp::Not ? "not"
                                               : "~";
  const Type type = value.type;
  if (op == ast::UnaryOp::Not) {
    const Emitter m{e, e.ir(range, name), e.location(range), type};
    return Value(MachineValue{arith::XOrIOp::create(m.b, m.loc, value.value, m.integer(1)), type});
  }
  if (type.isBool() && op != ast::UnaryOp::Invert)
    e.fail(diag::bad_operand, range, {name, "bool"});
  requireArithmetic(e, type, name, range);
  if (op == ast::UnaryOp::Pos)
    return Value(value);
  const Emitter m{e, e.ir(range, name), e.location(range), type};
  if (type.isFloat()) {
    if (op == ast::UnaryOp::Invert)
      e.fail(diag::bad_operand, range, {name, type.text()});
    return Value(MachineValue{arith::NegFOp::create(m.b, m.loc, value.value), type});
  }
  mlir::Value result = op == ast::UnaryOp::Neg
                           ? arith::SubIOp::create(m.b, m.loc, m.integer(0), value.value).getResult()
                           : arith::XOrIOp::create(m.b, m.loc, value.value, m.integer(-1)).getResult();
  return Value(MachineValue{result, type});
}

/// Not by negation, which would wrap for the lowest integer: one more than the floor unless the division is exact.
Value ceilDivide(Elaborator &e, const Value &x, const Value &y, Type type, SourceRange range) {
  Value quotient = e.binary(BinaryOp::FloorDiv, x, y, range, range, range, range);
  Value rest = e.binary(BinaryOp::Mod, x, y, range, range, range, range);
  Value more = convert(e, e.compare(CompareOp::Ne, rest, Value(int64_t(0)), range, range), type, range);
  return e.binary(BinaryOp::Add, quotient, more, range, range, range, range);
}

Value minMax(Elaborator &e, bool isMax, const Value &lhs, const Value &rhs, SourceRange range) {
  const char *name = isMax ? "max" : "min";
  if (lhs.is<ErrorValue>() || rhs.is<ErrorValue>())
    throw Failed{};
  if (lhs.is<ArrayValue>() || rhs.is<ArrayValue>()) {
    auto x = arrayOperand(e, lhs, range), y = arrayOperand(e, rhs, range);
    return fromArray(e, host::apply(isMax ? host::Binary::Max : host::Binary::Min, x, y), range);
  }
  if (lhs.is<HostValue>() || rhs.is<HostValue>()) {
    auto x = toHostExpr(e, lhs, host::ExprKind::Int, range), y = toHostExpr(e, rhs, host::ExprKind::Int, range);
    return Value(HostValue{host::make(isMax ? host::ExprOp::Max : host::ExprOp::Min, {x, y})});
  }
  if (!lhs.is<MachineValue>() && !rhs.is<MachineValue>()) {
    Value less = e.compare(CompareOp::Lt, lhs, rhs, range, range);
    return truth(e, less, range) == isMax ? rhs : lhs;
  }
  auto [x, y] = unify(e, lhs, rhs, name, range, range, range, range);
  requireArithmetic(e, x.type, name, range);
  auto &b = e.ir(range, name);
  auto loc = e.location(range);
  mlir::Value result;
  if (x.type.isFloat())
    result = isMax ? arith::MaxNumFOp::create(b, loc, x.value, y.value).getResult()
                   : arith::MinNumFOp::create(b, loc, x.value, y.value).getResult();
  else if (x.type.isSigned())
    result = isMax ? arith::MaxSIOp::create(b, loc, x.value, y.value).getResult()
                   : arith::MinSIOp::create(b, loc, x.value, y.value).getResult();
  else
    result = isMax ? arith::MaxUIOp::create(b, loc, x.value, y.value).getResult()
                   : arith::MinUIOp::create(b, loc, x.value, y.value).getResult();
  return Value(MachineValue{result, x.type});
}

} // namespace fly::sema
