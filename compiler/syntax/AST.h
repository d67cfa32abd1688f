// The syntax tree of a .fly file.
//
// Nodes are plain data: the source as written, with the byte range of every part that a diagnostic may point at. They
// have no types and no meaning. sema reads them any number of times (a function is elaborated at each call), so they
// never change after parsing. An `ast::Module` owns its nodes.
//
//     if i < n:            IfStmt{ test = Compare{ Name i, [<], Name n },
//         c[i] = x                 body = [ Assign{ targets = [Subscript{ Name c, [Name i] }], Name x } ] }
#pragma once

#include "compiler/diagnostics/Source.h"

#include "llvm/ADT/DynamicAPInt.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::ast {

// ---------------------------------------------------------------------------------------------------------
// Expressions

// clang-format off
enum class ExprKind {
  Name, Int, Float, String, FString, Bool, None,
  Tuple, List, Dict, Unary, Binary, Compare, BoolOp, Conditional,
  Call, Subscript, Slice, Attribute, Lambda, Comprehension, Starred,
};
// clang-format on

struct Expr {
  const ExprKind kind;
  SourceRange range;   ///< first to last character, brackets of a parenthesised expression excluded
  unsigned height = 1; ///< nodes from here to the deepest leaf; the parser limits it, so that recursion is safe
  explicit Expr(ExprKind kind) : kind(kind) {}
  virtual ~Expr() = default;
};

template <ExprKind K> struct ExprOf : Expr {
  ExprOf() : Expr(K) {}
  static bool classof(const Expr *e) { return e->kind == K; }
};

// clang-format off
struct NameExpr : ExprOf<ExprKind::Name> { std::string name; };
struct IntExpr : ExprOf<ExprKind::Int> { llvm::DynamicAPInt value; };
struct FloatExpr : ExprOf<ExprKind::Float> { double value = 0; };
struct StringExpr : ExprOf<ExprKind::String> { std::string value; }; ///< escapes resolved, adjacent literals joined
struct BoolExpr : ExprOf<ExprKind::Bool> { bool value = false; };
struct NoneExpr : ExprOf<ExprKind::None> {};

/// f"text {value} text": literal text and expressions in order; `value` null means text.
/// A `{value:spec}` keeps `spec` verbatim, a `{value!r:spec}` keeps `!r:spec`; `{x=}` is the text `x=` and the value.
struct FStringExpr : ExprOf<ExprKind::FString> {
  struct Part {
    std::string text; Expr *value = nullptr; std::string spec;
    Expr *format = nullptr; ///< a `spec` that contains fields, `{x:>{width}}`, as an f-string
  };
  std::vector<Part> parts;
};

struct TupleExpr : ExprOf<ExprKind::Tuple> { std::vector<Expr *> elements; }; ///< `()`, `(x,)`, `x, y`
struct ListExpr : ExprOf<ExprKind::List> { std::vector<Expr *> elements; };
struct DictExpr : ExprOf<ExprKind::Dict> {
  struct Entry { Expr *key, *value; }; ///< without a key: `**value`
  std::vector<Entry> entries;
};

enum class UnaryOp { Neg, Pos, Invert, Not };
const char *spelling(UnaryOp op); ///< "-", "+", "~", "not"
struct UnaryExpr : ExprOf<ExprKind::Unary> { UnaryOp op; SourceRange opRange; Expr *operand = nullptr; };

enum class BinaryOp { Add, Sub, Mul, Div, FloorDiv, Mod, Pow, MatMul, Shl, Shr, And, Or, Xor };
const char *spelling(BinaryOp op); ///< "+", "//", ...
struct BinaryExpr : ExprOf<ExprKind::Binary> {
  BinaryOp op; SourceRange opRange; Expr *lhs = nullptr, *rhs = nullptr;
};

enum class CompareOp { Lt, Le, Gt, Ge, Eq, Ne, In, NotIn, Is, IsNot };
const char *spelling(CompareOp op);
/// `a < b <= c`: operands a, b, c; ops <, <=.
struct CompareExpr : ExprOf<ExprKind::Compare> {
  struct Op { CompareOp op; SourceRange range; };
  std::vector<Expr *> operands; ///< one more than ops
  std::vector<Op> ops;
};

/// `a and b and c` (one node for a run of the same operator).
struct BoolOpExpr : ExprOf<ExprKind::BoolOp> { bool isAnd = true; std::vector<Expr *> operands; };
struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  Expr *test = nullptr, *whenTrue = nullptr, *whenFalse = nullptr;
};

struct Argument {
  std::string keyword;      ///< empty for a positional argument
  SourceRange keywordRange;
  Expr *value = nullptr;    ///< a StarredExpr for `*args`
  bool keywords = false;    ///< `**value`
  SourceRange range;
};
struct CallExpr : ExprOf<ExprKind::Call> {
  Expr *callee = nullptr;
  std::vector<Argument> arguments;
  SourceRange parens;
};

/// `a[i]`, `a[i, :]`, `layout[(8, 16):(1, 8)]`, `k[T=f16]`. Several items are not wrapped in a tuple;
/// `trailingComma` tells `a[i,]` from `a[i]`. Items may be SliceExpr. Keyword items have a keyword.
struct SubscriptExpr : ExprOf<ExprKind::Subscript> {
  Expr *base = nullptr; std::vector<Argument> items; bool trailingComma = false; SourceRange brackets;
};
/// `start:stop:step`, each may be null. Also occurs inside parentheses of a subscript: `t[(0, :), :]`.
struct SliceExpr : ExprOf<ExprKind::Slice> { Expr *start = nullptr, *stop = nullptr, *step = nullptr; };
struct AttributeExpr : ExprOf<ExprKind::Attribute> { Expr *base = nullptr; std::string name; SourceRange nameRange; };
struct StarredExpr : ExprOf<ExprKind::Starred> { Expr *value = nullptr; };

