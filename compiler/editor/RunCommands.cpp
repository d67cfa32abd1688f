// The commands that run checks and benches: one process at a time, its progress, and where its results are shown.
#include "compiler/editor/Problems.h"
#include "compiler/editor/ServerParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::editor {

constexpr milliseconds between(20); ///< looks at a run

/// Arguments: URI, name of the check or bench.
void Server::begin(Document &document, const json::Object &params, bool isBench) {
  auto *arguments = params.getArray("arguments");
  auto name = arguments && arguments->size() > 1 ? (*arguments)[1].getAsString() : std::nullopt;
  if (!name)
    throw Refusal{ErrorCode::InvalidParams, "the second argument is the name of a check or bench"};
  auto onDisk = llvm::MemoryBuffer::getFile(document.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!onDisk || (*onDisk)->getBuffer() != document.text)
    throw Refusal{ErrorCode::Failed, "the document is not saved, and `flyc " + std::string(isBench ? "bench" : "test") +
                                         "` reads the file"};
  RunJob job{isBench, document.uri, document.path, name->str(), snapshotOf(document).textHash()};
  if (auto *given = params.get("workDoneToken")) {
    job.token = *given;
  } else if (showsProgress) {
    job.token = "fly-run-" + std::to_string(++runsBegun);
    connection.ask("window/workDoneProgress/create", json::Object{{"token", job.token}});
  }
  waiting.push_back(std::move(job));
}

void Server::runCheck(Document &document, const json::Object &params) { begin(document, params, /*isBench=*/false); }

void Server::runBench(Document &document, const json::Object &params) { begin(document, params, /*isBench=*/true); }

void Server::progress(const json::Value &token, json::Object value) {
  if (token != json::Value(nullptr))
    connection.notify("$/progress", json::Object{{"token", token}, {"value", std::move(value)}});
}

/// Looks at the run that is under way, and begins the next one. The time until it has to be called again.
std::optional<milliseconds> Server::runStep() {
  if (running && running->ended()) {
    keepResult(*running);
    running.reset();
  }
  while (!running && !waiting.empty()) {
    RunJob job = std::move(waiting.front());
    waiting.pop_front();
    auto found = documents.find(job.uri);
    if (found == documents.end()) {
      progress(job.token, json::Object{{"kind", "end"}});
      continue;
    }
    progress(job.token, json::Object{{"kind", "begin"},
                                     {"title", (job.isBench ? "flyc bench: " : "flyc test: ") + job.name},
                                     {"cancellable", true}});
    running =
        std::make_unique<ToolRun>(found->second.options, *found->second.target, std::move(job), settings.runTimeout);
  }
  return running ? std::optional(between) : std::nullopt;
}

/// Of the run that has ended.
void Server::keepResult(ToolRun &run) {
  auto found = documents.find(run.job.uri);
  std::string said;
  if (run.job.isBench) {
    BenchResult result = run.bench();
    said = result.title();
    if (found != documents.end())
      found->second.benches[run.job.name] = std::move(result);
  } else {
    CheckResult result = run.check();
    said = result.title();
    if (found != documents.end() && told.count("fly/checked"))
      connection.notify("fly/checked", json::Object{{"uri", run.job.uri},
                                                    {"check", run.job.name},
                                                    {"arch", result.arch},
                                                    {"passed", result.passed},
                                                    {"failed", result.failed},
                                                    {"milliseconds", result.milliseconds},
                                                    {"problem", result.problem}});
    if (found != documents.end())
      found->second.checks[run.job.name] = std::move(result);
  }
  progress(run.job.token, json::Object{{"kind", "end"}, {"message", said}});
  if (found == documents.end())
    return;
  refresh({"codeLens"});
  if (Document &document = found->second; document.snapshot && document.published && !document.snapshot->wasStopped())
    publish(document);
}

/// What a client that runs a check itself tells of it.
void Server::checked(const json::Object &params) {
  auto found = documents.find(params.getString("uri").value_or("").str());
  auto name = params.getString("check");
  if (found == documents.end() || !name)
    return;
  CheckResult result;
  result.arch = params.getString("arch").value_or(found->second.target->name).str();
  result.passed = unsigned(std::max<int64_t>(0, params.getInteger("passed").value_or(0)));
  result.failed = unsigned(std::max<int64_t>(0, params.getInteger("failed").value_or(0)));
  result.milliseconds = params.getNumber("milliseconds").value_or(0);
  result.problem = params.getString("problem").value_or("").str();
  result.textHash = snapshotOf(found->second).textHash();
  found->second.checks[name->str()] = std::move(result);
  refresh({"codeLens"});
}

void Server::cancelProgress(const json::Object &params) {
  const json::Value *token = params.get("token");
  if (!token)
    return;
  if (running && running->job.token == *token) {
    progress(running->job.token, json::Object{{"kind", "end"}, {"message", "cancelled"}});
    running.reset();
  }
  for (auto job = waiting.begin(); job != waiting.end();)
    if (job->token == *token) {
      progress(job->token, json::Object{{"kind", "end"}, {"message", "cancelled"}});
      job = waiting.erase(job);
    } else {
      ++job;
    }
}

/// The benches that launch a kernel of the document: those of this file, and of open ones that import it.
std::vector<const BenchResult *> Server::benchesOf(const Document &document) const {
  std::vector<const BenchResult *> result;
  const std::string path = realPath(document.path);
  for (auto &[uri, other] : documents) {
    auto isIt = [&](auto &module) { return realPath(module->path) == path; };
    if (&other != &document && (!other.snapshot || llvm::none_of(other.snapshot->modules(), isIt)))
      continue;
    for (auto &[name, bench] : other.benches)
      result.push_back(&bench);
  }
  return result;
}

/// Modelled times of the document's benches: of the kernel at the position, else of all.
json::Value Server::time(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  const Snapshot::InstanceList list = snapshot.instancesAt(offset);
  const size_t hash = snapshot.textHash();
  json::Array benches;
  for (auto &[name, bench] : document.benches) {
    json::Array launches;
    for (const BenchResult::Launch &each : bench.launches)
      if (!list.def || each.kernel == list.def->name)
        launches.push_back(json::Object{{"kernel", each.kernel},
                                        {"instance", each.instance},
                                        {"parameters", each.parameters},
                                        {"machine", each.machine},
                                        {"cycles", each.cycles},
                                        {"megahertz", each.megahertz},
                                        {"microseconds", each.microseconds}});
    if (launches.empty() && list.def)
      continue;
    benches.push_back(json::Object{{"bench", name},
                                   {"arch", bench.arch},
                                   {"isCurrent", bench.textHash == hash},
                                   {"problem", bench.problem},
                                   {"launches", std::move(launches)}});
  }
  return json::Object{{"benches", std::move(benches)}};
}

} // namespace fly::editor
