// See WorkQueue.h.
#include "compiler/editor/WorkQueue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace fly::editor {

static std::string textOf(const llvm::json::Value &id) { return llvm::formatv("{0}", id).str(); }

void WorkQueue::add(Message message) {
  std::lock_guard lock(mutex);
  changes += message.isChange;
  messages.push_back(std::move(message));
  changed.notify_all();
}

void WorkQueue::close() {
  std::lock_guard lock(mutex);
  closed = true;
  ++changes; // ends what is elaborated for nobody
  changed.notify_all();
}

std::optional<WorkQueue::Message> WorkQueue::take(bool wait, std::optional<std::chrono::milliseconds> most) {
  std::unique_lock lock(mutex);
  auto isOver = [&] { return !wait || closed || !messages.empty(); };
  if (most)
    changed.wait_for(lock, *most, isOver);
  else
    changed.wait(lock, isOver);
  if (messages.empty())
    return std::nullopt;
  Message message = std::move(messages.front());
  messages.pop_front();
  changes -= message.isChange;
  busy = true;
  running = message.id;
  return message;
}

void WorkQueue::done() {
  std::lock_guard lock(mutex);
  busy = false;
  if (running)
    cancelled.erase(textOf(*running));
  running.reset();
  runningIsCancelled = false;
  changed.notify_all();
}

void WorkQueue::drain() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return messages.empty() && !busy; });
}

void WorkQueue::cancel(const llvm::json::Value &id) {
  std::lock_guard lock(mutex);
  if (running && *running == id) {
    cancelled.insert(textOf(id));
    runningIsCancelled = true;
  }
  // Of requests that wait: an answered one would be remembered for ever.
  if (llvm::any_of(messages, [&](const Message &message) { return message.id && *message.id == id; }))
    cancelled.insert(textOf(id));
}

bool WorkQueue::wasCancelled(const llvm::json::Value &id) {
  std::lock_guard lock(mutex);
  return cancelled.erase(textOf(id)) != 0;
}

bool WorkQueue::isClosed() {
  std::lock_guard lock(mutex);
  return closed;
}

} // namespace fly::editor
