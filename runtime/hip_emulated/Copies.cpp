// Copies and fills: HIP's many calls for two actions. The synchronous ones wait for their stream; an asynchronous copy
// does too when one side is memory that the host did not pin, as HIP documents.
#include "runtime/hip_emulated/Launches.h"
#include "runtime/hip_emulated/Streams.h"

namespace fly::hip_emulated {

namespace {

void settle(CopyAction &copy) {
  if (copy.kind != hipMemcpyDefault || copy.isEmpty()) return;
  auto isKnown = [](const void *pointer) {
    const Allocation *a = allocationOf(pointer, 1);
    return a && !a->isHost();
  };
  bool to = isKnown(copy.to), from = isKnown(copy.from);
  copy.kind = to ? (from ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice)
                 : (from ? hipMemcpyDeviceToHost : hipMemcpyHostToHost);
}

} // namespace

CopyAction makeCopy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  CopyAction copy;
  copy.to = to;
  copy.from = from;
  copy.width = bytes;
  copy.kind = kind;
  settle(copy);
  return copy;
}

static CopyAction makeCopy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                             hipMemcpyKind kind) {
  CopyAction copy = makeCopy(to, from, width, kind);
  copy.height = height;
  copy.toPitch = toPitch;
  copy.fromPitch = fromPitch;
  return copy;
}

/// A place in a box; null if it is beyond the address space, as it is in no memory.
static char *placeIn(const void *box, size_t x, size_t y, size_t z, size_t pitch, size_t slice) {
  const size_t offset = addSizes(addSizes(multiplySizes(z, slice), multiplySizes(y, pitch)), x);
  const auto start = reinterpret_cast<uintptr_t>(box);
  return box && offset <= UINTPTR_MAX - start ? reinterpret_cast<char *>(start + offset) : nullptr;
}

