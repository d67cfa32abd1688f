// The queues and threads of streams, and HIP's calls for streams. See Streams.h.
#include "runtime/hip_emulated/Streams.h"
#include "runtime/hip_emulated/LaunchProfiles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace fly::hip_emulated {

namespace {

/// A kernel that faulted leaves its device unusable, and reports the reason immediately, because the program may never
/// ask.
void fail(State &s, int device, const Outcome &outcome) {
  DeviceState &d = *s.devices[device];
  if (d.failed != hipSuccess) return;
  d.failed = outcome.error;
  d.report = outcome.report;
  std::fprintf(stderr, "%s%s", outcome.report.c_str(),
               outcome.report.empty() || outcome.report.back() == '\n' ? "" : "\n");
}

std::string ordinal(uint64_t number) {
  const char *ending = number / 10 % 10 == 1 || number % 10 > 3 || number % 10 == 0 ? "th"
                       : number % 10 == 1                                           ? "st"
                       : number % 10 == 2                                           ? "nd"
                                                                                    : "rd";
  return std::to_string(number) + ending;
}

/// Which of the program's launches it was.
std::string whichLaunch(const Stream &stream, const Work &item, const Outcome &outcome) {
  if (!item.launch) return {};
  char name[32] = "the default stream";
  if (!stream.isNull) std::snprintf(name, sizeof name, "stream %p", static_cast<const void *>(&stream));
  return "launch: the " + ordinal(item.launch) + " on " + name + (outcome.place.empty() ? "" : ": ") + outcome.place +
         "\n";
}

/// When it begins by the modelled clock. With the lock held.
Moment beginning(const Stream &stream, const Work &item) {
  Moment moment = stream.moment;
  moment.at = std::max(moment.at, item.earliest);
  for (const std::weak_ptr<Completion> &each : item.completion->after)
    if (CompletionRef before = each.lock()) moment.at = std::max(moment.at, before->moment.at);
  return moment;
}

void work(std::shared_ptr<Stream> stream) {
  State &s = state();
  Guard guard(s.lock);
  for (;;) {
    stream->arrived.wait(guard, [&] { return stream->stopping || s.exiting || !stream->queue.empty(); });
    if (s.exiting || stream->queue.empty()) break;
    Work item = std::move(stream->queue.front());
    stream->queue.pop_front();
    for (const std::weak_ptr<Completion> &each : item.completion->after)
      if (CompletionRef before = each.lock()) s.finished.wait(guard, [&] { return before->done || s.exiting; });
    if (s.exiting) break;
    // Who waits for a faulted device learns of the fault, so that callbacks and events still happen.
    bool skipped = s.devices[stream->device]->failed != hipSuccess &&
                   !std::holds_alternative<HostAction>(item.action) &&
                   !std::holds_alternative<EventAction>(item.action);
    thread().performing = item.completion;
    Moment moment = beginning(*stream, item);
    guard.unlock();
    Outcome outcome;
    if (s.delay.count()) std::this_thread::sleep_for(s.delay);
    if (!skipped) outcome = perform(item.action, stream->device, moment);
    item.action = EmptyAction();
    guard.lock();
    thread().performing.reset();
    if (outcome.error != hipSuccess) {
      if (!outcome.report.empty() && outcome.report.back() != '\n') outcome.report += '\n';
      outcome.report += whichLaunch(*stream, item, outcome);
      fail(s, stream->device, outcome);
    }
    if (!s.hasModelledClock) moment.at = std::chrono::steady_clock::now();
    stream->moment = item.completion->moment = moment;
    item.completion->done = true;
    s.finished.notify_all();
  }
  stream->running = false;
  s.finished.notify_all();
}

/// At the end of the program: what runs is completed, what waits is dropped, and no thread outlives the library's data.
void stopAll() {
  State &s = state();
  std::vector<std::thread> threads;
  {
    Guard guard(s.lock);
    s.exiting = true;
    s.finished.notify_all();
    auto take = [&](const std::shared_ptr<Stream> &stream) {
      if (!stream) return;
      stream->arrived.notify_all();
      if (stream->worker.joinable()) threads.push_back(std::move(stream->worker));
    };
    for (auto &[handle, stream] : s.streams) take(stream);
    for (auto &device : s.devices) take(device->null);
  }
  for (std::thread &each : threads)
    if (each.get_id() != std::this_thread::get_id()) each.join();
    else each.detach();
  writeProfile();
  if (s.broken && !s.metBroken)
    std::fprintf(stderr, "flyc emulator: FLY_EMULATE_BREAK=%s: no kernel that ran has this instruction\n",
                 std::getenv("FLY_EMULATE_BREAK"));
}

/// Completions that an operation of this stream must wait for by the rules of the default stream: it waits for all
/// blocking streams of its device, and they for it.
std::vector<CompletionRef> othersBefore(const Stream &stream) {
  State &s = state();
  std::vector<CompletionRef> before;
  auto follow = [&](const std::shared_ptr<Stream> &other) {
    if (other && other.get() != &stream && other->device == stream.device && !other->isIdle())
      before.push_back(other->last);
  };
  if (!stream.isBlocking()) return before;
  if (!stream.isNull) follow(s.devices[stream.device]->null);
  else
    for (auto &[handle, other] : s.streams)
      if (other->isBlocking()) follow(other);
  return before;
}

} // namespace

