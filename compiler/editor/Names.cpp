// See Names.h. A scope is read twice: once for the names that it binds, once for those that it uses, which may be bound
// further down.
#include "compiler/editor/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

using namespace ast;

class NameReader {
public:
  NameReader(Names &names, const SourceManager &sources) : names(names), sources(sources) {}

  void module(const Module &module) {
    Names::Scope &scope = open(nullptr, {module.file, 0, uint32_t(sources.text(module.file).size())});
    bindBlock(module.body, scope);
    useBlock(module.body, scope);
  }

private:
  Names::Scope &open(const Names::Scope *outer, SourceRange range) {
    Names::Scope &scope = names.scopes.emplace_back();
    scope.outer = outer;
    scope.range = range;
    return scope;
  }
  Symbol &bind(Names::Scope &scope, const std::string &name, SourceRange range, Symbol::Kind kind) {
    Symbol *&entry = scope.names[name];
    if (!entry) {
      entry = &names.symbols.emplace_back();
      entry->name = name;
      entry->kind = kind;
      entry->isGlobal = !scope.outer;
      entry->isMember = scope.isClass;
    }
    entry->bindings.push_back(range);
    names.occurrences.push_back({range, entry, ""});
    return *entry;
  }
  const Symbol *find(const Names::Scope &scope, const std::string &name) const {
    for (const Names::Scope *at = &scope; at; at = at->outer)
      if (!at->isClass || at == &scope)
        if (auto found = at->names.find(name); found != at->names.end())
          return found->second;
    return nullptr;
  }

  // ---- what a scope binds

  void bindTarget(const Expr *target, Names::Scope &scope) {
    if (!target)
      return;
    if (auto *name = llvm::dyn_cast<NameExpr>(target))
      bind(scope, name->name, name->range, Symbol::Kind::Variable);
    else if (auto *star = llvm::dyn_cast<StarredExpr>(target))
      bindTarget(star->value, scope);
    else if (auto *tuple = llvm::dyn_cast<TupleExpr>(target))
      for (auto *element : tuple->elements)
        bindTarget(element, scope);
    else if (auto *list = llvm::dyn_cast<ListExpr>(target))
      for (auto *element : list->elements)
        bindTarget(element, scope);
  }
  void bindImported(const ImportedName &imported, const Stmt &stmt, Symbol::Kind kind, Names::Scope &scope) {
    const llvm::StringRef text = sources.text(imported.range);
    std::string name = imported.alias.empty() ? imported.name : imported.alias;
    SourceRange range = imported.range;
    if (!imported.alias.empty() && text.ends_with(imported.alias))
      range.begin = range.end - uint32_t(imported.alias.size());
    else if (kind == Symbol::Kind::Module) // `import a.b` binds `a`
      name = llvm::StringRef(name).split('.').first.str();
    Symbol &symbol = bind(scope, name, range, kind);
    symbol.definition = &stmt;
    symbol.imported = &imported;
    if (range.begin != imported.range.begin) { // the name before `as` is the same thing
      SourceRange source = imported.range;
      source.end = source.begin + uint32_t(imported.name.size());
      names.occurrences.push_back({source, &symbol, ""});
    }
  }
  void bindBlock(const Block &block, Names::Scope &scope) {
    for (auto *stmt : block)
      switch (stmt->kind) {
      case StmtKind::Assign:
        for (auto *target : llvm::cast<AssignStmt>(stmt)->targets)
          bindTarget(target, scope);
        break;
      case StmtKind::AugAssign: bindTarget(llvm::cast<AugAssignStmt>(stmt)->target, scope); break;
      case StmtKind::AnnAssign: bindTarget(llvm::cast<AnnAssignStmt>(stmt)->target, scope); break;
      case StmtKind::If:
        bindBlock(llvm::cast<IfStmt>(stmt)->body, scope);
        bindBlock(llvm::cast<IfStmt>(stmt)->orelse, scope);
        break;
      case StmtKind::For:
        bindTarget(llvm::cast<ForStmt>(stmt)->target, scope);
        bindBlock(llvm::cast<ForStmt>(stmt)->body, scope);
        break;
      case StmtKind::While: bindBlock(llvm::cast<WhileStmt>(stmt)->body, scope); break;
      case StmtKind::With:
        for (auto &item : llvm::cast<WithStmt>(stmt)->items)
          bindTarget(item.target, scope);
        bindBlock(llvm::cast<WithStmt>(stmt)->body, scope);
        break;
      case StmtKind::Def: {
        auto *def = llvm::cast<DefStmt>(stmt);
        bind(scope, def->name, def->nameRange, Symbol::Kind::Function).definition = def;
        break;
      }
      case StmtKind::Class: {
        auto *type = llvm::cast<ClassStmt>(stmt);
        bind(scope, type->name, type->nameRange, Symbol::Kind::Struct).definition = type;
        break;
      }
      case StmtKind::Import:
        for (auto &imported : llvm::cast<ImportStmt>(stmt)->names)
          bindImported(imported, *stmt, Symbol::Kind::Module, scope);
        break;
      case StmtKind::ImportFrom:
        for (auto &imported : llvm::cast<ImportFromStmt>(stmt)->names)
          bindImported(imported, *stmt, Symbol::Kind::Import, scope);
        break;
      default: break;
      }
  }

