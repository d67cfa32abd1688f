// Memory: of devices, of the host for devices, of both. A device's pointers are the emulator's addresses, which the
// host cannot read through, as on a GPU. Pinned and managed memory is the host's, and devices use it under the host's
// address.
#include "runtime/hip_emulated/ImageMemory.h"
#include "runtime/hip_emulated/Streams.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fly::hip_emulated {

const Allocation *allocationOf(const void *pointer, size_t bytes, uintptr_t *start) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto &allocations = state().allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return nullptr;
  auto &[from, allocation] = *std::prev(next);
  if (address - from > allocation.bytes || bytes > allocation.bytes - (address - from)) return nullptr;
  if (start) *start = from;
  return &allocation;
}

namespace {

constexpr uint64_t everyDevice = ~0ull;

size_t pages(size_t bytes) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Which devices use the memory of `device`, besides itself.
uint64_t peersOf(int device) {
  uint64_t mask = 0;
  for (size_t i = 0; i < state().devices.size(); ++i)
    if (state().devices[i]->peers >> device & 1) mask |= uint64_t(1) << i;
  return mask & ~(uint64_t(1) << device);
}

/// What other devices see of an allocation.
void share(uintptr_t address, const Allocation &a) {
  if (uint64_t mask = peersOf(a.device))
    state().shared->add(address, a.bytes, a.host, "hipMalloc of device " + std::to_string(a.device), mask);
  else state().shared->remove(address);
}

/// Of no bytes: a null pointer.
hipError_t allocateOnDevice(void **pointer, size_t bytes, int device = thread().device) {
  if (!pointer) return done(hipErrorInvalidValue);
  *pointer = nullptr;
  if (!isDevice(device)) return done(hipErrorNoDevice);
  {
    hipError_t error = locked([&](Guard &) { return unsafeCall(); });
    if (error != hipSuccess || bytes == 0) return error;
  }
  emulator::Device &memory = *state().devices[device]->device;
  Guard running(state().devices[device]->running);
  uint64_t address = memory.allocate(bytes, "hipMalloc");
  if (!address) return done(hipErrorOutOfMemory);
  return locked([&](Guard &) {
    Allocation a{device, bytes, MemoryKind::Device, 0, static_cast<uint8_t *>(memory.hostPointer(address, bytes)),
                 nullptr};
    state().allocations[address] = a;
    share(address, a);
    *pointer = reinterpret_cast<void *>(address);
    return hipSuccess;
  });
}

/// Whether the host's memory has room for `bytes` besides what it has given already. All of it is written at once.
bool hostHolds(size_t bytes) {
  size_t free = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (auto &[address, a] : state().allocations)
    if (a.isHost() && a.kind != MemoryKind::Registered) free -= std::min(free, a.bytes);
  return bytes <= free;
}

/// Memory of the host that every device uses under the same address.
hipError_t allocateOnHost(void **pointer, size_t bytes, MemoryKind kind, unsigned flags) {
  return locked([&](Guard &) {
    if (!pointer) return hipErrorInvalidValue;
    *pointer = nullptr;
    if (hipError_t error = unsafeCall(); error != hipSuccess) return error;
    if (state().devices.empty()) return hipErrorNoDevice;
    if (bytes == 0) return hipSuccess;
    if (!hostHolds(bytes)) return hipErrorOutOfMemory;
    void *memory =
        mmap(nullptr, pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return hipErrorOutOfMemory;
    std::memset(memory, emulator::poisonByte, bytes);
    auto address = reinterpret_cast<uintptr_t>(memory);
    state().allocations[address] = {thread().device, bytes, kind, flags, static_cast<uint8_t *>(memory), nullptr};
    state().shared->add(address, bytes, static_cast<uint8_t *>(memory),
                        kind == MemoryKind::Managed  ? "hipMallocManaged"
                        : kind == MemoryKind::Signal ? "hipExtMallocWithFlags"
                                                     : "hipHostMalloc",
                        everyDevice);
    *pointer = memory;
    return hipSuccess;
  });
}

/// Devices whose kernels may be using an allocation.
uint64_t usersOf(const Allocation &a) {
  if (a.isHost() || a.kind == MemoryKind::Imported) return everyDevice;
  return peersOf(a.device) | uint64_t(1) << a.device;
}

/// Frees what begins at `pointer` and is of a kind that `isRight` accepts, when nothing runs any more.
template <typename Right> hipError_t release(void *pointer, hipError_t otherwise, Right isRight) {
  if (!pointer) return hipSuccess;
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto find = [&] {
    auto found = state().allocations.find(address);
    return found != state().allocations.end() && isRight(found->second.kind) ? found : state().allocations.end();
  };
  uint64_t users = 0;
  hipError_t error = locked([&](Guard &guard) {
    if (hipError_t forbidden = unsafeCall(); forbidden != hipSuccess) return forbidden;
    auto found = find();
    if (found == state().allocations.end()) return otherwise;
    users = usersOf(found->second);
    for (size_t device = 0; device < state().devices.size(); ++device)
      if (users >> device & 1)
        if (hipError_t stuck = waitForDevice(guard, static_cast<int>(device)); stuck != hipSuccess) return stuck;
    return hipSuccess;
  });
  if (error != hipSuccess) return error;
  std::vector<Guard> running; // whoever looks up shared memory keeps what was found while a kernel runs
  for (size_t device = 0; device < state().devices.size(); ++device)
    if (users >> device & 1) running.emplace_back(state().devices[device]->running);
  return locked([&](Guard &) {
    auto found = find(); // another thread may have been faster
    if (found == state().allocations.end()) return otherwise;
    const Allocation a = found->second;
    state().shared->remove(address);
    state().allocations.erase(found);
    if (a.kind == MemoryKind::Device) state().devices[a.device]->device->free(address);
    else if (a.kind != MemoryKind::Registered) munmap(a.host, pages(a.bytes));
    return hipSuccess;
  });
}

bool isHostAllocation(MemoryKind kind) { return kind == MemoryKind::Pinned; }
bool isFreeable(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Managed || kind == MemoryKind::Signal;
}

hipError_t peerAccess(int peer, bool enable) {
  return locked([&](Guard &guard) {
    int device = thread().device;
    if (!isDevice(peer) || peer == device) return hipErrorInvalidDevice;
    uint64_t &peers = state().devices[device]->peers, bit = uint64_t(1) << peer;
    if (enable == ((peers & bit) != 0)) return enable ? hipErrorPeerAccessAlreadyEnabled : hipErrorPeerAccessNotEnabled;
    if (!enable)
      if (hipError_t error = waitForDevice(guard, device); error != hipSuccess) return error;
    peers ^= bit;
    for (auto &[address, a] : state().allocations)
      if (a.kind == MemoryKind::Device && a.device == peer) share(address, a);
    return hipSuccess;
  });
}

/// What a handle of memory has for another process. The file is reached through this process, whose number may have been
/// given anew: so it is known by its inode.
struct MemoryHandle {
  char mark[8];
  int64_t process;
  int64_t file;
  uint64_t inode, bytes, offset;
};
static_assert(sizeof(MemoryHandle) <= sizeof(hipIpcMemHandle_t));
constexpr char handleMark[8] = "fly-ipc";

hipError_t exportMemory(hipIpcMemHandle_t *handle, void *pointer) {
  if (!handle) return done(hipErrorInvalidValue);
  int device = -1;
  hipError_t error = locked([&](Guard &guard) {
    if (hipError_t forbidden = unsafeCall(); forbidden != hipSuccess) return forbidden;
    const Allocation *a = allocationOf(pointer, 1);
    if (!a || a->kind != MemoryKind::Device)
      return refuse(hipErrorInvalidValue, "hipIpcGetMemHandle: the pointer is not into memory of hipMalloc");
    device = a->device;
    return waitForDevice(guard, device);
  });
  if (error != hipSuccess) return error;
  Guard running(state().devices[device]->running);
  return locked([&](Guard &) {
    uintptr_t start = 0;
    const Allocation *a = allocationOf(pointer, 1, &start);
    if (!a || a->kind != MemoryKind::Device) return hipErrorInvalidValue; // another thread has freed it
    MemoryHandle made{};
    std::memcpy(made.mark, handleMark, sizeof made.mark);
    made.process = getpid();
    made.file = state().devices[device]->device->exportToFile(start);
    struct stat status;
    if (made.file < 0 || fstat(static_cast<int>(made.file), &status) != 0) return hipErrorOutOfMemory;
    made.inode = status.st_ino;
    made.bytes = a->bytes;
    made.offset = reinterpret_cast<uintptr_t>(pointer) - start;
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, &made, sizeof made);
    return hipSuccess;
  });
}

/// The bytes of another process's memory; null if they cannot be mapped.
uint8_t *mapped(const MemoryHandle &handle) {
  const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat status;
  void *bytes = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_ino == handle.inode)
    bytes = mmap(nullptr, pages(handle.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<uint8_t *>(bytes);
}

hipError_t importMemory(void **pointer, const hipIpcMemHandle_t &given, unsigned flags) {
  MemoryHandle handle;
  std::memcpy(&handle, &given, sizeof handle);
  if (!pointer || flags > 1) return done(hipErrorInvalidValue); // hipIpcMemLazyEnablePeerAccess: 0, since ROCm 6 1
  if (std::memcmp(handle.mark, handleMark, sizeof handle.mark) != 0 || handle.offset >= handle.bytes)
    return done(refuse(hipErrorInvalidValue, "hipIpcOpenMemHandle: this is not a handle of hipIpcGetMemHandle"));
  if (handle.process == getpid())
    return done(refuse(hipErrorInvalidContext, "hipIpcOpenMemHandle: the memory is this process's own"));
  const int device = thread().device;
  if (!isDevice(device)) return done(hipErrorNoDevice);
  Guard running(state().devices[device]->running);
  return locked([&](Guard &) {
    if (hipError_t forbidden = unsafeCall(); forbidden != hipSuccess) return forbidden;
    const uint64_t address = state().devices[device]->device->reserve(handle.bytes);
    if (!address) return hipErrorOutOfMemory;
    uint8_t *bytes = mapped(handle);
    if (!bytes)
      return refuse(hipErrorMapFailed, "hipIpcOpenMemHandle: process " + std::to_string(handle.process) +
                                           " has ended, has freed the memory, or belongs to another user");
    state().allocations[address] = {device, handle.bytes, MemoryKind::Imported, 0, bytes, nullptr};
    state().shared->add(address, handle.bytes, bytes,
                        "memory of process " + std::to_string(handle.process) + " (hipIpcOpenMemHandle)", everyDevice);
    *pointer = reinterpret_cast<void *>(address + handle.offset);
    return hipSuccess;
  });
}

/// Where the import begins that the pointer is in: HIP gives pointers into the middle.
void *importOf(void *pointer) {
  Guard guard(state().lock);
  uintptr_t start = 0;
  const Allocation *a = allocationOf(pointer, 1, &start);
  return a && a->kind == MemoryKind::Imported ? reinterpret_cast<void *>(start) : pointer;
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *pointer) {
  return exportMemory(handle, pointer);
}
FLY_HIP_EXPORT hipError_t hipIpcOpenMemHandle(void **pointer, hipIpcMemHandle_t handle, unsigned int flags) {
  return importMemory(pointer, handle, flags);
}
FLY_HIP_EXPORT hipError_t hipIpcCloseMemHandle(void *pointer) {
  if (!pointer) return done(hipErrorInvalidValue);
  return release(importOf(pointer), hipErrorInvalidValue, [](MemoryKind kind) { return kind == MemoryKind::Imported; });
}

FLY_HIP_EXPORT hipError_t hipMalloc(void **pointer, size_t bytes) { return allocateOnDevice(pointer, bytes); }
FLY_HIP_EXPORT hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned int flags) {
  // ROCm 6 and later, which the headers here may be older than.
  constexpr unsigned uncached = 0x3, contiguous = 0x4;
  switch (flags) {
  case hipDeviceMallocDefault:
  case hipDeviceMallocFinegrained:
  case uncached:
  case contiguous: return allocateOnDevice(pointer, bytes);
  case hipMallocSignalMemory:
    if (bytes != 8) return done(refuse(hipErrorInvalidValue, "hipMallocSignalMemory: signal memory has 8 bytes"));
    return allocateOnHost(pointer, bytes, MemoryKind::Signal, flags);
  }
  return done(refuse(hipErrorInvalidValue, "hipExtMallocWithFlags: unknown flags"));
}

namespace {
constexpr size_t pitchAlignment = 256;
}
FLY_HIP_EXPORT hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  if (!pointer || !pitch) return done(hipErrorInvalidValue);
  *pointer = nullptr;
  if (width > SIZE_MAX - pitchAlignment) return done(hipErrorOutOfMemory);
  *pitch = (width + pitchAlignment - 1) / pitchAlignment * pitchAlignment;
  if (height && *pitch > SIZE_MAX / height) return done(hipErrorOutOfMemory);
  return allocateOnDevice(pointer, *pitch * height);
}
FLY_HIP_EXPORT hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height,
                                           unsigned int) {
  return hipMallocPitch(pointer, pitch, width, height);
}
FLY_HIP_EXPORT hipError_t hipMalloc3D(hipPitchedPtr *result, hipExtent extent) {
  if (!result) return done(hipErrorInvalidValue);
  *result = {nullptr, 0, extent.width, extent.height};
  if (extent.depth && extent.height > SIZE_MAX / extent.depth) return done(hipErrorOutOfMemory);
  return hipMallocPitch(&result->ptr, &result->pitch, extent.width, extent.height * extent.depth);
}

