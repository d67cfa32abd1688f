// Definitions: `def` and `class` with their decorators, parameters of functions and lambdas, imports.
//
// Parameters are Python's without the open-ended ones: a function of the machine has as many as it is written with,
// so `*names` and `**names` are refused, and a bare `*` starts those that are given by keyword only.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/Support/Casting.h"

namespace fly {

using namespace ast;

Stmt *ASTBuilder::definition(FlyParser::DefinitionContext *context) {
  std::vector<Expr *> decorators;
  for (auto *decorator : context->decorator()) decorators.push_back(expression(decorator->expression()));
  if (auto *function = context->functionDefinition()) {
    auto *made = make<DefStmt>(rangeOf(context));
    made->name = textOf(function->NAME()->getSymbol());
    made->nameRange = rangeOf(function->NAME()->getSymbol());
    made->decorators = std::move(decorators);
    made->parameters = parameters(function->parameters());
    if (function->expression()) made->returns = expression(function->expression());
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
    session.report(diag::not_in_language, rangeOf(definition->arguments())).arg("a base class")
        .arg("make the shared values a field");
  made->body = block(definition->block());
  takeDocstring(made->body, made->docstring);
  return made;
}

// parameter: NAME (COLON expression)? (ASSIGN expression)? | STAR (NAME ...)? | POWER NAME ... | SLASH
std::vector<Parameter> ASTBuilder::parameters(Context *context) {
  std::vector<Parameter> result;
  if (!context) return result;
  Context *star = nullptr;
  std::string withDefault; ///< the last positional parameter that has one
  for (Node *node : context->children) {
    auto *parameter = dynamic_cast<Context *>(node);
    if (!parameter) continue; // a comma
    const auto &children = parameter->children;
    const SourceRange range = rangeOf(parameter);
    switch (type(children[0])) {
    case FlyParser::SLASH:
      session.report(diag::bad_parameter, range).arg("`/` is not part of the language; every parameter may be given by name");
      continue;
    case FlyParser::STAR:
      if (children.size() > 1)
        session.report(diag::bad_parameter, range)
            .arg("`" + session.text.slice(range.begin, range.end) + "` takes any number of arguments; take a tuple instead");
      else if (star)
        session.report(diag::bad_parameter, range).arg("a second `*`; one is enough").label(rangeOf(star), "the first");
      else
        star = parameter;
      continue;
    case FlyParser::POWER:
      session.report(diag::bad_parameter, range)
          .arg("`" + session.text.slice(range.begin, range.end) + "` takes any keyword; name the parameters");
      continue;
    default:
      break;
    }
    Parameter made;
    made.name = textOf(token(children[0]));
    made.nameRange = rangeOf(token(children[0]));
    made.range = range;
    made.keywordOnly = star != nullptr;
    for (size_t i = 1; i + 1 < children.size(); i += 2) {
      Expr *value = expression(static_cast<FlyParser::ExpressionContext *>(children[i + 1]));
      (type(children[i]) == FlyParser::COLON ? made.annotation : made.defaultValue) = value;
    }
    if (!made.keywordOnly && !made.defaultValue && !withDefault.empty())
      session.report(diag::bad_parameter, made.nameRange)
          .arg("`" + made.name + "` has no default, but comes after `" + withDefault + "`, which has one")
          .help("put `*, ` before it, so that it is given by keyword");
    if (!made.keywordOnly && made.defaultValue) withDefault = made.name;
    result.push_back(std::move(made));
  }
  if (star && (result.empty() || !result.back().keywordOnly))
    session.report(diag::bad_parameter, rangeOf(star)).arg("no parameter comes after `*`; remove it");
  return result;
}

Stmt *ASTBuilder::importStatement(FlyParser::ImportStatementContext *context) {
  auto *made = make<ImportStmt>(rangeOf(context));
  for (auto *module : context->importedModule()) {
    ImportedName name;
    name.name = module->dottedName()->getText();
    if (module->NAME()) name.alias = textOf(module->NAME()->getSymbol());
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
    session.report(diag::expected_token, rangeOf(context->IMPORT()->getSymbol())).arg("the name of a module").arg("`import`");
  }
  if (context->STAR())
    session.report(diag::not_in_language, rangeOf(context->STAR()->getSymbol())).arg("`import *`")
        .arg("name what you import, so that a reader finds it");
  if (auto *names = context->importedNames())
    for (auto *imported : names->importedName()) {
      ImportedName name;
      name.name = textOf(imported->getStart());
      if (imported->children.size() > 1) name.alias = textOf(imported->getStop());
      name.range = rangeOf(imported);
      made->names.push_back(std::move(name));
    }
  return made;
}

} // namespace fly
