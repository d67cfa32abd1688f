// See Server.h. Messages: reading, queueing, and who answers.
#include "compiler/editor/ServerParts.h"
#include "compiler/editor/Supervisor.h"

#include <thread>

namespace fly::editor {

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
    {"workspace/executeCommand", &Server::executeCommand},
    {"fly/instances", &Server::instances},
    {"fly/time", &Server::time},
    {"fly/isa", &Server::isa},
    {"fly/layout", &Server::layout},
    {"fly/text", &Server::text},
};

const Server::Notification Server::notifications[] = {
    {"initialized", &Server::initialized},
    {"textDocument/didOpen", &Server::didOpen},
    {"textDocument/didChange", &Server::didChange},
    {"textDocument/didClose", &Server::didClose},
    {"textDocument/didSave", &Server::didSave},
    {"workspace/didChangeWatchedFiles", &Server::filesChanged},
    {"window/workDoneProgress/cancel", &Server::cancelProgress},
    {"fly/checked", &Server::checked},
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
      while (settings.isTest && runStep())
        running->wait();
      queue.done();
    } else if (queue.isClosed()) {
      return isShutDown ? 0 : 1;
    } else {
      isIdle = !idleStep();
      pause = compileStep();
      if (auto other = runStep())
        pause = std::min(pause.value_or(*other), *other);
      if (isIdle)
        rests();
    }
  }
}

/// To the supervisor, before each step on a document. An empty name: on none.
void Server::works(const std::string &uri) {
  isResting = false;
  if (settings.isWorker)
    connection.notify(worksNotice, json::Object{{"uri", uri}});
}

void Server::rests() {
  if (settings.isWorker && (!std::exchange(isResting, true) || toldHandled != handled))
    connection.notify(restsNotice, json::Object{{"handled", int64_t(toldHandled = handled)}});
}

void Server::handle(WorkQueue::Message &message) {
  ++handled;
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
    auto *document = params.getObject("textDocument");
    const std::string uri = document ? document->getString("uri").value_or("").str() : "";
    works(uri);
    json::Value result = answer(message.method, params);
    if (queue.wasCancelled(*message.id))
      return connection.fail(*message.id, ErrorCode::Cancelled, "cancelled");
    auto asked = documents.find(uri);
    if (queue.hasNewerText() && asked != documents.end() && asked->second.snapshot &&
        asked->second.snapshot->wasStopped())
      return connection.fail(*message.id, ErrorCode::ContentModified, "there is a newer text");
    connection.reply(*message.id, std::move(result));
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
