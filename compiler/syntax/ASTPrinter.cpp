// The tree as an outline: one node a line, children below it, indented by two; places as line:column.
//
//     Assign 3:5-3:13
//       Name c 3:5-3:6
//       Int 42 3:9-3:11
//
// Children that could be confused have their role before them (`step: Int 2`). Recursion is as deep as the tree, which
// the parser limits.
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Format.h"

namespace fly {

using namespace ast;

namespace {

class Printer {
public:
  Printer(const SourceManager &sources, llvm::raw_ostream &os, bool withPlaces)
      : sources(sources), os(os), withPlaces(withPlaces) {}

  void module(const Module &module) {
    os << "Module";
    if (!module.docstring.empty())
      quoted(" docstring ", module.docstring);
    os << "\n";
    block(module.body, 1);
  }

private:
  void block(const Block &body, unsigned depth) {
    for (const Stmt *s : body)
      stmt(s, depth);
  }
  void labelled(const char *label, const Block &body, unsigned depth) {
    os.indent(2 * depth) << label << ":\n";
    block(body, depth + 1);
  }
  void quoted(llvm::StringRef before, llvm::StringRef text) {
    os << before << '"';
    os.write_escaped(text) << '"';
  }
  void place(SourceRange range) {
    if (!withPlaces) {
      os << '\n';
      return;
    }
    LineColumn a = sources.lineColumn(range.file, range.begin), b = sources.lineColumn(range.file, range.end);
    os << ' ' << a.line << ':' << a.column << '-' << b.line << ':' << b.column << '\n';
  }

  void parameters(const std::vector<Parameter> &parameters, unsigned depth) {
    for (const Parameter &p : parameters) {
      os.indent(2 * depth) << "Parameter "
                           << (p.kind == Parameter::Rest       ? "*"
                               : p.kind == Parameter::Keywords ? "**"
                                                               : "")
                           << p.name << (p.keywordOnly ? " keyword-only" : "");
      place(p.range);
      child("annotation: ", p.annotation, depth + 1);
      child("default: ", p.defaultValue, depth + 1);
    }
  }
  void arguments(const std::vector<Argument> &arguments, unsigned depth) {
    for (const Argument &a : arguments)
      child(a.keywords ? "** " : a.keyword.empty() ? "" : (a.keyword + "= ").c_str(), a.value, depth);
  }
  void child(const char *role, const Expr *e, unsigned depth) {
    if (e)
      expr(e, depth, role);
  }
  void children(const std::vector<Expr *> &list, unsigned depth) {
    for (const Expr *e : list)
      expr(e, depth);
  }

  void expr(const Expr *e, unsigned depth, const char *role = "");
  void stmt(const Stmt *s, unsigned depth);

