// A module's page, section by section. Source text is shown as written, formatted and on one line; nothing is
// evaluated. The decorators determine the kind of a definition: `@kernel`, `@check`, `@struct`, ... or a plain
// function.
#include "compiler/doc/ModulePage.h"

#include "compiler/format/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace fly {

namespace {

using namespace ast;

/// The decorator `name` of a definition as a call, or as the bare name.
struct Decorator {
  llvm::StringRef name;
  const Expr *expr = nullptr;
  const CallExpr *call = nullptr;
};

Decorator decoratorOf(const Expr *expr) {
  auto *call = llvm::dyn_cast<CallExpr>(expr);
  auto *name = llvm::dyn_cast<NameExpr>(call ? call->callee : expr);
  return {name ? llvm::StringRef(name->name) : "", expr, call};
}

bool isPublic(llvm::StringRef name) {
  return !name.starts_with("_") || (name.starts_with("__") && name.ends_with("__"));
}

/// Without the indentation that its lines after the first have in common; no blank lines at either end.
std::string cleaned(llvm::StringRef docstring) {
  llvm::SmallVector<llvm::StringRef> lines;
  docstring.split(lines, '\n');
  size_t common = llvm::StringRef::npos;
  for (llvm::StringRef line : llvm::drop_begin(lines))
    if (!line.trim().empty())
      common = std::min(common, line.size() - line.ltrim(' ').size());
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i)
    text += (i == 0                    ? lines[i].trim()
             : lines[i].trim().empty() ? llvm::StringRef()
                                       : lines[i].drop_front(common).rtrim())
                .str() +
            "\n";
  return llvm::StringRef(text).trim('\n').str();
}

class Page {
public:
  Page(const Module &module, const SourceManager &sources) : module(module), sources(sources) {}

  std::string run(llvm::StringRef name) {
    sort();
    os << "# " << name << "\n";
    docstring(module.docstring);
    constants();
    section("Kernels", kernels, [&](const DefStmt *def) { kernel(*def); });
    section("Functions called from the host", launches, [&](const DefStmt *def) { function(*def); });
    section("Structs", structs, [&](const ClassStmt *record) { structure(*record); });
    section("Functions", functions, [&](const DefStmt *def) { function(*def); });
    runs("Checks", checks);
    runs("Benchmarks", benches);
    return std::move(text);
  }

private:
  void sort() {
    for (const Stmt *stmt : module.body) {
      if (auto *record = llvm::dyn_cast<ClassStmt>(stmt)) {
        if (isPublic(record->name))
          structs.push_back(record);
      } else if (auto *def = llvm::dyn_cast<DefStmt>(stmt)) {
        auto has = [&](llvm::StringRef name) {
          return llvm::any_of(def->decorators, [&](const Expr *e) { return decoratorOf(e).name == name; });
        };
        if (!isPublic(def->name))
          continue;
        (has("kernel")   ? kernels
         : has("check")  ? checks
         : has("bench")  ? benches
         : has("launch") ? launches
                         : functions)
            .push_back(def);
      }
    }
    // `name = kernel[T=f16]` and `name = kernel` are instances.
    for (const Stmt *stmt : module.body) {
      auto *assign = llvm::dyn_cast<AssignStmt>(stmt);
      if (!assign)
        continue;
      auto *subscript = llvm::dyn_cast<SubscriptExpr>(assign->value);
      auto *base = llvm::dyn_cast<NameExpr>(subscript ? subscript->base : assign->value);
      if (!base || llvm::none_of(kernels, [&](const DefStmt *def) { return def->name == base->name; }))
        continue;
      for (const Expr *target : assign->targets)
        if (auto *name = llvm::dyn_cast<NameExpr>(target); name && isPublic(name->name))
          instances[base->name].push_back(assign);
    }
  }

  // ---- words

  std::string written(const Expr *expr) const {
    return expr ? formatInOneLine(sources.text(expr->range), /*isExpression=*/true) : "";
  }
  std::string written(const Stmt *stmt) const {
    return formatInOneLine(sources.text(stmt->range), /*isExpression=*/false);
  }
  /// As code in a cell of a table.
  static std::string code(llvm::StringRef text) {
    if (text.empty())
      return "";
    std::string cell;
    for (char c : text)
      cell += c == '|' ? "\\|" : std::string(1, c);
    return "`" + cell + "`";
  }
  void docstring(llvm::StringRef words) {
    if (!words.empty())
      os << "\n" << cleaned(words) << "\n";
  }
  void heading(const char *title) { os << "\n## " << title << "\n"; }

