// See Server.h.
#include "compiler/editor/Server.h"

#include "compiler/editor/Completion.h"
#include "compiler/editor/Descriptions.h"
#include "compiler/editor/Documents.h"
#include "compiler/editor/Hints.h"
#include "compiler/editor/Lenses.h"
#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Outline.h"
#include "compiler/editor/Problems.h"
#include "compiler/editor/Rename.h"
#include "compiler/editor/Tokens.h"
#include "compiler/editor/WorkQueue.h"
#include "compiler/format/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/FileSystem.h"

#include <thread>

namespace fly::editor {

namespace json = llvm::json;

namespace {

/// Thrown by what answers a request.
struct Refusal {
  ErrorCode code;
  std::string message;
};

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds rest(500);   ///< without a change, after which kernels are compiled
constexpr milliseconds between(20); ///< looks at a compilation
constexpr size_t mostSymbols = 500; ///< in an answer

struct Document {
  std::string uri, path, text;
  int64_t version = 0;
  uint32_t cursor = 0; ///< where the author was last, as far as it is known
  std::unique_ptr<Snapshot> snapshot;
  enum class State { Stale, Begun, Done } state = State::Stale;
  std::set<std::string> wrongIn;   ///< definitions with what was told last; "": something outside of them
  std::optional<size_t> published; ///< how many diagnostics of this version were told; none: nothing yet
  Clock::time_point changed = Clock::now();
  bool isSaved = false;                       ///< as it is now: there is nothing to wait for
  std::map<std::string, MachineCode> machine; ///< by kernel: what was compiled last
};

/// The definition of the module that holds the offset; "" if none does.
std::string definitionAt(const ast::Module &module, uint32_t offset) {
  for (auto *statement : module.body)
    if (statement->range.begin <= offset && offset <= statement->range.end)
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement))
        return def->name;
  return "";
}

class Server {
public:
  Server(const ServerSettings &settings, Connection &connection) : settings(settings), connection(connection) {}

  /// Of the thread that reads.
  void read();
  /// Of the thread that answers.
  int run();

private:
  using Answer = json::Value (Server::*)(const json::Object &);
  using Notice = void (Server::*)(const json::Object &);
  struct Request {
    llvm::StringLiteral method;
    Answer answer;
  };
  struct Notification {
    llvm::StringLiteral method;
    Notice notice;
  };
  static const Request requests[];
  static const Notification notifications[];

  void handle(WorkQueue::Message &message);
  json::Value answer(const std::string &method, const json::Object &params);
  bool idleStep();
  std::optional<milliseconds> compileStep();
  void keepCompiled();
  std::optional<Snapshot::Kernel> nextToCompile(Document &document);
  bool compileNext(Document &document);
  void publish(Document &document);
  void renew(Document &document);
  void renewImporters(const Document &changed);
  std::unique_ptr<Snapshot> newSnapshot(const Document &document, std::string text);
  Snapshot &snapshotOf(Document &document);

  // What a message says.
  std::string uriIn(const json::Object &params);
  Document &documentIn(const json::Object &params);
  uint32_t offsetIn(const json::Object &params, Document &document);
  std::pair<uint32_t, uint32_t> rangeIn(const json::Object &params, const Document &document);
  TextPositions positionsOf(const Document &document) const { return {document.text, encoding}; }
  json::Object location(const Snapshot &snapshot, SourceRange range) const;

  // Notifications.
  void nothing(const json::Object &) {}
  void didOpen(const json::Object &params);
  void didChange(const json::Object &params);
  void didClose(const json::Object &params);
  void didSave(const json::Object &params);
  void filesChanged(const json::Object &params);

