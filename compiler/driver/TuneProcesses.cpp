// See TuneProcesses.h. One thread starts and polls all processes; they end at their own pace.
#include "compiler/driver/TuneProcesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <csignal>
#include <list>
#include <thread>

namespace fly::driver {

namespace {

using Clock = std::chrono::steady_clock;

/// A file that is gone when this is.
struct Temporary {
  llvm::SmallString<128> path;
  explicit Temporary(llvm::StringRef suffix) {
    if (llvm::sys::fs::createTemporaryFile("flyc-tune", suffix, path))
      path.clear();
  }
  Temporary(const Temporary &) = delete;
  ~Temporary() {
    if (!path.empty())
      (void)llvm::sys::fs::remove(path);
  }
  std::string text() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
};

struct Process {
  unsigned job;
  llvm::sys::ProcessInfo info;
  Clock::time_point deadline;
  bool late = false;
  Temporary out{"out"}, err{"err"};
};

/// What a process that wrote no row died of.
std::string causeOf(const Process &process, const llvm::sys::ProcessInfo &ended, const std::string &error,
                    unsigned timeout) {
  if (process.late)
    return "it took longer than " + std::to_string(timeout) + " seconds (`--timeout`)";
  const std::string said = process.err.text();
  std::string cause = ended.ReturnCode < 0 ? "it crashed" : "it ended with status " + std::to_string(ended.ReturnCode);
  if (!error.empty())
    cause += ": " + error;
  if (llvm::StringRef line = llvm::StringRef(said).trim().split('\n').first; !line.empty())
    cause += ": " + line.str();
  return cause;
}

} // namespace

void TuneProcesses::run(const std::function<std::optional<Work>()> &next,
                        const std::function<void(unsigned, std::optional<TuneRow>, const std::string &)> &done) const {
  const std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  std::list<Process> running;
  bool more = true;
  while (more || !running.empty()) {
    while (more && running.size() < most) {
      auto work = next();
      if (!work) {
        more = false;
        break;
      }
      Process &process = running.emplace_back();
      process.job = work->job;
      process.deadline = Clock::now() + std::chrono::seconds(timeout);
      std::vector<llvm::StringRef> arguments{program};
      arguments.insert(arguments.end(), work->arguments.begin(), work->arguments.end());
      const std::optional<llvm::StringRef> redirects[] = {"", process.out.path.str(), process.err.path.str()};
      std::string error;
      bool failed = false;
      process.info = llvm::sys::ExecuteNoWait(program, arguments, std::nullopt, redirects, 0, &error, &failed);
      if (failed) {
        done(process.job, std::nullopt, "it cannot be started: " + error);
        running.pop_back();
      }
    }
    bool ended = false;
    for (auto process = running.begin(); process != running.end();) {
      std::string error;
      auto result = llvm::sys::Wait(process->info, 0u, &error, nullptr, /*Polling=*/true);
      if (result.Pid == llvm::sys::ProcessInfo::InvalidPid) {
        if (!process->late && Clock::now() > process->deadline) {
          process->late = true;
          kill(process->info.Pid, SIGKILL);
        }
        ++process;
        continue;
      }
      auto row = process->late ? std::nullopt : TuneRow::parse(process->out.text());
      done(process->job, row, row ? "" : causeOf(*process, result, error, timeout));
      process = running.erase(process);
      ended = true;
    }
    if (!ended && !running.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

} // namespace fly::driver
