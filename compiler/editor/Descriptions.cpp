// See Descriptions.h.
#include "compiler/editor/Descriptions.h"

#include "compiler/compilation/ValuePicture.h"
#include "compiler/editor/Instructions.h"
#include "compiler/picture/Picture.h"
#include "compiler/sema/Sema.h"
#include "compiler/sema/amd/ExactInstructions.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/syntax/Walk.h"
#include "compiler/target/LdsBanks.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

std::string headOf(const ast::DefStmt &def, const SourceManager &sources) {
  std::string text;
  for (auto *decorator : def.decorators)
    text += "@" + sources.text(decorator->range).str() + "\n";
  text += "def " + def.name + "(";
  bool wasKeyword = false;
  for (size_t i = 0; i < def.parameters.size(); ++i) {
    auto &parameter = def.parameters[i];
    text += i ? ", " : "";
    if (parameter.keywordOnly && !wasKeyword && parameter.kind == ast::Parameter::One)
      text += "*, ";
    wasKeyword |= parameter.keywordOnly || parameter.kind == ast::Parameter::Rest;
    text += sources.text(parameter.range);
  }
  text += ")";
  if (def.returns)
    text += " -> " + sources.text(def.returns->range).str();
  return text;
}

const sema::Builtin *findBuiltin(llvm::StringRef name) {
  if (auto *row = sema::environment().builtins.find(name))
    return row;
  for (auto &family : sema::amdFamilies())
    for (auto &row : family.rows)
      if (name == row.name)
        return &row;
  return nullptr;
}

void walkAll(const ast::Block &block, llvm::function_ref<void(const ast::Expr &)> visit) {
  ast::walk(block, visit);
  auto parameters = [&](const std::vector<ast::Parameter> &given) {
    for (auto &parameter : given) {
      if (parameter.annotation)
        ast::walk(*parameter.annotation, visit);
      if (parameter.defaultValue)
        ast::walk(*parameter.defaultValue, visit);
    }
  };
  for (auto *statement : block) {
    if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement)) {
      for (auto *decorator : def->decorators)
        ast::walk(*decorator, visit);
      parameters(def->parameters);
      walkAll(def->body, visit);
    } else if (auto *type = llvm::dyn_cast<ast::ClassStmt>(statement)) {
      walkAll(type->body, visit);
    } else if (auto *node = llvm::dyn_cast<ast::IfStmt>(statement)) { // definitions in them
      walkAll(node->body, visit);
      walkAll(node->orelse, visit);
    } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(statement)) {
      walkAll(loop->body, visit);
    } else if (auto *with = llvm::dyn_cast<ast::WithStmt>(statement)) {
      walkAll(with->body, visit);
    }
  }
}

namespace {

constexpr int64_t mostPictureRows = 32;

/// The parameter whose name is at the range, as written.
std::optional<std::string> parameterAt(const ast::Block &block, const SourceManager &sources, SourceRange range) {
  for (auto *statement : block) {
    auto *def = llvm::dyn_cast<ast::DefStmt>(statement);
    if (auto *type = llvm::dyn_cast<ast::ClassStmt>(statement))
      if (auto found = parameterAt(type->body, sources, range))
        return found;
    if (!def)
      continue;
    for (auto &parameter : def->parameters)
      if (parameter.nameRange.begin == range.begin)
        return sources.text(parameter.range).str();
    if (auto found = parameterAt(def->body, sources, range))
      return found;
  }
  return std::nullopt;
}

std::string codeBlock(const std::string &code) { return "```fly\n" + code + "\n```\n"; }

/// A picture in small, as far as a hover has room; empty for what has none.
std::string pictureOf(const ValueNote &note, const target::Target &target) {
  if (!note.drawn)
    return "";
  const driver::PictureParts made =
      driver::picturePartsOf(*note.drawn, 0, target::ldsRule(target.name, target.waveSize, 4, false).banks);
  if (made.parts.empty())
    return "";
  for (int64_t columns : {32, 16, 8}) {
    std::vector<picture::Picture> drawn;
    for (const driver::PicturePart &part : made.parts) {
      picture::Request request = part.request;
      request.maxRows = made.parts.size() > 1 ? mostPictureRows / 2 : mostPictureRows;
      request.maxColumns = columns;
      request.maxSheets = 1;
      picture::Subject subject;
      auto one = picture::draw(request, subject);
      if (!one)
        return "";
      drawn.push_back(std::move(*one));
    }
    if (auto svg = picture::toSmallSvg(driver::joinPictures(made.parts, std::move(drawn), " ")))
      return "![" + std::string(note.layout ? "layout" : "picture") + "](data:image/svg+xml;base64," +
             llvm::encodeBase64(*svg) + ")\n";
  }
  return "";
}

/// A layout as a table of its indices, as far as a hover has room; empty for what is not one or has no such table.
std::string tableOf(const ValueNote &note) {
  if (!note.layout)
    return "";
  picture::Request request(*note.layout);
  request.maxRows = request.maxColumns = 16;
  request.maxSheets = 1;
  request.title = " ";
  picture::Subject subject;
  auto drawn = picture::draw(request, subject);
  if (!drawn)
    return "";
  const std::string text = picture::toText(*drawn, /*inColor=*/false);
  const llvm::StringRef table = llvm::StringRef(text).split('\n').second; // the title is above
  return "```\n" + table.trim('\n').str() + "\n```\n";
}

} // namespace