std::shared_ptr<Stream> makeStream(int device, unsigned flags, int priority) {
  static bool registered = false;
  if (!registered) registered = std::atexit(stopAll) == 0;
  auto stream = std::make_shared<Stream>();
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  return stream;
}

std::shared_ptr<Stream> nullStream(int device) {
  std::shared_ptr<Stream> &null = state().devices[device]->null;
  if (!null) {
    null = makeStream(device, hipStreamDefault, 0);
    null->isNull = true;
  }
  return null;
}

std::shared_ptr<Stream> streamOf(hipStream_t handle) {
  State &s = state();
  int device = thread().device;
  if (!isDevice(device)) return nullptr;
  if (!handle || handle == reinterpret_cast<hipStream_t>(1)) return nullStream(device); // hipStreamLegacy of ROCm 7
  if (handle == hipStreamPerThread) {
    auto &mine = thread().perThread;
    mine.resize(s.devices.size());
    if (!mine[device] || !s.streams.count(mine[device].get())) { // a reset of the device destroys it
      mine[device] = makeStream(device, hipStreamDefault, 0);
      s.streams[mine[device].get()] = mine[device];
    }
    return mine[device];
  }
  auto found = s.streams.find(handle);
  return found == s.streams.end() ? nullptr : found->second;
}

hipError_t failureOf(int device) {
  DeviceState &d = *state().devices[device];
  return d.failed != hipSuccess ? refuse(d.failed, d.report) : hipSuccess;
}

hipError_t submit(Stream &stream, Action action) {
  if (stream.capture) return capture(stream, std::move(action));
  State &s = state();
  Work item;
  if (std::holds_alternative<KernelAction>(action) || std::holds_alternative<GraphAction>(action))
    item.launch = ++stream.launches;
  item.action = std::move(action);
  item.earliest = std::chrono::steady_clock::now();
  item.completion = std::make_shared<Completion>();
  auto follow = [&](const std::vector<CompletionRef> &before) {
    item.completion->after.insert(item.completion->after.end(), before.begin(), before.end());
  };
  follow(stream.waits);
  follow(othersBefore(stream));
  if (!stream.isIdle()) follow({stream.last});
  stream.waits.clear();
  stream.last = item.completion;
  if (s.exiting) { // a destructor of the program, after its end: nothing is done any more
    item.completion->done = true;
    return hipSuccess;
  }
  stream.queue.push_back(std::move(item));
  if (!stream.running) { // its first operation
    if (stream.worker.joinable()) stream.worker.join();
    stream.running = true;
    std::shared_ptr<Stream> self = stream.isNull ? s.devices[stream.device]->null : s.streams[&stream];
    stream.worker = std::thread(work, std::move(self));
  }
  stream.arrived.notify_one();
  return hipSuccess;
}

/// Whether it is `before`, or comes after it, by what is queued now.
static bool follows(const CompletionRef &completion, const CompletionRef &before) {
  std::set<const Completion *> seen;
  std::vector<CompletionRef> todo = {completion};
  while (!todo.empty()) {
    const CompletionRef one = std::move(todo.back());
    todo.pop_back();
    if (one == before) return true;
    if (!seen.insert(one.get()).second) continue;
    for (const std::weak_ptr<Completion> &each : one->after)
      if (CompletionRef earlier = each.lock(); earlier && !earlier->done) todo.push_back(std::move(earlier));
  }
  return false;
}

