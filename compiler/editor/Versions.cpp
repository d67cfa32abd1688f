// Versions of documents: what is elaborated and compiled between requests, and the notifications that change them.
#include "compiler/editor/Instructions.h"
#include "compiler/editor/Problems.h"
#include "compiler/editor/ServerParts.h"
#include "compiler/sema/module/EmbeddedLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

constexpr milliseconds rest(500);   ///< without a change, after which kernels are compiled
constexpr milliseconds between(20); ///< looks at a compilation
constexpr llvm::StringLiteral warmUpModule = "<stdlib>/fly/reduce.fly";

/// The definition of the module that holds the offset; "" if none does.
static std::string definitionAt(const ast::Module &module, uint32_t offset) {
  for (auto *statement : module.body)
    if (statement->range.begin <= offset && offset <= statement->range.end)
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement))
        return def->name;
  return "";
}

std::unique_ptr<Snapshot> Server::newSnapshot(const Document &document, std::string text) {
  SnapshotContext context{document.options, document.target};
  context.stop = [this, uri = document.uri] {
    if (auto found = documents.find(uri); found != documents.end())
      publishEarly(found->second);
    return queue.isUseless();
  };
  context.unsaved = [this](llvm::StringRef path) -> std::optional<std::string> {
    for (auto &[uri, other] : documents)
      if (realPath(other.path) == path)
        return other.text;
    return std::nullopt;
  };
  context.chosen = document.chosen;
  context.parsed = &parsed;
  context.waits = [this, uri = document.uri] { works(uri); };
  return std::make_unique<Snapshot>(context, document.path, std::move(text));
}

/// To end a snapshot takes some milliseconds, for which nobody shall wait.
void Server::retire(Document &document) {
  if (document.snapshot)
    outdated = std::move(document.snapshot);
}

/// An imported module has changed.
void Server::renew(Document &document) {
  retire(document);
  document.state = Document::State::Stale;
  document.toldBefore = document.published.value_or(document.toldBefore);
  document.published.reset();
  if (compilation && compilation->uri == document.uri)
    compilation.reset();
}

/// What is known of a document begins anew, without an edit of it: its values, and what the client shows of them.
void Server::changedUnasked(Document &document) {
  renew(document);
  document.needsRefresh = true;
}

/// Tells the client to ask for these anew, if it can.
void Server::refresh(std::initializer_list<llvm::StringRef> what) {
  for (llvm::StringRef each : what)
    if (refreshes.count(each.str()))
      connection.ask(("workspace/" + each + "/refresh").str());
}

/// The architecture whose values are shown, and those whose machine code is, too.
std::vector<const target::Target *> Server::targetsOf(const Document &document) const {
  std::vector<const target::Target *> result{document.target};
  for (auto *target : moreArchs)
    if (!llvm::is_contained(result, target))
      result.push_back(target);
  return result;
}

LensContext Server::lensContext(const Document &document) const {
  LensContext context{document.uri,       {}, commands, document.machine, document.checks, document.benches,
                      benchesOf(document)};
  for (auto *target : targetsOf(document))
    context.archs.push_back(std::string(target->name));
  return context;
}

/// Of a file that has changed: those that import it.
void Server::renewImporters(const Document &changed) {
  const std::string path = realPath(changed.path);
  for (auto &[uri, document] : documents)
    if (&document != &changed && document.snapshot && llvm::any_of(document.snapshot->modules(), [&](auto &module) {
          return module->imported && realPath(module->path) == path;
        }))
      changedUnasked(document);
}

/// For tests: what a mistake in the elaborator could do.
static void makeFault(llvm::StringRef text) {
  if (text.contains("# fault: crash"))
    std::abort();
  std::vector<std::string> taken;
  while (text.contains("# fault: memory"))
    taken.emplace_back(size_t(1) << 20, 'x');
  for (volatile unsigned turns = 0; text.contains("# fault: hang");)
    turns = turns + 1;
}

/// Of the newest version.
Snapshot &Server::snapshotOf(Document &document) {
  if (!document.snapshot || document.snapshot->wasStopped()) {
    if (settings.hasFaults)
      makeFault(document.text);
    retire(document);
    document.snapshot = newSnapshot(document, document.text);
    document.state = Document::State::Stale;
  }
  return *document.snapshot;
}

