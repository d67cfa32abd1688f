// Name resolution over the syntax tree: Python's scopes (a name assigned anywhere in a function is local to
// it), without running anything. Also arity: a call of a function of this module by its name.
#include "compiler/sema/language/Resolver.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/language/LibraryNames.h"
#include "compiler/sema/module/EmbeddedLibrary.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/ForeignNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <set>

namespace fly::sema {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {
class Resolver {
public:
  Resolver(const ModuleScope &module, Elaborator &e) : e(e), module(module) {}

  bool run() {
    unsigned errors = e.failures;
    scopes.push_back(assignedNames(module.tree->body, /*elements=*/false));
    for (auto &[name, value] : module.names) // bound before anything runs: what an expression of the command line sees
      scopes.back().insert(name);
    bool isLibrary = e.loader.isStdlib(module); // only it may use `__rcp` and the like
    for (auto &name : preludeNames(e.loader.environment.builtins))
      if (isLibrary || !llvm::StringRef(name).starts_with("__"))
        prelude.insert(name);
    block(module.tree->body);
    return e.failures == errors;
  }

private:
  bool isKnown(const std::string &name) const {
    if (prelude.count(name))
      return true;
    for (auto &scope : scopes)
      if (scope.count(name))
        return true;
    return false;
  }

  /// What the library defines, for the first name that is not known and those after it.
  llvm::ArrayRef<LibraryName> library() {
    if (libraryHas.empty()) {
      if (isKnown("isa"))
        libraryHas = registerLibraryNames(e.loader);
      llvm::append_range(libraryHas, libraryNames(e.loader));
    }
    return libraryHas;
  }

  /// Adds the name to an import of its module, or an import after the others, or one before the first statement.
  Fix importing(const LibraryName &wanted) const {
    const ast::Module &tree = *module.tree;
    auto &sources = e.diags.sources;
    const ast::Stmt *last = nullptr;
    for (auto *statement : tree.body) {
      auto *from = dyn_cast<ast::ImportFromStmt>(statement);
      if (from && from->level == 0 && from->module == wanted.module && !from->names.empty()) {
        const uint32_t end = from->names.back().range.end;
        return Fix::possible({from->range.file, end, end}, ", " + wanted.name);
      }
      if (from || isa<ast::ImportStmt>(statement))
        last = statement;
    }
    const llvm::StringRef text = sources.text(tree.file);
    if (last) {
      const auto end = uint32_t(std::min(text.find('\n', last->range.end), text.size()));
      return Fix::possible({tree.file, end, end}, "\n" + wanted.import());
    }
    uint32_t begin = tree.body.front()->range.begin;
    if (auto *def = dyn_cast<ast::DefStmt>(tree.body.front()); def && !def->decorators.empty())
      begin = std::min(begin, def->decorators.front()->range.begin);
    begin = uint32_t(text.take_front(begin).rfind('\n') + 1);
    return Fix::possible({tree.file, begin, begin}, wanted.import() + "\n\n");
  }

  void name(const ast::NameExpr &expr) {
    if (isKnown(expr.name))
      return;
    std::vector<std::string> candidates(prelude.begin(), prelude.end());
    for (auto &scope : scopes)
      candidates.insert(candidates.end(), scope.begin(), scope.end());
    auto *foreign = foreignName(expr.name);
    if (auto there = foreign ? std::nullopt : findIn(library(), expr.name)) {
      e.report(diag::unknown_name, expr.range, {expr.name, "; module `" + there->module + "` has it"})
          .help("import it: `" + there->import() + "`", importing(*there));
      return;
    }
    const llvm::StringRef ours = !foreign ? "" : onHost && !foreign->onHost.empty() ? foreign->onHost : foreign->ours;
    auto guess = !foreign       ? didYouMean(expr.name, candidates)
                 : ours.empty() ? std::nullopt
                                : std::optional<std::string>(ours.str());
    auto near = foreign || guess ? std::nullopt : guessIn(library(), expr.name);
    const std::string meant = guess ? *guess : near ? near->name : "";
    auto builder =
        e.report(diag::unknown_name, expr.range, {expr.name, meant.empty() ? "" : "; did you mean `" + meant + "`?"});
    if (near)
      builder.help("import it: `" + near->import() + "`", importing(*near));
    if (llvm::any_of(libraryModules(), [&](llvm::StringRef each) { return each.starts_with(expr.name + "."); }))
      builder.help("import the module whose names follow, such as `import " + expr.name + ".math`");
    if (foreign && guess && hasKeywords) // ours may have others
      builder.help("replace `" + expr.name + "` with `" + *guess + "`", Fix::possible(expr.range, *guess));
    else
      builder.suggest(expr.range, expr.name, guess);
    if (foreign && !foreign->help.empty())
      builder.help(foreign->help);
  }