hipError_t makeCopy(const hipMemcpy3DParms *p, CopyAction &copy) {
  if (!p || p->srcArray || p->dstArray) return hipErrorInvalidValue;
  auto sliceOf = [](const hipPitchedPtr &pointer) { return multiplySizes(pointer.pitch, pointer.ysize); };
  auto at = [&](const hipPitchedPtr &pointer, const hipPos &position) {
    return placeIn(pointer.ptr, position.x, position.y, position.z, pointer.pitch, sliceOf(pointer));
  };
  char *to = at(p->dstPtr, p->dstPos), *from = at(p->srcPtr, p->srcPos);
  if (!to || !from) return hipErrorInvalidValue;
  copy = makeCopy2D(to, p->dstPtr.pitch, from, p->srcPtr.pitch, p->extent.width, p->extent.height, p->kind);
  copy.depth = p->extent.depth;
  copy.toSlice = sliceOf(p->dstPtr);
  copy.fromSlice = sliceOf(p->srcPtr);
  return hipSuccess;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

namespace {

/// The stream for an action that it can take now.
template <typename Action>
hipError_t admit(const Action &action, hipStream_t handle, bool waits, std::shared_ptr<Stream> &stream) {
  stream = streamOf(handle);
  if (!stream) return state().devices.empty() ? hipErrorNoDevice : hipErrorInvalidHandle;
  if (waits)
    if (hipError_t error = unsafeCall(); error != hipSuccess) return error;
  if (hipError_t error = failureOf(stream->device); error != hipSuccess) return error;
  return check(action);
}

/// Queues the copy. `waits`: it is complete when the call returns.
hipError_t copy(Guard &guard, const CopyAction &action, hipStream_t handle, bool waits) {
  std::shared_ptr<Stream> stream;
  if (hipError_t error = admit(action, handle, waits, stream); error != hipSuccess || action.isEmpty()) return error;
  if (!waits && !isPageable(action)) return submit(*stream, action);
  return submitAndWait(guard, *stream, action);
}

hipError_t fill(Guard &guard, const FillAction &action, hipStream_t handle, bool waits) {
  std::shared_ptr<Stream> stream;
  if (hipError_t error = admit(action, handle, waits, stream); error != hipSuccess || action.isEmpty()) return error;
  return waits ? submitAndWait(guard, *stream, action) : submit(*stream, action);
}

hipError_t copy1(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream, bool waits) {
  return locked([&](Guard &guard) { return copy(guard, makeCopy(to, from, bytes, kind), stream, waits); });
}

hipError_t copy2(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
                 hipMemcpyKind kind, hipStream_t stream, bool waits) {
  return locked([&](Guard &guard) {
    return copy(guard, makeCopy2D(to, toPitch, from, fromPitch, width, height, kind), stream, waits);
  });
}

hipError_t copy3(const hipMemcpy3DParms *parameters, hipStream_t stream, bool waits) {
  return locked([&](Guard &guard) {
    CopyAction action;
    hipError_t error = makeCopy(parameters, action);
    return error != hipSuccess ? error : copy(guard, action, stream, waits);
  });
}

/// Where a side of the driver's copies is. Unified and managed memory is what its pointer says.
enum class Side { Host, Device, ByPointer, Array, Unknown };

/// ROCm 6 renumbered the kinds of memory.
Side sideOf(hipMemoryType type) {
  const int number = static_cast<int>(type);
  const bool isNew = state().hipMajor >= 6;
  if (number == (isNew ? 1 : 0)) return Side::Host;
  if (number == (isNew ? 2 : 1)) return Side::Device;
  if (number == (isNew ? 10 : 2)) return Side::Array;
  return number == 3 || (isNew && number == 11) ? Side::ByPointer : Side::Unknown;
}

hipMemcpyKind kindOf(Side from, Side to) {
  if (from == Side::ByPointer || to == Side::ByPointer) return hipMemcpyDefault;
  if (from == Side::Host) return to == Side::Host ? hipMemcpyHostToHost : hipMemcpyHostToDevice;
  return to == Side::Host ? hipMemcpyDeviceToHost : hipMemcpyDeviceToDevice;
}

/// The driver's description of a side: a host pointer, or a device's, and a place in it.
template <typename P> hipError_t copyDriver(const P *p, size_t depth, size_t fromSlice, size_t toSlice, size_t fromZ,
                                            size_t toZ, hipStream_t stream, bool waits) {
  return locked([&](Guard &guard) {
    const Side source = sideOf(p->srcMemoryType), target = sideOf(p->dstMemoryType);
    if (source == Side::Unknown || target == Side::Unknown) return hipErrorInvalidValue;
    if (source == Side::Array || target == Side::Array) return hipErrorNotSupported;
    const void *fromBox = source == Side::Host ? p->srcHost : p->srcDevice;
    void *toBox = target == Side::Host ? p->dstHost : p->dstDevice;
    size_t fromPitch = p->srcPitch ? p->srcPitch : p->WidthInBytes,
           toPitch = p->dstPitch ? p->dstPitch : p->WidthInBytes;
    char *from = placeIn(fromBox, p->srcXInBytes, p->srcY, fromZ, fromPitch, fromSlice);
    char *to = placeIn(toBox, p->dstXInBytes, p->dstY, toZ, toPitch, toSlice);
    if (!from || !to) return hipErrorInvalidValue;
    CopyAction action = makeCopy2D(to, toPitch, from, fromPitch, p->WidthInBytes, p->Height, kindOf(source, target));
    action.depth = depth;
    action.fromSlice = fromSlice;
    action.toSlice = toSlice;
    return copy(guard, action, stream, waits);
  });
}

hipError_t driver2(const hip_Memcpy2D *p, hipStream_t stream, bool waits) {
  return p ? copyDriver(p, 1, 0, 0, 0, 0, stream, waits) : done(hipErrorInvalidValue);
}
hipError_t driver3(const HIP_MEMCPY3D *p, hipStream_t stream, bool waits) {
  if (!p) return done(hipErrorInvalidValue);
  auto slice = [&](unsigned pitch, unsigned height) { // of rows without gaps unless given
    return multiplySizes(pitch ? pitch : p->WidthInBytes, height ? height : p->Height);
  };
  return copyDriver(p, p->Depth, slice(p->srcPitch, p->srcHeight), slice(p->dstPitch, p->dstHeight), p->srcZ, p->dstZ,
                    stream, waits);
}

hipError_t fill3(void *to, unsigned elementSize, uint32_t value, size_t width, size_t height, size_t depth,
                 size_t pitch, size_t slice, hipStream_t stream, bool waits) {
  return locked([&](Guard &guard) {
    return fill(guard, FillAction{to, value, elementSize, width, height, depth, pitch, slice}, stream, waits);
  });
}
hipError_t fill1(void *to, unsigned elementSize, uint32_t value, size_t count, hipStream_t stream, bool waits) {
  return fill3(to, elementSize, value, count, 1, 1, 0, 0, stream, waits);
}

} // namespace

FLY_HIP_EXPORT hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  return copy1(to, from, bytes, kind, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                         hipStream_t stream) {
  return copy1(to, from, bytes, kind, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                                              hipStream_t stream) {
  return copy1(to, from, bytes, kind, stream, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t bytes) {
  return copy1(to, from, bytes, hipMemcpyHostToDevice, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  return copy1(to, from, bytes, hipMemcpyDeviceToHost, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  return copy1(to, from, bytes, hipMemcpyDeviceToDevice, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes, hipStream_t stream) {
  return copy1(to, from, bytes, hipMemcpyHostToDevice, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy1(to, from, bytes, hipMemcpyDeviceToHost, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  return copy1(to, from, bytes, hipMemcpyDeviceToDevice, stream, false);
}
/// Which devices they are is known from the pointers, so a wrong number is an error.
static hipError_t copyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes, hipStream_t stream,
                           bool waits) {
  return locked([&](Guard &guard) {
    if (!isDevice(toDevice) || !isDevice(fromDevice)) return hipErrorInvalidDevice;
    const Allocation *target = allocationOf(to, bytes), *source = allocationOf(from, bytes);
    if (!target || !source || (!target->isHost() && target->device != toDevice) ||
        (!source->isHost() && source->device != fromDevice))
      return refuse(hipErrorInvalidValue, "a pointer does not belong to the device that is given as its owner");
    return copy(guard, makeCopy(to, from, bytes, hipMemcpyDeviceToDevice), stream, waits);
  });
}
FLY_HIP_EXPORT hipError_t hipMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
  return copyPeer(to, toDevice, from, fromDevice, bytes, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes,
                                             hipStream_t stream) {
  return copyPeer(to, toDevice, from, fromDevice, bytes, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                      size_t height, hipMemcpyKind kind) {
  return copy2(to, toPitch, from, fromPitch, width, height, kind, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                                           size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return copy2(to, toPitch, from, fromPitch, width, height, kind, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpy3D(const hipMemcpy3DParms *parameters) { return copy3(parameters, nullptr, true); }
FLY_HIP_EXPORT hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *parameters, hipStream_t stream) {
  return copy3(parameters, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpyParam2D(const hip_Memcpy2D *parameters) {
  return driver2(parameters, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *parameters, hipStream_t stream) {
  return driver2(parameters, stream, false);
}
FLY_HIP_EXPORT hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *parameters) {
  return driver2(parameters, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *parameters) { return driver3(parameters, nullptr, true); }
FLY_HIP_EXPORT hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *parameters, hipStream_t stream) {
  return driver3(parameters, stream, false);
}

FLY_HIP_EXPORT hipError_t hipMemset(void *to, int value, size_t bytes) {
  return fill1(to, 1, static_cast<uint8_t>(value), bytes, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return fill1(to, 1, static_cast<uint8_t>(value), bytes, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  return fill1(to, 1, value, count, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
  return fill1(to, 1, value, count, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
  return fill1(to, 2, value, count, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
  return fill1(to, 2, value, count, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  return fill1(to, 4, static_cast<uint32_t>(value), count, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  return fill1(to, 4, static_cast<uint32_t>(value), count, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return fill3(to, 1, static_cast<uint8_t>(value), width, height, 1, pitch, 0, nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                           hipStream_t stream) {
  return fill3(to, 1, static_cast<uint8_t>(value), width, height, 1, pitch, 0, stream, false);
}
FLY_HIP_EXPORT hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent e) {
  return fill3(to.ptr, 1, static_cast<uint8_t>(value), e.width, e.height, e.depth, to.pitch,
               multiplySizes(to.pitch, to.ysize), nullptr, true);
}
FLY_HIP_EXPORT hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent e, hipStream_t stream) {
  return fill3(to.ptr, 1, static_cast<uint8_t>(value), e.width, e.height, e.depth, to.pitch,
               multiplySizes(to.pitch, to.ysize), stream, false);
}