hipError_t mayWait(const CompletionRef &completion) {
  const CompletionRef &own = thread().performing;
  if (!own || !completion || completion->done || !follows(completion, own)) return hipSuccess;
  return refuse(hipErrorIllegalState, "a host function cannot wait for the stream that it runs in");
}

hipError_t wait(Guard &guard, const CompletionRef &completion) {
  if (!completion || completion->done) return hipSuccess;
  CompletionRef kept = completion;
  if (hipError_t error = mayWait(kept); error != hipSuccess) return error;
  state().finished.wait(guard, [&] { return kept->done || state().exiting; });
  return hipSuccess;
}

/// Whether the calling thread may wait for what it queues next: asked first, since what is queued would still be done.
static hipError_t mayWaitForNext(const Stream &stream) {
  std::vector<CompletionRef> before = othersBefore(stream);
  before.insert(before.end(), stream.waits.begin(), stream.waits.end());
  before.push_back(stream.last);
  for (const CompletionRef &each : before)
    if (hipError_t error = mayWait(each); error != hipSuccess) return error;
  return hipSuccess;
}

hipError_t submitAndWait(Guard &guard, Stream &stream, Action action) {
  if (!stream.capture)
    if (hipError_t error = mayWaitForNext(stream); error != hipSuccess) return error;
  if (hipError_t error = submit(stream, std::move(action)); error != hipSuccess) return error;
  int device = stream.device;
  if (!stream.capture)
    if (hipError_t error = wait(guard, stream.last); error != hipSuccess) return error;
  return failureOf(device);
}

hipError_t queueAction(hipStream_t handle, Action action) {
  std::shared_ptr<Stream> stream = streamOf(handle);
  if (!stream) return state().devices.empty() ? hipErrorNoDevice : hipErrorInvalidHandle;
  if (hipError_t error = failureOf(stream->device); error != hipSuccess) return error;
  if (hipError_t error = check(action); error != hipSuccess) return error;
  return submit(*stream, std::move(action));
}

hipError_t waitForDevice(Guard &guard, int device) {
  State &s = state();
  std::vector<CompletionRef> all;
  auto add = [&](const std::shared_ptr<Stream> &stream) {
    if (stream && (device < 0 || stream->device == device) && !stream->isIdle()) all.push_back(stream->last);
  };
  for (auto &[handle, stream] : s.streams) add(stream);
  for (auto &each : s.devices) add(each->null);
  for (const CompletionRef &each : all)
    if (hipError_t error = wait(guard, each); error != hipSuccess) return error;
  return hipSuccess;
}

void stop(Guard &guard, Stream &stream) {
  (void)wait(guard, stream.last); // no error: see Streams.h
  stream.stopping = true;
  stream.arrived.notify_all();
  std::thread worker = std::move(stream.worker);
  guard.unlock();
  if (worker.joinable()) worker.join();
  guard.lock();
}

