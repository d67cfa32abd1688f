// Expressions: operators, conditional expressions, names, parentheses, lists, dicts.
//
//     a.b(c) + d + e        operation                     the left spine, from the top:
//                             operation  + operation        (... + e), (a.b(c) + d), a.b(c), a.b, a
//                               ...
//
// A spine may be thousands long where the brackets are not deep at all, so that it is walked in a loop: down to its
// first operation, then up again, each step making a node around the one before. Runs of `and`, `or` and of
// comparisons become one node on the way.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/Support/Casting.h"

namespace fly {

using namespace ast;

namespace {

struct BinaryRow {
  size_t token;
  BinaryOp op;
};
const BinaryRow binaryOperators[] = {
    {FlyParser::PLUS, BinaryOp::Add},
    {FlyParser::MINUS, BinaryOp::Sub},
    {FlyParser::STAR, BinaryOp::Mul},
    {FlyParser::SLASH, BinaryOp::Div},
    {FlyParser::FLOOR_SLASH, BinaryOp::FloorDiv},
    {FlyParser::PERCENT, BinaryOp::Mod},
    {FlyParser::POWER, BinaryOp::Pow},
    {FlyParser::AT, BinaryOp::MatMul},
    {FlyParser::SHIFT_LEFT, BinaryOp::Shl},
    {FlyParser::SHIFT_RIGHT, BinaryOp::Shr},
    {FlyParser::AMPERSAND, BinaryOp::And},
    {FlyParser::BAR, BinaryOp::Or},
    {FlyParser::CARET, BinaryOp::Xor},
};

struct CompareRow {
  size_t token;
  CompareOp op;
};
const CompareRow compareOperators[] = {
    {FlyParser::LESS, CompareOp::Lt},    {FlyParser::LESS_EQUAL, CompareOp::Le},
    {FlyParser::GREATER, CompareOp::Gt}, {FlyParser::GREATER_EQUAL, CompareOp::Ge},
    {FlyParser::EQUAL, CompareOp::Eq},   {FlyParser::NOT_EQUAL, CompareOp::Ne},
    {FlyParser::IN, CompareOp::In},      {FlyParser::NOT, CompareOp::NotIn},
    {FlyParser::IS, CompareOp::Is},
};

FlyParser::OperationContext *asOperation(antlr4::tree::ParseTree *node) {
  return dynamic_cast<FlyParser::OperationContext *>(node);
}

} // namespace

void ASTBuilder::hang(Expr *parent, const Expr *child) {
  if (!child || child->height < parent->height)
    return;
  parent->height = child->height + 1;
  if (parent->height <= maxHeight || session.giveUp)
    return;
  session.report(diag::nested_too_deeply, parent->range)
      .arg(llvm::Twine(maxHeight))
      .arg("operations on one value")
      .arg("give a part of the expression a name");
  session.giveUp = true;
}

// items: item (COMMA item)* COMMA?
Expr *ASTBuilder::items(FlyParser::ItemsContext *context) {
  if (context->children.size() == 1) {
    Expr *only = item(static_cast<FlyParser::ItemContext *>(context->children[0]));
    if (llvm::isa<StarredExpr>(only))
      session.report(only->range, diag::misplaced_star{})
          .help("to dereference a pointer, write `" +
                session.text.slice(only->range.begin + 1, only->range.end).trim() + "[0]`");
    return only;
  }
  auto *tuple = make<TupleExpr>(rangeOf(context));
  for (size_t i = 0; i < context->children.size(); i += 2) {
    tuple->elements.push_back(item(static_cast<FlyParser::ItemContext *>(context->children[i])));
    hang(tuple, tuple->elements.back());
  }
  return tuple;
}

Expr *ASTBuilder::item(FlyParser::ItemContext *context) {
  if (context->children.size() == 1)
    return expression(static_cast<FlyParser::ExpressionContext *>(context->children[0]));
  return starred(context->children[0], static_cast<FlyParser::OperationContext *>(context->children[1]));
}

Expr *ASTBuilder::starred(Node *star, FlyParser::OperationContext *context) {
  auto *made = make<StarredExpr>(join(rangeOf(token(star)), rangeOf(context)));
  made->value = operation(context);
  hang(made, made->value);
  return made;
}

// expression: operation (IF operation ELSE operation)*, nested to the right
Expr *ASTBuilder::expression(FlyParser::ExpressionContext *context) {
  const auto &children = context->children;
  auto part = [&](size_t i) { return operation(static_cast<FlyParser::OperationContext *>(children[i])); };
  if (children.size() == 1)
    return part(0);
  std::vector<ConditionalExpr *> chain;
  for (size_t i = 0; i + 4 < children.size(); i += 4) {
    auto *made =
        make<ConditionalExpr>(session.range(rangeOf(static_cast<Context *>(children[i])).begin, rangeOf(context).end));
    made->whenTrue = part(i);
    made->test = part(i + 2);
    chain.push_back(made);
  }
  Expr *last = part(children.size() - 1);
  for (size_t i = chain.size(); i-- > 0;) {
    chain[i]->whenFalse = last;
    for (Expr *child : {chain[i]->test, chain[i]->whenTrue, last})
      hang(chain[i], child);
    last = chain[i];
  }
  return last;
}

Expr *ASTBuilder::operation(FlyParser::OperationContext *context) {
  std::vector<FlyParser::OperationContext *> spine{context};
  while (auto *left = asOperation(spine.back()->children[0]))
    spine.push_back(left);
  Expr *value = firstOperation(spine.back());
  for (size_t i = spine.size() - 1; i-- > 0 && !session.giveUp;)
    value = furtherOperation(spine[i], value, spine[i + 1]);
  return value;
}

/// An operation that starts with no operation: an atom, a prefix operator, a lambda.
Expr *ASTBuilder::firstOperation(FlyParser::OperationContext *context) {
  const auto &children = context->children;
  switch (type(children[0])) {
  case FlyParser::PLUS:
  case FlyParser::MINUS:
  case FlyParser::TILDE:
  case FlyParser::NOT: {
    const size_t kind = type(children[0]);
    auto *made = make<UnaryExpr>(rangeOf(context));
    made->op = kind == FlyParser::PLUS    ? UnaryOp::Pos
               : kind == FlyParser::MINUS ? UnaryOp::Neg
               : kind == FlyParser::TILDE ? UnaryOp::Invert
                                          : UnaryOp::Not;
    made->opRange = rangeOf(token(children[0]));
    made->operand =
        operand(static_cast<FlyParser::OperationContext *>(children[1]), children[0], kind == FlyParser::NOT);
    hang(made, made->operand);
    return made;
  }
  case FlyParser::LAMBDA: {
    auto *made = make<LambdaExpr>(rangeOf(context));
    const bool outer = std::exchange(slicesAllowed, false);
    if (children.size() > 3)
      made->parameters = parameters(static_cast<Context *>(children[1]));
    made->body = expression(static_cast<FlyParser::ExpressionContext *>(children.back()));
    slicesAllowed = outer;
    for (const Parameter &parameter : made->parameters)
      hang(made, parameter.defaultValue);
    hang(made, made->body);
    return made;
  }
  default: return atom(static_cast<FlyParser::AtomContext *>(children[0]));
  }
}

/// The operand of a prefix operator or the right one of an infix operator. The grammar would take `a + not b` and
/// `a and lambda: b`, where a reader (and Python) would not.
Expr *ASTBuilder::operand(FlyParser::OperationContext *context, Node *operatorNode, bool notAllowed) {
  const size_t first = type(context->children[0]);
  if (first == FlyParser::LAMBDA || (first == FlyParser::NOT && !notAllowed)) {
    const SourceRange op =
        token(operatorNode) ? rangeOf(token(operatorNode)) : rangeOf(static_cast<Context *>(operatorNode));
    session.report(rangeOf(context),
                   diag::needs_parentheses{.what = first == FlyParser::LAMBDA ? "a `lambda`" : "`not`",
                                           .op = session.text.slice(op.begin, op.end).str()});
  }
  return operation(context);
}

Expr *ASTBuilder::furtherOperation(FlyParser::OperationContext *context, Expr *left,
                                   FlyParser::OperationContext *leftContext) {
  const auto &children = context->children;
  const SourceRange range = rangeOf(context);
  auto right = [&](bool notAllowed) {
    return operand(static_cast<FlyParser::OperationContext *>(children[2]), children[1], notAllowed);
  };
  const size_t infix = type(children[1]);
  switch (infix) {
  case FlyParser::LPAREN: return call(context, left);
  case FlyParser::LBRACKET: return subscription(context, left);
  case FlyParser::DOT: {
    auto *made = make<AttributeExpr>(range);
    made->base = left;
    made->name = textOf(token(children[2]));
    made->nameRange = rangeOf(token(children[2]));
    hang(made, left);
    return made;
  }
  case FlyParser::AND:
  case FlyParser::OR: {
    BoolOpExpr *made = nullptr;
    if (leftContext->children.size() == 3 && type(leftContext->children[1]) == infix) {
      made = llvm::cast<BoolOpExpr>(left); // `a and b` of `a and b and c`
      made->range = range;
    } else {
      made = make<BoolOpExpr>(range);
      made->isAnd = infix == FlyParser::AND;
      made->operands.push_back(left);
      hang(made, left);
    }
    made->operands.push_back(right(/*notAllowed=*/true));
    hang(made, made->operands.back());
    return made;
  }
  case 0: { // the rule `comparison`
    auto *comparison = static_cast<Context *>(children[1]);
    CompareExpr::Op op{CompareOp::Lt, rangeOf(comparison)};
    for (const CompareRow &row : compareOperators)
      if (row.token == type(comparison->children[0]))
        op.op = row.op;
    if (op.op == CompareOp::Is && comparison->children.size() > 1)
      op.op = CompareOp::IsNot;
    CompareExpr *made = nullptr;
    if (leftContext->children.size() == 3 && dynamic_cast<FlyParser::ComparisonContext *>(leftContext->children[1])) {
      made = llvm::cast<CompareExpr>(left);
      made->range = range;
    } else {
      made = make<CompareExpr>(range);
      made->operands.push_back(left);
      hang(made, left);
    }
    made->ops.push_back(op);
    made->operands.push_back(right(/*notAllowed=*/false));
    hang(made, made->operands.back());
    return made;
  }
  default: {
    auto *made = make<BinaryExpr>(range);
    for (const BinaryRow &row : binaryOperators)
      if (row.token == infix)
        made->op = row.op;
    made->opRange = rangeOf(token(children[1]));
    made->lhs = left;
    made->rhs = right(/*notAllowed=*/false);
    hang(made, made->lhs);
    hang(made, made->rhs);
    return made;
  }
  }
}

// ---- atoms

Expr *ASTBuilder::atom(FlyParser::AtomContext *context) {
  antlr4::Token *symbol = context->start;
  const SourceRange range = rangeOf(symbol);
  switch (symbol->getType()) {
  case FlyParser::NAME: {
    auto *made = make<NameExpr>(range);
    made->name = textOf(symbol);
    return made;
  }
  case FlyParser::INTEGER:
  case FlyParser::FLOAT: return number(symbol);
  case FlyParser::STRING: return strings(context);
  case FlyParser::TRUE:
  case FlyParser::FALSE: {
    auto *made = make<BoolExpr>(range);
    made->value = symbol->getType() == FlyParser::TRUE;
    return made;
  }
  case FlyParser::NONE: return make<NoneExpr>(range);
  case FlyParser::LBRACE: return dict(context);
  default: return group(context);
  }
}

// LPAREN groupItems? RPAREN, LBRACKET groupItems? RBRACKET;
// groupItems: groupItem (comprehension | (COMMA groupItem)* COMMA?)
Expr *ASTBuilder::group(FlyParser::AtomContext *context) {
  const bool isList = context->start->getType() == FlyParser::LBRACKET;
  const SourceRange range = rangeOf(context);
  auto *contents = context->groupItems();
  const bool outer = slicesAllowed;
  if (isList)
    slicesAllowed = false; // parentheses hand down whether they are in a subscript
  auto first = [&] { return groupItem(static_cast<FlyParser::GroupItemContext *>(contents->children[0])); };
  auto *clauses = contents && contents->children.size() == 2
                      ? dynamic_cast<FlyParser::ComprehensionContext *>(contents->children[1])
                      : nullptr;
  Expr *result = nullptr;
  if (clauses) {
    result = comprehension(clauses, first(), range);
    llvm::cast<ComprehensionExpr>(result)->isGenerator = !isList;
  } else if (!isList && contents && contents->children.size() == 1) {
    result = first(); // parentheses only
    if (llvm::isa<StarredExpr>(result))
      session.report(result->range, diag::misplaced_star{});
  } else {
    std::vector<Expr *> elements;
    if (contents)
      for (size_t i = 0; i < contents->children.size(); i += 2)
        elements.push_back(groupItem(static_cast<FlyParser::GroupItemContext *>(contents->children[i])));
    auto fill = [&](auto *made) {
      made->elements = std::move(elements);
      for (Expr *element : made->elements)
        hang(made, element);
      return made;
    };
    if (isList)
      result = fill(make<ListExpr>(range));
    else
      result = fill(make<TupleExpr>(range));
  }
  slicesAllowed = outer;
  return result;
}

// groupItem: STAR operation | expression slice? | slice
Expr *ASTBuilder::groupItem(FlyParser::GroupItemContext *context) {
  const auto &children = context->children;
  if (type(children[0]) == FlyParser::STAR)
    return starred(children[0], static_cast<FlyParser::OperationContext *>(children[1]));
  Expr *start = nullptr;
  if (auto *value = dynamic_cast<FlyParser::ExpressionContext *>(children[0]))
    start = expression(value);
  auto *rest = dynamic_cast<FlyParser::SliceContext *>(children.back());
  if (!rest)
    return start;
  if (!slicesAllowed)
    session.report(rangeOf(rest->start), diag::misplaced_slice{});
  return slice(rest, start, rangeOf(context));
}

// LBRACE entries? RBRACE; entries: entry (comprehension | (COMMA entry)* COMMA?);
// entry: POWER operation | expression COLON expression
Expr *ASTBuilder::dict(FlyParser::AtomContext *context) {
  const bool outer = std::exchange(slicesAllowed, false);
  auto *entries = context->entries();
  if (auto *clauses = entries ? entries->comprehension() : nullptr) {
    auto *entry = entries->entry(0);
    if (entry->operation())
      session.report(rangeOf(entry), diag::misplaced_star{});
    Expr *result = make<NoneExpr>(rangeOf(context));
    if (!entry->operation()) {
      Expr *key = expression(entry->expression(0));
      auto *made =
          llvm::cast<ComprehensionExpr>(comprehension(clauses, expression(entry->expression(1)), rangeOf(context)));
      made->key = key;
      hang(made, key);
      result = made;
    }
    slicesAllowed = outer;
    return result;
  }
  auto *made = make<DictExpr>(rangeOf(context));
  if (entries)
    for (auto *entry : entries->entry()) {
      DictExpr::Entry pair{nullptr, nullptr};
      if (entry->operation())
        pair.value = operation(entry->operation());
      else
        pair = {expression(entry->expression(0)), expression(entry->expression(1))};
      hang(made, pair.key);
      hang(made, pair.value);
      made->entries.push_back(pair);
    }
  slicesAllowed = outer;
  return made;
}

} // namespace fly
