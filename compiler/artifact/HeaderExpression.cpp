// See HeaderExpression.h. One table row an operation: its integer function (which takes `&fly_fault` where it can
// fail) or operator, and its float form. The short-circuiting operations and the conditional are C's own, so what
// `evaluate` does not look at, C does not either.
#include "compiler/artifact/HeaderExpression.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

namespace fly::artifact {

namespace {

using host::Expr;
using host::ExprKind;
using host::ExprOp;

struct OpRow {
  ExprOp op;
  const char *integer; ///< "fly_expr_add": a call; "<": an operator; null: there is none
  bool canFault;
  const char *floating;
};

constexpr OpRow rows[] = {
    {ExprOp::Neg, "fly_expr_neg", true, "-"},
    {ExprOp::Abs, "fly_expr_abs", true, "fly_expr_float_abs"},
    {ExprOp::Invert, "~", false, nullptr},
    {ExprOp::Add, "fly_expr_add", true, "+"},
    {ExprOp::Sub, "fly_expr_sub", true, "-"},
    {ExprOp::Mul, "fly_expr_mul", true, "fly_expr_float_mul"},
    {ExprOp::Div, nullptr, false, "fly_expr_float_div"},
    {ExprOp::FloorDiv, "fly_expr_floor_div", true, "fly_expr_float_floor_div"},
    {ExprOp::Mod, "fly_expr_mod", true, "fly_expr_float_mod"},
    {ExprOp::CeilDiv, "fly_expr_ceil_div", true, "fly_expr_float_ceil_div"},
    {ExprOp::Min, "fly_expr_min", false, "fly_expr_float_min"},
    {ExprOp::Max, "fly_expr_max", false, "fly_expr_float_max"},
    {ExprOp::Shl, "fly_expr_shl", true, nullptr},
    {ExprOp::Shr, "fly_expr_shr", true, nullptr},
    {ExprOp::BitAnd, "&", false, nullptr},
    {ExprOp::BitOr, "|", false, nullptr},
    {ExprOp::BitXor, "^", false, nullptr},
    {ExprOp::Lt, "fly_expr_lt", false, "<"},
    {ExprOp::Le, "fly_expr_le", false, "<="},
    {ExprOp::Gt, "fly_expr_gt", false, ">"},
    {ExprOp::Ge, "fly_expr_ge", false, ">="},
    {ExprOp::Eq, "fly_expr_eq", false, "=="},
    {ExprOp::Ne, "fly_expr_ne", false, "!="},
};

std::string intLiteral(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min())
    return "(-INT64_C(9223372036854775807) - 1)";
  if (value < 0)
    return "(-INT64_C(" + std::to_string(-value) + "))";
  return "INT64_C(" + std::to_string(value) + ")";
}

std::string floatLiteral(double value) {
  if (std::isnan(value))
    return "fly_expr_float_div(0.0, 0.0)";
  if (std::isinf(value))
    return value < 0 ? "fly_expr_float_div(-1.0, 0.0)" : "fly_expr_float_div(1.0, 0.0)";
  char text[64];
  std::snprintf(text, sizeof text, std::signbit(value) ? "(%a)" : "%a", value);
  return text;
}

/// The text of `expr` as a C value of `kind`.
std::string as(const Expr &expr, ExprKind kind, const std::vector<ParameterInfo> &parameters) {
  std::string text = toC(expr, parameters);
  if (expr.kind == kind)
    return text;
  switch (kind) {
  case ExprKind::Bool: return "((" + text + ") != 0)";
  case ExprKind::Int: return "((int64_t)(" + text + "))";
  case ExprKind::Float: return "((double)(" + text + "))";
  }
  return text;
}

std::string parameterText(const Expr &expr, const std::vector<ParameterInfo> &parameters) {
  std::string name = cPath(expr.parameterName);
  const std::string type = expr.parameter < parameters.size() ? parameters[expr.parameter].type : "";
  bool wide = type == "u64";
  if (type == "i4" || type == "u4") // the low bits of a uint8_t
    return type == "i4" ? "((int64_t)((" + name + " & 15) ^ 8) - 8)" : "((int64_t)(" + name + " & 15))";
  switch (expr.kind) {
  case ExprKind::Bool: return "(" + name + " != 0)";
  case ExprKind::Int: return wide ? "fly_expr_u64(&fly_fault, " + name + ")" : "((int64_t)" + name + ")";
  case ExprKind::Float: return "((double)" + name + ")";
  }
  return name;
}

bool isCall(std::string_view text) { return text.size() > 2; } // operators have one or two characters

std::string apply(const char *how, bool canFault, const std::vector<std::string> &operands) {
  if (!isCall(how))
    return operands.size() == 1 ? "(" + std::string(how) + operands[0] + ")"
                                : "(" + operands[0] + " " + how + " " + operands[1] + ")";
  std::string text = std::string(how) + "(" + (canFault ? "&fly_fault" : "");
  for (size_t i = 0; i < operands.size(); ++i)
    text += (i || canFault ? ", " : "") + operands[i];
  return text + ")";
}

} // namespace