ThreadState::~ThreadState() {
  State &s = state();
  Guard guard(s.lock);
  for (auto &stream : perThread)
    if (stream) {
      leaveCapture(*stream);
      s.streams.erase(stream.get());
      if (!s.exiting) stop(guard, *stream);
    }
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

namespace {

hipError_t create(hipStream_t *stream, unsigned flags, int priority) {
  return locked([&](Guard &) {
    if (!stream || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
    if (state().devices.empty()) return hipErrorNoDevice;
    std::shared_ptr<Stream> made = makeStream(thread().device, flags, std::clamp(priority, -1, 1));
    state().streams[made.get()] = made;
    *stream = reinterpret_cast<hipStream_t>(made.get());
    return hipSuccess;
  });
}

/// Finds the stream, calls `body(stream, guard)`.
template <typename Body> hipError_t withStream(hipStream_t handle, Body body) {
  return locked([&](Guard &guard) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    return stream ? body(*stream, guard) : hipErrorInvalidHandle;
  });
}

} // namespace

FLY_HIP_EXPORT hipError_t hipStreamCreate(hipStream_t *stream) { return create(stream, hipStreamDefault, 0); }
FLY_HIP_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
  return create(stream, flags, 0);
}
FLY_HIP_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority) {
  return create(stream, flags, priority);
}
/// The mask has no meaning here: there are no compute units to choose from.
FLY_HIP_EXPORT hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words, const uint32_t *mask) {
  return words && mask ? create(stream, hipStreamDefault, 0) : done(hipErrorInvalidValue);
}
FLY_HIP_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipStreamDestroy(hipStream_t handle) {
  return locked([&](Guard &guard) {
    auto found = state().streams.find(handle);
    if (found == state().streams.end()) return hipErrorInvalidHandle;
    std::shared_ptr<Stream> stream = found->second;
    if (hipError_t error = mayWait(stream->last); error != hipSuccess) return error;
    leaveCapture(*stream);
    state().streams.erase(found);
    stop(guard, *stream);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipStreamSynchronize(hipStream_t handle) {
  return withStream(handle, [](Stream &stream, Guard &guard) {
    if (isCapturing(stream)) {
      invalidate(stream);
      return hipErrorStreamCaptureUnsupported;
    }
    int device = stream.device;
    if (stream.isNull) // it follows the blocking streams, so waiting for it waits for them
      for (const CompletionRef &each : othersBefore(stream))
        if (hipError_t error = wait(guard, each); error != hipSuccess) return error;
    if (hipError_t error = wait(guard, stream.last); error != hipSuccess) return error;
    return failureOf(device);
  });
}
FLY_HIP_EXPORT hipError_t hipStreamQuery(hipStream_t handle) {
  Guard guard(state().lock);
  std::shared_ptr<Stream> stream = streamOf(handle);
  if (!stream) return done(hipErrorInvalidHandle);
  if (isCapturing(*stream)) {
    invalidate(*stream);
    return done(hipErrorStreamCaptureUnsupported);
  }
  if (hipError_t error = failureOf(stream->device); error != hipSuccess) return done(error);
  const bool othersAreIdle = !stream->isNull || othersBefore(*stream).empty(); // it also represents them
  return stream->isIdle() && othersAreIdle ? hipSuccess : hipErrorNotReady;    // not an error to remember
}
FLY_HIP_EXPORT hipError_t hipStreamGetFlags(hipStream_t handle, unsigned int *flags) {
  return withStream(handle, [&](Stream &stream, Guard &) {
    if (!flags) return hipErrorInvalidValue;
    *flags = stream.flags;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipStreamGetPriority(hipStream_t handle, int *priority) {
  return withStream(handle, [&](Stream &stream, Guard &) {
    if (!priority) return hipErrorInvalidValue;
    *priority = stream.priority;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
  return withStream(handle, [&](Stream &stream, Guard &) {
    if (!device) return hipErrorInvalidValue;
    *device = stream.device;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT int hipGetStreamDeviceId(hipStream_t handle) {
  Guard guard(state().lock);
  std::shared_ptr<Stream> stream = streamOf(handle);
  return stream ? stream->device : -1;
}

FLY_HIP_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *data) {
  return locked([&](Guard &) {
    return function ? queueAction(stream, HostAction{function, nullptr, stream, data}) : hipErrorInvalidValue;
  });
}
FLY_HIP_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *data,
                                               unsigned int flags) {
  return locked([&](Guard &) {
    return callback && !flags ? queueAction(stream, HostAction{nullptr, callback, stream, data}) : hipErrorInvalidValue;
  });
}

namespace {
hipError_t value(hipStream_t stream, void *at, uint64_t number, uint64_t mask, unsigned bytes, unsigned condition,
                 bool isWait) {
  return locked([&](Guard &) { return queueAction(stream, ValueAction{at, number, mask, bytes, condition, isWait}); });
}
} // namespace
FLY_HIP_EXPORT hipError_t hipStreamWaitValue32(hipStream_t stream, void *at, uint32_t number, unsigned int condition,
                                               uint32_t mask) {
  return value(stream, at, number, mask, 4, condition, true);
}
FLY_HIP_EXPORT hipError_t hipStreamWaitValue64(hipStream_t stream, void *at, uint64_t number, unsigned int condition,
                                               uint64_t mask) {
  return value(stream, at, number, mask, 8, condition, true);
}
FLY_HIP_EXPORT hipError_t hipStreamWriteValue32(hipStream_t stream, void *at, uint32_t number, unsigned int flags) {
  return flags ? done(hipErrorInvalidValue) : value(stream, at, number, ~0ull, 4, 0, false);
}
FLY_HIP_EXPORT hipError_t hipStreamWriteValue64(hipStream_t stream, void *at, uint64_t number, unsigned int flags) {
  return flags ? done(hipErrorInvalidValue) : value(stream, at, number, ~0ull, 8, 0, false);
}