  // Requests.
  json::Value initialize(const json::Object &params);
  json::Value shutdown(const json::Object &params);
  json::Value hover(const json::Object &params);
  json::Value definition(const json::Object &params);
  json::Value references(const json::Object &params);
  json::Value highlight(const json::Object &params);
  json::Value symbols(const json::Object &params);
  json::Value folds(const json::Object &params);
  json::Value formatting(const json::Object &params);
  json::Value completion(const json::Object &params);
  json::Value signature(const json::Object &params);
  json::Value hints(const json::Object &params);
  json::Value lenses(const json::Object &params);
  json::Value actions(const json::Object &params);
  json::Value isa(const json::Object &params);
  json::Value prepareRename(const json::Object &params);
  json::Value rename(const json::Object &params);
  json::Value allSymbols(const json::Object &params);
  json::Value tokens(const json::Object &params);
  json::Value text(const json::Object &params);

  const ServerSettings &settings;
  Connection &connection;
  WorkQueue queue;
  PositionEncoding encoding = PositionEncoding::Utf16;
  bool isInitialized = false, isShutDown = false;
  std::map<std::string, Document> documents; ///< by URI
  std::string active;                        ///< the document that was asked about or changed last

  // What is compiled now; at most one kernel.
  struct Compilation {
    std::string uri, kernel;
    int64_t version;
    size_t textHash;
    KernelCompilation process;
  };
  std::unique_ptr<Compilation> compilation;

  // Of the client.
  std::set<std::string> commands; ///< of ours that it has
  bool refreshesLenses = false;
};

const Server::Request Server::requests[] = {
    {"initialize", &Server::initialize},
    {"shutdown", &Server::shutdown},
    {"textDocument/hover", &Server::hover},
    {"textDocument/definition", &Server::definition},
    {"textDocument/references", &Server::references},
    {"textDocument/documentHighlight", &Server::highlight},
    {"textDocument/documentSymbol", &Server::symbols},
    {"textDocument/foldingRange", &Server::folds},
    {"textDocument/formatting", &Server::formatting},
    {"textDocument/completion", &Server::completion},
    {"textDocument/signatureHelp", &Server::signature},
    {"textDocument/inlayHint", &Server::hints},
    {"textDocument/codeLens", &Server::lenses},
    {"textDocument/codeAction", &Server::actions},
    {"textDocument/prepareRename", &Server::prepareRename},
    {"textDocument/rename", &Server::rename},
    {"textDocument/semanticTokens/full", &Server::tokens},
    {"workspace/symbol", &Server::allSymbols},
    {"fly/isa", &Server::isa},
    {"fly/text", &Server::text},
};

const Server::Notification Server::notifications[] = {
    {"initialized", &Server::nothing},
    {"textDocument/didOpen", &Server::didOpen},
    {"textDocument/didChange", &Server::didChange},
    {"textDocument/didClose", &Server::didClose},
    {"textDocument/didSave", &Server::didSave},
    {"workspace/didChangeWatchedFiles", &Server::filesChanged},
};

// ---------------------------------------------------------------------------------------------------------
// Messages

void Server::read() {
  while (auto message = connection.read()) {
    auto method = message->getString("method");
    if (!method)
      continue; // an answer to a request of ours: it says nothing
    json::Value *params = message->get("params");
    if (*method == "$/cancelRequest") {
      if (auto *object = params ? params->getAsObject() : nullptr)
        if (auto *id = object->get("id"))
          queue.cancel(*id);
      continue;
    }
    WorkQueue::Message next;
    next.method = method->str();
    if (params)
      next.params = std::move(*params);
    if (auto *id = message->get("id"))
      next.id = std::move(*id);
    next.isChange = next.method == "textDocument/didChange" && !next.id;
    if (next.method == "exit")
      break;
    queue.add(std::move(next));
    if (settings.isTest)
      queue.drain();
  }
  queue.close();
}