struct Parameter {
  std::string name;
  SourceRange nameRange, range;
  Expr *annotation = nullptr, *defaultValue = nullptr;
  bool keywordOnly = false; ///< stands after a bare `*` or after `*rest`
  enum Kind { One, Rest, Keywords } kind = One; ///< `*rest` takes further arguments, `**rest` further keywords
};
struct LambdaExpr : ExprOf<ExprKind::Lambda> { std::vector<Parameter> parameters; Expr *body = nullptr; };

/// `[element for target in iterable if test ...]`; a generator expression has isGenerator set, `{key: element for ...}`
/// a key.
struct ComprehensionExpr : ExprOf<ExprKind::Comprehension> {
  struct Clause { Expr *target = nullptr, *iterable = nullptr; std::vector<Expr *> tests; };
  Expr *key = nullptr, *element = nullptr;
  std::vector<Clause> clauses;
  bool isGenerator = false;
};
// clang-format on

// ---------------------------------------------------------------------------------------------------------
// Statements

// clang-format off
enum class StmtKind {
  Expr, Assign, AugAssign, AnnAssign, If, For, While, Break, Continue, Return, Assert, Pass, Def, Class, Import,
  ImportFrom, With,
};
// clang-format on

struct Stmt {
  const StmtKind kind;
  SourceRange range;
  explicit Stmt(StmtKind kind) : kind(kind) {}
  virtual ~Stmt() = default;
};
template <StmtKind K> struct StmtOf : Stmt {
  StmtOf() : Stmt(K) {}
  static bool classof(const Stmt *s) { return s->kind == K; }
};
using Block = std::vector<Stmt *>;

// clang-format off
struct ExprStmt : StmtOf<StmtKind::Expr> { Expr *value = nullptr; };
/// `a = b = value`; a target is a Name, Tuple, List, Subscript, Attribute or Starred.
struct AssignStmt : StmtOf<StmtKind::Assign> { std::vector<Expr *> targets; Expr *value = nullptr; };
struct AugAssignStmt : StmtOf<StmtKind::AugAssign> {
  Expr *target = nullptr;
  BinaryOp op;
  SourceRange opRange;
  Expr *value = nullptr;
};
/// `name: annotation = value`; value may be null (a struct's field).
struct AnnAssignStmt : StmtOf<StmtKind::AnnAssign> { Expr *target = nullptr, *annotation = nullptr, *value = nullptr; };
/// An `elif` is an IfStmt alone in `orelse`.
struct IfStmt : StmtOf<StmtKind::If> { Expr *test = nullptr; Block body, orelse; };
struct ForStmt : StmtOf<StmtKind::For> { Expr *target = nullptr, *iterable = nullptr; Block body; SourceRange header; };
struct WhileStmt : StmtOf<StmtKind::While> { Expr *test = nullptr; Block body; SourceRange header; };
struct BreakStmt : StmtOf<StmtKind::Break> {};
struct ContinueStmt : StmtOf<StmtKind::Continue> {};
struct ReturnStmt : StmtOf<StmtKind::Return> { Expr *value = nullptr; };
/// `assert test, message`; message may be null.
struct AssertStmt : StmtOf<StmtKind::Assert> { Expr *test = nullptr, *message = nullptr; };
struct PassStmt : StmtOf<StmtKind::Pass> {};

struct DefStmt : StmtOf<StmtKind::Def> {
  std::string name; SourceRange nameRange;
  std::vector<Expr *> decorators;
  std::vector<Parameter> parameters;
  Expr *returns = nullptr;
  Block body;             ///< without the docstring
  std::string docstring;
};
struct ClassStmt : StmtOf<StmtKind::Class> {
  std::string name; SourceRange nameRange;
  std::vector<Expr *> decorators;
  Block body;
  std::string docstring;
};

struct ImportedName { std::string name, alias; SourceRange range; }; ///< alias empty when there is none
/// `import fly.reduce as r`: module is the dotted name.
struct ImportStmt : StmtOf<StmtKind::Import> { std::vector<ImportedName> names; };
/// `from ..a.b import x as y`: `level` leading dots, names as written.
struct ImportFromStmt : StmtOf<StmtKind::ImportFrom> {
  std::string module; SourceRange moduleRange; unsigned level = 0; std::vector<ImportedName> names;
};
struct WithStmt : StmtOf<StmtKind::With> {
  struct Item { Expr *context = nullptr, *target = nullptr; };
  std::vector<Item> items; Block body;
};
// clang-format on

// ---------------------------------------------------------------------------------------------------------

/// One parsed file; owns every node.
class Module {
public:
  FileId file = 0;
  std::string docstring;
  Block body;
  bool hasErrors = false; ///< statements are missing (Parser.h)

  template <typename T> T *make() {
    auto node = std::make_unique<T>();
    T *raw = node.get();
    if constexpr (std::is_base_of_v<Expr, T>)
      exprs.push_back(std::move(node));
    else
      stmts.push_back(std::move(node));
    return raw;
  }

private:
  std::vector<std::unique_ptr<Expr>> exprs;
  std::vector<std::unique_ptr<Stmt>> stmts;
};

} // namespace fly::ast
