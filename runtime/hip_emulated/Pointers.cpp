// What a pointer is: questions about memory.
#include "runtime/hip_emulated/HipEmulated.h"

#include <algorithm>
#include <cstring>

using namespace fly::hip_emulated;

namespace {

/// ROCm 6 renumbered the kinds of memory: 0 is memory that HIP does not know.
hipMemoryType typeOf(MemoryKind kind) {
  bool isHost = kind == MemoryKind::Pinned || kind == MemoryKind::Registered || kind == MemoryKind::Signal;
  if (state().hipMajor >= 6) return static_cast<hipMemoryType>(kind == MemoryKind::Managed ? 3 : isHost ? 1 : 2);
  return isHost || kind == MemoryKind::Managed ? hipMemoryTypeHost : hipMemoryTypeDevice; // "unified" is not used there
}

hipError_t attributesOf(hipPointerAttribute_t &result, const void *pointer) {
  const Allocation *a = pointer ? allocationOf(pointer, 1) : nullptr;
  result = {};
  if (!a) return hipErrorInvalidValue;
  result.memoryType = typeOf(a->kind);
  result.device = a->device;
  result.devicePointer = const_cast<void *>(pointer);
  result.hostPointer = a->isHost() ? const_cast<void *>(pointer) : nullptr;
  result.isManaged = a->kind == MemoryKind::Managed;
  result.allocationFlags = a->flags;
  return hipSuccess;
}

/// The size of an attribute's value; 0: there is no such attribute.
size_t sizeOf(hipPointer_attribute which) {
  switch (which) {
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: return 4;
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
  case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
  case HIP_POINTER_ATTRIBUTE_MAPPED:
  case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return 1;
  case HIP_POINTER_ATTRIBUTE_CONTEXT:
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
  case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
  case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return 8;
  }
  return 0;
}

template <typename T> void put(void *to, T value) { *static_cast<T *>(to) = value; }

hipError_t attribute(void *data, hipPointer_attribute which, const void *pointer) {
  uintptr_t start = 0;
  const Allocation *a = allocationOf(pointer, 1, &start);
  if (which == HIP_POINTER_ATTRIBUTE_MAPPED) {
    put(data, a != nullptr);
    return hipSuccess;
  }
  if (!a) return hipErrorInvalidValue;
  switch (which) {
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: put(data, typeOf(a->kind)); break;
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: put(data, const_cast<void *>(pointer)); break;
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!a->isHost()) return hipErrorInvalidValue;
    put(data, const_cast<void *>(pointer));
    break;
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED: put(data, a->kind == MemoryKind::Managed); break;
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: put(data, a->device); break;
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: put(data, reinterpret_cast<void *>(start)); break;
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: put(data, a->bytes); break;
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID: put(data, static_cast<unsigned long long>(start)); break;
  default: return hipErrorNotSupported;
  }
  return hipSuccess;
}

} // namespace

FLY_HIP_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *pointer) {
  return locked([&](Guard &) {
    if (!attributes) return hipErrorInvalidValue;
    hipError_t error = attributesOf(*attributes, pointer);
    return error != hipSuccess && state().hipMajor >= 6 && pointer ? hipSuccess
                                                                   : error; // "unregistered" is an answer there
  });
}
FLY_HIP_EXPORT hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute which, hipDeviceptr_t pointer) {
  return locked([&](Guard &) { return data ? attribute(data, which, pointer) : hipErrorInvalidValue; });
}
/// An attribute without a value is zero.
FLY_HIP_EXPORT hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *which, void **data,
                                                     hipDeviceptr_t pointer) {
  return locked([&](Guard &) {
    if (!which || !data || std::find(data, data + count, nullptr) != data + count) return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      if (!sizeOf(which[i])) return hipErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      if (attribute(data[i], which[i], pointer) != hipSuccess) std::memset(data[i], 0, sizeOf(which[i]));
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t pointer) {
  return locked([&](Guard &) {
    uintptr_t start = 0;
    const Allocation *a = allocationOf(pointer, 1, &start);
    if (!a) return hipErrorNotFound;
    if (base) *base = reinterpret_cast<void *>(start);
    if (bytes) *bytes = a->bytes;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes) {
  return locked([&](Guard &) {
    const Allocation *a = allocationOf(pointer, 1);
    if (!a || !bytes) return hipErrorInvalidValue;
    *bytes = a->bytes;
    return hipSuccess;
  });
}
/// Host memory that devices know has the same address there.
FLY_HIP_EXPORT hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  return locked([&](Guard &) {
    const Allocation *a = host ? allocationOf(host, 1) : nullptr;
    if (!device || flags || !a || !a->isHost()) return hipErrorInvalidValue;
    *device = host;
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipHostGetFlags(unsigned int *flags, void *host) {
  return locked([&](Guard &) {
    const Allocation *a = host ? allocationOf(host, 1) : nullptr;
    if (!flags || !a || !a->isHost()) return hipErrorInvalidValue;
    *flags = a->flags;
    return hipSuccess;
  });
}
