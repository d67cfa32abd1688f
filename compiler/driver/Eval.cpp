// `flyc eval`, `flyc explain`: commands that need no file.
//
// An expression on the command line cannot import, so the names of `fly.amd` are visible directly and through `amd`.
#include "compiler/driver/Session.h"

#include "compiler/sema/language/Resolver.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <iostream>

namespace fly::driver {

std::optional<sema::Value> evaluateText(Session &session, sema::Elaborator &elaborator, std::string place,
                                        std::string text, const std::map<std::string, sema::Value> &names) {
  FileId file = session.sources.add(std::move(place), std::move(text));
  auto tree = parseExpression(file, session.diags);
  if (!tree)
    return std::nullopt;
  sema::ModuleScope scope;
  scope.name = "eval";
  scope.imported = true;
  scope.tree = std::move(tree);
  sema::ModuleScope *amd = elaborator.loader.builtinModule(sema::amdModule);
  scope.names = amd->names;
  scope.names["amd"] = sema::Value(sema::ModuleValue{amd});
  for (auto &[name, value] : names)
    scope.names[name] = value;
  auto outer = elaborator.frame;
  elaborator.frame = std::make_shared<sema::Frame>();
  elaborator.frame->module = &scope;
  elaborator.frame->isModule = true;
  std::optional<sema::Value> result;
  try {
    if (sema::resolveNames(scope, elaborator))
      result = elaborator.eval(*llvm::cast<ast::ExprStmt>(scope.tree->body[0])->value);
  } catch (sema::Failed &) {
  }
  elaborator.frame = outer;
  return result;
}

/// Integers and layouts, and tuples of them.
static bool isOfLayouts(const sema::Value &value) {
  if (auto *tuple = value.as<sema::TupleValue>())
    return llvm::all_of(*tuple->elements, isOfLayouts);
  return value.is<sema::Int>() || value.is<sema::LayoutValue>();
}

/// As CuTe writes it where it is a coordinate, a shape, or layouts: `(2,(3))`. All else as the language writes it.
static std::string notation(const sema::Value &value) {
  auto *tuple = value.as<sema::TupleValue>();
  if (!tuple || !isOfLayouts(value))
    return sema::toText(value, true);
  return "(" + llvm::join(llvm::map_range(*tuple->elements, notation), ",") + ")";
}

static bool evalLine(Session &session, sema::Elaborator &elaborator, const std::string &text) {
  auto value = evaluateText(session, elaborator, "<eval>", text);
  if (value)
    llvm::outs() << notation(*value) << '\n';
  llvm::outs().flush();
  session.finish();
  return value.has_value();
}

int eval(const Options &options, const std::string &expression, const std::string &arch) {
  Session session(options);
  auto *target = target::find(arch);
  if (!target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  ArchCompilation compilation(session, *target);
  auto &elaborator = compilation.elaborator;
  if (expression != "-")
    return evalLine(session, elaborator, expression) ? 0 : 1;
  bool ok = true;
  session.diags.errorLimit = std::numeric_limits<unsigned>::max(); // each line has its own
  for (std::string line; std::getline(std::cin, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos && !evalLine(session, elaborator, line)) {
      llvm::outs() << '\n'; // results stay next to their lines
      ok = false;
    }
  return ok ? 0 : 1;
}

/// The diagnostic of a code, with or without its letters and zeros (`407` is FLY0407), or of a name.
static std::optional<diag::Kind> findByNumber(llvm::StringRef code) {
  unsigned number = 0;
  if (code.getAsInteger(10, number))
    return findDiagnostic(code);
  std::string digits = std::to_string(number);
  return findDiagnostic("FLY" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits);
}

int explain(const Options &options, const std::string &code) {
  auto kind = findByNumber(code);
  if (!kind) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < diag::count; ++i) {
      names.push_back(info(diag::Kind(i)).code);
      names.push_back(info(diag::Kind(i)).name);
    }
    auto guess = didYouMean(code, names);
    return badCommandLine(
        options, "there is no diagnostic `" + code + "`" + (guess ? "; did you mean `" + *guess + "`?" : ""), "");
  }
  llvm::outs() << explanation(*kind);
  return 0;
}

} // namespace fly::driver
