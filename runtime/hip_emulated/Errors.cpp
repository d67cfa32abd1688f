// Errors: their names and texts, and the calling thread's last one.
#include "runtime/hip_emulated/HipEmulated.h"

#include <algorithm>

namespace fly::hip_emulated {

/// What is registered with atexit runs after the thread's objects are destroyed, and may call HIP: it gets another state.
ThreadState &thread() {
  static thread_local ThreadState *instance = nullptr;
  static thread_local struct End {
    ~End() {
      delete instance;
      instance = nullptr;
    }
  } end;
  if (!instance) {
    instance = new ThreadState;
    (void)&end; // made here, so that it ends with the thread
  }
  return *instance;
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
    ROW(hipErrorDeinitialized, "HIP has ended"),
    ROW(hipErrorProfilerDisabled, "the profiler is disabled"),
    ROW(hipErrorProfilerNotInitialized, "the profiler is not initialised"),
    ROW(hipErrorProfilerAlreadyStarted, "the profiler has started already"),
    ROW(hipErrorProfilerAlreadyStopped, "the profiler has stopped already"),
    ROW(hipErrorInvalidConfiguration, "invalid launch configuration"),
    ROW(hipErrorInvalidPitchValue, "the pitch is smaller than a row"),
    ROW(hipErrorInvalidSymbol, "no such variable"),
    ROW(hipErrorInvalidDevicePointer, "not a pointer to device memory"),
    ROW(hipErrorInvalidMemcpyDirection, "the kind of copy does not match the pointers"),
    ROW(hipErrorInsufficientDriver, "the driver is too old"),
    ROW(hipErrorMissingConfiguration, "a launch without a configuration"),
    ROW(hipErrorPriorLaunchFailure, "an earlier launch failed"),
    ROW(hipErrorInvalidDeviceFunction, "no such kernel"),
    ROW(hipErrorNoDevice, "no device"),
    ROW(hipErrorInvalidDevice,
        "invalid device; FLY_EMULATE names an architecture and a number of devices, as in gfx942:2"),
    ROW(hipErrorInvalidImage, "the code object is damaged"),
    ROW(hipErrorInvalidContext, "invalid context"),
    ROW(hipErrorContextAlreadyCurrent, "the context is current already"),
    ROW(hipErrorMapFailed, "mapping failed"),
    ROW(hipErrorUnmapFailed, "unmapping failed"),
    ROW(hipErrorArrayIsMapped, "the array is mapped"),
    ROW(hipErrorAlreadyMapped, "mapped already"),
    ROW(hipErrorNoBinaryForGpu, "the code object is for another architecture"),
    ROW(hipErrorAlreadyAcquired, "acquired already"),
    ROW(hipErrorNotMapped, "not mapped"),
    ROW(hipErrorNotMappedAsArray, "not mapped as an array"),
    ROW(hipErrorNotMappedAsPointer, "not mapped as a pointer"),
    ROW(hipErrorECCNotCorrectable, "an error of memory that could not be corrected"),
    ROW(hipErrorUnsupportedLimit, "there is no such limit"),
    ROW(hipErrorContextAlreadyInUse, "the context is in use"),
    ROW(hipErrorPeerAccessUnsupported, "peer access is not supported"),
    ROW(hipErrorInvalidKernelFile, "invalid kernel file"),
    ROW(hipErrorInvalidGraphicsContext, "invalid graphics context"),
    ROW(hipErrorInvalidSource, "invalid source"),
    ROW(hipErrorFileNotFound, "file not found"),
    ROW(hipErrorSharedObjectSymbolNotFound, "no such symbol in the shared library"),
    ROW(hipErrorSharedObjectInitFailed, "the shared library could not be initialised"),
    ROW(hipErrorOperatingSystem, "an error of the operating system"),
    ROW(hipErrorInvalidHandle, "invalid handle"),
    ROW(hipErrorIllegalState, "not allowed in this state"),
    ROW(hipErrorNotFound, "not found"),
    ROW(hipErrorNotReady, "not complete yet"),
    ROW(hipErrorIllegalAddress, "access outside of any allocation"),
    ROW(hipErrorLaunchOutOfResources, "too few resources for the launch"),
    ROW(hipErrorLaunchTimeOut, "the kernel ran for too long"),
    ROW(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ROW(hipErrorPeerAccessNotEnabled, "peer access is not enabled"),
    ROW(hipErrorSetOnActiveProcess, "not allowed once a device is in use"),
    ROW(hipErrorContextIsDestroyed, "the context is destroyed"),
    ROW(hipErrorAssert, "an assertion of a kernel failed"),
    ROW(hipErrorHostMemoryAlreadyRegistered, "the memory is already registered"),
    ROW(hipErrorHostMemoryNotRegistered, "the memory is not registered"),
    ROW(hipErrorLaunchFailure, "the kernel failed"),
    ROW(hipErrorCooperativeLaunchTooLarge, "more workgroups than the device holds at once"),
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
    ROW(hipErrorRuntimeMemory, "an error of memory in the runtime"),
    ROW(hipErrorRuntimeOther, "an error of the runtime"),
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