  void expression(const ast::Expr *expr) {
    if (!expr)
      return;
    switch (expr->kind) {
    case ast::ExprKind::Name: return name(*cast<ast::NameExpr>(expr));
    case ast::ExprKind::FString:
      for (auto &part : cast<ast::FStringExpr>(expr)->parts) {
        expression(part.value);
        expression(part.format);
      }
      return;
    case ast::ExprKind::Tuple: return all(cast<ast::TupleExpr>(expr)->elements);
    case ast::ExprKind::List: return all(cast<ast::ListExpr>(expr)->elements);
    case ast::ExprKind::Dict:
      for (auto &entry : cast<ast::DictExpr>(expr)->entries)
        expression(entry.key), expression(entry.value);
      return;
    case ast::ExprKind::Unary: return expression(cast<ast::UnaryExpr>(expr)->operand);
    case ast::ExprKind::Binary:
      expression(cast<ast::BinaryExpr>(expr)->lhs);
      return expression(cast<ast::BinaryExpr>(expr)->rhs);
    case ast::ExprKind::Compare: return all(cast<ast::CompareExpr>(expr)->operands);
    case ast::ExprKind::BoolOp: return all(cast<ast::BoolOpExpr>(expr)->operands);
    case ast::ExprKind::Conditional: {
      auto *node = cast<ast::ConditionalExpr>(expr);
      return all({node->test, node->whenTrue, node->whenFalse});
    }
    case ast::ExprKind::Call: {
      auto *node = cast<ast::CallExpr>(expr);
      hasKeywords = llvm::any_of(node->arguments, [](const ast::Argument &each) { return !each.keyword.empty(); });
      expression(node->callee);
      hasKeywords = false;
      for (auto &argument : node->arguments)
        expression(argument.value);
      return;
    }
    case ast::ExprKind::Subscript: {
      auto *node = cast<ast::SubscriptExpr>(expr);
      expression(node->base);
      auto *base = dyn_cast<ast::NameExpr>(node->base);
      for (size_t i = 0; i < node->items.size(); ++i) // `global` in Pointer[T, global] is not a variable
        if (!(base && base->name == "Pointer" && i == 1 && isa<ast::NameExpr>(node->items[i].value)))
          expression(node->items[i].value);
      return;
    }
    case ast::ExprKind::Slice: {
      auto *node = cast<ast::SliceExpr>(expr);
      return all({node->start, node->stop, node->step});
    }
    case ast::ExprKind::Attribute: return expression(cast<ast::AttributeExpr>(expr)->base);
    case ast::ExprKind::Starred: return expression(cast<ast::StarredExpr>(expr)->value);
    case ast::ExprKind::Lambda: {
      auto *node = cast<ast::LambdaExpr>(expr);
      inScope(parametersOf(node->parameters), [&] {
        parameterParts(node->parameters);
        expression(node->body);
      });
      return;
    }
    case ast::ExprKind::Comprehension: {
      auto *node = cast<ast::ComprehensionExpr>(expr);
      std::set<std::string> names;
      for (auto &clause : node->clauses)
        collectTargets(*clause.target, names);
      inScope(std::move(names), [&] {
        for (auto &clause : node->clauses) {
          expression(clause.iterable);
          all(clause.tests);
        }
        expression(node->key);
        expression(node->element);
      });
      return;
    }
    case ast::ExprKind::Int:
    case ast::ExprKind::Float:
    case ast::ExprKind::String:
    case ast::ExprKind::Bool:
    case ast::ExprKind::None: return;
    }
  }
  void all(const std::vector<ast::Expr *> &list) {
    for (auto *expr : list)
      expression(expr);
  }

  static std::set<std::string> parametersOf(const std::vector<ast::Parameter> &parameters) {
    std::set<std::string> names;
    for (auto &p : parameters)
      names.insert(p.name);
    return names;
  }
  void parameterParts(const std::vector<ast::Parameter> &parameters) {
    std::set<std::string> seen;
    for (auto &p : parameters) {
      if (!seen.insert(p.name).second)
        e.report(p.nameRange, diag::redefined_parameter{.name = p.name});
      expression(p.annotation);
      expression(p.defaultValue);
    }
  }
  void inScope(std::set<std::string> names, const std::function<void()> &body) {
    scopes.push_back(std::move(names));
    body();
    scopes.pop_back();
  }