/// What takes longer the first time, before there is a document: the tables of the parser, the dialects, the library.
void Server::warmUp() {
  works("");
  if (auto text = sema::embeddedText(warmUpModule)) {
    Document document;
    document.path = warmUpModule.str();
    document.target = settings.target;
    document.options = settings.options;
    newSnapshot(document, text->str())->runModule();
  }
}

/// A part of the work that nobody has asked for; false if there is none.
bool Server::idleStep() {
  if (settings.isWorker && !std::exchange(isWarm, true) && documents.empty()) {
    warmUp();
    return true;
  }
  for (auto &[uri, document] : documents) {
    if (document.state == Document::State::Done)
      continue;
    works(uri);
    const bool isNew = !document.snapshot || document.snapshot->wasStopped();
    Snapshot &snapshot = snapshotOf(document);
    const bool isFirst = document.state == Document::State::Stale;
    bool isLast = false;
    // With an error of syntax nothing else is told, so nothing has to run first.
    if (isFirst && snapshot.tree().hasErrors && !document.published)
      publish(document);
    // What was asked while the text was read is answered before it is elaborated.
    if (isNew)
      return true;
    if (isFirst)
      snapshot.elaborateAt(document.cursor);
    else
      isLast = !snapshot.elaborateNext();
    if (snapshot.wasStopped())
      return true; // the newer text is in the queue
    document.state = isLast ? Document::State::Done : Document::State::Begun;
    if (isLast && !settings.isTest && llvm::StringRef(document.text).contains("fly.amd"))
      beginInstructions(*document.target);
    // What is wrong at the cursor is told at once, and that it is mended. That nothing is wrong elsewhere is told when
    // each kernel has been looked at.
    const size_t found = snapshot.diagnostics().size();
    const bool isMended = !document.published && snapshot.isFinished() && found == 0 && !document.wrongIn.empty() &&
                          !document.wrongIn.count("") &&
                          document.wrongIn == std::set{definitionAt(snapshot.tree(), document.cursor)} &&
                          snapshot.instancesAt(document.cursor).def;
    if (isMended || found != document.published.value_or(0) ||
        (!document.published && (isLast || snapshot.hasFirstInstances())))
      publish(document);
    if (document.needsRefresh && (isLast || snapshot.hasFirstInstances())) {
      document.needsRefresh = false;
      refresh({"codeLens", "inlayHint", "semanticTokens"});
    }
    return true;
  }
  outdated.reset();
  return false;
}

