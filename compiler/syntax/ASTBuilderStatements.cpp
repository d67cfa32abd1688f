// Statements: assignments and the compound statements.
//
//     if p: A            IfStmt{p, A, orelse = [IfStmt{q, B, orelse = C}]}
//     elif q: B
//     else: C
//
// The chain of `elif` is built from its end, without recursion; readers of the tree do recurse along it, so that
// its length is limited. A target is read as an expression and judged here: `f(x) = 1` is worth its own words.
#include "compiler/syntax/ASTBuilder.h"
#include "compiler/syntax/PlainCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly {

using namespace ast;

namespace {

struct Augmented {
  llvm::StringLiteral text;
  BinaryOp op;
};
const Augmented augmented[] = {
    {"+=", BinaryOp::Add},       {"-=", BinaryOp::Sub},  {"*=", BinaryOp::Mul},  {"/=", BinaryOp::Div},
    {"//=", BinaryOp::FloorDiv}, {"%=", BinaryOp::Mod},  {"**=", BinaryOp::Pow}, {"@=", BinaryOp::MatMul},
    {"<<=", BinaryOp::Shl},      {">>=", BinaryOp::Shr}, {"&=", BinaryOp::And},  {"|=", BinaryOp::Or},
    {"^=", BinaryOp::Xor},
};

llvm::StringLiteral nameOf(ExprKind kind) {
  switch (kind) {
  case ExprKind::Name: return "a name";
  case ExprKind::Int:
  case ExprKind::Float: return "a number";
  case ExprKind::String:
  case ExprKind::FString: return "a string";
  case ExprKind::Bool: return "`True` or `False`";
  case ExprKind::None: return "`None`";
  case ExprKind::Tuple: return "a tuple";
  case ExprKind::List: return "a list";
  case ExprKind::Dict: return "a dict";
  case ExprKind::Compare: return "a comparison";
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::BoolOp: return "the result of an operator";
  case ExprKind::Conditional: return "a conditional expression";
  case ExprKind::Call: return "the result of a call";
  case ExprKind::Subscript: return "an element";
  case ExprKind::Slice: return "a slice";
  case ExprKind::Attribute: return "an attribute";
  case ExprKind::Lambda: return "a lambda";
  case ExprKind::Comprehension: return "a comprehension";
  case ExprKind::Starred: return "a starred value";
  }
  return "an expression";
}

} // namespace

void ASTBuilder::addStatement(FlyParser::StatementContext *context, Block &into) {
  if (context->exception)
    return; // the parser gave it up
  const unsigned blamedBefore = blamed, errorsBefore = session.diags.errorCount();
  const size_t sizeBefore = into.size();
  buildStatement(context, into);
  const unsigned found = session.diags.errorCount() - errorsBefore, ofInner = blamed - blamedBefore;
  if (found > ofInner)
    into.resize(sizeBefore);
  blamed = blamedBefore + found;
}

void ASTBuilder::buildStatement(FlyParser::StatementContext *context, Block &into) {
  auto *child = static_cast<Context *>(context->children.at(0));
  Stmt *made = nullptr;
  switch (child->getRuleIndex()) {
  case FlyParser::RuleSimpleStatements:
    for (Node *node : child->children)
      if (auto *simple = dynamic_cast<FlyParser::SimpleStatementContext *>(node))
        simpleStatement(simple, into);
    return;
  case FlyParser::RuleIfStatement: made = ifStatement(static_cast<FlyParser::IfStatementContext *>(child)); break;
  case FlyParser::RuleWhileStatement:
    made = whileStatement(static_cast<FlyParser::WhileStatementContext *>(child));
    break;
  case FlyParser::RuleForStatement: made = forStatement(static_cast<FlyParser::ForStatementContext *>(child)); break;
  case FlyParser::RuleWithStatement: made = withStatement(static_cast<FlyParser::WithStatementContext *>(child)); break;
  default: made = definition(static_cast<FlyParser::DefinitionContext *>(child)); break;
  }
  into.push_back(made);
}

Block ASTBuilder::block(FlyParser::BlockContext *context) {
  Block result;
  for (Node *node : context->children) {
    if (auto *statement = dynamic_cast<FlyParser::StatementContext *>(node))
      addStatement(statement, result);
    else if (auto *line = dynamic_cast<FlyParser::SimpleStatementsContext *>(node))
      for (Node *part : line->children)
        if (auto *simple = dynamic_cast<FlyParser::SimpleStatementContext *>(part))
          simpleStatement(simple, result);
  }
  return result;
}

