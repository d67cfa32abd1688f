// Building launch expressions: kinds, conversions, folding.
//
// Constant subexpressions become constants, and identities that elaboration left are removed, so that metadata and
// header read like the source: `ceil_div(n, 256 * 4)` is `ceil_div(n, 1024)`, a stride `n * 1` is `n`. Nothing that
// could fail is dropped: `0 * (n // k)` keeps its division, and `1 // 0` stays an expression whose evaluation reports
// the error.
#include "compiler/host/HostExpr.h"

#include <algorithm>
#include <limits>

namespace fly::host {

static std::shared_ptr<Expr> node(ExprOp op, ExprKind kind) {
  auto expr = std::make_shared<Expr>();
  expr->op = op;
  expr->kind = kind;
  return expr;
}

ExprRef boolConstant(bool value) {
  auto expr = node(ExprOp::BoolConstant, ExprKind::Bool);
  expr->boolValue = value;
  return expr;
}
ExprRef intConstant(int64_t value) {
  auto expr = node(ExprOp::IntConstant, ExprKind::Int);
  expr->intValue = value;
  return expr;
}
ExprRef floatConstant(double value) {
  auto expr = node(ExprOp::FloatConstant, ExprKind::Float);
  expr->floatValue = value;
  return expr;
}
ExprRef parameter(unsigned index, std::string name, ExprKind kind) {
  auto expr = node(ExprOp::Parameter, kind);
  expr->parameter = index;
  expr->parameterName = std::move(name);
  return expr;
}

ExprRef deviceNumber(std::string name) {
  auto expr = node(ExprOp::Device, ExprKind::Int);
  expr->parameterName = std::move(name);
  return expr;
}

static ExprRef constant(const ScalarValue &value) {
  if (auto *b = std::get_if<bool>(&value))
    return boolConstant(*b);
  if (auto *i = std::get_if<int64_t>(&value))
    return intConstant(*i);
  return floatConstant(std::get<double>(value));
}

static ExprKind resultKind(ExprOp op, const std::vector<ExprRef> &operands) {
  switch (op) {
  case ExprOp::Not:
  case ExprOp::And:
  case ExprOp::Or:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
  case ExprOp::Eq:
  case ExprOp::Ne: return ExprKind::Bool;
  case ExprOp::ToFloat:
  case ExprOp::Div: return ExprKind::Float;
  case ExprOp::Select: return std::max(operands[1]->kind, operands[2]->kind);
  default: {
    ExprKind widest = ExprKind::Int; // Bool counts as 0 and 1
    for (const ExprRef &operand : operands)
      widest = std::max(widest, operand->kind);
    return widest;
  }
  }
}

/// Arithmetic and comparisons have operands of one kind: an Int with a Float is converted.
static void convertOperands(ExprOp op, std::vector<ExprRef> &operands) {
  if (op == ExprOp::ToFloat || op == ExprOp::And || op == ExprOp::Or || op == ExprOp::Not)
    return;
  size_t first = op == ExprOp::Select ? 1 : 0;
  bool floats = op == ExprOp::Div;
  for (size_t i = first; i < operands.size(); ++i)
    floats |= operands[i]->kind == ExprKind::Float;
  if (!floats)
    return;
  for (size_t i = first; i < operands.size(); ++i)
    if (operands[i]->kind != ExprKind::Float)
      operands[i] = make(ExprOp::ToFloat, {operands[i]});
}

static bool isInt(const ExprRef &e, int64_t value) { return e->op == ExprOp::IntConstant && e->intValue == value; }
static bool isBool(const ExprRef &e, bool value) { return e->op == ExprOp::BoolConstant && e->boolValue == value; }

/// The operand that the operation does not change, or null.
static ExprRef identity(ExprOp op, const std::vector<ExprRef> &operands) {
  const ExprRef &a = operands[0], &b = operands.size() > 1 ? operands[1] : a;
  switch (op) {
  case ExprOp::ToFloat: return a->kind == ExprKind::Float ? a : nullptr;
  case ExprOp::Add: return isInt(b, 0) ? a : isInt(a, 0) ? b : nullptr;
  case ExprOp::Sub:
  case ExprOp::Shl:
  case ExprOp::Shr: return isInt(b, 0) ? a : nullptr;
  case ExprOp::Mul: return isInt(b, 1) ? a : isInt(a, 1) ? b : nullptr;
  case ExprOp::FloorDiv:
  case ExprOp::CeilDiv: return isInt(b, 1) ? a : nullptr;
  case ExprOp::And: return isBool(a, true) ? b : isBool(b, true) ? a : isBool(a, false) ? a : nullptr;
  case ExprOp::Or: return isBool(a, false) ? b : isBool(b, false) ? a : isBool(a, true) ? a : nullptr;
  case ExprOp::Select: return isBool(a, true) ? operands[1] : isBool(a, false) ? operands[2] : nullptr;
  default: return nullptr;
  }
}

ExprRef make(ExprOp op, std::vector<ExprRef> operands) {
  convertOperands(op, operands);
  ExprKind kind = resultKind(op, operands);
  if (ExprRef same = identity(op, operands); same && same->kind == kind)
    return same;
  auto expr = node(op, kind);
  bool constants = true;
  uint64_t size = 1;
  for (const ExprRef &operand : operands) {
    constants &= isConstant(*operand);
    size += operand->size;
    expr->depth = std::max(expr->depth, operand->depth + 1);
  }
  expr->size = uint32_t(std::min<uint64_t>(size, std::numeric_limits<uint32_t>::max()));
  expr->operands = std::move(operands);
  if (constants && !expr->operands.empty())
    if (EvalResult result = evaluate(*expr, {}); result.ok())
      return constant(result.value);
  return expr;
}

ExprRef substitute(const ExprRef &expr, const std::function<ExprRef(const ExprRef &)> &leaf) {
  if (expr->op == ExprOp::Parameter || expr->op == ExprOp::Device)
    return leaf(expr);
  if (expr->operands.empty())
    return expr;
  std::vector<ExprRef> operands;
  for (const ExprRef &operand : expr->operands)
    operands.push_back(substitute(operand, leaf));
  return make(expr->op, std::move(operands));
}

} // namespace fly::host
