// The bundles that clang puts code objects for several architectures into, plain and compressed.
//
//     auto bundle = readBundle(bytes);                  // Expected; the bytes begin with "__CLANG_OFFLOAD_BUNDLE__"
//     for (const BundleEntry &entry : bundle->entries) entry.bytes ...
//
// A compressed one is inflated first; what comes out is a plain one:
//
//     auto header = readCompressedHeader(bytes);        // the bytes begin with "CCOB"
//     auto plain = inflate(bytes, *header, most);       // at most so many bytes; the buffer owns them
//
// Nothing that is read is trusted. An error names the field that is wrong.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fly::container {

struct BundleEntry {
  llvm::StringRef id;    ///< "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"
  uint64_t offset = 0;   ///< from the start of the bundle
  llvm::StringRef bytes; ///< a view
};

struct Bundle {
  std::vector<BundleEntry> entries;
  uint64_t size = 0; ///< to the end of its last entry
};

/// Whether a bundle begins here, and whether it is a compressed one.
bool isPlainBundle(llvm::StringRef bytes);
bool isCompressedBundle(llvm::StringRef bytes);
/// Where the next bundle begins that could be read, plain or compressed; npos if there is none.
size_t findBundle(llvm::StringRef bytes, size_t from);

/// The bytes may go on after the bundle. Entries must not overlap each other or the table.
llvm::Expected<Bundle> readBundle(llvm::StringRef bytes);

/// "gfx90a" of an entry's name; empty for the host.
llvm::StringRef processorOf(llvm::StringRef id);

struct CompressedHeader {
  unsigned version = 0;         ///< 1 to 3
  bool isZstd = false;          ///< else zlib
  std::optional<uint64_t> size; ///< of the whole, with this header; version 1 has none
  uint64_t inflated = 0;        ///< bytes that come out
  uint64_t hash = 0;            ///< the low half of their MD5; 0 for none
  uint64_t headerBytes = 0;
};

/// `size` may exceed the bytes there are; `inflate` refuses that.
llvm::Expected<CompressedHeader> readCompressedHeader(llvm::StringRef bytes);

/// Refuses more than `most` bytes, and sizes that the method cannot reach, before it allocates. The bytes may go on
/// after the bundle; `end` is where it ends, which of version 1 only its stream says.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> inflate(llvm::StringRef bytes, const CompressedHeader &header,
                                                            uint64_t most, uint64_t *end = nullptr);

/// What a bundle may inflate to. Larger code objects do not occur; offsets of most of them have 32 bits.
constexpr uint64_t mostInflated = uint64_t(4) << 30;

} // namespace fly::container
