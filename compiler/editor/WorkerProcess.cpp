// See WorkerProcess.h.
#include "compiler/editor/WorkerProcess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <ctime>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace fly::editor {

using std::chrono::milliseconds;

namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe(ends) != 0)
      return;
    read = ends[0];
    write = ends[1];
    for (int end : ends)
      ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  void close() {
    for (int *end : {&read, &write})
      if (*end >= 0)
        ::close(std::exchange(*end, -1));
  }
};

} // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string> &arguments, Received received) {
  const std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  for (auto &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  Pipe to, from;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from.write, STDOUT_FILENO);
  // With what it starts itself it is a group, which is ended as a whole.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = to.read < 0 || from.read < 0
                        ? errno
                        : ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) {
    pid = -1;
    end = std::string("it cannot be started: ") + std::strerror(error);
    to.close();
    from.close();
    received(std::nullopt);
    return;
  }
  ::close(to.read);
  ::close(from.write);
  input = to.write;
  ::fcntl(input, F_SETFL, O_NONBLOCK);
  output = ::fdopen(from.read, "rb");
  reader = std::thread([this, received = std::move(received)] {
    Connection connection(output, llvm::nulls(), /*isTest=*/false);
    while (auto message = connection.readText(/*isOurs=*/true))
      received(std::move(message));
    received(std::nullopt);
  });
}

WorkerProcess::~WorkerProcess() {
  kill();
  if (reader.joinable())
    reader.join();
  if (output)
    std::fclose(output);
}

bool WorkerProcess::write(llvm::StringRef bytes, milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!bytes.empty()) {
    const ssize_t written = ::write(input, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.drop_front(size_t(written));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR)
      return false;
    pollfd waits{input, POLLOUT, 0};
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || (::poll(&waits, 1, int(left.count())) < 0 && errno != EINTR))
      return false;
  }
  return true;
}

bool WorkerProcess::send(llvm::StringRef message, milliseconds patience) {
  return input >= 0 && write("Content-Length: " + std::to_string(message.size()) + "\r\n\r\n", patience) &&
         write(message, patience);
}

void WorkerProcess::closeInput() {
  if (input >= 0)
    ::close(std::exchange(input, -1));
}

void WorkerProcess::kill() {
  closeInput();
  if (pid <= 0)
    return;
  ::kill(pid, SIGKILL);
  ending();
}

std::chrono::nanoseconds WorkerProcess::busy() const {
  clockid_t clock;
  timespec time{};
  if (pid <= 0 || ::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

uint64_t WorkerProcess::memory() const {
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/" + std::to_string(pid) + "/statm");
  if (pid <= 0 || !file)
    return 0;
  uint64_t pages = 0;
  (void)(*file)->getBuffer().split(' ').second.split(' ').first.getAsInteger(10, pages);
  return pages * uint64_t(::sysconf(_SC_PAGESIZE)) >> 20;
}

std::string WorkerProcess::ending() {
  int status = 0;
  if (pid <= 0)
    return end;
  ::kill(-pid, SIGKILL); // what it has started
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  pid = -1;
  if (WIFSIGNALED(status))
    end = std::string("it crashed: ") + ::strsignal(WTERMSIG(status));
  else
    end = "it ended with status " + std::to_string(WEXITSTATUS(status));
  return end;
}

} // namespace fly::editor