/// The kernel at the cursor first, then those near it, for the chosen architecture; then the same for the others. None
/// if each was compiled from the texts that are there now.
std::optional<Server::ToCompile> Server::nextToCompile(Document &document) {
  Snapshot &snapshot = *document.snapshot;
  const size_t hash = snapshot.textHash();
  const std::vector<Snapshot::Kernel> kernels = snapshot.kernels();
  for (auto *target : targetsOf(document)) {
    std::optional<Snapshot::Kernel> best;
    uint32_t nearest = 0;
    for (const Snapshot::Kernel &kernel : kernels) {
      auto known = document.machine.find({kernel.def->name, std::string(target->name)});
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
    if (best)
      return ToCompile{*best, target};
  }
  return std::nullopt;
}

/// Begins to compile a kernel; false if there is none.
bool Server::compileNext(Document &document) {
  auto next = nextToCompile(document);
  if (!next)
    return false;
  const std::string kernel = next->kernel.def->name;
  CompileJob job{document.path, document.text, {}, kernel, next->kernel.symbol, encoding};
  for (auto &[uri, other] : documents)
    if (&other != &document)
      job.unsaved[realPath(other.path)] = other.text;
  compilation.reset(new Compilation{document.uri,
                                    kernel,
                                    std::string(next->target->name),
                                    document.version,
                                    document.snapshot->textHash(),
                                    {document.options, *next->target, job, settings.compileTimeout}});
  return true;
}

/// Of the compilation that has ended.
void Server::keepCompiled() {
  if (auto found = documents.find(compilation->uri); found != documents.end()) {
    MachineCode code = compilation->process.result();
    code.version = compilation->version;
    code.textHash = compilation->textHash;
    Document &document = found->second;
    MachineCode &kept = document.machine[{compilation->kernel, compilation->arch}];
    const bool tells = !kept.warnings.empty() || !code.warnings.empty();
    kept = std::move(code);
    if (tells && document.snapshot && document.published && !document.snapshot->wasStopped())
      publish(document);
    refresh({"codeLens"});
    if (commands.count("fly.showIsa"))
      connection.notify("fly/isaChanged", json::Object{{"uri", compilation->uri}});
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

/// What is found first, while its kernel is still elaborated; not if less is told than before, since what is found
/// later would vanish for a moment.
void Server::publishEarly(Document &document) {
  if (document.published || !document.snapshot || queue.hasNewerText())
    return;
  const size_t found = document.snapshot->diagnostics().size();
  if (found != 0 && found >= document.toldBefore)
    publish(document);
}

void Server::publish(Document &document) {
  const Snapshot &snapshot = *document.snapshot;
  document.published = snapshot.diagnostics().size();
  document.wrongIn.clear();
  for (const Diagnostic &diagnostic : snapshot.diagnostics())
    document.wrongIn.insert(
        diagnostic.range.file == snapshot.file() ? definitionAt(snapshot.tree(), diagnostic.range.begin) : "");
  json::Array problems = problemsOf(snapshot, encoding);
  const bool canRun = !snapshot.tree().hasErrors; // else no check has run of this text, and no machine code is of it
  for (auto &[name, result] : document.checks)
    if (canRun && !result.failures.empty() && result.textHash == document.snapshot->textHash())
      addFailures(problems, snapshot, name, result, encoding);
  // What is seen in the machine code, which elaboration alone does not tell.
  for (auto &[key, code] : document.machine)
    if (canRun && key.second == document.target->name && !code.warnings.empty() &&
        code.textHash == document.snapshot->textHash())
      for (const json::Value &warning : code.warnings)
        if (!llvm::is_contained(problems, warning))
          problems.push_back(warning);
  connection.notify(
      "textDocument/publishDiagnostics",
      json::Object{{"uri", document.uri}, {"version", document.version}, {"diagnostics", std::move(problems)}});
}

/// How the project builds the file, as its lists say now; whether that has changed. The architecture is the server's if
/// it is among those of the file, unless another one was chosen.
bool Server::readListedOptions(Document &document) {
  auto listed = listedOptions(document.path);
  if (document.target && listed == document.listed)
    return false;
  document.listed = std::move(listed);
  document.options = document.listed ? joined(settings.options, *document.listed) : settings.options;
  if (document.isTargetChosen)
    return true;
  document.target = settings.target;
  if (document.listed && !document.listed->archs.empty() &&
      !llvm::is_contained(document.listed->archs, std::string(document.target->name)))
    if (auto *first = target::find(document.listed->archs.front()))
      document.target = first;
  return true;
}

void Server::didOpen(const json::Object &params) {
  auto *given = params.getObject("textDocument");
  Document document;
  document.uri = uriIn(params);
  document.path = pathOfUri(document.uri);
  document.text = given->getString("text").value_or("").str();
  document.version = given->getInteger("version").value_or(0);
  readListedOptions(document);
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
  if (watchesFiles)
    return;
  // Nobody tells of other files: each may have changed.
  for (auto &[uri, other] : documents) {
    readListedOptions(other);
    changedUnasked(other);
  }
}

/// Of documents that import a file that has changed and is not open, and of those whose options have. What has errors
/// may lack a file that is there now.
void Server::filesChanged(const json::Object &params) {
  std::set<std::string> changed;
  bool hasLists = false;
  if (auto *changes = params.getArray("changes"))
    for (const json::Value &change : *changes) {
      auto uri = change.getAsObject() ? change.getAsObject()->getString("uri") : std::nullopt;
      const std::string path = uri ? pathOfUri(*uri) : "";
      hasLists |= llvm::StringRef(path).ends_with(optionListName);
      changed.insert(realPath(path));
    }
  for (auto &[uri, document] : documents)
    changed.erase(realPath(document.path));
  for (auto &[uri, document] : documents) {
    const bool hasOthers = hasLists && readListedOptions(document);
    auto isIt = [&](auto &module) { return changed.count(realPath(module->path)) != 0; };
    const bool isOld = document.snapshot && (llvm::any_of(document.snapshot->modules(), isIt) ||
                                             (!changed.empty() && document.snapshot->hasErrors()));
    if (hasOthers || isOld)
      changedUnasked(document);
  }
}

} // namespace fly::editor
