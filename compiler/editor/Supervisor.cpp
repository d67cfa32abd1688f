// See Supervisor.h. Two threads read, one from the editor and one from the worker, and only queue events; everything
// else, with all state, is on one thread.
#include "compiler/editor/Supervisor.h"

#include "compiler/editor/Documents.h"
#include "compiler/editor/WorkerProcess.h"

#include "llvm/ADT/STLExtras.h"

#include <condition_variable>
#include <csignal>
#include <deque>

namespace fly::editor {

namespace json = llvm::json;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds look(100);                    ///< between looks at a worker that has work
constexpr milliseconds last(2000);                   ///< for the worker to end after the client
constexpr llvm::StringLiteral againId = "fly-again"; ///< of requests that a new worker gets again
constexpr unsigned mostFutileStarts = 5;             ///< one after the other, without having worked

struct Event {
  enum Kind { Client, ClientGone, Worker, WorkerGone } kind;
  unsigned generation = 0; ///< of the worker
  Connection::Text message = {};
};

class Events {
public:
  void add(Event event) {
    std::lock_guard lock(mutex);
    events.push_back(std::move(event));
    changed.notify_all();
  }
  /// The next one; none after `most`, if that is given.
  std::optional<Event> take(std::optional<milliseconds> most) {
    std::unique_lock lock(mutex);
    auto isThere = [&] { return !events.empty(); };
    if (most)
      changed.wait_for(lock, *most, isThere);
    else
      changed.wait(lock, isThere);
    if (events.empty())
      return std::nullopt;
    Event event = std::move(events.front());
    events.pop_front();
    return event;
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Event> events;
};

const json::Object &paramsOf(const json::Object &message) {
  static const json::Object none;
  auto *params = message.getObject("params");
  return params ? *params : none;
}

std::string uriOf(const json::Object &params) {
  auto *document = params.getObject("textDocument");
  return document ? document->getString("uri").value_or("").str() : "";
}

std::string written(json::Value message) {
  std::string text;
  llvm::raw_string_ostream(text) << message;
  return text;
}

class Supervisor {
public:
  Supervisor(const SupervisorSettings &settings, Connection &client, Events &events)
      : settings(settings), client(client), events(events) {}
  int run();
  std::string problem;

private:
  struct Document {
    std::string language, text;
    int64_t version = 0;
    unsigned crashes = 0;   ///< of workers, with this version
    bool isRefused = false; ///< the worker does not get this version
  };
  struct Request {
    json::Value id;
    std::string method;
  };

  void fromClient(const Connection::Text &message);
  void fromWorker(const Connection::Text &message);
  void notice(const std::string &method, const Connection::Text &message);
  bool isAnsweredHere(const json::Value &id, const std::string &uri);
  void keepChoice(const json::Object &params);
  void start();
  void give(const std::string &text, bool isCounted);
  void giveText(const std::string &uri, const Document &document);
  void watch();
  void workerGone();
  bool hasWork() const { return worker && (!requests.empty() || handled < given || isWorking); }
  int leave();

  const SupervisorSettings &settings;
  Connection &client;
  Events &events;

  // What the editor said.
  std::optional<Connection::Text> initialize;
  std::optional<std::string> initialized;
  PositionEncoding encoding = PositionEncoding::Utf16;
  bool isShutDown = false, wasTold = false;
  std::map<std::string, Document> documents; ///< by URI
  std::deque<Request> requests;              ///< that the worker has not answered
  std::map<std::string, std::vector<json::Object>>
      choices; ///< commands that choose what is shown, by what they are about

