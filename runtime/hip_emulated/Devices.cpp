// The devices and everything that has no work of its own: initialisation, properties, streams, errors.
#include "runtime/hip_emulated/HipEmulated.h"

#include "runtime/emulator/DeviceNumbers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace fly::hip_emulated {

namespace {

constexpr int maxDevices = 16;

/// "gfx942" or "gfx942:2".
hipError_t readWish(State &state) {
  const char *text = std::getenv("FLY_EMULATE");
  std::string wish = text && *text ? text : "gfx942";
  int count = 1;
  if (size_t colon = wish.find(':'); colon != wish.npos) {
    char *end = nullptr;
    long number = std::strtol(wish.c_str() + colon + 1, &end, 10);
    if (*end || end == wish.c_str() + colon + 1 || number < 1 || number > maxDevices)
      return hipErrorInvalidDevice;
    count = static_cast<int>(number);
    wish.resize(colon);
  }
  state.architecture = emulator::findArchitecture(wish);
  if (!state.architecture)
    return hipErrorInvalidDevice;
  state.architectureName = wish;
  for (int i = 0; i < count; ++i)
    state.devices.push_back(std::make_unique<emulator::Device>(*state.architecture));
  return hipSuccess;
}

} // namespace

State &state() {
  // Never destroyed: host programs free memory in their own destructors.
  static State *instance = [] {
    auto *made = new State;
    made->startError = readWish(*made);
    return made;
  }();
  return *instance;
}

ThreadState &thread() {
  static thread_local ThreadState instance;
  return instance;
}

hipError_t done(hipError_t error) {
  if (error != hipSuccess)
    thread().lastError = error;
  return error;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipInit(unsigned int flags) {
  return done(flags ? hipErrorInvalidValue : state().startError);
}

FLY_HIP_EXPORT hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return done(hipErrorInvalidValue);
  *count = static_cast<int>(state().devices.size());
  return done(*count ? hipSuccess : hipErrorNoDevice);
}

FLY_HIP_EXPORT hipError_t hipGetDevice(int *device) {
  if (!device)
    return done(hipErrorInvalidValue);
  *device = thread().device;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= static_cast<int>(state().devices.size()))
    return done(hipErrorInvalidDevice);
  thread().device = device;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  if (!properties)
    return done(hipErrorInvalidValue);
  if (device < 0 || device >= static_cast<int>(state().devices.size()))
    return done(hipErrorInvalidDevice);
  const bool wave32 = state().architectureName.rfind("gfx12", 0) == 0;
  std::memset(properties, 0, sizeof *properties);
  std::string name = "flyc emulator of " + state().architectureName;
  std::strncpy(properties->name, name.c_str(), sizeof properties->name - 1);
  std::strncpy(properties->gcnArchName, state().architectureName.c_str(), sizeof properties->gcnArchName - 1);
  properties->warpSize = wave32 ? 32 : 64;
  properties->maxThreadsPerBlock = 1024;
  for (int i = 0; i < 3; ++i) {
    properties->maxThreadsDim[i] = 1024;
    properties->maxGridSize[i] = 0x7fffffff;
  }
  properties->multiProcessorCount = fly::emulator::computeUnits;
  return hipSuccess;
}

/// The attributes that the runtime asks for.
FLY_HIP_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  if (!value || attribute != hipDeviceAttributeMultiprocessorCount)
    return done(hipErrorInvalidValue);
  if (device < 0 || device >= static_cast<int>(state().devices.size()))
    return done(hipErrorInvalidDevice);
  *value = fly::emulator::computeUnits;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipDeviceSynchronize() { return hipSuccess; }

FLY_HIP_EXPORT hipError_t hipStreamCreate(hipStream_t *stream) {
  if (!stream)
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> guard(state().lock);
  auto *handle = new char; // its address is the handle
  state().streams[handle] = thread().device;
  *stream = reinterpret_cast<hipStream_t>(handle);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int) {
  return hipStreamCreate(stream);
}

FLY_HIP_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
  std::lock_guard<std::mutex> guard(state().lock);
  if (!state().streams.erase(stream))
    return done(hipErrorInvalidHandle);
  delete reinterpret_cast<char *>(stream);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
  std::lock_guard<std::mutex> guard(state().lock);
  return done(stream && !state().streams.count(stream) ? hipErrorInvalidHandle : hipSuccess);
}

FLY_HIP_EXPORT hipError_t hipGetLastError() {
  hipError_t error = thread().lastError;
  thread().lastError = hipSuccess;
  return error;
}

FLY_HIP_EXPORT hipError_t hipPeekAtLastError() { return thread().lastError; }

namespace {
struct ErrorRow { hipError_t error; const char *name, *text; };
constexpr ErrorRow errors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no device"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device; FLY_EMULATE names an architecture, as in gfx942"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "the code object is damaged"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu", "the code object is for another architecture"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid handle"},
    {hipErrorNotFound, "hipErrorNotFound", "not found"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "not a pointer to device memory"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid launch configuration"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "access outside of any allocation"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "the kernel failed"},
};
const ErrorRow *rowOf(hipError_t error) {
  auto row = std::find_if(std::begin(errors), std::end(errors), [&](const ErrorRow &r) { return r.error == error; });
  return row == std::end(errors) ? nullptr : row;
}
} // namespace

FLY_HIP_EXPORT const char *hipGetErrorName(hipError_t error) {
  const ErrorRow *row = rowOf(error);
  return row ? row->name : "hipErrorUnknown";
}

/// For what a kernel or a code object did wrong, the emulator's own report.
FLY_HIP_EXPORT const char *hipGetErrorString(hipError_t error) {
  bool reported = error == hipErrorIllegalAddress || error == hipErrorLaunchFailure || error == hipErrorInvalidImage;
  if (reported && !thread().report.empty())
    return thread().report.c_str();
  const ErrorRow *row = rowOf(error);
  return row ? row->text : "unknown error";
}
