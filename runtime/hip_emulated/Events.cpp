// Events: an event stands for the operations that were queued when it was recorded.
#include "runtime/hip_emulated/Streams.h"

#include <bit>

namespace fly::hip_emulated {

hipError_t mayRecord(const Event &event, const Stream &stream) {
  if (event.device == stream.device) return hipSuccess;
  return refuse(hipErrorInvalidHandle, "the event was made for another device than the stream");
}

hipError_t record(const std::shared_ptr<Event> &event, Stream &stream) {
  if (hipError_t error = mayRecord(*event, stream); error != hipSuccess) return error;
  if (stream.capture) return captureEvent(stream, event, false);
  hipError_t error = submit(stream, EmptyAction());
  event->capture.reset();
  event->captured.clear();
  event->recorded = stream.last;
  return error;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

namespace {

std::shared_ptr<Event> eventOf(hipEvent_t handle) {
  auto found = state().events.find(handle);
  return found == state().events.end() ? nullptr : found->second;
}

template <typename Body> hipError_t withEvent(hipEvent_t handle, Body body) {
  return locked([&](Guard &guard) {
    std::shared_ptr<Event> event = eventOf(handle);
    return event ? body(event, guard) : hipErrorInvalidHandle;
  });
}

} // namespace

/// At most one of the ways to release memory; what other processes use has no times.
static bool areEventFlags(unsigned flags) {
  constexpr unsigned withoutSystemFence = 0x20000000; // ROCm 5.6
  constexpr unsigned releases = hipEventReleaseToDevice | hipEventReleaseToSystem | withoutSystemFence;
  constexpr unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | releases;
  const bool sharesTimes = (flags & hipEventInterprocess) && !(flags & hipEventDisableTiming);
  return !(flags & ~known) && std::popcount(flags & releases) <= 1 && !sharesTimes;
}

FLY_HIP_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags) {
  return locked([&](Guard &) {
    if (!event || !areEventFlags(flags)) return hipErrorInvalidValue;
    if (state().devices.empty()) return hipErrorNoDevice;
    auto made = std::make_shared<Event>();
    made->flags = flags;
    made->device = thread().device;
    state().events[made.get()] = made;
    *event = reinterpret_cast<hipEvent_t>(made.get());
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }

FLY_HIP_EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
  return locked([&](Guard &) { return state().events.erase(event) ? hipSuccess : hipErrorInvalidHandle; });
}

/// hipEventRecordExternal and hipEventWaitExternal of ROCm 6: in a capture the event becomes a node, whose event the
/// program sees.
static constexpr unsigned externalEvent = 1;

/// A node for the event. Outside of a capture the flag has no meaning.
static hipError_t addEventNode(const std::shared_ptr<Event> &event, Stream &stream, bool isWait) {
  return stream.capture ? submit(stream, EventAction{event, isWait}) : hipErrorInvalidValue;
}

FLY_HIP_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t handle, hipStream_t streamHandle, unsigned int flags) {
  return withEvent(handle, [&](const std::shared_ptr<Event> &event, Guard &) {
    std::shared_ptr<Stream> stream = streamOf(streamHandle);
    if (!stream) return hipErrorInvalidHandle;
    if (flags > externalEvent) return hipErrorInvalidValue;
    return flags == externalEvent ? addEventNode(event, *stream, false) : record(event, *stream);
  });
}
FLY_HIP_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hipEventRecordWithFlags(event, stream, 0);
}

FLY_HIP_EXPORT hipError_t hipStreamWaitEvent(hipStream_t streamHandle, hipEvent_t handle, unsigned int flags) {
  return withEvent(handle, [&](const std::shared_ptr<Event> &event, Guard &) {
    std::shared_ptr<Stream> stream = streamOf(streamHandle);
    if (!stream) return hipErrorInvalidHandle;
    if (flags > externalEvent) return hipErrorInvalidValue;
    if (flags == externalEvent) return addEventNode(event, *stream, true);
    if (event->capture || stream->capture) return captureEvent(*stream, event, true);
    // What is done may end later by the modelled clock.
    if (event->recorded && (!event->recorded->done || state().hasModelledClock))
      stream->waits.push_back(event->recorded);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipEventSynchronize(hipEvent_t handle) {
  return withEvent(handle, [](const std::shared_ptr<Event> &event, Guard &guard) {
    if (event->capture) return hipErrorCapturedEvent;
    if (hipError_t error = wait(guard, event->recorded); error != hipSuccess) return error;
    return failureOf(event->device);
  });
}

FLY_HIP_EXPORT hipError_t hipEventQuery(hipEvent_t handle) {
  Guard guard(state().lock);
  std::shared_ptr<Event> event = eventOf(handle);
  if (!event) return done(hipErrorInvalidHandle);
  if (event->capture) return done(hipErrorCapturedEvent);
  if (hipError_t error = failureOf(event->device); error != hipSuccess) return done(error);
  return !event->recorded || event->recorded->done ? hipSuccess : hipErrorNotReady; // not an error to remember
}

FLY_HIP_EXPORT hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop) {
  Guard guard(state().lock);
  std::shared_ptr<Event> from = eventOf(start), to = eventOf(stop);
  if (!milliseconds) return done(hipErrorInvalidValue);
  if (!from || !to || !from->recorded || !to->recorded || (from->flags | to->flags) & hipEventDisableTiming)
    return done(hipErrorInvalidHandle);
  if (from->device != to->device) return done(refuse(hipErrorInvalidHandle, "the events are of two devices"));
  if (!from->recorded->done || !to->recorded->done) return hipErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(to->recorded->moment.at - from->recorded->moment.at).count();
  return hipSuccess;
}

/// flyc's own: how long the operations of a stream between two of its events took, without the times between them, and
/// what its kernels accessed; by the time model. An error without it.
FLY_HIP_EXPORT hipError_t flyHipBetween(int64_t *nanoseconds, double *read, double *written, hipEvent_t start,
                                        hipEvent_t stop) {
  Guard guard(state().lock);
  std::shared_ptr<Event> from = eventOf(start), to = eventOf(stop);
  if (!state().hasModelledClock || !from || !to || !from->recorded || !to->recorded) return hipErrorNotSupported;
  if (!from->recorded->done || !to->recorded->done) return hipErrorNotReady;
  *nanoseconds = (to->recorded->moment.busy - from->recorded->moment.busy).count();
  *read = to->recorded->moment.readBytes - from->recorded->moment.readBytes;
  *written = to->recorded->moment.writtenBytes - from->recorded->moment.writtenBytes;
  return hipSuccess;
}
