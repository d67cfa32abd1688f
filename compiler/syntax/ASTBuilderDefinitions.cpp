// Definitions: `def` and `class` with their decorators, parameters of functions and lambdas, imports.
//
// Parameters are Python's: `*rest` takes further arguments and, as a bare `*` does, starts those that are given by
// keyword only; `**rest` takes further keywords and comes last. Each call is elaborated separately, so variadic
// parameters cost nothing. Only `/` is missing.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/Support/Casting.h"

namespace fly {

using namespace ast;

Stmt *ASTBuilder::definition(FlyParser::DefinitionContext *context) {
  std::vector<Expr *> decorators;
  for (auto *decorator : context->decorator())
    decorators.push_back(expression(decorator->expression()));
  if (auto *function = context->functionDefinition()) {
    auto *made = make<DefStmt>(rangeOf(context));
    made->name = textOf(function->NAME()->getSymbol());
    made->nameRange = rangeOf(function->NAME()->getSymbol());
    made->decorators = std::move(decorators);
    made->parameters = parameters(function->parameters());
    if (function->expression())
      made->returns = expression(function->expression());
    made->body = block(function->block());
    takeDocstring(made->body, made->docstring);
    return made;
  }
  auto *definition = context->classDefinition();
  auto *made = make<ClassStmt>(rangeOf(context));
  made->name = textOf(definition->NAME()->getSymbol());
  made->nameRange = rangeOf(definition->NAME()->getSymbol());
  made->decorators = std::move(decorators);
  if (definition->arguments())
    session.report(diag::not_in_language, rangeOf(definition->arguments()))
        .arg("a base class")
        .arg("make the shared values a field");
  made->body = block(definition->block());
  takeDocstring(made->body, made->docstring);
  return made;
}

// parameter: NAME (COLON expression)? (ASSIGN expression)? | STAR (NAME ...)? | POWER NAME ... | SLASH
std::vector<Parameter> ASTBuilder::parameters(Context *context) {
  std::vector<Parameter> result;
  if (!context)
    return result;
  Context *star = nullptr, *keywords = nullptr;
  std::string withDefault; ///< the last positional parameter that has one
  for (Node *node : context->children) {
    auto *parameter = dynamic_cast<Context *>(node);
    if (!parameter)
      continue; // a comma
    const auto &children = parameter->children;
    const SourceRange range = rangeOf(parameter);
    if (keywords) {
      session.report(diag::bad_parameter, range)
          .arg("`" + session.text.slice(rangeOf(keywords).begin, rangeOf(keywords).end) +
               "` takes the remaining keywords; nothing may follow it");
      break;
    }
    Parameter::Kind kind = Parameter::One;
    switch (type(children[0])) {
    case FlyParser::SLASH:
      session.report(diag::bad_parameter, range)
          .arg("`/` is not part of the language; every parameter may be passed by name");
      continue;
    case FlyParser::STAR:
      if (star) {
        session.report(diag::bad_parameter, range)
            .arg("a second `*`; only one is allowed")
            .label(rangeOf(star), "the first");
        continue;
      }
      star = parameter;
      if (children.size() == 1)
        continue;
      kind = Parameter::Rest;
      break;
    case FlyParser::POWER:
      keywords = parameter;
      kind = Parameter::Keywords;
      break;
    default: break;
    }
    const size_t nameAt = kind == Parameter::One ? 0 : 1;
    Parameter made;
    made.kind = kind;
    made.name = textOf(token(children[nameAt]));
    made.nameRange = rangeOf(token(children[nameAt]));
    made.range = range;
    made.keywordOnly = star != nullptr && kind == Parameter::One;
    for (size_t i = nameAt + 1; i + 1 < children.size(); i += 2) {
      Expr *value = expression(static_cast<FlyParser::ExpressionContext *>(children[i + 1]));
      (type(children[i]) == FlyParser::COLON ? made.annotation : made.defaultValue) = value;
    }
    if (kind == Parameter::One && !made.keywordOnly && !made.defaultValue && !withDefault.empty())
      session.report(diag::bad_parameter, made.nameRange)
          .arg("`" + made.name + "` has no default, but comes after `" + withDefault + "`, which has one")
          .help("put `*, ` before it to make it a keyword-only parameter");
    if (!made.keywordOnly && made.defaultValue)
      withDefault = made.name;
    result.push_back(std::move(made));
  }
  if (star && star->children.size() == 1 &&
      std::none_of(result.begin(), result.end(), [](auto &p) { return p.keywordOnly; }))
    session.report(diag::bad_parameter, rangeOf(star)).arg("no parameter follows `*`; remove it");
  return result;
}

Stmt *ASTBuilder::importStatement(FlyParser::ImportStatementContext *context) {
  auto *made = make<ImportStmt>(rangeOf(context));
  for (auto *module : context->importedModule()) {
    ImportedName name;
    name.name = module->dottedName()->getText();
    if (module->NAME())
      name.alias = textOf(module->NAME()->getSymbol());
    name.range = rangeOf(module->dottedName());
    made->names.push_back(std::move(name));
  }
  return made;
}

Stmt *ASTBuilder::importFromStatement(FlyParser::ImportFromStatementContext *context) {
  auto *made = make<ImportFromStmt>(rangeOf(context));
  if (auto *dots = context->dots()) {
    made->level = static_cast<unsigned>(dots->children.size());
    made->moduleRange = rangeOf(dots);
  }
  if (auto *module = context->dottedName()) {
    made->module = module->getText();
    made->moduleRange = join(made->moduleRange, rangeOf(module));
  } else if (made->level == 0) {
    session.report(rangeOf(context->IMPORT()->getSymbol()),
                   diag::expected_token{.wanted = "the name of a module", .found = "`import`"});
  }
  if (context->STAR())
    session.report(diag::not_in_language, rangeOf(context->STAR()->getSymbol()))
        .arg("`import *`")
        .arg("import each name explicitly");
  if (auto *names = context->importedNames())
    for (auto *imported : names->importedName()) {
      ImportedName name;
      name.name = textOf(imported->getStart());
      if (imported->children.size() > 1)
        name.alias = textOf(imported->getStop());
      name.range = rangeOf(imported);
      made->names.push_back(std::move(name));
    }
  return made;
}

} // namespace fly
