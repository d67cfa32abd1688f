// Expressions that the host evaluates at launch: grid, block, dynamic LDS, preconditions, extents, strides.
//
// The elaborator builds these trees where a kernel's decorator or annotation names a scalar parameter.
// They have readers that must agree: `evaluate` below (checks on the emulator), the JSON metadata (as a tree) and the C
// header (as inline code of a kernel's own launch, and as the tables of fly/plan.h). Integers are mathematical, computed
// in 64 bits with overflow refused; `//` and `%` floor, as in the language; floats are IEEE doubles.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace fly::host {

enum class ExprKind { Bool, Int, Float };

// clang-format off
enum class ExprOp {
  BoolConstant, IntConstant, FloatConstant,
  Parameter,                               ///< a scalar parameter of the kernel, by its index
  Device,                                  ///< a number the device tells at launch: `parameterName` is "compute_units"
  Neg, Not, Invert, ToFloat, Abs,
  Add, Sub, Mul, Div, FloorDiv, Mod, CeilDiv, Min, Max, Shl, Shr, BitAnd, BitOr, BitXor,
  Lt, Le, Gt, Ge, Eq, Ne, And, Or,         ///< And and Or short-circuit
  Select,                                  ///< condition, when true, when false
};
// clang-format on
/// The name in the JSON schema: "add", "floor_div", ...
llvm::StringRef jsonName(ExprOp op);
/// How many operands the operation has; 0 for constants and parameters.
unsigned operandCount(ExprOp op);

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

struct Expr {
  ExprOp op;
  ExprKind kind; ///< of the result
  bool boolValue = false;
  int64_t intValue = 0;   ///< IntConstant
  double floatValue = 0;  ///< FloatConstant
  unsigned parameter = 0; ///< Parameter: index into the kernel's parameters (tensors count too)
  std::string parameterName;
  std::vector<ExprRef> operands;
  uint32_t depth = 1, size = 1; ///< of the tree, filled in by `make` (saturating)
};
/// Expressions are walked recursively and written out as text, so their size is limited: their builder (the elaborator)
/// refuses an expression for which this is true. A shared subtree counts each time.
bool tooLarge(const Expr &expr);

ExprRef boolConstant(bool value);
ExprRef intConstant(int64_t value);
ExprRef floatConstant(double value);
ExprRef parameter(unsigned index, std::string name, ExprKind kind);
/// A number that the device tells at launch; its value is the host's to put in, by `substitute`.
ExprRef deviceNumber(std::string name);
/// Builds and folds: an operation on constants is a constant. Operand kinds must fit (the elaborator checks); an Int
/// operand is converted if the other is a Float.
ExprRef make(ExprOp op, std::vector<ExprRef> operands);
bool isConstant(const Expr &expr);
/// The expression with each parameter and device number replaced by the result of `leaf`, and folded again.
ExprRef substitute(const ExprRef &expr, const std::function<ExprRef(const ExprRef &)> &leaf);

/// Whether two integer expressions give the same number whenever the conditions `facts` hold. Polynomials are compared
/// by their normal form; `n % 4 == 0` makes `n // 4` a quarter of n, and `lda == k` makes the two one. False when it
/// cannot tell.
bool provablyEqual(const ExprRef &x, const ExprRef &y, llvm::ArrayRef<ExprRef> facts);

using ScalarValue = std::variant<bool, int64_t, double>;

/// The value for given parameters (by index), or an error text ("division by zero in `n // k`", "overflow in ...").
struct EvalResult {
  ScalarValue value;
  std::string error;
  bool ok() const { return error.empty(); }
};
EvalResult evaluate(const Expr &expr, llvm::ArrayRef<ScalarValue> parameters);

/// .fly spelling: "ceil_div(n, 256)".
std::string toFly(const Expr &expr);

} // namespace fly::host