  // The worker.
  std::unique_ptr<WorkerProcess> worker;
  unsigned generation = 0, futileStarts = 0;
  uint64_t given = 0, handled = 0;     ///< messages of this worker
  bool isWorking = false;              ///< it said so
  bool answersInitialize = false;      ///< its first answer is to what the editor asked its predecessor
  std::string workedOn;                ///< URI
  Clock::time_point alive, watched;    ///< its last sign of life, and the last that `watch` has seen
  std::chrono::nanoseconds busyThen{}; ///< its time on processors at that
  std::string killedFor;               ///< why this process has ended it
  bool isCertain = false;              ///< that the text is to blame for that
};

void Supervisor::start() {
  ++generation;
  given = handled = 0;
  isWorking = answersInitialize = false;
  workedOn.clear();
  killedFor.clear();
  isCertain = false;
  alive = Clock::now();
  worker = std::make_unique<WorkerProcess>(settings.worker,
                                           [this, now = generation](std::optional<Connection::Text> message) {
                                             if (message)
                                               events.add({Event::Worker, now, std::move(*message)});
                                             else
                                               events.add({Event::WorkerGone, now, {}});
                                           });
  if (!initialize)
    return;
  give(initialize->text, true);
  answersInitialize = llvm::none_of(requests, [](const Request &request) { return request.method == "initialize"; });
  if (initialized)
    give(*initialized, true);
  for (auto &[uri, document] : documents)
    if (!document.isRefused)
      giveText(uri, document);
  for (auto &[key, all] : choices)
    for (auto &params : all)
      give(written(json::Object{{"jsonrpc", "2.0"},
                                {"id", againId},
                                {"method", "workspace/executeCommand"},
                                {"params", json::Object(params)}}),
           true);
}

/// A command that chooses the instance of a kernel or the architecture is said again to each worker. One without a name
/// chooses the next, so that those before it count, too.
void Supervisor::keepChoice(const json::Object &params) {
  const auto command = params.getString("command");
  auto *arguments = params.getArray("arguments");
  const size_t subjects = command == "fly.chooseInstance" ? 2 : command == "fly.chooseArch" ? 1 : 0;
  if (!arguments || subjects == 0)
    return;
  std::string key = command->str();
  for (size_t i = 0; i < std::min(subjects, arguments->size()); ++i)
    key += " " + (*arguments)[i].getAsString().value_or("").str();
  std::vector<json::Object> &all = choices[key];
  if (arguments->size() > subjects && (*arguments)[subjects].getAsString())
    all.clear();
  all.push_back(params);
}

void Supervisor::give(const std::string &text, bool isCounted) {
  if (!worker)
    return;
  if (!hasWork())
    alive = Clock::now();
  given += isCounted;
  // It reads at once whatever it does; if not, `watch` and `workerGone` see why.
  const auto patience = std::chrono::seconds(settings.answerTimeout ? settings.answerTimeout : 3600);
  if (!worker->send(text, patience))
    worker->closeInput();
}

void Supervisor::giveText(const std::string &uri, const Document &document) {
  json::Object text{
      {"uri", uri}, {"languageId", document.language}, {"version", document.version}, {"text", document.text}};
  give(written(json::Object{{"jsonrpc", "2.0"},
                            {"method", "textDocument/didOpen"},
                            {"params", json::Object{{"textDocument", std::move(text)}}}}),
       true);
}

// ---------------------------------------------------------------------------------------------------------
// Messages of the editor

void Supervisor::fromClient(const Connection::Text &message) {
  const json::Object &object = message.message;
  const auto named = object.getString("method");
  if (!named)
    return give(message.text, false); // an answer
  const std::string method = named->str();
  if (method == "$/cancelRequest")
    return give(message.text, false);
  if (const json::Value *id = object.get("id")) {
    if (!worker)
      return client.fail(*id, ErrorCode::InvalidRequest, "the server is shut down");
    if (isAnsweredHere(*id, uriOf(paramsOf(object))))
      return;
    if (method == "workspace/executeCommand")
      keepChoice(paramsOf(object));
    if (!hasWork())
      alive = Clock::now(); // it had nothing to say
    requests.push_back({*id, method});
    if (method == "initialize" && !initialize) {
      initialize = message;
      encoding = encodingIn(paramsOf(object));
    }
    return give(message.text, true);
  }
  notice(method, message);
}

/// A version that no worker gets has no answers.
bool Supervisor::isAnsweredHere(const json::Value &id, const std::string &uri) {
  auto found = documents.find(uri);
  if (found == documents.end() || !found->second.isRefused)
    return false;
  client.fail(id, ErrorCode::Failed, "flyc failed on this version of the document");
  return true;
}

/// Keeps what a notification says, and hands it on.
void Supervisor::notice(const std::string &method, const Connection::Text &message) {
  const json::Object &params = paramsOf(message.message);
  const std::string uri = uriOf(params);
  if (!initialize)
    return give(message.text, true);
  if (method == "initialized")
    initialized = message.text;
  auto found = documents.find(uri);
  if (method == "textDocument/didOpen") {
    const json::Object *given = params.getObject("textDocument");
    if (given && given->getString("uri"))
      documents[uri] = {given->getString("languageId").value_or("fly").str(),
                        given->getString("text").value_or("").str(), given->getInteger("version").value_or(0)};
  } else if (method == "textDocument/didChange" && found != documents.end()) {
    Document &document = found->second;
    auto *changes = params.getArray("contentChanges");
    if (changes) {
      document.version = params.getObject("textDocument")->getInteger("version").value_or(document.version + 1);
      for (const json::Value &change : *changes)
        if (auto *object = change.getAsObject())
          (void)applyChange(document.text, *object, encoding);
      document.crashes = 0;
      if (std::exchange(document.isRefused, false))
        return giveText(uri, document);
    }
  } else if (method == "textDocument/didClose" && found != documents.end()) {
    const bool isHere = found->second.isRefused;
    documents.erase(found);
    if (isHere)
      return client.notify("textDocument/publishDiagnostics",
                           json::Object{{"uri", uri}, {"diagnostics", json::Array{}}});
  } else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") {
    // What is imported may have changed.
    for (auto &[name, document] : documents)
      if (std::exchange(document.isRefused, false)) {
        document.crashes = 0;
        giveText(name, document);
      }
  }
  give(message.text, true);
}

// ---------------------------------------------------------------------------------------------------------
// Messages of the worker

void Supervisor::fromWorker(const Connection::Text &message) {
  const json::Object &object = message.message;
  alive = Clock::now();
  const auto method = object.getString("method");
  if (method == worksNotice) {
    isWorking = true;
    workedOn = paramsOf(object).getString("uri").value_or("").str();
    return;
  }
  if (method == restsNotice) {
    handled = uint64_t(paramsOf(object).getInteger("handled").value_or(0));
    if (handled == given) {
      isWorking = false;
      workedOn.clear();
      futileStarts = 0;
      for (auto &[uri, document] : documents) // nothing is wrong with them
        if (!document.isRefused)
          document.crashes = 0;
    }
    return;
  }
  if (method == "client/registerCapability" && generation != 1)
    return; // it is registered
  if (const json::Value *id = object.get("id"); id && !method) {
    if (std::exchange(answersInitialize, false) || *id == json::Value(againId))
      return;
    auto found = llvm::find_if(requests, [&](const Request &request) { return request.id == *id; });
    if (found != requests.end()) {
      isShutDown |= found->method == "shutdown" && object.get("result");
      requests.erase(found);
    }
  }
  client.relay(message.text);
}

/// Of a worker that has work: whether it lives, and how large it is.
void Supervisor::watch() {
  if (!hasWork() || !killedFor.empty())
    return;
  const std::chrono::seconds most(settings.answerTimeout);
  const auto busy = worker->busy();
  if (std::exchange(watched, alive) != alive)
    busyThen = busy;
  if (settings.memoryLimit && worker->memory() > settings.memoryLimit) {
    killedFor = "it needed more than " + std::to_string(settings.memoryLimit) + " MiB (`--memory-limit`)";
    isCertain = true;
  } else if (settings.answerTimeout && Clock::now() - alive > most) {
    killedFor = "it took longer than " + std::to_string(settings.answerTimeout) + " seconds (`--answer-timeout`)";
    isCertain = busy - busyThen > most / 2; // not on a machine that has no time for it
  } else
    return;
  worker->kill(); // and its reader says that it is gone
}

void Supervisor::workerGone() {
  const std::string ending = worker->ending();
  const std::string reason = killedFor.empty() ? ending : killedFor;
  worker.reset();
  if (!isShutDown) {
    if (auto found = documents.find(workedOn); found != documents.end()) {
      Document &document = found->second;
      document.isRefused = ++document.crashes == 2 || isCertain;
      if (document.isRefused) {
        json::Object start{{"line", 0}, {"character", 0}}, stop{{"line", 1}, {"character", 0}};
        json::Object diagnostic{
            {"severity", 1},
            {"source", "flyc"},
            {"message", "flyc itself failed on this text: " + reason + "; the next change is tried again"},
            {"range", json::Object{{"start", std::move(start)}, {"end", std::move(stop)}}}};
        client.notify("textDocument/publishDiagnostics",
                      json::Object{{"uri", found->first},
                                   {"version", document.version},
                                   {"diagnostics", json::Array{std::move(diagnostic)}}});
      }
    } else if (++futileStarts > mostFutileStarts) {
      problem = "its worker ends whenever it is started: " + reason;
    }
    const std::string words = "flyc lsp: the process that reads the files was started again: " + reason;
    // The first time in sight of the author, then in the log.
    client.notify(std::exchange(wasTold, true) ? "window/logMessage" : "window/showMessage",
                  json::Object{{"type", 2}, {"message", words}});
  }
  // The next worker is asked again what it needs to begin.
  std::deque<Request> left;
  for (Request &request : requests)
    if (request.method == "initialize" && problem.empty() && !isShutDown)
      left.push_back(std::move(request));
    else
      client.fail(request.id, ErrorCode::InternalError, "the process that answers has ended: " + reason);
  requests = std::move(left);
  if (!isShutDown && problem.empty())
    start();
}

// ---------------------------------------------------------------------------------------------------------
// All

int Supervisor::run() {
  start();
  while (problem.empty()) {
    auto event = events.take(hasWork() ? std::optional(look) : std::nullopt);
    watch();
    if (!event)
      continue;
    switch (event->kind) {
    case Event::Client: fromClient(event->message); break;
    case Event::ClientGone: return leave();
    case Event::Worker:
      if (worker && event->generation == generation)
        fromWorker(event->message);
      break;
    case Event::WorkerGone:
      if (worker && event->generation == generation)
        workerGone();
      break;
    }
  }
  return 1;
}

/// What was asked before the end is answered.
int Supervisor::leave() {
  if (worker)
    worker->closeInput();
  const auto deadline = Clock::now() + last;
  while (worker && Clock::now() < deadline) {
    auto event = events.take(look);
    if (!event || event->generation != generation)
      continue;
    if (event->kind == Event::WorkerGone)
      break;
    if (event->kind == Event::Worker)
      fromWorker(event->message);
  }
  worker.reset();
  return isShutDown ? 0 : 1;
}

} // namespace

int supervise(const SupervisorSettings &settings, std::FILE *in, llvm::raw_ostream &out, std::string &problem) {
  std::signal(SIGPIPE, SIG_IGN); // a worker or an editor that is gone is found by what reads from it
  Connection client(in, out, /*isTest=*/false);
  Events events;
  Supervisor supervisor(settings, client, events);
  std::thread reader([&] {
    while (auto message = client.readText()) {
      const bool isLast = message->message.getString("method") == "exit";
      if (isLast)
        break;
      events.add({Event::Client, 0, std::move(*message)});
    }
    events.add({Event::ClientGone, 0, {}});
  });
  const int status = supervisor.run();
  if (!supervisor.problem.empty()) {
    problem = supervisor.problem;
    reader.detach(); // it may wait for the editor for ever; the process ends now
    return 1;
  }
  reader.join();
  problem = client.problem;
  return problem.empty() ? status : 1;
}

} // namespace fly::editor
