// Device memory. Pointers are the emulator's addresses: the host cannot read through them, as on a GPU.
#include "runtime/hip_emulated/HipEmulated.h"

#include <cstring>

using namespace fly::hip_emulated;

namespace {

/// The device whose allocation holds [pointer, pointer + bytes); null when none does.
fly::emulator::Device *ownerOf(const void *pointer, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  auto &allocations = state().allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  auto &[start, allocation] = *std::prev(next);
  if (address - start > allocation.bytes || bytes > allocation.bytes - (address - start))
    return nullptr;
  return state().devices[allocation.device].get();
}

/// Each device of the emulator counts its addresses from the same start. Addresses here must tell the device, as they
/// do in HIP, so what overlaps another device's memory is passed over. Freed addresses are not given out again, so
/// this ends.
uint64_t allocateApart(int device, size_t bytes) {
  fly::emulator::Device &memory = *state().devices[device];
  auto overlaps = [&](uint64_t address) {
    auto next = state().allocations.lower_bound(address + bytes);
    if (next == state().allocations.begin())
      return false;
    auto &[start, allocation] = *std::prev(next);
    return start + allocation.bytes > address;
  };
  std::vector<uint64_t> passedOver;
  uint64_t address = memory.allocate(bytes, "hipMalloc");
  while (address && overlaps(address)) {
    passedOver.push_back(address);
    address = memory.allocate(bytes, "hipMalloc");
  }
  for (uint64_t each : passedOver)
    memory.free(each);
  return address;
}

hipError_t copy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  if (bytes == 0)
    return hipSuccess;
  if (!to || !from)
    return hipErrorInvalidValue;
  auto toAddress = reinterpret_cast<uintptr_t>(to), fromAddress = reinterpret_cast<uintptr_t>(from);
  fly::emulator::Device *target = ownerOf(to, bytes), *source = ownerOf(from, bytes);
  if (kind == hipMemcpyDefault)
    kind = target ? (source ? hipMemcpyDeviceToDevice : hipMemcpyHostToDevice)
                  : (source ? hipMemcpyDeviceToHost : hipMemcpyHostToHost);
  switch (kind) {
  case hipMemcpyHostToHost:
    std::memmove(to, from, bytes);
    return hipSuccess;
  case hipMemcpyHostToDevice:
    return target && target->write(toAddress, from, bytes) ? hipSuccess : hipErrorInvalidDevicePointer;
  case hipMemcpyDeviceToHost:
    return source && source->read(fromAddress, to, bytes) ? hipSuccess : hipErrorInvalidDevicePointer;
  case hipMemcpyDeviceToDevice: {
    if (!target || !source)
      return hipErrorInvalidDevicePointer;
    std::string content(bytes, '\0');
    return source->read(fromAddress, content.data(), bytes) && target->write(toAddress, content.data(), bytes)
               ? hipSuccess : hipErrorInvalidDevicePointer;
  }
  default:
    return hipErrorInvalidValue;
  }
}

/// Memory of the current device, noted; `give` makes the caller's pointer of its address. Of no bytes: a null pointer.
template <typename Give> hipError_t allocate(void **pointer, size_t bytes, Give give) {
  if (!pointer)
    return done(hipErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0)
    return hipSuccess;
  std::lock_guard<std::mutex> guard(state().lock);
  if (state().devices.empty())
    return done(hipErrorNoDevice);
  int device = thread().device;
  uint64_t address = allocateApart(device, bytes);
  if (!address)
    return done(hipErrorOutOfMemory);
  state().allocations[address] = {device, bytes};
  *pointer = give(device, address);
  return hipSuccess;
}

} // namespace

FLY_HIP_EXPORT hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, [](int, uint64_t address) { return reinterpret_cast<void *>(address); });
}

FLY_HIP_EXPORT hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, [&](int device, uint64_t address) {
    void *memory = state().devices[device]->hostPointer(address, bytes);
    state().hostMemory[memory] = address;
    return memory;
  });
}

FLY_HIP_EXPORT hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned int) {
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().hostMemory.find(host);
  if (!device || found == state().hostMemory.end())
    return done(hipErrorInvalidValue);
  *device = reinterpret_cast<void *>(found->second);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipHostFree(void *pointer) {
  if (!pointer)
    return hipSuccess;
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().hostMemory.find(pointer);
  if (found == state().hostMemory.end())
    return done(hipErrorInvalidValue);
  auto allocation = state().allocations.find(found->second);
  state().devices[allocation->second.device]->free(allocation->first);
  state().allocations.erase(allocation);
  state().hostMemory.erase(found);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipFree(void *pointer) {
  if (!pointer)
    return hipSuccess;
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == state().allocations.end() || found->second.module)
    return done(hipErrorInvalidDevicePointer);
  state().devices[found->second.device]->free(found->first);
  state().allocations.erase(found);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind) {
  std::lock_guard<std::mutex> guard(state().lock);
  return done(copy(to, from, bytes, kind));
}

FLY_HIP_EXPORT hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy(to, from, bytes, kind);
}

FLY_HIP_EXPORT hipError_t hipMemset(void *to, int value, size_t bytes) {
  std::lock_guard<std::mutex> guard(state().lock);
  if (bytes == 0)
    return hipSuccess;
  fly::emulator::Device *device = ownerOf(to, bytes);
  bool good = device && device->fill(reinterpret_cast<uintptr_t>(to), static_cast<uint8_t>(value), bytes);
  return done(good ? hipSuccess : hipErrorInvalidDevicePointer);
}

FLY_HIP_EXPORT hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t) { return hipMemset(to, value, bytes); }
