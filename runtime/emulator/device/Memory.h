// The device's memory as kernels see it: allocations are far apart, so that a stray address does not hit any.
//
// Device addresses are not host addresses. Each allocation gets its own range of device addresses, 256-byte aligned,
// with at least `redZone` unmapped bytes around it, backed by a block of host memory. Addresses are never reused, so an
// access to freed memory is recognised. Bounds are exact to the byte.
//
//     0x100000001000  "a" 4096 bytes | red zone | 0x100000003000 "b" 100 bytes | red zone | ...
#pragma once

#include "runtime/emulator/device/Standstill.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace fly::emulator {

/// What a byte of fresh memory holds. As f32 -2.6e36, as f16 -65376, as i32 -67372037: rarely a right answer.
inline constexpr uint8_t poisonByte = 0xfb;
inline constexpr uint32_t poisonWord = 0xfbfbfbfbu;

struct Allocation {
  uint64_t address = 0, bytes = 0;
  uint8_t *host = nullptr;
  std::string name;
  bool writable = true; ///< kernels may store; the host always may
  bool live = true;
  int file = -1; ///< that holds the bytes, for other processes; -1: none
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t *p) const;
  };
  std::unique_ptr<uint8_t[], Unmap> block{nullptr, Unmap{0}};
  uint64_t end() const { return address + bytes; }
};

/// Memory that is not one device's own: pinned host memory, and what devices see of each other. A range has the same
/// address for all that see it. Kernels of several devices look things up at once while the host adds to it; whoever
/// removes a range makes sure that no kernel runs.
class SharedMemory {
public:
  /// `devices`: a bit for each one that sees it.
  void add(uint64_t address, uint64_t bytes, uint8_t *host, std::string name, uint64_t devices);
  void remove(uint64_t address);
  const Allocation *find(uint64_t address, uint64_t bytes, unsigned device) const;
  /// Whether no other process may have any of it.
  bool isOnlyHere() const;
  Standstill standstill; ///< of the launches of all these devices

private:
  struct Range {
    Allocation allocation;
    uint64_t devices;
  };
  mutable std::shared_mutex mutex;
  std::map<uint64_t, std::unique_ptr<Range>> ranges;
};

/// Each device has its own address range, so an address identifies the device.
inline constexpr uint64_t deviceAddresses = uint64_t(4) << 40;

class Memory {
public:
  explicit Memory(unsigned device = 0, std::shared_ptr<SharedMemory> shared = nullptr);
  Memory(const Memory &) = delete;

  /// Returns 0 if the host has no memory for it. Zero bytes also get a unique address.
  uint64_t allocate(uint64_t bytes, std::string name, bool poisoned = true, bool writable = true);
  bool free(uint64_t address);
  /// A file that holds the bytes of the allocation at `address` from now on, so that another process may map them; it is
  /// closed when the allocation is freed. -1 if there is none at that address, or no file can be made. No kernel runs.
  int exportToFile(uint64_t address);
  /// Makes own memory zero by giving its pages back to the host. False if that is not worth it or not possible; then
  /// nothing has changed.
  bool giveBack(uint64_t address, uint64_t bytes);
  /// Addresses for an image of several parts that keep their distances: reserve, then place each part, ascending.
  uint64_t reserve(uint64_t bytes);
  bool place(uint64_t address, uint64_t bytes, std::string name, bool writable);

  /// Whether other devices may see some of it.
  bool isShared() const { return shared != nullptr; }
  /// Whether nobody but threads that run waves, these, can change memory that kernels see. The host is expected to leave
  /// the memory of a device that shares nothing alone while a kernel runs.
  bool isClosed(const std::vector<int> &threads) const;
  Standstill &standstill() const { return shared ? shared->standstill : own; }
  uint64_t bytesInUse() const { return liveBytes; }
  uint64_t bytesInAll() const { return limit; }

  /// The live allocation that holds all of [address, address+bytes), or null.
  const Allocation *find(uint64_t address, uint64_t bytes) const;
  /// The same, trying the caller's `last` first and keeping what was found there. Memory itself keeps nothing, since
  /// several threads look things up.
  const Allocation *find(uint64_t address, uint64_t bytes, const Allocation *&last) const {
    if (last && address - last->address < last->bytes && last->bytes - (address - last->address) >= bytes) return last;
    const Allocation *found = find(address, bytes);
    if (found) last = found;
    return found;
  }
  uint8_t *host(uint64_t address, uint64_t bytes) const {
    const Allocation *a = find(address, bytes);
    return a ? a->host + (address - a->address) : nullptr;
  }
  /// Describes where `address` is: inside which allocation, or how far from the nearest one.
  std::string describe(uint64_t address, uint64_t bytes) const;

private:
  std::vector<std::unique_ptr<Allocation>> allocations; ///< by address; the last freed ones stay, without their bytes
  std::deque<uint64_t> freed;                           ///< addresses of those, the oldest first
  const Allocation *findShared(uint64_t address, uint64_t bytes) const {
    return shared ? shared->find(address, bytes, device) : nullptr;
  }

  unsigned device;
  std::shared_ptr<SharedMemory> shared; ///< null: there is none
  mutable Standstill own;
  uint64_t nextAddress, addressLimit, liveBytes = 0, limit;
};

} // namespace fly::emulator