  // ---- what it uses

  static bool isKernel(const DefStmt &def) {
    return llvm::any_of(def.decorators, [](const Expr *decorator) {
      auto *call = llvm::dyn_cast<CallExpr>(decorator);
      auto *name = llvm::dyn_cast<NameExpr>(call ? call->callee : decorator);
      return name && (name->name == "kernel" || name->name == "launch");
    });
  }

  /// `outer`: where default values are evaluated.
  void useParameters(const std::vector<Parameter> &parameters, Names::Scope &inner, Names::Scope &outer) {
    for (auto &parameter : parameters)
      bind(inner, parameter.name, parameter.nameRange, Symbol::Kind::Parameter);
    for (auto &parameter : parameters) {
      use(parameter.annotation, inner); // a shape may name other parameters
      use(parameter.defaultValue, outer);
    }
  }
  /// `@check(n=[1, 2])`: values of the parameter `n`.
  void useCases(const Expr &decorator, const DefStmt &def) {
    auto *call = llvm::dyn_cast<CallExpr>(&decorator);
    auto *name = llvm::dyn_cast_or_null<NameExpr>(call ? call->callee : nullptr);
    if (!name || (name->name != "check" && name->name != "bench" && name->name != "tune"))
      return;
    for (auto &argument : call->arguments)
      if (!argument.keyword.empty())
        keywords.push_back({argument.keywordRange, &def, argument.keyword});
  }
  void useBlock(const Block &block, Names::Scope &scope) {
    for (auto *stmt : block)
      useStatement(*stmt, scope);
  }
  void useStatement(const Stmt &stmt, Names::Scope &scope) {
    switch (stmt.kind) {
    case StmtKind::Expr: use(llvm::cast<ExprStmt>(stmt).value, scope); break;
    case StmtKind::Assign:
      for (auto *target : llvm::cast<AssignStmt>(stmt).targets)
        useTarget(target, scope);
      use(llvm::cast<AssignStmt>(stmt).value, scope);
      break;
    case StmtKind::AugAssign:
      useTarget(llvm::cast<AugAssignStmt>(stmt).target, scope);
      use(llvm::cast<AugAssignStmt>(stmt).value, scope);
      break;
    case StmtKind::AnnAssign:
      use(llvm::cast<AnnAssignStmt>(stmt).annotation, scope);
      use(llvm::cast<AnnAssignStmt>(stmt).value, scope);
      break;
    case StmtKind::If:
      use(llvm::cast<IfStmt>(stmt).test, scope);
      useBlock(llvm::cast<IfStmt>(stmt).body, scope);
      useBlock(llvm::cast<IfStmt>(stmt).orelse, scope);
      break;
    case StmtKind::For:
      useTarget(llvm::cast<ForStmt>(stmt).target, scope);
      use(llvm::cast<ForStmt>(stmt).iterable, scope);
      useBlock(llvm::cast<ForStmt>(stmt).body, scope);
      break;
    case StmtKind::While:
      use(llvm::cast<WhileStmt>(stmt).test, scope);
      useBlock(llvm::cast<WhileStmt>(stmt).body, scope);
      break;
    case StmtKind::With:
      for (auto &item : llvm::cast<WithStmt>(stmt).items) {
        use(item.context, scope);
        useTarget(item.target, scope);
      }
      useBlock(llvm::cast<WithStmt>(stmt).body, scope);
      break;
    case StmtKind::Return: use(llvm::cast<ReturnStmt>(stmt).value, scope); break;
    case StmtKind::Assert:
      use(llvm::cast<AssertStmt>(stmt).test, scope);
      use(llvm::cast<AssertStmt>(stmt).message, scope);
      break;
    case StmtKind::Def: {
      auto &def = llvm::cast<DefStmt>(stmt);
      Names::Scope &inner = open(&scope, def.range);
      useParameters(def.parameters, inner, isKernel(def) ? inner : scope); // `MMA: Constexpr[..] = f(T)`
      for (auto *decorator : def.decorators) {
        use(decorator, inner); // `grid=` names the parameters
        useCases(*decorator, def);
      }
      use(def.returns, inner);
      bindBlock(def.body, inner);
      useBlock(def.body, inner);
      break;
    }
    case StmtKind::Class: {
      auto &type = llvm::cast<ClassStmt>(stmt);
      for (auto *decorator : type.decorators)
        use(decorator, scope);
      Names::Scope &inner = open(&scope, type.range);
      inner.isClass = true;
      bindBlock(type.body, inner);
      useBlock(type.body, inner);
      break;
    }
    default: break;
    }
  }
  /// What a target uses: `a[i]`, `a.b`; its names are bound by now.
  void useTarget(const Expr *target, Names::Scope &scope) {
    if (!target || llvm::isa<NameExpr>(target))
      return;
    if (auto *star = llvm::dyn_cast<StarredExpr>(target))
      return useTarget(star->value, scope);
    if (auto *tuple = llvm::dyn_cast<TupleExpr>(target)) {
      for (auto *element : tuple->elements)
        useTarget(element, scope);
    } else if (auto *list = llvm::dyn_cast<ListExpr>(target)) {
      for (auto *element : list->elements)
        useTarget(element, scope);
    } else {
      use(target, scope);
    }
  }
  void useArguments(const std::vector<Argument> &arguments, const Expr *callee, Names::Scope &scope) {
    auto *name = llvm::dyn_cast<NameExpr>(callee);
    const Symbol *symbol = name ? find(scope, name->name) : nullptr;
    auto *def = symbol ? llvm::dyn_cast_or_null<DefStmt>(symbol->definition) : nullptr;
    for (auto &argument : arguments) {
      if (def && !argument.keyword.empty())
        keywords.push_back({argument.keywordRange, def, argument.keyword});
      use(argument.value, scope);
    }
  }
  void use(const Expr *expr, Names::Scope &scope) {
    if (!expr)
      return;
    switch (expr->kind) {
    case ExprKind::Name:
      if (const Symbol *symbol = find(scope, llvm::cast<NameExpr>(expr)->name))
        names.occurrences.push_back({expr->range, symbol, ""});
      break;
    case ExprKind::FString:
      for (auto &part : llvm::cast<FStringExpr>(expr)->parts) {
        use(part.value, scope);
        use(part.format, scope);
      }
      break;
    case ExprKind::Tuple:
      for (auto *element : llvm::cast<TupleExpr>(expr)->elements)
        use(element, scope);
      break;
    case ExprKind::List:
      for (auto *element : llvm::cast<ListExpr>(expr)->elements)
        use(element, scope);
      break;
    case ExprKind::Dict:
      for (auto &entry : llvm::cast<DictExpr>(expr)->entries) {
        use(entry.key, scope);
        use(entry.value, scope);
      }
      break;
    case ExprKind::Unary: use(llvm::cast<UnaryExpr>(expr)->operand, scope); break;
    case ExprKind::Binary:
      use(llvm::cast<BinaryExpr>(expr)->lhs, scope);
      use(llvm::cast<BinaryExpr>(expr)->rhs, scope);
      break;
    case ExprKind::Compare:
      for (auto *operand : llvm::cast<CompareExpr>(expr)->operands)
        use(operand, scope);
      break;
    case ExprKind::BoolOp:
      for (auto *operand : llvm::cast<BoolOpExpr>(expr)->operands)
        use(operand, scope);
      break;
    case ExprKind::Conditional:
      use(llvm::cast<ConditionalExpr>(expr)->test, scope);
      use(llvm::cast<ConditionalExpr>(expr)->whenTrue, scope);
      use(llvm::cast<ConditionalExpr>(expr)->whenFalse, scope);
      break;
    case ExprKind::Call:
      use(llvm::cast<CallExpr>(expr)->callee, scope);
      useArguments(llvm::cast<CallExpr>(expr)->arguments, llvm::cast<CallExpr>(expr)->callee, scope);
      break;
    case ExprKind::Subscript:
      use(llvm::cast<SubscriptExpr>(expr)->base, scope);
      useArguments(llvm::cast<SubscriptExpr>(expr)->items, llvm::cast<SubscriptExpr>(expr)->base, scope);
      break;
    case ExprKind::Slice:
      use(llvm::cast<SliceExpr>(expr)->start, scope);
      use(llvm::cast<SliceExpr>(expr)->stop, scope);
      use(llvm::cast<SliceExpr>(expr)->step, scope);
      break;
    case ExprKind::Attribute: {
      auto *attribute = llvm::cast<AttributeExpr>(expr);
      use(attribute->base, scope);
      if (auto *base = llvm::dyn_cast<NameExpr>(attribute->base))
        if (const Symbol *symbol = find(scope, base->name);
            symbol && (symbol->kind == Symbol::Kind::Module || symbol->kind == Symbol::Kind::Import))
          names.occurrences.push_back({attribute->nameRange, symbol, attribute->name});
      break;
    }
    case ExprKind::Starred: use(llvm::cast<StarredExpr>(expr)->value, scope); break;
    case ExprKind::Lambda: {
      auto *lambda = llvm::cast<LambdaExpr>(expr);
      Names::Scope &inner = open(&scope, expr->range);
      useParameters(lambda->parameters, inner, scope);
      use(lambda->body, inner);
      break;
    }
    case ExprKind::Comprehension: {
      auto *node = llvm::cast<ComprehensionExpr>(expr);
      Names::Scope &inner = open(&scope, expr->range);
      for (auto &clause : node->clauses) {
        use(clause.iterable, inner);
        bindTarget(clause.target, inner);
        useTarget(clause.target, inner);
        for (auto *test : clause.tests)
          use(test, inner);
      }
      use(node->key, inner);
      use(node->element, inner);
      break;
    }
    default: break;
    }
  }

public:
  /// `f(x=1)`: the keyword means a parameter of `f`, whose scope may be further down.
  void useKeywords() {
    for (auto &[range, def, keyword] : keywords)
      for (auto &scope : names.scopes) {
        if (scope.range.begin != def->range.begin || scope.range.end != def->range.end)
          continue;
        if (auto found = scope.names.find(keyword);
            found != scope.names.end() && found->second->kind == Symbol::Kind::Parameter)
          names.occurrences.push_back({range, found->second, ""});
      }
  }

private:
  struct Keyword {
    SourceRange range;
    const DefStmt *def;
    std::string name;
  };
  Names &names;
  const SourceManager &sources;
  std::vector<Keyword> keywords;
};