  const SourceManager &sources;
  llvm::raw_ostream &os;
  const bool withPlaces;
};

void Printer::expr(const Expr *e, unsigned depth, const char *role) {
  os.indent(2 * depth) << role;
  const unsigned below = depth + 1;
  switch (e->kind) {
  case ExprKind::Name: os << "Name " << llvm::cast<NameExpr>(e)->name; return place(e->range);
  case ExprKind::Int: os << "Int " << llvm::cast<IntExpr>(e)->value; return place(e->range);
  case ExprKind::Float:
    os << "Float " << llvm::format("%.17g", llvm::cast<FloatExpr>(e)->value);
    return place(e->range);
  case ExprKind::String: quoted("String ", llvm::cast<StringExpr>(e)->value); return place(e->range);
  case ExprKind::Bool: os << (llvm::cast<BoolExpr>(e)->value ? "True" : "False"); return place(e->range);
  case ExprKind::None: os << "None"; return place(e->range);
  case ExprKind::FString:
    os << "FString";
    place(e->range);
    for (const auto &part : llvm::cast<FStringExpr>(e)->parts) {
      if (part.value) {
        child(part.spec.empty() ? "" : ("spec \"" + part.spec + "\" ").c_str(), part.value, below);
        child("format: ", part.format, below);
      } else {
        os.indent(2 * below);
        quoted("Text ", part.text);
        os << "\n";
      }
    }
    return;
  case ExprKind::Tuple:
    os << "Tuple";
    place(e->range);
    return children(llvm::cast<TupleExpr>(e)->elements, below);
  case ExprKind::List:
    os << "List";
    place(e->range);
    return children(llvm::cast<ListExpr>(e)->elements, below);
  case ExprKind::Dict:
    os << "Dict";
    place(e->range);
    for (const auto &entry : llvm::cast<DictExpr>(e)->entries) {
      child("key: ", entry.key, below);
      child(entry.key ? "value: " : "** ", entry.value, below);
    }
    return;
  case ExprKind::Unary:
    os << "Unary " << spelling(llvm::cast<UnaryExpr>(e)->op);
    place(e->range);
    return expr(llvm::cast<UnaryExpr>(e)->operand, below);
  case ExprKind::Binary: {
    auto *b = llvm::cast<BinaryExpr>(e);
    os << "Binary " << spelling(b->op);
    place(e->range);
    expr(b->lhs, below);
    return expr(b->rhs, below);
  }
  case ExprKind::Compare: {
    auto *c = llvm::cast<CompareExpr>(e);
    os << "Compare";
    for (const auto &op : c->ops)
      os << ' ' << spelling(op.op);
    place(e->range);
    return children(c->operands, below);
  }
  case ExprKind::BoolOp:
    os << (llvm::cast<BoolOpExpr>(e)->isAnd ? "And" : "Or");
    place(e->range);
    return children(llvm::cast<BoolOpExpr>(e)->operands, below);
  case ExprKind::Conditional: {
    auto *c = llvm::cast<ConditionalExpr>(e);
    os << "Conditional";
    place(e->range);
    child("test: ", c->test, below);
    child("true: ", c->whenTrue, below);
    return child("false: ", c->whenFalse, below);
  }
  case ExprKind::Call:
    os << "Call";
    place(e->range);
    expr(llvm::cast<CallExpr>(e)->callee, below);
    return arguments(llvm::cast<CallExpr>(e)->arguments, below);
  case ExprKind::Subscript: {
    auto *s = llvm::cast<SubscriptExpr>(e);
    os << "Subscript" << (s->trailingComma ? " trailing-comma" : "");
    place(e->range);
    expr(s->base, below);
    return arguments(s->items, below);
  }
  case ExprKind::Slice: {
    auto *s = llvm::cast<SliceExpr>(e);
    os << "Slice";
    place(e->range);
    child("start: ", s->start, below);
    child("stop: ", s->stop, below);
    return child("step: ", s->step, below);
  }
  case ExprKind::Attribute:
    os << "Attribute " << llvm::cast<AttributeExpr>(e)->name;
    place(e->range);
    return expr(llvm::cast<AttributeExpr>(e)->base, below);
  case ExprKind::Lambda:
    os << "Lambda";
    place(e->range);
    parameters(llvm::cast<LambdaExpr>(e)->parameters, below);
    return expr(llvm::cast<LambdaExpr>(e)->body, below);
  case ExprKind::Comprehension: {
    auto *c = llvm::cast<ComprehensionExpr>(e);
    os << (c->isGenerator ? "Generator" : "Comprehension");
    place(e->range);
    child("key: ", c->key, below);
    expr(c->element, below);
    for (const auto &clause : c->clauses) {
      child("for: ", clause.target, below);
      child("in: ", clause.iterable, below);
      for (const Expr *test : clause.tests)
        child("if: ", test, below);
    }
    return;
  }
  case ExprKind::Starred:
    os << "Starred";
    place(e->range);
    return expr(llvm::cast<StarredExpr>(e)->value, below);
  }
}

void Printer::stmt(const Stmt *s, unsigned depth) {
  os.indent(2 * depth);
  const unsigned below = depth + 1;
  switch (s->kind) {
  case StmtKind::Expr:
    os << "Expr";
    place(s->range);
    return expr(llvm::cast<ExprStmt>(s)->value, below);
  case StmtKind::Assign:
    os << "Assign";
    place(s->range);
    children(llvm::cast<AssignStmt>(s)->targets, below);
    return child("value: ", llvm::cast<AssignStmt>(s)->value, below);
  case StmtKind::AugAssign: {
    auto *a = llvm::cast<AugAssignStmt>(s);
    os << "AugAssign " << spelling(a->op) << '=';
    place(s->range);
    expr(a->target, below);
    return child("value: ", a->value, below);
  }
  case StmtKind::AnnAssign: {
    auto *a = llvm::cast<AnnAssignStmt>(s);
    os << "AnnAssign";
    place(s->range);
    expr(a->target, below);
    child("annotation: ", a->annotation, below);
    return child("value: ", a->value, below);
  }
  case StmtKind::If: {
    auto *i = llvm::cast<IfStmt>(s);
    os << "If";
    place(s->range);
    child("test: ", i->test, below);
    labelled("then", i->body, below);
    if (!i->orelse.empty())
      labelled("else", i->orelse, below);
    return;
  }
  case StmtKind::For: {
    auto *f = llvm::cast<ForStmt>(s);
    os << "For";
    place(s->range);
    child("target: ", f->target, below);
    child("in: ", f->iterable, below);
    return labelled("body", f->body, below);
  }
  case StmtKind::While:
    os << "While";
    place(s->range);
    child("test: ", llvm::cast<WhileStmt>(s)->test, below);
    return labelled("body", llvm::cast<WhileStmt>(s)->body, below);
  case StmtKind::Break: os << "Break"; return place(s->range);
  case StmtKind::Continue: os << "Continue"; return place(s->range);
  case StmtKind::Pass: os << "Pass"; return place(s->range);
  case StmtKind::Assert: {
    auto *a = llvm::cast<AssertStmt>(s);
    os << "Assert";
    place(s->range);
    child("test: ", a->test, below);
    return child("message: ", a->message, below);
  }
  case StmtKind::Return:
    os << "Return";
    place(s->range);
    return child("", llvm::cast<ReturnStmt>(s)->value, below);
  case StmtKind::Def: {
    auto *d = llvm::cast<DefStmt>(s);
    os << "Def " << d->name;
    if (!d->docstring.empty())
      quoted(" docstring ", d->docstring);
    place(s->range);
    for (const Expr *decorator : d->decorators)
      child("@ ", decorator, below);
    parameters(d->parameters, below);
    child("returns: ", d->returns, below);
    return labelled("body", d->body, below);
  }
  case StmtKind::Class: {
    auto *c = llvm::cast<ClassStmt>(s);
    os << "Class " << c->name;
    if (!c->docstring.empty())
      quoted(" docstring ", c->docstring);
    place(s->range);
    for (const Expr *decorator : c->decorators)
      child("@ ", decorator, below);
    return labelled("body", c->body, below);
  }
  case StmtKind::Import:
  case StmtKind::ImportFrom: {
    auto *from = llvm::dyn_cast<ImportFromStmt>(s);
    os << "Import";
    if (from)
      os << " from " << std::string(from->level, '.') << from->module;
    const char *separator = " ";
    for (const ImportedName &name : from ? from->names : llvm::cast<ImportStmt>(s)->names) {
      os << separator << name.name << (name.alias.empty() ? "" : " as " + name.alias);
      separator = ", ";
    }
    return place(s->range);
  }
  case StmtKind::With:
    os << "With";
    place(s->range);
    for (const auto &item : llvm::cast<WithStmt>(s)->items) {
      child("with: ", item.context, below);
      child("as: ", item.target, below);
    }
    return labelled("body", llvm::cast<WithStmt>(s)->body, below);
  }
}

} // namespace

void printAST(const Module &module, const SourceManager &sources, llvm::raw_ostream &os, bool withPlaces) {
  Printer(sources, os, withPlaces).module(module);
}

} // namespace fly
