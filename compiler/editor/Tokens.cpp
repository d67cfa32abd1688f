// See Tokens.h. Kinds come from definitions, and from the values of the first instances; a name of which neither says
// anything has no token.
#include "compiler/editor/Tokens.h"

#include "compiler/editor/Definitions.h"
#include "compiler/editor/Descriptions.h"
#include "compiler/editor/Lenses.h"
#include "compiler/sema/amd/ExactInstructions.h"

#include "llvm/Support/Casting.h"

namespace fly::editor {

namespace json = llvm::json;

namespace {

// In the order of the legend. The first ones are the protocol's, which every theme has.
enum Type { Namespace, TypeName, Struct, Function, Method, Parameter, Variable, Property, Decorator, Macro };
constexpr const char *typeNames[] = {"namespace", "type",     "struct",   "function",  "method",
                                     "parameter", "variable", "property", "decorator", "macro"};
enum Modifier { Declaration, ReadOnly, Library, CompileTime, Register, Shared, Global, Launch, Kernel, Exact };
constexpr const char *modifierNames[] = {"declaration", "readonly",        "defaultLibrary", "compileTime",
                                         "register",    "shared",          "global",         "launchTime",
                                         "kernel",      "exactInstruction"};

constexpr unsigned bit(Modifier modifier) { return 1u << modifier; }

unsigned modifiersOf(ValueNote::Place place) {
  switch (place) {
  case ValueNote::Place::CompileTime: return bit(ReadOnly) | bit(CompileTime);
  case ValueNote::Place::LaunchTime: return bit(ReadOnly) | bit(Launch);
  case ValueNote::Place::Register: return bit(Register);
  case ValueNote::Place::Shared: return bit(Shared);
  case ValueNote::Place::Global: return bit(Global);
  case ValueNote::Place::Unknown: break;
  }
  return 0;
}

class TokenWriter {
public:
  explicit TokenWriter(Snapshot &snapshot) : snapshot(snapshot), definitions(snapshot) {}

  void read() {
    snapshot.runModule();
    for (auto *statement : snapshot.tree().body)
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement))
        snapshot.elaborateAt(def->nameRange.begin);
    const Names &names = definitions.names();
    // Where a parameter is declared, it has no value yet: uses of a name say where it lives.
    for (const Occurrence &each : names.all())
      if (auto *note = snapshot.notes.find(each.range); note && each.member.empty())
        uses.try_emplace(each.symbol, note);
    walkAll(snapshot.tree().body, [&](const ast::Expr &expr) { visit(expr); });
    decorators(snapshot.tree().body);
    for (const Occurrence &each : names.all()) {
      unsigned modifiers = 0;
      for (auto &binding : each.symbol->bindings)
        if (binding.begin == each.range.begin)
          modifiers |= bit(Declaration);
      if (!each.member.empty() || tokens.count(each.range.begin))
        continue;
      const ValueNote *note = noteOf(each);
      const ValueNote::Place place = note ? note->place : ValueNote::Place::Unknown;
      switch (each.symbol->kind) {
      case Symbol::Kind::Parameter: add(each.range, Parameter, modifiers | modifiersOf(place)); break;
      case Symbol::Kind::Variable:
        if (each.symbol->isMember)
          add(each.range, Property, modifiers);
        else if (place != ValueNote::Place::Unknown)
          add(each.range, Variable, modifiers | modifiersOf(place));
        break;
      case Symbol::Kind::Function: {
        auto *def = llvm::dyn_cast_or_null<ast::DefStmt>(each.symbol->definition);
        add(each.range, each.symbol->isMember ? Method : Function,
            modifiers | (def && isKernel(*def) ? bit(Kernel) : 0));
        break;
      }
      case Symbol::Kind::Struct: add(each.range, Struct, modifiers); break;
      case Symbol::Kind::Module: add(each.range, Namespace, modifiers); break;
      case Symbol::Kind::Import: imported(each, modifiers); break;
      }
    }
  }

