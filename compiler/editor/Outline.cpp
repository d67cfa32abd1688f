// See Outline.h.
#include "compiler/editor/Outline.h"

#include "compiler/syntax/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

#include <set>

namespace fly::editor {

namespace json = llvm::json;

namespace {

enum class SymbolKind { Module = 2, Method = 6, Field = 8, Function = 12, Variable = 13, Constant = 14, Struct = 23 };

/// "@kernel", "@check" of a definition.
std::string decoratorsOf(const std::vector<ast::Expr *> &decorators) {
  std::string result;
  for (auto *decorator : decorators) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : decorator))
      result += (result.empty() ? "@" : " @") + name->name;
  }
  return result;
}

class SymbolWriter {
public:
  explicit SymbolWriter(const TextPositions &positions) : positions(positions) {}

  json::Array write(const ast::Block &block, SymbolKind functions, SymbolKind names, bool withNames) {
    json::Array result;
    std::set<std::string> seen;
    auto addName = [&](const ast::Expr *target, SourceRange statement) {
      if (auto *name = llvm::dyn_cast_or_null<ast::NameExpr>(target);
          name && withNames && seen.insert(name->name).second)
        result.push_back(symbol(name->name, names, statement, name->range, ""));
    };
    for (auto *statement : block) {
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement)) {
        json::Object made = symbol(def->name, functions, def->range, def->nameRange, decoratorsOf(def->decorators));
        made["children"] = write(def->body, SymbolKind::Function, SymbolKind::Variable, false);
        result.push_back(std::move(made));
      } else if (auto *type = llvm::dyn_cast<ast::ClassStmt>(statement)) {
        json::Object made =
            symbol(type->name, SymbolKind::Struct, type->range, type->nameRange, decoratorsOf(type->decorators));
        made["children"] = write(type->body, SymbolKind::Method, SymbolKind::Field, true);
        result.push_back(std::move(made));
      } else if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(statement)) {
        for (auto *target : assign->targets) {
          addName(target, statement->range);
          if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(target))
            for (auto *element : tuple->elements)
              addName(element, statement->range);
        }
      } else if (auto *annotated = llvm::dyn_cast<ast::AnnAssignStmt>(statement)) {
        addName(annotated->target, statement->range);
      }
    }
    return result;
  }

private:
  json::Object symbol(const std::string &name, SymbolKind kind, SourceRange range, SourceRange nameRange,
                      const std::string &detail) {
    json::Object result{{"name", name},
                        {"kind", int(kind)},
                        {"range", positions.range(range.begin, range.end)},
                        {"selectionRange", positions.range(nameRange.begin, nameRange.end)}};
    if (!detail.empty())
      result["detail"] = detail;
    return result;
  }
  const TextPositions &positions;
};

class FoldWriter {
public:
  FoldWriter(llvm::StringRef text, const TextPositions &positions) : text(text), positions(positions) {}