std::string toC(const Expr &expr, const std::vector<ParameterInfo> &parameters) {
  auto operand = [&](size_t i, ExprKind kind) { return as(*expr.operands[i], kind, parameters); };
  switch (expr.op) {
  case ExprOp::BoolConstant: return expr.boolValue ? "1" : "0";
  case ExprOp::IntConstant: return intLiteral(expr.intValue);
  case ExprOp::FloatConstant: return floatLiteral(expr.floatValue);
  case ExprOp::Parameter: return parameterText(expr, parameters);
  case ExprOp::Device: return "fly_" + expr.parameterName;
  case ExprOp::ToFloat: return operand(0, ExprKind::Float);
  case ExprOp::Not: return "(!" + operand(0, ExprKind::Bool) + ")";
  case ExprOp::And: return "(" + operand(0, ExprKind::Bool) + " && " + operand(1, ExprKind::Bool) + ")";
  case ExprOp::Or: return "(" + operand(0, ExprKind::Bool) + " || " + operand(1, ExprKind::Bool) + ")";
  case ExprOp::Select:
    return "(" + operand(0, ExprKind::Bool) + " ? " + operand(1, expr.kind) + " : " + operand(2, expr.kind) + ")";
  default: break;
  }
  bool floats = expr.op == ExprOp::Div;
  for (const host::ExprRef &each : expr.operands)
    floats |= each->kind == ExprKind::Float;
  const OpRow *row = std::find_if(std::begin(rows), std::end(rows), [&](const OpRow &r) { return r.op == expr.op; });
  const char *how = row == std::end(rows) ? nullptr : floats ? row->floating : row->integer;
  if (!how) // the elaborator does not build these; a launch of one is refused, as `evaluate` does
    return "fly_expr_fault(&fly_fault, FLY_FAULT_OVERFLOW)";
  std::vector<std::string> operands;
  for (size_t i = 0; i < expr.operands.size(); ++i)
    operands.push_back(operand(i, floats ? ExprKind::Float : ExprKind::Int));
  return apply(how, row->canFault && !floats, operands);
}

std::string cName(const std::string &name) {
  // clang-format off
  // Keywords of C11 and C++20 that are names in .fly, and what the generated functions use themselves.
  static constexpr std::string_view taken[] = {
      "NULL", "alignas", "alignof", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast",
      "consteval", "constexpr", "constinit", "decltype", "default", "delete", "do", "double", "dynamic_cast", "enum",
      "explicit", "export", "extern", "false", "float", "friend", "goto", "inline", "int", "long", "memcpy", "memset",
      "workspace", "mutable", "namespace", "new", "noexcept", "not_eq", "nullptr", "operator", "or_eq", "private",
      "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "short", "signed", "sizeof",
      "static", "static_assert", "static_cast", "stream", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "xor", "xor_eq"};
  // clang-format on
  bool reserved = std::find(std::begin(taken), std::end(taken), name) != std::end(taken) ||
                  name.rfind("fly_", 0) == 0 || name.rfind("FLY_", 0) == 0 || name.rfind("_", 0) == 0 ||
                  (name.size() > 2 && name.compare(name.size() - 2, 2, "_t") == 0) || name == "linux" || name == "unix";
  return reserved ? "p" + std::string(name[0] == '_' ? "" : "_") + name + "_" : name;
}

std::string cPath(const std::string &path) {
  size_t dot = path.find('.');
  std::string name = cName(path.substr(0, dot));
  while (dot != std::string::npos) {
    size_t next = path.find('.', dot + 1);
    name += "." + cName(path.substr(dot + 1, next - dot - 1));
    dot = next;
  }
  return name;
}

std::string cString(const std::string &text) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size() && i < 500; ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\' || c == '?') { // `?`: no trigraphs
      result += '\\';
      result += char(c);
    } else if (c >= 32 && c < 127) {
      result += char(c);
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", c);
      result += octal;
    }
  }
  return result + "\"";
}

std::string cComment(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '/' && !result.empty() && (result.back() == '*' || result.back() == '/'))
      result += ' ';
    if (c == '*' && !result.empty() && result.back() == '/')
      result += ' ';
    if (c == '?' || c == '\\') // no trigraphs, no line continuation
      result += ' ';
    result += c == '\n' || c == '\r' || (static_cast<unsigned char>(c) < 32) ? ' ' : c;
    if (c == '\\')
      result += ' ';
  }
  return result;
}

} // namespace fly::artifact
