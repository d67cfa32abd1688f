// The language server itself, for the files that implement it: Server.cpp has the messages, Versions.cpp the work on
// versions of documents, Requests.cpp the answers.
#pragma once

#include "compiler/editor/Documents.h"
#include "compiler/editor/FileOptions.h"
#include "compiler/editor/Lenses.h"
#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Runs.h"
#include "compiler/editor/Server.h"
#include "compiler/editor/Snapshot.h"
#include "compiler/editor/WorkQueue.h"

namespace fly::editor {

namespace json = llvm::json;

/// Thrown by what answers a request.
struct Refusal {
  ErrorCode code;
  std::string message;
};

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Document {
  std::string uri, path, text;
  int64_t version = 0;
  uint32_t cursor = 0; ///< where the author was last, as far as it is known
  std::unique_ptr<Snapshot> snapshot;
  enum class State { Stale, Begun, Done } state = State::Stale;
  std::set<std::string> wrongIn;   ///< definitions with what was told last; "": something outside of them
  std::optional<size_t> published; ///< how many diagnostics of this version were told; none: nothing yet
  size_t toldBefore = 0;           ///< how many of the version before it
  Clock::time_point changed = Clock::now();
  bool isSaved = false;                      ///< as it is now: there is nothing to wait for
  MachineCodes machine;                      ///< what was compiled last
  std::optional<FileOptions> listed;         ///< how the project builds it
  driver::Options options;                   ///< of the server, with these
  const target::Target *target = nullptr;    ///< whose values are shown
  bool isTargetChosen = false;               ///< else it is the server's, or the first of `listed`
  std::map<std::string, std::string> chosen; ///< by kernel: the instance whose values are shown, if not the first
  std::map<std::string, CheckResult> checks; ///< by name: the last run
  std::map<std::string, BenchResult> benches;
  bool needsRefresh = false; ///< what the client shows of it has changed without an edit
};

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
  void works(const std::string &uri);
  void rests();
  void warmUp();
  bool idleStep();
  std::optional<milliseconds> compileStep();
  void keepCompiled();
  struct ToCompile {
    Snapshot::Kernel kernel;
    const target::Target *target;
  };
  std::optional<ToCompile> nextToCompile(Document &document);
  bool compileNext(Document &document);
  void publish(Document &document);
  void publishEarly(Document &document);
  void retire(Document &document);
  void renew(Document &document);
  void renewImporters(const Document &changed);
  std::unique_ptr<Snapshot> newSnapshot(const Document &document, std::string text);
  Snapshot &snapshotOf(Document &document);

  std::vector<const target::Target *> targetsOf(const Document &document) const;
  LensContext lensContext(const Document &document) const;
  void changedUnasked(Document &document);
  bool readListedOptions(Document &document);
  void refresh(std::initializer_list<llvm::StringRef> what);

  // What a message says.
  std::string uriIn(const json::Object &params);
  Document &documentIn(const json::Object &params);
  uint32_t offsetIn(const json::Object &params, Document &document);
  std::pair<uint32_t, uint32_t> rangeIn(const json::Object &params, const Document &document);
  TextPositions positionsOf(const Document &document) const { return {document.text, encoding}; }
  json::Object location(const Snapshot &snapshot, SourceRange range) const;

  // Notifications.
  void initialized(const json::Object &params);
  void didOpen(const json::Object &params);
  void didChange(const json::Object &params);
  void didClose(const json::Object &params);
  void didSave(const json::Object &params);
  void filesChanged(const json::Object &params);
  void checked(const json::Object &params);
  void cancelProgress(const json::Object &params);

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
  json::Value layout(const json::Object &params);
  json::Value prepareRename(const json::Object &params);
  json::Value rename(const json::Object &params);
  json::Value allSymbols(const json::Object &params);
  json::Value tokens(const json::Object &params);
  json::Value text(const json::Object &params);
  json::Value instances(const json::Object &params);
  json::Value time(const json::Object &params);
  json::Value executeCommand(const json::Object &params);

  // Commands (Commands.cpp).
  using Run = void (Server::*)(Document &, const json::Object &params);
  struct CommandRow {
    llvm::StringLiteral name;
    Run run;
  };
  static const CommandRow commandRows[];
  json::Array ownCommands() const;
  void chooseInstance(Document &document, const json::Object &params);
  void chooseArch(Document &document, const json::Object &params);
  void runCheck(Document &document, const json::Object &params);
  void runBench(Document &document, const json::Object &params);

  // Runs of checks and benches (RunCommands.cpp).
  void begin(Document &document, const json::Object &params, bool isBench);
  void progress(const json::Value &token, json::Object value);
  std::optional<milliseconds> runStep();
  void keepResult(ToolRun &run);
  std::vector<const BenchResult *> benchesOf(const Document &document) const;

  const ServerSettings &settings;
  Connection &connection;
  WorkQueue queue;
  ParsedTexts parsed;
  uint64_t handled = 0, toldHandled = 0; ///< messages, of which the supervisor knows that they are done
  bool isResting = false;
  bool isWarm = false;
  PositionEncoding encoding = PositionEncoding::Utf16;
  bool isInitialized = false, isShutDown = false;
  std::map<std::string, Document> documents; ///< by URI
  std::unique_ptr<Snapshot> outdated;        ///< ends when there is nothing else to do
  std::string active;                        ///< the document that was asked about or changed last

  // What is compiled now; at most one kernel.
  struct Compilation {
    std::string uri, kernel, arch;
    int64_t version;
    size_t textHash;
    KernelCompilation process;
  };
  std::unique_ptr<Compilation> compilation;

  std::unique_ptr<ToolRun> running; ///< at most one check or bench
  std::deque<RunJob> waiting;
  uint64_t runsBegun = 0;

  // Of the client.
  std::set<std::string> commands;                ///< of ours that it has
  std::vector<const target::Target *> moreArchs; ///< for which kernels are compiled besides the chosen one
  std::set<std::string> told;                    ///< notifications of ours that it wants
  bool showsProgress = false, showsPictures = false, watchesFiles = false;
  std::set<std::string> refreshes; ///< "codeLens", ...: what it can be told to ask for anew
};

} // namespace fly::editor
