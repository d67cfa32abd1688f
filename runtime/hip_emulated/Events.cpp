// Events: an event stands for the operations that were queued when it was recorded.
#include "runtime/hip_emulated/Streams.h"

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

FLY_HIP_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags) {
  return locked([&](Guard &) {
    if (!event) return hipErrorInvalidValue;
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

FLY_HIP_EXPORT hipError_t hipEventRecord(hipEvent_t handle, hipStream_t streamHandle) {
  return withEvent(handle, [&](const std::shared_ptr<Event> &event, Guard &) {
    std::shared_ptr<Stream> stream = streamOf(streamHandle);
    return stream ? record(event, *stream) : hipErrorInvalidHandle;
  });
}
FLY_HIP_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int) {
  return hipEventRecord(event, stream);
}

FLY_HIP_EXPORT hipError_t hipStreamWaitEvent(hipStream_t streamHandle, hipEvent_t handle, unsigned int) {
  return withEvent(handle, [&](const std::shared_ptr<Event> &event, Guard &) {
    std::shared_ptr<Stream> stream = streamOf(streamHandle);
    if (!stream) return hipErrorInvalidHandle;
    if (event->capture || stream->capture) return captureEvent(*stream, event, true);
    if (event->recorded && !event->recorded->done) stream->waits.push_back(event->recorded);
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
  *milliseconds = std::chrono::duration<float, std::milli>(to->recorded->at - from->recorded->at).count();
  return hipSuccess;
}
