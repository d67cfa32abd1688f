// The messages that wait for the one thread that answers them. The thread that reads them only puts them here, so that
// a cancelled request and a newer text are known at once.
#pragma once

#include "llvm/Support/JSON.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>

namespace fly::editor {

class WorkQueue {
public:
  struct Message {
    std::string method;
    llvm::json::Value params = nullptr;
    std::optional<llvm::json::Value> id; ///< of a request
    bool isChange = false;
  };

  void add(Message message);
  /// No message comes after those that are here.
  void close();
  /// The next message; none if there is none and `wait` is not set or has lasted `most`, or if the queue is closed and
  /// empty.
  std::optional<Message> take(bool wait, std::optional<std::chrono::milliseconds> most = std::nullopt);
  /// The message that was taken last has been dealt with.
  void done();
  /// Until all messages have been dealt with.
  void drain();

  void cancel(const llvm::json::Value &id);
  /// Whether a request was cancelled; forgets it.
  bool wasCancelled(const llvm::json::Value &id);
  /// Whether a newer text waits.
  bool hasNewerText() const { return changes != 0; }
  /// Whether what is elaborated now is of no use: for a newer text, or the request is cancelled.
  bool isUseless() const { return changes != 0 || runningIsCancelled; }
  bool isClosed();

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Message> messages;
  std::set<std::string> cancelled;
  std::atomic<unsigned> changes{0};
  std::optional<llvm::json::Value> running; ///< the request that was taken last, until `done`
  std::atomic<bool> runningIsCancelled{false};
  bool closed = false, busy = false;
};

} // namespace fly::editor