int Server::run() {
  bool isIdle = false;
  std::optional<milliseconds> pause; ///< until there is something to do even without a message
  while (true) {
    if (auto message = queue.take(/*wait=*/isIdle, pause)) {
      handle(*message);
      isIdle = false;
      while (settings.isTest && idleStep())
        ;
      while (settings.isTest && compileStep())
        if (compilation)
          compilation->process.wait();
      queue.done();
    } else if (queue.isClosed()) {
      return isShutDown ? 0 : 1;
    } else {
      isIdle = !idleStep();
      pause = compileStep();
    }
  }
}

void Server::handle(WorkQueue::Message &message) {
  static const json::Object none;
  const json::Object *object = message.params.getAsObject();
  const json::Object &params = object ? *object : none;
  if (!message.id) {
    for (const Notification &row : notifications)
      if (row.method == message.method && (isInitialized || row.method == "initialized"))
        try {
          (this->*row.notice)(params);
        } catch (Refusal &) { // a notification has no answer
        }
    return;
  }
  if (queue.wasCancelled(*message.id))
    return connection.fail(*message.id, ErrorCode::Cancelled, "cancelled");
  try {
    connection.reply(*message.id, answer(message.method, params));
  } catch (Refusal &refusal) {
    connection.fail(*message.id, refusal.code, refusal.message);
  }
}

json::Value Server::answer(const std::string &method, const json::Object &params) {
  if (isShutDown || (method == "initialize" && isInitialized))
    throw Refusal{ErrorCode::InvalidRequest, isShutDown ? "the server is shut down" : "the server is initialized"};
  if (!isInitialized && method != "initialize")
    throw Refusal{ErrorCode::NotInitialized, "the server is not initialized"};
  for (const Request &row : requests)
    if (row.method == method)
      return (this->*row.answer)(params);
  throw Refusal{ErrorCode::MethodNotFound, "there is no method `" + method + "`"};
}

std::string Server::uriIn(const json::Object &params) {
  auto *document = params.getObject("textDocument");
  auto uri = document ? document->getString("uri") : std::nullopt;
  if (!uri)
    throw Refusal{ErrorCode::InvalidParams, "`textDocument.uri` is missing"};
  return uri->str();
}

Document &Server::documentIn(const json::Object &params) {
  auto found = documents.find(uriIn(params));
  if (found == documents.end())
    throw Refusal{ErrorCode::InvalidParams, "the document is not open"};
  return found->second;
}

uint32_t Server::offsetIn(const json::Object &params, Document &document) {
  auto position = Position::read(params.getObject("position"));
  if (!position)
    throw Refusal{ErrorCode::InvalidParams, "`position` is missing"};
  active = document.uri;
  return document.cursor = uint32_t(positionsOf(document).offset(*position));
}

std::pair<uint32_t, uint32_t> Server::rangeIn(const json::Object &params, const Document &document) {
  auto *range = params.getObject("range");
  auto start = range ? Position::read(range->getObject("start")) : std::nullopt,
       end = range ? Position::read(range->getObject("end")) : std::nullopt;
  if (!start || !end)
    throw Refusal{ErrorCode::InvalidParams, "`range` is missing"};
  const TextPositions positions = positionsOf(document);
  return {uint32_t(positions.offset(*start)), uint32_t(positions.offset(*end))};
}

json::Object Server::location(const Snapshot &snapshot, SourceRange range) const {
  auto &sources = snapshot.session.sources;
  return json::Object{{"uri", uriOfPath(sources.name(range.file))},
                      {"range", TextPositions(sources.text(range.file), encoding).range(range.begin, range.end)}};
}

// ---------------------------------------------------------------------------------------------------------
// Versions

/// One name per file, as ModuleLoader has it.
std::string realPath(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : std::string(real);
}

std::unique_ptr<Snapshot> Server::newSnapshot(const Document &document, std::string text) {
  auto unsaved = [this](llvm::StringRef path) -> std::optional<std::string> {
    for (auto &[uri, other] : documents)
      if (realPath(other.path) == path)
        return other.text;
    return std::nullopt;
  };
  const SnapshotContext context{settings.options, settings.target, [this] { return queue.hasNewerText(); }, unsaved};
  return std::make_unique<Snapshot>(context, document.path, std::move(text));
}