FLY_HIP_EXPORT hipError_t hipFree(void *pointer) { return release(pointer, hipErrorInvalidValue, isFreeable); }

/// The memory is there at once; only freeing has its place in the stream.
FLY_HIP_EXPORT hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t handle) {
  int device = -1;
  hipError_t error = locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    device = stream->device;
    return stream->capture ? refuse(hipErrorStreamCaptureUnsupported, "hipMallocAsync cannot be captured here")
                           : hipSuccess;
  });
  return error == hipSuccess ? allocateOnDevice(pointer, bytes, device) : error;
}
FLY_HIP_EXPORT hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
  if (!pointer) return hipSuccess;
  return locked([&](Guard &) {
    std::shared_ptr<Stream> stream = streamOf(handle);
    if (!stream) return hipErrorInvalidHandle;
    auto found = state().allocations.find(reinterpret_cast<uintptr_t>(pointer));
    if (found == state().allocations.end() || found->second.kind != MemoryKind::Device ||
        found->second.device != stream->device)
      return hipErrorInvalidValue;
    if (found->second.isFreed) return refuse(hipErrorInvalidValue, "hipFreeAsync: the memory is freed already");
    hipError_t error = submit(*stream, FreeAction{pointer});
    found->second.isFreed = error == hipSuccess;
    return error;
  });
}