  template <typename List, typename Each> void section(const char *title, const List &list, Each each) {
    if (list.empty())
      return;
    heading(title);
    for (const auto &one : list)
      each(one);
  }

  // ---- constants

  void constants() {
    bool isFirst = true;
    auto row = [&](llvm::StringRef name, const std::string &value, const std::string &type) {
      if (isFirst) {
        heading("Constants");
        os << "\n| name | value |\n|---|---|\n";
      }
      isFirst = false;
      os << "| " << code(type.empty() ? name.str() : name.str() + ": " + type) << " | " << code(value) << " |\n";
    };
    for (const Stmt *stmt : module.body) {
      if (auto *annotated = llvm::dyn_cast<AnnAssignStmt>(stmt)) {
        if (auto *name = llvm::dyn_cast<NameExpr>(annotated->target); name && isPublic(name->name))
          row(name->name, written(annotated->value), written(annotated->annotation));
        continue;
      }
      auto *assign = llvm::dyn_cast<AssignStmt>(stmt);
      if (!assign || isInstance(assign))
        continue;
      for (const Expr *target : assign->targets)
        constant(target, assign->value, row);
    }
  }

  /// A name, or names that unpack a tuple of as many values.
  template <typename Row> void constant(const Expr *target, const Expr *value, Row row) {
    if (auto *name = llvm::dyn_cast<NameExpr>(target)) {
      if (isPublic(name->name))
        row(name->name, written(value), "");
      return;
    }
    auto *names = llvm::dyn_cast<TupleExpr>(target);
    if (!names)
      return;
    auto *values = llvm::dyn_cast<TupleExpr>(value);
    const bool pairs = values && values->elements.size() == names->elements.size() &&
                       llvm::none_of(names->elements, [](const Expr *e) { return e->kind == ExprKind::Starred; });
    for (size_t i = 0; i < names->elements.size(); ++i)
      if (pairs)
        constant(names->elements[i], values->elements[i], row);
      else if (auto *name = llvm::dyn_cast<NameExpr>(names->elements[i]); name && isPublic(name->name))
        row(name->name, "of " + written(target) + " = " + written(value), "");
  }

  bool isInstance(const AssignStmt *assign) const {
    return llvm::any_of(instances, [&](const auto &entry) { return llvm::is_contained(entry.second, assign); });
  }

  // ---- definitions

  std::string signature(const DefStmt &def, bool isMethod = false) const {
    std::string out = def.name + "(";
    bool isFirst = true, star = false;
    for (const Parameter &p : def.parameters) {
      if (isMethod && isFirst && &p == &def.parameters.front())
        continue; // self
      if (p.keywordOnly && !star) {
        out += isFirst ? "*" : ", *";
        star = true, isFirst = false;
      }
      out += (isFirst ? "" : ", ") + p.name;
      if (p.annotation)
        out += ": " + written(p.annotation);
      if (p.defaultValue)
        out += (p.annotation ? " = " : "=") + written(p.defaultValue);
      isFirst = false;
    }
    out += ")";
    if (def.returns)
      out += " -> " + written(def.returns);
    return out;
  }

  void function(const DefStmt &def) {
    os << "\n### " << def.name << "\n\n```fly\n" << signature(def) << "\n```\n";
    docstring(def.docstring);
    others(def.decorators, "launch");
  }

  void kernel(const DefStmt &def) {
    os << "\n### " << def.name << "\n";
    docstring(def.docstring);
    for (const Expr *expr : def.decorators) {
      Decorator decorator = decoratorOf(expr);
      if (decorator.name != "kernel" || !decorator.call)
        continue;
      os << "\n| launch | |\n|---|---|\n";
      for (const Argument &argument : decorator.call->arguments) {
        auto *conditions = argument.keyword == "requires" ? llvm::dyn_cast<TupleExpr>(argument.value) : nullptr;
        os << "| " << (argument.keyword.empty() ? std::string() : argument.keyword) << " | ";
        if (conditions)
          for (size_t i = 0; i < conditions->elements.size(); ++i)
            os << (i ? ", " : "") << code(written(conditions->elements[i]));
        else
          os << code(written(argument.value));
        os << " |\n";
      }
    }
    bool isFirst = true;
    for (const Parameter &p : def.parameters) {
      if (p.keywordOnly)
        continue;
      if (isFirst)
        os << "\n| parameter | type | layout | direction |\n|---|---|---|---|\n";
      isFirst = false;
      parameter(p);
    }
    isFirst = true;
    for (const Parameter &p : def.parameters) {
      if (!p.keywordOnly)
        continue;
      if (isFirst)
        os << "\n| compile-time parameter | kind | default |\n|---|---|---|\n";
      isFirst = false;
      auto *kind = llvm::dyn_cast_or_null<SubscriptExpr>(p.annotation);
      os << "| " << code(p.name) << " | "
         << code(kind && kind->items.size() == 1 ? written(kind->items[0].value) : written(p.annotation)) << " | "
         << (p.defaultValue ? code(written(p.defaultValue)) : "needed") << " |\n";
    }
    others(def.decorators, "kernel");
    if (auto found = instances.find(def.name); found != instances.end()) {
      os << "\nInstances:\n\n";
      for (const AssignStmt *assign : found->second)
        os << "- " << code(written(assign)) << "\n";
    }
  }