/// An imported module has changed.
void Server::renew(Document &document) {
  document.snapshot.reset();
  document.state = Document::State::Stale;
  document.published.reset();
  if (compilation && compilation->uri == document.uri)
    compilation.reset();
}

/// Of a file that has changed: those that import it.
void Server::renewImporters(const Document &changed) {
  const std::string path = realPath(changed.path);
  for (auto &[uri, document] : documents)
    if (&document != &changed && document.snapshot && llvm::any_of(document.snapshot->modules(), [&](auto &module) {
          return module->imported && realPath(module->path) == path;
        }))
      renew(document);
}

/// Of the newest version.
Snapshot &Server::snapshotOf(Document &document) {
  if (!document.snapshot || document.snapshot->wasStopped()) {
    document.snapshot = newSnapshot(document, document.text);
    document.state = Document::State::Stale;
  }
  return *document.snapshot;
}

/// A part of the work that nobody has asked for; false if there is none.
bool Server::idleStep() {
  for (auto &[uri, document] : documents) {
    if (document.state == Document::State::Done)
      continue;
    Snapshot &snapshot = snapshotOf(document);
    const bool isFirst = document.state == Document::State::Stale;
    bool isLast = false;
    if (isFirst)
      snapshot.elaborateAt(document.cursor);
    else
      isLast = !snapshot.elaborateNext();
    if (snapshot.wasStopped())
      return true; // the newer text is in the queue
    document.state = isLast ? Document::State::Done : Document::State::Begun;
    // What is wrong at the cursor is told at once, and that it is mended. That nothing is wrong elsewhere is told when
    // each kernel has been looked at.
    const size_t found = snapshot.diagnostics().size();
    const bool isMended = isFirst && found == 0 && !document.wrongIn.empty() && !document.wrongIn.count("") &&
                          document.wrongIn == std::set{definitionAt(snapshot.tree(), document.cursor)} &&
                          snapshot.instancesAt(document.cursor).first != 0;
    if (isMended || found != document.published.value_or(0) ||
        (!document.published && (isLast || snapshot.hasFirstInstances())))
      publish(document);
    return true;
  }
  return false;
}

/// The kernel at the cursor first, then those near it; none if each was compiled from the texts that are there now.
std::optional<Snapshot::Kernel> Server::nextToCompile(Document &document) {
  Snapshot &snapshot = *document.snapshot;
  std::optional<Snapshot::Kernel> best;
  uint32_t nearest = 0;
  const size_t hash = snapshot.textHash();
  for (const Snapshot::Kernel &kernel : snapshot.kernels()) {
    auto known = document.machine.find(kernel.def->name);
    if (known != document.machine.end() && known->second.textHash == hash && known->second.symbol == kernel.symbol)
      continue;
    const SourceRange range = kernel.def->range;
    const uint32_t distance = document.cursor < range.begin ? range.begin - document.cursor
                              : document.cursor > range.end ? document.cursor - range.end
                                                            : 0;
    if (!best || distance < nearest) {
      best = kernel;
      nearest = distance;
    }
  }
  return best;
}

/// Begins to compile a kernel; false if there is none.
bool Server::compileNext(Document &document) {
  auto kernel = nextToCompile(document);
  if (!kernel)
    return false;
  CompileJob job{document.path, document.text, {}, kernel->symbol};
  for (auto &[uri, other] : documents)
    if (&other != &document)
      job.unsaved[realPath(other.path)] = other.text;
  compilation.reset(new Compilation{document.uri,
                                    kernel->def->name,
                                    document.version,
                                    document.snapshot->textHash(),
                                    {settings.options, *settings.target, job, settings.compileTimeout}});
  return true;
}