Names::Names(const ast::Module &module, const SourceManager &sources) {
  NameReader reader(*this, sources);
  reader.module(module);
  reader.useKeywords();
  llvm::stable_sort(occurrences, [](auto &a, auto &b) { return a.range.begin < b.range.begin; });
  for (Symbol &symbol : symbols)
    llvm::sort(symbol.bindings, [](auto &a, auto &b) { return a.begin < b.begin; });
}

const Occurrence *Names::at(uint32_t offset) const {
  const Occurrence *found = nullptr; // of two that touch, the one that begins here
  for (const Occurrence &occurrence : occurrences)
    if (occurrence.range.begin <= offset && offset <= occurrence.range.end)
      found = &occurrence;
  return found;
}

const Symbol *Names::global(llvm::StringRef name) const {
  if (scopes.empty())
    return nullptr;
  auto found = scopes.front().names.find(name.str());
  return found == scopes.front().names.end() ? nullptr : found->second;
}

std::vector<const Symbol *> Names::visibleAt(uint32_t offset) const {
  const Scope *inner = nullptr;
  for (const Scope &scope : scopes)
    if (scope.range.begin <= offset && offset <= scope.range.end &&
        (!inner || scope.range.end - scope.range.begin <= inner->range.end - inner->range.begin))
      inner = &scope;
  std::vector<const Symbol *> result;
  std::map<std::string, bool> seen;
  for (const Scope *at = inner; at; at = at->outer)
    if (!at->isClass || at == inner)
      for (auto &[name, symbol] : at->names)
        if (seen.emplace(name, true).second)
          result.push_back(symbol);
  return result;
}

} // namespace fly::editor