std::optional<Named> namedAt(const ast::Module &tree, uint32_t offset) {
  std::optional<Named> found;
  auto holds = [&](SourceRange range) { return range.begin <= offset && offset <= range.end; };
  walkAll(tree.body, [&](const ast::Expr &expr) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr); name && holds(expr.range))
      found = Named{expr.range, expr.range, {}, name->name, false};
    if (auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&expr); attribute && holds(attribute->nameRange))
      found = Named{attribute->nameRange, expr.range, attribute->base->range, attribute->name, true};
  });
  return found;
}

std::optional<ValueNote> noteAt(const Snapshot &snapshot, const Named &named) {
  if (auto *note = snapshot.notes.find(named.noted))
    return *note;
  auto *base = named.isAttribute ? snapshot.notes.find(named.base) : nullptr; // what is called is not evaluated before
  return base ? memberOf(*base, named.name) : std::nullopt;
}

bool holdsName(Snapshot &snapshot, uint32_t offset) {
  auto named = namedAt(snapshot.tree(), offset);
  if (named && named->shown.begin == offset)
    return true;
  const Names names(snapshot.tree(), snapshot.session.sources);
  return llvm::any_of(names.all(), [&](const Occurrence &each) { return each.range.begin == offset; });
}

std::optional<Description> describeAt(Snapshot &snapshot, uint32_t offset, bool hasPictures, bool isHurried) {
  auto drawn = [&](const ValueNote &note) {
    std::string picture = hasPictures ? pictureOf(note, snapshot.target()) : "";
    return picture.empty() ? tableOf(note) : picture;
  };
  auto named = namedAt(snapshot.tree(), offset);
  Definitions definitions(snapshot);
  const Occurrence *occurrence = definitions.names().at(offset);
  if (!named && !occurrence)
    return std::nullopt;
  // A member that is called has no value of its own, but what it is a member of has.
  if (isHurried)
    snapshot.elaborateAt(offset, !named ? occurrence->range : named->isAttribute ? named->base : named->noted);
  else
    snapshot.elaborateAt(offset);
  const SourceRange shown = named ? named->shown : occurrence->range;
  const std::string name = snapshot.session.sources.text(shown).str();
  std::optional<ValueNote> note;
  if (named)
    note = noteAt(snapshot, *named);
  else if (auto *found = snapshot.notes.find(occurrence->range))
    note = *found;
  auto definition = definitions.at(offset);
  const SourceManager &sources = snapshot.session.sources;

  const sema::Builtin *builtin = note ? note->builtin : nullptr;
  if (!builtin && !occurrence && named && !named->isAttribute)
    builtin = findBuiltin(name);
  const ast::DefStmt *function = note ? note->function : nullptr;
  const ast::ClassStmt *structure = note ? note->structure : nullptr;
  const bool isKeyword = occurrence && occurrence->symbol->kind == Symbol::Kind::Parameter && !named;
  if (!function && !structure && definition && !isKeyword) {
    function = llvm::dyn_cast_or_null<ast::DefStmt>(definition->statement);
    structure = llvm::dyn_cast_or_null<ast::ClassStmt>(definition->statement);
  }
  std::string text;
  if (builtin) {
    text = codeBlock(std::string(builtin->name) + "(" + builtin->signature + ")") + builtin->doc + "\n";
  } else if (function) {
    text = codeBlock(headOf(*function, sources)) + function->docstring + "\n";
  } else if (structure) {
    text = codeBlock("class " + structure->name) + structure->docstring + "\n";
  } else if (definition && definition->module && !definition->statement && definition->range.end == 0) {
    text = codeBlock("module " + definition->module->name);
    if (definition->module->tree)
      text += definition->module->tree->docstring + "\n";
  } else if (note) {
    const bool isConstant = note->hint == ValueNote::Hint::Constant;
    text = codeBlock(name + (note->kind.empty() ? "" : ": " + note->kind) +
                     (isConstant || !note->kind.empty() ? " = " : ": ") + note->text) +
           drawn(*note);
  } else if (occurrence && occurrence->symbol->kind == Symbol::Kind::Parameter) {
    for (auto &binding : occurrence->symbol->bindings)
      if (binding.file == snapshot.file())
        text = codeBlock(parameterAt(snapshot.tree().body, sources, binding).value_or(name));
  }
  if (!builtin && named && !named->isAttribute && !occurrence)
    for (auto &[constant, sentence] : sema::preludeConstants())
      if (constant == name)
        text = codeBlock(name) + sentence + "\n";
  if (named && named->isAttribute && text.empty())
    if (auto *base = snapshot.notes.find(named->base); base && base->module && base->module->name == sema::isaModule)
      text = instructionText(snapshot.target(), name, snapshot.waits);
  if (text.empty())
    return std::nullopt;
  if (auto list = snapshot.instancesAt(offset); note && list.def && !builtin) {
    const size_t count = list.symbols.size();
    text += "\nin `" + list.symbol() + "`";
    if (count > 1)
      text += ", " + std::to_string(list.shown + 1) + " of " + std::to_string(count) + " instances";
    text += "\n";
  }
  return Description{shown, text};
}

} // namespace fly::editor
