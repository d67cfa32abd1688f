// A plain bundle: this magic, a count, and for each entry offset, size, length of its name and name.
//
//     __CLANG_OFFLOAD_BUNDLE__ | 3 | 4096, 0, 27, host-x86_64-unknown-linux-- | 4096, 5320, 31, hipv4-...--gfx90a | ...
//
// Offsets count from the magic. clang pads so that code objects begin at pages.
#include "compiler/container/Bundle.h"

#include "compiler/container/Bytes.h"

#include <algorithm>

namespace fly::container {

namespace {
constexpr llvm::StringRef plainMagic = "__CLANG_OFFLOAD_BUNDLE__", compressedMagic = "CCOB";
constexpr uint64_t longestName = 4096;
} // namespace

bool isPlainBundle(llvm::StringRef bytes) { return bytes.starts_with(plainMagic); }
bool isCompressedBundle(llvm::StringRef bytes) { return bytes.starts_with(compressedMagic); }

size_t findBundle(llvm::StringRef bytes, size_t from) {
  for (size_t at = from; at < bytes.size(); ++at) {
    if (bytes[at] != plainMagic[0] && bytes[at] != compressedMagic[0])
      continue;
    llvm::StringRef rest = bytes.substr(at);
    if (isPlainBundle(rest))
      return at;
    // Four letters may stand anywhere, so version and method must fit too.
    if (uint16_t fields[2];
        isCompressedBundle(rest) && get(rest, 4, fields) && fields[0] >= 1 && fields[0] <= 3 && fields[1] <= 1)
      return at;
  }
  return llvm::StringRef::npos;
}

llvm::Expected<Bundle> readBundle(llvm::StringRef bytes) {
  Bundle bundle;
  uint64_t at = plainMagic.size(), count;
  if (!get(bytes, at, count))
    return failure("the offload bundle ends before its number of entries");
  at += 8;
  if (count > (bytes.size() - at) / 24)
    return failure("the offload bundle has " + llvm::Twine(count) + " entries according to its header, which " +
                   llvm::Twine(bytes.size()) + " bytes cannot hold");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t fields[3]; // offset, size, length of the name
    const std::string what = "entry " + std::to_string(i) + " of the offload bundle";
    if (!get(bytes, at, fields))
      return failure(what + " is outside of the file");
    BundleEntry entry;
    if (fields[2] > longestName || !slice(bytes, at + 24, fields[2], entry.id))
      return failure(what + " has a name of " + llvm::Twine(fields[2]) + " bytes");
    at += 24 + fields[2];
    entry.offset = fields[0];
    // Bundlers leave any offset in an entry of size 0.
    if (fields[1] && !slice(bytes, fields[0], fields[1], entry.bytes))
      return failure(what + " (" + shown(entry.id) + ") has offset " + hex(fields[0]) + " and size " + hex(fields[1]) +
                     ", outside of its " + hex(bytes.size()) + " bytes");
    bundle.entries.push_back(entry);
  }
  bundle.size = at;
  std::vector<const BundleEntry *> order;
  for (const BundleEntry &entry : bundle.entries)
    if (!entry.bytes.empty())
      order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](auto *a, auto *b) { return std::pair(a->offset, a) < std::pair(b->offset, b); });
  for (const BundleEntry *entry : order) {
    if (entry->offset < bundle.size)
      return failure("entry " + llvm::Twine(entry - bundle.entries.data()) + " of the offload bundle (" +
                     shown(entry->id) + ") at offset " + hex(entry->offset) + " overlaps what precedes it");
    bundle.size = entry->offset + entry->bytes.size();
  }
  return bundle;
}

llvm::StringRef processorOf(llvm::StringRef id) {
  const size_t at = id.rfind("gfx");
  return at == id.npos ? llvm::StringRef() : id.substr(at).split(':').first;
}

} // namespace fly::container
