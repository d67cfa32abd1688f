#include "runtime/hip_emulated/ImageMemory.h"

#include <algorithm>
#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace fly::hip_emulated {

namespace {

/// One byte of each page in [from, to), both multiples of a page.
bool canReadPages(uintptr_t from, uintptr_t to, uintptr_t page) {
  constexpr uintptr_t most = 1024; // IOV_MAX
  char bytes[most];
  std::vector<iovec> parts;
  while (from < to) {
    const size_t count = std::min(most, (to - from) / page);
    parts.clear();
    for (size_t i = 0; i < count; ++i) parts.push_back({reinterpret_cast<void *>(from + i * page), 1});
    iovec here{bytes, count};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, parts.data(), count, 0);
    if (got < 0 && (errno == ENOSYS || errno == EPERM)) return true;
    if (got != static_cast<ssize_t>(count)) return false;
    from += count * page;
  }
  return true;
}

} // namespace

bool ImageMemory::isReadable(uint64_t offset, uint64_t size) {
  if (size == 0) return true;
  if (offset > UINTPTR_MAX - start || size > UINTPTR_MAX - start - offset) return false;
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t from = (start + offset) / page * page, last = (start + offset + size - 1) / page * page;
  if (last > UINTPTR_MAX - page) return false;
  const uintptr_t to = last + page;
  if (from >= knownFrom && to <= knownTo) return true;
  if (!canReadPages(from, to, page)) return false;
  if (from <= knownTo && to >= knownFrom) { // they meet
    knownFrom = std::min(from, knownFrom);
    knownTo = std::max(to, knownTo);
  } else {
    knownFrom = from;
    knownTo = to;
  }
  return true;
}

} // namespace fly::hip_emulated