void ASTBuilder::simpleStatement(FlyParser::SimpleStatementContext *context, Block &into) {
  Node *child = context->children.at(0);
  const SourceRange range = rangeOf(context);
  switch (type(child)) {
  case FlyParser::BREAK: into.push_back(make<BreakStmt>(range)); return;
  case FlyParser::CONTINUE: into.push_back(make<ContinueStmt>(range)); return;
  case FlyParser::PLAIN_CALL: into.push_back(plainCall(session.text, range.begin, session.file, module)); return;
  case FlyParser::PASS: into.push_back(make<PassStmt>(range)); return;
  default: break;
  }
  switch (static_cast<Context *>(child)->getRuleIndex()) {
  case FlyParser::RuleAssignment:
    into.push_back(assignment(static_cast<FlyParser::AssignmentContext *>(child)));
    return;
  case FlyParser::RuleReturnStatement: {
    auto *made = make<ReturnStmt>(range);
    if (auto *value = static_cast<FlyParser::ReturnStatementContext *>(child)->items())
      made->value = items(value);
    into.push_back(made);
    return;
  }
  case FlyParser::RuleAssertStatement: {
    auto *made = make<AssertStmt>(range);
    auto parts = static_cast<FlyParser::AssertStatementContext *>(child)->expression();
    made->test = expression(parts.at(0));
    if (parts.size() > 1)
      made->message = expression(parts[1]);
    into.push_back(made);
    return;
  }
  case FlyParser::RuleImportStatement:
    into.push_back(importStatement(static_cast<FlyParser::ImportStatementContext *>(child)));
    return;
  default: into.push_back(importFromStatement(static_cast<FlyParser::ImportFromStatementContext *>(child)));
  }
}

// assignment: items ((ASSIGN items)* | AUGMENTED items | COLON expression (ASSIGN items)?)
Stmt *ASTBuilder::assignment(FlyParser::AssignmentContext *context) {
  const auto &children = context->children;
  const SourceRange range = rangeOf(context);
  Expr *first = items(static_cast<FlyParser::ItemsContext *>(children[0]));
  if (children.size() == 1) {
    auto *made = make<ExprStmt>(range);
    made->value = first;
    return made;
  }
  if (type(children[1]) == FlyParser::AUGMENTED) {
    auto *made = make<AugAssignStmt>(range);
    made->target = first;
    made->opRange = rangeOf(token(children[1]));
    const std::string text = textOf(token(children[1]));
    for (const Augmented &row : augmented)
      if (row.text == text)
        made->op = row.op;
    made->value = items(static_cast<FlyParser::ItemsContext *>(children[2]));
    if (!llvm::isa<NameExpr, SubscriptExpr, AttributeExpr>(first))
      session.report(diag::bad_target, first->range)
          .arg(nameOf(first->kind))
          .arg(" with `" + text + "`; the target must be a name, an element or an attribute");
    return made;
  }
  if (type(children[1]) == FlyParser::COLON) {
    auto *made = make<AnnAssignStmt>(range);
    made->target = first;
    made->annotation = expression(static_cast<FlyParser::ExpressionContext *>(children[2]));
    if (children.size() > 4)
      made->value = items(static_cast<FlyParser::ItemsContext *>(children[4]));
    if (!llvm::isa<NameExpr>(first))
      session.report(diag::bad_target, first->range)
          .arg(nameOf(first->kind))
          .arg(" with a type; only a name can have one");
    return made;
  }
  auto *made = make<AssignStmt>(range);
  made->targets.push_back(first);
  for (size_t i = 2; i + 2 < children.size(); i += 2)
    made->targets.push_back(items(static_cast<FlyParser::ItemsContext *>(children[i])));
  made->value = items(static_cast<FlyParser::ItemsContext *>(children.back()));
  for (Expr *target : made->targets)
    checkTarget(target);
  return made;
}

void ASTBuilder::checkTarget(const Expr *target, bool inside) {
  const std::vector<Expr *> *elements = nullptr;
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
    elements = &tuple->elements;
  if (auto *list = llvm::dyn_cast<ListExpr>(target))
    elements = &list->elements;
  if (elements) {
    const Expr *star = nullptr;
    for (Expr *element : *elements) {
      if (llvm::isa<StarredExpr>(element)) {
        if (star)
          session.report(diag::bad_target, element->range)
              .arg("a second starred name")
              .arg("; only one is allowed, and it takes all remaining values")
              .label(star->range, "the first");
        star = element;
      }
      checkTarget(element, true);
    }
    return;
  }
  if (auto *star = llvm::dyn_cast<StarredExpr>(target)) // one outside of a tuple has its message by now
    return inside ? checkTarget(star->value, false) : void();
  if (!llvm::isa<NameExpr, SubscriptExpr, AttributeExpr>(target))
    session.report(diag::bad_target, target->range).arg(nameOf(target->kind)).arg("");
}

