// What the server answers to each request.
#include "compiler/editor/Completion.h"
#include "compiler/editor/Descriptions.h"
#include "compiler/editor/Hints.h"
#include "compiler/editor/Lenses.h"
#include "compiler/editor/Outline.h"
#include "compiler/editor/Problems.h"
#include "compiler/editor/Rename.h"
#include "compiler/editor/ServerParts.h"
#include "compiler/editor/Tokens.h"
#include "compiler/format/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/FileSystem.h"

namespace fly::editor {

constexpr size_t mostSymbols = 500; ///< in an answer

json::Value Server::initialize(const json::Object &params) {
  isInitialized = true;
  encoding = encodingIn(params);
  auto *capabilities = params.getObject("capabilities");
  auto *workspace = capabilities ? capabilities->getObject("workspace") : nullptr;
  for (const char *what : {"codeLens", "inlayHint", "semanticTokens"})
    if (auto *its = workspace ? workspace->getObject(what) : nullptr)
      if (its->getBoolean("refreshSupport").value_or(false))
        refreshes.insert(what);
  auto *given = params.getObject("initializationOptions");
  if (auto *has = given ? given->getArray("commands") : nullptr)
    for (const json::Value &command : *has)
      if (auto name = command.getAsString())
        commands.insert(name->str());
  if (auto *archs = given ? given->getArray("archs") : nullptr)
    for (const json::Value &arch : *archs)
      if (auto *target = target::find(arch.getAsString().value_or("")))
        moreArchs.push_back(target);
  auto *watched = workspace ? workspace->getObject("didChangeWatchedFiles") : nullptr;
  watchesFiles = watched && watched->getBoolean("dynamicRegistration").value_or(false);
  showsPictures = given && given->getBoolean("pictures").value_or(false);
  if (auto *wanted = given ? given->getArray("notifications") : nullptr)
    for (const json::Value &each : *wanted)
      if (auto name = each.getAsString())
        told.insert(name->str());
  auto *window = capabilities ? capabilities->getObject("window") : nullptr;
  showsProgress = window && window->getBoolean("workDoneProgress").value_or(false);
  return json::Object{
      {"serverInfo", json::Object{{"name", "flyc"}}},
      {"capabilities",
       json::Object{
           {"positionEncoding", encoding == PositionEncoding::Utf8 ? "utf-8" : "utf-16"},
           {"textDocumentSync",
            json::Object{{"openClose", true}, {"change", 2}, {"save", json::Object{{"includeText", false}}}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"referencesProvider", true},
           {"documentHighlightProvider", true},
           {"documentSymbolProvider", true},
           {"foldingRangeProvider", true},
           {"documentFormattingProvider", true},
           {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}},
           {"signatureHelpProvider", json::Object{{"triggerCharacters", json::Array{"(", ",", "["}}}},
           {"inlayHintProvider", true},
           {"codeLensProvider", json::Object{{"resolveProvider", false}}},
           {"renameProvider", json::Object{{"prepareProvider", true}}},
           {"workspaceSymbolProvider", true},
           {"executeCommandProvider", json::Object{{"commands", ownCommands()}, {"workDoneProgress", true}}},
           {"semanticTokensProvider", json::Object{{"legend", tokenLegend()}, {"full", true}}},
           {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix", "source.fixAll"}}}},
       }}};
}

/// Asks to be told when files change that are not open.
void Server::initialized(const json::Object &) {
  if (!watchesFiles)
    return;
  json::Array watchers;
  for (const std::string &pattern : {std::string("**/*.fly"), "**/" + optionListName.str()})
    watchers.push_back(json::Object{{"globPattern", pattern}});
  json::Object registration{{"id", "fly-files"},
                            {"method", "workspace/didChangeWatchedFiles"},
                            {"registerOptions", json::Object{{"watchers", std::move(watchers)}}}};
  connection.ask("client/registerCapability",
                 json::Object{{"registrations", json::Array{json::Value(std::move(registration))}}});
}

json::Value Server::shutdown(const json::Object &) {
  isShutDown = true;
  compilation.reset();
  running.reset();
  waiting.clear();
  documents.clear();
  return nullptr;
}

json::Value Server::hover(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  const bool isFresh = document.state == Document::State::Stale; // so there is nothing that would be lost
  auto found = describeAt(snapshot, offset, showsPictures, isFresh);
  if (!found)
    return nullptr;
  // Of a kernel's name, what the kernel is compiled to.
  Definitions definitions(snapshot);
  if (const Occurrence *here = definitions.names().at(offset))
    if (auto *def = llvm::dyn_cast_or_null<ast::DefStmt>(here->symbol->definition); def && here->symbol->isGlobal)
      if (auto list = snapshot.instancesAt(def->nameRange.begin); list.def)
        found->markdown += machineText(lensContext(document), list, snapshot.textHash());
  return json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", found->markdown}}},
                      {"range", positionsOf(document).range(found->range.begin, found->range.end)}};
}

json::Value Server::definition(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  if (auto found = Definitions(snapshot).at(offset))
    return location(snapshot, found->range);
  snapshot.elaborateAt(offset); // of a member, what its value says
  if (auto named = namedAt(snapshot.tree(), offset))
    if (auto note = noteAt(snapshot, *named); note && note->definition.valid())
      return location(snapshot, note->definition);
  return nullptr;
}

json::Value Server::references(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  auto *context = params.getObject("context");
  json::Array result;
  for (SourceRange range :
       Definitions(snapshot).references(offset, context && context->getBoolean("includeDeclaration").value_or(false)))
    result.push_back(location(snapshot, range));
  return result;
}

json::Value Server::highlight(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  const TextPositions positions = positionsOf(document);
  json::Array result;
  for (SourceRange range : Definitions(snapshot).references(offset, true))
    if (range.file == snapshot.file())
      result.push_back(json::Object{{"range", positions.range(range.begin, range.end)}});
  return result;
}

json::Value Server::symbols(const json::Object &params) {
  Document &document = documentIn(params);
  return symbolsOf(snapshotOf(document).tree(), positionsOf(document));
}

json::Value Server::folds(const json::Object &params) {
  Document &document = documentIn(params);
  return foldsOf(snapshotOf(document).tree(), document.text, positionsOf(document));
}

json::Value Server::formatting(const json::Object &params) {
  Document &document = documentIn(params);
  SourceManager sources;
  DiagnosticEngine diags(sources);
  auto formatted = formatFile(sources.add(document.path, document.text), diags);
  if (!formatted)
    throw Refusal{ErrorCode::Failed, "a file with syntax errors is not formatted"};
  // One edit of the lines that differ, so that the cursor elsewhere stays where it is.
  const llvm::StringRef before = document.text, after = *formatted;
  size_t same = 0, tail = 0;
  const size_t most = std::min(before.size(), after.size());
  while (same < most && before[same] == after[same])
    ++same;
  same = before.take_front(same).rfind('\n') + 1; // npos + 1 is 0
  while (tail < most - same && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  while (tail > 0 && before[before.size() - tail - 1] != '\n')
    --tail;
  if (before == after)
    return json::Array{};
  return json::Array{json::Object{{"range", positionsOf(document).range(same, before.size() - tail)},
                                  {"newText", after.slice(same, after.size() - tail).str()}}};
}

json::Value Server::completion(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  return completionsAt(document.text, offset, [&](std::string text) { return newSnapshot(document, std::move(text)); });
}

json::Value Server::signature(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  return signatureAt(snapshotOf(document), offset);
}

json::Value Server::hints(const json::Object &params) {
  Document &document = documentIn(params);
  auto [begin, end] = rangeIn(params, document);
  return hintsIn(snapshotOf(document), positionsOf(document), begin, end);
}

json::Value Server::lenses(const json::Object &params) {
  Document &document = documentIn(params);
  return lensesOf(snapshotOf(document), positionsOf(document), lensContext(document));
}

json::Value Server::actions(const json::Object &params) {
  Document &document = documentIn(params);
  auto [begin, end] = rangeIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  snapshot.elaborateAt(begin);
  snapshot.finish();
  return fixesAt(snapshot, encoding, begin, end);
}

json::Value Server::prepareRename(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  auto place = renamableAt(snapshotOf(document), offset);
  if (auto *problem = std::get_if<std::string>(&place))
    throw Refusal{ErrorCode::Failed, *problem};
  const SourceRange range = std::get<SourceRange>(place);
  return json::Object{{"range", positionsOf(document).range(range.begin, range.end)},
                      {"placeholder", document.text.substr(range.begin, range.end - range.begin)}};
}

json::Value Server::rename(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  auto name = params.getString("newName");
  if (!name)
    throw Refusal{ErrorCode::InvalidParams, "`newName` is missing"};
  auto places = renamed(snapshotOf(document), offset, name->str());
  if (auto *problem = std::get_if<std::string>(&places))
    throw Refusal{ErrorCode::Failed, *problem};
  const TextPositions positions = positionsOf(document);
  json::Array edits;
  for (SourceRange range : std::get<std::vector<SourceRange>>(places))
    edits.push_back(json::Object{{"range", positions.range(range.begin, range.end)}, {"newText", *name}});
  return json::Object{{"changes", json::Object{{document.uri, std::move(edits)}}}};
}

/// Of the open documents and of what they import.
json::Value Server::allSymbols(const json::Object &params) {
  const std::string query = params.getString("query").value_or("").str();
  json::Array result;
  std::set<std::string> seen;
  for (auto &[uri, document] : documents) {
    Snapshot &snapshot = snapshotOf(document);
    snapshot.runModule();
    auto write = [&](const ast::Module &tree) {
      const std::string path = snapshot.session.sources.name(tree.file).str();
      if (seen.insert(realPath(path)).second)
        addMatching(result, tree, query, mostSymbols, [&](SourceRange range) { return location(snapshot, range); });
    };
    write(snapshot.tree());
    for (auto &module : snapshot.modules())
      if (module->tree)
        write(*module->tree);
  }
  return result;
}

json::Value Server::tokens(const json::Object &params) {
  Document &document = documentIn(params);
  return tokensOf(snapshotOf(document), positionsOf(document));
}

/// The text of a document that only the server has: of the library, or the page of a diagnostic.
json::Value Server::text(const json::Object &params) {
  const std::string uri = uriIn(params), path = pathOfUri(uri);
  if (auto embedded = sema::embeddedText(path))
    return json::Object{{"text", *embedded}};
  llvm::StringRef page = uri;
  if ((page.consume_front("fly-explain:///") || page.consume_front("fly-explain:/")) && page.consume_back(".md"))
    if (auto kind = findDiagnostic(page))
      return json::Object{{"text", explanation(*kind)}};
  throw Refusal{ErrorCode::InvalidParams, "there is no document `" + uri + "`"};
}

} // namespace fly::editor