/// Memory cannot be both coherent and not.
static bool areHostFlags(unsigned flags) {
  constexpr unsigned uncached = 0x10000000; // ROCm 6.4
  constexpr unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
  constexpr unsigned known = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                             hipHostMallocNumaUser | uncached | both;
  return !(flags & ~known) && (flags & both) != both;
}

FLY_HIP_EXPORT hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int flags) {
  if (!areHostFlags(flags)) return done(refuse(hipErrorInvalidValue, "hipHostMalloc: unknown flags"));
  return allocateOnHost(pointer, bytes, MemoryKind::Pinned, flags);
}
FLY_HIP_EXPORT hipError_t hipHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  return hipHostMalloc(pointer, bytes, flags);
}
FLY_HIP_EXPORT hipError_t hipMallocHost(void **pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, 0); }
FLY_HIP_EXPORT hipError_t hipMemAllocHost(void **pointer, size_t bytes) { return hipHostMalloc(pointer, bytes, 0); }
FLY_HIP_EXPORT hipError_t hipHostFree(void *pointer) {
  return release(pointer, hipErrorInvalidValue, isHostAllocation);
}
FLY_HIP_EXPORT hipError_t hipFreeHost(void *pointer) { return hipHostFree(pointer); }
FLY_HIP_EXPORT hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
  if (!bytes || (flags != hipMemAttachGlobal && flags != hipMemAttachHost)) return done(hipErrorInvalidValue);
  return allocateOnHost(pointer, bytes, MemoryKind::Managed, flags);
}

