// LLVM's offload binary, version 1: a header, one entry, a table of keys and values, the image. Offsets count from the
// header.
#include "compiler/container/Bytes.h"
#include "compiler/container/Formats.h"

namespace fly::container {

namespace {
struct Header {
  uint8_t magic[4];
  uint32_t version;
  uint64_t size, entryOffset, entrySize;
};
struct Entry {
  uint16_t image, offload;
  uint32_t flags;
  uint64_t strings, stringCount, imageOffset, imageSize;
};
constexpr llvm::StringRef magic("\x10\xff\x10\xad", 4);

const char *producer(uint16_t kind) {
  switch (kind) {
  case 1: return "openmp";
  case 2: return "cuda";
  case 4: return "hip";
  case 8: return "sycl";
  default: return "offload";
  }
}

bool text(llvm::StringRef bytes, uint64_t offset, llvm::StringRef &out) {
  if (offset >= bytes.size() || bytes.find('\0', offset) == bytes.npos)
    return false;
  out = bytes.substr(offset).take_until([](char c) { return c == '\0'; });
  return true;
}
} // namespace

bool isOffloadBinary(llvm::StringRef bytes) { return bytes.starts_with(magic); }

llvm::Expected<OffloadImage> readOffloadBinary(llvm::StringRef bytes) {
  Header header;
  Entry entry;
  if (!get(bytes, 0, header))
    return failure("the header of the offload binary is truncated");
  if (header.version != 1)
    return failure("the offload binary has version " + llvm::Twine(header.version) + "; the known version is 1");
  if (header.size < sizeof header || header.size > bytes.size())
    return failure("the offload binary has " + llvm::Twine(header.size) + " bytes according to its header; there are " +
                   llvm::Twine(bytes.size()));
  bytes = bytes.take_front(header.size);
  if (header.entrySize < sizeof entry || !get(bytes, header.entryOffset, entry))
    return failure("the entry of the offload binary, at offset " + hex(header.entryOffset) + ", is outside of it");
  OffloadImage out;
  out.size = header.size;
  if (entry.stringCount > bytes.size() / 16)
    return failure("the offload binary has " + llvm::Twine(entry.stringCount) +
                   " strings according to its entry, which " + llvm::Twine(bytes.size()) + " bytes cannot hold");
  llvm::StringRef triple, arch;
  for (uint64_t i = 0; i < entry.stringCount; ++i) {
    uint64_t at[2];
    llvm::StringRef key, value;
    if (entry.strings > bytes.size() || !get(bytes, entry.strings + 16 * i, at) || !text(bytes, at[0], key) ||
        !text(bytes, at[1], value))
      return failure("string " + llvm::Twine(i) + " of the offload binary is outside of it");
    if (key == "triple")
      triple = value;
    else if (key == "arch")
      arch = value;
  }
  if (!slice(bytes, entry.imageOffset, entry.imageSize, out.bytes))
    return failure("the image of the offload binary has offset " + hex(entry.imageOffset) + " and size " +
                   hex(entry.imageSize) + ", outside of its " + hex(bytes.size()) + " bytes");
  out.id = std::string(producer(entry.offload)) + "-" + shown(triple) + "--" + shown(arch);
  return out;
}

} // namespace fly::container
