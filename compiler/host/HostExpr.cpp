// Launch expressions: the table of operations, evaluation, and the text in .fly spelling.
//
// Integers are 64-bit here and an overflow is an error, never a wrap: a grid that silently came out small
// would leave part of a tensor unwritten. The generated C header computes the same in C, so no operation has a corner
// case that C cannot reproduce.
#include "compiler/host/HostExpr.h"

#include "compiler/host/NumberFormat.h"

#include <cmath>
#include <limits>

namespace fly::host {

namespace {
// clang-format off
/// How tightly the .fly spelling binds; an operand that binds less is bracketed.
enum Binding : uint8_t {
  Conditional, LogicOr, LogicAnd, LogicNot, Compare, Or, Xor, And, Shift, Sum, Product, Sign, Atom
};
// clang-format on
enum class Notation : uint8_t { None, Infix, Prefix, Call };

struct OpRow {
  ExprOp op;
  const char *json;
  unsigned operands;
  Notation notation;
  const char *text;
  Binding binding;
};
} // namespace

static constexpr OpRow rows[] = {
    {ExprOp::BoolConstant, "bool", 0, Notation::None, "", Atom},
    {ExprOp::IntConstant, "int", 0, Notation::None, "", Atom},
    {ExprOp::FloatConstant, "float", 0, Notation::None, "", Atom},
    {ExprOp::Parameter, "parameter", 0, Notation::None, "", Atom},
    {ExprOp::Device, "device", 0, Notation::None, "", Atom},
    {ExprOp::Neg, "neg", 1, Notation::Prefix, "-", Sign},
    {ExprOp::Not, "not", 1, Notation::Prefix, "not ", LogicNot},
    {ExprOp::Invert, "invert", 1, Notation::Prefix, "~", Sign},
    {ExprOp::ToFloat, "to_float", 1, Notation::Call, "f64", Atom},
    {ExprOp::Abs, "abs", 1, Notation::Call, "abs", Atom},
    {ExprOp::Add, "add", 2, Notation::Infix, "+", Sum},
    {ExprOp::Sub, "sub", 2, Notation::Infix, "-", Sum},
    {ExprOp::Mul, "mul", 2, Notation::Infix, "*", Product},
    {ExprOp::Div, "div", 2, Notation::Infix, "/", Product},
    {ExprOp::FloorDiv, "floor_div", 2, Notation::Infix, "//", Product},
    {ExprOp::Mod, "mod", 2, Notation::Infix, "%", Product},
    {ExprOp::CeilDiv, "ceil_div", 2, Notation::Call, "ceil_div", Atom},
    {ExprOp::Min, "min", 2, Notation::Call, "min", Atom},
    {ExprOp::Max, "max", 2, Notation::Call, "max", Atom},
    {ExprOp::Shl, "shl", 2, Notation::Infix, "<<", Shift},
    {ExprOp::Shr, "shr", 2, Notation::Infix, ">>", Shift},
    {ExprOp::BitAnd, "bit_and", 2, Notation::Infix, "&", And},
    {ExprOp::BitOr, "bit_or", 2, Notation::Infix, "|", Or},
    {ExprOp::BitXor, "bit_xor", 2, Notation::Infix, "^", Xor},
    {ExprOp::Lt, "lt", 2, Notation::Infix, "<", Compare},
    {ExprOp::Le, "le", 2, Notation::Infix, "<=", Compare},
    {ExprOp::Gt, "gt", 2, Notation::Infix, ">", Compare},
    {ExprOp::Ge, "ge", 2, Notation::Infix, ">=", Compare},
    {ExprOp::Eq, "eq", 2, Notation::Infix, "==", Compare},
    {ExprOp::Ne, "ne", 2, Notation::Infix, "!=", Compare},
    {ExprOp::And, "and", 2, Notation::Infix, "and", LogicAnd},
    {ExprOp::Or, "or", 2, Notation::Infix, "or", LogicOr},
    {ExprOp::Select, "select", 3, Notation::None, "", Conditional},
};
static const OpRow &rowOf(ExprOp op) { return rows[size_t(op)]; }

llvm::StringRef jsonName(ExprOp op) { return rowOf(op).json; }
unsigned operandCount(ExprOp op) { return rowOf(op).operands; }
bool tooLarge(const Expr &expr) { return expr.depth > 200 || expr.size > 10000; }

bool isConstant(const Expr &expr) {
  return expr.op == ExprOp::BoolConstant || expr.op == ExprOp::IntConstant || expr.op == ExprOp::FloatConstant;
}

// --- Evaluation ---

static double asFloat(const ScalarValue &v) {
  return std::visit([](auto x) { return double(x); }, v);
}
static int64_t asInt(const ScalarValue &v) {
  if (auto *d = std::get_if<double>(&v)) // only for operands the elaborator should have refused
    return int64_t(truncate(Number::I64, *d));
  return std::holds_alternative<bool>(v) ? std::get<bool>(v) : std::get<int64_t>(v);
}
static bool asBool(const ScalarValue &v) {
  return std::visit([](auto x) { return x != 0; }, v);
}
static ScalarValue asKind(const ScalarValue &v, ExprKind kind) {
  switch (kind) {
  case ExprKind::Bool: return asBool(v);
  case ExprKind::Int: return asInt(v);
  case ExprKind::Float: return asFloat(v);
  }
  return v;
}

static EvalResult wrong(llvm::StringRef what, const Expr &expr) {
  return {int64_t(0), what.str() + " in `" + toFly(expr) + "`"};
}

static EvalResult evaluateInts(const Expr &expr, int64_t a, int64_t b) {
  int64_t r = 0;
  bool overflow = false, differ = (a < 0) != (b < 0);
  bool divides = expr.op == ExprOp::FloorDiv || expr.op == ExprOp::Mod || expr.op == ExprOp::CeilDiv;
  if (divides && b == 0)
    return wrong(expr.op == ExprOp::Mod ? "modulo by zero" : "division by zero", expr);
  if (divides && b == -1) { // the one quotient that overflows; remainder 0
    overflow = expr.op != ExprOp::Mod && __builtin_sub_overflow(int64_t(0), a, &r);
    return overflow ? wrong("integer overflow", expr) : EvalResult{r, ""};
  }
  switch (expr.op) {
  case ExprOp::Neg: overflow = __builtin_sub_overflow(int64_t(0), a, &r); break;
  case ExprOp::Abs:
    overflow = a < 0 && __builtin_sub_overflow(int64_t(0), a, &r);
    r = a < 0 ? r : a;
    break;
  case ExprOp::Invert: r = ~a; break;
  case ExprOp::Add: overflow = __builtin_add_overflow(a, b, &r); break;
  case ExprOp::Sub: overflow = __builtin_sub_overflow(a, b, &r); break;
  case ExprOp::Mul: overflow = __builtin_mul_overflow(a, b, &r); break;
  case ExprOp::FloorDiv: r = a / b - (a % b != 0 && differ); break;
  case ExprOp::CeilDiv: r = a / b + (a % b != 0 && !differ); break;
  case ExprOp::Mod:
    r = a % b;
    r += r != 0 && (r < 0) != (b < 0) ? b : 0;
    break;
  case ExprOp::Min: r = std::min(a, b); break;
  case ExprOp::Max: r = std::max(a, b); break;
  case ExprOp::Shl:
    if (b < 0)
      return wrong("shift by a negative number", expr);
    overflow = a != 0 && (b > 62 || __builtin_mul_overflow(a, int64_t(1) << b, &r));
    break;
  case ExprOp::Shr:
    if (b < 0)
      return wrong("shift by a negative number", expr);
    r = a >> std::min<int64_t>(b, 63);
    break;
  case ExprOp::BitAnd: r = a & b; break;
  case ExprOp::BitOr: r = a | b; break;
  case ExprOp::BitXor: r = a ^ b; break;
  case ExprOp::Lt: return {a < b, ""};
  case ExprOp::Le: return {a <= b, ""};
  case ExprOp::Gt: return {a > b, ""};
  case ExprOp::Ge: return {a >= b, ""};
  case ExprOp::Eq: return {a == b, ""};
  case ExprOp::Ne: return {a != b, ""};
  default: return wrong("an operation that integers do not have", expr);
  }
  return overflow ? wrong("integer overflow", expr) : EvalResult{r, ""};
}

static EvalResult evaluateFloats(const Expr &expr, double a, double b) {
  switch (expr.op) {
  case ExprOp::Neg: return {-a, ""};
  case ExprOp::Abs: return {std::fabs(a), ""};
  case ExprOp::ToFloat: return {a, ""};
  case ExprOp::Add: return {a + b, ""};
  case ExprOp::Sub: return {a - b, ""};
  case ExprOp::Mul: return {a * b, ""};
  case ExprOp::Div: return {a / b, ""};
  case ExprOp::FloorDiv: return {std::floor(a / b), ""};
  case ExprOp::CeilDiv: return {std::ceil(a / b), ""};
  case ExprOp::Mod: return {a - b * std::floor(a / b), ""};
  case ExprOp::Min: return {std::fmin(a, b), ""};
  case ExprOp::Max: return {std::fmax(a, b), ""};
  case ExprOp::Lt: return {a < b, ""};
  case ExprOp::Le: return {a <= b, ""};
  case ExprOp::Gt: return {a > b, ""};
  case ExprOp::Ge: return {a >= b, ""};
  case ExprOp::Eq: return {a == b, ""};
  case ExprOp::Ne: return {a != b, ""};
  default: return wrong("an operation that floats do not have", expr);
  }
}

EvalResult evaluate(const Expr &expr, llvm::ArrayRef<ScalarValue> parameters) {
  switch (expr.op) {
  case ExprOp::BoolConstant: return {expr.boolValue, ""};
  case ExprOp::IntConstant: return {expr.intValue, ""};
  case ExprOp::FloatConstant: return {expr.floatValue, ""};
  case ExprOp::Parameter:
    if (expr.parameter >= parameters.size())
      return {int64_t(0), "parameter `" + expr.parameterName + "` has no value"};
    return {asKind(parameters[expr.parameter], expr.kind), ""};
  case ExprOp::Device: return {int64_t(0), "`device." + expr.parameterName + "` has no value"};
  default: break;
  }
  EvalResult first = evaluate(*expr.operands[0], parameters);
  if (!first.ok())
    return first;
  // These do not look at every operand.
  if (expr.op == ExprOp::Select) {
    EvalResult chosen = evaluate(*expr.operands[asBool(first.value) ? 1 : 2], parameters);
    return chosen.ok() ? EvalResult{asKind(chosen.value, expr.kind), ""} : chosen;
  }
  if (expr.op == ExprOp::And || expr.op == ExprOp::Or) {
    if (asBool(first.value) == (expr.op == ExprOp::Or))
      return {asBool(first.value), ""};
    EvalResult second = evaluate(*expr.operands[1], parameters);
    return second.ok() ? EvalResult{asBool(second.value), ""} : second;
  }
  if (expr.op == ExprOp::Not)
    return {!asBool(first.value), ""};
  EvalResult second = first;
  if (expr.operands.size() > 1) {
    second = evaluate(*expr.operands[1], parameters);
    if (!second.ok())
      return second;
  }
  bool floats = expr.op == ExprOp::ToFloat || expr.op == ExprOp::Div || std::holds_alternative<double>(first.value) ||
                std::holds_alternative<double>(second.value);
  return floats ? evaluateFloats(expr, asFloat(first.value), asFloat(second.value))
                : evaluateInts(expr, asInt(first.value), asInt(second.value));
}

// --- Text ---

static Binding bindingOf(const Expr &expr) {
  if (expr.op == ExprOp::IntConstant && expr.intValue < 0)
    return Sign;
  if (expr.op == ExprOp::FloatConstant && std::signbit(expr.floatValue))
    return Sign;
  return rowOf(expr.op).binding;
}

static std::string textOf(const Expr &expr, Binding atLeast) {
  const OpRow &row = rowOf(expr.op);
  std::string text;
  Binding own = bindingOf(expr);
  auto operand = [&](size_t i, int tighter) { return textOf(*expr.operands[i], Binding(own + tighter)); };
  switch (row.notation) {
  case Notation::Infix: // left-associative; comparisons must not become chains
    text = operand(0, own == Compare) + " " + row.text + " " + operand(1, 1);
    break;
  case Notation::Prefix: text = row.text + operand(0, 0); break;
  case Notation::Call:
    text = std::string(row.text) + "(";
    for (size_t i = 0; i < expr.operands.size(); ++i)
      text += (i ? ", " : "") + textOf(*expr.operands[i], Conditional);
    text += ")";
    break;
  case Notation::None:
    if (expr.op == ExprOp::BoolConstant)
      text = expr.boolValue ? "True" : "False";
    else if (expr.op == ExprOp::IntConstant)
      text = std::to_string(expr.intValue);
    else if (expr.op == ExprOp::FloatConstant)
      text = toText(expr.floatValue);
    else if (expr.op == ExprOp::Parameter)
      text = expr.parameterName;
    else if (expr.op == ExprOp::Device)
      text = "device." + expr.parameterName;
    else
      text = operand(1, 1) + " if " + operand(0, 1) + " else " + operand(2, 0);
    break;
  }
  return own < atLeast ? "(" + text + ")" : text;
}

std::string toFly(const Expr &expr) { return textOf(expr, Conditional); }

} // namespace fly::host
