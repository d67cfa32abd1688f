// The children of each kind of expression.
#include "compiler/syntax/Walk.h"

#include "llvm/Support/Casting.h"

namespace fly::ast {

using llvm::cast;

static void children(const Expr &expr, std::vector<const Expr *> &out) {
  auto add = [&](const Expr *child) {
    if (child)
      out.push_back(child);
  };
  auto addParameters = [&](const std::vector<Parameter> &parameters) {
    for (auto &p : parameters) {
      add(p.annotation);
      add(p.defaultValue);
    }
  };
  switch (expr.kind) {
  case ExprKind::Name:
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::String:
  case ExprKind::Bool:
  case ExprKind::None: return;
  case ExprKind::FString:
    for (auto &part : cast<FStringExpr>(expr).parts) {
      add(part.value);
      add(part.format);
    }
    return;
  case ExprKind::Tuple:
    return out.insert(out.end(), cast<TupleExpr>(expr).elements.begin(), cast<TupleExpr>(expr).elements.end()), void();
  case ExprKind::List:
    return out.insert(out.end(), cast<ListExpr>(expr).elements.begin(), cast<ListExpr>(expr).elements.end()), void();
  case ExprKind::Dict:
    for (auto &entry : cast<DictExpr>(expr).entries) {
      add(entry.key);
      add(entry.value);
    }
    return;
  case ExprKind::Unary: return add(cast<UnaryExpr>(expr).operand);
  case ExprKind::Binary: add(cast<BinaryExpr>(expr).lhs); return add(cast<BinaryExpr>(expr).rhs);
  case ExprKind::Compare:
    for (auto *operand : cast<CompareExpr>(expr).operands)
      add(operand);
    return;
  case ExprKind::BoolOp:
    for (auto *operand : cast<BoolOpExpr>(expr).operands)
      add(operand);
    return;
  case ExprKind::Conditional:
    add(cast<ConditionalExpr>(expr).test);
    add(cast<ConditionalExpr>(expr).whenTrue);
    return add(cast<ConditionalExpr>(expr).whenFalse);
  case ExprKind::Call:
    add(cast<CallExpr>(expr).callee);
    for (auto &argument : cast<CallExpr>(expr).arguments)
      add(argument.value);
    return;
  case ExprKind::Subscript:
    add(cast<SubscriptExpr>(expr).base);
    for (auto &item : cast<SubscriptExpr>(expr).items)
      add(item.value);
    return;
  case ExprKind::Slice:
    add(cast<SliceExpr>(expr).start);
    add(cast<SliceExpr>(expr).stop);
    return add(cast<SliceExpr>(expr).step);
  case ExprKind::Attribute: return add(cast<AttributeExpr>(expr).base);
  case ExprKind::Starred: return add(cast<StarredExpr>(expr).value);
  case ExprKind::Lambda: addParameters(cast<LambdaExpr>(expr).parameters); return add(cast<LambdaExpr>(expr).body);
  case ExprKind::Comprehension: {
    auto &node = cast<ComprehensionExpr>(expr);
    for (auto &clause : node.clauses) {
      add(clause.target);
      add(clause.iterable);
      for (auto *test : clause.tests)
        add(test);
    }
    add(node.key);
    return add(node.element);
  }
  }
}

void walk(const Expr &expr, llvm::function_ref<void(const Expr &)> visit) {
  std::vector<const Expr *> left = {&expr};
  while (!left.empty()) {
    const Expr *next = left.back();
    left.pop_back();
    visit(*next);
    children(*next, left);
  }
}

void walk(const Block &block, llvm::function_ref<void(const Expr &)> visit) {
  auto in = [&](const Expr *expr) {
    if (expr)
      walk(*expr, visit);
  };
  for (const Stmt *stmt : block)
    switch (stmt->kind) {
    case StmtKind::Expr: in(cast<ExprStmt>(stmt)->value); break;
    case StmtKind::Assign:
      for (auto *target : cast<AssignStmt>(stmt)->targets)
        in(target);
      in(cast<AssignStmt>(stmt)->value);
      break;
    case StmtKind::AugAssign:
      in(cast<AugAssignStmt>(stmt)->target);
      in(cast<AugAssignStmt>(stmt)->value);
      break;
    case StmtKind::AnnAssign:
      in(cast<AnnAssignStmt>(stmt)->target);
      in(cast<AnnAssignStmt>(stmt)->annotation);
      in(cast<AnnAssignStmt>(stmt)->value);
      break;
    case StmtKind::If:
      in(cast<IfStmt>(stmt)->test);
      walk(cast<IfStmt>(stmt)->body, visit);
      walk(cast<IfStmt>(stmt)->orelse, visit);
      break;
    case StmtKind::For:
      in(cast<ForStmt>(stmt)->target);
      in(cast<ForStmt>(stmt)->iterable);
      walk(cast<ForStmt>(stmt)->body, visit);
      break;
    case StmtKind::While:
      in(cast<WhileStmt>(stmt)->test);
      walk(cast<WhileStmt>(stmt)->body, visit);
      break;
    case StmtKind::Return: in(cast<ReturnStmt>(stmt)->value); break;
    case StmtKind::Assert:
      in(cast<AssertStmt>(stmt)->test);
      in(cast<AssertStmt>(stmt)->message);
      break;
    case StmtKind::With:
      for (auto &item : cast<WithStmt>(stmt)->items) {
        in(item.context);
        in(item.target);
      }
      walk(cast<WithStmt>(stmt)->body, visit);
      break;
    case StmtKind::Break:
    case StmtKind::Continue:
    case StmtKind::Pass:
    case StmtKind::Def:
    case StmtKind::Class:
    case StmtKind::Import:
    case StmtKind::ImportFrom: break;
    }
}

} // namespace fly::ast