/// Of the compilation that has ended.
void Server::keepCompiled() {
  if (auto found = documents.find(compilation->uri); found != documents.end()) {
    MachineCode code = compilation->process.result();
    code.version = compilation->version;
    code.textHash = compilation->textHash;
    found->second.machine[compilation->kernel] = std::move(code);
    if (refreshesLenses)
      connection.ask("workspace/codeLens/refresh");
  }
  compilation.reset();
}

/// Looks at the compilation that is under way, and begins the next one. The time until it has to be called again; none
/// if there is nothing to compile.
std::optional<milliseconds> Server::compileStep() {
  if (compilation && !compilation->process.ended())
    return between;
  if (compilation)
    keepCompiled();
  if (settings.compileTimeout == 0)
    return std::nullopt;
  std::optional<milliseconds> soonest;
  auto look = [&](Document &document) {
    if (document.state == Document::State::Stale || !document.snapshot || document.snapshot->wasStopped() ||
        !document.snapshot->hasFirstInstances() || document.snapshot->hasErrors())
      return false;
    if (settings.isTest && !document.isSaved)
      return false;
    if (const auto rested = Clock::now() - document.changed; !document.isSaved && rested < rest) {
      const auto left = std::chrono::ceil<milliseconds>(rest - rested);
      soonest = std::min(soonest.value_or(left), left);
      return false;
    }
    return compileNext(document);
  };
  if (auto found = documents.find(active); found != documents.end() && look(found->second))
    return between;
  for (auto &[uri, document] : documents)
    if (uri != active && look(document))
      return between;
  return soonest;
}

void Server::publish(Document &document) {
  const Snapshot &snapshot = *document.snapshot;
  document.published = snapshot.diagnostics().size();
  document.wrongIn.clear();
  for (const Diagnostic &diagnostic : snapshot.diagnostics())
    document.wrongIn.insert(
        diagnostic.range.file == snapshot.file() ? definitionAt(snapshot.tree(), diagnostic.range.begin) : "");
  connection.notify("textDocument/publishDiagnostics", json::Object{{"uri", document.uri},
                                                                    {"version", document.version},
                                                                    {"diagnostics", problemsOf(snapshot, encoding)}});
}

void Server::didOpen(const json::Object &params) {
  auto *given = params.getObject("textDocument");
  Document document;
  document.uri = uriIn(params);
  document.path = pathOfUri(document.uri);
  document.text = given->getString("text").value_or("").str();
  document.version = given->getInteger("version").value_or(0);
  active = document.uri;
  Document &opened = documents[document.uri] = std::move(document);
  renewImporters(opened);
}

void Server::didChange(const json::Object &params) {
  Document &document = documentIn(params);
  auto *changes = params.getArray("contentChanges");
  if (!changes)
    throw Refusal{ErrorCode::InvalidParams, "`contentChanges` is missing"};
  renew(document);
  renewImporters(document);
  document.changed = Clock::now();
  document.isSaved = false;
  active = document.uri;
  document.version = params.getObject("textDocument")->getInteger("version").value_or(document.version + 1);
  for (const json::Value &change : *changes) {
    auto *object = change.getAsObject();
    if (!object || !applyChange(document.text, *object, encoding))
      continue;
    auto *range = object->getObject("range");
    if (auto start = range ? Position::read(range->getObject("start")) : std::nullopt)
      document.cursor = uint32_t(positionsOf(document).offset(*start));
  }
}

void Server::didClose(const json::Object &params) {
  const std::string uri = uriIn(params);
  auto found = documents.find(uri);
  if (found == documents.end())
    return;
  renewImporters(found->second);
  renew(found->second);
  documents.erase(found);
  connection.notify("textDocument/publishDiagnostics", json::Object{{"uri", uri}, {"diagnostics", json::Array{}}});
}

void Server::didSave(const json::Object &params) {
  Document &document = documentIn(params);
  document.isSaved = true;
  active = document.uri;
  filesChanged(params);
}

