// Guarded device memory; see Memory.h. The host blocks come from mmap, so a large buffer costs little if a kernel
// touches little of it. The poison of a large one is a file that is mapped again and again: pages are copied when they
// are written.
#include "runtime/emulator/device/Memory.h"

#include "runtime/emulator/device/HostThreads.h"

#include "runtime/emulator/formats/Text.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace fly::emulator {

static constexpr uint64_t firstAddress = 0x100000001000, redZone = 4096, alignment = 256;
static constexpr uint64_t hugeBytes = 2 << 20, poisonedLazily = 256 << 20, poisonFileBytes = 64 << 20;

/// A file of poison; -1 if there cannot be one.
static int poisonFile() {
  static const int file = [] {
    const int made = memfd_create("fly-poison", MFD_CLOEXEC);
    if (made < 0) return -1;
    void *bytes = MAP_FAILED;
    if (ftruncate(made, poisonFileBytes) == 0)
      bytes = mmap(nullptr, poisonFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (bytes == MAP_FAILED) {
      close(made);
      return -1;
    }
    std::memset(bytes, poisonByte, poisonFileBytes);
    munmap(bytes, poisonFileBytes);
    return made;
  }();
  return file;
}

/// Zeros, whose pages come when they are used.
static bool mapZeros(void *at, uint64_t bytes) {
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED)
    return false;
#ifdef MADV_HUGEPAGE
  if (bytes >= hugeBytes) madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return true;
}

static void poison(uint8_t *block, uint64_t bytes) {
  uint64_t done = 0;
  const int file = bytes >= poisonedLazily ? poisonFile() : -1;
  while (file >= 0 && done < bytes) {
    const uint64_t part = std::min(poisonFileBytes, bytes - done);
    if (mmap(block + done, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) ==
        MAP_FAILED) {
      mapZeros(block + done, bytes - done);
      break;
    }
    done += part;
  }
  std::memset(block + done, poisonByte, bytes - done);
}

void Allocation::Unmap::operator()(uint8_t *p) const { munmap(p, bytes); }

void SharedMemory::add(uint64_t address, uint64_t bytes, uint8_t *host, std::string name, uint64_t devices) {
  auto range = std::make_unique<Range>();
  range->allocation.address = address;
  range->allocation.bytes = bytes;
  range->allocation.host = host;
  range->allocation.name = std::move(name);
  range->devices = devices;
  std::unique_lock lock(mutex);
  ranges[address] = std::move(range);
}

void SharedMemory::remove(uint64_t address) {
  std::unique_lock lock(mutex);
  ranges.erase(address);
}

const Allocation *SharedMemory::find(uint64_t address, uint64_t bytes, unsigned device) const {
  std::shared_lock lock(mutex);
  auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return nullptr;
  const Range &range = *std::prev(next)->second;
  uint64_t offset = address - range.allocation.address;
  if (offset > range.allocation.bytes || range.allocation.bytes - offset < bytes || !(range.devices >> device & 1))
    return nullptr;
  return &range.allocation;
}

bool SharedMemory::isOnlyHere() const {
  const std::vector<HostBytes> elsewhere = sharedWithProcesses();
  std::shared_lock lock(mutex);
  for (const auto &[address, range] : ranges)
    for (const HostBytes &bytes : elsewhere) {
      const auto begin = reinterpret_cast<uint64_t>(range->allocation.host);
      if (begin < bytes.end && bytes.begin < begin + range->allocation.bytes) return false;
    }
  return true;
}

Memory::Memory(unsigned device, std::shared_ptr<SharedMemory> shared)
    : device(device), shared(std::move(shared)), nextAddress(firstAddress + device * deviceAddresses),
      addressLimit(nextAddress + deviceAddresses - 2 * redZone) {
  uint64_t pages = static_cast<uint64_t>(std::max(1l, sysconf(_SC_PHYS_PAGES)));
  limit = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4 * 3;
}

uint64_t Memory::reserve(uint64_t bytes) {
  if (bytes > limit || liveBytes > limit - bytes || addressLimit - nextAddress < bytes + 2 * redZone) return 0;
  uint64_t address = nextAddress;
  nextAddress = (address + bytes + redZone + alignment - 1) / alignment * alignment;
  return address;
}

bool Memory::place(uint64_t address, uint64_t bytes, std::string name, bool writable) {
  uint64_t mapped = std::max<uint64_t>(bytes, 1);
  void *p = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return false;
#ifdef MADV_HUGEPAGE
  // Kernels walk through their buffers in large strides, which small pages make slow. It is only advice.
  if (mapped >= hugeBytes) madvise(p, mapped, MADV_HUGEPAGE);
#endif
  auto a = std::make_unique<Allocation>();
  a->address = address;
  a->bytes = bytes;
  a->host = static_cast<uint8_t *>(p);
  a->block = std::unique_ptr<uint8_t[], Allocation::Unmap>(a->host, Allocation::Unmap{mapped});
  a->name = std::move(name);
  a->writable = writable;
  liveBytes += bytes;
  allocations.push_back(std::move(a));
  return true;
}

