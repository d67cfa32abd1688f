// Capturing streams. A captured stream queues nothing: each operation becomes a node after the stream's tails. An event
// that is recorded in it carries the tails, and a stream that waits for that event joins the capture with them.
#include "runtime/hip_emulated/Graph.h"

#include <algorithm>
#include <set>

namespace fly::hip_emulated {

bool isCapturing(const Stream &stream) { return stream.capture != nullptr; }

void invalidate(Stream &stream) {
  if (stream.capture) stream.capture->isInvalid = true;
}

/// Ends it: its streams are free again.
static void release(const std::shared_ptr<Capture> &capture) {
  capture->isOver = true;
  for (auto &[key, stream] : state().streams)
    if (stream->capture == capture) {
      stream->capture.reset();
      stream->tails.clear();
    }
}

void leaveCapture(Stream &stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return;
  capture->isInvalid = true;
  if (capture->origin == &stream) release(capture);
  stream.capture.reset();
  stream.tails.clear();
}

hipError_t unsafeCall() {
  hipStreamCaptureMode mine = thread().captureMode;
  if (mine == hipStreamCaptureModeRelaxed) return hipSuccess;
  for (const std::weak_ptr<Capture> &each : state().captures) {
    std::shared_ptr<Capture> capture = each.lock();
    if (!capture || capture->isOver || capture->mode == hipStreamCaptureModeRelaxed) continue;
    bool isOwn = capture->owner == std::this_thread::get_id();
    if (isOwn || (capture->mode == hipStreamCaptureModeGlobal && mine == hipStreamCaptureModeGlobal))
      return refuse(hipErrorStreamCaptureUnsupported, "a stream is being captured, which forbids this call");
  }
  return hipSuccess;
}

hipError_t capture(Stream &stream, Action action) {
  if (stream.capture->isInvalid) return hipErrorStreamCaptureInvalidated;
  if (std::holds_alternative<FreeAction>(action)) return hipErrorStreamCaptureUnsupported;
  stream.tails = {stream.capture->graph->add(std::move(action), stream.tails)};
  return hipSuccess;
}

hipError_t captureEvent(Stream &stream, const std::shared_ptr<Event> &event, bool isWait) {
  if (!isWait) {
    if (stream.capture->isInvalid) return hipErrorStreamCaptureInvalidated;
    event->capture = stream.capture;
    event->captured = stream.tails;
    return hipSuccess;
  }
  if (!event->capture) { // recorded outside of the capture, which could not be replayed
    stream.capture->isInvalid = true;
    return hipErrorStreamCaptureIsolation;
  }
  if (event->capture->isOver) return hipErrorCapturedEvent;
  if (!stream.capture) {
    if (stream.isNull) return hipErrorStreamCaptureImplicit;
    stream.capture = event->capture;
    stream.tails.clear();
  } else if (stream.capture != event->capture) {
    stream.capture->isInvalid = event->capture->isInvalid = true;
    return hipErrorStreamCaptureMerge;
  }
  for (GraphNode *node : event->captured)
    if (std::find(stream.tails.begin(), stream.tails.end(), node) == stream.tails.end()) stream.tails.push_back(node);
  return hipSuccess;
}

namespace {

/// Everything that `tails` follow, themselves too.
std::set<const GraphNode *> before(const std::vector<GraphNode *> &tails) {
  std::set<const GraphNode *> seen;
  std::vector<const GraphNode *> todo(tails.begin(), tails.end());
  while (!todo.empty()) {
    const GraphNode *node = todo.back();
    todo.pop_back();
    if (seen.insert(node).second) todo.insert(todo.end(), node->follows.begin(), node->follows.end());
  }
  return seen;
}

hipError_t info(hipStream_t handle, hipStreamCaptureStatus *status, unsigned long long *id) {
  return locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!status) return hipErrorInvalidValue;
    *status = !stream->capture             ? hipStreamCaptureStatusNone
              : stream->capture->isInvalid ? hipStreamCaptureStatusInvalidated
                                           : hipStreamCaptureStatusActive;
    if (id) *id = stream->capture ? stream->capture->id : 0;
    return hipSuccess;
  });
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode) {
  return locked([&](Guard &) {
    static uint64_t captures = 0;
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (static_cast<unsigned>(mode) > hipStreamCaptureModeRelaxed) return hipErrorInvalidValue;
    if (stream->isNull) return refuse(hipErrorStreamCaptureUnsupported, "the default stream cannot be captured");
    if (stream->capture) return hipErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->id = ++captures;
    capture->mode = mode;
    capture->owner = std::this_thread::get_id();
    capture->origin = stream.get();
    stream->capture = capture;
    stream->tails.clear();
    auto &all = state().captures;
    std::erase_if(all, [](const std::weak_ptr<Capture> &each) { return each.expired(); });
    all.push_back(capture);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *graph) {
  return locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!graph) return hipErrorInvalidValue;
    *graph = nullptr;
    std::shared_ptr<Capture> capture = stream->capture;
    if (!capture) return hipErrorIllegalState;
    if (capture->origin != stream.get()) return hipErrorStreamCaptureUnmatched;
    if (capture->mode != hipStreamCaptureModeRelaxed && capture->owner != std::this_thread::get_id())
      return hipErrorStreamCaptureWrongThread;
    bool isJoined = true;
    std::set<const GraphNode *> joined = before(stream->tails);
    for (auto &[key, other] : state().streams)
      if (other->capture == capture)
        for (const GraphNode *tail : other->tails) isJoined &= joined.count(tail) != 0;
    release(capture);
    if (capture->isInvalid) return hipErrorStreamCaptureInvalidated;
    if (!isJoined)
      return refuse(hipErrorStreamCaptureUnjoined, "another stream joined the capture, and nothing waits for its work");
    *graph = reinterpret_cast<hipGraph_t>(capture->graph.get());
    graphs().graphs[capture->graph.get()] = std::move(capture->graph);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  return info(stream, status, nullptr);
}
FLY_HIP_EXPORT hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                                  unsigned long long *id) {
  return info(stream, status, id);
}
FLY_HIP_EXPORT hipError_t hipStreamGetCaptureInfo_v2(hipStream_t handle, hipStreamCaptureStatus *status,
                                                     unsigned long long *id, hipGraph_t *graph,
                                                     const hipGraphNode_t **dependencies, size_t *count) {
  if (hipError_t error = info(handle, status, id); error != hipSuccess) return error;
  return locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream || !stream->capture) return hipSuccess;
    if (graph) *graph = reinterpret_cast<hipGraph_t>(stream->capture->graph.get());
    if (dependencies) *dependencies = reinterpret_cast<const hipGraphNode_t *>(stream->tails.data());
    if (count) *count = stream->tails.size();
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t *nodes, size_t count,
                                                             unsigned int flags) {
  return locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (!stream->capture) return hipErrorIllegalState;
    if (flags > 1 || (count && !nodes)) return hipErrorInvalidValue;
    if (flags == 1) stream->tails.clear(); // hipStreamSetCaptureDependencies
    for (size_t i = 0; i < count; ++i) {
      auto *node = reinterpret_cast<GraphNode *>(nodes[i]);
      if (!stream->capture->graph->owns(node)) return hipErrorInvalidValue;
      stream->tails.push_back(node);
    }
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  if (!mode || static_cast<unsigned>(*mode) > hipStreamCaptureModeRelaxed) return done(hipErrorInvalidValue);
  std::swap(*mode, thread().captureMode);
  return hipSuccess;
}
