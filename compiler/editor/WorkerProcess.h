// The process that a supervisor watches (Supervisor.h): flyc with pipes as its standard input and output.
#pragma once

#include "compiler/editor/Connection.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace fly::editor {

class WorkerProcess {
public:
  /// `received` is called from another thread with each message, and with none at the end.
  using Received = std::function<void(std::optional<Connection::Text>)>;
  WorkerProcess(const std::vector<std::string> &arguments, Received received);
  /// Kills it.
  ~WorkerProcess();

  bool hasStarted() const { return pid > 0; }
  /// False if it does not take the message within `patience`, or is gone.
  bool send(llvm::StringRef message, std::chrono::milliseconds patience);
  /// No message follows.
  void closeInput();
  void kill();
  /// Time on processors.
  std::chrono::nanoseconds busy() const;
  /// MiB that are in memory; 0 where nobody can tell.
  uint64_t memory() const;
  /// After its last message: how it ended, such as "it crashed: Segmentation fault". Waits for the end.
  std::string ending();

private:
  bool write(llvm::StringRef bytes, std::chrono::milliseconds patience);

  int pid = -1, input = -1;
  std::FILE *output = nullptr;
  std::string end;
  std::thread reader;
};

} // namespace fly::editor
