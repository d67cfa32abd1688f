// Contexts of the driver's interface. Each device has one, and its handle stands for the device; the calling thread's
// current context is its current device.
#include "runtime/hip_emulated/HipEmulated.h"

using namespace fly::hip_emulated;

namespace {

hipCtx_t contextOf(int device) { return reinterpret_cast<hipCtx_t>(state().devices[device].get()); }

/// The device of a context; -1: it is none.
int deviceOf(hipCtx_t context) {
  for (size_t i = 0; i < state().devices.size(); ++i)
    if (contextOf(static_cast<int>(i)) == context) return static_cast<int>(i);
  return -1;
}

void push(int device) {
  thread().covered.push_back(thread().device);
  thread().device = device;
}

/// Back to what was current before. False: nothing was pushed.
bool pop() {
  if (thread().covered.empty()) return false;
  thread().device = thread().covered.back();
  thread().covered.pop_back();
  return true;
}

} // namespace

FLY_HIP_EXPORT hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device) {
  if (!context) return done(hipErrorInvalidValue);
  if (!isDevice(device)) return done(hipErrorInvalidDevice);
  *context = contextOf(device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  return done(isDevice(device) ? hipSuccess : hipErrorInvalidDevice);
}
FLY_HIP_EXPORT hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
  return done(isDevice(device) ? resetDevice(device) : hipErrorInvalidDevice);
}
FLY_HIP_EXPORT hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int *flags, int *active) {
  if (!flags || !active) return done(hipErrorInvalidValue);
  if (!isDevice(device)) return done(hipErrorInvalidDevice);
  *flags = state().devices[device]->flags;
  *active = 1;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags) {
  return done(isDevice(device) ? setDeviceFlags(device, flags) : hipErrorInvalidDevice);
}

FLY_HIP_EXPORT hipError_t hipCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device) {
  if (!context) return done(hipErrorInvalidValue);
  if (!isDevice(device)) return done(hipErrorInvalidDevice);
  if (hipError_t error = setDeviceFlags(device, flags); error != hipSuccess) return done(error);
  *context = contextOf(device);
  push(device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxDestroy(hipCtx_t context) {
  const int device = deviceOf(context);
  if (device < 0) return done(hipErrorInvalidContext);
  if (thread().device == device) pop();
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxPushCurrent(hipCtx_t context) {
  const int device = deviceOf(context);
  if (device < 0) return done(hipErrorInvalidContext);
  push(device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxPopCurrent(hipCtx_t *context) {
  const int device = thread().device;
  if (!isDevice(device) || !pop()) return done(hipErrorInvalidContext);
  if (context) *context = contextOf(device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxSetCurrent(hipCtx_t context) {
  int device = context ? deviceOf(context) : 0;
  if (!isDevice(device)) return done(hipErrorInvalidContext);
  thread().device = device;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxGetCurrent(hipCtx_t *context) {
  if (!context) return done(hipErrorInvalidValue);
  if (!isDevice(thread().device)) return done(hipErrorNoDevice);
  *context = contextOf(thread().device);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipCtxGetDevice(hipDevice_t *device) { return hipGetDevice(device); }
FLY_HIP_EXPORT hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
FLY_HIP_EXPORT hipError_t hipCtxGetFlags(unsigned int *flags) { return hipGetDeviceFlags(flags); }
/// ROCm answers 4, whatever its version.
FLY_HIP_EXPORT hipError_t hipCtxGetApiVersion(hipCtx_t context, int *version) {
  if (!version) return done(hipErrorInvalidValue);
  if (deviceOf(context) < 0) return done(hipErrorInvalidContext);
  *version = 4;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config) { return hipDeviceGetCacheConfig(config); }
FLY_HIP_EXPORT hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) { return hipDeviceSetCacheConfig(config); }
FLY_HIP_EXPORT hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config) {
  return hipDeviceGetSharedMemConfig(config);
}
FLY_HIP_EXPORT hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) {
  return hipDeviceSetSharedMemConfig(config);
}
FLY_HIP_EXPORT hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags) {
  return deviceOf(peer) < 0 ? done(hipErrorInvalidContext) : hipDeviceEnablePeerAccess(deviceOf(peer), flags);
}
FLY_HIP_EXPORT hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
  return deviceOf(peer) < 0 ? done(hipErrorInvalidContext) : hipDeviceDisablePeerAccess(deviceOf(peer));
}