FLY_HIP_EXPORT hipError_t hipHostRegister(void *pointer, size_t bytes, unsigned int flags) {
  return locked([&](Guard &) {
    constexpr unsigned readOnly = 0x8, uncached = 0x80000000; // ROCm 6; 8 is also "coarse-grained"
    constexpr unsigned known =
        hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory | readOnly | uncached;
    if (!pointer || !bytes || flags & ~known) return hipErrorInvalidValue;
    if (state().devices.empty()) return hipErrorNoDevice;
    if (!ImageMemory(static_cast<const char *>(pointer)).isReadable(0, bytes))
      return refuse(hipErrorInvalidValue, "hipHostRegister: the memory cannot be read");
    auto address = reinterpret_cast<uintptr_t>(pointer);
    auto next = state().allocations.lower_bound(address);
    if (allocationOf(pointer, 1) || (next != state().allocations.end() && next->first < address + bytes))
      return hipErrorHostMemoryAlreadyRegistered;
    auto *host = static_cast<uint8_t *>(pointer);
    state().allocations[address] = {thread().device, bytes, MemoryKind::Registered, flags, host, nullptr};
    state().shared->add(address, bytes, host, "hipHostRegister", everyDevice);
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipHostUnregister(void *pointer) {
  if (!pointer) return done(hipErrorInvalidValue);
  return release(pointer, hipErrorHostMemoryNotRegistered,
                 [](MemoryKind kind) { return kind == MemoryKind::Registered; });
}

FLY_HIP_EXPORT hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  if (!free && !total) return done(hipErrorInvalidValue);
  int device = thread().device;
  if (!isDevice(device)) return done(hipErrorNoDevice);
  Guard running(state().devices[device]->running);
  fly::emulator::Device &memory = *state().devices[device]->device;
  if (free) *free = memory.bytesInAll() - memory.bytesInUse();
  if (total) *total = memory.bytesInAll();
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can) return done(hipErrorInvalidValue);
  if (!isDevice(device) || !isDevice(peer)) return done(hipErrorInvalidDevice);
  *can = device != peer;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return flags ? done(hipErrorInvalidValue) : peerAccess(peer, true);
}
FLY_HIP_EXPORT hipError_t hipDeviceDisablePeerAccess(int peer) { return peerAccess(peer, false); }
FLY_HIP_EXPORT hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int device, int peer) {
  if (!value || static_cast<unsigned>(attribute) > hipDevP2PAttrHipArrayAccessSupported)
    return done(hipErrorInvalidValue);
  if (!isDevice(device) || !isDevice(peer) || device == peer) return done(hipErrorInvalidDevice);
  *value = attribute == hipDevP2PAttrAccessSupported || attribute == hipDevP2PAttrNativeAtomicSupported;
  return hipSuccess;
}

