// See Definitions.h.
#include "compiler/editor/Definitions.h"

#include "llvm/Support/Casting.h"

namespace fly::editor {

constexpr unsigned mostImports = 20; ///< modules through which a name is followed

const Names &Definitions::namesOf(const ast::Module &tree) {
  auto &entry = known[&tree];
  if (!entry)
    entry = std::make_unique<Names>(tree, snapshot.session.sources);
  return *entry;
}

const sema::ModuleScope *Definitions::moduleOf(const ast::Module &tree) const {
  for (auto &module : snapshot.modules())
    if (module->tree.get() == &tree)
      return module.get();
  return nullptr;
}

const sema::ModuleScope *Definitions::moduleNamed(const std::string &dotted, unsigned level,
                                                  const std::string &importer) const {
  auto path = snapshot.find(dotted, importer, level);
  for (auto &module : snapshot.modules())
    if (path && module->path == *path && module->tree)
      return module.get();
  return nullptr;
}

std::optional<Definition> Definitions::member(const sema::ModuleScope *module, const std::string &name,
                                              unsigned depth) {
  if (!module || depth > mostImports)
    return std::nullopt;
  const Symbol *symbol = namesOf(*module->tree).global(name);
  return symbol ? of({symbol->bindings.front(), symbol, ""}, *module->tree, depth + 1) : std::nullopt;
}

std::optional<Definition> Definitions::of(const Occurrence &occurrence, const ast::Module &tree, unsigned depth) {
  const Symbol &symbol = *occurrence.symbol;
  const sema::ModuleScope *module = moduleOf(tree);
  if (symbol.imported && module) {
    const sema::ModuleScope *found = nullptr;
    if (auto *from = llvm::dyn_cast<ast::ImportFromStmt>(symbol.definition)) {
      if (from->module.empty())
        found = moduleNamed(symbol.imported->name, std::max(1u, from->level), module->path);
      else if (occurrence.member.empty() || depth == 0)
        if (auto definition =
                member(moduleNamed(from->module, from->level, module->path), symbol.imported->name, depth))
          return definition;
    } else {
      found = moduleNamed(symbol.imported->name, 0, module->path);
    }
    if (found && !occurrence.member.empty())
      return member(found, occurrence.member, depth);
    if (found)
      return Definition{{found->file, 0, 0}, nullptr, found};
    return occurrence.member.empty() ? std::optional(Definition{symbol.bindings.front(), symbol.definition, module})
                                     : std::nullopt;
  }
  // Of a variable the last assignment above the use; its first one where all are below.
  SourceRange best = symbol.bindings.front();
  for (const SourceRange &binding : symbol.bindings)
    if (binding.begin <= occurrence.range.begin)
      best = binding;
  return Definition{best, symbol.definition, module};
}

std::optional<Definition> Definitions::at(uint32_t offset) {
  snapshot.runModule();
  const Occurrence *occurrence = names().at(offset);
  return occurrence ? of(*occurrence, snapshot.tree(), 0) : std::nullopt;
}

std::vector<SourceRange> Definitions::references(uint32_t offset, bool definitions) {
  std::vector<SourceRange> result;
  snapshot.runModule();
  const Occurrence *here = names().at(offset);
  if (!here)
    return result;
  auto sameAs = [](SourceRange a, SourceRange b) { return a.file == b.file && a.begin == b.begin; };
  // A name of one function is only there; one of a module is what its definition says.
  const bool isLocal = !here->symbol->isGlobal;
  auto target = of(*here, snapshot.tree(), 0);
  if (!target)
    return result;
  SourceRange definition = target->range;
  if (!here->symbol->imported)
    definition = here->symbol->bindings.front();
  for (auto &module : snapshot.modules()) {
    if (!module->tree || (isLocal && module->tree.get() != &snapshot.tree()))
      continue;
    for (const Occurrence &other : namesOf(*module->tree).all()) {
      bool isSame = other.symbol == here->symbol && other.member == here->member;
      if (!isSame && !isLocal && (other.symbol->isGlobal || !other.member.empty()))
        if (auto its = of(other, *module->tree, 0)) {
          if (!other.symbol->imported)
            its->range = other.symbol->bindings.front();
          isSame = sameAs(its->range, definition) && its->range.end != 0;
        }
      if (!isSame)
        continue;
      const bool isDefinition = llvm::any_of(other.symbol->bindings, [&](auto &b) { return sameAs(b, other.range); });
      if (definitions || !isDefinition)
        result.push_back(other.range);
    }
  }
  return result;
}

} // namespace fly::editor
