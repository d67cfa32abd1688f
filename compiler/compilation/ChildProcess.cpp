// See ChildProcess.h. The parent polls: LLVM's own limit of time is an alarm of the whole process.
#include "compiler/compilation/ChildProcess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <thread>

namespace fly::driver {

using Clock = std::chrono::steady_clock;

TemporaryFile::TemporaryFile(llvm::StringRef suffix) {
  if (llvm::sys::fs::createTemporaryFile("flyc", suffix, name))
    name.clear();
}

TemporaryFile::~TemporaryFile() {
  if (!name.empty())
    (void)llvm::sys::fs::remove(name);
}

std::string TemporaryFile::text() const {
  auto buffer = llvm::MemoryBuffer::getFile(name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

ChildProcess::ChildProcess(const std::vector<std::string> &arguments, unsigned timeout)
    : timeout(timeout), deadline(Clock::now() + std::chrono::seconds(timeout)) {
  const std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  std::vector<llvm::StringRef> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::optional<llvm::StringRef> redirects[] = {"", out.path(), err.path()};
  bool failed = false;
  process = llvm::sys::ExecuteNoWait(program, all, std::nullopt, redirects, 0, &problem, &failed);
  started = !failed;
  done = failed;
  result.ReturnCode = -1;
}

bool ChildProcess::ended() {
  if (done)
    return true;
  auto now = llvm::sys::Wait(process, 0u, &problem, nullptr, /*Polling=*/true);
  if (now.Pid != llvm::sys::ProcessInfo::InvalidPid) {
    result = now;
    done = true;
  } else if (!late && Clock::now() > deadline) {
    late = true;
    kill(process.Pid, SIGKILL);
  }
  return done;
}

void ChildProcess::wait() {
  for (auto pause = std::chrono::microseconds(500); !ended();) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(8000));
  }
}

void ChildProcess::stop() {
  if (!ended())
    kill(process.Pid, SIGKILL);
  wait();
}

std::string ChildProcess::lastErrors(size_t most) const {
  const std::string said = errors();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(said).trim().split(lines, '\n');
  return llvm::join(llvm::ArrayRef(lines).take_back(most), "\n");
}

std::string ChildProcess::cause(const std::string &option) const {
  if (!started)
    return "it cannot be started: " + problem;
  if (late)
    return "it took longer than " + std::to_string(timeout) + " seconds (`" + option + "`)";
  std::string cause =
      result.ReturnCode < 0 ? "it crashed" : "it ended with status " + std::to_string(result.ReturnCode);
  if (!problem.empty())
    cause += ": " + problem;
  const std::string said = errors();
  if (llvm::StringRef line = llvm::StringRef(said).trim().split('\n').first; !line.empty())
    cause += ": " + line.str();
  return cause;
}

} // namespace fly::driver