  void block(const ast::Block &statements, size_t header) {
    if (!statements.empty())
      add(header, statements.back()->range.end, "");
    for (auto *statement : statements)
      visit(*statement);
  }
  void visit(const ast::Stmt &statement) {
    const SourceRange range = statement.range;
    switch (statement.kind) {
    case ast::StmtKind::Def: {
      auto &def = llvm::cast<ast::DefStmt>(statement);
      block(def.body, def.nameRange.begin);
      break;
    }
    case ast::StmtKind::Class: {
      auto &type = llvm::cast<ast::ClassStmt>(statement);
      block(type.body, type.nameRange.begin);
      break;
    }
    case ast::StmtKind::If: {
      auto &node = llvm::cast<ast::IfStmt>(statement);
      block(node.body, range.begin);
      if (!node.orelse.empty())
        block(node.orelse, node.orelse[0]->range.begin);
      break;
    }
    case ast::StmtKind::For: block(llvm::cast<ast::ForStmt>(statement).body, range.begin); break;
    case ast::StmtKind::While: block(llvm::cast<ast::WhileStmt>(statement).body, range.begin); break;
    case ast::StmtKind::With: block(llvm::cast<ast::WithStmt>(statement).body, range.begin); break;
    default: add(range.begin, range.end, "");
    }
  }
  void imports(const ast::Block &statements) {
    const ast::Stmt *first = nullptr, *last = nullptr;
    auto flush = [&] {
      if (first)
        add(first->range.begin, last->range.end, "imports");
      first = nullptr;
    };
    for (auto *statement : statements) {
      if (llvm::isa<ast::ImportStmt, ast::ImportFromStmt>(statement)) {
        first = first ? first : statement;
        last = statement;
      } else {
        flush();
      }
    }
    flush();
  }
  /// Runs of lines that are comments alone.
  void comments() {
    std::optional<size_t> first, last;
    auto flush = [&] {
      if (first)
        add(*first, *last, "comment");
      first = last = std::nullopt;
    };
    for (const Word &word : readWords(text)) {
      if (word.kind == WordKind::Newline)
        continue;
      const bool isAlone = text.take_front(word.begin).rsplit('\n').second.trim(" \t").empty();
      if (word.kind != WordKind::Comment || !isAlone ||
          (last && positions.lineOf(word.begin) != positions.lineOf(*last) + 1))
        flush();
      if (word.kind == WordKind::Comment && isAlone) {
        first = first ? first : word.begin;
        last = word.begin;
      }
    }
    flush();
  }
  json::Array result;

private:
  void add(size_t begin, size_t end, llvm::StringRef kind) {
    const size_t first = positions.lineOf(begin), last = positions.lineOf(end);
    if (last <= first || !seen.insert(first).second)
      return;
    json::Object fold{{"startLine", int64_t(first)}, {"endLine", int64_t(last)}};
    if (!kind.empty())
      fold["kind"] = kind;
    result.push_back(std::move(fold));
  }
  llvm::StringRef text;
  const TextPositions &positions;
  std::set<size_t> seen; ///< lines that begin a fold
};

} // namespace

json::Array symbolsOf(const ast::Module &module, const TextPositions &positions) {
  return SymbolWriter(positions).write(module.body, SymbolKind::Function, SymbolKind::Constant, true);
}

/// Whether the letters of `query` are in `name`, in their order.
static bool matches(llvm::StringRef name, llvm::StringRef query) {
  for (char c : name)
    if (!query.empty() && llvm::toLower(c) == llvm::toLower(query.front()))
      query = query.drop_front();
  return query.empty();
}

void addMatching(json::Array &result, const ast::Module &module, llvm::StringRef query, size_t most,
                 llvm::function_ref<json::Object(SourceRange)> location) {
  auto add = [&](const std::string &name, SymbolKind kind, SourceRange range, const std::string &container) {
    if (result.size() >= most || !matches(name, query))
      return;
    json::Object made{{"name", name}, {"kind", int64_t(kind)}, {"location", location(range)}};
    if (!container.empty())
      made["containerName"] = container;
    result.push_back(std::move(made));
  };
  std::set<std::string> seen; // of a variable its first assignment
  for (auto *statement : module.body) {
    if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement)) {
      add(def->name, SymbolKind::Function, def->nameRange, "");
    } else if (auto *type = llvm::dyn_cast<ast::ClassStmt>(statement)) {
      add(type->name, SymbolKind::Struct, type->nameRange, "");
      for (auto *member : type->body)
        if (auto *method = llvm::dyn_cast<ast::DefStmt>(member))
          add(method->name, SymbolKind::Method, method->nameRange, type->name);
    } else if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(statement)) {
      for (auto *target : assign->targets)
        if (auto *name = llvm::dyn_cast<ast::NameExpr>(target); name && seen.insert(name->name).second)
          add(name->name, SymbolKind::Constant, name->range, "");
    }
  }
}

json::Array foldsOf(const ast::Module &module, llvm::StringRef text, const TextPositions &positions) {
  FoldWriter writer(text, positions);
  writer.imports(module.body);
  for (auto *statement : module.body)
    writer.visit(*statement);
  writer.comments();
  return std::move(writer.result);
}

} // namespace fly::editor
