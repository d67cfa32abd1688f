// Launch-time expressions: trees over a kernel's scalar parameters, and their emission inside the kernel.
//
// The same tree is computed by the header's C code, by a check and, where a tensor's extent needs it, by the
// kernel itself; there in the width of the parameters, which the implied 31-bit check makes sufficient.
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/number/Arithmetic.h"

namespace fly::sema {

using ast::BinaryOp;
using ast::CompareOp;
using host::ExprOp;

host::ExprRef toHostExpr(Elaborator &e, const Value &value, host::ExprKind kind, SourceRange range) {
  if (value.is<ErrorValue>())
    throw Failed{};
  host::ExprRef expr;
  if (auto *h = value.as<HostValue>())
    expr = h->expr;
  else if (auto *b = value.as<bool>())
    expr = host::boolConstant(*b);
  else if (auto *d = value.as<double>())
    expr = host::floatConstant(*d);
  else if (value.is<Int>()) {
    auto i = toInt64(value);
    if (!i)
      e.fail(diag::literal_out_of_range, range, {toText(value), "a launch-time integer", "64 bits"});
    expr = host::intConstant(*i);
  } else
    e.fail(diag::wrong_value, range, {"a part of a launch-time expression", "a number or a bool", describe(value)});
  auto name = [](host::ExprKind k) {
    return k == host::ExprKind::Bool ? "a bool" : k == host::ExprKind::Int ? "an integer" : "a float";
  };
  bool fits =
      expr->kind == kind || (kind == host::ExprKind::Float && expr->kind == host::ExprKind::Int) ||
      (kind == host::ExprKind::Int && expr->kind == host::ExprKind::Float); // operands of one operation may be floats
  if (!fits)
    e.fail(diag::wrong_value, range,
           {"this launch-time expression", name(kind), "`" + host::toFly(*expr) + "`, " + name(expr->kind)});
  return expr;
}

static unsigned bitsOf(const Value &a, const Value &b) {
  auto bits = [](const Value &v) { return v.is<HostValue>() ? v.as<HostValue>()->bits : 32u; };
  return std::max(bits(a), bits(b));
}

Value hostBinary(Elaborator &e, BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  static const std::map<BinaryOp, ExprOp> ops = {
      {BinaryOp::Add, ExprOp::Add},  {BinaryOp::Sub, ExprOp::Sub},           {BinaryOp::Mul, ExprOp::Mul},
      {BinaryOp::Div, ExprOp::Div},  {BinaryOp::FloorDiv, ExprOp::FloorDiv}, {BinaryOp::Mod, ExprOp::Mod},
      {BinaryOp::Shl, ExprOp::Shl},  {BinaryOp::Shr, ExprOp::Shr},           {BinaryOp::And, ExprOp::BitAnd},
      {BinaryOp::Or, ExprOp::BitOr}, {BinaryOp::Xor, ExprOp::BitXor}};
  auto found = ops.find(op);
  if (found == ops.end())
    e.fail(diag::bad_operand, range, {ast::spelling(op), describe(lhs.is<HostValue>() ? lhs : rhs)});
  auto x = toHostExpr(e, lhs, host::ExprKind::Int, range), y = toHostExpr(e, rhs, host::ExprKind::Int, range);
  bool isFloat = x->kind == host::ExprKind::Float || y->kind == host::ExprKind::Float;
  bool integerOnly = op == BinaryOp::FloorDiv || op == BinaryOp::Mod || op == BinaryOp::Shl || op == BinaryOp::Shr ||
                     op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
  if (isFloat && integerOnly)
    e.fail(diag::bad_operand, range, {ast::spelling(op), "floats at launch"});
  if ((op == BinaryOp::FloorDiv || op == BinaryOp::Mod) && y->op == ExprOp::IntConstant && y->intValue == 0)
    e.fail(diag::division_by_zero, range, {ast::spelling(op)});
  auto result = host::make(found->second, {x, y});
  if (host::tooLarge(*result))
    e.fail(range, diag::launch_expression{});
  return Value(HostValue{std::move(result), bitsOf(lhs, rhs)});
}

Value hostCompare(Elaborator &e, CompareOp op, const Value &lhs, const Value &rhs, SourceRange range) {
  static const ExprOp ops[] = {ExprOp::Lt, ExprOp::Le, ExprOp::Gt, ExprOp::Ge, ExprOp::Eq, ExprOp::Ne};
  auto isBool = [](const Value &v) {
    return v.is<bool>() || (v.is<HostValue>() && v.as<HostValue>()->expr->kind == host::ExprKind::Bool);
  };
  if (isBool(lhs) != isBool(rhs) || (isBool(lhs) && op != CompareOp::Eq && op != CompareOp::Ne))
    e.fail(diag::bad_operand, range, {ast::spelling(op), describe(lhs) + " and " + describe(rhs)});
  auto kind = isBool(lhs) ? host::ExprKind::Bool : host::ExprKind::Int;
  auto x = toHostExpr(e, lhs, kind, range), y = toHostExpr(e, rhs, kind, range);
  return Value(HostValue{host::make(ops[unsigned(op)], {x, y})});
}

MachineValue emitHostExpr(Elaborator &e, const host::Expr &expr, const Values &parameters, unsigned bits,
                          SourceRange range) {
  Type type = Type::scalar(bits == 64 ? host::Number::I64 : host::Number::I32);
  auto operand = [&](size_t i) { return Value(emitHostExpr(e, *expr.operands[i], parameters, bits, range)); };
  auto arithmetic = [&](BinaryOp op) {
    Value x = operand(0), y = operand(1);
    return *e.binary(op, x, y, range, range, range, range).as<MachineValue>();
  };
  auto compared = [&](CompareOp op) { return *e.compare(op, operand(0), operand(1), range, range).as<MachineValue>(); };
  switch (expr.op) {
  case ExprOp::IntConstant: return toMachine(e, Value(expr.intValue), type, range);
  case ExprOp::BoolConstant: return toMachine(e, Value(expr.boolValue), range);
  case ExprOp::Parameter: {
    Value value = parameters[expr.parameter];
    auto *m = value.as<MachineValue>();
    if (m && m->type.format().isInteger()) // i4, too, which is stored only
      return *convert(e, value, type, range).as<MachineValue>();
    return toMachine(e, value, range);
  }
  case ExprOp::Neg: return *e.unary(ast::UnaryOp::Neg, operand(0), range).as<MachineValue>();
  case ExprOp::Invert: return *e.unary(ast::UnaryOp::Invert, operand(0), range).as<MachineValue>();
  case ExprOp::Not: return *e.unary(ast::UnaryOp::Not, operand(0), range).as<MachineValue>();
  case ExprOp::Add: return arithmetic(BinaryOp::Add);
  case ExprOp::Sub: return arithmetic(BinaryOp::Sub);
  case ExprOp::Mul: return arithmetic(BinaryOp::Mul);
  case ExprOp::FloorDiv: return arithmetic(BinaryOp::FloorDiv);
  case ExprOp::Mod: return arithmetic(BinaryOp::Mod);
  case ExprOp::Shl: return arithmetic(BinaryOp::Shl);
  case ExprOp::Shr: return arithmetic(BinaryOp::Shr);
  case ExprOp::BitAnd:
  case ExprOp::And: return arithmetic(BinaryOp::And);
  case ExprOp::BitOr:
  case ExprOp::Or: return arithmetic(BinaryOp::Or);
  case ExprOp::BitXor: return arithmetic(BinaryOp::Xor);
  case ExprOp::CeilDiv: return *ceilDivide(e, operand(0), operand(1), type, range).as<MachineValue>();
  case ExprOp::Min: return *minMax(e, false, operand(0), operand(1), range).as<MachineValue>();
  case ExprOp::Max: return *minMax(e, true, operand(0), operand(1), range).as<MachineValue>();
  case ExprOp::Abs: {
    Value x = operand(0);
    return *minMax(e, true, x, e.unary(ast::UnaryOp::Neg, x, range), range).as<MachineValue>();
  }
  case ExprOp::Lt: return compared(CompareOp::Lt);
  case ExprOp::Le: return compared(CompareOp::Le);
  case ExprOp::Gt: return compared(CompareOp::Gt);
  case ExprOp::Ge: return compared(CompareOp::Ge);
  case ExprOp::Eq: return compared(CompareOp::Eq);
  case ExprOp::Ne: return compared(CompareOp::Ne);
  case ExprOp::Select: {
    MachineValue c = toCondition(e, operand(0), range);
    return *e.branch(c, [&] { return operand(1); }, [&] { return operand(2); }, range).as<MachineValue>();
  }
  case ExprOp::Device: e.fail(diag::not_in_launch, range, {"device." + expr.parameterName});
  case ExprOp::FloatConstant:
  case ExprOp::ToFloat:
  case ExprOp::Div:
    e.fail(range, diag::not_an_integer{.what = "an extent or stride", .found = "`" + host::toFly(expr) + "`"});
  }
  llvm_unreachable("every launch-time operation is handled");
}

} // namespace fly::sema