/// An imported module may have changed.
void Server::filesChanged(const json::Object &) {
  for (auto &[uri, document] : documents)
    renew(document);
}

// ---------------------------------------------------------------------------------------------------------
// Requests

json::Value Server::initialize(const json::Object &params) {
  isInitialized = true;
  auto *capabilities = params.getObject("capabilities");
  auto *general = capabilities ? capabilities->getObject("general") : nullptr;
  if (auto *offered = general ? general->getArray("positionEncodings") : nullptr)
    if (llvm::is_contained(*offered, json::Value("utf-8")))
      encoding = PositionEncoding::Utf8;
  auto *workspace = capabilities ? capabilities->getObject("workspace") : nullptr;
  auto *codeLens = workspace ? workspace->getObject("codeLens") : nullptr;
  refreshesLenses = codeLens && codeLens->getBoolean("refreshSupport").value_or(false);
  auto *given = params.getObject("initializationOptions");
  if (auto *has = given ? given->getArray("commands") : nullptr)
    for (const json::Value &command : *has)
      if (auto name = command.getAsString())
        commands.insert(name->str());
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
           {"semanticTokensProvider", json::Object{{"legend", tokenLegend()}, {"full", true}}},
           {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix", "source.fixAll"}}}},
       }}};
}

json::Value Server::shutdown(const json::Object &) {
  isShutDown = true;
  compilation.reset();
  documents.clear();
  return nullptr;
}

json::Value Server::hover(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  auto found = describeAt(snapshot, offset);
  if (!found)
    return nullptr;
  // Of a kernel's name, what the kernel is compiled to.
  Definitions definitions(snapshot);
  if (const Occurrence *here = definitions.names().at(offset))
    if (auto *def = llvm::dyn_cast_or_null<ast::DefStmt>(here->symbol->definition); def && here->symbol->isGlobal)
      if (auto code = document.machine.find(def->name); code != document.machine.end())
        found->markdown += "\n" + titleOf(code->second, snapshot.textHash()) + "\n\n" + code->second.details;
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
  return lensesOf(snapshotOf(document), positionsOf(document),
                  {document.uri, std::string(settings.target->name), commands, document.machine});
}

json::Value Server::actions(const json::Object &params) {
  Document &document = documentIn(params);
  auto [begin, end] = rangeIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  snapshot.elaborateAt(begin);
  return fixesAt(snapshot, encoding, begin, end);
}

/// The instructions of the line under the cursor, of each kernel of the document that was compiled.
json::Value Server::isa(const json::Object &params) {
  Document &document = documentIn(params);
  const int64_t line = int64_t(positionsOf(document).lineOf(offsetIn(params, document)));
  Snapshot &snapshot = snapshotOf(document);
  const size_t hash = snapshot.textHash();
  json::Array kernels;
  for (auto &[name, code] : document.machine) {
    json::Object made{{"kernel", name},
                      {"instance", code.symbol},
                      {"arch", code.arch},
                      {"version", code.version},
                      {"isCurrent", code.textHash == hash},
                      {"instructions", json::Array{}}};
    if (!code.problem.empty())
      made["problem"] = code.problem;
    if (auto found = code.lines.find(line + 1); found != code.lines.end())
      for (const MachineInstruction &each : found->second)
        made.getArray("instructions")->push_back(json::Object{{"address", each.address}, {"text", each.text}});
    kernels.push_back(std::move(made));
  }
  return json::Object{{"version", document.version}, {"line", line}, {"kernels", std::move(kernels)}};
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

} // namespace

int serve(const ServerSettings &settings, std::FILE *in, llvm::raw_ostream &out, std::string &problem) {
  Connection connection(in, out, settings.isTest);
  Server server(settings, connection);
  std::thread reader([&] { server.read(); });
  const int status = server.run();
  reader.join();
  problem = connection.problem;
  return problem.empty() ? status : 1;
}

} // namespace fly::editor