namespace {
bool isDeviceOrHost(int device) { return isDevice(device) || device == hipCpuDeviceId; }

bool isAdvice(int advice) {
  return (advice >= hipMemAdviseSetReadMostly && advice <= hipMemAdviseUnsetAccessedBy) ||
         advice == hipMemAdviseSetCoarseGrain || advice == hipMemAdviseUnsetCoarseGrain;
}
} // namespace

/// Managed memory is where it is: there is nothing to move.
FLY_HIP_EXPORT hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device, hipStream_t stream) {
  return locked([&](Guard &) {
    if (!allocationOf(pointer, bytes)) return hipErrorInvalidValue;
    if (!isDeviceOrHost(device)) return hipErrorInvalidDevice;
    return streamOf(stream) ? hipSuccess : hipErrorInvalidHandle;
  });
}
FLY_HIP_EXPORT hipError_t hipMemAdvise(const void *pointer, size_t bytes, hipMemoryAdvise advice, int device) {
  return locked([&](Guard &) {
    return allocationOf(pointer, bytes) && isAdvice(advice) && isDeviceOrHost(device) ? hipSuccess
                                                                                      : hipErrorInvalidValue;
  });
}
/// Of a whole allocation; a length of 0 means that, too.
FLY_HIP_EXPORT hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer, size_t bytes, unsigned int flags) {
  return locked([&](Guard &) {
    const Allocation *a = allocationOf(pointer, 1);
    const bool isKnown = flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle;
    if (!a || !isKnown || (bytes && bytes != a->bytes)) return hipErrorInvalidValue;
    return streamOf(stream) ? hipSuccess : hipErrorInvalidHandle;
  });
}