uint64_t Memory::allocate(uint64_t bytes, std::string name, bool poisoned, bool writable) {
  uint64_t address = reserve(bytes);
  if (!address) return 0;
  if (name.empty()) name = "allocation " + std::to_string(allocations.size() + 1);
  if (!place(address, bytes, std::move(name), writable)) return 0;
  if (poisoned) poison(allocations.back()->host, bytes);
  return address;
}

static auto firstAbove(const std::vector<std::unique_ptr<Allocation>> &all, uint64_t address) {
  return std::upper_bound(all.begin(), all.end(), address,
                          [](uint64_t a, const std::unique_ptr<Allocation> &b) { return a < b->address; });
}

/// How many freed allocations are remembered. A launch frees three of its own, so without a limit a long program grows.
static constexpr size_t rememberedFreed = 4096;

bool Memory::free(uint64_t address) {
  auto it = firstAbove(allocations, address);
  if (it == allocations.begin()) return false;
  Allocation &a = **std::prev(it);
  if (a.address != address || !a.live) return false;
  liveBytes -= a.bytes;
  a.live = false;
  a.block.reset();
  if (a.file >= 0) close(a.file);
  a.file = -1;
  a.host = nullptr;
  freed.push_back(address);
  if (freed.size() > rememberedFreed) {
    allocations.erase(std::prev(firstAbove(allocations, freed.front())));
    freed.pop_front();
  }
  return true;
}

int Memory::exportToFile(uint64_t address) {
  auto it = firstAbove(allocations, address);
  if (it == allocations.begin()) return -1;
  Allocation &a = **std::prev(it);
  if (a.address != address || !a.live || a.file >= 0) return a.live && a.address == address ? a.file : -1;
  const int file = memfd_create("fly-memory", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (uint64_t done = 0; done < a.bytes;) {
    const ssize_t written = pwrite(file, a.host + done, a.bytes - done, static_cast<off_t>(done));
    if (written <= 0) {
      close(file);
      return -1;
    }
    done += static_cast<uint64_t>(written);
  }
  if (a.bytes && mmap(a.host, a.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    close(file);
    return -1;
  }
  return a.file = file;
}

bool Memory::isClosed(const std::vector<int> &threads) const {
  if (!shared) return true;
  if (!allOthersWait(threads) || !shared->isOnlyHere()) return false;
  return std::none_of(allocations.begin(), allocations.end(), [](const auto &a) { return a->live && a->file >= 0; });
}

bool Memory::giveBack(uint64_t address, uint64_t bytes) {
  const Allocation *a = find(address, bytes);
  if (!a || !a->block || a->file >= 0 || bytes < hugeBytes) return false;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint8_t *begin = a->host + (address - a->address), *end = begin + bytes;
  auto *first = reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page);
  auto *last = reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(end) / page * page);
  if (!mapZeros(first, static_cast<uint64_t>(last - first))) return false;
  std::memset(begin, 0, static_cast<size_t>(first - begin));
  std::memset(last, 0, static_cast<size_t>(end - last));
  return true;
}

const Allocation *Memory::find(uint64_t address, uint64_t bytes) const {
  auto it = firstAbove(allocations, address);
  if (it == allocations.begin()) return findShared(address, bytes);
  const Allocation &a = **std::prev(it);
  uint64_t offset = address - a.address;
  if (!a.live || offset > a.bytes || a.bytes - offset < bytes) return findShared(address, bytes);
  return &a;
}

std::string Memory::describe(uint64_t address, uint64_t bytes) const {
  if (const Allocation *a = findShared(address, bytes))
    return "inside `" + a->name + "` (" + std::to_string(a->bytes) + " bytes at " + hex(a->address) + ")";
  if (const uint64_t other = (address - firstAddress) / deviceAddresses;
      shared && address >= firstAddress && other != device && other < 64)
    return "memory of device " + std::to_string(other) + ", which kernels of device " + std::to_string(device) +
           " may use after hipDeviceEnablePeerAccess(" + std::to_string(other) + ", 0)";
  auto it = firstAbove(allocations, address);
  const Allocation *below = it == allocations.begin() ? nullptr : std::prev(it)->get();
  const Allocation *above = it == allocations.end() ? nullptr : it->get();
  auto range = [](const Allocation &a) {
    return "`" + a.name + "` (" + std::to_string(a.bytes) + " bytes at " + hex(a.address) + (a.live ? ")" : ", freed)");
  };
  if (below && address - below->address < below->bytes) {
    if (!below->live) return "inside " + range(*below);
    if (below->bytes - (address - below->address) < bytes)
      return "runs " + std::to_string(bytes - (below->bytes - (address - below->address))) + " bytes past the end of " +
             range(*below);
    return "inside " + range(*below);
  }
  uint64_t under = below ? address - below->end() : ~0ull, over = above ? above->address - address : ~0ull;
  if (!below && !above) return "there is no allocation";
  if (under <= over) return std::to_string(under) + " bytes past the end of " + range(*below);
  return std::to_string(over) + " bytes before " + range(*above);
}

} // namespace fly::emulator