  /// `a: In[T, (m, n):(lda, 1), align=4]`: T, the layout and other properties, and the direction of the data.
  void parameter(const Parameter &p) {
    std::string type = written(p.annotation), layout, direction = "value";
    auto *subscript = llvm::dyn_cast_or_null<SubscriptExpr>(p.annotation);
    auto *base = llvm::dyn_cast_or_null<NameExpr>(subscript ? subscript->base : nullptr);
    const char *way = base ? llvm::StringSwitch<const char *>(base->name)
                                 .Case("In", "in")
                                 .Case("Out", "out")
                                 .Case("InOut", "in, out")
                                 .Default(nullptr)
                           : nullptr;
    if (way) {
      direction = way;
      type.clear();
      for (const Argument &item : subscript->items) {
        std::string part = item.keyword.empty() ? written(item.value) : item.keyword + "=" + written(item.value);
        std::string &to = type.empty() && item.keyword.empty() ? type : layout;
        to += (to.empty() ? "" : ", ") + part;
      }
    }
    os << "| " << code(p.name) << " | " << code(type) << " | " << code(layout) << " | " << direction << " |\n";
  }

  /// Decorators without a section of their own.
  void others(const std::vector<Expr *> &decorators, llvm::StringRef shown) {
    bool isFirst = true;
    for (const Expr *expr : decorators) {
      if (decoratorOf(expr).name == shown)
        continue;
      os << (isFirst ? "\n" : "") << "- " << code("@" + written(expr)) << "\n";
      isFirst = false;
    }
  }

  void structure(const ClassStmt &record) {
    os << "\n### " << record.name << "\n";
    docstring(record.docstring);
    bool isFirst = true;
    for (const Stmt *stmt : record.body) {
      auto *field = llvm::dyn_cast<AnnAssignStmt>(stmt);
      auto *name = field ? llvm::dyn_cast<NameExpr>(field->target) : nullptr;
      if (!name || !isPublic(name->name))
        continue;
      if (isFirst)
        os << "\n| field | type | default |\n|---|---|---|\n";
      isFirst = false;
      os << "| " << code(name->name) << " | " << code(written(field->annotation)) << " | "
         << code(written(field->value)) << " |\n";
    }
    isFirst = true;
    for (const Stmt *stmt : record.body) {
      auto *method = llvm::dyn_cast<DefStmt>(stmt);
      if (!method || !isPublic(method->name))
        continue;
      os << (isFirst ? "\n" : "") << "- " << code(signature(*method, true)) << summary(method->docstring) << "\n";
      isFirst = false;
    }
  }

  static std::string summary(llvm::StringRef words) {
    llvm::StringRef first = words.ltrim().split('\n').first.trim();
    return first.empty() ? "" : ": " + first.str();
  }

  /// Checks and benchmarks: what they run over.
  void runs(const char *title, const std::vector<const DefStmt *> &defs) {
    if (defs.empty())
      return;
    heading(title);
    os << "\n";
    for (const DefStmt *def : defs) {
      os << "- " << code(def->name);
      const char *separator = " for ";
      for (const Expr *expr : def->decorators)
        if (Decorator decorator = decoratorOf(expr);
            decorator.call && (decorator.name == "check" || decorator.name == "bench"))
          for (const Argument &argument : decorator.call->arguments) {
            os << separator << code(argument.keyword + "=" + written(argument.value));
            separator = ", ";
          }
      os << summary(def->docstring) << "\n";
    }
  }

  const Module &module;
  const SourceManager &sources;
  std::string text;
  llvm::raw_string_ostream os{text};
  std::vector<const DefStmt *> kernels, launches, functions, checks, benches;
  std::vector<const ClassStmt *> structs;
  std::map<std::string, std::vector<const AssignStmt *>> instances;
};

} // namespace

std::string modulePage(const Module &module, const SourceManager &sources, llvm::StringRef name) {
  return Page(module, sources).run(name);
}

} // namespace fly