Stmt *ASTBuilder::ifStatement(FlyParser::IfStatementContext *context) {
  auto elifs = context->elifClause();
  if (elifs.size() > maxElifs) {
    session.report(diag::nested_too_deeply, rangeOf(elifs[maxElifs]->getStart()))
        .arg(llvm::Twine(maxElifs))
        .arg("`elif` of one `if`")
        .arg("look the value up in a tuple");
    elifs.resize(maxElifs);
  }
  auto *made = make<IfStmt>(rangeOf(context));
  made->test = expression(context->expression());
  made->body = block(context->block());
  Block last;
  if (auto *clause = context->elseClause())
    last = block(clause->block());
  // In source order, so that diagnostics are; then linked.
  std::vector<IfStmt *> chain{made};
  for (auto *clause : elifs) {
    auto *next = make<IfStmt>(join(rangeOf(clause), rangeOf(context->getStop())));
    next->test = expression(clause->expression());
    next->body = block(clause->block());
    chain.push_back(next);
  }
  chain.back()->orelse = std::move(last);
  for (size_t i = 0; i + 1 < chain.size(); ++i)
    chain[i]->orelse.push_back(chain[i + 1]);
  return made;
}

void ASTBuilder::refuseElse(FlyParser::ElseClauseContext *context) {
  if (!context)
    return;
  session.report(diag::not_in_language, rangeOf(context->getStart()))
      .arg("`else` of a loop")
      .arg("put the code after the loop, under a condition");
  block(context->block());
}

Stmt *ASTBuilder::whileStatement(FlyParser::WhileStatementContext *context) {
  auto *made = make<WhileStmt>(rangeOf(context));
  made->test = expression(context->expression());
  made->header = join(rangeOf(context->getStart()), rangeOf(context->expression()));
  made->body = block(context->block());
  refuseElse(context->elseClause());
  return made;
}

Stmt *ASTBuilder::forStatement(FlyParser::ForStatementContext *context) {
  auto *made = make<ForStmt>(rangeOf(context));
  made->target = targets(context->targets());
  made->iterable = items(context->items());
  made->header = join(rangeOf(context->getStart()), rangeOf(context->items()));
  made->body = block(context->block());
  refuseElse(context->elseClause());
  return made;
}

Stmt *ASTBuilder::withStatement(FlyParser::WithStatementContext *context) {
  auto *made = make<WithStmt>(rangeOf(context));
  for (auto *item : context->withItem()) {
    WithStmt::Item entry;
    entry.context = expression(item->expression());
    if (item->target())
      entry.target = target(item->target());
    made->items.push_back(entry);
  }
  made->body = block(context->block());
  return made;
}

Expr *ASTBuilder::targets(FlyParser::TargetsContext *context) {
  if (context->children.size() == 1) {
    Expr *only = target(static_cast<FlyParser::TargetContext *>(context->children[0]));
    if (llvm::isa<StarredExpr>(only))
      session.report(only->range, diag::misplaced_star{});
    return only;
  }
  auto *tuple = make<TupleExpr>(rangeOf(context));
  for (auto *element : context->target())
    tuple->elements.push_back(target(element));
  for (Expr *element : tuple->elements)
    hang(tuple, element);
  checkTarget(tuple);
  return tuple;
}

Expr *ASTBuilder::target(FlyParser::TargetContext *context) {
  switch (type(context->children[0])) {
  case FlyParser::NAME: {
    auto *name = make<NameExpr>(rangeOf(context));
    name->name = textOf(context->getStart());
    return name;
  }
  case FlyParser::STAR: {
    auto *name = make<NameExpr>(rangeOf(context->getStop()));
    name->name = textOf(context->getStop());
    auto *star = make<StarredExpr>(rangeOf(context));
    star->value = name;
    hang(star, name);
    return star;
  }
  default: {
    Expr *inner = targets(context->targets());
    if (inner->kind == ExprKind::Tuple && type(context->children[0]) == FlyParser::LPAREN)
      inner->range = rangeOf(context);
    return inner;
  }
  }
}

void ASTBuilder::takeDocstring(Block &body, std::string &docstring) {
  if (body.empty())
    return;
  auto *statement = llvm::dyn_cast<ExprStmt>(body.front());
  if (!statement || !statement->value)
    return;
  if (auto *text = llvm::dyn_cast<StringExpr>(statement->value)) {
    docstring = text->value;
    body.erase(body.begin());
  }
}

} // namespace fly
