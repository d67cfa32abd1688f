// Errors: their names and texts, and the calling thread's last one.
#include "runtime/hip_emulated/HipEmulated.h"

#include <algorithm>

namespace fly::hip_emulated {

ThreadState &thread() {
  static thread_local ThreadState instance;
  return instance;
}

hipError_t done(hipError_t error) {
  ThreadState &t = thread();
  if (error != hipSuccess && state().forked) error = refuse(state().startError, state().startReason);
  if (error != hipSuccess) {
    t.lastError = error;
    if (!t.isReported) t.report.clear();
  }
  t.isReported = false;
  return error;
}

hipError_t refuse(hipError_t error, std::string report) {
  thread().report = std::move(report);
  thread().isReported = true;
  return error;
}

namespace {

struct ErrorRow {
  hipError_t error;
  const char *name, *text;
};
#define ROW(name, text) {name, #name, text}
constexpr ErrorRow errors[] = {
    ROW(hipSuccess, "no error"),
    ROW(hipErrorInvalidValue, "invalid argument"),
    ROW(hipErrorOutOfMemory, "out of memory"),
    ROW(hipErrorNotInitialized, "not initialised"),
    ROW(hipErrorInvalidConfiguration, "invalid launch configuration"),
    ROW(hipErrorInvalidPitchValue, "the pitch is smaller than a row"),
    ROW(hipErrorInvalidSymbol, "no such variable"),
    ROW(hipErrorInvalidDevicePointer, "not a pointer to device memory"),
    ROW(hipErrorInvalidMemcpyDirection, "the kind of copy does not match the pointers"),
    ROW(hipErrorMissingConfiguration, "a launch without a configuration"),
    ROW(hipErrorInvalidDeviceFunction, "no such kernel"),
    ROW(hipErrorNoDevice, "no device"),
    ROW(hipErrorInvalidDevice,
        "invalid device; FLY_EMULATE names an architecture and a number of devices, as in gfx942:2"),
    ROW(hipErrorInvalidImage, "the code object is damaged"),
    ROW(hipErrorInvalidContext, "invalid context"),
    ROW(hipErrorNoBinaryForGpu, "the code object is for another architecture"),
    ROW(hipErrorUnsupportedLimit, "there is no such limit"),
    ROW(hipErrorFileNotFound, "file not found"),
    ROW(hipErrorInvalidHandle, "invalid handle"),
    ROW(hipErrorIllegalState, "not allowed in this state"),
    ROW(hipErrorNotFound, "not found"),
    ROW(hipErrorNotReady, "not complete yet"),
    ROW(hipErrorIllegalAddress, "access outside of any allocation"),
    ROW(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(hipErrorPeerAccessNotEnabled, "peer access is not enabled"),
    ROW(hipErrorHostMemoryAlreadyRegistered, "the memory is already registered"),
    ROW(hipErrorHostMemoryNotRegistered, "the memory is not registered"),
    ROW(hipErrorLaunchFailure, "the kernel failed"),
    ROW(hipErrorNotSupported, "not supported by the emulated HIP"),
    ROW(hipErrorStreamCaptureUnsupported, "not allowed while a stream is captured"),
    ROW(hipErrorStreamCaptureInvalidated, "an earlier error invalidated the capture"),
    ROW(hipErrorStreamCaptureMerge, "two captures cannot be joined"),
    ROW(hipErrorStreamCaptureUnmatched, "the capture began on another stream"),
    ROW(hipErrorStreamCaptureUnjoined, "a stream of the capture was not joined to the one where it began"),
    ROW(hipErrorStreamCaptureIsolation, "a captured stream cannot wait for work outside of the capture"),
    ROW(hipErrorStreamCaptureImplicit, "the default stream cannot join a capture"),
    ROW(hipErrorCapturedEvent, "the event was recorded in a capture"),
    ROW(hipErrorStreamCaptureWrongThread, "the capture began in another thread"),
    ROW(hipErrorGraphExecUpdateFailure, "the graph does not match the executable graph"),
    ROW(hipErrorUnknown, "unknown error"),
};
#undef ROW

const ErrorRow *rowOf(hipError_t error) {
  auto row = std::find_if(std::begin(errors), std::end(errors), [&](const ErrorRow &r) { return r.error == error; });
  return row == std::end(errors) ? nullptr : row;
}

/// Errors whose reason is known better than their text tells.
bool isReported(hipError_t error) {
  return error != hipSuccess && error == thread().lastError && !thread().report.empty();
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipGetLastError() {
  hipError_t error = thread().lastError;
  thread().lastError = hipSuccess;
  return error;
}
FLY_HIP_EXPORT hipError_t hipPeekAtLastError() { return thread().lastError; }
FLY_HIP_EXPORT hipError_t hipExtGetLastError() { return hipGetLastError(); }

FLY_HIP_EXPORT const char *hipGetErrorName(hipError_t error) {
  const ErrorRow *row = rowOf(error);
  return row ? row->name : "hipErrorUnknown";
}
/// For the thread's last error its reason, where there is one: the emulator's report, what is wrong with a code object.
FLY_HIP_EXPORT const char *hipGetErrorString(hipError_t error) {
  if (isReported(error)) return thread().report.c_str();
  const ErrorRow *row = rowOf(error);
  return row ? row->text : "unknown error";
}
FLY_HIP_EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  if (!name || !rowOf(error)) return hipErrorInvalidValue;
  *name = hipGetErrorName(error);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  if (!text || !rowOf(error)) return hipErrorInvalidValue;
  *text = hipGetErrorString(error);
  return hipSuccess;
}
