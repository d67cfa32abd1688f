// Calls, subscripts, slices and comprehensions.
//
//     f(a, *b, key=c)     t[i, 2:n, (0, :)]     k[T=f16]     layout[(8, 16):(1, 8)]     [g(x) for x in xs if x]
//
// The grammar reads `key=c` as two expressions; a colon is allowed in the parentheses of a subscript, but not in those
// of a call inside it; `slicesAllowed` keeps track of that.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/Support/Casting.h"

namespace fly {

using namespace ast;

void ASTBuilder::keyword(Argument &argument, FlyParser::ExpressionContext *name) {
  argument.keywordRange = rangeOf(name);
  if (name->start == name->stop && name->start->getType() == FlyParser::NAME) {
    argument.keyword = textOf(name->start);
    return;
  }
  argument.keyword = "?";
  session.report(diag::bad_target, argument.keywordRange)
      .arg("an expression")
      .arg(" in an argument; a keyword is a name, `==` compares");
}

void ASTBuilder::checkOrder(const std::vector<Argument> &arguments) {
  const Argument *named = nullptr;
  for (const Argument &argument : arguments) {
    if (!argument.keyword.empty() || argument.keywords) {
      if (!named)
        named = &argument;
    } else if (named) {
      const bool star = llvm::isa<StarredExpr>(argument.value);
      session
          .report(argument.range, diag::argument_order{.what = star ? "a starred argument" : "a positional argument"})
          .label(named->keywords ? named->range : named->keywordRange, "");
      return;
    }
  }
}

// operation LPAREN arguments? RPAREN;
// argument: STAR operation | POWER operation | expression (ASSIGN expression | comprehension)?
Expr *ASTBuilder::call(FlyParser::OperationContext *context, Expr *callee) {
  auto *made = make<CallExpr>(rangeOf(context));
  made->callee = callee;
  made->parens = join(rangeOf(token(context->children[1])), rangeOf(token(context->children.back())));
  hang(made, callee);
  const bool outer = std::exchange(slicesAllowed, false);
  if (auto *list = dynamic_cast<FlyParser::ArgumentsContext *>(context->children[2]))
    for (size_t i = 0; i < list->children.size(); i += 2) {
      auto *each = static_cast<FlyParser::ArgumentContext *>(list->children[i]);
      const auto &children = each->children;
      Argument argument;
      argument.range = rangeOf(each);
      switch (type(children[0])) {
      case FlyParser::STAR:
        argument.value = starred(children[0], static_cast<FlyParser::OperationContext *>(children[1]));
        break;
      case FlyParser::POWER:
        argument.value = operation(static_cast<FlyParser::OperationContext *>(children[1]));
        argument.keywords = true;
        break;
      default: {
        auto *value = static_cast<FlyParser::ExpressionContext *>(children[0]);
        if (children.size() == 3) {
          keyword(argument, value);
          argument.value = expression(static_cast<FlyParser::ExpressionContext *>(children[2]));
        } else if (children.size() == 2) {
          argument.value = comprehension(static_cast<FlyParser::ComprehensionContext *>(children[1]), expression(value),
                                         argument.range);
          llvm::cast<ComprehensionExpr>(argument.value)->isGenerator = true;
        } else {
          argument.value = expression(value);
        }
      }
      }
      hang(made, argument.value);
      made->arguments.push_back(std::move(argument));
    }
  slicesAllowed = outer;
  checkOrder(made->arguments);
  return made;
}

// operation LBRACKET subscripts RBRACKET;
// subscript: STAR operation | expression (ASSIGN expression | slice)? | slice
Expr *ASTBuilder::subscription(FlyParser::OperationContext *context, Expr *base) {
  auto *made = make<SubscriptExpr>(rangeOf(context));
  made->base = base;
  made->brackets = join(rangeOf(token(context->children[1])), rangeOf(token(context->children.back())));
  hang(made, base);
  const bool outer = std::exchange(slicesAllowed, true);
  auto *list = static_cast<FlyParser::SubscriptsContext *>(context->children[2]);
  made->trailingComma = list->children.size() % 2 == 0;
  for (size_t i = 0; i < list->children.size(); i += 2) {
    auto *each = static_cast<FlyParser::SubscriptContext *>(list->children[i]);
    const auto &children = each->children;
    Argument item;
    item.range = rangeOf(each);
    auto *first = dynamic_cast<FlyParser::ExpressionContext *>(children[0]);
    auto *rest = dynamic_cast<FlyParser::SliceContext *>(children.back());
    if (type(children[0]) == FlyParser::STAR) {
      item.value = starred(children[0], static_cast<FlyParser::OperationContext *>(children[1]));
    } else if (rest) {
      item.value = slice(rest, first ? expression(first) : nullptr, item.range);
    } else if (children.size() == 3) {
      keyword(item, first);
      item.value = expression(static_cast<FlyParser::ExpressionContext *>(children[2]));
    } else {
      item.value = expression(first);
    }
    hang(made, item.value);
    made->items.push_back(std::move(item));
  }
  slicesAllowed = outer;
  checkOrder(made->items);
  return made;
}

// slice: COLON expression? (COLON expression?)?
Expr *ASTBuilder::slice(FlyParser::SliceContext *context, Expr *start, SourceRange range) {
  auto *made = make<SliceExpr>(range);
  made->start = start;
  unsigned colons = 0;
  for (Node *node : context->children) {
    if (token(node)) {
      ++colons;
    } else {
      Expr *value = expression(static_cast<FlyParser::ExpressionContext *>(node));
      (colons == 1 ? made->stop : made->step) = value;
    }
  }
  for (Expr *child : {made->start, made->stop, made->step})
    hang(made, child);
  return made;
}

// comprehension: comprehensionFor+;  comprehensionFor: FOR targets IN operation (IF operation)*
Expr *ASTBuilder::comprehension(FlyParser::ComprehensionContext *context, Expr *element, SourceRange range) {
  if (llvm::isa<StarredExpr>(element))
    session.report(element->range, diag::misplaced_star{});
  auto *made = make<ComprehensionExpr>(range);
  made->element = element;
  hang(made, element);
  for (Node *node : context->children) {
    const auto &children = static_cast<FlyParser::ComprehensionForContext *>(node)->children;
    ComprehensionExpr::Clause clause;
    clause.target = targets(static_cast<FlyParser::TargetsContext *>(children[1]));
    clause.iterable = operation(static_cast<FlyParser::OperationContext *>(children[3]));
    for (size_t i = 5; i < children.size(); i += 2)
      clause.tests.push_back(operation(static_cast<FlyParser::OperationContext *>(children[i])));
    hang(made, clause.target);
    hang(made, clause.iterable);
    for (Expr *test : clause.tests)
      hang(made, test);
    made->clauses.push_back(std::move(clause));
  }
  return made;
}

} // namespace fly