  void function(const ast::DefStmt &def) {
    std::set<std::string> names = parametersOf(def.parameters);
    // The signature and the decorator of a kernel share one scope; those of a check see its parameters too.
    inScope(names, [&] {
      parameterParts(def.parameters);
      for (auto *decorator : def.decorators)
        if (auto *call = dyn_cast<ast::CallExpr>(decorator))
          for (auto &argument : call->arguments)
            expression(argument.value);
      expression(def.returns);
    });
    for (auto &assigned : assignedNames(def.body, /*elements=*/false))
      names.insert(assigned);
    const bool outer = std::exchange(onHost, llvm::any_of(def.decorators, isHostDecorator));
    inScope(std::move(names), [&] { block(def.body); });
    onHost = outer;
  }
  /// `@check()`, `@bench()`, `@launch`: the body runs while compiling.
  static bool isHostDecorator(const ast::Expr *decorator) {
    if (auto *call = dyn_cast<ast::CallExpr>(decorator))
      decorator = call->callee;
    auto *name = dyn_cast<ast::NameExpr>(decorator);
    return name && (name->name == "check" || name->name == "bench" || name->name == "launch");
  }

  void block(const ast::Block &statements) {
    for (auto *stmt : statements)
      statement(*stmt);
  }

  void statement(const ast::Stmt &stmt) {
    switch (stmt.kind) {
    case ast::StmtKind::Expr: return expression(cast<ast::ExprStmt>(stmt).value);
    case ast::StmtKind::Assign:
      all(cast<ast::AssignStmt>(stmt).targets);
      return expression(cast<ast::AssignStmt>(stmt).value);
    case ast::StmtKind::AugAssign:
      expression(cast<ast::AugAssignStmt>(stmt).target);
      return expression(cast<ast::AugAssignStmt>(stmt).value);
    case ast::StmtKind::AnnAssign:
      if (cast<ast::AnnAssignStmt>(stmt).value)
        expression(cast<ast::AnnAssignStmt>(stmt).target);
      expression(cast<ast::AnnAssignStmt>(stmt).annotation);
      return expression(cast<ast::AnnAssignStmt>(stmt).value);
    case ast::StmtKind::If:
      expression(cast<ast::IfStmt>(stmt).test);
      block(cast<ast::IfStmt>(stmt).body);
      return block(cast<ast::IfStmt>(stmt).orelse);
    case ast::StmtKind::For:
      expression(cast<ast::ForStmt>(stmt).target);
      expression(cast<ast::ForStmt>(stmt).iterable);
      return block(cast<ast::ForStmt>(stmt).body);
    case ast::StmtKind::While:
      expression(cast<ast::WhileStmt>(stmt).test);
      return block(cast<ast::WhileStmt>(stmt).body);
    case ast::StmtKind::Return: return expression(cast<ast::ReturnStmt>(stmt).value);
    case ast::StmtKind::Assert:
      expression(cast<ast::AssertStmt>(stmt).test);
      return expression(cast<ast::AssertStmt>(stmt).message);
    case ast::StmtKind::Def: return function(cast<ast::DefStmt>(stmt));
    case ast::StmtKind::Class:
      // Methods do not see the fields' names; annotations and defaults see what surrounds the class.
      for (auto *member : cast<ast::ClassStmt>(stmt).body) {
        if (auto *field = dyn_cast<ast::AnnAssignStmt>(member)) {
          expression(field->annotation);
          expression(field->value);
        } else if (auto *method = dyn_cast<ast::DefStmt>(member))
          function(*method);
      }
      return;
    case ast::StmtKind::With:
      for (auto &item : cast<ast::WithStmt>(stmt).items)
        expression(item.context);
      return block(cast<ast::WithStmt>(stmt).body);
    case ast::StmtKind::Break:
    case ast::StmtKind::Continue:
    case ast::StmtKind::Pass:
    case ast::StmtKind::Import:
    case ast::StmtKind::ImportFrom: return;
    }
  }

  Elaborator &e;
  const ModuleScope &module;
  std::vector<std::set<std::string>> scopes;
  std::set<std::string> prelude;
  std::vector<LibraryName> libraryHas; ///< once it was asked for
  bool onHost = true;                  ///< what is resolved runs while compiling: module level, checks
  bool hasKeywords = false;            ///< the callee is resolved of a call with keyword arguments
};
} // namespace

bool resolveNames(const ModuleScope &module, Elaborator &elaborator) { return Resolver(module, elaborator).run(); }

} // namespace fly::sema