  json::Array encoded(const TextPositions &positions) const {
    json::Array data;
    Position last;
    for (auto &[begin, token] : tokens) {
      const Position at = positions.at(begin), end = positions.at(token.end);
      if (end.line != at.line)
        continue;
      const bool isSameLine = at.line == last.line;
      for (uint64_t number : {at.line - last.line, isSameLine ? at.character - last.character : at.character,
                              end.character - at.character, uint64_t(token.type), uint64_t(token.modifiers)})
        data.push_back(int64_t(number));
      last = at;
    }
    return data;
  }

private:
  struct Token {
    uint32_t end;
    Type type;
    unsigned modifiers;
  };
  void add(SourceRange range, Type type, unsigned modifiers) {
    if (range.file != snapshot.file() || range.end <= range.begin)
      return;
    auto next = tokens.upper_bound(range.begin); // tokens never overlap
    if (next != tokens.begin() && std::prev(next)->second.end > range.begin)
      return;
    if (next != tokens.end() && next->first < range.end)
      return;
    tokens.emplace(range.begin, Token{range.end, type, modifiers});
  }
  const ValueNote *noteOf(const Occurrence &each) const {
    if (auto *note = snapshot.notes.find(each.range))
      return note;
    auto found = uses.find(each.symbol);
    return found == uses.end() ? nullptr : found->second;
  }
  /// What an imported name is, where it is defined.
  void imported(const Occurrence &each, unsigned modifiers) {
    auto found = definitions.of(*each.symbol, "", each.range.begin);
    if (!found)
      return;
    if (auto *def = llvm::dyn_cast_or_null<ast::DefStmt>(found->statement))
      add(each.range, Function, modifiers | (isKernel(*def) ? bit(Kernel) : 0));
    else if (llvm::isa_and_nonnull<ast::ClassStmt>(found->statement))
      add(each.range, Struct, modifiers);
    else if (found->module && found->range.end == 0)
      add(each.range, Namespace, modifiers);
    else if (auto *note = noteOf(each))
      fromNote(each.range, *note, modifiers, Variable);
  }
  /// A token of what the value is.
  void fromNote(SourceRange range, const ValueNote &note, unsigned modifiers, Type otherwise) {
    if (note.builtin)
      add(range, Function, modifiers | bit(Library));
    else if (note.function)
      add(range, otherwise == Property ? Method : Function, modifiers | (isKernel(*note.function) ? bit(Kernel) : 0));
    else if (note.structure)
      add(range, Struct, modifiers);
    else if (note.module)
      add(range, Namespace, modifiers);
    else if (note.isType)
      add(range, TypeName, modifiers);
    else if (note.place != ValueNote::Place::Unknown)
      add(range, otherwise, modifiers | modifiersOf(note.place));
  }
  void visit(const ast::Expr &expr) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr)) {
      if (const Occurrence *known = definitions.names().at(name->range.begin);
          known && known->range.begin == name->range.begin)
        return;
      if (auto *builtin = findBuiltin(name->name); builtin && snapshot.notes.find(name->range) == nullptr)
        add(name->range, Function, bit(Library)); // what is called is not evaluated before
      else if (auto *note = snapshot.notes.find(name->range))
        fromNote(name->range, *note, bit(Library), Variable);
    }
    if (auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&expr)) {
      auto *base = snapshot.notes.find(attribute->base->range);
      if (base && base->module && base->module->name == sema::isaModule)
        return add(attribute->nameRange, Macro, bit(Library) | bit(Exact));
      const Named named{attribute->nameRange, attribute->range, attribute->base->range, attribute->name, true};
      if (auto note = noteAt(snapshot, named))
        fromNote(attribute->nameRange, *note, 0, Property);
    }
  }
  void decorators(const ast::Block &block) {
    auto each = [&](const std::vector<ast::Expr *> &given) {
      for (auto *decorator : given) {
        auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
        if (auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : decorator)) {
          tokens.erase(name->range.begin);
          add(name->range, Decorator, 0);
        }
      }
    };
    for (auto *statement : block) {
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement)) {
        each(def->decorators);
        decorators(def->body);
      } else if (auto *type = llvm::dyn_cast<ast::ClassStmt>(statement)) {
        each(type->decorators);
        decorators(type->body);
      }
    }
  }
  Snapshot &snapshot;
  Definitions definitions;
  std::map<const Symbol *, const ValueNote *> uses; ///< the first one with a value
  std::map<uint32_t, Token> tokens;                 ///< by where they begin
};

} // namespace

json::Object tokenLegend() {
  json::Array types, modifiers;
  for (const char *name : typeNames)
    types.push_back(name);
  for (const char *name : modifierNames)
    modifiers.push_back(name);
  return json::Object{{"tokenTypes", std::move(types)}, {"tokenModifiers", std::move(modifiers)}};
}

json::Object tokensOf(Snapshot &snapshot, const TextPositions &positions) {
  TokenWriter writer(snapshot);
  writer.read();
  return json::Object{{"data", writer.encoded(positions)}};
}

} // namespace fly::editor
