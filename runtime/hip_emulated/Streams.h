// Streams: queues with a thread each. An operation runs after the previous one in its stream, the events that its
// stream waits for, and, by the rules of the default stream, the operations of others.
#pragma once

#include "runtime/hip_emulated/Actions.h"

namespace fly::hip_emulated {

struct Work {
  Action action;
  CompletionRef completion;
  uint64_t launch = 0;                            ///< of its stream; 0: it is none
  std::chrono::steady_clock::time_point earliest; ///< when it was queued, or what was there before has ended
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool isNull = false;
  uint64_t launches = 0; ///< of kernels and graphs
  Moment moment;         ///< of the operation that was performed last; its thread's
  std::deque<Work> queue;
  CompletionRef last;               ///< of what was queued last; null: nothing yet
  std::vector<CompletionRef> waits; ///< what the next operation follows besides
  std::condition_variable arrived;
  bool stopping = false, running = false;
  std::thread worker;
  // While it is captured:
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode *> tails; ///< the nodes that the next one follows
  bool isBlocking() const { return !(flags & hipStreamNonBlocking); }
  bool isIdle() const { return !last || last->done; }
};

/// The stream of a handle: null is the current device's default stream. Null when there is no such stream. With the
/// lock.
std::shared_ptr<Stream> streamOf(hipStream_t handle);
std::shared_ptr<Stream> nullStream(int device);
std::shared_ptr<Stream> makeStream(int device, unsigned flags, int priority);

/// Queues the action, or adds it to the graph if the stream is captured. With the lock held.
hipError_t submit(Stream &stream, Action action);
/// And waits for it. Not while it is captured.
hipError_t submitAndWait(Guard &guard, Stream &stream, Action action);
/// submit with the checks of handle, device and action.
hipError_t queueAction(hipStream_t stream, Action action);

/// An error in a host function that the completion comes after: a wait for it would never end.
hipError_t mayWait(const CompletionRef &completion);
hipError_t wait(Guard &guard, const CompletionRef &completion);
/// Waits for all streams of a device; < 0: of all devices.
hipError_t waitForDevice(Guard &guard, int device);
/// Completes what it has and ends its thread. Not in a host function of the stream.
void stop(Guard &guard, Stream &stream);
/// The event stands for what the stream has; also in a capture. Only of the event's own device.
hipError_t record(const std::shared_ptr<Event> &event, Stream &stream);
hipError_t mayRecord(const Event &event, const Stream &stream);
/// The report of a faulted device as the thread's; its error.
hipError_t failureOf(int device);

// ---- captures (Capture.cpp)

/// The result of a call that a capture forbids; hipSuccess if it may continue. With the lock held.
hipError_t unsafeCall();
/// Adds a node after the stream's tails.
hipError_t capture(Stream &stream, Action action);
/// A wait for, or a record of, an event that belongs to the capture.
hipError_t captureEvent(Stream &stream, const std::shared_ptr<Event> &event, bool isWait);
/// A call that a stream which is captured forbids ends the capture.
void invalidate(Stream &stream);
/// The stream is about to be gone: its capture ends if it began there, and is invalid otherwise.
void leaveCapture(Stream &stream);
bool isCapturing(const Stream &stream);

} // namespace fly::hip_emulated
